"""The application: its commands in the order people meet them, and how it fails."""

from __future__ import annotations

import sys
from collections.abc import Callable

import typer

from agenteval.cli import (
    again,
    authoring,
    baseline,
    compare,
    demo,
    diff,
    doctor,
    gate,
    grading,
    history,
    import_tasks,
    listing,
    looking,
    plan,
    prices,
    regrade,
    rejudge,
    report,
    run,
    schema,
    status,
    task,
    trying,
    validate,
    void,
)
from agenteval.cli.output import say
from agenteval.errors import AgentEvalError

app = typer.Typer(
    name="agenteval",
    help="A laboratory for coding agents: did the change help, by how much, how sure can we be, what did it cost, and what broke?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    add_completion=False,
    context_settings={"max_content_width": 110},
    epilog="Start with `agenteval demo`. Exit codes: 0 done, 1 a run that its budget stopped short or with an arm of which nothing counts, 2 the command, or an arm of it, could not be carried out, 130 interrupted.",
)
COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo.demo,
    "init": authoring.init,
    "list": listing.list_,
    "try": trying.try_,
    "run": run.run,
    "retry": again.retry,
    "merge": again.merge,
    "regrade": regrade.regrade,
    "rejudge": rejudge.rejudge,
    "grade": grading.grade,
    "void": void.void,
    "validate": validate.validate,
    "status": status.status,
    "show": looking.show,
    "diff": diff.diff,
    "grep": looking.grep,
    "report": report.report,
    "compare": compare.compare,
    "gate": gate.gate,
    "baseline": baseline.baseline,
    "plan": plan.plan,
    "prices": prices.prices,
    "sql": history.sql,
    "import": history.import_,
    "import-tasks": import_tasks.import_tasks,
    "schema": schema.schema,
    "doctor": doctor.doctor,
}
for _name, _function in COMMANDS.items():
    app.command(_name)(_function)
app.add_typer(task.app, name="task")


@app.callback(invoke_without_command=True)
def _version(
    version: bool = typer.Option(False, "--version", help="Print the version and leave."),
) -> None:
    if version:
        from agenteval import __version__

        print(__version__)
        raise typer.Exit


def run_command(arguments: list[str] | None = None) -> None:
    """Run the command line; a user's mistake is three lines on stderr and exit code 2."""
    try:
        given = sys.argv[1:] if arguments is None else arguments
        app(args=given, prog_name="agenteval", obj=given)
    except AgentEvalError as error:
        say(f"error: {error}")
        sys.exit(2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
