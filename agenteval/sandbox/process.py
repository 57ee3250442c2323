"""The one place that starts processes: bounded in time and output, and nobody is left behind."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agenteval.sandbox.capture import Capture
from agenteval.sandbox.namespace import Namespace

DRAIN_S = 1.0
DEATH_S = 10.0
CHUNK = 1 << 16


@dataclass(frozen=True)
class Bounds:
    """What one process may use.

    Attributes
    ----------
    timeout_s
        Wall-clock seconds; None for no limit.
    no_progress_s
        Seconds without a byte of output; None for no limit.
    max_output_bytes
        Bytes of stdout and stderr together before it is stopped; None for no limit.
    grace_s
        Seconds between SIGTERM and SIGKILL.
    keep_bytes
        Bytes kept of each stream, half from its head and half from its tail.
    """

    timeout_s: float | None = None
    no_progress_s: float | None = None
    max_output_bytes: int | None = None
    grace_s: float = 2.0
    keep_bytes: int = 1 << 20


@dataclass(frozen=True)
class Finished:
    """How a process ended.

    Attributes
    ----------
    exit_code
        Exit code, negative for a signal; bubblewrap gives 128 + the signal, as a shell does.
    stopped_by
        None when it ended by itself, else timeout, no_progress, output_limit or cancelled.
    duration_s
        Wall-clock seconds.
    stdout, stderr
        Captured output, head and tail with a marker between when it was too long.
    """

    exit_code: int
    stopped_by: str | None
    duration_s: float
    stdout: bytes
    stderr: bytes


def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    bounds: Bounds | None = None,
    stdin: bytes | None = None,
    cancel: threading.Event | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
    namespace: Namespace | None = None,
) -> Finished:
    """Run a program to its end in a session of its own and take its whole group down with it.

    Parameters
    ----------
    argv
        Program and arguments; no shell is added.
    env
        The whole environment: nothing of the operator's is inherited.
    cwd
        Working directory.
    bounds
        Limits; none by default.
    stdin
        Bytes to feed; otherwise standard input is closed at once.
    cancel
        Stops the process when set.
    on_output
        Called with ("stdout" | "stderr", bytes) as output comes.
    namespace
        What the program (bubblewrap) reports to: SIGTERM then goes to those inside, and nobody
        inside is left when this returns.

    Raises
    ------
    OSError
        When the program cannot be started.
    """
    bounds = bounds or Bounds()
    started = time.monotonic()
    process = subprocess.Popen(
        list(argv),
        cwd=cwd,
        env=dict(env),
        stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=() if namespace is None else (namespace.write_end,),
    )
    with _Watch(process, bounds, cancel, on_output, namespace, started) as watch:
        if stdin is not None:
            _feed(process, stdin)
        stopped_by = watch.until_exit()
        watch.bury()
        watch.drain()
    return Finished(
        exit_code=process.returncode,
        stopped_by=stopped_by,
        duration_s=time.monotonic() - started,
        stdout=watch.captures["stdout"].value(),
        stderr=watch.captures["stderr"].value(),
    )


class _Watch:
    """Reads both streams and the process's end in one place, without a thread a stream."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        bounds: Bounds,
        cancel: threading.Event | None,
        on_output: Callable[[str, bytes], None] | None,
        namespace: Namespace | None,
        started: float,
    ) -> None:
        self.process, self.bounds, self.cancel, self.on_output = process, bounds, cancel, on_output
        self.namespace = namespace
        self.started = self.last_output = started
        self.captures = {name: Capture(bounds.keep_bytes) for name in ("stdout", "stderr")}
        self.selector = selectors.DefaultSelector()
        self.pidfd = os.pidfd_open(process.pid)
        self.selector.register(self.pidfd, selectors.EVENT_READ, "exit")
        for name in ("stdout", "stderr"):
            stream = getattr(process, name)
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, selectors.EVENT_READ, name)
        if namespace is not None:
            namespace.give_away()
            self.selector.register(namespace.read_end, selectors.EVENT_READ, "namespace")

    def __enter__(self) -> _Watch:
        return self

    def __exit__(self, *exc: object) -> None:
        if self.process.returncode is None:
            self.bury()
        self.selector.close()
        os.close(self.pidfd)
        for stream in (self.process.stdout, self.process.stderr, self.process.stdin):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def until_exit(self) -> str | None:
        """Wait for the end; stop it at the first limit. Returns what stopped it."""
        stopped_by: str | None = None
        kill_at: float | None = None
        while True:
            now = time.monotonic()
            if stopped_by is None:
                stopped_by = self._limit_hit(now)
                if stopped_by is not None:
                    self._terminate()
                    kill_at = now + self.bounds.grace_s
            elif kill_at is not None and now >= kill_at:
                _kill_group(self.process.pid, signal.SIGKILL)
                kill_at = None
            if self._read(self._pause(now, kill_at, stopped=stopped_by is not None)):
                return stopped_by

    def bury(self) -> None:
        """Kill what is left of the group, collect the exit code and wait for the namespace to empty.

        The group is killed before its leader is reaped: until then nobody else can have its number.
        Peak memory is not read here: Linux starts a child's maximum at its parent's size, so the
        number would be the engine's own.
        """
        _kill_group(self.process.pid, signal.SIGKILL)
        self.process.wait()
        if self.namespace is not None:
            self.namespace.wait_empty(DEATH_S)

    def _terminate(self) -> None:
        if self.namespace is None:
            _kill_group(self.process.pid, signal.SIGTERM)
        else:
            self.namespace.terminate()

    def drain(self) -> None:
        """Read what is left in the pipes; a stranger who holds them open cannot hold us up."""
        self.selector.unregister(self.pidfd)
        deadline = time.monotonic() + DRAIN_S
        while self.selector.get_map() and time.monotonic() < deadline:
            self._read(deadline - time.monotonic())

    def _limit_hit(self, now: float) -> str | None:
        bounds = self.bounds
        if self.cancel is not None and self.cancel.is_set():
            return "cancelled"
        if bounds.timeout_s is not None and now - self.started >= bounds.timeout_s:
            return "timeout"
        if bounds.no_progress_s is not None and now - self.last_output >= bounds.no_progress_s:
            return "no_progress"
        total = sum(capture.total for capture in self.captures.values())
        if bounds.max_output_bytes is not None and total > bounds.max_output_bytes:
            return "output_limit"
        return None

    def _pause(self, now: float, kill_at: float | None, *, stopped: bool) -> float | None:
        if stopped:
            return None if kill_at is None else max(0.0, kill_at - now)
        bounds, waits = self.bounds, []
        if bounds.timeout_s is not None:
            waits.append(self.started + bounds.timeout_s - now)
        if bounds.no_progress_s is not None:
            waits.append(self.last_output + bounds.no_progress_s - now)
        if self.cancel is not None:
            waits.append(0.1)
        return max(0.005, min(waits)) if waits else None

    def _read(self, timeout: float | None) -> bool:
        """Take what is there; True when the process itself has ended."""
        ended = False
        for key, _ in self.selector.select(timeout):
            if key.data == "exit":
                ended = True
                continue
            if key.data == "namespace":
                if self.namespace is None or not self.namespace.listen():
                    self.selector.unregister(key.fileobj)
                continue
            chunk = os.read(key.fd, CHUNK)
            if not chunk:
                self.selector.unregister(key.fileobj)
                continue
            self.last_output = time.monotonic()
            self.captures[key.data].add(chunk)
            if self.on_output is not None:
                self.on_output(key.data, chunk)
        return ended


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    def write() -> None:
        stream = process.stdin
        assert stream is not None
        with contextlib.suppress(BrokenPipeError, OSError, ValueError):
            stream.write(data)
            stream.close()

    threading.Thread(target=write, daemon=True).start()


def _kill_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)
