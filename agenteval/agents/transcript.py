"""An agent's steps as events, from whatever its program printed; nothing that it prints can raise."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

TEXT_CHARS = 20_000
LEFT_OUT = re.compile(rb"^\[\.\.\. \d+ bytes left out \.\.\.\]$", re.MULTILINE)
LARGEST_COUNT = 2**53


def json_lines(output: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects of an output that has one a line; other lines are passed over."""
    for line in output.split(b"\n"):
        found = json_object(line)
        if found is not None:
            yield found


def is_whole(output: bytes) -> bool:
    """Whether the sandbox kept all of an output; where it did not, nothing can be counted in it."""
    return LEFT_OUT.search(output) is None


def json_object(text: bytes) -> dict[str, Any] | None:
    """The JSON object that a text is, else None."""
    return found if isinstance(found := _json(text, b"{"), dict) else None


def json_list(text: bytes) -> list[dict[str, Any]]:
    """The objects of the JSON list that a text is, else none."""
    return items(_json(text, b"["))


def _json(text: bytes, begins: bytes) -> Any:
    if text.lstrip()[:1] != begins:
        return None
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def table(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; of anything else none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str | None:
    """The value if it is text, as what can be written to a file; else None."""
    if not isinstance(value, str):
        return None
    return value.encode("utf-8", "replace").decode("utf-8")


def count_of(value: Any) -> int | None:
    """The value if it can be a count, else None."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < LARGEST_COUNT else None


def amount_of(value: Any) -> float | None:
    """The value if it is a finite number that is not negative, else None."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 <= value < LARGEST_COUNT else None


def total(values: list[int | None]) -> int | None:
    """The sum; None when there is nothing, or one of them is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if values and len(known) == len(values) else None


def known_only(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields without those that are unknown."""
    return {name: value for name, value in fields.items() if value is not None}


class Transcript:
    """Collects the events of one run, and which of its calls failed.

    A result names its call as its `parent`; what a sub-agent did names the call that started it.
    """

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.tool_calls = 0
        self.tool_errors = 0
        self.tools: list[str] = []
        self._seqs: dict[str, int] = {}
        self._calls: dict[str, tuple[int, dict[str, Any], str | None]] = {}

    def message(
        self, text: Any, *, turn: int | None = None, parent: int | None = None
    ) -> str | None:
        """What the agent said; an empty text is no event."""
        said = text_of(text)
        if said:
            self._add("message", turn=turn, parent=parent, text=said)
        return said

    def call(
        self,
        call_id: Any,
        tool: Any,
        tool_kind: str,
        what: Mapping[str, Any],
        *,
        turn: int | None = None,
        parent: int | None = None,
        at: Any = None,
        counts: bool = True,
    ) -> int:
        """A tool was called; returns the event's seq.

        Parameters
        ----------
        what
            Its `command`, `path` and `text`, as far as it has them.
        at
            When, as ISO 8601 text.
        counts
            False for a further file of a call that is told already.
        """
        called = text_of(tool) or "unknown"
        seq = self._add(
            "tool_call",
            turn=turn,
            parent=parent,
            tool=called,
            tool_kind=tool_kind,
            **{name: text_of(what.get(name)) for name in ("command", "path", "text")},
        )
        if counts:
            self.tool_calls += 1
            self.tools.append(called)
            self._seqs[str(call_id)] = seq
            self._calls[str(call_id)] = (seq, self.events[-1], text_of(at))
        return seq

    def result(
        self,
        call_id: Any,
        *,
        ok: bool | None,
        exit_code: Any = None,
        text: Any = None,
        at: Any = None,
    ) -> None:
        """What a call came to; one without its call is passed over."""
        seq, call, started = self._calls.pop(str(call_id), (None, None, None))
        if seq is None or call is None:
            return
        code = exit_code if isinstance(exit_code, int) and abs(exit_code) < 2**31 else None
        self.tool_errors += ok is False
        self._add(
            "tool_result",
            parent=seq,
            turn=call.get("turn"),
            tool=call["tool"],
            tool_kind=call["tool_kind"],
            ok=ok,
            exit_code=None if isinstance(code, bool) else code,
            text=text_of(text),
            duration_s=_seconds(started, text_of(at)),
        )

    def error(self, text: Any, *, kind: str = "error") -> None:
        """What the program told as an error, or as a limit."""
        self._add(kind, text=text_of(text))

    def seq_of(self, call_id: Any) -> int | None:
        """The seq of a call, whether it has its result or not: a sub-agent may outlive that."""
        return None if call_id is None else self._seqs.get(str(call_id))

    def tool_kind_of(self, call_id: Any) -> str | None:
        """The kind of a call that has no result yet."""
        found = self._calls.get(str(call_id))
        return None if found is None else str(found[1]["tool_kind"])

    def _add(self, kind: str, **fields: Any) -> int:
        if isinstance(fields.get("text"), str):
            fields["text"] = fields["text"][:TEXT_CHARS]
        self.events.append({"kind": kind, **known_only(fields)})
        return len(self.events)


def _seconds(start: str | None, end: str | None) -> float | None:
    if start is None or end is None:
        return None
    try:
        spent = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return spent if spent >= 0 else None
