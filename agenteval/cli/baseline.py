"""`agenteval baseline`: saving what a gate compares with, as a small file to commit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.gate import FolderOption
from agenteval.cli.gate_sides import FOLDER, baseline_path, run_side
from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import count, print_json, print_table, say
from agenteval.errors import AgentEvalError, InvalidInput, NotEnoughData, StoreError

if TYPE_CHECKING:
    from agenteval.records import Baseline

ACTIONS = ("save", "show", "list")
COLUMNS = ("name", "saved_at", "source", "arms", "tasks", "own_dimensions")


def baseline(
    action: Annotated[str, typer.Argument(metavar="save|show|list", help="What to do.")],
    name: Annotated[
        str | None,
        typer.Argument(help="Name in the folder, or a path ending in .json.", show_default=False),
    ] = None,
    *,
    run: Annotated[
        str | None,
        typer.Option("--run", help="Run (or file) to save.", show_default="the newest run"),
    ] = None,
    arm: Annotated[
        str | None, typer.Option("--arm", help="Save this arm alone.", show_default=False)
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Put it in the place of one of the same name.")
    ] = False,
    folder: FolderOption = FOLDER,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Save a run as a baseline (a small JSON file with digests, fit to commit), show one, list them.

    Example: agenteval baseline save main --run nightly-17
    """
    if action not in ACTIONS:
        raise InvalidInput(
            f"There is nothing called {action!r} to do",
            "agenteval baseline",
            f"use one of {', '.join(ACTIONS)}",
        )
    if action == "list":
        _list(folder, json=json)
        return
    if name is None:
        raise InvalidInput(
            "No baseline is named", f"agenteval baseline {action}", "name one, such as main"
        )
    path = baseline_path(name, folder)
    if action == "show":
        _show(path, json=json)
        return
    _save(path, run, arm, store=store, replace=replace, json=json)


def _save(
    path: Path, run: str | None, arm: str | None, *, store: Path | None, replace: bool, json: bool
) -> None:
    if path.exists() and not replace:
        raise InvalidInput(
            "There is a baseline of this name already, and a gate needs a fixed one",
            str(path),
            "choose another name, or add --replace",
        )
    found = run_side(run, arm, store=store).model_copy(update={"name": path.stem})
    graded = sum(task.trials > 0 for side in found.arms for task in side.tasks)
    if not graded:
        raise NotEnoughData(
            "Nothing in the run counts, so there is nothing to compare with",
            f"run {found.source}",
            "run it again; `agenteval status` says what went wrong",
        )
    try:
        found.write(path)
    except OSError as error:
        raise StoreError(
            f"The baseline cannot be written: {error.strerror}", str(path), "name another place"
        ) from error
    if json:
        print_json({**_row(found), "path": path})
        return
    tasks = sum(len(side.tasks) for side in found.arms)
    print(f"saved {path}: {count(len(found.arms), 'arm')}, {count(tasks, 'task')}")
    say(f"commit it, then: agenteval gate --against {path.stem if path.parent == FOLDER else path}")


def _show(path: Path, *, json: bool) -> None:
    from agenteval.records import read_baseline

    found = read_baseline(path)
    if json:
        print_json(found.model_dump(mode="json"))
        return
    rows = []
    for arm in found.arms:
        for task in arm.tasks:
            rows.append(
                {
                    "arm": arm.arm,
                    "task": task.task_id,
                    "kind": task.kind,
                    "passes": f"{task.passes}/{task.trials}",
                    "left_out": task.left_out,
                    "pass_policy": task.pass_policy,
                    "digest": task.task_digest,
                    "evidence": len(task.values),
                }
            )
    say(f"{path}: {found.name}, saved {found.saved_at:%Y-%m-%d %H:%M} UTC from {found.source}")
    print_table(rows, list(rows[0]))


def _list(folder: Path, *, json: bool) -> None:
    from agenteval.records import read_baseline

    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.json")):
        try:
            rows.append({**_row(read_baseline(path)), "path": path})
        except AgentEvalError as error:
            say(f"cannot be read: {error.where}")
    if json:
        print_json(rows)
    elif rows:
        print_table(rows, COLUMNS)
    else:
        say(f"no baselines in {folder}; `agenteval baseline save main` makes one")


def _row(found: Baseline) -> dict[str, Any]:
    return {
        "name": found.name,
        "saved_at": found.saved_at,
        "source": found.source,
        "arms": [arm.arm for arm in found.arms],
        "tasks": len({(task.suite, task.task_id) for arm in found.arms for task in arm.tasks}),
        "own_dimensions": [dimension.name for dimension in found.dimensions],
    }
