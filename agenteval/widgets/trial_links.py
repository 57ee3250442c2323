"""From one trial to its neighbours: other repeats, other arms, the tasks before and after."""

from __future__ import annotations

from functools import partial
from typing import Any

import ipywidgets as W  # noqa: N812
import pandas as pd
import traitlets as T  # noqa: N812

MOST = 12
_WAYS = (("repeat", "Repeats"), ("arm", "Arms"), ("task", "Tasks"))
_SIGNS = {"pass": "✓", "fail": "✗", "error": "!", "skipped": "–"}


class TrialLinks(W.VBox):  # type: ignore[misc]
    """Buttons that lead to the trials next to one.

    Attributes
    ----------
    chosen
        Id of the trial that was clicked last; empty before any was.
    """

    chosen = T.Unicode("")

    def __init__(self) -> None:
        super().__init__([])
        self.add_class("ae-links")

    def show(self, links: pd.DataFrame, trial_id: str) -> None:
        """Replace the buttons.

        Parameters
        ----------
        links
            As `TrialIndex.links` gives them.
        trial_id
            The trial that is shown: its own buttons are off.
        """
        with self.hold_trait_notifications():
            self.chosen = ""
        rows = []
        for way, label in _WAYS:
            found = links[links["way"] == way]
            if len(found) > 1:
                shown = [self._button(row, trial_id) for row in _near(found, trial_id)]
                more = f"and {len(found) - MOST} more" if len(found) > MOST else ""
                rows.append(
                    W.HBox([W.Label(label, layout=W.Layout(width="5em")), *shown, W.Label(more)])
                )
        for row in rows:
            row.layout.flex_flow = "row wrap"
        self.children = rows

    def _button(self, row: dict[str, Any], trial_id: str) -> W.Button:
        here = row["trial_id"] == trial_id
        button = W.Button(
            description=f"{row['name']} {_SIGNS.get(row['status'], '?')}",
            tooltip=f"{row['name']}: {row['status']}" + (", shown here" if here else ""),
            disabled=here,
            layout=W.Layout(width="auto"),
        )
        button.on_click(partial(self._choose, row["trial_id"]))
        return button

    def _choose(self, trial_id: str, button: Any) -> None:
        del button
        self.chosen = trial_id


def _near(found: pd.DataFrame, trial_id: str) -> list[dict[str, Any]]:
    """At most `MOST` of them, the shown one among them."""
    rows: list[dict[str, Any]] = found.to_dict("records")
    place = next((i for i, row in enumerate(rows) if row["trial_id"] == trial_id), 0)
    start = max(0, min(place - MOST // 2, len(rows) - MOST))
    return rows[start : start + MOST]
