"""The image of a Harbor task, with its working folder made the trial's workspace.

A trial changes its workspace and nothing else of the image. So the files of WORKDIR become where
the task starts, and WORKDIR, /tests, /logs and /solution become links to places that a trial has.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

WORKSPACE, START = "/workspace", "/.harbor-start"
LINKED = ("tests", "logs", "solution")
PLACEHOLDER = ".starts-in-the-image"
SETUP = f"rm -f {PLACEHOLDER} && cp -a {START}/. ."
_HEREDOC = re.compile(r"<<-?\s*[\"']?(\w+)[\"']?")
_TAKEN = ("/", "/tmp", "/home/agent", "/agent", "/usr", "/bin", "/lib", "/etc")
_ADDED = """
# Added by `agenteval import-tasks`; all above is the original, byte for byte.
USER 0
WORKDIR /
RUN {command}
"""


@dataclass(frozen=True)
class Dockerfile:
    """What a Dockerfile says that matters here.

    Attributes
    ----------
    workdir
        Of its last stage; None when only its base image knows.
    words
        Instructions of the last stage.
    runs
        Whether its build runs commands, or fetches files.
    """

    workdir: str | None
    words: frozenset[str]
    runs: bool


def read_dockerfile(text: str) -> Dockerfile:
    r"""Read a Dockerfile.

    >>> read_dockerfile("FROM a AS b\nWORKDIR /srv\nFROM b\nWORKDIR \\\n  app\n").workdir
    '/srv/app'
    """
    stages: dict[str, str | None] = {}
    workdir: str | None = None
    words: set[str] = set()
    name, runs = "", False
    for word, rest in _instructions(text):
        if word == "FROM":
            stages[name] = workdir
            parts = [part for part in rest.split() if not part.startswith("--")]
            workdir = stages.get(parts[0].lower()) if parts else None
            name = parts[2].lower() if len(parts) > 2 else ""
            words = set()
        elif word == "WORKDIR":
            workdir = _joined(workdir, rest.strip().strip("\"'"))
        words.add(word)
        runs = runs or word == "RUN" or (word == "ADD" and "://" in rest)
    return Dockerfile(workdir, frozenset(words), runs)


def usable_workdir(path: str | None) -> bool:
    """Whether a folder can be made the workspace without hiding what programs need."""
    return path is not None and path not in _TAKEN and PurePosixPath(path).is_absolute()


def linked_dockerfile(original: bytes, workdir: str) -> bytes:
    """The original, with lines that make its working folder the workspace."""
    folder = shlex.quote(workdir)
    steps = [f"mkdir -p {folder} {START}", f"cp -a {folder}/. {START}/", f"rm -rf {START}/.git"]
    if workdir != WORKSPACE:
        steps += [f"rm -rf {folder}", f"ln -s {WORKSPACE} {folder}"]
    for name in LINKED:
        steps += [f"rm -rf /{name}", f"ln -s /tmp/{name} /{name}"]
    command = json.dumps(["/bin/sh", "-c", " && ".join(steps)])
    return original + (b"" if original.endswith(b"\n") else b"\n") + _ADDED.format(command=command).encode()  # fmt: skip


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    lines = iter(text.splitlines())
    for line in lines:
        whole = line.strip()
        if not whole or whole.startswith("#"):
            continue
        while whole.endswith("\\"):
            more = next(lines, "")
            if not more.strip().startswith("#"):
                whole = whole[:-1].rstrip() + " " + more.strip()
        word, _, rest = whole.partition(" ")
        if word.upper() in ("RUN", "COPY", "ADD"):
            for ending in _HEREDOC.findall(rest):
                for body in lines:
                    if body.strip() == ending:
                        break
        yield word.upper(), rest.strip()


def _joined(workdir: str | None, path: str) -> str | None:
    if "$" in path:
        return None
    if path.startswith("/"):
        return str(PurePosixPath(path))
    return None if workdir is None else str(PurePosixPath(workdir, path))
