"""The trials of a store at one moment, to look around in quickly: filter, count, list."""

from __future__ import annotations

import threading
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

import duckdb
import pandas as pd

from agenteval.errors import InvalidInput
from agenteval.store.filters import Where
from agenteval.store.frames import query_frame

if TYPE_CHECKING:
    from agenteval.store.store import Store

Tampering = Literal["any", "some", "none", "unknown"]
CHOICES = ("run_id", "suite", "category", "arm", "status", "ended_by")
GROUPS = ("task_id", *CHOICES, "error_class")
STATUSES = ("pass", "fail", "error", "skipped")
_NARROW = (
    "run_id", "trial_id", "suite", "category", "task_id", "arm", "repeat", "status", "ended_by",
    "error_class", "cost_usd", "agent_s", "tampering", "error_message", "stop_reason",
)  # fmt: skip
_SEARCHED = ("task_id", "arm", "error_class", "error_message", "stop_reason", "trial_id")
_TRIED_AGAIN = """select exists (
  select 1 from sources.attempts group by run_id, trial_id having count(*) > 1)"""
_RUN_ORDER = """create table run_order as
  select run_id, row_number() over (order by created_at desc, run_id) as place from runs"""
_SEARCH_STEPS = """insert into in_steps select distinct run_id, trial_id from events
  where contains(lower(text), $text) or contains(lower(command), $text)
    or contains(lower(path), $text) or contains(lower(tool), $text)"""
_TAMPERING = {
    "some": "len(tampering) > 0",
    "none": "len(tampering) = 0",
    "unknown": "tampering is null",
}


@dataclass(frozen=True, kw_only=True)
class TrialFilter:
    """Which trials are looked at; an empty choice leaves a column unfiltered.

    Attributes
    ----------
    run_id, suite, category, arm, status, ended_by, task_id, error_class
        Values to keep.
    tampering
        `some` was seen, `none` was seen, `unknown` (nothing could sense it), or `any` of these.
    text
        Part of a task's, arm's or trial's name, an error class, a message or a stop reason; capitals
        do not matter.
    in_steps
        Whether `text` is looked for in the steps of the trials too: what was said, done and printed.
    """

    run_id: tuple[str, ...] = ()
    suite: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    arm: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    ended_by: tuple[str, ...] = ()
    task_id: tuple[str, ...] = ()
    error_class: tuple[str, ...] = ()
    tampering: Tampering = "any"
    text: str = ""
    in_steps: bool = False


class TrialIndex:
    """The trials of a store as they were when it was made.

    Parameters
    ----------
    store
        The opened store.
    """

    def __init__(self, store: Store) -> None:
        self._store, self._searched, self._lock = store, "", threading.Lock()
        self._open()

    def _open(self) -> None:
        excluded = self._store._reader.exclusions()
        self._connection, self._searched = self._store.connect(), ""
        columns = ", ".join(_NARROW)
        # where nobody tried a trial again or left it out, attempts are the trials: files are read
        # as queries need them, in place of a copy of a million rows
        again = bool(excluded) or self._connection.execute(_TRIED_AGAIN).fetchall()[0][0]
        made, source = ("table", "trials") if again else ("view", "sources.attempts")
        self._connection.execute(f"create {made} narrow as select {columns} from {source}")
        self._connection.execute(_RUN_ORDER)
        self._connection.execute("create table in_steps (run_id varchar, trial_id varchar)")

    @property
    def size(self) -> int:
        """Trials in all."""
        return int(self._connection.execute("select count(*) from narrow").fetchall()[0][0])

    def choices(self, column: str) -> list[str]:
        """Values of a column, in order; unknown is none of them.

        Raises
        ------
        InvalidInput
            For a column that is not among `GROUPS`.
        """
        self._known(column)
        query = (
            f"select distinct {column} as name from narrow where {column} is not null order by 1"
        )
        return [str(name) for name in self._frame(query, Where())["name"]]

    def groups(self, wanted: TrialFilter, by: str) -> pd.DataFrame:
        """Count outcomes by a column: `name, trials, pass, fail, error, skipped`, most failures first.

        Raises
        ------
        InvalidInput
            For a column that is not among `GROUPS`.
        """
        self._known(by)
        where = self._where(wanted)
        counted = ", ".join(
            f"count(*) filter (where status = '{status}') as {status}" for status in STATUSES
        )
        return self._frame(
            f"""select coalesce({by}, '(unknown)') as name, count(*) as trials, {counted}
                from narrow {where.sql} group by 1 order by fail + error desc, trials desc, name""",
            where,
        )

    def rows(self, wanted: TrialFilter, *, most: int) -> pd.DataFrame:
        """Give the first trials of a filter: failures first, those of the newest run before others."""
        where = self._where(wanted)
        return self._frame(
            f"""select {", ".join(_NARROW)} from narrow left join run_order using (run_id) {where.sql}
                order by status = 'pass', place, run_id, task_id, arm, repeat limit {int(most)}""",
            where,
        )

    def keys(self, wanted: TrialFilter) -> pd.DataFrame:
        """Return `run_id` and `trial_id` of all trials of a filter."""
        where = self._where(wanted)
        return self._frame(f"select run_id, trial_id from narrow {where.sql}", where)

    def run_of(self, trial_id: str) -> str | None:
        """Id of the run that a trial belongs to; None where there is no such trial, or several."""
        where = Where(values={"trial": trial_id})
        found = self._frame("select run_id from narrow where trial_id = $trial limit 2", where)
        return str(found["run_id"].iloc[0]) if len(found) == 1 else None

    def siblings(self, trial_id: str, run_id: str) -> pd.DataFrame:
        """List the other trials of the same task, of any arm and run; same arm first, then newest."""
        where = Where(values={"trial": trial_id, "run": run_id})
        return self._frame(
            """select o.run_id, o.trial_id, o.arm, o.repeat, o.status, o.arm = t.arm as same_arm
               from narrow t join narrow o on o.suite = t.suite and o.task_id = t.task_id
               where t.trial_id = $trial and t.run_id = $run
                 and (o.trial_id, o.run_id) <> (t.trial_id, t.run_id)
               order by same_arm desc, o.run_id = t.run_id desc, o.run_id desc, o.arm, o.repeat
               limit 200""",
            where,
        )

    def links(self, trial_id: str, run_id: str) -> pd.DataFrame:
        """List what lies next to a trial in its run: `way, name, status, trial_id`, itself included.

        `way` is `repeat` (same task and arm), `arm` (same task and repeat) or `task` (same arm and
        repeat: the task before and the one after, by name).
        """
        where = Where(values={"trial": trial_id, "run": run_id})
        return self._frame(
            """with own as (select * from narrow where run_id = $run and trial_id = $trial),
                 run as (select o.*, t.task_id as own_task, t.arm as own_arm, t.repeat as own_repeat
                         from narrow o join own t on o.run_id = $run and o.suite = t.suite
                         where o.run_id = $run),
                 row as (select *, dense_rank() over (order by task_id) as place from run
                         where arm = own_arm and repeat = own_repeat),
                 near as (select * from row where place between
                          (select min(place) - 1 from row where task_id = own_task)
                          and (select min(place) + 1 from row where task_id = own_task))
               select 'repeat' as way, repeat::varchar as name, status, trial_id from run
               where task_id = own_task and arm = own_arm
               union all select 'arm', arm, status, trial_id from run
               where task_id = own_task and repeat = own_repeat
               union all select 'task', task_id, status, trial_id from near
               order by way, try_cast(name as integer), name""",
            where,
        )

    def close(self) -> None:
        """Let go of the copy."""
        self._connection.close()

    def _known(self, column: str) -> None:
        if column not in GROUPS:
            raise InvalidInput(
                f"Trials are not grouped by {column!r}", "column", f"use one of {', '.join(GROUPS)}"
            )

    def _frame(self, query: str, where: Where) -> pd.DataFrame:
        try:
            return self._asked(query, where)
        except duckdb.IOException:  # the files were compacted away meanwhile
            self.close()
            self._open()
            self._search(where.values.get("text", ""))
            return self._asked(query, where)

    def _asked(self, query: str, where: Where) -> pd.DataFrame:
        # a cursor of its own: a widget may ask from another thread
        with self._connection.cursor() as cursor:
            return query_frame(cursor.sql(query, params=where.values).to_arrow_table())

    def _search(self, text: object) -> None:
        """Find the trials whose steps hold a text, once for all questions about it."""
        if text == self._searched:
            return
        with self._lock:  # steps that are not sealed can be read from this connection only
            self._connection.execute("delete from in_steps")
            if text:
                self._connection.execute(_SEARCH_STEPS, {"text": text})
            self._searched = str(text)

    def _where(self, wanted: TrialFilter) -> Where:
        where = _where(wanted)
        if wanted.in_steps and "text" in where.values:
            self._search(where.values["text"])
        return where


def _where(wanted: TrialFilter) -> Where:
    where = Where()
    for field in fields(wanted):
        values = getattr(wanted, field.name)
        if isinstance(values, tuple) and values:
            where.among(f"coalesce({field.name}, '(unknown)')", values)
    if wanted.tampering != "any":
        where.clauses.append(_TAMPERING[wanted.tampering])
    if wanted.text.strip():
        where.values["text"] = wanted.text.strip().lower()
        found = (f"contains(lower({name}), $text)" for name in _SEARCHED)
        steps = ["(run_id, trial_id) in (select (run_id, trial_id) from in_steps)"]
        where.clauses.append(f"({' or '.join([*found, *(steps if wanted.in_steps else [])])})")
    return where
