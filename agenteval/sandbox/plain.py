"""No isolation: the same folders and variables, but the whole machine stays visible."""

from __future__ import annotations

from collections.abc import Sequence

from agenteval.sandbox.box import Box, View


class Plain:
    """Runs commands as the operator would; every record says so."""

    name = "plain"
    isolates = False

    def view(self, box: Box) -> View:
        """The host's own paths."""
        return View(str(box.workspace), str(box.home), str(box.tmp), str(box.inputs))

    def wrap(self, box: Box, argv: Sequence[str], cwd: str) -> list[str]:
        """Argv that changes to `cwd` and becomes `argv`."""
        del box
        return ["/bin/sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", cwd, *argv]
