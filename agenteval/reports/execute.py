"""Executing a template with papermill: this interpreter, checked parameters, errors that show the cell."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from agenteval.errors import ReportError
from agenteval.records import replace_file
from agenteval.reports.event_loop import with_own_loop
from agenteval.reports.kernel import kernel_manager, last_words
from agenteval.reports.parameters import fit
from agenteval.reports.pictures import add_pictures, engine_starting
from agenteval.reports.template import Template

_SHOWN_LINES = 12
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def execute(
    template: Template, *, parameters: Mapping[str, Any], timeout_s: float, failed_path: Path | None
) -> NotebookNode:
    """Execute a template and return the notebook with its outputs.

    A bundled template runs in an empty folder; one of the user's own runs in the folder it lies
    in, as Jupyter would run it.

    Parameters
    ----------
    template
        What to execute.
    parameters
        Values by name; checked against what the template declares.
    timeout_s
        Longest time one cell may take.
    failed_path
        Where the partial notebook is kept when a cell fails; a new temporary folder when None.

    Raises
    ------
    ReportError
        For parameters that do not fit, a cell that fails or takes too long, or a kernel that dies.
    """
    values = fit(parameters, list(template.parameters), template.path.name)
    with tempfile.TemporaryDirectory(prefix="ae-", ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve()
        partial = folder / "partial.ipynb"
        cwd = folder / "cwd" if template.is_bundled else template.path.parent
        (folder / "cwd").mkdir()
        try:
            with engine_starting():
                notebook = _papermill(template.read(), partial, values, timeout_s, folder, cwd)
            add_pictures(notebook)
        except ReportError as error:
            kept = _keep(partial, failed_path, template)
            raise ReportError(
                error.what, f"{template.path.name}, {error.where}", error.fix.format(kept=kept)
            ) from error
    _scrub(notebook, template)
    return notebook


def _papermill(
    notebook: NotebookNode,
    partial: Path,
    values: dict[str, Any],
    timeout_s: float,
    folder: Path,
    cwd: Path,
) -> NotebookNode:
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    from agenteval.reports import quiet_engine

    fix = "open {kept} to see how far it came"
    try:
        return with_own_loop(
            lambda: papermill.execute_notebook(
                notebook,
                str(partial),
                parameters=values,
                engine_name=quiet_engine.NAME,
                kernel_name="python3",
                language="python",
                kernel_manager_class=kernel_manager(folder, cwd),
                progress_bar=False,
                execution_timeout=timeout_s,
            )
        )
    except papermill.PapermillExecutionError as error:
        what = (
            f"A cell of the report failed with {error.ename}: {_ANSI.sub('', error.evalue)}".rstrip(
                "."
            )
        )
        raise ReportError(what, f"cell\n{_indented(error.source)}", fix) from error
    except CellTimeoutError as error:
        what = f"A cell of the report took longer than {timeout_s:g} s"
        raise ReportError(
            what, f"cell\n{_indented(_unfinished(partial))}", f"raise timeout_s, or {fix}"
        ) from error
    except (DeadKernelError, RuntimeError) as error:
        what = f"The kernel of the report ended: {error}".rstrip(".")
        where = f"cell\n{_indented(_unfinished(partial))}"
        if said := last_words(folder)[-_SHOWN_LINES:]:
            where += f"\nwhich said at last\n{_indented(chr(10).join(said))}"
        raise ReportError(what, where, fix) from error


def _unfinished(partial: Path) -> str:
    """Source of the last cell that was started, as the file on disk tells it."""
    if not partial.exists():
        return ""
    cells = [
        cell for cell in nbformat.read(partial, as_version=4).cells if cell.cell_type == "code"
    ]
    started = [cell for cell in cells if cell.metadata.get("papermill", {}).get("start_time")]
    return started[-1].source if started else ""


def _indented(source: str) -> str:
    lines = source.strip().splitlines()
    shown = lines[:_SHOWN_LINES] + (["..."] if len(lines) > _SHOWN_LINES else [])
    return "\n".join(f"    {line}" for line in shown)


def _keep(partial: Path, failed_path: Path | None, template: Template) -> Path:
    path = (
        failed_path
        or Path(tempfile.mkdtemp(prefix="agenteval-report-")) / f"{template.name}.failed.ipynb"
    )
    if partial.exists():
        notebook = nbformat.read(partial, as_version=4)
        _scrub(notebook, template)
        with suppress(ReportError):  # that is what went wrong
            add_pictures(notebook)
        replace_file(path, nbformat.writes(notebook).encode())
    return path


def _scrub(notebook: NotebookNode, template: Template) -> None:
    """Take out what depends on where and when it was executed."""
    about = notebook.metadata.get("papermill", {})
    about["input_path"] = template.path.name
    for key in ("output_path", "environment_variables"):
        about.pop(key, None)
    about["parameters"] = {
        name: value for name, value in about.get("parameters", {}).items() if name != "store"
    }
