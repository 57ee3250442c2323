"""`ae.report`: a result or a template, and the file it should become."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from IPython.core.formatters import DisplayFormatter
from nbformat import NotebookNode, v4

import agenteval
from agenteval.errors import ReportError
from agenteval.reports.render import Report, render, write

if TYPE_CHECKING:
    from agenteval.store import Store

_FORMS = {".html": "html", ".md": "markdown", ".ipynb": "notebook"}


def report(
    what: object,
    path: str | Path,
    *,
    store: Store | str | Path | None = None,
    run: str | None = None,
    baseline: str | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Report:
    """Write a result, or a template executed on a store, as a page, Markdown or a notebook.

    Parameters
    ----------
    what
        A result (`ae.compare(...)`, `ae.scoreboard(...)`), or a template by name or path.
    path
        File to write; its ending decides the form: `.html`, `.md` or `.ipynb`.
    store, run, baseline, parameters
        For a template: the store, the run and the baseline run to report on, and further
        parameters. Not for a result, which holds its data.

    Raises
    ------
    ReportError
        For another ending, something that is neither result nor template, or whatever `render`
        refuses.
    """
    target = _target(Path(path).expanduser())
    asked = {
        name: value for name, value in (("run", run), ("baseline", baseline)) if value is not None
    }
    if isinstance(what, str | Path):
        return render(
            what, store=store, parameters=asked | dict(parameters or {}),
            html=target.html, markdown=target.markdown, notebook=target.notebook,
        )  # fmt: skip
    if not hasattr(what, "table"):
        given = type(what).__name__
        raise ReportError(
            f"An object of type {given} cannot become a report",
            "argument what",
            "pass a result with a .table, or the name of a template",
        )
    if asked or parameters or store is not None:
        raise ReportError(
            "A result takes no store, run or parameters",
            f"a report of a {type(what).__name__}",
            "pass the result alone",
        )
    title = _title(what)
    return write(_notebook_of(what, title), target, title=title)


def _target(path: Path) -> Report:
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise ReportError(
            f"A report cannot be written as {path.name!r}",
            str(path),
            f"end the name with {', '.join(_FORMS)}",
        )
    return Report(**{form: path})


def _title(result: Any) -> str:
    name = type(result).__name__
    return (
        "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
        .strip()
        .capitalize()
    )


def _notebook_of(result: Any, title: str) -> NotebookNode:
    """Put the result's own reprs into a notebook, as a kernel would have done."""
    shown = [getattr(result, "verdict", None), result, _drawing(result)]
    cells = [v4.new_markdown_cell(f"# {title}")]
    cells += [v4.new_code_cell("", outputs=[_output(item)]) for item in shown if item is not None]
    cells.append(v4.new_markdown_cell(f"Made by agenteval {agenteval.__version__}."))
    return v4.new_notebook(cells=cells, metadata={"language_info": {"name": "python"}})


def _drawing(result: Any) -> Any:
    return result.plot() if hasattr(result, "plot") else None


def _output(item: Any) -> NotebookNode:
    if isinstance(item, str):
        from agenteval.reports.prose import Prose

        item = Prose((item,), style="headline")
    data, metadata = DisplayFormatter().format(item)
    return v4.new_output("display_data", data=data, metadata=metadata)
