"""From a task or suite file to its model, with every mistake explained."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from agenteval.records import Experiment, Suite, Task, Variant
from agenteval.suite.explain import explain
from agenteval.suite.keys import plain_keys
from agenteval.suite.problems import Problems, shown
from agenteval.suite.syntax import read_document

TASK_FILES = ("task.toml", "task.json")
SUITE_FILES = ("suite.toml", "suite.json")

M = TypeVar("M", Task, Suite, Variant, Experiment)


def find_file(folder: Path, names: tuple[str, ...], problems: Problems) -> Path | None:
    """Return the one file of `names` in `folder`; two of them are a problem."""
    found = [folder / name for name in names if (folder / name).is_file()]
    if len(found) > 1:
        problems.add(
            f"Both {found[0].name} and {found[1].name} are there, and only one can hold",
            folder,
            "keep one of the two and delete the other",
        )
    return found[0] if found else None


def read_model(path: Path, model: type[M], problems: Problems) -> M | None:
    """Read and check a file; None, and all problems noted, when anything is wrong with it.

    A task without `id` takes its folder's name; a `$schema` key is for editors and is left out.
    """
    document = read_document(path, problems)
    if document is None:
        return None
    document.pop("$schema", None)
    keys = plain_keys(document)
    for first, second, location in keys.doubled:
        problems.add(
            f"`{first}` and `{second}` are the same key",
            f"{shown(path)}, key {keys.written(location)}",
            "keep one of the two spellings",
        )
    if model is Task:
        keys.data.setdefault("id", path.parent.name)
    try:
        return model.model_validate(keys.data, strict=True)
    except ValidationError as error:
        problems.found.extend(explain(error, model, keys, shown(path)))
        return None
