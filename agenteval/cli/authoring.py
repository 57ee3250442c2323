"""`agenteval init`: a first suite in somebody's own project."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.cli.options import JsonOption
from agenteval.cli.output import print_json, say


def init(
    folder: Annotated[Path, typer.Argument(help="The project's folder.")] = Path(),
    *,
    json: JsonOption = False,
) -> None:
    """Find the project's setup, test and lint commands; write a suite and a first task to fill in.

    Example: cd my-project && agenteval init
    """
    from agenteval.suite import detect_project, write_starter

    project = detect_project(folder)
    written = write_starter(folder, project)
    if json:
        print_json(
            {
                "language": project.language,
                "setup": project.setup,
                "test": project.test,
                "lint": project.lint,
                "evidence": project.evidence,
                "written": [str(path) for path in written],
            }
        )
        return
    for label, value in (
        ("language", project.language),
        ("setup", project.setup),
        ("test", project.test),
        ("lint", project.lint),
    ):
        print(f"{label:9} {value or 'not found: fill it in'}")
    for line in project.evidence:
        print(f"          {line}")
    for path in written:
        print(f"wrote     {path}")
    if any(path.name == "README.md" for path in written):
        say(
            "the project has no git commit to start from: put the files the agent starts from into evals/first-task/repo, or commit the project and name the commit in [source]"
        )
    say(
        "next: fill in the first task's prompt and check, then `agenteval validate` and `agenteval try TASK --agent scripted:noop`"
    )
