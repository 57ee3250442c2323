"""From a template to the files someone reads: executed notebook, page, pull request comment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
from nbformat import NotebookNode

from agenteval.errors import ReportError, StoreError
from agenteval.records import bundled, replace_file
from agenteval.reports.execute import execute
from agenteval.reports.html import to_html
from agenteval.reports.markdown import to_markdown
from agenteval.reports.template import Template, find_template

if TYPE_CHECKING:
    from agenteval.store import Store

SAMPLE = "sample"
_RUNS = ("run", "baseline")


@dataclass(frozen=True)
class Report:
    """Where a report was written; None for what was not asked for."""

    html: Path | None = None
    markdown: Path | None = None
    notebook: Path | None = None

    @property
    def paths(self) -> list[Path]:
        """The files that were written."""
        return [path for path in (self.html, self.markdown, self.notebook) if path is not None]

    def __str__(self) -> str:
        return ", ".join(map(str, self.paths))


def render(
    template: str | Path,
    *,
    store: Store | str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
    html: str | Path | None = None,
    markdown: str | Path | None = None,
    notebook: str | Path | None = None,
    timeout_s: float = 600,
) -> Report:
    """Execute a template on a store and write what was asked for.

    Files are replaced only when the whole report is there; an error names those of an earlier report
    that stay.

    Parameters
    ----------
    template
        Name of a bundled template (see `templates`) or path of a notebook.
    store
        A store or its path, or `sample` for the one of the package; when None what the template's `store` parameter says, or the
        nearest one where that is empty. Only used by templates with such a parameter.
    parameters
        Values of the template's parameters; text is converted to the declared type.
    html, markdown, notebook
        Where to write the page, the Markdown and the executed notebook. `<template>.html` in
        the current folder when none is given.
    timeout_s
        Longest time one cell may take, in seconds.

    Raises
    ------
    ReportError
        For an unknown template or parameter, a value that does not fit, or a cell that fails;
        the message shows the cell and names the partial notebook that was kept.
    StoreError
        When no store is found, it holds no runs, or the run, baseline or trial asked for is not in
        it; names the nearest ids.
    """
    found = find_template(template)
    targets = Report(
        *(None if path is None else Path(path).expanduser() for path in (html, markdown, notebook))
    )
    if not targets.paths:
        targets = Report(html=Path(f"{found.name}.html"))
    first = targets.paths[0]
    failed = first.with_name(f"{first.stem}.failed.ipynb")
    with _earlier_files_named(targets):
        values = _with_store(found, store, dict(parameters or {}))
        executed = execute(found, parameters=values, timeout_s=timeout_s, failed_path=failed)
        return write(executed, targets, title=_title(executed, found.question))


def write(notebook: NotebookNode, targets: Report, *, title: str) -> Report:
    """Write an executed notebook in the forms that `targets` names.

    Parameters
    ----------
    notebook
        An executed notebook.
    targets
        Paths to write; None leaves a form out.
    title
        Title of the page.
    """
    texts = {
        targets.html: lambda: to_html(notebook, title=title),
        targets.markdown: lambda: to_markdown(notebook),
        targets.notebook: lambda: nbformat.writes(notebook) + "\n",
    }
    made = {path: text() for path, text in texts.items() if path is not None}
    for path, text in made.items():
        replace_file(path, text.encode())
    return targets


@contextmanager
def _earlier_files_named(targets: Report) -> Iterator[None]:
    """Add to an error which files only look as if they were what was asked for."""
    earlier = [str(path) for path in targets.paths if path.exists()]
    try:
        yield
    except (ReportError, StoreError) as error:
        if not earlier:
            raise
        are = "is of an earlier report and was" if len(earlier) == 1 else "are of an earlier report and were"  # fmt: skip
        left = f"{' and '.join(earlier)} {are} left as before"
        raise type(error)(error.what, error.where, f"{error.fix}; {left}".lstrip("; ")) from error


def _with_store(
    template: Template, store: Store | str | Path | None, values: dict[str, Any]
) -> dict[str, Any]:
    """Resolve the store here: the notebook runs in another folder, and a missing one is known at once."""
    declared = {parameter.name: parameter.default for parameter in template.parameters}
    given = values.get("store") or store or declared.get("store")
    if "store" not in declared or (given == SAMPLE and declared["store"] == SAMPLE):
        return values
    from agenteval.store import open_store

    opened = open_store(_located(given))
    if template.is_bundled:
        opened.newest_run()  # refuses a store without runs, in which every cell would fail
    wanted = {name: values.get(name, declared.get(name)) for name in _RUNS if name in declared}
    _check_runs(opened, wanted)
    if "trial" in declared and (trial := values.get("trial", declared["trial"])):
        opened.trial(str(trial))
    return values | {"store": str(Path(opened.path).resolve())}


def _located(given: Any) -> str | Path | None:
    if given == SAMPLE:
        return bundled("data") / "sample_store"
    if not given:
        return None
    return given if isinstance(given, str | Path) else Path(given.path)


def _check_runs(store: Store, wanted: Mapping[str, Any]) -> None:
    """Refuse a run that is not there before anything is executed."""
    asked = {name: run for name, run in wanted.items() if run and isinstance(run, str)}
    runs = store.runs()["run_id"].tolist() if asked else []
    for name, run in asked.items():
        if run not in runs:
            near = get_close_matches(run, runs, n=3, cutoff=0.4)
            nearest = f"use {' or '.join(near)}, or see" if near else "see what there is with"
            raise StoreError(
                f"The store has no run {run!r}",
                f"report parameter {name}, store {store.path}",
                f"{nearest} `agenteval list runs`",
            )


def _title(notebook: NotebookNode, question: str) -> str:
    return str(notebook.metadata.get("title", question))
