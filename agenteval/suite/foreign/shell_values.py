"""Values of a shell file, read and never executed: `NAME=value` lines, quoted as people write them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from agenteval.suite.foreign.conversion import Malformed

_ASSIGNED = re.compile(r"[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=")
_ENDS = " \t\n;#"
_ESCAPED = '\\"$`'


@dataclass
class ShellValues:
    """What a file sets, and the numbers of lines that are no assignment."""

    values: dict[str, str] = field(default_factory=dict)
    foreign: list[int] = field(default_factory=list)


def shell_values(text: str) -> ShellValues:
    r"""Read a file of assignments; the last of a name holds, as in a shell.

    >>> shell_values('A="x y"  # why\nB=\'$PROJECT\'\n').values
    {'A': 'x y', 'B': '$PROJECT'}

    Raises
    ------
    Malformed
        For a value that only a shell could tell: `$NAME`, `$(...)` or backticks outside of single
        quotes, or a quote without its end.
    """
    found, at = ShellValues(), 0
    text = text.replace("\r\n", "\n")
    while at < len(text):
        assigned = _ASSIGNED.match(text, at)
        if assigned is not None:
            value, at = _value(text, assigned.end(), assigned[1])
            found.values[assigned[1]] = value
            at = _after(text, at, found)
            continue
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)].strip()
        if line and not line.startswith("#"):
            found.foreign.append(text.count("\n", 0, at) + 1)
        at = len(text) if end < 0 else end + 1
    return found


def _after(text: str, at: int, found: ShellValues) -> int:
    """Go past what stands behind a value on its line; a command there is foreign."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    rest = text[at:end].strip().removeprefix(";").strip()
    if _ASSIGNED.match(rest):
        return text.index(rest, at)
    if rest and not rest.startswith("#"):
        found.foreign.append(text.count("\n", 0, at) + 1)
    return end + 1


def _value(text: str, at: int, name: str) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(text) and text[at] not in _ENDS:
        letter = text[at]
        if letter == "'":
            end = text.find("'", at + 1)
            if end < 0:
                raise Malformed(name, "has a quote without its end")
            parts.append(text[at + 1 : end])
            at = end + 1
        elif letter == '"':
            part, at = _double(text, at + 1, name)
            parts.append(part)
        elif letter in "$`(":
            raise _not_executed(name)
        else:
            at += letter == "\\"
            parts.append(text[at : at + 1])
            at += 1
    return "".join(parts), at


def _double(text: str, at: int, name: str) -> tuple[str, int]:
    parts: list[str] = []
    while at < len(text):
        letter = text[at]
        if letter == '"':
            return "".join(parts), at + 1
        if letter in "$`":
            raise _not_executed(name)
        if letter == "\\" and text[at + 1 : at + 2] in (*_ESCAPED, "\n"):
            parts.append("" if text[at + 1] == "\n" else text[at + 1])
            at += 2
            continue
        parts.append(letter)
        at += 1
    raise Malformed(name, "has a quote without its end")


def _not_executed(name: str) -> Malformed:
    return Malformed(name, "needs a shell to be expanded, and the file is never executed: write the value in single quotes")  # fmt: skip
