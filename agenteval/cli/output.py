"""Printing: tables for people, one JSON document for programs, messages on stderr."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

LISTED = 3  # items of a list shown in one cell
# all but tab and line feed; also what turns the direction of reading
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def print_json(document: Any) -> None:
    """Print one JSON document; NaN and NA become null."""
    print(json.dumps(plain(document), ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """A value as JSON has it.

    >>> plain({"a": float("nan"), "b": (1, None)})
    {'a': None, 'b': [1, None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)) or hasattr(value, "tolist"):
        items = value.tolist() if hasattr(value, "tolist") else value
        return (
            [plain(item) for item in items]
            if isinstance(items, (list, tuple, set))
            else plain(items)
        )
    if isinstance(value, (datetime, date)):
        return value.isoformat() if value == value else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None if type(value).__name__ in ("NAType", "NaTType") else str(value)


def records_of(frame: Any) -> list[dict[str, Any]]:
    """Rows of a DataFrame as JSON objects."""
    return [plain(row) for row in frame.to_dict(orient="records")]


def print_table(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str], *, title: str | None = None
) -> None:
    """Print rows as a table; numbers to the right, unknown as a dash, nothing cut in a pipe."""
    from rich.console import Console
    from rich.table import Table

    listed = [{name: plain(row.get(name)) for name in columns} for row in rows]
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for name in columns:
        number = any(isinstance(row[name], (int, float)) for row in listed)
        table.add_column(
            name.replace("_", " "), justify="right" if number else "left", overflow="fold"
        )
    for row in listed:
        table.add_row(*(_cell(row[name]) for name in columns))
    console = Console()
    if not console.is_terminal:
        console = Console(width=400)
    console.print(table)


def say(text: str) -> None:
    """A message for people, on stderr."""
    print(printable(text), file=sys.stderr)


def tell(text: str) -> None:
    """What an agent may have written, on stdout: as it is in a pipe, made visible on a terminal."""
    print(printable(text) if sys.stdout.isatty() else text)


def printable(text: str) -> str:
    r"""Text with its control characters made visible, so that none of them steers the terminal.

    What an agent wrote may retitle the window, recolour or hide lines, or fill the clipboard.

    >>> printable("ends here\x1b[2J\n")
    'ends here\\x1b[2J\n'
    """
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def _cell(value: Any) -> str:
    from rich.markup import escape

    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, list):
        more = f" +{len(value) - LISTED} more" if len(value) > LISTED else ""
        return escape(printable(", ".join(map(str, value[:LISTED])) + more))
    return escape(printable(str(value)))


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "task"), count(2, "task")
    ('1 task', '2 tasks')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
