"""Reading a frozen patch: which files, their hashes, the lines it adds and removes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace

from agenteval.checks.work import ChangedFile

_HEAD = b"diff --git "
_INDEX = re.compile(rb"index ([0-9a-f]{40})\.\.([0-9a-f]{40})")
_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
_NOTHING = "0" * 40
_LINK = b"120000"
# An agent can make more lines than there is memory for as many texts.
MOST_LINES = 1_000_000
CUT = b"cut"
_TOLD = (_HEAD, b"index ", b"new ", b"old ", b"deleted ")
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}  # fmt: skip


def read_patch(patch: bytes) -> tuple[ChangedFile, ...]:
    """Take a patch apart that the engine froze: full object names, no renames.

    Returns
    -------
    tuple of ChangedFile
        In the order of the patch, which is that of the paths.
    """
    files: dict[str, ChangedFile] = {}
    for section in _sections(patch):
        file = _file(section)
        before = files.get(file.path)
        # git tells a change of type as a deletion and an addition
        files[file.path] = file if before is None else _joined(before, file)
    return tuple(files.values())


def _sections(patch: bytes) -> Iterator[list[bytes]]:
    """Lines of each file; beyond `MOST_LINES` in all, only those that say what became of it."""
    section: list[bytes] = []
    kept = 0
    for ended in io.BytesIO(patch):
        line = ended.removesuffix(b"\n")
        if line.startswith(_HEAD) and section:
            yield section
            section = []
        if line.startswith(_HEAD) or section:
            kept += 1
            if kept <= MOST_LINES or line.startswith(_TOLD):
                section.append(line)
            elif section[-1] != CUT:
                section.append(CUT)
    if section:
        yield section


def _file(lines: list[bytes]) -> ChangedFile:
    before: str | None = None
    after: str | None = None
    created = deleted = link = False
    added: list[str] = []
    removed: list[str] = []
    position = 1
    while position < len(lines):
        line = lines[position]
        hunk = _HUNK.match(line)
        if hunk is not None:
            position = _hunk(lines, position + 1, hunk, added, removed)
            continue
        index = _INDEX.match(line)
        if index is not None:
            before, after = index[1].decode(), index[2].decode()
            link = link or line.endswith(b" " + _LINK)
        created = created or line.startswith(b"new file mode")
        deleted = deleted or line.startswith(b"deleted file mode")
        link = link or line in (b"new file mode " + _LINK, b"new mode " + _LINK)
        position += 1
    return ChangedFile(
        _path(lines[0]),
        None if created or before == _NOTHING else before or "unchanged",
        None if deleted or after == _NOTHING else after or "unchanged",
        tuple(added),
        tuple(removed),
        link=link,
        cut=CUT in lines,
    )


def _hunk(
    lines: list[bytes], position: int, hunk: re.Match[bytes], added: list[str], removed: list[str]
) -> int:
    """Read the lines that a hunk's head counts, whatever they look like; returns the next place."""
    old, new = (1 if count is None else int(count) for count in hunk.groups())
    while (old or new) and position < len(lines):
        line = lines[position]
        kind, text = line[:1], line[1:].decode("utf-8", "replace")
        if kind == b"+":
            added.append(text)
            new -= 1
        elif kind == b"-":
            removed.append(text)
            old -= 1
        elif kind != b"\\":
            old, new = old - 1, new - 1
        position += 1
    return position


def _path(head: bytes) -> str:
    """The path in `diff --git a/PATH b/PATH`, where both are the same."""
    rest = head.removeprefix(_HEAD)
    if rest.startswith(b'"'):
        quoted = rest[len(b'"a/') : (len(rest) - 1) // 2 - 1]
        return _ESCAPE.sub(_unquoted, quoted).decode("utf-8", "surrogateescape")
    return rest[2 : 2 + (len(rest) - 5) // 2].decode("utf-8", "surrogateescape")


def _unquoted(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8)]) if len(code) == 3 else _LETTERS.get(code, code)


def _joined(first: ChangedFile, second: ChangedFile) -> ChangedFile:
    return replace(
        second,
        before=first.before or second.before,
        after=second.after or first.after,
        added=first.added + second.added,
        removed=first.removed + second.removed,
        retyped=True,
        cut=first.cut or second.cut,
    )
