"""Putting the parts of a run together that were run on several machines (`--shard i/n`)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from agenteval.engine.journal import JournalWriter
from agenteval.engine.scratch import remove
from agenteval.errors import InvalidInput, RecordError
from agenteval.records import (
    Journal,
    RunFolder,
    RunManifest,
    StoreFolder,
    TrialBlock,
    encode_block,
    is_held,
    is_infrastructure,
    read_journal,
    read_manifest,
    sync_tree,
)

Key = tuple[str, int, int]


@dataclass(frozen=True)
class Merged:
    """What a merge did: attempts taken over, those that were there already, and the plan's size."""

    taken: int
    known: int
    settled: int
    planned: int


def merge_runs(run_id: str, target: Path, parts: Sequence[Path]) -> Merged:
    """Take all attempts of one run over from the stores `parts` into the store `target`.

    Nothing is written unless all parts fit together. Doing it again takes over only what is new.

    Raises
    ------
    InvalidInput
        When a part does not hold the run, was planned otherwise, or has another outcome for a
        trial than another part.
    RecordError
        When a part's journal is damaged or was written by a newer version.
    """
    folders = [StoreFolder(part).run(run_id) for part in parts]
    into = StoreFolder(target).run(run_id)
    everywhere = [*folders, into] if into.manifest.exists() else folders
    whole = _same_plan(everywhere)
    StoreFolder(target).create()
    with JournalWriter(into) as journal:
        merge = _Merge()
        for block in _every(read_journal(into.journal)):
            merge.add(block, into)
        known = len(merge.found)
        for folder in folders:
            for block in _blocks(folder):
                merge.add(block, folder)
        fresh = list(merge.found.values())[known:]
        for block, folder in fresh:
            _copy_artifacts(block, folder, into)
        if not into.manifest.exists():
            run = whole.run.model_copy(update={"command": _whole_command(whole.run.command)})
            whole.model_copy(update={"run": run}).write(into.manifest)
        journal.append_blocks([block for block, _ in fresh])
    return Merged(len(fresh), merge.known, len(merge.settled), whole.run.planned_trials)


class _Merge:
    """Blocks of all parts, each once, and which part settled which trial."""

    def __init__(self) -> None:
        self.found: dict[Key, tuple[TrialBlock, RunFolder]] = {}
        self.settled: dict[str, RunFolder] = {}
        self.known = 0

    def add(self, block: TrialBlock, folder: RunFolder) -> None:
        row = block.attempt
        key = row.trial_id, row.attempt, row.grading
        before = self.found.get(key)
        if before is not None and _bytes(before[0]) == _bytes(block):
            self.known += 1
            return
        counts = is_held(row.status, row.error_class) and not is_infrastructure(
            row.status, row.passed
        )
        # a regrading of an attempt that all have alike is no second run of its trial
        regraded = (row.trial_id, row.attempt, row.grading - 1) in self.found
        second = counts and not regraded
        other = before[1] if before else self.settled.get(row.trial_id) if second else None
        if before or (other is not None and other != folder):
            raise InvalidInput(
                f"Trial {row.trial_id} ({row.task_id}, {row.arm}, repeat {row.repeat}) has one record in {folder.path} and another in {(other or folder).path}",
                f"run {row.run_id}",
                "leave out the part that ran or graded it a second time; each shard is to be run once, and after a merge the whole run is regraded",
            )
        self.found[key] = block, folder
        if counts:
            self.settled[row.trial_id] = folder


def _manifest(folder: RunFolder) -> RunManifest:
    if not folder.manifest.exists():
        raise InvalidInput(
            f"There is no run {folder.path.name} in this store",
            str(folder.path),
            "name stores that hold a part of the run, and the run with --run",
        )
    return read_manifest(folder.manifest)


def _same_plan(folders: Sequence[RunFolder]) -> RunManifest:
    manifests = [_manifest(folder) for folder in folders]
    first = manifests[0]
    for manifest, folder in zip(manifests, folders, strict=True):
        if manifest.plan_digest != first.plan_digest:
            raise InvalidInput(
                f"These are no parts of one run: {folder.path} was planned otherwise than {folders[0].path}",
                f"run {first.run.run_id}",
                "make all parts with the same command, --shard aside, on the same tasks and agents",
            )
    return first


def _every(journal: Journal) -> list[TrialBlock]:
    return [*journal.superseded, *journal.blocks]


def _blocks(folder: RunFolder) -> list[TrialBlock]:
    journal = read_journal(folder.journal)
    if journal.newer_lines:
        raise RecordError(
            f"A newer agenteval wrote {len(journal.newer_lines)} lines of the journal of a part",
            f"{folder.journal}:{journal.newer_lines[0]}",
            "merge with that version",
        )
    if journal.bad_lines:
        raise RecordError(
            f"The journal of a part has lines that cannot be read ({len(journal.bad_lines)})",
            f"{folder.journal}:{journal.bad_lines[0]}",
            "remove these lines, resume that part, which runs again what they were of, and merge again",
        )
    return _every(journal)


def _copy_artifacts(block: TrialBlock, source: RunFolder, target: RunFolder) -> None:
    row = block.attempt
    folder = source.grading(row.trial_id, row.attempt, row.grading)
    copy = target.grading(row.trial_id, row.attempt, row.grading)
    remove(copy)
    if folder.is_dir():
        shutil.copytree(folder, copy, symlinks=True)
        sync_tree(copy)


def _bytes(block: TrialBlock) -> bytes:
    return encode_block(block.attempt, block.checks)


def _whole_command(command: str | None) -> str | None:
    """The command without its shard."""
    return None if command is None else re.sub(r" --shard[= ]\S+", "", command)
