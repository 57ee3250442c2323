"""Long names of arms and tasks on an axis, in a legend, in columns: short, and still told apart."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Sequence
from os.path import commonprefix
from typing import Any

import altair as alt

LONGEST_LABEL, LONGEST_LEGEND = 44, 30
LETTER = 6.6
GAP = 16
PROVIDER = re.compile(r"^[\w.-]+/")
HEADS = (0.5, 0.6, 0.4, 0.7, 0.3, 0.8, 0.2, 0.9, 0.1, 0.0, 1.0)


def shortened(name: str, longest: int, *, head: float = 0.5) -> str:
    """Cut a long name in its middle.

    >>> shortened("claude-code anthropic/claude-sonnet-4-5 short-prompt-v2", 25)
    'claude-code …rt-prompt-v2'

    Parameters
    ----------
    name
        A name.
    longest
        Letters that fit; wide ones, as in Japanese, count twice.
    head
        Share of the letters kept that stand before the cut.
    """
    keep = longest // 2 if _letters(name) > len(name) else longest
    if len(name) <= keep:
        return name
    first = round(head * (keep - 1))
    return name[:first] + "…" + name[len(name) - (keep - 1 - first) :]


def _letters(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def short_names(names: Iterable[str], longest: int) -> dict[str, str]:
    """Cut long names so that no two of them come to read alike.

    Words that all of them begin with go first; then the cut is in the middle, unless that is where
    they differ.

    >>> list(short_names(["agent model-a prompt-v2", "agent model-b prompt-v2"], 20).values())
    ['…model-a prompt-v2', '…model-b prompt-v2']

    Parameters
    ----------
    names
        Names; each is cut once.
    longest
        Letters that fit.
    """
    order = list(dict.fromkeys(str(name) for name in names))
    long = [name for name in order if shortened(name, longest) != name]
    ways = [_without_shared_words(order, long, longest), order]
    tries = [
        [shortened(name, longest, head=head) for name in way] for way in ways for head in HEADS
    ]
    tries.append([shortened(name, longest) for name in _apart(order, long)])
    best = max(tries, key=lambda texts: len(set(texts)))
    found: dict[str, str] = {}
    for name, text in zip(order, best, strict=True):
        again = sum(other == text for other in best[: len(found)])
        found[name] = f"{text} ({again + 1})" if again else text
    return found


def _without_shared_words(names: list[str], long: list[str], longest: int) -> list[str]:
    """Drop the words that all long names begin with, then, if need be, a provider before a `/`."""
    if len(long) < 2:
        return names
    same = commonprefix(long)
    same = same[: max(same.rfind(" "), same.rfind("/")) + 1]
    found = []
    for name in names:
        rest = name.removeprefix(same)
        if len(rest) >= longest:
            rest = PROVIDER.sub("", rest)
        found.append(f"…{rest}" if name in long and rest != name else name)
    return found


def _apart(names: list[str], long: list[str]) -> list[str]:
    """Drop what all long names begin and end with."""
    start, stop = len(commonprefix(long)), len(commonprefix([name[::-1] for name in long]))
    stop = min(stop, min(map(len, long), default=0) - start)
    return [f"…{name[start : len(name) - stop]}…" if name in long else name for name in names]


def name_labels(names: Iterable[str], longest: int = LONGEST_LABEL) -> dict[str, Any]:
    """Return the options of an axis or a legend that shortens its labels; the data stay whole."""
    short = short_names(names, longest)
    if all(name == text for name, text in short.items()):
        return {}
    return {"labelExpr": f"{json.dumps(short)}[datum.value]"}


def label_columns(
    base: Any, rows: Sequence[dict[str, Any]], fields: Sequence[str], colour: str
) -> list[Any]:
    """Write texts of the rows in columns left of the plot, as a table has them.

    Parameters
    ----------
    base
        The chart whose rows they are, with its `y`.
    rows
        The rows.
    fields
        Fields with the texts, from left to right.
    colour
        Colour of the texts.
    """
    widths = [LETTER * max(_letters(str(row[name])) for row in rows) + GAP for name in fields]
    return [
        base.mark_text(align="left", limit=widths[i] - GAP / 4).encode(
            text=f"{name}:N", x=alt.value(-sum(widths[i:])), color=alt.value(colour)
        )
        for i, name in enumerate(fields)
    ]
