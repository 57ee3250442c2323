"""Spellings of keys: camelCase and milliseconds become the names of the models.

`maxCostUsd` is `max_cost_usd`; `timeoutMs` (and `timeout_ms`) is `timeout_s`, divided by
1000. Names below `env`, `schema` and the tables of a variant are the author's own and stay as they
are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

Location = tuple[str | int, ...]

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# tables whose own keys are the author's to name
_FREE_NAMES = frozenset({"env", "files", "mcp", "schema", "settings"})


@dataclass
class PlainKeys:
    """A document with the models' own key names, and how its author spelled them.

    Attributes
    ----------
    data
        The document, converted.
    spelled
        Location in `data` -> (key as written, value as written).
    doubled
        Locations that were written in two spellings: (first key, second key, location).
    """

    data: dict[str, Any]
    spelled: dict[Location, tuple[str, Any]] = field(default_factory=dict)
    doubled: list[tuple[str, str, Location]] = field(default_factory=list)

    def written(self, location: Location) -> str:
        """Spell a location the way the author did: `checks[0].expectExit`; lists count from 0."""
        text = ""
        for depth, part in enumerate(location, start=1):
            if isinstance(part, int):
                text += f"[{part}]"
                continue
            name = self.spelled.get(location[:depth], (part, None))[0]
            text += f".{name}" if text else name
        return text

    def value(self, location: Location, otherwise: Any) -> Any:
        """Value as the author wrote it."""
        return self.spelled[location][1] if location in self.spelled else otherwise


def plain_keys(document: dict[str, Any]) -> PlainKeys:
    """Convert the keys of a task or suite file.

    >>> plain_keys({"timeoutMs": 1500, "env": {"nodeEnv": "test"}}).data
    {'timeout_s': 1.5, 'env': {'nodeEnv': 'test'}}
    """
    result = PlainKeys({})
    result.data = _table(document, (), result)
    return result


def plain_key(key: str) -> str:
    """Name of a key in the models.

    >>> [plain_key(key) for key in ("expectExit", "maxCostUSD", "timeoutMs", "path")]
    ['expect_exit', 'max_cost_usd', 'timeout_s', 'path']
    """
    name = _HUMP.sub("_", key).lower() if key.lower() != key else key
    return f"{name[:-3]}_s" if name.endswith("_ms") else name


def camel_key(name: str) -> str:
    """CamelCase spelling of a model's key; seconds become milliseconds.

    >>> [camel_key(name) for name in ("expect_exit", "timeout_s", "path")]
    ['expectExit', 'timeoutMs', 'path']
    """
    name = f"{name[:-2]}_ms" if name.endswith("_s") else name
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def in_milliseconds(key: str) -> bool:
    """Whether the value of a key, as written, counts milliseconds."""
    return key.endswith(("Ms", "_ms")) and plain_key(key) != key


def _table(table: dict[str, Any], here: Location, result: PlainKeys) -> dict[str, Any]:
    converted: dict[str, Any] = {}
    for key, value in table.items():
        name = plain_key(key)
        at = (*here, name)
        if name in converted:
            result.doubled.append((result.spelled[at][0], key, at))
            continue
        result.spelled[at] = (key, value)
        converted[name] = value if name in _FREE_NAMES else _value(key, value, at, result)
    return converted


def _value(key: str, value: Any, at: Location, result: PlainKeys) -> Any:
    if isinstance(value, dict):
        return _table(value, at, result)
    if isinstance(value, list):
        return [
            _table(item, (*at, place), result) if isinstance(item, dict) else item
            for place, item in enumerate(value)
        ]
    if in_milliseconds(key) and isinstance(value, int | float) and not isinstance(value, bool):
        return value / 1000
    return value
