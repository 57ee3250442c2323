"""One trial in a report: which one, its steps, and the other tries at its task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from agenteval.comparison import timeline
from agenteval.comparison.wording import UNKNOWN, dollars, known, seconds
from agenteval.errors import NotEnoughData
from agenteval.reports.prose import Prose, code
from agenteval.reports.section import Section

if TYPE_CHECKING:
    from agenteval.store import Store, TrialView


def failure_of(store: Store, trial: str = "") -> TrialView:
    """Return a trial by its id, or the newest run's first failure.

    Of the failures that one is taken whose agent changed most, since it tells most.

    Raises
    ------
    NotEnoughData
        When no trial is named and the newest run has none.
    """
    if trial:
        return store.trial(trial)
    trials = store.trials(run=store.newest_run())
    if trials.empty:
        raise NotEnoughData("the newest run has no trial yet", "parameter trial", "name a trial")
    failed = trials["passed"].eq(other=False).fillna(value=False).astype(bool)
    order = trials.assign(failed=failed, size=trials["files_changed"].fillna(-1))
    order = order.sort_values(["failed", "size"], ascending=False, kind="stable")
    return store.trial(str(order["trial_id"].iloc[0]))


def trial_headline(trial: TrialView) -> Prose:
    """Name a trial and say what came of it."""
    row = trial.row
    lead = f"{code(row['task_id'])} by {code(row['arm'])}, repeat {row['repeat']}: {trial.outcome}"
    facts = f"Trial {code(trial.id)} of run {code(row['run_id'])}"
    taken = [seconds(row["duration_s"])] if known(row["duration_s"]) else []
    taken += [dollars(row["cost_usd"])] if known(row["cost_usd"]) else []
    return Prose((f"{lead.rstrip('.')}.", f"{', '.join([facts, *taken])}."), style="headline")


def steps_of(trial: TrialView) -> tuple[Any, ...]:
    """Return the steps of a trial, drawn and listed; a sentence where it kept none."""
    if trial.events.empty:
        return (Prose(("The agent left no steps.",)),)
    found = timeline(trial)
    return (found.plot(), found)


def tries_of(store: Store, trial: TrialView) -> Section:
    """List the other trials of the same task in the same run.

    Returns
    -------
    Section
        `.table` are their rows of the trial table.
    """
    row = trial.row
    found = store.trials(run=row["run_id"], suite=row["suite"], task=row["task_id"])
    others = found[found["trial_id"] != trial.id].reset_index(drop=True)
    rows = [
        [
            str(other["arm"]), str(other["repeat"]), _outcome(other), seconds(other["agent_s"]),
            dollars(other["cost_usd"]), code(other["trial_id"]),
        ]
        for other in others.to_dict("records")
    ]  # fmt: skip
    return Section(
        table=others,
        title="Other tries at this task",
        heads=["arm", "repeat", "outcome", "agent time", "cost", "trial"],
        rows=rows,
        empty="This task was tried once only.",
    )


def _outcome(row: dict[str, Any]) -> str:
    if pd.isna(row["status"]):
        return UNKNOWN
    return str(row["status"]) + (f" ({row['error_class']})" if known(row["error_class"]) else "")
