"""Taking the change of a dead agent, also of one that filled the disk: that must not keep it out of the rate."""

from __future__ import annotations

import contextlib
import stat
from pathlib import Path

from agenteval.agents import make_agent
from agenteval.engine.diskspace import was_full
from agenteval.engine.freeze import Frozen, IgnoreRules, freeze
from agenteval.engine.layers import discard_workspace
from agenteval.engine.scratch import emptied
from agenteval.engine.snapshot import Snapshot
from agenteval.errors import EngineError
from agenteval.records import Arm
from agenteval.sandbox import Box


def take_change(box: Box, start: Snapshot, rules: IgnoreRules, *, filled: bool) -> Frozen:
    """Freeze what the agent did; where it filled the disk, HOME and TMPDIR make room for that.

    Parameters
    ----------
    filled
        Whether the agent ended at its limit of disk, and its folders are not to be kept.
    """
    if filled:
        emptied(box.home, box.tmp)
        return freeze_what_fits(box.workspace, start, rules)
    return freeze(box.workspace, start, rules)


def clear_stubs(arm: Arm, workspace: Path, start: Snapshot) -> None:
    """Take away the empty files that an agent's own sandbox leaves behind: they are nobody's work."""
    agent = make_agent(arm.agent_spec, tuple(map(Path, arm.files)))
    for name in getattr(agent, "stubs", ()):
        path = workspace / name
        with contextlib.suppress(OSError):  # not there, or not ours to look at
            told = path.lstat()
            if (
                stat.S_ISREG(told.st_mode)
                and told.st_size == 0
                and name.encode() not in start.entries
            ):
                path.unlink()


def freeze_what_fits(workspace: Path, start: Snapshot, rules: IgnoreRules) -> Frozen:
    """Capture the change of an agent that filled the disk: none where it left no room for that."""
    try:
        return freeze(workspace, start, rules)
    except (OSError, EngineError) as error:
        if not was_full(workspace.parent, error):
            raise
        return Frozen(start.tree, b"", (), 0, 0, left_out=(".",))


def make_room(box: Box, *, filled: bool) -> None:
    """Remove the workspace of an agent that filled the disk: grading needs the room."""
    if filled:
        discard_workspace(box.workspace)
