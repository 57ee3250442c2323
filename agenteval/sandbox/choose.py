"""Which sandbox a run gets, and what this machine can do."""

from __future__ import annotations

from agenteval.errors import InvalidInput, SandboxError
from agenteval.sandbox.box import Sandbox
from agenteval.sandbox.bwrap import Bubblewrap, bwrap_works
from agenteval.sandbox.container import Container
from agenteval.sandbox.plain import Plain
from agenteval.sandbox.runtime import find_runtime

MODES = ("auto", "required", "bwrap", "plain", "container")


def choose_sandbox(mode: str = "auto", *, image: str | None = None) -> Sandbox:
    """Pick a sandbox.

    Parameters
    ----------
    mode
        `auto` (bubblewrap where it works, else plain), `required` (isolation or an error),
        `bwrap`, `plain` or `container`. Tasks with an image of their own run in containers
        whatever the mode, except in a `plain` that was asked for, which refuses them.
    image
        What a container is made of, for tasks without an image of their own.

    Raises
    ------
    SandboxError
        When isolation is asked for and cannot be had.
    InvalidInput
        For another mode.
    """
    if mode not in MODES:
        raise InvalidInput(
            f"There is no sandbox mode {mode!r}", "--sandbox", f"use one of {', '.join(MODES)}"
        )
    if mode == "plain":
        return Plain()
    if mode == "container":
        find_runtime()
        return Container(image)
    problem = bwrap_works()
    if problem is None:
        return Bubblewrap()
    if mode == "auto":
        return Plain(asked=False)
    raise SandboxError(
        f"Isolation was asked for and cannot be had: {problem}",
        f"--sandbox {mode}",
        "install bubblewrap (apt-get install bubblewrap), or run with --no-sandbox if the agent is trusted",
    )
