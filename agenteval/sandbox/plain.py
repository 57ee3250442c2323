"""No isolation: the same folders and variables, but the whole machine stays visible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.box import Box, View
from agenteval.sandbox.limits import make_group
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.process import run_process
from agenteval.sandbox.programs import missing_programs
from agenteval.sandbox.supervised import Supervised


class Plain:
    """Runs commands as the operator would; every record says so.

    Parameters
    ----------
    cgroups
        Use control groups where this machine has them.
    asked
        Whether somebody asked for it; otherwise it is what is left where bubblewrap does not
        work, and tasks with an image of their own run in containers all the same.
    """

    name = "plain"
    isolates = False

    def __init__(self, *, cgroups: bool = True, asked: bool = True) -> None:
        self._cgroups, self.asked = cgroups, asked

    @property
    def identity(self) -> str:
        """The name: it is the host's programs that run."""
        return self.name

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Those of `programs` that this machine lacks."""
        return missing_programs(programs)

    def view(self, box: Box) -> View:
        """The host's own paths."""
        return View(str(box.workspace), str(box.home), str(box.tmp), str(box.inputs))

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
        OSError
            When the program cannot be started.
        Infrastructure
            When it cannot be put under its limits, or the host ran out of memory.
        """
        bounds = bounds or Bounds()
        with (
            make_group(bounds, cgroups=self._cgroups, contain=True) as group,
            Supervised(Meter(bounds, box.writable, group)) as supervised,
        ):
            return run_process(
                argv,
                env=env,
                cwd=box.workspace,
                bounds=bounds,
                cancel=cancel,
                on_output=on_output,
                custody=supervised,
            )
