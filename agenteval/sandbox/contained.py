"""Custody of a container: its runtime holds the processes, a shell in it tells how far they are."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path

from agenteval.sandbox.custody import Custody, descendants, signal_all
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.observed import Observed
from agenteval.sandbox.runtime import Runtime

INSIDE = "/.agenteval"
# The first process of the container: it outlives the command until its counters have been read.
# Its own words, such as "Killed", are not the command's output.
INIT = """
exec 9>&2 2>/dev/null
echo started >"$0/said"
"$@" 2>&9 9>&-; code=$?
echo ended >"$0/said" & read go <"$0/go"
exit $code
"""
# Beside the client: when the engine closes its end of the pipe, or is dead, the container goes.
GUARD = """
pipe=$1 remove=$2; shift 2
{
    cat "/proc/self/fd/$pipe"
    trap 'exit 0' TERM
    while :; do eval "$remove"; sleep 0.2; done
} >/dev/null 2>&1 & guard=$!
"$@"; code=$?
kill $guard; wait $guard 2>/dev/null
exit $code
"""
TALK_BYTES = 1 << 12


class Contained(Custody):
    """Keeps everyone in the container, which is removed when the engine says so or is dead.

    Parameters
    ----------
    meter
        Senses what the command uses.
    runtime
        Podman or docker.
    name
        Name of the container.
    folder
        Empty folder for two FIFOs, to be mounted read-only at `INSIDE`: from inside, one can only
        be written to and the other only be read. Whoever does so can hide which limit was hit, and
        nothing else.

    Attributes
    ----------
    started
        Whether the command was reached.
    """

    def __init__(
        self, meter: Meter, group: Observed, runtime: Runtime, name: str, folder: Path
    ) -> None:
        super().__init__(meter)
        self.started = False
        self._group, self._runtime, self._name = group, runtime, name
        self._control_end, self._control = os.pipe()
        self._open |= {self._control_end, self._control}
        self._said = self._fifo(folder / "said", inside=0o200)
        self._go = self._fifo(folder / "go", inside=0o400)
        self._init: int | None = None
        self._talk = b""

    def _fifo(self, path: Path, *, inside: int) -> int:
        os.mkfifo(path, 0o600)
        # both directions, so that it opens at once and never ends
        descriptor = os.open(path, os.O_RDWR | os.O_NONBLOCK)
        self._open.add(descriptor)
        # nobody in there has a capability that overrides this: what is told can neither be taken
        # from us, nor the pipe be full when we answer
        path.chmod(inside)
        return descriptor

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """For the guard: where it learns that it is time."""
        return (self._control_end,)

    @property
    def channel(self) -> int:
        """Where the first process in the container tells how far it is."""
        return self._said

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """The client, with a guard beside it."""
        remove = shlex.join(self._runtime.removal(self._name))
        return ["/bin/sh", "-c", GUARD, "sh", str(self._control_end), remove, *argv]

    def begin(self, pid: int) -> None:
        """Leave the guard its end of the pipe."""
        del pid
        self._close(self._control_end)

    def listen(self) -> bool:
        """Take what the container's first process says; False when there is more than that."""
        data = os.read(self._said, TALK_BYTES)
        self._talk += data
        *lines, _ = self._talk.split(b"\n")
        if b"started" in lines and not self.started:
            self.started = True
            if self._group.limits_memory or self._group.limits_processes:
                self._find_init()
        forged = len(self._talk) > TALK_BYTES
        if b"ended" in lines or forged:
            self._group.look()
            os.write(self._go, b"go\n")
        return not forged and b"ended" not in lines

    def members(self) -> Iterable[int]:
        """All below the container's first process, if it can be seen from here."""
        return () if self._init is None else descendants(self._init)

    def terminate(self, pid: int) -> None:
        """Send SIGTERM to all in the container; its first process waits for them."""
        if self._init is None and self.started:
            self._find_init()
        inside = list(self.members())
        signal_all(inside, signal.SIGTERM)
        if not inside:
            self.kill(pid)

    def kill(self, pid: int) -> None:
        """Have the container killed and removed; the client ends with it."""
        del pid
        self._close(self._control)

    def _find_init(self) -> None:
        told = self._runtime.call("inspect", "--format", "{{.State.Pid}}", self._name)
        pid = int(told.stdout) if told.stdout.strip().isdigit() else 0
        # a runtime on another machine, or outside of our PID namespace, has other numbers
        with contextlib.suppress(OSError):
            if pid and INSIDE.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                self._init = pid
                self._group.attach(pid)
