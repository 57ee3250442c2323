"""What an arm's variant lays into a workspace, and what it hands the agent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from agenteval.engine.git import git
from agenteval.engine.objects import ObjectStore
from agenteval.engine.overlay import cleared
from agenteval.engine.reading import READS, instructions_in, places_of
from agenteval.errors import InvalidInput
from agenteval.records import Arm
from agenteval.suite import LoadedTask

NAMED_FILES = 3


def handed_by(arm: Arm) -> frozenset[str] | None:
    """Names of the skills, plugins and MCP servers of an arm; None for a control, which has none."""
    return frozenset(arm.overlay.hands) if arm.overlay and arm.overlay.hands else None


def lays_files(arm: Arm | None) -> bool:
    """Whether the arm's variant puts files into the workspace."""
    return arm is not None and arm.overlay is not None and bool(arm.overlay.files)


def unread_files(arm: Arm, tasks: Iterable[LoadedTask] = ()) -> tuple[str, ...]:
    """Files of a variant that gives the arm's agent nothing: instructions of other programs alone.

    A file that is nobody's instructions is work for every agent, and so is one that a task tells
    its agent of: by its prompt, its setup, or instructions that its repository has already.

    Parameters
    ----------
    tasks
        What the arm runs on.

    Returns
    -------
    tuple of str
        Paths in the workspace; empty where the variant gives the agent something, where there is
        no variant, and for agents of which nobody knows what they read.

    Examples
    --------
    >>> from agenteval.records import LaidFile, Overlay
    >>> laid = Overlay(files={".claude/CLAUDE.md": LaidFile(text="Plan first.")})
    >>> unread_files(Arm(agent_spec="codex", variant="old", overlay=laid))
    ('.claude/CLAUDE.md',)
    >>> unread_files(Arm(agent_spec="claude-code", variant="old", overlay=laid))
    ()
    """
    if arm.agent not in READS or arm.overlay is None or arm.overlay.keys != {"files"}:
        return ()
    places: set[str] = set()
    for path in arm.overlay.files:
        readers = places_of(path)
        if not readers or arm.agent in readers:
            return ()
        places |= set(readers.values())
    for task in tasks:
        told = instructions_in(task, arm.agent)
        if told is None or any(place in told for place in places):
            return ()
    return tuple(sorted(arm.overlay.files))


def variant_notes(tasks: Sequence[LoadedTask], arms: Iterable[Arm]) -> list[str]:
    """Which variants give which agent nothing, what they hold, and how to mend it; one text each."""
    return [
        f"the variant {arm.variant} gives {arm.agent} nothing: it holds {_listed(files)}, and "
        f"{_looks(arm.agent)}. Fix: {_fix(arm.agent)}"
        for arm in arms
        if (files := unread_files(arm, tasks))
    ]


def check_variants(tasks: Sequence[LoadedTask], arms: Iterable[Arm]) -> None:
    """Refuse arms of one agent that differ only by variants of which none gives it anything.

    Raises
    ------
    InvalidInput
        When a comparison of them would say nothing.
    """
    groups: dict[tuple[str, ...], list[Arm]] = {}
    for arm in arms:
        groups.setdefault(_but_its_variant(arm), []).append(arm)
    for group in groups.values():
        unread = [unread_files(arm, tasks) for arm in group]
        empty = [arm.overlay is None or not arm.overlay.keys for arm in group]
        useless = all(bare or files for bare, files in zip(empty, unread, strict=True))
        if len(group) > 1 and useless and not all(empty):
            agent = group[0].agent
            held = "; ".join(
                f"{arm.variant} holds {_listed(files)}"
                for arm, files in zip(group, unread, strict=True)
                if files
            )
            names = (f"--variant {arm.variant or 'none'}" for arm in group)
            raise InvalidInput(
                f"The arms of {agent} differ only by variants of which none gives it anything: {held}; {_looks(agent)}",
                " ".join((f"--agent {group[0].agent_spec}", *names)),
                _fix(agent),
            )


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


def _but_its_variant(arm: Arm) -> tuple[str, ...]:
    inputs = (f"{key}={value}" for key, value in sorted(arm.inputs.items()) if key != "variant")
    return arm.agent_spec, arm.model or "", *inputs


def _looks(agent: str) -> str:
    names = ", ".join(READS[agent])
    return f"{agent} reads {names} by itself" if names else f"{agent} reads no file by itself"


def _fix(agent: str) -> str:
    lay = f"lay the text at a path that {agent} reads, " if READS[agent] else ""
    return f"{lay}tell the agent of it in the task's prompt, or name an agent that reads it"


def _listed(files: Sequence[str]) -> str:
    shown = ", ".join(os.fsencode(path).decode("utf-8", "replace") for path in files[:NAMED_FILES])
    more = len(files) - NAMED_FILES
    return f"{shown} and {more} more" if more > 0 else shown
