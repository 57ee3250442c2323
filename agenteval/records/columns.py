"""Column lists of every table, derived from the row models."""

from __future__ import annotations

import types
import typing
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from functools import cache

from agenteval.records.judgments import JudgmentRow, LabelRow
from agenteval.records.rows import (
    ArmRow,
    AttemptRow,
    CheckRow,
    EventRow,
    RequestRow,
    Row,
    RunRow,
    TaskRow,
    TrialRow,
)

TABLES: dict[str, type[Row]] = {
    "runs": RunRow,
    "tasks": TaskRow,
    "arms": ArmRow,
    "trials": TrialRow,
    "attempts": AttemptRow,
    "checks": CheckRow,
    "events": EventRow,
    "requests": RequestRow,
    "judgments": JudgmentRow,
    "labels": LabelRow,
}


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes
    ----------
    name
        Column name.
    dtype
        One of `str`, `int`, `float`, `bool`, `datetime` (UTC), `list[str]`.
    unit
        `s`, `USD`, `tokens`, `MB`, `count` or empty.
    nullable
        Whether NULL (unknown) can occur.
    meaning
        One sentence.
    """

    name: str
    dtype: str
    unit: str
    nullable: bool
    meaning: str


@cache
def columns(table: str) -> tuple[Column, ...]:
    """Return the columns of `table` in order.

    >>> [c.name for c in columns("arms")][:3]
    ['run_id', 'arm', 'arm_digest']
    """
    model = TABLES[table]
    hints = typing.get_type_hints(model, include_extras=True)
    return tuple(
        _column(name, hints[name], info.description or "")
        for name, info in model.model_fields.items()
    )


def column_names(table: str) -> list[str]:
    """Names of the columns of `table`, in order."""
    return [column.name for column in columns(table)]


def _column(name: str, hint: object, meaning: str) -> Column:
    unit = ""
    if typing.get_origin(hint) is typing.Annotated:
        hint, *extras = typing.get_args(hint)
        unit = next((extra for extra in extras if isinstance(extra, str)), "")
    nullable = False
    if isinstance(hint, types.UnionType):
        inner = [arg for arg in typing.get_args(hint) if arg is not types.NoneType]
        nullable, hint = len(inner) < len(typing.get_args(hint)), inner[0]
    return Column(name, _dtype(hint), unit, nullable, meaning)


def _dtype(hint: object) -> str:
    if typing.get_origin(hint) is list:
        return "list[str]"
    if typing.get_origin(hint) is typing.Literal:
        return "str"
    if isinstance(hint, type):
        if issubclass(hint, Enum | str):
            return "str"
        for kind in (bool, int, float, datetime):
            if issubclass(hint, kind):
                return kind.__name__
    raise TypeError(f"no column type for {hint!r}")
