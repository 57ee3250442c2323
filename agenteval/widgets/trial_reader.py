"""One trial to read, a second one beside it, and tags at its steps."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import ipywidgets as W  # noqa: N812
import pandas as pd
import traitlets as T  # noqa: N812

from agenteval.charts import steps_chart
from agenteval.comparison import TrialDiff, diff
from agenteval.errors import InvalidInput
from agenteval.widgets.live_chart import live_chart
from agenteval.widgets.panel import Panel, described
from agenteval.widgets.trial_links import TrialLinks
from agenteval.widgets.trial_pages import PAGES, heading, page

if TYPE_CHECKING:
    from agenteval.store import Store, TrialIndex, TrialView

NOBODY = ""


class TrialReader(Panel):
    """What one trial was asked, did and came to.

    Attributes
    ----------
    trial_id
        The trial that is shown; empty when none is.
    second_id
        The trial beside it.
    page
        Which of its pages is open.
    """

    trial_id = T.Unicode(NOBODY)
    second_id = T.Unicode(NOBODY)
    page = T.Enum(PAGES, PAGES[0])

    def __init__(self, store: Store, index: TrialIndex) -> None:
        self._store, self._index = store, index
        self.trial: TrialView | None = None
        self.second: TrialView | None = None
        self.buttons = W.ToggleButtons(options=PAGES, style={"button_width": "auto"})
        self.others = described(W.Dropdown(description="Same task"), "32em")
        self.go = W.Button(description="Open it", tooltip="Show that trial instead")
        self.beside = W.Button(description="Put beside", tooltip="Show both, and where they part")
        self.text = described(W.Text(description="Tag", placeholder="stopped before testing"))
        self.step = described(W.Text(description="at step", placeholder="none"), "9em")
        self.tag = W.Button(description="Tag", tooltip="Write it into tags.jsonl")
        self.first_page, self.second_page, self.parting = W.HTML(), W.HTML(), W.HTML()
        self.links, self.steps = TrialLinks(), W.VBox()
        self.parted: TrialDiff | None = None
        for body in (self.first_page, self.second_page):
            body.layout = W.Layout(flex="1 1 0", min_width="0")
        self._body = [
            self.links,
            self.buttons,
            self.parting,
            self.steps,
            W.HBox([self.first_page, self.second_page]),
            W.HBox([self.others, self.go, self.beside]),
            W.HBox([self.text, self.step, self.tag]),
        ]
        super().__init__([])
        self.add_class("ae-reader")
        T.link((self.buttons, "value"), (self, "page"))
        self.go.on_click(self.guarded(self._open_other))
        self.beside.on_click(self.guarded(self._put_beside))
        self.tag.on_click(self.guarded(self._tag))
        self.links.observe(self.guarded(self._follow), names=["chosen"])
        self.observe(self.guarded(self._load), names=["trial_id"])
        self.observe(self.guarded(self._load_second), names=["second_id"])
        self.observe(self.guarded(self._draw), names=["page"])

    def _load(self) -> None:
        self.trial = self._look_up(self.trial_id)
        self.second_id = NOBODY
        if self.trial is None:
            self.children = [self._notice]
            return
        found = self._index.siblings(self.trial.id, self.trial.row["run_id"])
        self.others.options = [(_named(row), row["trial_id"]) for row in found.to_dict("records")]
        self.others.index = 0 if len(found) else None
        self.go.disabled = self.beside.disabled = not len(found)
        self.links.show(self._index.links(self.trial.id, self.trial.row["run_id"]), self.trial.id)
        self.children = [self._notice, *self._body]
        self._draw()

    def _look_up(self, trial_id: str) -> TrialView | None:
        return self._store.trial(trial_id, run=self._index.run_of(trial_id)) if trial_id else None

    def _load_second(self) -> None:
        self.second = self._look_up(self.second_id)
        self.parted, self.steps.children, self.parting.value = None, (), ""
        if self.trial is not None and self.second is not None:
            self._part(self.trial, self.second)
        self._draw()

    def _part(self, first: TrialView, second: TrialView) -> None:
        """Say and draw where two trials part."""
        if first.events.empty and second.events.empty:
            self.parting.value = (
                "<p>Neither trial left any steps, so where they part is not known.</p>"
            )
            return
        self.parted = found = diff(first, second)
        table = f"<details><summary>The steps side by side</summary>{found._repr_html_()}</details>"
        self.parting.value = f"<p><b>{escape(found.verdict)}</b></p>{table}"
        self.steps.children = (live_chart(steps_chart(found)),)

    def _draw(self) -> None:
        if self.trial is None:
            return
        self.first_page.value = self._page(self.trial, "a")
        shown = self.second is not None
        self.second_page.layout.display = None if shown else "none"
        self.second_page.value = self._page(self.second, "b") if self.second is not None else ""

    def _page(self, trial: TrialView, side: str) -> str:
        step = self.parted.next_step(side) if self.parted is not None else None
        return heading(trial) + page(trial, self.page, parted_at=step)

    def _follow(self) -> None:
        self.trial_id = self.links.chosen or self.trial_id

    def _open_other(self) -> None:
        self.trial_id = self.others.value or self.trial_id

    def _put_beside(self) -> None:
        self.second_id = self.others.value or NOBODY

    def _tag(self) -> None:
        if self.trial is None:
            return
        at = self.step.value.strip()
        if at and not at.isdecimal():
            raise InvalidInput(
                f"{at!r} is no step", "at step", "give the number of a step, or nothing"
            )
        self.trial.tag(self.text.value, step=int(at) if at else None)
        self.text.value = ""
        self._draw()


def _named(row: dict[str, object]) -> str:
    run = row["run_id"]
    status = row["status"] if not pd.isna(row["status"]) else "unknown"
    return f"{row['arm']}, repeat {row['repeat']}: {status} ({run})"
