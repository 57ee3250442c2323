"""A narrow copy of the trials in memory, to look around in quickly: filter, count, list."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

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


class TrialIndex:
    """The trials of a store as they were when it was made.

    Parameters
    ----------
    store
        The opened store.
    """

    def __init__(self, store: Store) -> None:
        self._connection = store.connect()
        self._connection.execute(f"create table narrow as select {', '.join(_NARROW)} from trials")

    def choices(self, column: str) -> list[str]:
        """Values of a column, in order; unknown is none of them.

        Raises
        ------
        InvalidInput
            For a column that is not among `GROUPS`.
        """
        self._known(column)
        rows = self._connection.execute(
            f"select distinct {column} from narrow where {column} is not null order by 1"
        ).fetchall()
        return [str(row[0]) for row in rows]

    def groups(self, wanted: TrialFilter, by: str) -> pd.DataFrame:
        """Count outcomes by a column: `name, trials, pass, fail, error, skipped`, most failures first.

        Raises
        ------
        InvalidInput
            For a column that is not among `GROUPS`.
        """
        self._known(by)
        where = _where(wanted)
        counted = ", ".join(
            f"count(*) filter (where status = '{status}') as {status}" for status in STATUSES
        )
        return self._frame(
            f"""select coalesce({by}, '(unknown)') as name, count(*) as trials, {counted}
                from narrow {where.sql} group by 1 order by fail + error desc, trials desc, name""",
            where,
        )

    def rows(self, wanted: TrialFilter, *, most: int) -> pd.DataFrame:
        """Give the first trials of a filter, failures first."""
        where = _where(wanted)
        return self._frame(
            f"""select {", ".join(_NARROW)} from narrow {where.sql}
                order by status = 'pass', run_id desc, task_id, arm, repeat limit {int(most)}""",
            where,
        )

    def keys(self, wanted: TrialFilter) -> pd.DataFrame:
        """Return `run_id` and `trial_id` of all trials of a filter."""
        where = _where(wanted)
        return self._frame(f"select run_id, trial_id from narrow {where.sql}", where)

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

    def close(self) -> None:
        """Let go of the copy."""
        self._connection.close()

    def _known(self, column: str) -> None:
        if column not in GROUPS:
            raise InvalidInput(
                f"Trials are not grouped by {column!r}", "column", f"use one of {', '.join(GROUPS)}"
            )

    def _frame(self, query: str, where: Where) -> pd.DataFrame:
        # a cursor of its own: a widget may ask from another thread
        with self._connection.cursor() as cursor:
            return query_frame(cursor.sql(query, params=where.values).to_arrow_table())


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
        where.clauses.append(f"({' or '.join(found)})")
    return where
