"""Trials of quarantined tasks: recorded as skipped before a run starts, never carried out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from agenteval.engine.journal import JournalWriter
from agenteval.engine.rows import blank_row
from agenteval.engine.spec import TrialSpec
from agenteval.records import AttemptRow, TrialBlock, decide


def set_aside(
    todo: Sequence[TrialSpec], journal: JournalWriter, sandbox: str
) -> tuple[list[TrialSpec], list[AttemptRow]]:
    """Take the trials of quarantined tasks out of what is to be run.

    Each gets one record, however often the run is resumed. Being quarantined settles nothing: when
    the task's entry is gone, resume runs the trial.

    Returns
    -------
    todo, rows
        What is left to run, in order, and the records that were written.
    """
    last = {row.trial_id: row for row in journal.held.rows}
    outcome, now = decide(ended_by=None, skipped="quarantined"), datetime.now(UTC)
    left, rows = [], []
    for spec in todo:
        reason = spec.task.quarantined
        if reason is None:
            left.append(spec)
            continue
        before = last.get(spec.trial_id)
        if before is None or before.error_class != "quarantined":
            rows.append(blank_row(spec, outcome, reason, sandbox, now))
    if rows:
        journal.append_blocks([TrialBlock(row) for row in rows])
    return left, rows
