"""Where an agent's program is installed, which version it is, and what a sandbox must show of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from agenteval.errors import MissingProgram
from agenteval.sandbox import Bounds, find_program, run_process

AGENTS_DIR = "AGENTEVAL_AGENTS_DIR"
VERSION_S = 60.0
NUMBER = re.compile(rb"\d+(?:\.\d+)+[\w.+-]*")


@dataclass(frozen=True)
class Program:
    """An agent's program as it is started.

    Attributes
    ----------
    command
        Program and first arguments.
    shown
        Files or folders of the host that must be seen for it to run.
    version
        As it or its package says; None where neither does.
    """

    command: tuple[str, ...]
    shown: tuple[Path, ...] = ()
    version: str | None = None

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers, to compare; empty when unknown."""
        return tuple(int(part) for part in re.findall(r"\d+", self.version or "")[:3])


@dataclass(frozen=True)
class Distribution:
    """How an agent's program is distributed.

    Attributes
    ----------
    program
        Name of its command.
    install
        Shell command that installs it.
    binaries
        Globs, relative to the folder of its npm packages, of the native program that the command
        only wraps; it needs no node. The first that is a native program is taken.
    shows
        How many folders above the native program are shown with it; 0 is the file alone.
    """

    program: str
    install: str
    binaries: tuple[str, ...] = ()
    shows: int = 0


def find_agent_program(distribution: Distribution) -> Program:
    """Find an installed agent program, and its version: a native program is asked, once for each file.

    It is looked for in the folder that `AGENTEVAL_AGENTS_DIR` names (its `node_modules/.bin` and
    `bin`), in `node_modules/.bin` of this folder and those above it, then on PATH.

    Raises
    ------
    MissingProgram
        When it is not installed.
    """
    found = find_entry(distribution.program)
    if found is None:
        raise MissingProgram(
            f"The agent program {distribution.program} is not installed",
            f"looked for in {AGENTS_DIR}, in node_modules/.bin and on PATH",
            f"install it with: {distribution.install}; where that is elsewhere, set {AGENTS_DIR} to the folder that holds node_modules",
        )
    program = _native(distribution, found) or _script(found)
    # a wrapper whose native program was left out has a version too, and does not run
    if program.version is not None and not distribution.binaries:
        return program
    return replace(program, version=_version(program.command, found.stat().st_mtime_ns))


def in_image(distribution: Distribution) -> Program:
    """The program as a task's image has it: by its bare name, at a version nobody asked."""
    return Program((distribution.program,))


def find_entry(name: str) -> Path | None:
    """The command's file or link."""
    told = os.environ.get(AGENTS_DIR)
    own = [Path(told) / "node_modules/.bin", Path(told) / "bin"] if told else []
    here = Path.cwd()
    project = [folder / "node_modules/.bin" for folder in (here, *here.parents)]
    path = os.pathsep.join(str(folder) for folder in (*own, *project))
    found = shutil.which(name, path=path)
    return Path(found).absolute() if found else find_program(name)


def _native(distribution: Distribution, entry: Path) -> Program | None:
    """The native program behind an npm command, or one that was installed without npm."""
    real = entry.resolve()
    packages = next((p for p in real.parents if p.name == "node_modules"), None)
    globs = distribution.binaries if packages else ()
    places = (p for glob in globs for p in sorted((packages or real).glob(glob)))
    found = next(filter(_is_native, places), None)
    if found is None and not _is_native(real):
        return None
    binary = found or real
    shown = binary if not (found and distribution.shows) else binary.parents[distribution.shows - 1]
    return Program((str(binary),), (shown,))


def _is_native(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def _script(entry: Path) -> Program:
    """A script: its npm package is shown, and the interpreter that its first line names."""
    real = entry.resolve()
    package = next((p for p in real.parents if (p / "package.json").is_file()), None)
    version = None if package is None else _packaged(package)
    with real.open("rb") as stream:
        first = stream.readline(200).decode("utf-8", "replace")
    if not first.rstrip().endswith("node"):
        return Program((str(real),), (package or real,), version)
    node = find_program("node")
    if node is None:
        raise MissingProgram(
            f"The agent program {entry.name} needs node", str(entry), "install Node.js 20 or newer"
        )
    binary = node.resolve()
    shown = () if binary.is_relative_to("/usr") else (binary,)
    return Program((str(binary), str(real)), (package or real, *shown), version)


def _packaged(package: Path) -> str | None:
    """The version in a package's manifest: asking a large script takes it seconds."""
    try:
        told = json.loads((package / "package.json").read_text("utf-8"))
    except (OSError, ValueError):
        return None
    found = told.get("version") if isinstance(told, dict) else None
    return found if isinstance(found, str) else None


@cache
def _version(command: tuple[str, ...], changed_ns: int) -> str | None:
    del changed_ns  # another file at the same place is another program
    with tempfile.TemporaryDirectory(prefix="agenteval-version-") as home:
        env = {"HOME": home, "TMPDIR": home, "PATH": os.environ.get("PATH", os.defpath)}
        try:
            done = run_process([*command, "--version"], env=env, bounds=Bounds(timeout_s=VERSION_S))
        except OSError:
            return None
    found = NUMBER.search(done.stdout) if done.exit_code == 0 else None
    return found[0].decode() if found else None
