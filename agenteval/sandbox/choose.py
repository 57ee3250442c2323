"""Which sandbox a run gets, and what this machine can do."""

from __future__ import annotations

from agenteval.errors import InvalidInput, SandboxError
from agenteval.sandbox.box import Sandbox
from agenteval.sandbox.bwrap import Bubblewrap, bwrap_works
from agenteval.sandbox.plain import Plain

MODES = ("auto", "required", "bwrap", "plain")


def choose_sandbox(mode: str = "auto") -> Sandbox:
    """Pick a sandbox.

    Parameters
    ----------
    mode
        `auto` (bubblewrap where it works, else plain), `required` (isolation or an error),
        `bwrap` or `plain`.

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
    problem = bwrap_works()
    if problem is None:
        return Bubblewrap()
    if mode == "auto":
        return Plain()
    raise SandboxError(
        f"Isolation was asked for and cannot be had: {problem}",
        f"--sandbox {mode}",
        "install bubblewrap (apt-get install bubblewrap), or run with --no-sandbox if the agent is trusted",
    )
