"""What a trajectory of mini-swe-agent says: its steps, its use of the model, and how it ended.

Retries are litellm's and not in it, so `harness_events` is unknown.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agenteval.agents.transcript import (
    Transcript,
    amount_of,
    count_of,
    items,
    table,
    text_of,
    total,
)

# ends that the program comes to by itself; every other one is the name of an exception
OWN_ENDS = ("Submitted", "LimitsExceeded", "TimeExceeded", "RepeatedFormatError")
LIMITS = ("LimitsExceeded", "TimeExceeded")
# what it says of the command that ended its work, and of those that stand behind it
NOT_RUN = "action was not executed"
LARGEST_BYTES = 64 << 20
GZIP = b"\x1f\x8b"


@dataclass
class Trajectory:
    """A trajectory that was read.

    Attributes
    ----------
    exit_status
        How it ended; None when it was cut short.
    answer
        What it handed in, else what the model said last.
    usage
        Columns of a trial.
    events
        Fields of `EventRow`.
    """

    exit_status: str | None = None
    answer: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)

    @property
    def finished(self) -> bool:
        """Whether the program came to an end of its own."""
        return self.exit_status in OWN_ENDS


def read_trajectory(data: bytes) -> Trajectory:
    """Read a trajectory of format mini-swe-agent-1.1, packed or not; of anything else nothing is known."""
    try:
        document = table(json.loads(_unpacked(data).decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return Trajectory()
    reader = _Reader()
    for message in items(document.get("messages")):
        reader.take(message)
    return Trajectory(
        exit_status=reader.exit_status,
        answer=reader.submission if reader.submission.strip() else reader.last_said,
        usage=reader.usage(table(document.get("info"))) if document else {},
        events=reader.transcript.events,
    )


class _Reader:
    """Goes through the messages in order."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.exit_status: str | None = None
        self.submission = self.last_said = ""
        self.turn = 0
        self.uses: list[dict[str, Any]] = []
        self.costs: list[float | None] = []

    def take(self, message: dict[str, Any]) -> None:
        """Take the next message."""
        extra = table(message.get("extra"))
        role = message.get("role")
        if "response" in extra:
            self._answered(table(extra["response"]), extra, said=role == "assistant")
        if role == "assistant":
            self._acted(message, extra)
        elif role == "tool":
            self._ran(message, extra)
        elif role == "exit":
            self._ended(message, extra)
        elif role == "user" and self.turn:  # its own reply to one that it cannot use
            self.transcript.error(message.get("content"))

    def usage(self, info: dict[str, Any]) -> dict[str, Any]:
        """Columns; tokens in four disjoint counts, unknown as soon as one request's are."""
        told = [_buckets(use) for use in self.uses]
        return {
            "turns": count_of(table(info.get("model_stats")).get("api_calls")),
            "tool_calls": self.transcript.tool_calls,
            "tool_errors": self.transcript.tool_errors,
            **{name: total([each[name] for each in told]) for name in _buckets({})},
            "reported_cost_usd": self._cost(info),
            # it has no permissions, skills or servers of tools, and asks nobody unless interrupted
            "denials": 0,
            "skills_loaded": 0,
            "mcp_calls": 0,
            "asked_user": self.exit_status == "EOFError",
        }

    def _cost(self, info: dict[str, Any]) -> float | None:
        """Its own sum; unknown as soon as one request has no price, which it counts as 0."""
        known = bool(self.costs) and all(self.costs)
        return amount_of(table(info.get("model_stats")).get("instance_cost")) if known else None

    def _answered(self, response: dict[str, Any], extra: dict[str, Any], *, said: bool) -> None:
        self.turn += 1
        self.uses.append(table(response.get("usage")))
        self.costs.append(amount_of(extra.get("cost")))
        if not said:
            first = next(iter(items(response.get("choices"))), {})
            self._said(table(first.get("message")).get("content"))

    def _said(self, content: Any) -> None:
        self.last_said = self.transcript.message(content, turn=self.turn or None) or self.last_said

    def _acted(self, message: dict[str, Any], extra: dict[str, Any]) -> None:
        self._said(message.get("content"))
        for action in items(extra.get("actions")):
            self.transcript.call(
                action.get("tool_call_id"),
                "bash",
                "shell",
                {"command": action.get("command")},
                turn=self.turn or None,
                at=_time(extra),
            )

    def _ran(self, message: dict[str, Any], extra: dict[str, Any]) -> None:
        fault = text_of(extra.get("exception_info"))
        code = None if fault else extra.get("returncode")
        self.transcript.result(
            message.get("tool_call_id"),
            ok=None if fault == NOT_RUN else not fault and code == 0,
            exit_code=code,
            text=text_of(extra.get("raw_output")) or fault,
            at=_time(extra),
        )

    def _ended(self, message: dict[str, Any], extra: dict[str, Any]) -> None:
        self.exit_status = status = text_of(extra.get("exit_status")) or None
        self.submission = text_of(extra.get("submission")) or ""
        if status in LIMITS:
            self.transcript.error(status, kind="limit")
        elif status != "Submitted":
            told = text_of(extra.get("exception_str")) or text_of(message.get("content")) or ""
            self.transcript.error(f"{status}: {told}" if told != status else status)


def _buckets(use: dict[str, Any]) -> dict[str, int | None]:
    """Tokens of one request: what is sent holds what was read from a cache and written to it."""
    sent = count_of(use.get("prompt_tokens"))
    details = table(use.get("prompt_tokens_details"))
    read = count_of(details.get("cached_tokens")) or count_of(use.get("cache_read_input_tokens"))
    written = count_of(use.get("cache_creation_input_tokens"))
    known = sent is not None
    return {
        "input_tokens": max(0, sent - (read or 0) - (written or 0)) if sent is not None else None,
        "cache_read_tokens": read or 0 if known else None,
        "cache_write_tokens": written or 0 if known else None,
        "output_tokens": count_of(use.get("completion_tokens")),
    }


def _time(extra: dict[str, Any]) -> str | None:
    seconds = amount_of(extra.get("timestamp"))
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return None


def _unpacked(data: bytes) -> bytes:
    """The trajectory, which is packed when it is long; at most `LARGEST_BYTES` of it."""
    if not data.startswith(GZIP):
        return data
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, LARGEST_BYTES)
    except zlib.error:
        return b""
