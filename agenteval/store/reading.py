"""Asking a store: a fresh look each time, and a second one when files moved meanwhile."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import TypeVar

import duckdb
import pandas as pd
import pyarrow as pa

from agenteval.errors import InvalidInput, StoreError
from agenteval.records import StoreFolder
from agenteval.store.database import connect_snapshot
from agenteval.store.filters import Where
from agenteval.store.frames import query_frame
from agenteval.store.snapshot import Snapshot, take_snapshot

T = TypeVar("T")
_TABLES = "runs, tasks, arms, trials, attempts, checks, events"


class Reader:
    """Opens short-lived connections to one store."""

    def __init__(self, folder: StoreFolder) -> None:
        self._folder = folder

    def connect(
        self, runs: Sequence[str] | None = None, *, journals: bool = True
    ) -> duckdb.DuckDBPyConnection:
        """Open a connection to all runs or some of them; the caller closes it."""
        return self._retried(lambda: self._connect(runs, journals=journals))

    def ask(
        self,
        work: Callable[[duckdb.DuckDBPyConnection], T],
        *,
        runs: Sequence[str] | None = None,
        journals: bool = True,
    ) -> T:
        """Give `work` a connection and close it afterwards."""

        def once() -> T:
            with self._connect(runs, journals=journals) as connection:
                return work(connection)

        return self._retried(once)

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
            if keys is not None:
                connection.register("wanted", keys)
            return connection.sql(query, params=where.values).to_arrow_table()

        return self.ask(read, runs=runs, journals=journals)

    def query(self, query: str, values: dict[str, object] | list[object] | None) -> pd.DataFrame:
        """Run a query of the user's.

        Raises
        ------
        StoreError
            With DuckDB's own message.
        """

        def read(connection: duckdb.DuckDBPyConnection) -> pd.DataFrame:
            try:
                relation = connection.sql(query, params=values)
                return (
                    pd.DataFrame() if relation is None else query_frame(relation.to_arrow_table())
                )
            except duckdb.IOException:
                raise
            except duckdb.Error as error:
                raise StoreError(
                    "The query cannot be run",
                    str(error).strip(),
                    f"check the SQL; the tables are {_TABLES}",
                ) from error

        return self.ask(read)

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

    def _connect(self, runs: Sequence[str] | None, *, journals: bool) -> duckdb.DuckDBPyConnection:
        return connect_snapshot(self.snapshot(runs), journals=journals)[0]

    def _retried(self, once: Callable[[], T]) -> T:
        """Do it again when a part was compacted away after its manifest was read."""
        try:
            return once()
        except duckdb.IOException:
            pass
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
