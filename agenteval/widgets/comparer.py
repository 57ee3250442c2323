"""Two arms compared by hand: pick them, a margin and a policy, and read everything at once."""

from __future__ import annotations

from html import escape
from typing import Any

import ipywidgets as W  # noqa: N812
import pandas as pd
import traitlets as T  # noqa: N812

from agenteval.comparison import RECOUNTS, HeadToHead, compare, flips, frontier, recount, scoreboard
from agenteval.comparison.holdout import without_holdout
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.store import Store
from agenteval.widgets.copy_button import CopyButton
from agenteval.widgets.live_chart import live_chart
from agenteval.widgets.panel import Panel, described

# what each page shows, as the cell that `Copy as code` gives says it
PARTS = {
    "Difference": ("h",),
    "Flips": ("ae.comparison.flips(h)",),
    "Slices": ("h.slices({column!r})",),
    "Cost": ("ae.scoreboard(both)", "ae.comparison.frontier(both)"),
    "Sensitivity": ("h.sensitivity",),
    "Parity": ("h.parity",),
    "How many more": ("h.plan(effect={margin:g})",),
}
ALL_RUNS, SMALLEST_EFFECT = "", 0.01
_OF_ARMS = "select run_id from trials group by 1 having count(distinct arm) > 1"
DIMENSIONS = ("category", "difficulty", "language", "suite", "kind")


class ArmComparer(Panel):
    """Two arms of a store, side by side.

    Attributes
    ----------
    run
        Run to look at; empty takes all.
    baseline, candidate
        Arms.
    margin
        Difference that would matter, as a share.
    policy
        How trials are counted: one of `agenteval.comparison.RECOUNTS`.
    column
        Column whose slices are compared.
    part
        Which answer is open.
    code
        The cell that gives the same result.
    """

    run = T.Unicode("")
    baseline = T.Unicode("")
    candidate = T.Unicode("")
    margin = T.Float(0.05)
    policy = T.Enum(RECOUNTS, RECOUNTS[0])
    column = T.Enum(DIMENSIONS, DIMENSIONS[0])
    part = T.Enum(tuple(PARTS), "Difference")
    code = T.Unicode("")

    def __init__(self, store: Store, *, run: str = ALL_RUNS) -> None:
        self.store = store
        self.result: HeadToHead | None = None
        self._trials = pd.DataFrame()
        runs = store.runs()["run_id"].tolist()[::-1]
        self.run_menu = described(
            W.Dropdown(
                options=[("all runs", ALL_RUNS), *((name, name) for name in runs)],
                description="run",
            )
        )
        self.baseline_menu = described(W.Dropdown(description="baseline"))
        self.candidate_menu = described(W.Dropdown(description="candidate"))
        self.margin_box = described(
            W.BoundedFloatText(min=0.001, max=0.99, step=0.01, value=0.05, description="margin"),
            "9em",
        )
        self.policy_menu = described(W.Dropdown(options=RECOUNTS, description="counted"))
        self.column_menu = described(W.Dropdown(options=DIMENSIONS, description="slices by"))
        self.parts = W.ToggleButtons(options=tuple(PARTS), style={"button_width": "auto"})
        self.verdict, self.body, self.listing = W.HTML(), W.HTML(), W.HTML()
        self.verdict.add_class("ae-verdict")
        self.chart = live_chart(None)
        self.copy = CopyButton()
        self.answers = W.VBox(
            [self.verdict, self.parts, self.chart, self.body, self.copy, self.listing]
        )
        arms = [self.run_menu, self.baseline_menu, self.candidate_menu]
        rules = [self.margin_box, self.policy_menu, self.column_menu]
        wrap = W.Layout(flex_flow="row wrap")
        super().__init__([W.HBox(arms, layout=wrap), W.HBox(rules, layout=wrap), self.answers])
        self.run = run
        if self.attempt(self._load):
            self.attempt(self._contrast)
        self._connect()

    def _connect(self) -> None:
        for menu, name in (
            (self.run_menu, "run"), (self.baseline_menu, "baseline"), (self.candidate_menu, "candidate"),
            (self.margin_box, "margin"), (self.policy_menu, "policy"), (self.column_menu, "column"),
            (self.parts, "part"),
        ):  # fmt: skip
            T.link((self, name), (menu, "value"))
        self.observe(self.guarded(self._change_run), names=["run"])
        asked = ["baseline", "candidate", "margin", "policy"]
        self.observe(self.guarded(self._contrast), names=asked)
        self.observe(self.guarded(self._show), names=["column", "part"])

    def _load(self) -> None:
        self._trials = without_holdout(self.store.trials(run=self.run or None))
        arms = sorted(self._trials["arm"].unique().tolist())
        old = (self.baseline, self.candidate)
        self.baseline_menu.options = self.candidate_menu.options = arms or [""]
        baseline = old[0] if old[0] in arms else [*arms, ""][0]
        others = [arm for arm in arms if arm != baseline]
        candidate = old[1] if old[1] in others else [*others, baseline][0]
        self.baseline_menu.value, self.candidate_menu.value = baseline, candidate
        self.baseline, self.candidate = baseline, candidate
        if len(arms) < 2:
            where = f"run {self.run}" if self.run else str(self.store.path)
            raise InvalidInput(
                f"There is nothing to compare: it has {len(arms)} arm", where, "choose another run"
            )

    def _change_run(self) -> None:
        self._load()
        self._contrast()

    def _contrast(self) -> None:
        self.result = None
        self.answers.layout.display = "none"
        if self.baseline == self.candidate:
            raise InvalidInput(
                "An arm cannot be compared with itself", "baseline and candidate", "pick another"
            )
        counted = recount(self._trials, self.policy, candidate=self.candidate)
        self.result = compare(
            counted, baseline=self.baseline, candidate=self.candidate, margin=self.margin
        )
        self.verdict.value = f"<p style='font-size:1.1em'><b>{escape(self.result.verdict)}</b></p>"
        self._show()
        self.answers.layout.display = None

    def _show(self) -> None:
        if self.result is None:
            return
        self.code = self.copy.text = self._code()
        self.listing.value = f"<pre>{escape(self.code)}</pre>"
        try:
            found = self._answer(self.result)
        except NotEnoughData as error:
            self.chart.chart = None
            self.body.value = f"<p>{escape(str(error))}</p>"
            return
        self.chart.chart = found[-1].plot()
        self.body.value = "".join(each._repr_html_() for each in found)

    def _answer(self, result: HeadToHead) -> list[Any]:
        """What the open page shows; the last of it is drawn."""
        match self.part:
            case "Flips":
                return [flips(result)]
            case "Slices":
                return [result.slices(self.column)]
            case "Cost":
                arms = [self.baseline, self.candidate]
                both = result.trials[result.trials["arm"].isin(arms)]
                return [scoreboard(both), frontier(both)]
            case "How many more":
                return [result.plan(effect=self._effect)]
            case "Sensitivity":
                return [result.sensitivity]
            case "Parity":
                return [result.parity]
        return [result]

    @property
    def _effect(self) -> float:
        """What is planned for: the margin, where there is one."""
        return max(self.margin, SMALLEST_EFFECT)

    def _code(self) -> str:
        chosen = f"run={self.run!r}" if self.run else ""
        lines = ["import agenteval as ae", "", f"s = ae.open_store({str(self.store.path)!r})"]
        lines.append(f"trials = s.trials({chosen})")
        if self.policy != RECOUNTS[0]:
            lines.append(
                f"trials = ae.comparison.recount(trials, {self.policy!r}, candidate={self.candidate!r})"
            )
        lines += [
            "h = ae.compare(",
            f"    trials, baseline={self.baseline!r}, candidate={self.candidate!r}, margin={self.margin:g}",
            ")",
        ]
        if self.part == "Cost":
            lines.append(f"both = trials[trials.arm.isin({[self.baseline, self.candidate]!r})]")
        *before, shown = (
            told.format(column=self.column, margin=self._effect) for told in PARTS[self.part]
        )
        lines += [f"shown = {shown}", f"display({', '.join([*before, 'shown', 'shown.plot()'])})"]
        return "\n".join(lines)


def compare_arms(store: Store, *, run: str | None = None) -> ArmComparer:
    """Compare two arms by hand: difference, flips, slices, cost, sensitivity, parity, and what more to run.

    Trials of holdout tasks are left out. `Copy as code` gives the cell that makes the same result.

    Parameters
    ----------
    store
        The opened store.
    run
        Run to begin with; the newest one with two arms when None, and the empty text is all runs.
        Runs together mix days: parity says what differs.

    Returns
    -------
    ArmComparer
        A widget; its `.result` is the `HeadToHead` that is shown, its `.code` the cell.
    """
    return ArmComparer(store, run=_newest_of_arms(store) if run is None else run)


def _newest_of_arms(store: Store) -> str:
    """Id of the newest run with two arms; all runs where there is none."""
    fit = set(store.sql(_OF_ARMS)["run_id"])
    runs = store.runs()["run_id"].tolist()[::-1]
    return next((run for run in runs if run in fit), ALL_RUNS)
