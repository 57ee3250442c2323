"""Leaving a trial, a run or a task out of every rate, and taking that back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from agenteval.errors import InvalidInput, RecordError, StoreError
from agenteval.records import StoreFolder, Void
from agenteval.store.exclusions import read_voids, voids_in_force
from agenteval.store.ledger import append_line, held_ledger
from agenteval.store.location import locate
from agenteval.store.store import Store

_REASON = 'say why, as in --reason "the fixture server was down"'


def void(
    store_path: str | Path, target: str, *, reason: str | None = None, undo: bool = False
) -> Void:
    """Leave a run or a trial out of every rate, with a reason, or take that back.

    Nothing is removed: outcomes stay in `attempts`, costs stay in sums, artifacts stay on disk.
    Works while the run is written and after it was sealed.

    Parameters
    ----------
    store_path
        Store, or a folder that holds `.agenteval/store`.
    target
        Id of a run; else of a trial, or a beginning of it that no other trial shares.
    reason
        Why; needed unless `undo`.
    undo
        Take back what was said about exactly this run or trial before.

    Raises
    ------
    StoreError
        When there is no such run or trial.
    InvalidInput
        Without a reason; or when there is nothing to take back.
    """
    folder = StoreFolder(locate(store_path))
    if not undo and not (reason and reason.strip()):
        raise InvalidInput("Voiding needs a reason", f"{target}, --reason", _REASON)
    run_id, trial_id = _target(folder, target)
    with held_ledger(folder.voids, "void") as file:
        standing = {void.target: void for void in _in_force(folder)}.get((run_id, trial_id))
        if undo and standing is None:
            raise InvalidInput(
                "There is nothing to take back: it is not voided",
                target,
                "`agenteval status` counts what is voided; a trial of a voided run comes back with its run",
            )
        said = Void(
            at=datetime.now(UTC),
            run_id=run_id,
            trial_id=trial_id,
            reason=(reason or "").strip() or (standing.reason if standing else ""),
            undone=undo,
        )
        append_line(file, said.model_dump_json().encode())
    return said


def _target(folder: StoreFolder, target: str) -> tuple[str, str | None]:
    store = Store(folder.path)
    if (store.runs()["run_id"] == target).any():
        return target, None
    try:
        row = store.trial(target).row
    except StoreError as error:
        raise StoreError(
            f"The store has no run or trial {target!r}"
            if "has no trial" in error.what
            else error.what,
            error.where,
            f"{error.fix}; `agenteval list runs` shows the runs",
        ) from error
    return row["run_id"], row["trial_id"]


def _in_force(folder: StoreFolder) -> list[Void]:
    try:
        return voids_in_force(read_voids(folder))
    except RecordError as error:
        raise StoreError(error.what, error.where, error.fix) from error
