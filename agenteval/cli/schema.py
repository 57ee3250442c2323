"""`agenteval schema`: what may stand in a task or a suite, and what the tables hold."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from agenteval.cli.options import JsonOption
from agenteval.cli.output import print_json, print_table
from agenteval.errors import InvalidInput


def schema(
    what: Annotated[
        str,
        typer.Argument(
            help="task, suite, variant or experiment (JSON schema), or the name of a table."
        ),
    ] = "task",
    *,
    json_: JsonOption = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="A table's columns as Markdown.")
    ] = False,
) -> None:
    """Print the JSON schema of task.toml, suite.toml, a variant or experiment.toml for editors, or the columns of a table.

    Example: agenteval schema task > task.schema.json
    """
    from agenteval.records import TABLES, columns
    from agenteval.suite import schema as json_schema

    if what in ("task", "suite", "variant", "experiment"):
        print(json.dumps(json_schema(what), indent=None if json_ else 2))
        return
    if what not in TABLES:
        raise InvalidInput(
            f"There is no schema of {what!r}",
            "agenteval schema",
            f"use task, suite, variant, experiment, or a table: {', '.join(TABLES)}",
        )
    rows = [
        {
            "column": c.name,
            "type": c.dtype,
            "unit": c.unit,
            "null": c.nullable,
            "meaning": c.meaning,
        }
        for c in columns(what)
    ]
    if json_:
        print_json(rows)
    elif markdown:
        print(column_table(what))
    else:
        print_table(rows, ["column", "type", "unit", "meaning"])


def column_table(table: str) -> str:
    """Columns of a table as Markdown, as README has it."""
    from agenteval.records import columns

    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    lines += [f"| `{c.name}` | {c.dtype} | {c.unit} | {c.meaning} |" for c in columns(table)]
    return "\n".join(lines)
