"""Agent programs that pip installs: each in a virtual environment of its own, or in this one."""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from agenteval.agents.installed import InstalledAgent
from agenteval.agents.programs import Distribution, Program, find_entry, in_image
from agenteval.errors import MissingProgram

METADATA = re.compile(r"^Version: (\S+)", re.MULTILINE)


class VenvAgent(InstalledAgent):
    """An agent program whose command is a script of a virtual environment."""

    package: str

    @cached_property
    def program(self) -> Program:
        """The program; its version is read from the package's metadata, which starts nothing.

        Raises
        ------
        MissingProgram
            When it is not installed.
        """
        if self._found is not None:
            return self._found
        if self._image:
            return in_image(self.distribution)
        return find_in_venv(self.distribution, self.package)


def find_in_venv(distribution: Distribution, package: str) -> Program:
    """Find a program that pip installed, and the folders it needs: its environment and its Python.

    Raises
    ------
    MissingProgram
        When it is not installed.
    """
    found = find_entry(distribution.program)
    if found is None:
        raise MissingProgram(
            f"The agent program {distribution.program} is not installed",
            "looked for in AGENTEVAL_AGENTS_DIR/bin and on PATH",
            f"install it with: {distribution.install}",
        )
    script = found.resolve()
    prefix = script.parent.parent
    if not (prefix / "pyvenv.cfg").is_file():  # of the system, or of a user's own Python
        return Program((str(script),), (script,), _version(prefix, package))
    python = (prefix / "bin/python").resolve().parent.parent
    shown = (prefix,) if python.is_relative_to("/usr") else (prefix, python)
    return Program((str(script),), shown, _version(prefix, package))


def _version(prefix: Path, package: str) -> str | None:
    name = re.sub(r"[-_.]+", "_", package)
    for metadata in sorted(prefix.glob(f"lib/python*/site-packages/{name}-*.dist-info/METADATA")):
        told = METADATA.search(metadata.read_text("utf-8", "replace"))
        if told:
            return told[1]
    return None
