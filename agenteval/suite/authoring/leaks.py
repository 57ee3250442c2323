"""What the agent is given and should not be, and what it is not told and would need: read off the files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from agenteval.suite.authoring.clues import IDENTIFIER, names_in
from agenteval.suite.runners import looks_like_test

_TEST_NAMES = re.compile(r"\bdef\s+(test_\w+)|\b(?:test|it)\w*\(\s*['\"`]([^'\"`\n]{8,})['\"`]")
_ASSERTION = re.compile(r"^(assert\b|assert[.(]|(await )?expect\(|self\.assert)")
# what a test calls, imports, reads an attribute of or passes by name
_USED = re.compile(
    r"\.([A-Za-z_$][\w$]*)|\b([A-Za-z_$][\w$]*)(?:\(|=(?!=))|\bimport\s+([\w$,{} ]+)", re.ASCII
)
_DEFINED = re.compile(
    r"\b(?:def|class|function|func|fn|const|let|var|type|interface)\s+([A-Za-z_$][\w$]*)"
    r"|^\s*(?:self\.|this\.|export\s+)?([A-Za-z_$][\w$]*)\s*(?::[^=]*)?=(?!=)"
)
_HEAD = re.compile(r"\b(?:def|function|async)\b[^(]*\(([^)]*)")
_LONG_LINE = 30
_WORDS = 4
LARGEST = 1 << 20


@dataclass(frozen=True)
class Leak:
    """A place where the agent can see what grades it.

    Attributes
    ----------
    where
        `prompt`, `setup`, or a path of the starting repository.
    what
        What stands there.
    """

    where: str
    what: str


def texts_below(folder: Path) -> dict[str, str]:
    """Path to text of every text file below a folder, at most a megabyte each; links are left out."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
            continue
        data = path.read_bytes()
        if b"\0" not in data[:8192]:
            found[path.relative_to(folder).as_posix()] = data.decode("utf-8", "replace")
    return found


def find_leaks(given: Mapping[str, str], hidden: Mapping[str, str]) -> list[Leak]:
    """Find hidden tests in what the agent is given.

    Looked for are whole test files, names of test files, names of tests, and lines that assert
    something. What an earlier version of the same file has is no leak: hidden tests often are a
    newer version of tests that the project has. A hidden file that the start has, byte for byte at
    the same path, is an original to be laid back over the result, and hides nothing.

    Parameters
    ----------
    given
        Path to text of the starting repository, and `prompt` and `setup`.
    hidden
        Path to text of the hidden files.
    """
    found = []
    for path, text in hidden.items():
        if not looks_like_test(path) or given.get(path) == text:
            continue
        earlier = given.get(path, "")
        secrets = _secrets(path, text, earlier, new=path not in given)
        for where, content in given.items():
            if content == text:
                found.append(Leak(where, f"all of the hidden file {path}"))
                continue
            told = [s for s in secrets if where != path and _stands_in(s, content)]
            # tests that the project has may ask for the same thing here and there
            if len(told) > (len(secrets) / 2 if looks_like_test(where) else 0):
                found.append(Leak(where, f"{told[0]!r}, of the hidden file {path}"))
    return found


def untold_names(
    prompt: str, start: frozenset[str], patch: str, tests: Iterable[str]
) -> tuple[str, ...]:
    """Names that hidden tests use, that come with the reference, and that nobody tells the agent.

    Parameters
    ----------
    start
        Every name in the starting repository.
    patch
        The reference solution: names it does not bring are the tests' own.
    tests
        Texts of the hidden test files.
    """
    needed = needed_names(start, patch, tests)
    return tuple(sorted(needed - names_in(prompt)))


def needed_names(start: frozenset[str], patch: str, tests: Iterable[str]) -> frozenset[str]:
    """Names that the reference defines, hidden tests use, and the start does not have.

    Names that the tests define themselves, and words in their texts, are not among them.
    """
    added = [
        line[1:]
        for line in patch.splitlines()
        if line.startswith("+") and not line.startswith("+++")
    ]
    used, own = set[str](), set[str]()
    for text in tests:
        used.update(*map(_named, _USED.findall(text)))
        own |= _defined(text.splitlines())
    return frozenset((used - own - start) & _defined(added))


def _defined(lines: Iterable[str]) -> set[str]:
    """Functions, classes, parameters and variables that lines of code define."""
    found: set[str] = set()
    for line in lines:
        found.update(*map(_named, _DEFINED.findall(line)))
        if head := _HEAD.search(line):
            parameters = (IDENTIFIER.search(part) for part in head[1].split(","))
            found |= {each[0] for each in parameters if each}
    return found


def _named(groups: tuple[str, ...]) -> list[str]:
    return [name for group in groups for name in IDENTIFIER.findall(group)]


def _secrets(path: str, text: str, earlier: str, *, new: bool) -> list[str]:
    """What of a hidden test file must stand nowhere else, the most telling first."""
    lines = (line.strip() for line in text.splitlines())
    asserted = [
        line
        for line in lines
        if len(line) >= _LONG_LINE and _ASSERTION.search(line) and line not in earlier
    ]
    names = [first or second for first, second in _TEST_NAMES.findall(text)]
    fresh = [name for name in names if name not in earlier and _is_telling(name)]
    stem = PurePosixPath(path).name
    return [*fresh, *asserted, *([stem] if new and "hidden" in stem else [])]


def _is_telling(name: str) -> bool:
    """Whether a test's name is long enough to stand elsewhere for no other reason."""
    return len(re.split(r"[_\s]+", name)) >= _WORDS


def _stands_in(secret: str, text: str) -> bool:
    if secret not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(secret)}(?!\w)", text) is not None
