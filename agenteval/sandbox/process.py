"""The one place that starts processes: bounded in time and output, and nobody is left behind."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.custody import Custody
from agenteval.sandbox.watch import Watch


def run_process(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    bounds: Bounds | None = None,
    stdin: bytes | None = None,
    cancel: threading.Event | None = None,
    on_output: Callable[[str, bytes], None] | None = None,
    custody: Custody | None = None,
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
    custody
        Keeps what the program starts; its process group by default, which a child can leave.

    Raises
    ------
    OSError
        When the program cannot be started.
    Infrastructure
        When the custody could not be had, or the kernel killed a process for want of memory
        though the command was within its own limit.
    """
    bounds, custody = bounds or Bounds(), custody or Custody()
    started = time.monotonic()
    process = subprocess.Popen(
        custody.wrap(argv),
        cwd=cwd,
        env=dict(env),
        stdin=_stdin(custody) if stdin is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        pass_fds=custody.pass_fds,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    streams = {"stdout": process.stdout, "stderr": process.stderr}
    with contextlib.ExitStack() as closing:
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                closing.callback(_close, stream)
        try:
            watch = closing.enter_context(
                Watch(process.pid, streams, bounds, custody, cancel, on_output)
            )
            custody.begin(process.pid)
            if stdin is not None:
                _feed(process, stdin)
            stopped_by = watch.until_exit()
        finally:
            custody.settle(process.pid)
            process.wait()
            custody.wait_empty()
        watch.drain()
    meter = custody.meter
    if meter is not None:
        stopped_by = stopped_by or meter.last_look()
    return Finished(
        exit_code=custody.exit_code(process.returncode),
        stopped_by=stopped_by,
        duration_s=time.monotonic() - started,
        stdout=watch.captures["stdout"].value(),
        stderr=watch.captures["stderr"].value(),
        peak_memory_mb=None if meter is None else meter.peak_memory_mb(),
    )


def run_attached(argv: Sequence[str], *, env: Mapping[str, str], cwd: Path) -> int:
    """Run a program of the operator's own on their terminal, without limits; returns its exit code.

    Ctrl-C is for the program: it does not end this process.

    Raises
    ------
    OSError
        When the program cannot be started.
    """
    # a handler, since a program inherits what is ignored
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        done = subprocess.run(argv, cwd=cwd, env=dict(env), check=False)
    finally:
        signal.signal(signal.SIGINT, before)
    return done.returncode


def _stdin(custody: Custody) -> int:
    return subprocess.DEVNULL if custody.stdin is None else custody.stdin


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    def write() -> None:
        stream = process.stdin
        assert stream is not None
        with contextlib.suppress(BrokenPipeError, OSError, ValueError):
            stream.write(data)
            stream.close()

    threading.Thread(target=write, daemon=True).start()


def _close(stream: IO[bytes]) -> None:
    with contextlib.suppress(OSError):
        stream.close()
