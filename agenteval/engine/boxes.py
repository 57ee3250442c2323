"""Which folders a task's commands get, and what they must never see."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from agenteval.sandbox import Box
from agenteval.suite import LoadedTask


def task_box(
    task: LoadedTask,
    folder: Path,
    *,
    shown: Iterable[Path] = (),
    hidden: Iterable[Path] = (),
    network: bool | None = None,
) -> Box:
    """Make the box of one task's commands below `folder`.

    Parameters
    ----------
    shown
        Files or folders of the host that the command needs, read-only.
    hidden
        Folders kept out of sight beside the suite's own and its source repository, whose history
        holds the answer.
    network
        What the task says unless given.
    """
    source = () if task.source is None else (task.source,)
    box = Box(
        workspace=folder / "workspace",
        home=folder / "home",
        tmp=folder / "tmp",
        inputs=folder / "inputs",
        programs=tuple(task.task.requires),
        read_only=tuple(shown),
        hidden=(task.folder.parent, *source, *hidden),
        network=task.task.network if network is None else network,
    )
    box.create()
    return box
