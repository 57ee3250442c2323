"""Custody without namespaces: a supervisor process that the command's processes cannot leave."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from agenteval.errors import Infrastructure
from agenteval.sandbox.custody import Custody, descendants, signal_group
from agenteval.sandbox.meter import Meter

PROGRAM = Path(__file__).with_name("supervisor.py")
DEATH_S = 10.0


class Supervised(Custody):
    """Keeps everyone below a supervisor, which kills them when the command or the engine has ended.

    Whoever kills the supervisor first is out of its reach, but not out of the control group's where
    there is one.
    """

    def __init__(self, meter: Meter) -> None:
        super().__init__(meter)
        self.limits = meter
        self._control_end, self._control = os.pipe()
        self._status, self._status_end = os.pipe()
        self._open |= {self._control_end, self._control, self._status, self._status_end}
        self._said = b""
        self._pid: int | None = None

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """The supervisor, told what to start."""
        rlimits = ",".join(f"{limit}={value}" for limit, value in self.limits.rlimits.items())
        entries = ":".join(map(str, self.limits.group.entries))
        ends = map(str, self.pass_fds)
        return [sys.executable, "-I", "-S", str(PROGRAM), *ends, rlimits, entries, *argv]

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """For the supervisor: where it is told, and where to report."""
        return self._control_end, self._status_end

    @property
    def channel(self) -> int:
        """Where the supervisor reports."""
        return self._status

    def begin(self, pid: int) -> None:
        """Leave its ends of the pipes to the supervisor."""
        self._pid = pid
        self._close(self._control_end, self._status_end)

    def listen(self) -> bool:
        """Take what the supervisor wrote; False at the end of the pipe."""
        data = os.read(self._status, 1 << 12)
        self._said += data
        return bool(data)

    def members(self) -> Iterable[int]:
        """All below the supervisor."""
        return () if self._pid is None else descendants(self._pid)

    def terminate(self, pid: int) -> None:
        """Have SIGTERM sent to all below the supervisor."""
        del pid
        with contextlib.suppress(BrokenPipeError):
            os.write(self._control, b"t")

    def kill(self, pid: int) -> None:
        """Have all killed; the supervisor ends when nobody is left."""
        del pid
        self._close(self._control)

    def settle(self, pid: int) -> None:
        """Kill whoever is left, by the supervisor and by the control group."""
        self.kill(pid)
        with contextlib.suppress(ProcessLookupError):
            pidfd = os.pidfd_open(pid)
            end = select.poll()
            end.register(pidfd, select.POLLIN)
            end.poll(DEATH_S * 1000)
            os.close(pidfd)
        signal_group(pid, signal.SIGKILL)
        self.limits.group.kill()

    def exit_code(self, returncode: int) -> int:
        """What the supervisor reported; its own exit code if somebody killed it before it could.

        Raises
        ------
        OSError
            When the command could not be started.
        Infrastructure
            When it could not be put under its limits.
        """
        while self._status in self._open and self.listen():
            pass
        said = self._said.decode().split("\n", 1)[0]
        if said[:1] == "!":
            raise OSError(int(said[1:]), os.strerror(int(said[1:])))
        if said[:1] == "?":
            raise Infrastructure(
                f"The command could not be put under its limits: {os.strerror(int(said[1:]))}",
                "sandbox plain",
                "see `agenteval doctor` for what enforces limits here",
                "sandbox_failed",
            )
        return int(said) if said else returncode
