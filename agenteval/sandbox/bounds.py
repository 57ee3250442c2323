"""What one command may use, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# A fork bomb must meet a limit also where a task names none.
MAX_PROCESSES = 2048


@dataclass(frozen=True)
class Bounds:
    """What one command may use; None means no limit.

    `memory_mb`, `max_processes` and `disk_mb` need a sandbox: `run_process` alone, which knows
    neither the command's folders nor all of its processes, does not look at them.

    Attributes
    ----------
    timeout_s
        Wall-clock seconds.
    no_progress_s
        Seconds without a byte of output, without a file that changes in the box's writable
        folders, and without what `activity` sees.
    max_output_bytes
        Bytes of stdout and stderr together before it is stopped.
    memory_mb
        Mebibytes of memory of all its processes together, files in memory included.
    max_processes
        Processes at one time; each further thread counts as one, as it does for the kernel.
    disk_mb
        Mebibytes by which the box's writable folders may grow together. With None, they may hold a
        quarter of the space that was free at the start once half of it is gone.
    activity
        Gives the time (`time.monotonic`) of the last progress seen elsewhere, such as model
        traffic; None for none yet.
    halt
        Names who stops the command from elsewhere (such as a limit on model use), once it is to be
        stopped; None until then.
    grace_s
        Seconds between SIGTERM and SIGKILL.
    keep_bytes
        Bytes kept of each stream, half from its head and half from its tail.
    """

    timeout_s: float | None = None
    no_progress_s: float | None = None
    max_output_bytes: int | None = None
    memory_mb: int | None = None
    max_processes: int | None = None
    disk_mb: int | None = None
    activity: Callable[[], float | None] | None = None
    halt: Callable[[], str | None] | None = None
    grace_s: float = 2.0
    keep_bytes: int = 1 << 20


@dataclass(frozen=True)
class Finished:
    """How a command ended.

    Attributes
    ----------
    exit_code
        Exit code, negative for a signal; bubblewrap and containers give 128 + the signal, as a
        shell does.
    stopped_by
        None when it ended by itself, else timeout, no_progress, output_limit, memory_limit,
        process_limit, disk_limit, cancelled or what `halt` named. A limit that was reached is named also when the
        command then ended by itself.
    duration_s
        Wall-clock seconds.
    stdout, stderr
        Captured output, head and tail with a marker between when it was too long.
    peak_memory_mb
        Most memory that all its processes used together, in mebibytes, files in memory and cached
        file contents included; None where nothing counts it.
    network_tries
        Packets to a network that the sandbox does not have; None where nothing counts them.
    """

    exit_code: int
    stopped_by: str | None
    duration_s: float
    stdout: bytes
    stderr: bytes
    peak_memory_mb: float | None = None
    network_tries: int | None = None
