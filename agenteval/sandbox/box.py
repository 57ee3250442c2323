"""What a sandboxed command may see, and the Protocol of the sandboxes."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.programs import search_path


@dataclass(frozen=True)
class View:
    """Where the parts of a box are, as seen from inside.

    Attributes
    ----------
    workspace, home, tmp, inputs
        Paths inside.
    own_path
        Whether the inside has a PATH of its own, which then holds.
    """

    workspace: str
    home: str
    tmp: str
    inputs: str
    own_path: bool = False


@dataclass(frozen=True)
class Box:
    """The folders of one trial that a command may touch; nothing else of the machine is writable.

    Attributes
    ----------
    workspace
        Working copy, writable.
    home, tmp
        Private HOME and TMPDIR, writable.
    inputs
        Folder of what the engine hands the command, read-only.
    programs
        Names of programs to be found on PATH, wherever the operator has them.
    read_only
        Further files or folders of the host, shown at their own paths.
    hidden
        Folders that must not be seen, also where something shown contains them.
    network
        Whether the host's network can be reached.
    """

    workspace: Path
    home: Path
    tmp: Path
    inputs: Path
    programs: tuple[str, ...] = ()
    read_only: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = False

    @property
    def writable(self) -> tuple[Path, ...]:
        """The folders that a command can write to."""
        return self.workspace, self.home, self.tmp

    def create(self) -> None:
        """Make the folders that are missing."""
        for folder in (self.workspace, self.home, self.tmp, self.inputs):
            folder.mkdir(parents=True, exist_ok=True)

    def open_up(self) -> None:
        """Let its owner enter the folders again, whatever a command made of their modes."""
        for folder in self.writable:
            folder.chmod(folder.stat().st_mode | stat.S_IRWXU)


class Sandbox(Protocol):
    """A way to run a command so that it sees its box and little else."""

    name: str
    isolates: bool

    @property
    def identity(self) -> str:
        """What commands run in, for hashes of what they make: the name, and the image if there is one."""
        ...

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Those of `programs` that a command would not find.

        Raises
        ------
        Infrastructure
            When this cannot be found out.
        """
        ...

    def view(self, box: Box) -> View:
        """Paths of the box as the command sees them."""
        ...

    def run(
        self,
        box: Box,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        bounds: Bounds | None = None,
        cancel: threading.Event | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
    ) -> Finished:
        """Run `argv` in the box's workspace; arguments as in `run_process`.

        Raises
        ------
        Infrastructure
            When the sandbox failed before the command was reached.
        """
        ...


@dataclass(frozen=True)
class Command:
    """One command for a sandbox: argv, variables on top of the base ones, and a folder to run in."""

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = "."


def base_environment(view: View, programs: Sequence[str] = ()) -> dict[str, str]:
    """Variables every sandboxed command gets; nothing else of the operator's goes in."""
    path = {} if view.own_path else {"PATH": search_path(programs)}
    return path | {
        "HOME": view.home,
        "TMPDIR": view.tmp,
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
    }


def run_in(
    sandbox: Sandbox,
    box: Box,
    command: Command,
    *,
    bounds: Bounds | None = None,
    cancel: threading.Event | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
) -> Finished:
    """Run a command in a box; the arguments are those of `run_process`.

    Its folder is entered by a shell inside the sandbox, so that one which is missing, or a link
    that leads nowhere, is the command's failure (exit code 125) and not the sandbox's.
    """
    view = sandbox.view(box)
    argv = list(command.argv)
    if command.cwd != ".":
        argv = ["/bin/sh", "-c", 'cd "$1" || exit 125; shift; exec "$@"', "sh", command.cwd, *argv]
    return sandbox.run(
        box,
        argv,
        env=base_environment(view, box.programs) | dict(command.env),
        bounds=bounds,
        cancel=cancel,
        on_output=on_output,
    )
