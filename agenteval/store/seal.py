"""Journals to parquet: written beside what is there, then made live by one rename."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pyarrow as pa

from agenteval.errors import StoreError
from agenteval.records import StoreFolder
from agenteval.store.database import BESIDE, live_rows, open_memory
from agenteval.store.journals import load_journal, read_rows
from agenteval.store.location import locate
from agenteval.store.parts import PartWriter, merge_parts
from agenteval.store.sealed import (
    SEALED_TABLES,
    ParquetManifest,
    Part,
    SealedRun,
    part_path,
    tail_hash,
)
from agenteval.store.snapshot import LiveRun, take_snapshot
from agenteval.store.views import newest_query, trials_query

_RUNS_AT_A_TIME = 64
_SMALL_PART_ROWS = 100_000
_SMALL_PARTS = 16


@dataclass(frozen=True)
class SealReport:
    """What a seal did.

    Attributes
    ----------
    run_ids
        Runs that were sealed; those already sealed and unchanged are not among them.
    parts
        Live parts afterwards.
    """

    run_ids: tuple[str, ...]
    parts: int


def seal(
    store_path: str | Path, run_ids: Iterable[str] | None = None, *, grace_s: float = 3600.0
) -> SealReport:
    """Write runs to parquet, so that reading them is fast; journals stay where they are.

    A crash at any moment leaves the store as it was before: readers follow the manifest, and it
    is replaced last. Sealing a run that goes on is harmless: it is read from its journal again.

    Parameters
    ----------
    store_path
        Store, or a folder that holds `.agenteval/store`.
    run_ids
        Runs to seal; all when None.
    grace_s
        Seconds for which files that are no longer live are kept, for readers that began before.

    Raises
    ------
    StoreError
        When a run is not in the store, or the store cannot be written.
    """
    folder = StoreFolder(locate(store_path))
    with _one_at_a_time(folder):
        snapshot = take_snapshot(folder)
        wanted = set(snapshot.run_ids if run_ids is None else run_ids)
        unknown = sorted(wanted - set(snapshot.run_ids))
        if unknown:
            raise StoreError(
                f"The store has no run {unknown[0]}",
                str(folder.path),
                "list the runs with `agenteval status`",
            )
        targets = [run for run in snapshot.live if run.run_id in wanted]
        manifest = _tidied(
            snapshot.manifest, folder, {run.run_id for run in targets}, set(snapshot.run_ids)
        )
        if targets:
            manifest = ParquetManifest(parts=(*manifest.parts, _write_part(folder, targets)))
        manifest = _compacted(folder, manifest)
        if manifest != snapshot.manifest:
            manifest.write(folder)
        _sweep(folder, snapshot.manifest, manifest, grace_s)
    return SealReport(tuple(run.run_id for run in targets), len(manifest.parts))


@contextmanager
def _one_at_a_time(folder: StoreFolder) -> Iterator[None]:
    """Let sealers wait for each other; readers never look at this lock."""
    try:
        folder.parquet.mkdir(exist_ok=True)
        with (folder.parquet / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise StoreError(
            "The store cannot be sealed",
            f"{folder.path}: {error}",
            "make the folder writable and leave room on the disk; nothing was lost",
        ) from error


def _tidied(
    manifest: ParquetManifest, folder: StoreFolder, resealed: set[str], present: set[str]
) -> ParquetManifest:
    """Stop reading runs that are sealed anew or gone, and parts without files or runs."""
    parts = []
    for part in manifest.parts:
        kept = part.without(resealed | (set(part.runs) - present))
        if kept.runs and not kept.damaged(folder):
            parts.append(kept)
    return ParquetManifest(parts=tuple(parts))


def _write_part(folder: StoreFolder, targets: Sequence[LiveRun]) -> Part:
    sealed: dict[str, SealedRun] = {}
    with PartWriter(folder, f"part-{uuid4().hex[:12]}") as writer:
        for start in range(0, len(targets), _RUNS_AT_A_TIME):
            sealed |= _write_runs(writer, targets[start : start + _RUNS_AT_A_TIME])
    return writer.part(sealed)


def _write_runs(writer: PartWriter, runs: Sequence[LiveRun]) -> dict[str, SealedRun]:
    journals = [load_journal(run.run_id, run.folder.journal) for run in runs]
    rows = read_rows(journals)
    for table, values in live_rows([run.manifest for run in runs]).items():
        writer.add(table, values)
    writer.add("attempts", rows.attempts)
    writer.add("checks", rows.checks)
    folders, chosen = {run.run_id: run.folder for run in runs}, _chosen(rows.attempts)
    for table, lines in BESIDE.items():
        for values in lines.read(folders, chosen):
            writer.add(table, values)
    return {
        run.run_id: SealedRun(
            run_json=run.mark.run_json,
            journal_bytes=len(journal.data),
            journal_tail=tail_hash(journal.data),
            reasons=rows.reasons.get(run.run_id, ()),
        )
        for run, journal in zip(runs, journals, strict=True)
    }


def _chosen(attempts: pa.Table) -> list[tuple[str, str, int]]:
    with open_memory() as connection:
        connection.register("attempts", attempts)
        connection.execute(f"create view newest as {newest_query('attempts', 'attempts')}")
        return connection.execute(trials_query("newest", narrow=True)).fetchall()


def _compacted(folder: StoreFolder, manifest: ParquetManifest) -> ParquetManifest:
    small = [part for part in manifest.parts if part.rows.get("attempts", 0) < _SMALL_PART_ROWS]
    if len(small) < _SMALL_PARTS:
        return manifest
    merged = merge_parts(folder, small, f"part-{uuid4().hex[:12]}")
    return ParquetManifest(parts=(*(part for part in manifest.parts if part not in small), merged))


def _sweep(
    folder: StoreFolder, before: ParquetManifest, after: ParquetManifest, grace_s: float
) -> None:
    """Remove files that have not been live for a while; their age counts from now if they just were."""
    live = {part.name for part in after.parts}
    for name in {part.name for part in before.parts} - live:
        for table in SEALED_TABLES:
            if (path := part_path(folder, table, name)).exists():
                os.utime(path)
    for table in SEALED_TABLES:
        for path in (folder.parquet / table).glob("*"):
            if path.stem not in live and time.time() - path.stat().st_mtime >= grace_s:
                path.unlink(missing_ok=True)
