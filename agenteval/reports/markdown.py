"""An executed notebook as Markdown that fits into a pull request's comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from agenteval.reports.html import VEGALITE
from agenteval.reports.html_to_markdown import html_to_markdown, plain

PAGE_ONLY = "page-only"
_ASIDE = re.compile(r"^> \*\*Reads as\*\*.*$\n?", re.MULTILINE)
_WARNING = re.compile(r"\*\*Does not show\*\*.*?(?:[.!?](?=\s)|$)")
_LONGEST = 65_000
_CUT = "\n\n*Cut here: a comment holds no more. The HTML report has the rest.*\n"


def to_markdown(notebook: NotebookNode) -> str:
    """Prose and tables in the notebook's order, without cells tagged `page-only`.

    In the place of a chart stands its description. Of a "Reads as" line only the warning is kept,
    the first sentence of what the numbers above it do not show: a comment is short.

    Parameters
    ----------
    notebook
        An executed notebook.
    """
    text = "\n\n".join(part.strip() for part in _parts(notebook) if part.strip()) + "\n"
    if len(text) <= _LONGEST:
        return text
    return text[: text.rfind("\n", 0, _LONGEST - len(_CUT))] + _CUT


def _parts(notebook: NotebookNode) -> Iterator[str]:
    for cell in notebook.cells:
        if PAGE_ONLY in cell.metadata.get("tags", []):
            continue
        if cell.cell_type == "markdown":
            yield _ASIDE.sub(_warning, cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if VEGALITE in data:
                yield f"*{plain(' '.join(data.get('text/plain', 'Chart').split()))}*"
            elif "text/markdown" in data:
                yield data["text/markdown"]
            elif "text/html" in data:
                yield html_to_markdown(data["text/html"])
            elif "text/plain" in data:
                yield f"```text\n{data['text/plain']}\n```"


def _warning(aside: re.Match[str]) -> str:
    found = _WARNING.search(aside[0])
    return f"> {found[0]}\n" if found else ""
