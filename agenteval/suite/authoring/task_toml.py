"""Writing task.toml for an author: the keys in reading order, with what is guessed said beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

Value = str | int | float | bool | Sequence[str]


def toml_value(value: Value) -> str:
    r"""One value as TOML; its strings have JSON's escapes.

    >>> toml_value('a "b"'), toml_value(["x"]), toml_value(True)
    ('"a \\"b\\""', '["x"]', 'true')
    """
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    listed = value if isinstance(value, str) else list(value)
    return json.dumps(listed, ensure_ascii=False).replace("\x7f", "\\u007f")


def task_toml(
    keys: Mapping[str, Value],
    checks: Sequence[Mapping[str, Value]],
    *,
    tables: Mapping[str, Mapping[str, Value]] | None = None,
    comments: Mapping[str, str] | None = None,
) -> str:
    """Write a task's file.

    Parameters
    ----------
    keys
        Key to value, in order; empty values are left out.
    checks
        The same for each check.
    tables
        The same for `env`, `environment` or `source`.
    comments
        Key to what is said at the end of its line.
    """
    told = comments or {}
    lines = ["# One problem; `agenteval schema task` lists every key."]
    for key, value in keys.items():
        if value != "" and value != [] and value != ():
            note = f"  # {told[key]}" if key in told else ""
            lines.append(f"{key} = {toml_value(value)}{note}")
    for name, table in (tables or {}).items():
        if table:
            lines += ["", f"[{name}]", *(f"{k} = {toml_value(v)}" for k, v in table.items())]
    for check in checks:
        lines += ["", "[[checks]]", *(f"{k} = {toml_value(v)}" for k, v in check.items())]
    return "\n".join(lines) + "\n"
