"""Reading YAML, JSON, JSON lines and TOML strictly: a key that is given twice is an error."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import yaml

from agenteval.suite.foreign.conversion import Malformed

FILE = "(file)"
MERGE = "tag:yaml.org,2002:merge"


def read_text(path: Path) -> str:
    """Text of a file.

    Raises
    ------
    Malformed
        When it cannot be read or is not UTF-8.
    """
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise Malformed(FILE, "is missing") from None
    except OSError as error:
        raise Malformed(FILE, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise Malformed(FILE, f"is not UTF-8 text (byte {error.start})") from None


def read_yaml(path: Path) -> Any:
    """Read one YAML document; every scalar is the text it is written as, and no tag makes an object."""
    try:
        return yaml.load(read_text(path), Loader=_Strict)
    except yaml.YAMLError as error:
        raise Malformed(FILE, f"is not YAML: {' '.join(str(error).split())}") from None


def read_json(path: Path) -> Any:
    """Read one JSON document."""
    return json_of(read_text(path), FILE)


def read_toml(path: Path) -> dict[str, Any]:
    """Read one TOML document."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Malformed(FILE, f"is not TOML: {error}") from None


def lines_of(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a file that are not blank, with their numbers."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if line.strip():
            yield number, line


def json_of(text: str, field: str) -> Any:
    """Decode JSON.

    Raises
    ------
    Malformed
        When it is none, or names a key twice.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)
    except ValueError as error:
        raise Malformed(field, f"is not JSON: {error}") from None


class _Strict(yaml.SafeLoader):  # type: ignore[misc]
    """Refuses a key that a mapping has already, and guesses no types."""

    yaml_implicit_resolvers: ClassVar[dict[str, list[Any]]] = {
        "<": [found for found in yaml.SafeLoader.yaml_implicit_resolvers["<"] if found[0] == MERGE]
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - yaml's own
        own = [key for key, _ in node.value if key.tag != MERGE]
        names = [self.construct_object(key, deep=True) for key in own]
        double = next((name for name in names if names.count(name) > 1), None)
        if double is not None:
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {double!r} is given twice", node.start_mark
            )
        return dict(super().construct_mapping(node, deep=deep))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(n for n in names if names.count(n) > 1)!r} is given twice")
    return table


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no number")
