"""`agenteval task`: making tasks, one command a file."""

from __future__ import annotations

from collections.abc import Callable

import typer

from agenteval.cli.task import from_commit, from_failure, mine, new, solve

COMMANDS: dict[str, Callable[..., None]] = {
    "new": new.new,
    "solve": solve.solve,
    "from-commit": from_commit.from_commit,
    "mine": mine.mine,
    "from-failure": from_failure.from_failure,
}
app = typer.Typer(
    help="Make tasks: from nothing, from a commit, from a whole history, from a failure that was seen.",
    no_args_is_help=True,
    rich_markup_mode=None,
    epilog="Example: agenteval task from-commit ~/shop HEAD~3",
)
for _name, _function in COMMANDS.items():
    app.command(_name)(_function)
