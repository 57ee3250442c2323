"""Copies of the frozen change to grade: one that most checks share, others that nothing ran in."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agenteval.engine.boxes import task_box
from agenteval.engine.layers import mount_graded
from agenteval.engine.objects import EXECUTABLE, LINK
from agenteval.engine.overlay import cleared, lay_over
from agenteval.engine.scratch import remove
from agenteval.engine.snapshot import Snapshot, lay_out
from agenteval.records import HiddenTestsCheck, RecordedCheck, matches
from agenteval.sandbox import Box
from agenteval.suite import LoadedTask, files_to_run


class GradingCopies:
    """Makes the copies of one grading below `folder`.

    Parameters
    ----------
    start
        Start snapshot, whose store holds `tree`.
    tree
        Tree of start snapshot + change.
    hidden
        Folders that code under test must not see.
    """

    def __init__(
        self, task: LoadedTask, start: Snapshot, tree: str, folder: Path, hidden: Iterable[Path]
    ) -> None:
        self.task, self.start, self.tree, self.folder = task, start, tree, folder
        self.hidden = tuple(hidden)
        self._shared: Box | None = None

    def shared(self) -> Box:
        """The copy in which commands run one after the other, hidden files laid over."""
        if self._shared is None:
            self._shared = self._copy("shared")
            self._lay_hidden(self._shared)
        self._shared.open_up()  # code that ran there may have closed it to the checks to come
        return self._shared

    def empty(self) -> Box:
        """A box with nothing in it, for checks that do not look at the copy."""
        box = task_box(self.task, self.folder / "empty", hidden=self.hidden)
        box.open_up()
        return box

    @contextmanager
    def fresh(self, check: RecordedCheck) -> Iterator[tuple[Box, tuple[str, ...]]]:
        """A copy for one check on single tests, and the files it runs.

        Code that ran in another check cannot have prepared it. The hidden files lie in it for
        `hidden-tests` only, the original test files for `suite` only.
        """
        box = self._copy("tests")
        own = [os.fsdecode(path) for path in self.start.entries]
        if isinstance(check, HiddenTestsCheck):
            self._lay_hidden(box)
        else:
            self._put_back(box, own)
        yield box, files_to_run(check, self.task.hidden, own, self.task.task.tests)
        remove(box.workspace.parent)

    def _copy(self, name: str) -> Box:
        remove(self.folder / name)  # left by a grading that the machinery cut short
        box = task_box(self.task, self.folder / name, hidden=self.hidden)
        base = self.start.laid_out
        if base is None:
            lay_out(self.start, self.tree, box.workspace)
        else:
            mount_graded(self.start, base, self.tree, box.workspace)
        return box

    def _lay_hidden(self, box: Box) -> None:
        lay_over(self.task.folder / "hidden", self.task.hidden, box.workspace)

    def _put_back(self, box: Box, own: Iterable[str]) -> None:
        """Write the test files of the start over whatever the change made of them."""
        for path in own:
            if not any(matches(path, glob) for glob in self.task.task.tests):
                continue
            entry = self.start.entries[os.fsencode(path)]
            contents = self.start.store.read(entry.sha)
            target = cleared(box.workspace, path)
            if entry.mode == LINK:
                target.symlink_to(os.fsdecode(contents))
                continue
            target.write_bytes(contents)
            if entry.mode == EXECUTABLE:
                target.chmod(0o755)
