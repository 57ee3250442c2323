"""Holdout tasks stay out of every table unless they were asked for, and every look is counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from agenteval.errors import NotEnoughData
from agenteval.records import HOLDOUT, HOLDOUT_LOOKS

LEFT_OUT = "holdout_left_out"


def without_holdout(frame: pd.DataFrame) -> pd.DataFrame:
    """Leave out trials of holdout tasks, unless `Store.holdout` handed out the table.

    Whether it did, and what was left out, is in the table's `attrs`, which pandas keeps when rows or
    columns are chosen; a table that lost them shows too little, never too much.

    Raises
    ------
    NotEnoughData
        When nothing else is there.
    """
    if HOLDOUT_LOOKS in frame.attrs or "split" not in frame.columns:
        return frame
    held = (frame["split"] == HOLDOUT).to_numpy(bool, na_value=False)
    if not held.any():
        return frame
    tasks = int(frame.loc[held, "task_id"].nunique()) if "task_id" in frame.columns else 0
    if held.all():
        raise NotEnoughData(
            "all trials are of holdout tasks, which are left out unless asked for",
            f"argument trials, {len(frame)} trials of {tasks} tasks",
            "look at them with store.holdout(...), which counts the look",
        )
    kept = frame[~held]
    kept.attrs[LEFT_OUT] = (int(held.sum()), tasks)
    return kept


def holdout_notes(attrs: Mapping[Any, Any]) -> tuple[str, ...]:
    """Say what a table's `attrs` tell about the holdout."""
    if HOLDOUT_LOOKS in attrs:
        looks = attrs[HOLDOUT_LOOKS]
        often = "once" if looks == 1 else f"{looks:,} times"
        return (f"Holdout viewed {often}: what was chosen after a look is no longer unseen.",)
    if LEFT_OUT in attrs:
        trials, tasks = attrs[LEFT_OUT]
        return (
            f"Left out: {trials:,} trial{'s' if trials != 1 else ''} of {tasks:,} holdout "
            f"task{'s' if tasks != 1 else ''}. store.holdout() shows them and counts the look.",
        )
    return ()
