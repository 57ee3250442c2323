"""A small table of texts as plain text and as HTML with inline styles, nothing remote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from agenteval.comparison.wording import count_of

MOST_ROWS = 60

_TABLE = (
    "border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13px;line-height:1.45"
)
_CAPTION = "caption-side:top;text-align:left;white-space:nowrap;font-weight:600;padding:0 0 6px 0;color:inherit"
_LINE = "border-bottom:1px solid rgba(128,128,128,.35)"
_NOTE = "margin:4px 0 0 0;font-size:12px;line-height:1.45;max-width:60em"


@dataclass(frozen=True)
class Sheet:
    """Texts to show: a title, headings, rows, and how many columns at the left are labels."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    labels: int = 1

    def without(self, blank: str) -> Sheet:
        """Drop the columns in which every text is `blank` (labels stay)."""
        kept = [
            i
            for i in range(len(self.columns))
            if i < self.labels or any(row[i] not in (blank, "") for row in self.rows)
        ]
        return Sheet(
            self.title,
            [self.columns[i] for i in kept],
            [[row[i] for i in kept] for row in self.rows],
            self.labels,
        )


def text_sheet(sheet: Sheet, notes: Sequence[str] = ()) -> str:
    """Lay a sheet out as text: labels left, numbers right."""
    rows = [list(row) for row in sheet.rows[:MOST_ROWS]]
    cells = [list(sheet.columns), *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(sheet.columns))]
    lines = [
        "  ".join(
            text.ljust(width) if i < sheet.labels else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    return "\n".join([sheet.title, *lines, *_more(sheet), *(f"- {note}" for note in notes)])


def html_sheet(sheet: Sheet, notes: Sequence[str] = ()) -> str:
    """Lay a sheet out as one self-contained HTML table."""
    head = "".join(
        f'<th scope="col" style="{_cell(i, sheet.labels)};font-weight:600">{escape(name)}</th>'
        for i, name in enumerate(sheet.columns)
    )
    body = "".join(f"<tr>{_row(row, sheet.labels)}</tr>" for row in sheet.rows[:MOST_ROWS])
    below = "".join(f'<p style="{_NOTE}">{escape(note)}</p>' for note in [*_more(sheet), *notes])
    return (
        f'<div style="overflow-x:auto"><table style="{_TABLE}"><caption style="{_CAPTION}">{escape(sheet.title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"
    )


def _cell(column: int, labels: int) -> str:
    align = "left" if column < labels else "right"
    return f"text-align:{align};padding:3px 12px 3px 0;{_LINE};white-space:nowrap"


def _row(row: Sequence[str], labels: int) -> str:
    return "".join(
        f'<th scope="row" style="{_cell(i, labels)};font-weight:400">{escape(text)}</th>'
        if i < labels
        else f'<td style="{_cell(i, labels)}">{escape(text)}</td>'
        for i, text in enumerate(row)
    )


def _more(sheet: Sheet) -> list[str]:
    hidden = len(sheet.rows) - MOST_ROWS
    return [f"{count_of(hidden, 'more row')} in .table"] if hidden > 0 else []
