"""SQL over a store in a widget: a query, its parameters, its result, and the schema on demand."""

from __future__ import annotations

import ast
from html import escape

import ipywidgets as W  # noqa: N812
import pandas as pd
import traitlets as T  # noqa: N812

from agenteval.errors import InvalidInput
from agenteval.records import TABLES
from agenteval.store import Store
from agenteval.widgets.panel import Panel, described
from agenteval.widgets.sql_magic import bound, parameters_of, schema_of

MOST_ROWS = 200
_EXAMPLE = """select arm, count(passed) as n, sum(passed::int) as passes
from trials group by arm order by passes / n desc"""


class SqlConsole(Panel):
    """A query and its result.

    Attributes
    ----------
    query
        The SQL, with parameters as `$name`.
    values
        Values of the parameters.
    result
        What the last query gave; None before the first.
    """

    query = T.Unicode(_EXAMPLE)
    values = T.Dict()
    result = T.Instance(pd.DataFrame, allow_none=True)

    def __init__(self, store: Store) -> None:
        self.store = store
        layout = W.Layout(width="100%", height="8em")
        self.editor = W.Textarea(layout=layout, description="SQL", continuous_update=False)
        self.boxes: dict[str, W.Text] = {}
        self.parameters = W.HBox([], layout=W.Layout(flex_flow="row wrap"))
        self.run_button = W.Button(description="Run", button_style="primary")
        self.tables = described(W.Dropdown(options=["", *TABLES], description="columns of"), "18em")
        self.table, self.schema = W.HTML(), W.HTML()
        self.table.add_class("ae-result")
        bar = W.HBox([self.run_button, self.tables])
        super().__init__([self.editor, self.parameters, bar, self.schema, self.table])
        T.link((self, "query"), (self.editor, "value"))
        self.observe(self.guarded(self._offer), names=["query"])
        self.tables.observe(self.guarded(self._describe), names=["value"])
        self.run_button.on_click(self.guarded(self.run))
        self.attempt(self._offer)

    def run(self) -> None:
        """Run the query as it stands.

        Raises
        ------
        InvalidInput, StoreError
            For a parameter without a value, or with DuckDB's message.
        """
        typed = {name: _value(box.value) for name, box in self.boxes.items() if box.value.strip()}
        wanted = bound(self.query, {**self.values, **typed})
        self.result = self.store.sql(self.query, wanted)
        rows, more = self.result.head(MOST_ROWS), len(self.result) - MOST_ROWS
        note = f"<p>and {more} more rows in .result</p>" if more > 0 else ""
        shown = rows.to_html(index=False, escape=True, na_rep="", border=0, justify="left")
        self.table.value = f"<div style='overflow:auto;max-height:30em'>{shown}</div>{note}"

    def _offer(self) -> None:
        names = parameters_of(self.query)
        self.boxes = {
            name: self.boxes.get(name)
            or described(W.Text(description=f"${name}", value=_typed(self.values.get(name))))
            for name in names
        }
        self.parameters.children = list(self.boxes.values())

    def _describe(self) -> None:
        if not self.tables.value:
            self.schema.value = ""
            return
        shown = schema_of(self.tables.value).to_html(index=False, escape=True, border=0)
        self.schema.value = (
            f"<div style='overflow:auto;max-height:20em' aria-label='{escape(self.tables.value)}'>"
            f"{shown}</div>"
        )


def sql_console(store: Store) -> SqlConsole:
    """Ask a store in SQL by hand; parameters are bound, never pasted into the text.

    Parameters
    ----------
    store
        The opened store.

    Returns
    -------
    SqlConsole
        A widget; its `.result` is the last result as a DataFrame.
    """
    return SqlConsole(store)


def _typed(value: object) -> str:
    return "" if value is None else str(value)


def _value(text: str) -> object:
    """A number, a truth or a list as Python writes it, else the text itself."""
    try:
        found: object = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text
    if isinstance(found, str | int | float | bool | list):
        return found
    raise InvalidInput(f"{text!r} can be no parameter", "the parameter", "give a number or a text")
