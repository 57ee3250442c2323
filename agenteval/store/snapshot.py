"""One look at a store: which runs are read from parquet and which from their journals."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from agenteval.errors import RecordError
from agenteval.records import RunFolder, RunManifest, StoreFolder, read_manifest
from agenteval.store.sealed import (
    Mark,
    ParquetManifest,
    Part,
    SealedRun,
    read_parquet_manifest,
    take_mark,
)


@dataclass(frozen=True)
class Problem:
    """Something in the store that cannot be read; the rest is not affected."""

    path: str
    reason: str


@dataclass(frozen=True)
class LiveRun:
    """A run that is read from its journal: never sealed, or changed since."""

    folder: RunFolder
    manifest: RunManifest
    mark: Mark

    @property
    def run_id(self) -> str:
        """Id of the run, whatever its folder is called."""
        return self.manifest.run.run_id


@dataclass(frozen=True)
class Snapshot:
    """A store at one moment; no run is in both `sealed` and `live`.

    The manifest is read before the journals are looked at, and sealing leaves journals where
    they are. So a run that is sealed in between is read from its journal: once, and whole.
    """

    folder: StoreFolder
    manifest: ParquetManifest
    sealed: tuple[tuple[Part, frozenset[str]], ...] = ()
    live: tuple[LiveRun, ...] = ()
    folders: dict[str, RunFolder] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Ids of all runs that can be read."""
        return tuple(self.folders)

    @property
    def fingerprint(self) -> Hashable:
        """Equal for two looks exactly when the same rows are read."""
        sealed = tuple((part.name, wanted) for part, wanted in self.sealed)
        return sealed, tuple((run.folder.path, run.mark) for run in self.live)

    def only(self, run_ids: Container[str]) -> Snapshot:
        """Return the same moment with fewer runs, so that less is read."""
        sealed = (
            (part, frozenset(r for r in wanted if r in run_ids)) for part, wanted in self.sealed
        )
        return replace(
            self,
            sealed=tuple((part, wanted) for part, wanted in sealed if wanted),
            live=tuple(run for run in self.live if run.run_id in run_ids),
            folders={
                run_id: folder for run_id, folder in self.folders.items() if run_id in run_ids
            },
        )


def take_snapshot(folder: StoreFolder) -> Snapshot:
    """Look at all run folders; what cannot be read becomes a problem and is left out."""
    problems: list[Problem] = []
    manifest = _parquet_manifest(folder, problems)
    parts = [part for part in manifest.parts if _is_complete(part, folder, problems)]
    sealed = {run_id: run for part in parts for run_id, run in part.runs.items()}
    ids = {run.run_json: run_id for run_id, run in sealed.items()}
    folders: dict[str, RunFolder] = {}
    live: list[LiveRun] = []
    for run in _run_folders(folder):
        try:
            run_id, changed = _look(run, sealed, ids)
        except FileNotFoundError:
            problems.append(Problem(_relative(run.path, folder), "holds no run.json"))
            continue
        except (OSError, RecordError) as error:
            problems.append(Problem(_relative(run.path, folder), str(error)))
            continue
        if run_id in folders:
            reason = f"holds run {run_id} again; the folder {folders[run_id].path.name} is used"
            problems.append(Problem(_relative(run.path, folder), reason))
            continue
        folders[run_id] = run
        if changed:
            live.append(changed)
        else:
            problems.extend(
                Problem(_relative(run.journal, folder), reason) for reason in sealed[run_id].reasons
            )
    from_journal = {run.run_id for run in live}
    wanted = ((part, frozenset(set(part.runs) & set(folders) - from_journal)) for part in parts)
    return Snapshot(
        folder,
        manifest,
        tuple((p, w) for p, w in wanted if w),
        tuple(live),
        folders,
        tuple(problems),
    )


def _look(
    run: RunFolder, sealed: dict[str, SealedRun], ids: dict[str, str]
) -> tuple[str, LiveRun | None]:
    """Name the run, and return it as live unless its seal still covers it."""
    mark = take_mark(run)
    run_id = ids.get(mark.run_json)
    if run_id is not None and sealed[run_id].covers(mark):
        return run_id, None
    manifest = read_manifest(run.manifest)
    return manifest.run.run_id, LiveRun(run, manifest, mark)


def _parquet_manifest(folder: StoreFolder, problems: list[Problem]) -> ParquetManifest:
    try:
        return read_parquet_manifest(folder)
    except RecordError as error:
        problems.append(Problem(_relative(folder.parquet_manifest, folder), str(error)))
        return ParquetManifest()


def _is_complete(part: Part, folder: StoreFolder, problems: list[Problem]) -> bool:
    damaged = part.damaged(folder)
    reason = "is missing or damaged; its runs are read from their journals"
    problems.extend(Problem(_relative(path, folder), reason) for path in damaged)
    return not damaged


def _run_folders(folder: StoreFolder) -> Iterator[RunFolder]:
    if folder.runs.is_dir():
        for path in sorted(folder.runs.iterdir()):
            if path.is_dir() and not path.name.startswith("."):
                yield RunFolder(path)


def _relative(path: Path, folder: StoreFolder) -> str:
    return path.relative_to(folder.path).as_posix()
