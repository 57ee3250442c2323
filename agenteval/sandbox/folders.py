"""How much folders hold and when something in them last changed, asked of `du` and `find`.

Both walk safely through what an agent can make: links, names with newlines, trees deeper than a
path can name, files that vanish meanwhile.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from agenteval.sandbox.bounds import Bounds
from agenteval.sandbox.process import run_process

ENV = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C"}
WALK_S = 60.0
TICK_S = 0.02  # file times are those of the last tick of the kernel's clock


def used_bytes(folders: Sequence[Path]) -> int:
    """Bytes of disk that folders hold together; a file with several names counts once."""
    names = [str(folder) for folder in folders]
    done = run_process(["du", "-sxB1", "--", *names], env=ENV, bounds=Bounds(timeout_s=WALK_S))
    return sum(int(size) for size in re.findall(rb"^(\d+)\t", done.stdout, re.MULTILINE))


def used_files(folders: Sequence[Path]) -> int:
    """Files, folders and links that folders hold together."""
    names = [str(folder) for folder in folders]
    argv = ["du", "-sx", "--inodes", "--", *names]
    done = run_process(argv, env=ENV, bounds=Bounds(timeout_s=WALK_S))
    return sum(int(count) for count in re.findall(rb"^(\d+)\t", done.stdout, re.MULTILINE))


def last_change_s(folders: Sequence[Path], within_s: float) -> float:
    """Seconds since a file, folder or link in folders was made, written or renamed.

    Parameters
    ----------
    within_s
        How far to look back; this is also the answer when nothing changed.
    """
    now = time.time()
    names = [str(folder) for folder in folders]
    since = f"@{now - within_s - TICK_S:.6f}"
    # the time of the last status change: unlike the one of the last write, it cannot be set
    done = run_process(
        ["find", *names, "-xdev", "-newerct", since, "-printf", "%C@\n"],
        env=ENV,
        bounds=Bounds(timeout_s=WALK_S),
    )
    times = [float(line) for line in done.stdout.split(b"\n") if re.fullmatch(rb"\d+\.\d+", line)]
    # a clock that was set meanwhile must not make a change look older than the last look
    return min(within_s, max(0.0, now - max(times))) if times else within_s


@cache
def can_measure() -> str | None:
    """None when both programs do what is asked of them here, else what is missing."""
    for argv in (
        ["du", "-sxB1", "/dev/null"],
        ["find", "/dev/null", "-newerct", "@0", "-printf", "%C@"],
    ):
        try:
            done = run_process(argv, env=ENV, bounds=Bounds(timeout_s=10))
        except OSError:
            return f"the program {argv[0]} is not installed"
        if done.exit_code != 0 or not done.stdout:
            return f"{argv[0]} is not the GNU program"
    return None
