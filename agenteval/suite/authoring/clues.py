"""What in a prompt gives the answer away: names, files and lines of the fix that occur in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

ClueKind = Literal["line", "file", "name"]

IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{2,}")
_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|struct|interface|type|const|let|var)\s+([A-Za-z_$][\w$]{2,})"
)
_HUNK = re.compile(r"^@@ [^@]* @@(.*)$")
_LONG_LINE = 12
_CODE = re.compile(r"^(?!#|//|\*).*[(){}\[\]=;<>]")  # a line of documentation is no fix


@dataclass(frozen=True)
class Clue:
    """One place of a prompt that tells where or what the fix is.

    Attributes
    ----------
    start, end
        Where it stands in the text.
    kind
        `line`: a whole line that the fix adds; `file`: a file that it changes; `name`: a function,
        class or variable that it defines or changes.
    text
        What stands there.
    """

    start: int
    end: int
    kind: ClueKind
    text: str


def find_clues(text: str, patch: str, *, needed: Iterable[str] = ()) -> list[Clue]:
    """Find what a text tells of a fix; an author decides what of it an agent may know.

    Names count only where they are written as names: with an underscore or an inner capital, in
    backticks, or before a bracket. So `run` in a sentence is a word.

    Parameters
    ----------
    text
        A prompt.
    patch
        The reference solution.
    needed
        Names that must be told, because hidden tests use them and nothing else says them.
    """
    told = frozenset(needed)
    found = [*_lines(text, patch), *_files(text, patch), *_names(text, patch, told)]
    found.sort(key=lambda clue: (clue.start, clue.start - clue.end))
    kept: list[Clue] = []
    for clue in found:
        if not kept or clue.start >= kept[-1].end:
            kept.append(clue)
    return kept


def marked(text: str, clues: Iterable[Clue]) -> str:
    """The text with every clue in double brackets.

    >>> marked("fix read_it", [Clue(4, 11, "name", "read_it")])
    'fix [[read_it]]'
    """
    parts, at = [], 0
    for clue in clues:
        parts += [text[at : clue.start], "[[", text[clue.start : clue.end], "]]"]
        at = clue.end
    return "".join([*parts, text[at:]])


def names_in(text: str) -> frozenset[str]:
    """Everything in a text that could be a name in a program."""
    return frozenset(IDENTIFIER.findall(text))


def _changed(patch: str) -> Iterator[tuple[str, str]]:
    """Sign and text of the changed lines of a patch."""
    for line in patch.splitlines():
        if line[:1] in ("+", "-") and not line.startswith(("+++", "---")):
            yield line[0], line[1:]


def _lines(text: str, patch: str) -> Iterator[Clue]:
    seen = {line.strip() for sign, line in _changed(patch) if sign == "+"}
    for line in seen:
        if len(line) >= _LONG_LINE and _CODE.search(line):
            for at in _places(line, text):
                yield Clue(at, at + len(line), "line", line)


def _files(text: str, patch: str) -> Iterator[Clue]:
    paths = {line[6:] for line in patch.splitlines() if line.startswith(("--- a/", "+++ b/"))}
    for path in paths:
        pure = PurePosixPath(path)
        dotted = ".".join(pure.with_suffix("").parts)
        for form in {path, pure.name, dotted if "." in dotted else path}:
            for at in _places(form, text):
                yield Clue(at, at + len(form), "file", form)


def _names(text: str, patch: str, told: frozenset[str]) -> Iterator[Clue]:
    known: set[str] = set()
    for line in patch.splitlines():
        hunk = _HUNK.match(line)
        around = hunk[1] if hunk else line if line.startswith(" ") else ""
        known |= set(_DEFINED.findall(around))
    for _, line in _changed(patch):
        known |= set(_DEFINED.findall(line)) | set(IDENTIFIER.findall(_code(line)))
    for found in IDENTIFIER.finditer(text):
        name = found[0]
        if name in known and name not in told and _as_name(text, found):
            yield Clue(found.start(), found.end(), "name", name)


def _code(line: str) -> str:
    """A line without its strings and comments, roughly: what they say are words."""
    bare = re.sub(r"(\"[^\"]*\"|'[^']*'|`[^`]*`)", " ", line)
    return re.split(r"#|//", bare, maxsplit=1)[0]


def _as_name(text: str, found: re.Match[str]) -> bool:
    name = found[0]
    before, after = text[: found.start()][-1:], text[found.end() :][:1]
    return (
        "_" in name.strip("_")
        or re.search(r"[a-z][A-Z]", name) is not None
        or before in ("`", ".")
        or after in ("`", "(")
    )


def _places(needle: str, text: str) -> Iterator[int]:
    """Where something stands in a text by itself, and not as a part of a longer word."""
    pattern = rf"(?<![\w/.]){re.escape(needle)}(?![\w/])"
    return (found.start() for found in re.finditer(pattern, text))
