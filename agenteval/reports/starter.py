"""A template of one's own to begin with."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbformat import v4

from agenteval.errors import ReportError
from agenteval.records import replace_file

_CELLS = (
    ("markdown", "# What do I want to know?\n\nOne sentence about who asks, and what hangs on it."),
    (
        "parameters",
        'store: str = ""  # path of the store; empty is the nearest one\n'
        'run: str = ""  # id of the run; empty is the newest',
    ),
    (
        "code",
        "import agenteval as ae\n\n"
        "s = ae.open_store(store or None)\n"
        "run = run or s.newest_run()\n"
        "trials = ae.reports.trials_of(s, run)",
    ),
    ("code", "ae.reports.headline(trials)"),
    ("markdown", "## How often does each arm pass?"),
    ("code", "board = ae.scoreboard(trials)\ndisplay(board.plot(), board)"),
    (
        "markdown",
        "> **Reads as** what the reader may take from it. **Does not show** what they may not.",
    ),
    ("code", "ae.reports.provenance(s, [run])"),
)


def new_template(name: str | Path) -> Path:
    """Write a template that runs as it is, to be changed.

    Parameters
    ----------
    name
        File to write; `.ipynb` is added where it lacks.

    Raises
    ------
    ReportError
        When there is such a file.
    """
    path = Path(name).expanduser()
    path = path if path.suffix == ".ipynb" else path.with_name(f"{path.name}.ipynb")
    if path.exists():
        what = "There is a file of that name already"
        raise ReportError(what, str(path), "choose another name, or move it away")
    cells = [
        v4.new_markdown_cell(source)
        if kind == "markdown"
        else v4.new_code_cell(source, metadata={"tags": [kind]} if kind == "parameters" else {})
        for kind, source in _CELLS
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number:02d}"
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    notebook = v4.new_notebook(
        cells=cells, metadata={"kernelspec": kernel, "language_info": {"name": "python"}}
    )
    replace_file(path, (nbformat.writes(notebook) + "\n").encode())
    return path
