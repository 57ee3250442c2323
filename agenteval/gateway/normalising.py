"""What replay does not compare: ids, dates, paths of this trial, names of temporary files."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agenteval.errors import InvalidInput

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[AP]M)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"


@dataclass(frozen=True)
class Rule:
    """One thing that is not compared: a regular expression, and what stands in its place."""

    pattern: re.Pattern[str]
    replacement: str

    @classmethod
    def of(cls, pattern: str, replacement: str) -> Rule:
        """Make a rule of its two texts."""
        return cls(re.compile(pattern), replacement)


BUILT_IN_RULES: tuple[Rule, ...] = (
    Rule.of(
        r"(?:\b[a-z]{2,12}_)?(?<![0-9a-fA-F-])[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b",
        "<uuid>",
    ),
    Rule.of(
        r"\b(?:toolu|call|fc|fco|ctc|ctco|msg|resp|rs|req|chatcmpl|item|ses|prt|user|session|thread|turn)_(?=[A-Za-z]*[0-9])[A-Za-z0-9]{8,}(?:[_-][A-Za-z0-9]+)*",
        "<id>",
    ),
    Rule.of(r"\bchatcmpl-[A-Za-z0-9]{8,}", "<id>"),
    Rule.of(rf"\b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_CLOCK}{_ZONE})?", "<date>"),
    Rule.of(
        rf"\b(?:{_DAY},? +)?(?:{_MONTH} +\d{{1,2}}|\d{{1,2}} +{_MONTH})(?:,? +\d{{4}})?(?:,? +(?:at )?{_CLOCK}{_ZONE})?(?: +\d{{4}})?",
        "<date>",
    ),
    Rule.of(rf"\b(?:{_DAY},? +)?\d{{1,2}}/\d{{1,2}}/\d{{4}}\b", "<date>"),
    Rule.of(rf"\b\d{{1,2}}:\d{{2}}:\d{{2}}(?:[.,]\d+)?{_ZONE}", "<time>"),
    Rule.of(r"\b1[6-9]\d{8}(?:\d{3})?(?:\.\d+)?\b", "<timestamp>"),
    Rule.of(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds|secs|sec)\b", "<duration>"),
    Rule.of(r"(?:/private)?/(?:var/)?tmp/[\w.+@-]+", "<temp>"),
    Rule.of(r"\btmp[a-z0-9_]{6,}\b", "<temp>"),
    Rule.of(r"(?:127\.0\.0\.1|localhost):\d+(?:/t/[\w-]+)?", "<gateway>"),
    Rule.of(r"\b0x[0-9a-f]{6,16}\b", "<address>"),
    Rule.of(r"\b(?:pid|ppid|pgid|PIDs?|PPID|PGID)\b[ =:]+\d+(?:, ?\d+)*", "<pid>"),
    Rule.of(r"\bDevice: \S+\s+Inode: \d+", "<inode>"),  # what stat prints
    Rule.of(r"\bload average: [\d., ]+", "<load>"),
    Rule.of(r"\bChunk ID: [0-9a-f]+", "<id>"),
    Rule.of(r"\b[0-9a-f]{40}\b", "<hash>"),
    Rule.of(r"\bindex [0-9a-f]{7,}\.\.[0-9a-f]{7,}", "index <hash>"),
    Rule.of(r"\b[0-9a-f]{32}\b", "<id>"),
)


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read further rules: `[[rule]]` tables with `pattern` and `replacement` in a TOML file.

    Raises
    ------
    InvalidInput
        When the file cannot be read, or a pattern is none.
    """
    try:
        told = tomllib.loads(path.read_text("utf-8"))
        unknown = sorted(set(told) - {"rule"})
        if unknown:
            raise ValueError(f"there is no key {unknown[0]!r}")
        return tuple(_rule(entry) for entry in told.get("rule", []))
    except (OSError, ValueError, TypeError, KeyError, re.error) as error:
        raise InvalidInput(
            f"The rules cannot be read: {error}",
            str(path),
            "write [[rule]] tables, each with `pattern` (a regular expression) and `replacement`",
        ) from error


def _rule(entry: Mapping[str, Any]) -> Rule:
    if set(entry) != {"pattern", "replacement"}:
        raise ValueError("a rule has the keys `pattern` and `replacement`")
    return Rule.of(entry["pattern"], entry["replacement"])


class Normaliser:
    """Makes texts of two trials comparable.

    Parameters
    ----------
    places
        Folders of the trial, as the agent sees them, to a name each.
    rules
        Further rules; they come before the built-in ones.

    Examples
    --------
    >>> same = Normaliser({"/box/a1/work": "workspace"})
    >>> same.text("wrote /box/a1/work/app.py at 2026-03-01T10:00:00Z (call_8Jk2mN01aB)")
    'wrote <workspace>/app.py at <date> (<id>)'
    """

    def __init__(self, places: Mapping[str, str] | None = None, rules: Sequence[Rule] = ()) -> None:
        self._places = [  # /tmp is none of /tmpfile
            (re.compile(re.escape(path) + r"(?![\w-])"), f"<{name}>")
            for path, name in sorted((places or {}).items(), key=lambda item: -len(item[0]))
        ]
        self._rules = (*rules, *BUILT_IN_RULES)
        self._seen: dict[str, str] = {}

    def text(self, text: str) -> str:
        """The text with names in the place of what differs from trial to trial."""
        for path, name in self._places:
            text = path.sub(name, text)
        for rule in self._rules:
            text = rule.pattern.sub(rule.replacement, text)
        return text

    def value(self, value: Any) -> Any:
        """The same for all strings of what JSON can hold."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self.value(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(inner) for inner in value]
        return value

    def part(self, part: Mapping[str, Any]) -> str:
        """One part of a conversation as a text that can be compared.

        Every request brings the whole conversation again, so what was seen is remembered.
        """
        raw = json.dumps(part, sort_keys=True, ensure_ascii=False)
        if raw not in self._seen:
            told = json.dumps(self.value(part), sort_keys=True, ensure_ascii=False)
            self._seen[raw] = told
        return self._seen[raw]
