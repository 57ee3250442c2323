"""Isolation with bubblewrap: own PID, network, IPC and UTS namespaces over a read-only system."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from agenteval.sandbox.box import Box, View
from agenteval.sandbox.process import Bounds, run_process
from agenteval.sandbox.programs import PACKAGE, interpreter_prefixes

INSIDE = View(workspace="/workspace", home="/home/agent", tmp="/tmp", inputs="/agent")
# Of /etc only what programs need to run; the operator's configuration stays outside.
ETC = (
    "alternatives", "ca-certificates", "ca-certificates.conf", "debian_version", "fonts", "group", "hosts",
    "java-17-openjdk", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf",
    "os-release", "passwd", "protocols", "services", "ssl", "timezone",
)  # fmt: skip


class Bubblewrap:
    """The default sandbox wherever bubblewrap works."""

    name = "bwrap"
    isolates = True

    def view(self, box: Box) -> View:
        """The same fixed paths for every trial, so nothing depends on where the host keeps it."""
        del box
        return INSIDE

    def wrap(self, box: Box, argv: Sequence[str], cwd: str) -> list[str]:
        """Argv of bwrap around `argv`."""
        network = [] if box.network else ["--unshare-net"]
        return [
            *_program(),
            "--die-with-parent",
            "--unshare-pid",
            "--unshare-ipc",
            "--unshare-uts",
            *network,
            *_system_mounts(),
            *_etc_mounts(network=box.network),
            *(part for path in box.read_only for part in ("--ro-bind", str(path), str(path))),
            *_masks(),
            "--bind", str(box.home), INSIDE.home,
            "--bind", str(box.tmp), INSIDE.tmp,
            "--ro-bind", str(box.inputs), INSIDE.inputs,
            "--bind", str(box.workspace), INSIDE.workspace,
            "--chdir", cwd,
            "--",
            *argv,
        ]  # fmt: skip


@cache
def bwrap_works() -> str | None:
    """None when bubblewrap can isolate here, else the reason why it cannot."""
    if not _program():
        return "the program bwrap is not installed"
    probe = [
        *_program(),
        "--die-with-parent",
        "--unshare-pid",
        "--unshare-net",
        "--unshare-ipc",
        "--unshare-uts",
        *_system_mounts(),
        "/bin/true",
    ]
    done = run_process(probe, env={"PATH": "/usr/bin:/bin"}, bounds=Bounds(timeout_s=10))
    if done.exit_code == 0:
        return None
    return done.stderr.decode("utf-8", "replace").strip() or f"bwrap ended with {done.exit_code}"


@cache
def _program() -> tuple[str, ...]:
    found = shutil.which("bwrap")
    return (found,) if found else ()


@cache
def _system_mounts() -> tuple[str, ...]:
    mounts = ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64"):
        path = Path("/", name)
        if path.is_symlink():
            mounts += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            mounts += ["--ro-bind", str(path), str(path)]
    for prefix in interpreter_prefixes():
        mounts += ["--ro-bind", str(prefix), str(prefix)]
    return (*mounts, "--proc", "/proc", "--dev", "/dev")


@cache
def _etc_mounts(*, network: bool) -> tuple[str, ...]:
    names = (*ETC, "resolv.conf") if network else ETC
    return tuple(
        part
        for name in names
        if Path("/etc", name).exists()
        for part in ("--ro-bind", f"/etc/{name}", f"/etc/{name}")
    )


@cache
def _masks() -> tuple[str, ...]:
    """Hide this package itself: an installed copy carries the bundled tasks' hidden tests."""
    visible = any(
        PACKAGE.is_relative_to(prefix) for prefix in [*interpreter_prefixes(), Path("/usr")]
    )
    return ("--tmpfs", str(PACKAGE)) if visible else ()
