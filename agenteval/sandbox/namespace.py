"""The namespace of one bubblewrap process, known by what bubblewrap writes to a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
from pathlib import Path


class Namespace:
    """Tells whether the command was reached, and lets everyone in the namespace be stopped.

    Bubblewrap writes `{"child-pid": ...}` when the namespace exists and `{"exit-code": ...}` when
    the command in it has ended; the latter is missing when bubblewrap itself failed. The command
    does not inherit the pipe, so it cannot forge either.

    Attributes
    ----------
    read_end, write_end
        Descriptors of the pipe; the second is for bubblewrap.
    started
        Whether the command was reached (known once it has ended).
    """

    def __init__(self) -> None:
        self.read_end, self.write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        self.started = False
        self._unread = b""
        self._init: int | None = None
        self._init_pidfd: int | None = None

    def __enter__(self) -> Namespace:
        return self

    def __exit__(self, *exc: object) -> None:
        self.give_away()
        os.close(self.read_end)
        if self._init_pidfd is not None:
            os.close(self._init_pidfd)

    def give_away(self) -> None:
        """Close the write end here, once bubblewrap has it."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    def listen(self) -> bool:
        """Take what bubblewrap wrote; False at the end of the pipe."""
        try:
            data = os.read(self.read_end, 1 << 12)
        except BlockingIOError:
            return True
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in filter(None, lines):
            said = json.loads(line)
            self.started = self.started or "exit-code" in said
            if "child-pid" in said:
                self._init = said["child-pid"]
                with contextlib.suppress(ProcessLookupError):
                    self._init_pidfd = os.pidfd_open(self._init)
        return bool(data)

    def terminate(self) -> None:
        """Send SIGTERM to everyone inside but the namespace's init, whose end would kill them all."""
        for pid in descendants(self._init) if self._init is not None else ():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGTERM)

    def wait_empty(self, timeout_s: float) -> None:
        """Wait until the namespace's init is dead: the kernel lets it end after all others."""
        self.listen()
        if self._init_pidfd is not None:
            end = select.poll()
            end.register(self._init_pidfd, select.POLLIN)
            end.poll(timeout_s * 1000)


def descendants(pid: int) -> list[int]:
    """Processes below `pid`, as the kernel lists them now."""
    found: list[int] = []
    pending = [pid]
    while pending:
        for listing in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                children = [int(word) for word in listing.read_text().split()]
                found += children
                pending += children
    return found
