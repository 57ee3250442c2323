"""Regular expressions of Go and JavaScript, where `^` and `$` are the ends of the text, as ours."""

from __future__ import annotations

import re

from agenteval.suite.foreign.conversion import Malformed

_POSIX = re.compile(r"\[:\^?[a-z]+:\]")
_CLASS_HEAD = re.compile(r"\[\^?\]?")
_UNICODE = re.compile(r"(?<!\\)(?:\\\\)*\\[wWdDsSbB]")


def single_line(pattern: str, field: str, *, answer: bool = False) -> str:
    r"""The same expression for multi-line mode, in which checks search.

    >>> single_line("^ok$", "x"), single_line(r"(?<a>[$^])\^", "x")
    ('\\Aok\\Z', '(?P<a>[$^])\\^')

    Parameters
    ----------
    answer
        Whether it is searched for in an answer, at whose end our agents may leave a newline.

    Raises
    ------
    Malformed
        When it is none in Python.
    """
    if _POSIX.search(pattern):
        raise Malformed(field, "holds a class such as [:alpha:], which Python does not know")
    anchors = {"^": r"\A", "$": r"\s*\Z" if answer else r"\Z"}
    parts, at, inside = [], 0, False
    while at < len(pattern):
        two = pattern[at : at + 2]
        if two.startswith("\\"):
            parts.append(r"\Z" if two == r"\z" else two)
            at += 2
            continue
        letter = pattern[at]
        if not inside and pattern[at : at + 3] == "(?<" and pattern[at + 3 : at + 4] not in "=!":
            parts.append("(?P<")
            at += 3
            continue
        if letter == "[" and not inside:
            # what stands first in a class is no end of it
            first = _CLASS_HEAD.match(pattern, at)
            parts.append(first[0] if first else letter)
            at, inside = at + len(parts[-1]), True
            continue
        inside = inside and letter != "]"
        if inside and letter == "[":
            parts.append(r"\[")  # a letter there, which Python warns about
            at += 1
            continue
        anchor = None if inside or "(?m" in pattern else anchors.get(letter)
        parts.append(anchor or letter)
        at += 1
    converted = "".join(parts)
    try:
        re.compile(converted)
    except re.error as error:
        raise Malformed(field, f"is no regular expression in Python: {error}") from None
    if not converted:
        raise Malformed(field, "is empty, which is found everywhere")
    return converted


def reads_unicode(pattern: str) -> bool:
    """Whether classes in it match letters and digits of every script in Python, and not elsewhere."""
    return _UNICODE.search(pattern) is not None
