"""A table of a report, with texts that wrap, numbers that line up and names shown as code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from agenteval.comparison import Result
from agenteval.comparison.printing import Sheet
from agenteval.comparison.wording import UNKNOWN
from agenteval.reports.html_to_markdown import is_number
from agenteval.reports.prose import sentence_html

MOST_ROWS = 400
_SHORT = 26
_TABLE = "border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px"
_CAPTION = "caption-side:top;text-align:left;font-weight:600;padding:0 0 6px 0;color:inherit"
_CELL = "padding:3px 14px 3px 0;border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top"
_NOTE = "margin:4px 0 0 0;font-size:12px;max-width:60em"


@dataclass(frozen=True, kw_only=True, eq=False)
class Section(Result):
    """A table of a report: `.table` with plain values, and the texts that are shown.

    Attributes
    ----------
    title
        What stands above it.
    heads, rows
        Column names and texts as shown; the first `labels` columns are names. Text between
        backquotes is shown as code.
    empty
        What to say instead of a table without rows.
    """

    title: str = ""
    heads: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    labels: int = 1
    empty: str = ""

    def sheet(self) -> Sheet:
        """Return the texts, without columns in which nothing is known."""
        return Sheet(self.title, self.heads, self.rows, self.labels).without(UNKNOWN)

    def __str__(self) -> str:
        return (super().__str__() if self.rows else self.empty).replace("`", "")

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{sentence_html(self.empty)}</p>" if self.empty else ""
        sheet = self.sheet()
        hidden = len(sheet.rows) - MOST_ROWS
        notes = [
            *(
                [f"{hidden} more {'row is' if hidden == 1 else 'rows are'} not shown."]
                if hidden > 0
                else []
            ),
            *self.notes,
        ]
        below = "".join(f'<p style="{_NOTE}">{sentence_html(note)}</p>' for note in notes)
        return f"<div>{_table(sheet)}{below}</div>"


def _table(sheet: Sheet) -> str:
    rows = sheet.rows[:MOST_ROWS]
    columns = [[row[i] for row in rows] for i in range(len(sheet.columns))]
    styles = [_style(texts, label=i < sheet.labels) for i, texts in enumerate(columns)]
    head = "".join(
        f'<th scope="col" style="{style}">{escape(name)}</th>'
        for style, name in zip(styles, sheet.columns, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(_cell(i, text, styles[i], sheet.labels) for i, text in enumerate(row))}</tr>"
        for row in rows
    )
    caption = f'<caption style="{_CAPTION}">{escape(sheet.title)}</caption>' if sheet.title else ""
    return f'<table style="{_TABLE}">{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _style(texts: Sequence[str], *, label: bool) -> str:
    align = "right" if not label and all(map(is_number, texts)) else "left"
    wrap = (
        ";white-space:nowrap"
        if max(map(len, texts)) <= _SHORT
        else ";min-width:10em;overflow-wrap:anywhere"
    )
    return f"{_CELL};text-align:{align}{wrap}"


def _cell(column: int, text: str, style: str, labels: int) -> str:
    if column < labels:
        return f'<th scope="row" style="{style};font-weight:400">{sentence_html(text)}</th>'
    return f'<td style="{style}">{sentence_html(text)}</td>'
