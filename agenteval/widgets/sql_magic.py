"""`%load_ext agenteval`: SQL over a store in a cell, with the notebook's variables as `$name`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pandas as pd
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from agenteval.errors import InvalidInput
from agenteval.records import TABLES, columns
from agenteval.store import Store, open_store

# strings, quoted names, comments and dollar quotes are read over; what is left over is a parameter
_TOKENS = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$|\$(?P<name>[A-Za-z_]\w*)""",
    re.DOTALL,
)


def parameters_of(query: str) -> list[str]:
    """Names of the `$name` parameters of a query, in order.

    >>> parameters_of("select '$no' from trials where arm = $arm and n > $n or arm = $arm -- $no")
    ['arm', 'n']
    """
    found = (match["name"] for match in _TOKENS.finditer(query))
    return list(dict.fromkeys(name for name in found if name))


def bound(query: str, names: dict[str, Any]) -> dict[str, Any] | None:
    """Values of a query's parameters; None when it has none.

    Raises
    ------
    InvalidInput
        For a parameter that is no variable.
    """
    wanted = parameters_of(query)
    missing = [name for name in wanted if name not in names]
    if missing:
        raise InvalidInput(
            f"The query names ${missing[0]}, and there is no variable {missing[0]!r}",
            "the SQL cell",
            f"set {', '.join(missing)} in a cell before it",
        )
    return {name: names[name] for name in wanted} or None


def schema_of(table: str) -> pd.DataFrame:
    """Describe a table's columns: `column, dtype, unit, unknown, meaning`.

    Raises
    ------
    InvalidInput
        When a store has no such table.
    """
    if table not in TABLES:
        known = ", ".join(TABLES)
        raise InvalidInput(f"A store has no table {table!r}", "schema", f"use one of {known}")
    return pd.DataFrame(
        [
            {
                "column": column.name, "dtype": column.dtype, "unit": column.unit,
                "unknown": "NULL" if column.nullable else "", "meaning": column.meaning,
            }
            for column in columns(table)
        ]
    )  # fmt: skip


@magics_class
class StoreMagics(Magics):
    """The magics; the store is the nearest one until `%ae_store` names another."""

    store: Store | None = None

    @line_magic
    def ae_store(self, line: str) -> None:
        """Choose the store: a variable of the notebook, or a path.

        Raises
        ------
        StoreError
            When there is none.
        """
        named = line.strip()
        value = self.shell.user_ns.get(named) if self.shell is not None else None
        if isinstance(value, Store):
            self.store = value
        else:
            words = shlex.split(named)
            self.store = open_store(Path(words[0]) if words else None)

    @line_magic
    def ae_schema(self, line: str) -> pd.DataFrame:
        """Describe a table, or list the tables when none is named."""
        if not line.strip():
            return pd.DataFrame({"table": list(TABLES)})
        return schema_of(line.strip())

    @cell_magic
    def ae_sql(self, line: str, cell: str) -> pd.DataFrame | None:
        """Run a query; with a name, keep the result as a variable of it.

        Raises
        ------
        InvalidInput
            For a name that can be no variable, or a parameter that is none.
        StoreError
            With DuckDB's message.
        """
        name = line.strip()
        if name and not name.isidentifier():
            raise InvalidInput(
                f"{name!r} can be no variable", "%%ae_sql", "write %%ae_sql NAME, or nothing"
            )
        if self.store is None:
            self.store = open_store()
        names: dict[str, Any] = {} if self.shell is None else self.shell.user_ns
        frame = self.store.sql(cell, bound(cell, names))
        if name:
            names[name] = frame
        return frame


def load_ipython_extension(shell: Any) -> None:
    """Register `%%ae_sql`, `%ae_store` and `%ae_schema`."""
    shell.register_magics(StoreMagics)
