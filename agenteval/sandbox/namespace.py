"""The namespace of one bubblewrap process, known by what bubblewrap writes to a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from collections.abc import Iterable, Sequence

from agenteval.sandbox.custody import Custody, descendants, signal_all
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.unreachable import Unreachable

DEATH_S = 10.0
# Bubblewrap's own --die-with-parent holds only once the namespace is made. Until then, and also
# after, this kills the process group, which the namespace's init cannot leave, with the engine. The
# guard itself stays out of the control groups that what is started enters.
GUARD = """
exec 3<&0 </dev/null; { read -r end <&3; kill -KILL 0; } & exec 3<&-
groups=$1; shift; IFS=:
for group in $groups; do echo 0 >"$group" || exit 126; done
exec "$@"
"""
# bubblewrap itself, and the init of the namespace
OWN_PROCESSES = 2


class Namespace(Custody):
    """Keeps everyone in the namespace: all die with its init, which dies with the engine.

    Bubblewrap writes `{"child-pid": ...}` when the namespace exists and `{"exit-code": ...}` when
    the command in it has ended; the latter is missing when bubblewrap itself failed. The command
    does not inherit the pipe, so it cannot forge either. It is held back until its limits are in
    force.

    Attributes
    ----------
    started
        Whether the command was reached (known once it has ended).

    Parameters
    ----------
    meter
        Its limits.
    offline
        Whether it has a network of its own, from which nothing can be reached.
    """

    def __init__(self, meter: Meter, *, offline: bool = False) -> None:
        super().__init__(meter)
        self._offline = offline
        self._unreachable: Unreachable | None = None
        self.limits = meter
        self.started = False
        self._status, self._status_end = os.pipe()
        self._held_end, self._hold = os.pipe()
        self._guard_end, self._guard = os.pipe()
        os.set_blocking(self._status, False)
        self._open |= {self._status, self._status_end, self._held_end, self._hold}
        self._open |= {self._guard_end, self._guard}
        self._unread = b""
        self._init: int | None = None
        self._init_pidfd: int | None = None

    @property
    def stdin(self) -> int:
        """For the guard: where it learns that the engine is dead."""
        return self._guard_end

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """For bubblewrap: where to report, and what to wait for."""
        return self._status_end, self._held_end

    def wrap(self, argv: Sequence[str]) -> list[str]:
        """Start a guard, then bubblewrap (`argv`), which is told about the two."""
        program, *rest = argv
        status, held = map(str, self.pass_fds)
        told = ("--json-status-fd", status, "--block-fd", held)
        groups = ":".join(map(str, self.limits.group.entries))
        return ["/bin/sh", "-c", GUARD, "sh", groups, program, *told, *rest]

    @property
    def channel(self) -> int:
        """Where bubblewrap reports."""
        return self._status

    def begin(self, pid: int) -> None:
        """Leave its ends of the pipes to bubblewrap."""
        del pid
        self._close(self._status_end, self._held_end, self._guard_end)

    def listen(self) -> bool:
        """Take what bubblewrap wrote; False at the end of the pipe."""
        try:
            data = os.read(self._status, 1 << 12)
        except BlockingIOError:
            return True
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in filter(None, lines):
            said = json.loads(line)
            self.started = self.started or "exit-code" in said
            if "child-pid" in said:
                self._let_go(said["child-pid"])
        return bool(data)

    def members(self) -> Iterable[int]:
        """All in the namespace, its init included."""
        return () if self._init is None else (self._init, *descendants(self._init))

    def terminate(self, pid: int) -> None:
        """Send SIGTERM to everyone inside but the namespace's init, whose end would kill them all."""
        inside = [member for member in self.members() if member != self._init]
        signal_all(inside, signal.SIGTERM)
        if not inside:
            self.kill(pid)

    def wait_empty(self) -> None:
        """Wait until the namespace's init is dead: the kernel lets it end after all others."""
        self.listen()
        if self._init_pidfd is not None:
            end = select.poll()
            end.register(self._init_pidfd, select.POLLIN)
            end.poll(DEATH_S * 1000)

    def network_tries(self) -> int | None:
        """Tries to reach a network that is not there; None where nothing counted them."""
        if self._unreachable is None:
            return None
        found = self._unreachable.tries()
        self._unreachable.close()
        return found

    def _let_go(self, init: int) -> None:
        self._init = init
        if self._offline:
            self._unreachable = Unreachable(init)
        with contextlib.suppress(ProcessLookupError, BrokenPipeError):
            self._init_pidfd = os.pidfd_open(init)
            self._open.add(self._init_pidfd)
            self.limits.admit(init)
            os.write(self._hold, b"x")
