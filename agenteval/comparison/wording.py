"""How numbers and lists read: percent with intervals, dollars, times, counts with names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from agenteval.comparison.trial_table import Codes

UNKNOWN = "–"


def known(value: Any) -> bool:
    """Say whether a value is not NULL."""
    return not (value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value)))


def percent(share: Any, *, digits: int = 1) -> str:
    """Write a share as a percentage.

    >>> percent(0.625)
    '62.5 %'
    """
    return f"{100 * share:.{digits}f} %" if known(share) else UNKNOWN


def percent_interval(share: Any, low: Any, high: Any) -> str:
    """Write a share with its interval.

    >>> percent_interval(0.625, 0.401, 0.806)
    '62.5 % [40.1, 80.6]'
    """
    if not known(share):
        return UNKNOWN
    if not (known(low) and known(high)):
        return percent(share)
    return f"{percent(share)} [{100 * low:.1f}, {100 * high:.1f}]"


def points(difference: Any, *, signed: bool = True) -> str:
    """Write a difference of two shares in percentage points.

    >>> points(-0.125)
    '-12.5'
    """
    if not known(difference):
        return UNKNOWN
    value = round(100 * difference, 1) + 0.0
    return f"{value:+.1f}" if signed else f"{value:.1f}"


def dollars(amount: Any) -> str:
    """Write an amount of US dollars with a sensible number of digits.

    >>> dollars(0.0421), dollars(12.3)
    ('$0.042', '$12.30')
    """
    if not known(amount):
        return UNKNOWN
    if amount != 0 and abs(amount) < 0.1:
        return f"${amount:.2g}" if abs(amount) >= 0.0001 else f"${amount:.1e}"
    return f"${amount:,.2f}"


def seconds(duration: Any) -> str:
    """Write a duration.

    >>> seconds(0.047), seconds(3.21), seconds(312), seconds(7500)
    ('47 ms', '3.2 s', '5.2 min', '2.1 h')
    """
    if not known(duration):
        return UNKNOWN
    if 0 < duration < 0.9995:
        return f"{1000 * duration:.0f} ms" if duration >= 0.0005 else "< 1 ms"
    if duration < 120:
        return f"{duration:.1f} s"
    return f"{duration / 60:.1f} min" if duration < 7200 else f"{duration / 3600:.1f} h"


def number(value: Any, *, digits: int = 3) -> str:
    """Write a plain number without trailing zeros.

    >>> number(4.0), number(2.25), number(454321.5)
    ('4', '2.25', '454,322')
    """
    if not known(value):
        return UNKNOWN
    whole = float(value).is_integer() or abs(value) >= 1000
    return f"{value:,.0f}" if whole else f"{value:,.{digits}g}"


def p_value(value: Any) -> str:
    """Write a p-value.

    >>> p_value(0.03125), p_value(0.00001)
    ('.031', '< .001')
    """
    if not known(value):
        return UNKNOWN
    return "< .001" if value < 0.0005 else f"{value:.3f}".removeprefix("0")


def count_of(n: int, thing: str) -> str:
    """Write a count with its noun.

    >>> count_of(1, "task"), count_of(3, "trial")
    ('1 task', '3 trials')
    """
    return f"{n:,} {thing}" if n == 1 else f"{n:,} {thing}s"


def size_of(tasks: int, trials: int) -> str:
    """Write how much was run: tasks x repeats when balanced.

    >>> size_of(8, 24), size_of(8, 23)
    ('8 tasks x 3', '8 tasks, 23 trials')
    """
    if tasks and trials % tasks == 0:
        return f"{count_of(tasks, 'task')} x {trials // tasks}"
    return f"{count_of(tasks, 'task')}, {count_of(trials, 'trial')}"


def listed(names: Iterable[Any], *, most: int = 5) -> str:
    """Name the first few and count the rest.

    >>> listed("abcdef", most=3)
    'a, b, c and 3 more'
    """
    words = [str(name) for name in names]
    if len(words) <= most:
        return ", ".join(words)
    return f"{', '.join(words[:most])} and {len(words) - most} more"


def label_of(values: Sequence[Any]) -> str:
    """Write the values of the grouping columns as one label.

    >>> label_of(["v2", float("nan")])
    'v2 / unknown'
    """
    return " / ".join(str(value) if known(value) else "unknown" for value in values)


def tallies(rows: Codes, words: pd.Series, size: int) -> list[str]:
    """For each of `size` places, count the words that fall on it: `setup_failed 2, cancelled 1`.

    Parameters
    ----------
    rows
        Place of each word.
    words
        One word a row, none missing.
    size
        Number of places; a place without a word gets an empty text.
    """
    if not len(words):
        return [""] * size
    code, names = pd.factorize(words, sort=True)
    counts = np.bincount(rows * len(names) + code, minlength=size * len(names))
    table = counts.reshape(size, len(names))
    order = np.argsort(-table.sum(axis=0), kind="stable")
    # Most places look alike, so each distinct one is written once.
    kinds, kind = np.unique(table[:, order], axis=0, return_inverse=True)
    texts = np.array([_tally(names[order], kind_counts) for kind_counts in kinds], dtype=object)
    return texts[kind.ravel()].tolist()


def _tally(names: Any, counts: Any) -> str:
    return ", ".join(f"{name} {n}" for name, n in zip(names, counts, strict=True) if n)
