"""Looking after one running program: its output, its limits, its end."""

from __future__ import annotations

import os
import selectors
import signal
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO

from agenteval.sandbox.bounds import Bounds
from agenteval.sandbox.capture import Capture
from agenteval.sandbox.custody import Custody, signal_group

DRAIN_S = 1.0
DEATH_S = 10.0
LOOK_S = 0.25  # hundreds of trials that wait wake up as often
CHUNK = 1 << 16


class Watch:
    """Reads both streams and the program's end in one place, without a thread a stream.

    Parameters
    ----------
    pid
        The program, leader of its process group.
    streams
        Its output by name.
    bounds, custody, cancel, on_output
        As in `run_process`.
    """

    def __init__(
        self,
        pid: int,
        streams: Mapping[str, IO[bytes]],
        bounds: Bounds,
        custody: Custody,
        cancel: threading.Event | None,
        on_output: Callable[[str, bytes], None] | None,
    ) -> None:
        self.pid, self.bounds, self.custody = pid, bounds, custody
        self.cancel, self.on_output = cancel, on_output
        self.started = self.last_progress = time.monotonic()
        self.captures = {name: Capture(bounds.keep_bytes) for name in streams}
        self.selector = selectors.DefaultSelector()
        self.pidfd = os.pidfd_open(pid)
        self.selector.register(self.pidfd, selectors.EVENT_READ, "exit")
        for name, stream in streams.items():
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, name)
        if custody.channel is not None:
            self.selector.register(custody.channel, selectors.EVENT_READ, "custody")

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *exc: object) -> None:
        self.selector.close()
        os.close(self.pidfd)

    def until_exit(self) -> str | None:
        """Wait for the end; stop it at the first limit. Returns what stopped it."""
        stopped_by: str | None = None
        steps: list[tuple[float, Callable[[], None]]] = []
        while True:
            now = time.monotonic()
            if stopped_by is None:
                stopped_by = self._limit_hit(now)
                if stopped_by is not None:
                    self.custody.terminate(self.pid)
                    kill_at = now + self.bounds.grace_s
                    steps = [
                        (kill_at, lambda: self.custody.kill(self.pid)),
                        (kill_at + DEATH_S, lambda: signal_group(self.pid, signal.SIGKILL)),
                    ]
            while steps and now >= steps[0][0]:
                steps.pop(0)[1]()
            if stopped_by is None:
                pause = self._pause(now)
            else:
                pause = max(0.0, steps[0][0] - now) if steps else None
            if self._read(pause):
                return stopped_by

    def drain(self) -> None:
        """Read what is left in the pipes; a stranger who holds them open cannot hold us up."""
        self.selector.unregister(self.pidfd)
        deadline = time.monotonic() + DRAIN_S
        while self.selector.get_map() and time.monotonic() < deadline:
            self._read(deadline - time.monotonic())

    def _limit_hit(self, now: float) -> str | None:
        bounds, meter = self.bounds, self.custody.meter
        if self.cancel is not None and self.cancel.is_set():
            return "cancelled"
        if bounds.halt is not None and (halted := bounds.halt()) is not None:
            return halted
        if bounds.timeout_s is not None and now - self.started >= bounds.timeout_s:
            return "timeout"
        if bounds.no_progress_s is not None and self._is_quiet(now, bounds.no_progress_s):
            return "no_progress"
        total = sum(capture.total for capture in self.captures.values())
        if bounds.max_output_bytes is not None and total > bounds.max_output_bytes:
            return "output_limit"
        return None if meter is None else meter.look(now, self.custody.members)

    def _is_quiet(self, now: float, no_progress_s: float) -> bool:
        """Whether there was no progress for so long; what costs more is asked only if need be."""
        if now - self.last_progress < no_progress_s:
            return False
        elsewhere = None if self.bounds.activity is None else self.bounds.activity()
        if elsewhere is not None:
            self.last_progress = max(self.last_progress, elsewhere)
        if now - self.last_progress >= no_progress_s and self.custody.meter is not None:
            changed = self.custody.meter.last_change_s(now - self.last_progress)
            self.last_progress = max(self.last_progress, now - changed)
        return now - self.last_progress >= no_progress_s

    def _pause(self, now: float) -> float | None:
        bounds, meter, waits = self.bounds, self.custody.meter, []
        if bounds.timeout_s is not None:
            waits.append(self.started + bounds.timeout_s - now)
        if bounds.no_progress_s is not None:
            waits.append(self.last_progress + bounds.no_progress_s - now)
        if meter is not None and meter.next_look is not None:
            waits.append(meter.next_look - now)
        if self.cancel is not None or bounds.halt is not None:
            waits.append(LOOK_S)
        return max(0.005, min(waits)) if waits else None

    def _read(self, timeout: float | None) -> bool:
        """Take what is there; True when the program itself has ended."""
        ended = False
        for key, _ in self.selector.select(timeout):
            if key.data == "exit":
                ended = True
                continue
            if key.data == "custody":
                if not self.custody.listen():
                    self.selector.unregister(key.fileobj)
                continue
            chunk = os.read(key.fd, CHUNK)
            if not chunk:
                self.selector.unregister(key.fileobj)
                continue
            self.last_progress = time.monotonic()
            self.captures[key.data].add(chunk)
            if self.on_output is not None:
                self.on_output(key.data, chunk)
        return ended
