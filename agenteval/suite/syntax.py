"""Reading task and suite files: TOML or JSON, with the line of a mistake."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

from agenteval.suite.problems import Problems, shown


class _TwiceError(ValueError):
    """A JSON object names a key twice (json would keep the last one silently)."""


def read_document(path: Path, problems: Problems) -> dict[str, Any] | None:
    """Read a .toml or .json file; None, and a problem noted, when it cannot be read."""
    text = read_text(path, problems)
    if text is None:
        return None
    try:
        document = tomllib.loads(text) if path.suffix == ".toml" else _json(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rstrip(")").partition(" (at ")
        where = f"{shown(path)}, {place}"
        problems.add(
            f"The file is not valid TOML: {message}",
            where,
            "mend the syntax there; texts need quotes",
        )
        return None
    except json.JSONDecodeError as error:
        where = f"{shown(path)}, line {error.lineno}, column {error.colno}"
        problems.add(f"The file is not valid JSON: {error.msg}", where, "mend the syntax there")
        return None
    except _TwiceError as error:
        problems.add(f"The key {error} is given twice", path, "keep one of the two")
        return None
    if _half_characters(document):
        problems.add(
            "The file holds half a character: a \\ud800 to \\udfff that stands alone",
            path,
            "write the character itself",
        )
        return None
    if not isinstance(document, dict):
        problems.add(
            "The file holds no JSON object",
            path,
            'write the keys between { and }, such as {"id": "my-task"}',
        )
        return None
    return document


def read_text(path: Path, problems: Problems) -> str | None:
    """Read a UTF-8 text (a byte order mark is dropped); None, and a problem noted, on failure."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.add(f"The file is not UTF-8 text (byte {error.start})", path, "save it as UTF-8")
    except OSError as error:
        problems.add(
            f"The file cannot be read: {error.strerror}",
            path,
            "check that it is a file and its permissions",
        )
    return None


def _json(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_unique)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(repr(next(name for name in names if names.count(name) > 1)))
    return table


def _half_characters(document: Any) -> bool:
    try:
        json.dumps(document, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError:
        return True
    return False
