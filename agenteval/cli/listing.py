"""`agenteval list`: what there is to run and what was run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.cli.arms import warn_of_forgeable
from agenteval.cli.options import JsonOption, StoreOption, TasksOption, suite_folder
from agenteval.cli.output import print_json, print_table, records_of
from agenteval.errors import InvalidInput

THINGS = ("tasks", "agents", "variants", "runs", "arms", "reports")


def list_(
    what: Annotated[str, typer.Argument(help=f"One of: {', '.join(THINGS)}.")] = "tasks",
    suite: Annotated[
        Path | None,
        typer.Argument(
            help="Suite to list tasks of; `bundled` for those that come along.",
            show_default="./evals or ./tasks",
        ),
    ] = None,
    *,
    tasks: TasksOption = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Run to list arms of.", show_default="all")
    ] = None,
    agents: Annotated[
        bool, typer.Option("--agents", help="The same as `agenteval list agents`.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """List tasks, agents, variants, runs, arms or report templates.

    Example: agenteval list tasks bundled --tasks tag:demo
    """
    if agents:
        rows, columns = _agents()
    elif what == "tasks":
        rows, columns = _tasks(suite, tasks)
    elif what == "agents":
        rows, columns = _agents()
    elif what == "variants":
        rows, columns = _variants(suite)
    elif what == "runs":
        rows, columns = _runs(store)
    elif what == "arms":
        rows, columns = _arms(store, run)
    elif what == "reports":
        rows, columns = _reports()
    else:
        raise InvalidInput(
            f"There is no list of {what!r}",
            "agenteval list",
            f"use one of {', '.join(THINGS)}; a suite's folder comes second, as in `agenteval list tasks ./evals`",
        )
    if json:
        print_json(rows)
    else:
        print_table(rows, columns)


Rows = tuple[list[dict[str, object]], list[str]]


def _tasks(suite: Path | None, selection: str | None) -> Rows:
    from agenteval.suite import forgeable_checks, load_suite

    loaded = load_suite(suite_folder(suite), tasks=selection)
    warn_of_forgeable(loaded.tasks)
    columns = ["id", "kind", "category", "difficulty", "language", "split", "checks", "title"]
    return [
        {
            "id": t.task.id,
            "kind": t.task.kind,
            "category": t.task.category,
            "difficulty": t.task.difficulty,
            "language": t.task.language,
            "split": t.task.split,
            "tags": t.task.tags,
            "checks": len(t.task.checks),
            "forgeable_checks": forgeable_checks(t.task),
            "title": t.task.title,
            "digest": t.digest,
        }
        for t in loaded.tasks
    ], columns


def _agents() -> Rows:
    from agenteval.agents import agent_catalogue

    return agent_catalogue(), ["agent", "formats", "installed", "what it is"]


def _variants(suite: Path | None) -> Rows:
    from agenteval.suite import load_variants

    folder = suite_folder(suite)
    found = load_variants(folder if folder.is_dir() else folder.parent)
    return [
        {
            "variant": variant.name,
            "description": variant.description,
            "sets": sorted(variant.overlay.keys),
            "hands over": variant.overlay.hands,
            "digest": variant.overlay.digest,
        }
        for variant in found
    ], ["variant", "description", "sets", "hands over", "digest"]


def _runs(store: Path | None) -> Rows:
    import agenteval as ae

    frame = ae.open_store(store).runs()
    return records_of(frame), [
        "run_id",
        "suite",
        "created_at",
        "planned_trials",
        "repeats",
        "sandbox",
        "source",
    ]


def _arms(store: Path | None, run: str | None) -> Rows:
    import agenteval as ae

    frame = ae.open_store(store).arms()
    if run:
        frame = frame[frame["run_id"] == run]
    return records_of(frame), [
        "run_id",
        "arm",
        "agent",
        "agent_version",
        "model",
        "variant",
        "arm_digest",
    ]


def _reports() -> Rows:
    from agenteval.reports import templates

    return [
        {"report": t.name, "question": t.question, "parameters": [p.name for p in t.parameters]}
        for t in templates()
    ], ["report", "question", "parameters"]
