"""An executed notebook as one HTML file that loads nothing from anywhere."""

from __future__ import annotations

import copy
import itertools
import json
import re
import secrets
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from agenteval.errors import ReportError
from agenteval.reports.html_to_markdown import empty_tables_in_words
from agenteval.reports.vega import vega_bundle

VEGALITE = "application/vnd.vegalite.v5+json"
COMMENT_ONLY = "comment-only"
_TEMPLATES = Path(__file__).parent / "templates"
_BUNDLE_MARK = "/*vega bundle*/"
_TEXT = re.compile(r">[^<>]+<")
_LOADS = (
    r"<(?:script|img|iframe|source|audio|video|embed)\b[^>]*?\bsrc=[\"']?((?:https?:)?//[^\"'\s>]+)",
    r"<link\b[^>]*?\bhref=[\"']?((?:https?:)?//[^\"'\s>]+)",
    r"url\([\"']?((?:https?:)?//[^\"')]+)",
    r"@import\s+[\"']((?:https?:)?//[^\"']+)",
)


def to_html(notebook: NotebookNode, *, title: str) -> str:
    """Make the page: prose and outputs, the code folded away at its end.

    Cells tagged `comment-only` stand in Markdown in the place of a chart and are left out here.

    Charts are drawn by the bundled chart library from the specification in the notebook; their
    description is the accessible name, and a picture stands in where scripts do not run.

    Parameters
    ----------
    notebook
        An executed notebook.
    title
        Title of the page.

    Raises
    ------
    ReportError
        When the page would load something from the network.
    """
    from nbconvert import HTMLExporter  # a second to load, and only pages need it

    notebook = copy.deepcopy(notebook)
    notebook.cells = [
        cell for cell in notebook.cells if COMMENT_ONLY not in cell.metadata.get("tags", [])
    ]
    charts = _charts(notebook)
    exporter = HTMLExporter(
        template_name="agenteval",
        extra_template_basedirs=[str(_TEMPLATES)],
        exclude_anchor_links=True,
        filters={
            "scrollable": scrollable,
            "json_script": _json_script,
            "is_code_worth_showing": _worth_showing,
        },
    )
    ids = itertools.count(1)
    resources = {
        "metadata": {"name": title},
        "css": (_TEMPLATES / "agenteval" / "page.css").read_text("utf-8"),
        "bundle": _BUNDLE_MARK if charts else "",
        "nonce": secrets.token_urlsafe(16),
        "next_chart": lambda: next(ids),
        "vegalite": VEGALITE,
    }
    page, _ = exporter.from_notebook_node(notebook, resources=resources)
    if remote := remote_references(page):
        raise ReportError(
            f"The page would load {remote[0]} from the network",
            f"{len(remote)} remote reference{'s' if len(remote) > 1 else ''}",
            "draw charts with agenteval.charts and embed pictures as data",
        )
    return page.replace(_BUNDLE_MARK, vega_bundle(), 1) if charts else page


def remote_references(page: str) -> list[str]:
    """Addresses that a browser would fetch to show `page` (links to click on are none).

    >>> remote_references('<img src="https://example.org/a.png"> <a href="https://example.org">x</a>')
    ['https://example.org/a.png']
    """
    markup = re.sub(
        r"<script\b[^>]*type=\"application/json\".*?</script>", "", page, flags=re.DOTALL
    )
    return sorted(
        {found for pattern in _LOADS for found in re.findall(pattern, markup, flags=re.IGNORECASE)}
    )


def scrollable(markup: str) -> str:
    """Put every table into a box of its own that scrolls sideways, so that the page never does.

    A table without rows becomes a sentence, and long names may be broken where a name has its joints.
    """
    markup = re.sub(
        r"<table\b.*?</table>", _jointed_table, empty_tables_in_words(markup), flags=re.DOTALL
    )
    opened = re.sub(
        r"<table\b",
        '<div class="scroll" role="group" aria-label="table" tabindex="0"><table',
        markup,
    )
    # a head without words heads nothing
    named = re.sub(r"<th\b([^>]*)></th>", _plain_cell, opened)
    return named.replace("</table>", "</table></div>")


def _jointed_table(table: re.Match[str]) -> str:
    return _TEXT.sub(lambda text: re.sub(r"[^\s<>]{25,}", _jointed, text[0]), table[0])


def _jointed(word: re.Match[str]) -> str:
    return re.sub(r"(?<=[/:_.@-])(?=\w)", "<wbr>", word[0])


def _plain_cell(head: re.Match[str]) -> str:
    attributes = re.sub(r"\s*scope=\"\w+\"", "", head[1])
    return f"<td{attributes}></td>"


def _charts(notebook: NotebookNode) -> int:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return sum(VEGALITE in output.get("data", {}) for output in outputs)


def _worth_showing(cell: NotebookNode) -> bool:
    return cell.cell_type == "code" and bool(cell.source.strip())


def _json_script(value: Any) -> str:
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
