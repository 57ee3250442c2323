"""The HTML that results show themselves as, told again in GitHub's Markdown."""

from __future__ import annotations

import re
from html import escape, unescape
from html.parser import HTMLParser

_SKIPPED = {"style", "script", "noscript", "svg", "head", "figure"}
_BLOCKS = {
    "p",
    "div",
    "section",
    "header",
    "footer",
    "article",
    "ul",
    "ol",
    "dl",
    "dt",
    "figcaption",
}
_NUMBER = re.compile(r"[-+−±~<$.×x]*\s?\d[\d.,%$\[\]()–+−\- ]*(?:s|h|min|MB)?|[-–—]?")
_TABLE_TAGS = {"table", "caption", "tr", "td", "th"}
_EMPTY_TABLE = re.compile(
    r"<table\b[^>]*>\s*(?:<caption\b[^>]*>(?P<title>[^<]*)</caption>)?\s*"
    r"<thead\b(?:(?!</thead>).)*</thead>\s*<tbody>\s*</tbody>\s*</table>",
    re.DOTALL,
)
_MARKS = {"strong": "**", "b": "**", "em": "*", "i": "*", "code": "`"}


def html_to_markdown(markup: str) -> str:
    """Turn paragraphs, headings, lists, emphasis and tables into Markdown.

    What the text holds stays text: nothing in it can become markup, a formula or a mention.

    >>> print(html_to_markdown("<p>One <b>bold</b> | word</p><table><tr><th>n</th></tr><tr><td>3</td></tr></table>"))
    One **bold** | word
    <BLANKLINE>
    | n |
    | ---: |
    | 3 |
    """
    parser = _Writer()
    parser.feed(empty_tables_in_words(markup))
    parser.close()
    return re.sub(r"\n{3,}", "\n\n", "".join(parser.parts)).strip()


def empty_tables_in_words(markup: str) -> str:
    """Say of a table that has a head and no rows that there is nothing, in a paragraph.

    >>> empty_tables_in_words("<table><caption>Errors</caption><thead><tr><th>n</th></tr></thead><tbody></tbody></table>")
    '<p>Errors: nothing.</p>'
    """

    def said(table: re.Match[str]) -> str:
        title = (table["title"] or "").strip()
        return f"<p>{f'{title}: nothing' if title else 'Nothing to list'}.</p>"

    return _EMPTY_TABLE.sub(said, markup)


def plain(text: str) -> str:
    r"""Escape what Markdown or GitHub would read as markup.

    >>> print(plain("a*b <c> @team costs $3"))
    a\*b &lt;c&gt; &#64;team costs \$3
    """
    text = escape(text, quote=False)
    text = re.sub(r"([\\`*$~]|\](?=[(\[]))", r"\\\1", text)
    text = re.sub(r"(?<!\w)_|_(?!\w)", r"\\_", text)
    return re.sub(r"(?<!\w)@(?=\w)", "&#64;", text)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Lay out cells that are Markdown already; columns of numbers are set to the right."""
    width = max([len(header), *map(len, rows)], default=0)
    filled = [[*row, *[""] * (width - len(row))] for row in [header, *rows]]
    numeric = [
        bool(rows) and all(is_number(unescape(row[i].replace("\\", ""))) for row in filled[1:])
        for i in range(width)
    ]
    rule = ["---:" if right else "---" for right in numeric]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [filled[0], rule, *filled[1:]])


def is_number(text: str) -> bool:
    """Say whether a text reads as a number with its interval or unit, or as nothing.

    >>> [is_number(text) for text in ("62.5 % [40.1, 80.6]", "$0.04", "-12.5", "8 tasks x 3", "–")]
    [True, True, True, False, True]
    """
    return _NUMBER.fullmatch(text) is not None


class _Writer(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self._skipping = 0
        self._rows: list[list[str]] | None = None
        self._cell: list[str] | None = None
        self._in_code = False
        self._pre: list[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipping += 1
        elif self._skipping or self._pre is not None:
            return
        elif tag in _TABLE_TAGS:
            self._open_table_part(tag)
        elif tag in _MARKS:
            self._in_code = tag == "code"
            self._write(_MARKS[tag])
        elif tag == "br":
            self._write("<br>" if self._cell is not None else "  \n")
        elif self._cell is None:
            self._open_block(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipping = max(0, self._skipping - 1)
        elif self._skipping:
            return
        elif self._pre is not None:
            self._close_pre(tag)
        elif tag in _TABLE_TAGS:
            self._close_table_part(tag)
        elif tag in _MARKS:
            self._in_code = False
            self._write(_MARKS[tag])
        elif tag in {"details", "summary"}:
            self.parts.append(f"</{tag}>\n\n")
        elif self._cell is None and (tag in _BLOCKS or re.fullmatch(r"h[1-6]", tag)):
            self.parts.append("\n\n")

    def handle_data(self, data: str) -> None:
        if self._pre is not None:
            self._pre.append(data)
            return
        if self._skipping or (self._rows is not None and self._cell is None):
            return
        text = " ".join(re.split(r"[\s\u00a0]+", data))
        self._write(text.replace("`", "'") if self._in_code else plain(text))

    def _open_table_part(self, tag: str) -> None:
        if tag == "table":
            self._rows = []
        elif tag == "tr" and self._rows is not None:
            self._rows.append([])
        elif tag == "caption" or (tag in {"td", "th"} and self._rows):
            self._cell = []

    def _close_table_part(self, tag: str) -> None:
        if tag in {"td", "th", "caption"} and self._cell is not None:
            words, self._cell = " ".join("".join(self._cell).split()), None
            if tag == "caption":
                self.parts.append(f"\n\n**{words}**\n\n" if words else "")
            elif self._rows:
                self._rows[-1].append(words.replace("|", "\\|"))
        elif tag == "table" and self._rows is not None:
            rows, self._rows = [row for row in self._rows if row], None
            self.parts.append(f"\n\n{table(rows[0], rows[1:])}\n\n" if rows else "")

    def _close_pre(self, tag: str) -> None:
        if tag != "pre" or self._pre is None:
            return
        text, self._pre = "".join(self._pre).strip("\n"), None
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        self.parts.append(f"\n\n{fence}text\n{text}\n{fence}\n\n")

    def _open_block(self, tag: str) -> None:
        if tag == "pre":
            self._pre = []
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in {"details", "summary"}:
            self.parts.append(f"\n\n<{tag}>" if tag == "details" else f"<{tag}>")
        elif re.fullmatch(r"h[1-6]", tag):
            self.parts.append(f"\n\n{'#' * int(tag[1])} ")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")

    def _write(self, text: str) -> None:
        if self._cell is not None:
            self._cell.append(text)
        elif text != " " or (self.parts and not self.parts[-1].endswith(("\n", " "))):
            self.parts.append(text)
