"""Shell commands that bring a change into a workspace, whatever is in its files.

Contents travel as base64, so quotes, binary files and missing newlines at the end come through; no
command is longer than what a shell takes as one argument. Codex refuses `rm -f`, so `rm` it is.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Iterator, Mapping

MAX_COMMAND = 50_000  # characters; Linux takes 131,072 as one argument, and Codex wraps and quotes
PIECE = MAX_COMMAND - 2_000  # of base64, a multiple of 4: each piece decodes by itself
PARCEL = ".agenteval-change"  # holds a long patch until it is whole
APPLY = "if command -v git >/dev/null; then git apply --whitespace=nowarn -; else patch -p1 -E; fi"


def patch_commands(patch: bytes) -> list[str]:
    """Commands that apply a patch made by git, to be run one after the other in the workspace.

    A patch that is too long for one command is put together in a file first, which the last command
    removes. An image without git needs `patch`.

    >>> patch_commands(b"")
    []
    """
    pieces = list(_pieces(patch))
    if not pieces:
        return []
    if len(pieces) == 1:
        return [f"printf %s {pieces[0]} | base64 -d | {{ {APPLY}; }}"]
    commands = [
        f"printf %s {piece} | base64 -d {'>>' if at else '>'} {PARCEL}"
        for at, piece in enumerate(pieces)
    ]
    return [*commands, f"{{ {APPLY}; }} < {PARCEL}; code=$?; rm {PARCEL}; (exit $code)"]


def file_commands(files: Mapping[str, bytes | None]) -> list[str]:
    """Commands that give files their final contents; None deletes a file.

    Commands for small files are joined.

    >>> file_commands({"a b": None, "c": b""})
    ["rm 'a b' && printf %s '' | base64 -d > c"]
    """
    joined: list[str] = []
    for path, data in files.items():
        for command in _one_file(path, data):
            if joined and len(joined[-1]) + len(command) + 4 <= MAX_COMMAND:
                joined[-1] += f" && {command}"
            else:
                joined.append(command)
    return joined


def _one_file(path: str, data: bytes | None) -> Iterator[str]:
    name = shlex.quote(path if not path.startswith("-") else f"./{path}")
    if data is None:
        yield f"rm {name}"
        return
    folder = path.rpartition("/")[0]
    made = f"mkdir -p {shlex.quote(folder)} && " if folder else ""
    for at, piece in enumerate(_pieces(data) if data else ["''"]):
        yield f"{'' if at else made}printf %s {piece} | base64 -d {'>>' if at else '>'} {name}"


def _pieces(data: bytes) -> Iterator[str]:
    text = base64.b64encode(data).decode()
    yield from (text[at : at + PIECE] for at in range(0, len(text), PIECE))
