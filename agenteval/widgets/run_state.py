"""How a run stands, read from its journal: also while another process writes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

import pandas as pd

from agenteval.comparison import Scoreboard, scoreboard
from agenteval.errors import NotEnoughData
from agenteval.records import RunFolder, is_held, read_manifest
from agenteval.store import Store

Phase = Literal["running", "complete", "stopped"]
_SKIPPED_AGAIN = ("requires_missing", "task_skipped", "quarantined")
_MOST_ERRORS = 5


@dataclass(frozen=True, kw_only=True)
class RunState:
    """One look at a run.

    Attributes
    ----------
    run_id
        The run.
    phase
        `running` while somebody writes it; else `complete`, or `stopped` before it was.
    planned, done
        Trials in all, and those that are settled.
    concurrency
        Trials at one time at most; None when it is not known.
    outcomes
        Settled and other trials by status.
    spent_usd
        What they cost as far as it is known; None when no cost is.
    budget_usd
        Budget of the run; None without one.
    eta_s
        Seconds left at the pace so far; None when it cannot be told or nothing is left.
    board
        Pass rates of the arms so far; None before a trial counts.
    errors
        The last errors, newest first: `task_id, arm, repeat, error_class, error_message`.
    """

    run_id: str
    phase: Phase
    planned: int
    done: int
    concurrency: int | None
    outcomes: dict[str, int]
    spent_usd: float | None
    budget_usd: float | None
    eta_s: float | None
    board: Scoreboard | None = field(repr=False)
    errors: pd.DataFrame = field(repr=False)


def look_at(store: Store, run_id: str, *, written: bool) -> RunState:
    """Look at a run.

    Parameters
    ----------
    store
        The store it lies in.
    run_id
        The run.
    written
        Whether a process is writing it now.

    Raises
    ------
    StoreError
        When it is not there.
    """
    manifest = read_manifest(RunFolder(store.run_folder(run_id)).manifest)
    trials = store.trials(run=run_id)
    settled = [
        is_held(status, None if pd.isna(reason) else reason) or reason in _SKIPPED_AGAIN
        for status, reason in zip(trials["status"], trials["error_class"], strict=True)
    ]
    planned = manifest.run.planned_trials or len(trials)
    done = min(sum(settled), planned)
    costs = trials["all_attempts_cost_usd"].dropna()
    concurrency = manifest.run.concurrency
    return RunState(
        run_id=run_id,
        phase="running" if written else "complete" if done >= planned else "stopped",
        planned=planned,
        done=done,
        concurrency=concurrency,
        outcomes={str(name): int(n) for name, n in trials["status"].value_counts().items()},
        spent_usd=float(costs.sum()) if len(costs) else None,
        budget_usd=manifest.budget.get("max_cost_usd"),
        eta_s=_eta(trials, planned - done, concurrency) if written else None,
        board=_board(trials),
        errors=_errors(trials),
    )


def as_clock(seconds: float) -> str:
    """Write a time to wait.

    >>> as_clock(3725.4)
    '1:02:05'
    """
    return str(timedelta(seconds=round(seconds)))


def _eta(trials: pd.DataFrame, left: int, concurrency: int | None) -> float | None:
    took = trials["duration_s"].dropna()
    if not left or took.empty:
        return None
    return float(took.mean()) * left / max(1, min(concurrency or 1, left))


def _board(trials: pd.DataFrame) -> Scoreboard | None:
    if not trials["passed"].notna().any():
        return None
    try:
        return scoreboard(trials)
    except NotEnoughData:  # only holdout tasks: not looked at in passing
        return None


def _errors(trials: pd.DataFrame) -> pd.DataFrame:
    failed = trials[trials["status"] == "error"].sort_values("started_at", ascending=False)
    names = ["task_id", "arm", "repeat", "error_class", "error_message"]
    found: Any = failed[names].head(_MOST_ERRORS)
    return found.reset_index(drop=True)
