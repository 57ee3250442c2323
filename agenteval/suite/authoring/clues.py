"""What in a prompt gives the answer away: names, files and lines of the fix that occur in it."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from agenteval.suite.authoring.split import is_upkeep

ClueKind = Literal["line", "code", "file", "name"]

IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{2,}")
_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|struct|interface|type|const|let|var)\s+([A-Za-z_$][\w$]{2,})"
)
_HUNK = re.compile(r"^@@ [^@]* @@(.*)$")
_LONG_LINE = 12
_CODE = re.compile(r"^(?!#|//|\*).*[(){}\[\]=;<>]")  # a line of documentation is no fix
_COMMENT = re.compile(r"\s*(?:#|//|\*|/\*)")
_QUOTED = re.compile(
    r"``(?P<double>[^`\n]+)``|`(?P<tick>[^`\n]+)`"
    r"|(?<!\w)\"(?P<quote>[^\"\n]+)\"(?!\w)|(?<!\w)'(?P<single>[^'\n]+)'(?!\w)"
)
_SHORTEST = 3
_WORDS = re.compile(r"[A-Za-z\s,.;:!?’'-]+|[\w$]+")  # a single name is looked at as a name
_BUILTINS = frozenset(dir(builtins))
_KEYWORDS = frozenset({*keyword.kwlist, *keyword.softkwlist}) | {
    "abstract", "arguments", "boolean", "catch", "const", "constructor", "debugger", "default",
    "delete", "enum", "export", "extends", "extern", "final", "func", "function", "implements",
    "instanceof", "interface", "let", "module", "mut", "namespace", "new", "null", "package",
    "private", "protected", "pub", "public", "readonly", "require", "self", "static", "struct",
    "super", "switch", "this", "throw", "throws", "trait", "typeof", "undefined", "use", "using",
    "var", "void", "volatile", "where",
}  # fmt: skip
_COMMON = frozenset({
    "args", "are", "but", "cls", "data", "file", "has", "into", "item", "items", "its", "key",
    "keys", "kwargs", "name", "names", "now", "number", "off", "one", "only", "out", "result",
    "results", "text", "that", "the", "then", "too", "two", "value", "values", "was", "when",
    "will",
})  # fmt: skip


@dataclass(frozen=True)
class Clue:
    """One place of a prompt that tells where or what the fix is.

    Attributes
    ----------
    start, end
        Where it stands in the text.
    kind
        `line`: a whole line that the fix adds; `code`: a quoted piece of a line that it adds or
        takes away; `file`: a file that it changes; `name`: a function,
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
    backticks, or before a bracket. So `run` in a sentence is a word. Words of the language, and very
    common ones, never count. Pieces of code count in backticks or quotes, from three characters on.

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
    found = [
        *_lines(text, patch),
        *_pieces(text, patch),
        *_files(text, patch),
        *_names(text, patch, told),
    ]
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


def _pieces(text: str, patch: str) -> Iterator[Clue]:
    lines = [" ".join(line.split()) for line in _program(patch)]
    for found in _QUOTED.finditer(text):
        group = found.lastgroup or ""
        piece = found[group].strip()
        if len(piece) < _SHORTEST or _WORDS.fullmatch(piece):
            continue
        if any(True for line in lines for _ in _places(" ".join(piece.split()), line)):
            start = text.index(piece, found.start(group))
            yield Clue(start, start + len(piece), "code", piece)


def _program(patch: str) -> Iterator[str]:
    """Changed lines of programs: what a changelog or a comment quotes is no fix."""
    prose = False
    for line in patch.splitlines():
        if line.startswith("diff --git "):
            prose = is_upkeep(line.rpartition(" b/")[2])
        elif not prose:
            yield from (text for _, text in _changed(line) if not _COMMENT.match(text))


def _files(text: str, patch: str) -> Iterator[Clue]:
    paths = {line[6:] for line in patch.splitlines() if line.startswith(("--- a/", "+++ b/"))}
    for path in paths:
        pure = PurePosixPath(path)
        dotted = ".".join(pure.with_suffix("").parts)
        for form in {path, pure.name, dotted if "." in dotted else path}:
            for at in _places(form, text):
                yield Clue(at, at + len(form), "file", form)


def _names(text: str, patch: str, told: frozenset[str]) -> Iterator[Clue]:
    defined: set[str] = set()
    for line in patch.splitlines():
        hunk = _HUNK.match(line)
        around = hunk[1] if hunk else line if line.startswith(" ") else ""
        defined |= set(_DEFINED.findall(around))
    used: set[str] = set()
    for _, line in _changed(patch):
        defined |= set(_DEFINED.findall(line))
        used |= set(IDENTIFIER.findall(_code(line)))
    known = (defined | (used - _BUILTINS)) - _KEYWORDS - _COMMON - told
    for found in IDENTIFIER.finditer(text):
        name = found[0]
        if name in known and _as_name(text, found):
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
