"""Leaving a trial, a run or a task out of every rate, and taking that back."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from agenteval.errors import InvalidInput, RecordError, StoreError
from agenteval.records import StoreFolder, Void, read_standings
from agenteval.store.exclusions import read_voids, voids_in_force
from agenteval.store.ledger import append_line, held_ledger
from agenteval.store.location import locate
from agenteval.store.remarks import read_ledger
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


def take_over_voids(store_path: Path, run_id: str, parts: Sequence[Path]) -> list[Void]:
    """Say in a store what stores that hold parts of a run say of its trials; returns what is new.

    A part that is voided whole becomes its trials: the others are no part of it. What the store
    itself says of a trial later on, also that a void is taken back, holds.

    Parameters
    ----------
    store_path
        Store that holds the run.
    parts
        Stores that hold a part of it.

    Raises
    ------
    StoreError
        When a line cannot be read, or nothing can be written.
    """
    folder, new = StoreFolder(store_path), []
    told = [void for part in parts for void in _told_of(StoreFolder(part), run_id)]
    if not told:
        return []
    with held_ledger(folder.voids, "void") as file:
        last = {void.target: void.at for void in read_ledger(folder.voids, Void)}
        for said in sorted(told, key=lambda void: void.at):
            if said.target not in last or last[said.target] < said.at:
                append_line(file, said.model_dump_json().encode())
                last[said.target] = said.at
                new.append(said)
    return new


def _told_of(part: StoreFolder, run_id: str) -> list[Void]:
    """Voids in force of single trials of a run."""
    own = [void for void in _in_force(part) if void.run_id == run_id]
    found = {void.trial_id: void for void in own if void.trial_id is not None}
    for whole in (void for void in own if void.trial_id is None):
        for row in read_standings(part.run(run_id).journal).rows:
            found.setdefault(row.trial_id, whole.model_copy(update={"trial_id": row.trial_id}))
    return list(found.values())


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
