"""The SQL of a store: macros, views, and the rule that turns attempts into trials."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agenteval.records import column_names, columns
from agenteval.store.frames import SQL_TYPES
from agenteval.store.journals import POSITION

_Z = 1.959963984540054
_SQUARE, _HALF, _QUARTER = (
    f"{_Z**2 / part!r}e0" for part in (1, 2, 4)
)  # e0: a double, not a decimal
MACROS = tuple(
    f"""create macro {name}(passes, n) as case
      when n = 0 then {empty}
      when passes < 0 or passes > n then error('{name}: passes must lie between 0 and n')
      when passes = {end} then {exact}
      else (passes::double / n + {_HALF} / n
            {sign} {_Z}e0 * sqrt(passes::double / n * (1 - passes::double / n) / n + {_QUARTER} / (n::double * n)))
           / (1 + {_SQUARE} / n) end"""
    for name, empty, end, exact, sign in (
        ("wilson_low", "0.0::double", "0", "0.0::double", "-"),
        ("wilson_high", "1.0::double", "n", "1.0::double", "+"),
    )
)

_DECISIVE = """not (status = 'error' and passed is null)
    and not (status = 'skipped' and coalesce(error_class, '') <> 'voided')"""
# an attempt that never started is known to have cost nothing
_STARTED = "not (status = 'skipped' and ended_by is null and cost_usd is null)"

# what was taken over from another run was paid for there
_SPENT = "case when reused_from is null then cost_usd else 0 end"


def newest_query(table: str, gradings: str) -> str:
    """Select the rows of a table that belong to the newest grading of their attempt.

    Parameters
    ----------
    table
        Table of attempts or checks, all gradings.
    gradings
        Table of attempts, all gradings; a regrading is none of its own before its attempt's line.
    """
    return f"""
    select rows.* from {table} rows left join (
      select run_id, trial_id, attempt, max(grading) as newest from {gradings}
      where grading > 1 group by run_id, trial_id, attempt
    ) again on rows.run_id = again.run_id and rows.trial_id = again.trial_id
      and rows.attempt = again.attempt
    where rows.grading >= coalesce(again.newest, 1)"""


def trials_query(source: str, *, narrow: bool = False) -> str:
    """Select one row a trial from a table of attempts.

    It is the first attempt that settles the trial, else the last, with its newest grading. An
    infrastructure failure does not settle it, nor does being skipped or cancelled, for resume runs
    such a trial again.

    Parameters
    ----------
    source
        Table of attempts with their `position`, one row an attempt (`newest_query`).
    narrow
        Only `run_id, trial_id, attempt`.
    """
    own = [f"a.{name}" for name in column_names("attempts")]
    wide = ", ".join([*own, "p.attempts", "p.all_attempts_cost_usd", f"a.{POSITION}"])
    return f"""
    select {"a.run_id, a.trial_id, a.attempt" if narrow else wide}
    from {source} a join (
      select run_id, trial_id, count(*) as attempts,
        case when count(*) filter (where {_STARTED}) = count(cost_usd) then sum({_SPENT}) end
          as all_attempts_cost_usd,
        coalesce(min({POSITION}) filter (where {_DECISIVE}), max({POSITION})) as {POSITION}
      from {source} group by run_id, trial_id
    ) p on a.run_id = p.run_id and a.trial_id = p.trial_id and a.{POSITION} = p.{POSITION}"""


def typed_columns(table: str) -> list[str]:
    """`name TYPE` of each column, `position` included for attempts."""
    own = [f"{column.name} {SQL_TYPES[column.dtype]}" for column in columns(table)]
    return [*own, f"{POSITION} BIGINT"] if table == "attempts" else own


@dataclass(frozen=True)
class PartFile:
    """One parquet file, and which of the runs in it are to be read."""

    path: str
    wanted: frozenset[str]
    unwanted: frozenset[str] = frozenset()

    @property
    def condition(self) -> str:
        """Condition on `run_id`, by the shorter of the two lists; empty when all are wanted."""
        if not self.unwanted:
            return ""
        negated = len(self.unwanted) < len(self.wanted)
        names = sorted(self.unwanted if negated else self.wanted)
        listed = ", ".join(literal(name) for name in names)
        return f"where run_id {'not ' if negated else ''}in ({listed})"


def source_query(table: str, files: Sequence[PartFile]) -> str:
    """Union what is live and what is sealed, by name and with the table's own types."""
    branches = [f"select * from sources.live_{table}"]
    whole = [literal_path(file.path) for file in files if not file.condition]
    if whole:
        branches.append(_parquet(whole))
    branches += [f"{_parquet([literal_path(f.path)])} {f.condition}" for f in files if f.condition]
    typed = (column.split(" ", 1) for column in typed_columns(table))
    selected = ", ".join(f"{_filled(name)}::{kind} as {name}" for name, kind in typed)
    return f"select {selected} from ({' union all by name '.join(branches)})"


def _filled(name: str) -> str:
    """A column, with what a part that was sealed before there was regrading means."""
    return f"coalesce({name}, 1)" if name == "grading" else name


def _parquet(literals: list[str]) -> str:
    return f"select * from read_parquet([{', '.join(literals)}], union_by_name=true)"


def literal(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def literal_path(path: str) -> str:
    """Quote a file name in which `*`, `?` and `[` mean themselves."""
    return literal("".join(f"[{char}]" if char in "*?[" else char for char in path))
