"""`agenteval task from-failure`: a task made of a failure that was seen in a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import print_json, say
from agenteval.cli.task.where import suite_to_write
from agenteval.errors import InvalidInput


def from_failure(
    run: Annotated[str, typer.Argument(help="Run in which it was seen.")],
    trial: Annotated[str, typer.Argument(help="Trial id, or the start of one.")],
    *,
    task: Annotated[
        str | None, typer.Option("--id", help="Id of the new task.", show_default="TASK-seen")
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            "--suite", help="Where the run's suite lies now, if it was moved.", show_default=False
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Make a task of a failure: the same start, prompt and grading, the agent's change as a wrong solution.

    It goes beside the task that was failed (that of a bundled one into ./evals), loads, and says
    what its author must decide. notes.md holds the failing checks. An eval gets better by the
    failures of one's own agent.

    Example: agenteval task from-failure run-20260101-120000-ab12 3f9a1c
    """  # fmt: skip
    import agenteval as ae
    from agenteval.engine import suite_of
    from agenteval.engine.authoring import Failure, newer_id, refuse_success
    from agenteval.engine.authoring import from_failure as make
    from agenteval.records import StoreFolder, bundled, read_manifest

    opened = ae.open_store(store)
    view = opened.trial(trial)
    row = view.row
    if row["run_id"] != run:
        raise InvalidInput(
            f"Trial {view.id} is of run {row['run_id']}, not of {run}",
            "agenteval task from-failure",
            f"give {row['run_id']} as the run",
        )
    passed = row["passed"]
    refuse_success(None if passed is None else bool(passed), view.id)
    folder = StoreFolder(opened.path).run(run)
    if not folder.manifest.exists():
        raise InvalidInput(
            f"The folder of run {run} is not in the store",
            str(folder.path),
            "its tables are, but its patches are not: name a run whose folder is there",
        )
    loaded_suite = suite_of(read_manifest(folder.manifest), folder, suite)
    if loaded_suite.module is not None:
        raise InvalidInput(
            "The run's suite is written in Python, and a task's folder cannot be added to it",
            str(loaded_suite.module),
            "write the task there by hand; `agenteval show` has the patch",
        )
    failed = loaded_suite.task(row["task_id"])
    checks = view.checks
    failing = checks[~checks["passed"].fillna(value=False).astype(bool)]
    failure = Failure(
        run_id=run,
        trial_id=view.id,
        arm=row["arm"],
        outcome=view.outcome,
        failing=list(zip(failing["name"].astype(str), failing["detail"].fillna("").astype(str), strict=True)),
        patch=view.diff.encode("utf-8", "surrogateescape"),
        answer=view.answer,
        task_digest=row["task_digest"],
    )  # fmt: skip
    # what comes along is replaced by the next version: nothing of one's own belongs there
    shipped = failed.folder.parent.resolve() == bundled("tasks").resolve()
    into = suite_to_write(None) if shipped else None
    derived = make(
        failed, failure, task or newer_id(into or failed.folder.parent, failed.id), into=into
    )
    if json:
        print_json({"task_id": derived.folder.name, "folder": str(derived.folder), "failing": [name for name, _ in failure.failing], "missing": derived.missing})  # fmt: skip
        return
    print(f"wrote {derived.folder}")
    print(
        "failing checks: " + (", ".join(name for name, _ in failure.failing) or "none is recorded")
    )
    print("what you must decide:")
    for line in derived.missing:
        print(f"  {line}")
    say(f"next: `agenteval validate {derived.folder}`")
