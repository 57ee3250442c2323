"""`agenteval report`: a template notebook, executed, as a page."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import print_json, say
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.reports import Template

SAMPLE = "sample"


def report(
    template: Annotated[
        str | None,
        typer.Argument(
            help="Name of a bundled template or path of a notebook.", show_default="run_report"
        ),
    ] = None,
    *,
    run: Annotated[
        str | None, typer.Option("--run", help="Run to report on.", show_default="the newest")
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", help="Earlier run: what regressed or improved since.", show_default=False
        ),
    ] = None,
    store: StoreOption = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p",
            "--parameter",
            help="key=value of the template's parameters cell.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", help="Write one self-contained page here.", show_default=False),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", help="Write Markdown for a pull request here.", show_default=False
        ),
    ] = None,
    notebook: Annotated[
        Path | None,
        typer.Option("--notebook", help="Keep the executed notebook here.", show_default=False),
    ] = None,
    new: Annotated[
        str | None,
        typer.Option(
            "--new", help="Write a template of your own to begin with.", show_default=False
        ),
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    json: JsonOption = False,
) -> None:
    """Render a report; without anything named, of the newest run, as HTML beside the store.

    With `-p store=sample` it is drawn from the sample store of the package, into the current folder;
    so is a template that needs no store, as `gallery`.

    Example: agenteval report run_report --run demo-20260101-120000-ab12 --html out.html
    """
    import agenteval as ae
    from agenteval.records import bundled

    if new is not None:
        written = ae.reports.new_template(new)
        say(f"wrote {written}; render it with `agenteval report {written}`")
        return
    values = _parameters(parameter or [])
    store = _store_of(values, store)
    name = template or "run_report"
    on_sample = store is None and values.get("store") == SAMPLE
    opened = None
    if store is not None or _asks_for_store(ae.reports.find_template(name)):
        opened = ae.open_store(bundled("data") / "sample_store" if on_sample else store)
    if opened is not None and name == "run_report":
        run = run or values.get("run") or opened.newest_run()
    if run:
        values["run"] = run
    if baseline:
        values["baseline"] = baseline
    if html is None and markdown is None and notebook is None:
        file = _file_name(name, values)
        html = Path(f"{file}.html")
        if opened is not None and not on_sample:
            html = report_path(opened.path, file)
    source = SAMPLE if on_sample else None if opened is None else opened.path
    page = write_report(name, source, values, html=html, markdown=markdown, notebook=notebook)
    if json:
        print_json(
            {
                "template": name,
                "parameters": values,
                "html": html and str(html),
                "markdown": markdown and str(markdown),
                "notebook": notebook and str(notebook),
            }
        )
    else:
        say(f"wrote {page}")
    if open_ and html is not None:
        webbrowser.open(html.resolve().as_uri())


def _asks_for_store(template: Template) -> bool:
    return any(parameter.name == "store" for parameter in template.parameters)


def _store_of(values: dict[str, Any], store: Path | None) -> Path | None:
    """Take the store out of the parameters, where it was said there; the sample's name stays.

    Raises
    ------
    InvalidInput
        When it was said in two places.
    """
    if "store" not in values or (values["store"] == SAMPLE and store is None):
        return store
    if store is not None:
        raise InvalidInput(
            f"The store is named twice: {store} and {values['store']}",
            "--store and -p store=",
            "keep one of them",
        )
    return Path(values.pop("store")) if values["store"] else None


def write_report(
    template: str,
    store: Path | str | None,
    values: dict[str, Any],
    *,
    html: Path | None = None,
    markdown: Path | None = None,
    notebook: Path | None = None,
) -> Path:
    """Render and return the first file that was asked for."""
    from agenteval.reports import render

    render(
        template, store=store, parameters=values, html=html, markdown=markdown, notebook=notebook
    )
    return next(path for path in (html, markdown, notebook) if path is not None)


def report_path(store: Path, name: str) -> Path:
    """Where a report goes when nothing is said: `reports` beside the store."""
    return store.resolve().parent / "reports" / f"{name}.html"


def _file_name(template: str, values: dict[str, Any]) -> str:
    """The run's name for its own report; others are named for what they are about, too."""
    about = str(values.get("trial") or values.get("run") or "")
    if template == "run_report":
        return about
    return "-".join(filter(None, [Path(template).stem, about]))


def _parameters(pairs: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InvalidInput(
                f"The parameter {pair!r} is not key=value", "-p", "write it as in -p level=0.9"
            )
        values[key] = value
    return values
