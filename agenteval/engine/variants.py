"""What an arm's variant lays into a workspace, and what it hands the agent."""

from __future__ import annotations

from pathlib import Path

from agenteval.engine.git import git
from agenteval.engine.objects import ObjectStore
from agenteval.engine.overlay import cleared
from agenteval.records import Arm


def handed_by(arm: Arm) -> frozenset[str] | None:
    """Names of the skills, plugins and MCP servers of an arm; None for a control, which has none."""
    return frozenset(arm.overlay.hands) if arm.overlay and arm.overlay.hands else None


def lays_files(arm: Arm | None) -> bool:
    """Whether the arm's variant puts files into the workspace."""
    return arm is not None and arm.overlay is not None and bool(arm.overlay.files)


def lay_variant(arm: Arm, workspace: Path) -> None:
    """Write the variant's files into a fresh workspace and make them part of its one commit.

    Nothing of an agent's has run there yet; no link of the project's is followed.
    """
    if arm.overlay is None or not arm.overlay.files:
        return
    for path, file in arm.overlay.files.items():
        target = cleared(workspace, path)
        target.write_bytes(file.data)
        target.chmod(0o755 if file.executable else 0o644)
    own = ObjectStore(workspace / ".git", (workspace / ".git/objects",))
    named = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in arm.overlay.files)
    git(
        ["--literal-pathspecs", "add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"],
        store=own,
        work_tree=workspace,
        stdin=named,
    )
    git(["commit", "-q", "--amend", "--no-verify", "-m", "Start"], store=own, work_tree=workspace)
