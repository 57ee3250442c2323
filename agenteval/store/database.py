"""A DuckDB connection over one snapshot; nothing is locked and nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import duckdb
import pyarrow as pa
from pydantic import BaseModel

from agenteval.records import RunManifest, column_names
from agenteval.store.events import EVENT_LINES
from agenteval.store.exclusions import Exclusions, exclude
from agenteval.store.frames import arrow_schema
from agenteval.store.journals import load_journal, read_rows
from agenteval.store.lines import LineStream
from agenteval.store.requests import REQUEST_LINES
from agenteval.store.sealed import SEALED_TABLES
from agenteval.store.snapshot import Problem, Snapshot
from agenteval.store.views import (
    MACROS,
    PartFile,
    newest_query,
    source_query,
    trials_query,
    typed_columns,
)

GRADED = ("attempts", "checks")
BESIDE = {"events": EVENT_LINES, "requests": REQUEST_LINES}
NOTHING = Exclusions()
_OFFLINE = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}


def open_memory() -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory that never asks the network for an extension."""
    connection = duckdb.connect(":memory:", config=dict(_OFFLINE))
    connection.execute("set TimeZone = 'UTC'")
    return connection


def connect_snapshot(
    snapshot: Snapshot, exclusions: Exclusions = NOTHING, *, journals: bool = True
) -> tuple[duckdb.DuckDBPyConnection, list[Problem]]:
    """Make views `runs, tasks, arms, trials, attempts, checks, events, requests` of a snapshot.

    `attempts` and `checks` hold the newest grading of each attempt; the tables of the same names
    in the schema `sources` hold all of them.

    Parameters
    ----------
    exclusions
        What people voided or quarantined: skipped in `trials`, unchanged in `attempts`.
    journals
        False leaves out attempts and checks that are not sealed, for queries that need none.

    Returns
    -------
    connection, problems
        The problems are those of the snapshot and those met in the journals.
    """
    connection = open_memory()
    connection.execute("create schema sources")
    problems = list(snapshot.problems)
    for table, rows in _live_tables(snapshot, problems, journals=journals).items():
        connection.execute(f"create table sources.live_{table} ({', '.join(typed_columns(table))})")
        if rows.num_rows:
            connection.register("incoming", rows)
            connection.execute(f"insert into sources.live_{table} by name select * from incoming")
            connection.unregister("incoming")
    _create_live_lines(connection, snapshot)
    for table in SEALED_TABLES:
        connection.execute(
            f"create view sources.{table} as {source_query(table, _part_files(snapshot, table))}"
        )
    for table in GRADED:
        query = newest_query(f"sources.{table}", "sources.attempts")
        connection.execute(f"create view sources.newest_{table} as {query}")
    connection.execute(
        f"create view sources.recorded_trials as {trials_query('sources.newest_attempts')}"
    )
    connection.execute(
        f"create view sources.trials as {exclude(connection, 'sources.recorded_trials', exclusions)}"
    )
    for table in (*SEALED_TABLES, "trials"):
        source = f"sources.newest_{table}" if table in GRADED else f"sources.{table}"
        connection.execute(
            f"create view {table} as select {', '.join(column_names(table))} from {source}"
        )
    for macro in MACROS:
        connection.execute(macro)
    return connection, problems


def live_rows(manifests: Sequence[RunManifest]) -> dict[str, pa.Table]:
    """Rows of `runs`, `tasks` and `arms`, from what each run.json holds."""
    return {
        "runs": _rows("runs", (m.run for m in manifests)),
        "tasks": _rows("tasks", (task for m in manifests for task in m.tasks)),
        "arms": _rows("arms", (arm for m in manifests for arm in m.arms)),
    }


def _live_tables(
    snapshot: Snapshot, problems: list[Problem], *, journals: bool
) -> dict[str, pa.Table]:
    tables = live_rows([run.manifest for run in snapshot.live])
    rows = read_rows(
        load_journal(run.run_id, run.folder.journal) for run in (snapshot.live if journals else ())
    )
    for run_id, reasons in rows.reasons.items():
        path = snapshot.folders[run_id].journal.relative_to(snapshot.folder.path).as_posix()
        problems.extend(Problem(path, reason) for reason in reasons)
    return tables | {"attempts": rows.attempts, "checks": rows.checks}


def _rows(table: str, rows: Iterable[BaseModel]) -> pa.Table:
    return pa.Table.from_pylist([row.model_dump() for row in rows], schema=arrow_schema(table))


def _create_live_lines(connection: duckdb.DuckDBPyConnection, snapshot: Snapshot) -> None:
    newest = newest_query("sources.live_attempts", "sources.live_attempts")
    connection.execute(f"create view sources.newest_live_attempts as {newest}")
    query = trials_query("sources.newest_live_attempts", narrow=True)
    chosen = connection.execute(query).fetchall()
    for table, lines in BESIDE.items():
        connection.register(f"live_{table}", LineStream(lines, snapshot.folders, chosen))
        connection.execute(f"create view sources.live_{table} as select * from main.live_{table}")


def _part_files(snapshot: Snapshot, table: str) -> list[PartFile]:
    return [
        PartFile(str(files[table]), wanted, frozenset({*part.runs, *part.dropped}) - wanted)
        for part, wanted in snapshot.sealed
        if table in (files := part.files(snapshot.folder))
    ]
