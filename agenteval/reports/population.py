"""Which trials a report is about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from agenteval.comparison.holdout import without_holdout
from agenteval.records import HOLDOUT

if TYPE_CHECKING:
    from agenteval.store import Store


def trials_of(store: Store, run: str | Sequence[str]) -> pd.DataFrame:
    """Trials of a run as a report shows them: all tables of a page have the same ones.

    Trials of holdout tasks are left out, and said to be. A run of nothing else was made to look at
    the holdout: its trials are shown, and the look is counted.

    Parameters
    ----------
    store
        The opened store.
    run
        Id of the run, or of several.
    """
    frame = store.trials(run=run)
    held = (frame["split"] == HOLDOUT).to_numpy(bool, na_value=False)
    if len(frame) and held.all():
        return store.holdout(run=run)
    return without_holdout(frame)


def runs_in(store: Store, trials: pd.DataFrame) -> list[str]:
    """Ids of the runs that a trial table holds, oldest first.

    Parameters
    ----------
    store
        The opened store.
    trials
        A trial table of it, in any order.
    """
    there = set(trials["run_id"].tolist())
    return [str(run) for run in store.runs()["run_id"] if run in there]
