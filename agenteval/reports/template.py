"""Templates: notebooks with a parameters cell, bundled or anywhere on disk."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from agenteval.errors import ReportError
from agenteval.records import bundled
from agenteval.reports.parameters import Parameter, read_parameters


@dataclass(frozen=True)
class Template:
    """A notebook that becomes a report.

    Attributes
    ----------
    name
        What `render` and `agenteval report` are given.
    question
        The question it answers, from its first cell.
    path
        The notebook.
    parameters
        What can be passed to it.
    """

    name: str
    question: str
    path: Path
    parameters: tuple[Parameter, ...]

    def read(self) -> NotebookNode:
        """Read the notebook."""
        return _read(self.path)

    @property
    def is_bundled(self) -> bool:
        """Whether it came with the package."""
        return self.path.parent == bundled("notebooks")


def templates() -> list[Template]:
    """List the bundled templates with the question each answers."""
    return [_load(path) for path in sorted(bundled("notebooks").glob("*.ipynb"))]


def find_template(template: str | Path) -> Template:
    """Find a template by the name of a bundled one or by path.

    Raises
    ------
    ReportError
        When there is none, or the file is no notebook with a `parameters` cell.
    """
    text = str(template)
    if not re.search(r"[/\\]|\.ipynb$", text):
        path = bundled("notebooks") / f"{text}.ipynb"
        if path.is_file():
            return _load(path)
    path = Path(template).expanduser()
    if path.is_file():
        return _load(path.resolve())
    names = [found.stem for found in sorted(bundled("notebooks").glob("*.ipynb"))]
    near = difflib.get_close_matches(text, names, n=1, cutoff=0.5)
    hint = f"did you mean `{near[0]}`? " if near else ""
    raise ReportError(
        f"There is no template {text!r}",
        str(path),
        f"{hint}use a path, or one of: {', '.join(names)}",
    )


def _load(path: Path) -> Template:
    notebook = _read(path)
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    parameters = read_parameters(tagged[0].source, path.name) if tagged else []
    first = notebook.cells[0] if notebook.cells else None
    question = (
        _heading(first.source) if first is not None and first.cell_type == "markdown" else path.stem
    )
    return Template(path.stem, question, path, tuple(parameters))


def _heading(source: str) -> str:
    lines = [line.strip("# ").strip() for line in source.splitlines() if line.strip()]
    return lines[0] if lines else ""


def _read(path: Path) -> NotebookNode:
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError, TypeError, AttributeError, nbformat.ValidationError) as error:
        what = "The template is not a notebook"
        raise ReportError(what, f"{path}: {error}", "pass the path of an .ipynb file") from error
