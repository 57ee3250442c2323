"""An executed notebook as Markdown that fits into a pull request's comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from agenteval.reports.html import VEGALITE
from agenteval.reports.html_to_markdown import html_to_markdown

PAGE_ONLY = "page-only"
_ASIDE = re.compile(r"^> \*\*Reads as\*\*.*$\n?", re.MULTILINE)
_LONGEST = 65_000
_CUT = "\n\n*Cut here: a comment holds no more. The HTML report has the rest.*\n"


def to_markdown(notebook: NotebookNode) -> str:
    """Prose and tables in the notebook's order, without charts and cells tagged `page-only`.

    The "Reads as" lines stay on the page too: a comment is short, and its limits stand at its end.

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
            yield _ASIDE.sub("", cell.source)
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if VEGALITE in data:
                continue
            if "text/markdown" in data:
                yield data["text/markdown"]
            elif "text/html" in data:
                yield html_to_markdown(data["text/html"])
            elif "text/plain" in data:
                yield f"```text\n{data['text/plain']}\n```"
