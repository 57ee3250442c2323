"""Isolation with bubblewrap: own PID, network, IPC and UTS namespaces over a read-only system."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from agenteval.errors import Infrastructure
from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.box import Box, View
from agenteval.sandbox.limits import make_group
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.mounts import box_mounts, system_mounts
from agenteval.sandbox.namespace import OWN_PROCESSES, Namespace
from agenteval.sandbox.process import run_process
from agenteval.sandbox.programs import missing_programs

INSIDE = View(workspace="/workspace", home="/home/agent", tmp="/tmp", inputs="/agent")
# Without its capabilities, root cannot make the read-only system writable again.
ISOLATION = (
    "--die-with-parent", "--cap-drop", "ALL",
    "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "sandbox",
)  # fmt: skip


class Bubblewrap:
    """The default sandbox wherever bubblewrap works.

    Parameters
    ----------
    cgroups
        Use control groups where this machine has them.
    """

    name = "bwrap"
    isolates = True

    def __init__(self, *, cgroups: bool = True) -> None:
        self._cgroups = cgroups

    @property
    def identity(self) -> str:
        """The name: it is the host's programs that run."""
        return self.name

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Those of `programs` that this machine lacks."""
        return missing_programs(programs)

    def view(self, box: Box) -> View:
        """The same fixed paths for every trial, so nothing depends on where the host keeps it."""
        del box
        return INSIDE

    def run(
        self,
        box: Box,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        bounds: Bounds | None = None,
        cancel: threading.Event | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
    ) -> Finished:
        """Run `argv` in the workspace; nobody it started is left when this returns.

        Raises
        ------
        Infrastructure
            When bubblewrap itself failed, so that the command was never reached.
        """
        bounds = bounds or Bounds()
        with (
            make_group(bounds, cgroups=self._cgroups, extra_processes=OWN_PROCESSES) as group,
            Namespace(
                Meter(bounds, box.writable, group, extra_processes=1), offline=not box.network
            ) as namespace,
        ):
            done = run_process(
                [
                    *_program(),
                    *ISOLATION,
                    *([] if box.network else ["--unshare-net"]),
                    *system_mounts(network=box.network),
                    *box_mounts(box, INSIDE),
                    *("--chdir", INSIDE.workspace, "--"),
                    *argv,
                ],
                env=env,
                bounds=bounds,
                cancel=cancel,
                on_output=on_output,
                custody=namespace,
            )
        if done.stopped_by is None and not namespace.started:
            raise Infrastructure(
                f"The sandbox failed before the command was reached: {_said(done)}",
                f"bwrap, command {argv[0]}",
                "see the message; `agenteval doctor` says whether bubblewrap works here",
                "sandbox_failed",
            )
        return replace(done, network_tries=namespace.network_tries())


@cache
def bwrap_works() -> str | None:
    """None when bubblewrap can isolate here, else the reason why it cannot."""
    if not _program():
        return "the program bwrap is not installed"
    probe = [*_program(), *ISOLATION, "--unshare-net", *system_mounts(network=False), "/bin/true"]
    done = run_process(probe, env={"PATH": "/usr/bin:/bin"}, bounds=Bounds(timeout_s=10))
    return None if done.exit_code == 0 else _said(done)


def _said(done: Finished) -> str:
    return (
        done.stderr.decode("utf-8", "replace").strip()[-500:] or f"it ended with {done.exit_code}"
    )


@cache
def _program() -> tuple[str, ...]:
    found = shutil.which("bwrap")
    return (found,) if found else ()
