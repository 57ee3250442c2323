"""A program of its own, run by its path: starts a command and lets nobody of it survive.

    python -I -S supervisor.py CONTROL STATUS LIMITS ENTRIES COMMAND...

Whoever the command starts stays below this process, also after a double fork, and is killed when
the command has ended or the pipe CONTROL is closed, by whichever end of its owner. A byte in CONTROL
asks all of them to end (SIGTERM). STATUS gets one line when nobody is left: the command's exit code
(negative for a signal), or `!N` when it could not be started with the error number N, or `?N` when
it could not be put under LIMITS (pairs of numbers, resource=value) and into ENTRIES (files of
control groups).
"""

# Three times as fast to start without pathlib and the Python halves of ctypes and signal.
# ruff: noqa: PTH123, PTH208
from __future__ import annotations

import _ctypes
import _signal as signal
import os
import resource
import select
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PAUSE_MS = 5


def main(arguments: list[str]) -> None:
    """Carry out what the module says."""
    control, status = int(arguments[0]), int(arguments[1])
    for descriptor in (control, status):
        os.set_inheritable(descriptor, False)  # noqa: FBT003
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    ended, wake = os.pipe()
    for descriptor in (ended, wake):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    child = os.fork()
    if child == 0:
        _become(arguments[2:4], arguments[4:], status)
    outcome = _look_after(child, control, ended)
    late = _end_all(child)
    outcome = late if outcome is None else outcome
    os.write(status, b"%d\n" % (-signal.SIGKILL if outcome is None else outcome))


def _become(limits: list[str], command: list[str], status: int) -> None:
    """In the child: be put under the limits, then become the command."""
    sign = b"?"
    try:
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        for entry in filter(None, limits[1].split(":")):
            with open(entry, "w") as file:
                file.write("0")
        for pair in filter(None, limits[0].split(",")):
            limit, value = map(int, pair.split("="))
            resource.setrlimit(limit, (value, value))
        _prefer_for_the_oom_killer()
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        sign = b"!"
        os.execvp(command[0], command)
    except OSError as error:
        os.write(status, b"%s%d\n" % (sign, error.errno or 0))
    finally:
        os._exit(127)


def _prefer_for_the_oom_killer() -> None:
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass


def _look_after(child: int, control: int, ended: int) -> int | None:
    """Wait for the command; None when the owner wants all of them dead, or is dead itself."""
    poll = select.poll()
    for descriptor in (control, ended):
        poll.register(descriptor, select.POLLIN)
    while True:
        ready = {descriptor for descriptor, _ in poll.poll()}
        if ended in ready:
            os.read(ended, 1 << 12)
            outcome, _ = _reap(child)
            if outcome is not None:
                return outcome
        if control in ready:
            if not os.read(control, 1 << 12):
                return None
            _signal(_below(os.getpid()), signal.SIGTERM)


def _end_all(child: int) -> int | None:
    """Kill until nobody is left; the command's exit code if it ended only now."""
    outcome: int | None = None
    while True:
        # who is stopped cannot fork while the others are killed
        for number in (signal.SIGSTOP, signal.SIGKILL):
            _signal(_below(os.getpid()), number)
        found, alone = _reap(child)
        outcome = found if outcome is None else outcome
        if alone:
            return outcome
        select.poll().poll(PAUSE_MS)


def _reap(child: int) -> tuple[int | None, bool]:
    """Collect who has ended: the command's exit code if it is among them, and whether nobody is left."""
    outcome: int | None = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return outcome, True
        if pid == 0:
            return outcome, False
        if pid == child:
            outcome = os.waitstatus_to_exitcode(status)


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except (ProcessLookupError, PermissionError):
            continue


def _below(pid: int) -> list[int]:
    """All processes below one; said again here because nothing of the package can be imported."""
    found: list[int] = []
    pending = [pid]
    while pending:
        folder = f"/proc/{pending.pop()}/task"
        try:
            for task in os.listdir(folder):
                with open(f"{folder}/{task}/children") as file:
                    children = [int(word) for word in file.read().split()]
                found += children
                pending += children
        except OSError:
            continue
    return found


def _prctl(option: int, value: int) -> None:
    function = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
    if _ctypes.call_function(function, (option, value, 0, 0, 0)) != 0:
        raise OSError(0, "prctl")


if __name__ == "__main__":
    main(sys.argv[1:])
