"""Asking a store: a fresh look each time, and a second one when files moved meanwhile."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import duckdb
import pandas as pd
import pyarrow as pa

from agenteval.errors import InvalidInput, StoreError
from agenteval.records import RunFolder, StoreFolder
from agenteval.store.database import connect_snapshot
from agenteval.store.exclusions import Exclusions, read_exclusions
from agenteval.store.filters import Where
from agenteval.store.frames import query_frame
from agenteval.store.snapshot import Snapshot, take_snapshot

T = TypeVar("T")
Added = Callable[[duckdb.DuckDBPyConnection, dict[str, RunFolder], StoreFolder], None]
_KEPT = 3
_ADDED = ("judgments", "labels")  # read only for queries that may name them
_TABLES = "runs, tasks, arms, trials, attempts, checks, events, requests, judgments, labels"


class Reader:
    """Looks at one store's files each time, and keeps what it parsed while they do not change.

    Parameters
    ----------
    added
        Makes the views `judgments` and `labels` in a connection, for those who write their own SQL.
    """

    def __init__(self, folder: StoreFolder, added: Added) -> None:
        self._folder = folder
        self._added = added
        self._lock = threading.RLock()
        self._kept: dict[Hashable, duckdb.DuckDBPyConnection] = {}

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a connection that the caller may do anything with, and closes."""

        def opened() -> duckdb.DuckDBPyConnection:
            snapshot = self.snapshot()
            connection = connect_snapshot(snapshot, self.exclusions())[0]
            self._added(connection, snapshot.folders, self._folder)
            return connection

        return self._retried(opened)

    def ask(
        self,
        work: Callable[[duckdb.DuckDBPyConnection], T],
        *,
        runs: Sequence[str] | None = None,
        journals: bool = True,
    ) -> T:
        """Give `work` a connection, one thread at a time; it has to leave it as it was."""
        with self._lock:
            try:
                return self._retried(lambda: work(self._connection(runs, journals=journals)))
            except BaseException:
                self._kept.clear()  # an interrupt may have left a query unfinished
                raise

    def rows(
        self,
        query: str,
        where: Where,
        *,
        runs: Sequence[str] | None = None,
        keys: pa.Table | None = None,
        journals: bool = True,
    ) -> pa.Table:
        """Run one query of the package's own; `keys` can be read in it as the table `wanted`."""

        def read(connection: duckdb.DuckDBPyConnection) -> pa.Table:
            if keys is None:
                return connection.sql(query, params=where.values).to_arrow_table()
            connection.register("wanted", keys)
            try:
                return connection.sql(query, params=where.values).to_arrow_table()
            finally:
                connection.unregister("wanted")

        return self.ask(read, runs=runs, journals=journals)

    def query(self, query: str, values: dict[str, object] | list[object] | None) -> pd.DataFrame:
        """Run a query of the user's.

        Raises
        ------
        StoreError
            With DuckDB's own message.
        """

        def read() -> pd.DataFrame:
            snapshot = self.snapshot()
            with connect_snapshot(snapshot, self.exclusions())[0] as connection:
                if any(table in query.casefold() for table in _ADDED):
                    self._added(connection, snapshot.folders, self._folder)
                return _user_query(connection, query, values)

        return self._retried(read)

    def exclusions(self) -> Exclusions:
        """Look at what is voided or quarantined now."""
        return read_exclusions(self._folder)

    def snapshot(self, runs: Sequence[str] | None = None) -> Snapshot:
        """Look at the store, or at some of its runs.

        Raises
        ------
        StoreError
            When a run is not there.
        """
        snapshot = take_snapshot(self._folder)
        if runs is None:
            return snapshot
        for run_id in runs:
            if run_id not in snapshot.folders:
                near = difflib.get_close_matches(run_id, snapshot.run_ids, n=3, cutoff=0.4)
                fix = (
                    f"use one of {', '.join(near)}"
                    if near
                    else "list the runs with `agenteval status`"
                )
                raise StoreError(f"The store has no run {run_id!r}", str(self._folder.path), fix)
        return snapshot.only(set(runs))

    def _connection(
        self, runs: Sequence[str] | None, *, journals: bool
    ) -> duckdb.DuckDBPyConnection:
        snapshot, exclusions = self.snapshot(runs), self.exclusions()
        key = (snapshot.fingerprint, exclusions, journals or not snapshot.live)
        connection = self._kept.pop(key, None)
        if connection is None:
            connection = connect_snapshot(snapshot, exclusions, journals=journals)[0]
        self._kept[key] = connection
        while len(self._kept) > _KEPT:
            self._kept.pop(next(iter(self._kept))).close()
        return connection

    def _retried(self, once: Callable[[], T]) -> T:
        """Do it again when a part was compacted away after its manifest was read."""
        try:
            return once()
        except duckdb.IOException:
            self._kept.clear()
        except duckdb.Error as error:
            raise self._unreadable(error) from error
        try:
            return once()
        except duckdb.Error as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: duckdb.Error) -> StoreError:
        return StoreError(
            "A file cannot be read",
            f"{self._folder.path}: {str(error).strip()}",
            "if it lies below parquet, delete that folder and seal again: the journals hold everything",
        )


def _user_query(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    values: dict[str, object] | list[object] | None,
) -> pd.DataFrame:
    try:
        relation = connection.sql(query, params=values)
        return pd.DataFrame() if relation is None else query_frame(relation.to_arrow_table())
    except duckdb.IOException:
        raise
    except duckdb.Error as error:
        raise StoreError(
            "The query cannot be run",
            str(error).strip(),
            f"check the SQL; the tables are {_TABLES}",
        ) from error


def trial_keys(trials: pd.DataFrame) -> pa.Table:
    """Run and trial ids of a trial table.

    Raises
    ------
    InvalidInput
        When the table has no such columns.
    """
    missing = {"run_id", "trial_id"} - set(trials.columns)
    if missing:
        raise InvalidInput(
            f"The table has no column {min(missing)}",
            "trials",
            "pass a table that `Store.trials` made, whole columns or filtered rows",
        )
    return pa.table(
        {name: pa.array(trials[name].tolist(), pa.string()) for name in ("run_id", "trial_id")}
    )
