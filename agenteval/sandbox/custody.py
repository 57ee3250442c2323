"""What keeps the processes of one command together, and knows how to end them."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from agenteval.sandbox.meter import Meter


class Custody:
    """A session of its own: reaches whoever stays in the program's process group.

    Its subclasses keep everyone. `run_process` calls, in this order: `wrap` and `pass_fds`, `begin`,
    `listen` whenever `channel` can be read, `terminate` and later `kill` when a limit is hit, and
    at the end, in any case, `settle` (the program is dead or must be, but its number is not free
    yet) and `wait_empty`.

    Parameters
    ----------
    meter
        Senses what the command uses, and enforces its limits.
    """

    def __init__(self, meter: Meter | None = None) -> None:
        self.meter = meter
        self._open: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._close(*self._open)

    def _close(self, *descriptors: int) -> None:
        for descriptor in descriptors:
            if descriptor in self._open:
                self._open.remove(descriptor)
                os.close(descriptor)

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """What to start in place of `argv`."""
        return list(argv)

    @property
    def stdin(self) -> int | None:
        """Descriptor for standard input, if it is not the command's."""
        return None

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """Descriptors that the program inherits."""
        return ()

    @property
    def channel(self) -> int | None:
        """Descriptor to listen on."""
        return None

    def begin(self, pid: int) -> None:
        """Take note that the program runs."""

    def listen(self) -> bool:
        """Take what the channel has; False at its end."""
        return False

    def members(self) -> Iterable[int]:
        """Processes in custody, as far as they can be seen now."""
        return ()

    def terminate(self, pid: int) -> None:
        """Ask all to end (SIGTERM)."""
        signal_group(pid, signal.SIGTERM)

    def kill(self, pid: int) -> None:
        """Kill all."""
        signal_group(pid, signal.SIGKILL)

    def settle(self, pid: int) -> None:
        """Kill who is left, before the program is reaped and somebody else can have its number."""
        signal_group(pid, signal.SIGKILL)

    def wait_empty(self) -> None:
        """Wait until nobody is left."""

    def exit_code(self, returncode: int) -> int:
        """Exit code of the command, given that of what was started in its place."""
        return returncode


def signal_group(pid: int, number: signal.Signals) -> None:
    """Signal a process group that may be gone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def signal_all(pids: Iterable[int], number: signal.Signals) -> None:
    """Signal processes that may be gone."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def descendants(pid: int) -> list[int]:
    """Processes below `pid`, as the kernel lists them now."""
    found: list[int] = []
    pending = [pid]
    while pending:
        with contextlib.suppress(OSError):  # whoever has ended meanwhile
            for task in Path(f"/proc/{pending.pop()}/task").iterdir():
                children = [int(word) for word in (task / "children").read_text().split()]
                found += children
                pending += children
    return found
