"""What trials use, in words: names, units and amounts."""

from __future__ import annotations

from typing import Any

from agenteval.comparison.wording import count_of, dollars, number, seconds

WORDS = {"cost_usd": "cost", "agent_s": "agent time", "duration_s": "trial time"}
UNITS = {"cost_usd": "US dollars", "agent_s": "seconds", "duration_s": "seconds"}


def quantity_words(column: str) -> str:
    """Name a quantity as people do.

    >>> quantity_words("agent_s"), quantity_words("output_tokens")
    ('agent time', 'output tokens')
    """
    return WORDS.get(column, column.replace("_", " "))


def amount(column: str, value: Any) -> str:
    """Write a value with the unit of its quantity.

    >>> amount("agent_s", 183), amount("cost_usd", 0.331), amount("turns", 1), amount("turns", 7.5)
    ('3.0 min', '$0.33', '1 turn', '7.5 turns')
    """
    if column.endswith("_usd"):
        return dollars(value)
    if column.endswith("_s"):
        return seconds(value)
    name = quantity_words(column)
    return count_of(1, name.removesuffix("s")) if value == 1 else f"{number(value)} {name}"


def amount_in_words(column: str, value: Any) -> str:
    """Write a value so that it says what it is of.

    >>> amount_in_words("agent_s", 183), amount_in_words("cost_usd", 0.331), amount_in_words("turns", 7)
    ('agent time 3.0 min', '$0.33', '7 turns')
    """
    text = amount(column, value)
    return f"{quantity_words(column)} {text}" if column.endswith("_s") else text
