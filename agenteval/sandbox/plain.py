"""No isolation: the same folders and variables, but the whole machine stays visible."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence

from agenteval.sandbox.box import Box, View
from agenteval.sandbox.process import Bounds, Finished, run_process


class Plain:
    """Runs commands as the operator would; every record says so."""

    name = "plain"
    isolates = False

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
        """Run `argv` in the workspace; arguments as in `run_process`."""
        return run_process(
            argv, env=env, cwd=box.workspace, bounds=bounds, cancel=cancel, on_output=on_output
        )
