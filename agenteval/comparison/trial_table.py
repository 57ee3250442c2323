"""Read a trial table: what must be in it, which rows count, which task each row belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from agenteval.comparison.holdout import holdout_notes, without_holdout
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.records import OUTCOME_TABLE, columns

Codes: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]


@runtime_checkable
class HasTrials(Protocol):
    """Anything that can hand out a trial table, such as a store."""

    def trials(self, **filters: Any) -> pd.DataFrame:
        """Return one row a trial."""
        ...


TrialsLike: TypeAlias = "pd.DataFrame | HasTrials | tuple[HasTrials, Mapping[str, Any]]"
"""A trial table, a store, or a store with the filters its `trials` takes."""
By: TypeAlias = "str | Sequence[str]"

ALLOWED = frozenset(
    (rule.status.value, None if rule.passed is None else float(rule.passed))
    for rule in OUTCOME_TABLE.values()
)
AMOUNTS = frozenset(c.name for c in columns("trials") if c.dtype in ("int", "float"))
AMOUNTS -= {"exit_code"}  # negative for a signal


@dataclass(frozen=True)
class TrialTable:
    """A checked trial table, with its rows coded by group and by task.

    Attributes
    ----------
    frame
        The rows as given.
    by
        Names of the grouping columns.
    groups
        One row a group, sorted: the values of the grouping columns.
    tasks
        One row a task, sorted: `suite` and `task_id`; two suites may share a task id.
    group, task
        For each row its position in `groups` and in `tasks`.
    passed
        1, 0, or NaN for a row that is left out of the rate.
    rows
        Which rows of `frame` this table is about; None means all (columns are read when asked for,
        so that a wide table is not copied).
    """

    frame: pd.DataFrame
    by: tuple[str, ...]
    groups: pd.DataFrame
    tasks: pd.DataFrame
    group: Codes
    task: Codes
    passed: Floats
    rows: NDArray[np.bool_] | None = None

    @property
    def counted(self) -> NDArray[np.bool_]:
        """Rows that count in the rate."""
        return ~np.isnan(self.passed)

    @property
    def said(self) -> tuple[str, ...]:
        """What has to be said beside any table made from it: what is or is not of the holdout."""
        return holdout_notes(self.frame.attrs)

    def column(self, name: str) -> pd.Series:
        """Return a column of these rows; missing where the table has no such column."""
        index = pd.RangeIndex(len(self.group))  # the caller's own may repeat a label
        if name not in self.frame.columns:
            return pd.Series(np.nan, index=index, dtype="str")
        column = self.frame[name]
        column = column if self.rows is None else column[self.rows]
        return column.set_axis(index)

    def numbers(self, name: str) -> Floats:
        """Return a column as floats, NaN where unknown or where the table has no such column."""
        if name not in self.frame.columns:
            return np.full(len(self.group), np.nan)
        return to_floats(self.column(name), name)

    def words(self, name: str) -> pd.Series:
        """Return a column as text, missing where unknown or where the table has no such column."""
        return self.column(name).astype("str")

    def keep(self, rows: NDArray[np.bool_]) -> TrialTable:
        """Return the table of some of these rows; groups and tasks keep their positions."""
        if rows.all():
            return self
        selected = rows
        if self.rows is not None:
            selected = self.rows.copy()
            selected[self.rows] = rows
        return TrialTable(
            self.frame,
            self.by,
            self.groups,
            self.tasks,
            self.group[rows],
            self.task[rows],
            self.passed[rows],
            selected,
        )


def as_frame(trials: TrialsLike) -> pd.DataFrame:
    """Return the DataFrame itself, or the trials of a store; no unasked holdout tasks.

    A store with filters is written `(store, {"suite": "shop", "since": "30d"})`.

    Raises
    ------
    InvalidInput
        When it is neither.
    NotEnoughData
        When it has no row, or only holdout tasks that were not asked for.
    """
    frame: Any = trials
    if isinstance(trials, tuple) and len(trials) == 2 and isinstance(trials[1], Mapping):
        frame = trials[0].trials(**trials[1])
    elif not isinstance(trials, pd.DataFrame) and isinstance(trials, HasTrials):
        frame = trials.trials()
    if not isinstance(frame, pd.DataFrame):
        what = f"trials is a {type(trials).__name__}, not a table"
        raise InvalidInput(what, "argument trials", "pass store.trials() or a pandas DataFrame")
    if frame.empty:
        fix = "run some trials, or loosen the filter that made this table"
        raise NotEnoughData("there are no trials", "argument trials", fix)
    return without_holdout(frame)


def read_trials(trials: TrialsLike, *, by: By = "arm") -> TrialTable:
    """Check a trial table and code its rows; the table itself is never changed.

    Parameters
    ----------
    trials
        One row a trial, or a store.
    by
        Column or columns that make the groups; a missing value is a group of its own.

    Raises
    ------
    InvalidInput
        For a missing column, a row given twice, or a row whose `passed` contradicts its `status`.
    NotEnoughData
        For a table without rows.
    """
    frame = as_frame(trials)
    names = (by,) if isinstance(by, str) else tuple(by)
    if not names:
        raise InvalidInput("by names no column", "argument by", "name a column, such as 'arm'")
    _require(frame, [*names, "task_id", "passed", "status"])
    _refuse_duplicates(frame)
    passed = read_passed(frame)
    group, groups = code_rows(frame, names)
    keys = ("suite", "task_id") if "suite" in frame.columns else ("task_id",)
    task, tasks = code_rows(frame, keys)
    if "suite" not in tasks.columns:
        tasks.insert(0, "suite", pd.Series(np.nan, index=tasks.index, dtype="str"))
    return TrialTable(frame, names, groups, tasks, group, task, passed)


def _require(frame: pd.DataFrame, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        have = ", ".join(map(str, frame.columns[:12]))
        raise InvalidInput(
            f"the trial table has no column {', '.join(map(repr, missing))}",
            f"argument trials, columns {have}{', ...' if len(frame.columns) > 12 else ''}",
            "pass the columns of store.trials(), or group by one that is there",
        )
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        what = f"the trial table has the column {repeated[0]!r} twice"
        raise InvalidInput(what, "argument trials", "keep one of them")


def _refuse_duplicates(frame: pd.DataFrame) -> None:
    keys = [name for name in ("run_id", "trial_id") if name in frame.columns]
    if "trial_id" not in keys:
        return
    if frame["trial_id"].is_unique:
        return
    twice = frame.duplicated(keys).to_numpy()
    if twice.any():
        first = frame[twice].iloc[0]
        where = ", ".join(f"{name} {first[name]}" for name in keys)
        raise InvalidInput(
            f"{int(twice.sum())} rows are trials that were already given",
            where,
            "give each trial once: frame.drop_duplicates(['run_id', 'trial_id'])",
        )


def to_floats(column: pd.Series, name: str) -> Floats:
    """Return a numeric column as a new float array, NaN where unknown.

    Raises
    ------
    InvalidInput
        When it holds text or infinity, a negative amount, or a score above 1.
    """
    try:
        values = column.to_numpy(dtype=np.float64, na_value=np.nan, copy=True)
    except (TypeError, ValueError) as error:
        what = f"column {name!r} holds something that is not a number"
        raise InvalidInput(
            what, f"argument trials, column {name}", "give numbers or NULL"
        ) from error
    if np.isinf(values).any():
        what = f"column {name!r} holds infinity"
        raise InvalidInput(what, f"argument trials, column {name}", "give finite numbers or NULL")
    if name in AMOUNTS and (values < 0).any() or name == "score" and (values > 1).any():
        least, most = np.nanmin(values), np.nanmax(values)
        what = f"column {name!r} runs from {least:g} to {most:g}"
        fix = (
            "give shares from 0 to 1" if name == "score" else "give amounts of 0 and more, or NULL"
        )
        raise InvalidInput(what, f"argument trials, column {name}", fix)
    return values


def read_passed(frame: pd.DataFrame) -> Floats:
    """Return `passed` as 1, 0 or NaN, checked against `status` by the outcome table."""
    where = "argument trials, column passed"
    passed = to_floats(frame["passed"], "passed")
    known = ~np.isnan(passed)
    if not np.isin(passed[known], (0.0, 1.0)).all():
        fix = "give true, false or NULL; a fraction belongs in the column score"
        raise InvalidInput("passed holds something else than true and false", where, fix)
    code, statuses = pd.factorize(frame["status"].astype("str"))
    if (code < 0).any():
        fix = "give one of pass, fail, error, skipped"
        raise InvalidInput("a trial has no status", "argument trials, column status", fix)
    verdict = np.where(known, passed, 2).astype(np.int64)
    for pair in np.flatnonzero(np.bincount(code * 3 + verdict)):
        status, value = statuses[pair // 3], (0.0, 1.0, None)[pair % 3]
        if (status, value) not in ALLOWED:
            row = frame.iloc[int(np.argmax(code * 3 + verdict == pair))]
            text = "NULL" if value is None else str(bool(value)).lower()
            raise InvalidInput(
                f"a trial has status {status!r} and passed {text}, which cannot go together",
                f"trial {row.get('trial_id', '?')} of task {row['task_id']}",
                "see the outcome table: pass is true, fail is false, skipped is NULL",
            )
    return passed


def code_rows(frame: pd.DataFrame, names: Sequence[str]) -> tuple[Codes, pd.DataFrame]:
    """Return the number of each row's distinct values in sorted order; missing values come last.

    Returns
    -------
    codes, distinct
        The number of each row, and one row for each number.
    """
    codes = np.zeros(len(frame), dtype=np.int64)
    for name in names:
        code, values = pd.factorize(frame[name], sort=True)
        code = np.where(code < 0, len(values), code).astype(np.int64)
        codes = _compress(codes * (len(values) + 1) + code)
    first = np.zeros(codes.max() + 1, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    distinct = frame[list(names)].iloc[first].reset_index(drop=True)
    return codes, distinct


def _compress(codes: Codes) -> Codes:
    """Renumber codes 0, 1, 2 ... in order, without sorting where the range is small."""
    size = int(codes.max()) + 1
    if size > 4 * len(codes) + 4096:
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    seen = np.zeros(size, dtype=bool)
    seen[codes] = True
    return (np.cumsum(seen) - 1)[codes]
