"""Results as JSON lines: one record a line, a torn last one included, named by its number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from agenteval.store.importers.drafts import Malformed, Reading
from agenteval.store.importers.fields import Record, record

RESULTS = "results.jsonl"
Parsed = TypeVar("Parsed")


def result_files(path: Path) -> list[Path]:
    """The file itself, or the results.jsonl of a folder, else those of its subfolders.

    Raises
    ------
    Malformed
        When a folder has none.
    """
    if path.is_file():
        return [path]
    found = [path / RESULTS] if (path / RESULTS).is_file() else sorted(path.glob(f"*/{RESULTS}"))
    if not found:
        raise Malformed("(folder)", f"holds no {RESULTS}")
    return found


def read_lines(
    path: Path, reading: Reading, parse: Callable[[Record], Parsed]
) -> tuple[list[Parsed], int]:
    """Parse every line that is not blank; also how many there are, bad ones included."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reading.bad(path, None, Malformed("(file)", f"cannot be read: {error}"))
        return [], 0
    found: list[Parsed] = []
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line.strip()]
    for number, line in numbered:
        try:
            found.append(parse(record(_decoded(line))))
        except Malformed as problem:
            reading.bad(path, number, problem)
    return found, len(numbered)


def first_of(data: Record, *names: str) -> str:
    """The first of some spellings of a key that the record has; the first of all if it has none."""
    return next((name for name in names if data.get(name) is not None), names[0])


def _decoded(line: str) -> object:
    try:
        return json.loads(line, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise Malformed("(line)", f"is not JSON: {error}") from None


def _refused(name: str) -> None:
    raise Malformed("(line)", f"holds {name}, which is no number")
