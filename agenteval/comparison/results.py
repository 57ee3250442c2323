"""What every question of this layer hands back: a table, notes, a picture, a short repr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from agenteval.comparison.plotting import draw
from agenteval.comparison.printing import Sheet, html_sheet, text_sheet


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """A tidy table with what has to be said beside it.

    Attributes
    ----------
    table
        A plain DataFrame of a stable schema; the docstring of the function that made it explains
        how to read each column.
    notes
        Sentences a reader of the table should know, most important first.
    """

    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    def plot(self, *, theme: Literal["light", "dark"] = "light") -> Any:
        """Draw it: an `altair.Chart`."""
        return draw(self, theme=theme)

    def sheet(self) -> Sheet:
        """Choose and format what is shown in a notebook or a terminal."""
        return Sheet(title=type(self).__name__, columns=list(self.table.columns), rows=_texts(self))

    def remarks(self) -> tuple[str, ...]:
        """Return the sentences shown under the table."""
        return self.notes

    def __str__(self) -> str:
        return text_sheet(self.sheet(), self.remarks())

    def _repr_html_(self) -> str:
        return html_sheet(self.sheet(), self.remarks())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": str(self)}


def _texts(result: Result) -> Sequence[Sequence[str]]:
    return [[str(value) for value in row] for row in result.table.itertuples(index=False)]
