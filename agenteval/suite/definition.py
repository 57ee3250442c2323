"""A suite as a Python module defines it: the models of the files, and where the files are."""

from __future__ import annotations

from pydantic import Field

from agenteval.records import Suite, Task


class TaskDefinition(Task):
    """One task of a suite that is a Python module: the keys of task.toml, and `repo`.

    Parameters
    ----------
    repo
        Folder of the starting repository, relative to the module; `source` is the other way.
    folder
        Folder with hidden/, solution.patch, wrong/ and tests.json, relative to the module; the one
        named like the task when left out.

    Examples
    --------
    >>> TaskDefinition(id="add-a-rule", prompt="Add it.", repo="fixtures/kit").timeout_s
    600.0
    """

    repo: str | None = Field(None, description="Folder of the starting repository.")
    folder: str | None = Field(None, description="Folder of the task's other files.")

    @property
    def plain(self) -> Task:
        """The task as a file would give it."""
        names = Task.model_fields
        values = {name: getattr(self, name) for name in names}
        return Task.model_construct(_fields_set=self.model_fields_set & names.keys(), **values)


class SuiteDefinition(Suite):
    """A suite that is a Python module: the keys of suite.toml, and its tasks.

    The module exports it as `suite`. Defining writes nothing; loading checks it like any other.
    """

    tasks: list[TaskDefinition] = Field(default_factory=list)
