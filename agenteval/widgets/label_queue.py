"""A queue of trials for a person to judge, saved one by one."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import ipywidgets as W  # noqa: N812
import pandas as pd
import traitlets as T  # noqa: N812

from agenteval.comparison.wording import count_of
from agenteval.errors import InvalidInput
from agenteval.store import Store
from agenteval.widgets.key_catcher import KeyCatcher
from agenteval.widgets.label_agreement import agreement_so_far
from agenteval.widgets.label_sample import Strategy, label_sample
from agenteval.widgets.panel import Panel, described
from agenteval.widgets.trial_pages import PAGES, heading, page

if TYPE_CHECKING:
    from agenteval.store import TrialView

# what could give the arm or the verdict away stays closed
BLIND_PAGES = ("Prompt", "Diff", "Answer")
# told label by label, agreement would say whether the last one was the outcome
BLIND_BLOCK = 5
KEYS = {"p": "pass", "f": "fail", "s": "skip", "b": "back"}


class LabelQueue(Panel):
    """Trials to label, one after the other.

    Attributes
    ----------
    place
        Number of the trial that is shown, from 0.
    labelled
        Trials of the queue that this person has labelled.
    page
        Which page of the trial is open.
    """

    place = T.Int(0)
    labelled = T.Int(0)
    page = T.Enum(PAGES, PAGES[0])

    def __init__(
        self, store: Store, queue: pd.DataFrame, *, by: str, rubric: str | None, blind: bool
    ) -> None:
        if not by.strip():
            raise InvalidInput("A label needs a person", "argument by", 'say who, as in by="ada"')
        self.store, self.queue, self.by = store, queue, by.strip()
        self.rubric, self.blind = rubric, blind
        self.trial: TrialView | None = None
        pages = BLIND_PAGES if blind else PAGES
        self.buttons = {
            name: W.Button(description=f"{name} ({key})", tooltip=f"Key {key}")
            for key, name in KEYS.items()
        }
        self.score = described(W.Text(description="score", placeholder="0 to 1, or none"), "14em")
        self.note = described(W.Text(description="why", placeholder="in a few words"), "36em")
        self.catcher = KeyCatcher(
            taken=list(KEYS),
            label="Click here, then: " + ", ".join(f"{key} {name}" for key, name in KEYS.items()),
        )
        self.pages = W.ToggleButtons(options=pages, style={"button_width": "auto"})
        self.progress, self.body = W.HTML(), W.HTML()
        self.agreement = W.HTML("<p>Agreement is told after every fifth label.</p>")
        self.progress.add_class("ae-label-progress")
        super().__init__(
            [
                self.progress,
                self.pages,
                self.body,
                W.HBox([*self.buttons.values(), self.score, self.note], layout=_wrapped()),
                self.catcher,
                self.agreement,
            ]
        )
        self.page = pages[0]
        T.link((self, "page"), (self.pages, "value"))
        for name, button in self.buttons.items():
            button.on_click(self.guarded(_bound(self.press, name)))
        self.catcher.on_msg(self._on_key)
        self.observe(self.guarded(self._draw), names=["page"])
        self.attempt(self._resume)

    @property
    def said(self) -> pd.DataFrame:
        """What this person said of the trials in the queue, as `store.labels` gives it."""
        labels = self.store.labels(self.queue)
        rubrics = (
            labels["rubric"].isna() if self.rubric is None else labels["rubric"] == self.rubric
        )
        return labels[(labels["annotator"] == self.by) & rubrics].reset_index(drop=True)

    def press(self, name: str) -> None:
        """Do what the button `pass`, `fail`, `skip` or `back` does.

        Raises
        ------
        InvalidInput
            For another name, a score that is none, or when the queue is through.
        """
        if name == "back":
            self._go(max(0, self.place - 1))
            return
        if self.trial is None:
            raise InvalidInput("The queue is through", "the label queue", "draw another sample")
        if name in ("pass", "fail"):
            self.trial.label(
                name == "pass",
                by=self.by,
                score=self._score(),
                rubric=self.rubric,
                note=self.note.value.strip() or None,
            )
        elif name != "skip":
            raise InvalidInput(f"There is no button {name!r}", "the label queue", "see KEYS")
        self._go(self.place + 1)

    def _resume(self) -> None:
        done = set(zip(self.said["run_id"], self.said["trial_id"], strict=True))
        keys = zip(self.queue["run_id"], self.queue["trial_id"], strict=True)
        waiting = [i for i, key in enumerate(keys) if key not in done]
        self._go(waiting[0] if waiting else len(self.queue))

    def _go(self, place: int) -> None:
        said = self.said
        self.place, self.labelled = place, len(said)
        self.score.value = self.note.value = ""
        over = place >= len(self.queue)
        self.trial = None if over else self._trial_at(place)
        at = "the queue is through" if over else f"trial {place + 1} of {len(self.queue)}"
        self.progress.value = f"<p><b>{escape(self.by)}</b>, {at}, {self.labelled} labelled</p>"
        block = self.labelled > 0 and self.labelled % BLIND_BLOCK == 0
        if not self.blind or over or block:
            told = agreement_so_far(self.queue, said, self.store.judgments(self.queue))
            self.agreement.value = f"<p>{escape(told)}</p>"
        self._draw()

    def _trial_at(self, place: int) -> TrialView:
        row = self.queue.iloc[place]
        return self.store.trial(row["trial_id"], run=row["run_id"])

    def _draw(self) -> None:
        for name in ("pass", "fail", "skip"):
            self.buttons[name].disabled = self.trial is None
        if self.trial is None:
            self.body.value = f"<p>Done: {count_of(self.labelled, 'label')} in labels.jsonl.</p>"
            return
        task = escape(str(self.trial.row["task_id"]))
        head = f"<h3 style='margin:.4em 0'>{task}</h3>" if self.blind else heading(self.trial)
        self.body.value = head + page(self.trial, self.page)

    def _score(self) -> float | None:
        text = self.score.value.strip()
        try:
            return float(text) if text else None
        except ValueError:
            raise InvalidInput(
                f"{text!r} is no score", "the score", "give a number from 0 to 1, or nothing"
            ) from None

    def _on_key(self, widget: Any, content: Any, buffers: Any) -> None:
        del widget, buffers
        name = KEYS.get(content.get("key", "")) if isinstance(content, dict) else None
        if name is not None:
            self.attempt(_bound(self.press, name))


def label(
    store: Store,
    *,
    by: str,
    sample: int = 40,
    strategy: Strategy = "stratified",
    trials: pd.DataFrame | None = None,
    rubric: str | None = None,
    blind: bool = True,
    seed: int = 0,
) -> LabelQueue:
    """Label trials by hand: each is shown without its arm and saved at once to labels.jsonl.

    The same call goes on where it was left. Labels are what `ae.judge_trust` holds judges against.

    Parameters
    ----------
    store
        The opened store.
    by
        Who labels.
    sample
        Trials to draw.
    strategy
        `stratified` by arm and outcome, `random`, or `uncertain` where the judge is least sure. Only
        a random sample tells how well a judge does on all trials.
    trials
        Trial table to draw from; all of the store when None.
    rubric
        Version of the rubric that is read by, as in `store.judgments()`; None for any.
    blind
        False shows arm, outcome, checks and steps too. While blind, how far the labels agree with
        judges and outcomes is told after every fifth.
    seed
        Seed of the drawing.

    Returns
    -------
    LabelQueue
        A widget; its `.said` are the labels so far.

    Raises
    ------
    InvalidInput, NotEnoughData
        When there is nothing to draw, or a name means nothing.
    """
    pool = store.trials() if trials is None else trials
    judgments = store.judgments(pool) if strategy == "uncertain" else pd.DataFrame()
    queue = label_sample(pool, judgments, size=sample, strategy=strategy, seed=seed)
    return LabelQueue(store, queue, by=by, rubric=rubric, blind=blind)


def _bound(press: Any, name: str) -> Any:
    return lambda: press(name)


def _wrapped() -> W.Layout:
    return W.Layout(flex_flow="row wrap")
