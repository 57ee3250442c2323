"""Finding out how a project is set up, tested and linted, by reading its files only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from agenteval.errors import InvalidInput
from agenteval.suite.problems import shown
from agenteval.suite.project import go, make, node, python, rust
from agenteval.suite.project.found import Project

_LANGUAGES = (python, node, go, rust)


def detect_project(folder: Path | str) -> Project:
    """Find setup, test and lint commands of the project in `folder`; nothing is run.

    The first of Python, Node, Go and Rust whose files are there decides; targets of a
    Makefile fill what it leaves open. Every conclusion is in `evidence`.

    Returns
    -------
    Project
        With empty commands for what was not found.

    Raises
    ------
    InvalidInput
        When `folder` is no folder.
    """
    folder = Path(folder).absolute()
    if not folder.is_dir():
        raise InvalidInput(
            "The project is not a folder", shown(folder), "give the folder that the project lies in"
        )
    found = [project for language in _LANGUAGES if (project := language.detect(folder))]
    if not found:
        project = Project(folder, evidence=("language: no file of a known kind of project",))
    else:
        project = found[0]
        others = tuple(f"also there, not used: {other.evidence[0]}" for other in found[1:])
        project = replace(project, evidence=project.evidence + others)
    return _filled(project, make.detect(folder))


def _filled(project: Project, makefile: Project | None) -> Project:
    if makefile is None:
        return project
    keys = ("setup", "test", "lint") if not project.language else ("test", "lint")
    gaps = [key for key in keys if not getattr(project, key) and getattr(makefile, key)]
    evidence = tuple(line for line in makefile.evidence if line.partition(":")[0] in gaps)
    changes = {key: getattr(makefile, key) for key in gaps}
    if "setup" in gaps:
        changes["keys"] = makefile.keys
    return replace(project, **changes, evidence=project.evidence + evidence)
