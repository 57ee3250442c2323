"""A folder of runs, readable as one database, also while runs are written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import duckdb
import pandas as pd
import pyarrow as pa

from agenteval.errors import InvalidInput
from agenteval.records import StoreFolder, column_names
from agenteval.store.database import GRADED, connect_snapshot
from agenteval.store.display import store_html
from agenteval.store.filters import OneOrMore, Since, Where, as_list, since_time, statuses
from agenteval.store.frames import query_frame, table_frame
from agenteval.store.judgments import Opinions, register_opinions
from agenteval.store.location import locate
from agenteval.store.reading import Reader, trial_keys
from agenteval.store.remarks import Remarks
from agenteval.store.run import HasRuns
from agenteval.store.trial import TrialView, find_trial

Gradings = Literal["newest", "all"]
_ORDER = {
    "runs": "created_at, run_id",
    "tasks": "run_id, suite, task_id",
    "arms": "run_id, arm",
    "attempts": "run_id, position, grading",
    "checks": "run_id, trial_id, attempt, grading, seq",
    "events": "run_id, trial_id, seq",
    "requests": "run_id, trial_id, seq",
}


def open_store(path: str | Path | None = None) -> Store:
    """Open a store for reading.

    Parameters
    ----------
    path
        A store, or a folder that holds `.agenteval/store`; the nearest one, from the current
        folder upwards, when None.

    Raises
    ------
    StoreError
        When there is none.
    """
    return Store(locate(path))


class Store(Remarks, Opinions, HasRuns):
    """Runs in a folder. Every call looks at the files anew; nothing is locked or written.

    All tables have the columns, dtypes and units of `agenteval.records.columns`, whether they
    are empty, hold only NULLs, or are full. NULL is unknown, never 0.

    Parameters
    ----------
    path
        The store's folder; `open_store` finds it.
    """

    def __init__(self, path: Path) -> None:
        self._folder = StoreFolder(path)
        self._reader = Reader(self._folder, register_opinions)

    @property
    def path(self) -> Path:
        """Where the store is."""
        return self._folder.path

    def trials(
        self,
        *,
        run: OneOrMore = None,
        suite: OneOrMore = None,
        arm: OneOrMore = None,
        task: OneOrMore = None,
        status: OneOrMore = None,
        since: Since = None,
    ) -> pd.DataFrame:
        """One row a trial: the attempt that settled it, else its last, with its newest grading.

        What people voided or quarantined is skipped here, with the reason; `attempts` keeps what
        came out.

        Parameters
        ----------
        run, suite, arm, task, status
            One value or several; all when None.
        since
            `30d`, `12h`, a date or a datetime; compared with the trial's start, or with the
            run's where a trial has none.

        Raises
        ------
        StoreError
            When a run is not in the store.
        InvalidInput
            When a status or time means nothing.
        """
        where = Where()
        runs = None if run is None else as_list(run)
        values = (
            ("run_id", runs),
            ("suite", suite),
            ("arm", arm),
            ("task_id", task),
            ("status", statuses(status)),
        )
        for column, wanted in values:
            where.among(f"t.{column}", wanted)
        joined = ""
        if since is not None:
            joined = "left join runs r on r.run_id = t.run_id"
            where.at_least("coalesce(t.started_at, r.created_at)", since_time(since))
        selected = ", ".join(f"t.{name}" for name in column_names("trials"))
        query = f"select {selected} from sources.trials t {joined} {where.sql} order by t.run_id, t.position"
        return table_frame(self._reader.rows(query, where, runs=runs), "trials")

    def runs(self) -> pd.DataFrame:
        """One row a run, oldest first."""
        return self._table("runs", None, None, journals=False)

    def tasks(self, *, run: OneOrMore = None) -> pd.DataFrame:
        """One row a task and run."""
        return self._table("tasks", None, run, journals=False)

    def arms(self, *, run: OneOrMore = None) -> pd.DataFrame:
        """One row an arm and run."""
        return self._table("arms", None, run, journals=False)

    def attempts(
        self,
        trials: pd.DataFrame | None = None,
        *,
        run: OneOrMore = None,
        gradings: Gradings = "newest",
    ) -> pd.DataFrame:
        """One row a try of a trial, with its own outcome whether it was voided or not.

        Parameters
        ----------
        trials
            Keeps those of a trial table.
        run
            One run or several; all when None.
        gradings
            `newest` gives one row an attempt; `all` one row a grading of it, oldest first.
        """
        return self._table("attempts", trials, run, gradings=gradings)

    def checks(
        self,
        trials: pd.DataFrame | None = None,
        *,
        run: OneOrMore = None,
        gradings: Gradings = "newest",
    ) -> pd.DataFrame:
        """One row a graded fact; parameters as in `attempts`."""
        return self._table("checks", trials, run, gradings=gradings)

    def events(self, trials: pd.DataFrame | None = None, *, run: OneOrMore = None) -> pd.DataFrame:
        """One row a step of a trial; `trials` keeps those of a trial table."""
        return self._table("events", trials, run)

    def requests(
        self, trials: pd.DataFrame | None = None, *, run: OneOrMore = None
    ) -> pd.DataFrame:
        """One row a request to a model that the gateway saw; parameters as in `events`."""
        return self._table("requests", trials, run)

    def trial(self, trial_id: str, *, run: str | None = None) -> TrialView:
        """Look inside one trial.

        Parameters
        ----------
        trial_id
            Its id, or a beginning of it that no other trial shares.
        run
            Id of the run that it is looked for in, where that is known: found sooner in a large store.

        Raises
        ------
        StoreError
            When no trial or several have it; names the nearest ids.
        """
        runs = None if run is None else [run]
        row = self._reader.ask(lambda asked: find_trial(asked, trial_id, self.path), runs=runs)
        return TrialView(self, row)

    @property
    def problems(self) -> pd.DataFrame:
        """What cannot be read: `path` below the store, and `reason`. It affects nothing else."""
        connection, problems = connect_snapshot(self._reader.snapshot(), self._reader.exclusions())
        connection.close()
        rows = {"path": [p.path for p in problems], "reason": [p.reason for p in problems]}
        return query_frame(
            pa.table(rows, schema=pa.schema([("path", pa.string()), ("reason", pa.string())]))
        )

    def sql(
        self, query: str, params: Mapping[str, object] | Sequence[object] | None = None
    ) -> pd.DataFrame:
        """Run a query over all tables: `runs`, `tasks`, `arms`, `trials`, and what lies below them.

        Parameters
        ----------
        query
            DuckDB SQL over `runs, tasks, arms, trials, attempts, checks, events, requests,
            judgments, labels`; the macros `wilson_low(passes, n)` and `wilson_high(passes, n)` give the
            ends of the 95 % Wilson interval. `sources.attempts` and `sources.checks` hold the
            older gradings too.
        params
            Values for `$name` (a mapping) or `?` (a sequence). They are bound, never pasted.

        Raises
        ------
        StoreError
            With DuckDB's message, when the query cannot be run.
        """
        values = (
            dict(params)
            if isinstance(params, Mapping)
            else None
            if params is None
            else list(params)
        )
        return self._reader.query(query, values)

    def connect(self) -> duckdb.DuckDBPyConnection:
        """Open a DuckDB connection in memory with the views and macros of `sql`.

        It shows the store at this moment; connect again to see what was written since. For
        several threads open one each.
        """
        return self._reader.connect()

    def run_folder(self, run_id: str) -> Path:
        """Where a run lies, whatever its folder is called.

        Raises
        ------
        StoreError
            When the run is not in the store.
        """
        return self._reader.snapshot([run_id]).folders[run_id].path

    def __reduce__(self) -> tuple[type[Store], tuple[Path]]:
        return Store, (self.path,)

    def __repr__(self) -> str:
        counts = self.sql(
            """select (select count(*) from runs) runs, (select count(*) from trials) trials,
                      (select count(distinct arm_digest) from arms) arms"""
        )
        runs, trials, arms = counts.iloc[0]
        return f"<Store {self.path}: {runs} runs, {trials} trials, {arms} arms>"

    def _repr_html_(self) -> str:
        return store_html(self)

    def _table(
        self,
        table: str,
        trials: pd.DataFrame | None,
        run: OneOrMore,
        *,
        journals: bool = True,
        gradings: Gradings = "newest",
    ) -> pd.DataFrame:
        if gradings not in ("newest", "all"):
            raise InvalidInput(
                f"There are no gradings {gradings!r}", "gradings", "use newest or all"
            )
        source = f"newest_{table}" if table in GRADED and gradings == "newest" else table
        runs = None if run is None else as_list(run)
        where = Where()
        where.among("run_id", runs)
        keys = None if trials is None else trial_keys(trials)
        if keys is not None:
            where.clauses.append("(run_id, trial_id) in (select (run_id, trial_id) from wanted)")
            runs = keys["run_id"].unique().to_pylist() if runs is None else runs
        query = f"select {', '.join(column_names(table))} from sources.{source} {where.sql} order by {_ORDER[table]}"
        return table_frame(
            self._reader.rows(query, where, runs=runs, keys=keys, journals=journals), table
        )
