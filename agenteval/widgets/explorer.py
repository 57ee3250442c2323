"""Looking around in a store: filters, a chart to brush, the trials behind it, one trial in full."""

from __future__ import annotations

from functools import partial
from typing import Any

import ipywidgets as W  # noqa: N812
import pandas as pd
import traitlets as T  # noqa: N812

from agenteval.comparison.wording import UNKNOWN, dollars, known, seconds
from agenteval.store import Store, TrialFilter, TrialIndex
from agenteval.widgets.live_chart import BRUSH, live_chart
from agenteval.widgets.outcome_bars import LABELS, outcome_bars
from agenteval.widgets.panel import Panel, described
from agenteval.widgets.trial_list import TrialList
from agenteval.widgets.trial_reader import TrialReader

MOST_ROWS = 200
_FILTERS = ("run_id", "suite", "category", "arm", "status", "ended_by")
_STATE = (*_FILTERS, "tampering", "text", "in_steps", "by")
# in a larger store reading every transcript takes seconds: then only when asked to
STEPS_SEARCHED_BELOW = 20_000
_HEADS = ("task", "arm", "repeat", "outcome", "ended by", "agent time", "cost", "tampering", "run")
_TAMPERING = ("any", "some", "none", "unknown")


class Explorer(Panel):
    """A store to look around in.

    Attributes
    ----------
    run_id, suite, category, arm, status, ended_by
        Values to keep; all when empty.
    tampering
        `any`, `some`, `none` or `unknown`.
    text
        Part of a name, an error class, a message or a stop reason.
    in_steps
        Whether `text` is looked for in transcripts too; on in a store of fewer than 20,000 trials.
    by
        Column the chart counts by.
    picked
        Groups brushed in the chart; all when empty.
    count
        Trials that all of this leaves.
    """

    run_id, suite, category = T.Tuple(), T.Tuple(), T.Tuple()
    arm, status, ended_by = T.Tuple(), T.Tuple(), T.Tuple()
    tampering = T.Enum(_TAMPERING, "any")
    text = T.Unicode("")
    in_steps = T.Bool(True)  # noqa: FBT003
    by = T.Enum(tuple(LABELS), "task_id")
    picked = T.Tuple()
    count = T.Int(0)

    def __init__(self, store: Store) -> None:
        self.store, self.index = store, TrialIndex(store)
        self.groups = self._listed = pd.DataFrame()
        self.menus = {name: _menu(LABELS[name]) for name in _FILTERS}
        self.tampering_menu = described(W.Dropdown(options=_TAMPERING, description="tampering"))
        self.search = described(
            W.Text(
                description="search", placeholder="task, error, command", continuous_update=False
            )
        )
        self.steps_box = W.Checkbox(
            description="in transcripts too", indent=False, layout=W.Layout(width="11em")
        )
        self.in_steps = self.index.size < STEPS_SEARCHED_BELOW
        self.by_menu = described(
            W.Dropdown(options=[(label, name) for name, label in LABELS.items()], description="by")
        )
        self.fresh = W.Button(description="Look again", tooltip="Read what was written since")
        self.summary = W.HTML()
        self.summary.add_class("ae-summary")
        self.list = TrialList()
        self.reader = TrialReader(store, self.index)
        self.chart = live_chart(None)
        controls = [self.by_menu, self.tampering_menu, self.search, self.steps_box, self.fresh]
        super().__init__(
            [
                W.HBox(list(self.menus.values()), layout=W.Layout(flex_flow="row wrap")),
                W.HBox(controls, layout=W.Layout(flex_flow="row wrap")),
                self.summary,
                self.chart,
                self.list,
                self.reader,
            ]
        )
        self._offer()
        self._connect()
        self.attempt(self._refresh)

    @property
    def filter(self) -> TrialFilter:
        """What is looked at, the brushed groups included."""
        state: dict[str, Any] = {name: getattr(self, name) for name in _FILTERS}
        if self.picked:
            kept = state.get(self.by) or self.picked
            state[self.by] = tuple(name for name in self.picked if name in kept) or ("",)
        state |= {"tampering": self.tampering, "text": self.text, "in_steps": self.in_steps}
        return TrialFilter(**state)

    @property
    def selection(self) -> pd.DataFrame:
        """The trials that the filters and the brush leave, with all columns of `store.trials`."""
        wanted = self.filter
        keys = self.index.keys(wanted)
        trials = self.store.trials(
            run=keys["run_id"].unique().tolist(),
            suite=wanted.suite or None,
            arm=wanted.arm or None,
            task=wanted.task_id or None,
            status=wanted.status or None,
        )
        if len(trials) == len(keys):
            return trials
        pairs = pd.MultiIndex.from_frame(trials[["run_id", "trial_id"]])
        return trials[pairs.isin(pd.MultiIndex.from_frame(keys))].reset_index(drop=True)

    @property
    def trial(self) -> Any:
        """The trial that is open, as `store.trial` gives it; None when none is."""
        return self.reader.trial

    def _connect(self) -> None:
        for name, menu in self.menus.items():
            T.link((menu, "value"), (self, name))
        T.link((self.tampering_menu, "value"), (self, "tampering"))
        T.link((self.search, "value"), (self, "text"))
        T.link((self, "in_steps"), (self.steps_box, "value"))
        T.link((self.by_menu, "value"), (self, "by"))
        self.observe(self.guarded(self._refresh), names=list(_STATE))
        self.observe(self.guarded(self._list), names=["picked"])
        self.list.observe(self.guarded(self._open), names=["chosen"])
        self.fresh.on_click(self.guarded(self._look_again))

    def _offer(self) -> None:
        for name, menu in self.menus.items():
            menu.options = self.index.choices(name)
            menu.rows = min(6, max(2, len(menu.options)))

    def _refresh(self) -> None:
        with self.hold_trait_notifications():
            self.picked = ()
        self.groups = self.index.groups(self.filter, self.by)
        self.chart.chart = outcome_bars(self.groups, self.by)
        # a new chart has new selections
        self.chart.selections.observe(partial(self._brushed, self.by), BRUSH)
        self._list()

    def _brushed(self, by: str, change: Any) -> None:
        if by == self.by:
            self.picked = tuple(change["new"].value.get("group") or ())

    def _list(self) -> None:
        chosen = self.groups[self.groups["name"].isin(self.picked)] if self.picked else self.groups
        totals = chosen[["trials", "pass", "fail", "error", "skipped"]].sum()
        self.count = int(totals["trials"])
        self._listed = self.index.rows(self.filter, most=MOST_ROWS)
        self.list.show(_HEADS, [_texts(row) for row in self._listed.to_dict("records")])
        outcomes = ", ".join(
            f"{totals[name]:,} {name}" for name in ("pass", "fail", "error", "skipped")
        )
        shown = f"; the first {MOST_ROWS} are listed" if self.count > MOST_ROWS else ""
        brushed = f" in {len(self.picked)} brushed" if self.picked else ""
        self.summary.value = f"<b>{self.count:,} trials</b>{brushed}: {outcomes}{shown}"

    def _open(self) -> None:
        if self.list.chosen >= 0:
            self.reader.trial_id = str(self._listed["trial_id"].iloc[self.list.chosen])

    def _look_again(self) -> None:
        fresh = TrialIndex(self.store)
        self.index.close()
        self.index = self.reader._index = fresh
        self._offer()
        self._refresh()


def explore(store: Store) -> Explorer:
    """Open a store to look around in: filters, a chart to brush, and any trial in full.

    Nothing is loaded from the network. Trials are read when it opens; `Look again` reads what was
    written since.

    Parameters
    ----------
    store
        The opened store.

    Returns
    -------
    Explorer
        A widget; its `.selection` is what the filters and the brush leave as a DataFrame, its
        `.trial` the trial that is open.
    """
    return Explorer(store)


def _menu(label: str) -> W.SelectMultiple:
    menu = W.SelectMultiple(description=label, rows=4, layout=W.Layout(width="20em"))
    menu.style.description_width = "5em"
    return menu


def _texts(row: dict[str, Any]) -> list[str]:
    tampering = row["tampering"]
    seen = UNKNOWN if tampering is None or (isinstance(tampering, float)) else ", ".join(tampering)
    outcome = str(row["status"]) + (f" ({row['error_class']})" if known(row["error_class"]) else "")
    ended = str(row["ended_by"]) if known(row["ended_by"]) else UNKNOWN
    return [
        str(row["task_id"]), str(row["arm"]), str(row["repeat"]), outcome, ended,
        seconds(row["agent_s"]), dollars(row["cost_usd"]), seen, str(row["run_id"]),
    ]  # fmt: skip
