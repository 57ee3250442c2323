"""parquet/manifest.json: which parts are live, and which runs each of them holds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agenteval.errors import RecordError
from agenteval.records import RunFolder, StoreFolder, replace_file

SEALED_TABLES = ("runs", "tasks", "arms", "attempts", "checks", "events", "requests")
MANIFEST_VERSION = 2
_TAIL_BYTES = 4096


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SealedRun(_Model):
    """What a seal covers of one run; when the files say otherwise, the seal is stale.

    Holds no path: a run's folder may be renamed or moved.
    """

    run_json: str = Field(description="Hash of run.json.")
    journal_bytes: int = Field(
        description="Length of the journal that was sealed, torn tail included."
    )
    journal_tail: str = Field(description="Hash of the journal's last bytes.")
    reasons: tuple[str, ...] = Field(
        default=(), description="What could not be read when it was sealed."
    )

    def covers(self, mark: Mark) -> bool:
        """Whether the run on disk is still what was sealed."""
        return (self.run_json, self.journal_bytes, self.journal_tail) == (
            mark.run_json,
            mark.journal_bytes,
            mark.journal_tail,
        )


class Part(_Model):
    """One file a table, all of one name."""

    name: str
    rows: dict[str, int] = Field(description="Rows by table; a table without rows has no file.")
    sizes: dict[str, int] = Field(description="Bytes by table, to notice a damaged file.")
    runs: dict[str, SealedRun]
    dropped: tuple[str, ...] = Field(
        default=(), description="Runs in the files that are to be read elsewhere."
    )

    def files(self, folder: StoreFolder) -> dict[str, Path]:
        """Path of each table's file."""
        return {table: part_path(folder, table, self.name) for table in self.rows}

    def damaged(self, folder: StoreFolder) -> list[Path]:
        """Files that are missing or were cut short."""
        return [
            path
            for table, path in self.files(folder).items()
            if not path.is_file() or path.stat().st_size != self.sizes.get(table)
        ]

    def without(self, run_ids: Iterable[str]) -> Part:
        """Return the same files with fewer runs to be read from them."""
        gone = sorted(set(run_ids) & set(self.runs))
        runs = {run_id: run for run_id, run in self.runs.items() if run_id not in gone}
        return self.model_copy(update={"runs": runs, "dropped": (*self.dropped, *gone)})


class ParquetManifest(_Model):
    """All live parts."""

    schema_version: int = MANIFEST_VERSION
    parts: tuple[Part, ...] = ()

    def write(self, folder: StoreFolder) -> None:
        """Replace the manifest atomically; from then on readers follow it."""
        replace_file(folder.parquet_manifest, self.model_dump_json(indent=1).encode() + b"\n")


@dataclass(frozen=True)
class Mark:
    """How far a run had got when it was looked at."""

    run_json: str
    journal_bytes: int
    journal_tail: str


def part_path(folder: StoreFolder, table: str, name: str) -> Path:
    """File of one table of one part."""
    return folder.parquet / table / f"{name}.parquet"


def read_parquet_manifest(folder: StoreFolder) -> ParquetManifest:
    """Read the manifest; a store that was never sealed has an empty one.

    Raises
    ------
    RecordError
        When it is damaged or newer; everything it names can still be read from the journals.
    """
    path = folder.parquet_manifest
    try:
        data = json.loads(path.read_bytes())
    except FileNotFoundError:
        return ParquetManifest()
    except (OSError, ValueError) as error:
        raise RecordError(
            "The manifest of sealed runs cannot be read",
            f"{path}: {error}",
            "run a seal again; journals are read until then",
        ) from error
    version = data.get("schema_version") if isinstance(data, dict) else None
    if version == 1:  # its parts lack a table, so it is as if nothing had been sealed
        return ParquetManifest()
    if version != MANIFEST_VERSION:
        raise RecordError(
            "The manifest of sealed runs is of another version",
            str(path),
            "install a newer agenteval; journals are read until then",
        )
    try:
        return ParquetManifest.model_validate(data)
    except ValidationError as error:
        raise RecordError(
            "The manifest of sealed runs is not valid",
            f"{path}: {error.errors()[0]['msg']}",
            "run a seal again; journals are read until then",
        ) from error


def take_mark(run: RunFolder) -> Mark:
    """Look at a run's files without parsing them.

    Raises
    ------
    OSError
        When run.json cannot be read.
    """
    run_json = _hash(run.manifest.read_bytes())
    try:
        with run.journal.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _TAIL_BYTES))
            return Mark(run_json, size, _hash(file.read(min(size, _TAIL_BYTES))))
    except FileNotFoundError:
        return Mark(run_json, 0, _hash(b""))


def tail_hash(journal: bytes) -> str:
    """Hash of a journal's last bytes, when it is in memory anyway."""
    return _hash(journal[-_TAIL_BYTES:])


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=12).hexdigest()
