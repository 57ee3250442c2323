"""Which arms compete, and which are there to show that the tasks are real tests."""

from __future__ import annotations

import re

import pandas as pd

_CONTROL = re.compile(r"scripted:(reference|noop)\b")


def contenders(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the trials without those of control arms; all of them when there is nothing else.

    `scripted:reference` replays the known solution and `scripted:noop` does nothing: they show
    that a task can be solved and cannot be passed by doing nothing, and compete with nobody.
    """
    kept = trials[[control_of(arm) is None for arm in trials["arm"]]]
    return trials if kept.empty else kept


def control_of(arm: object) -> str | None:
    """Return `reference` or `noop` for a control arm, None for any other."""
    found = _CONTROL.search(str(arm))
    return found[1] if found else None


def are_scripted(trials: pd.DataFrame) -> pd.Series:
    """Say of each trial whether its agent only plays a script (no model, no decisions)."""
    agent = trials["agent"] if "agent" in trials else pd.Series("", index=trials.index)
    return (agent == "scripted") | trials["arm"].astype("str").str.startswith("scripted:")
