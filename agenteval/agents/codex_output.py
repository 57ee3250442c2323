"""Reading what `codex exec --json` printed.

The terminal event is `turn.completed`. `error` events and items are not fatal: a retry is one, and
so is a model that the program does not know; `turn.failed` is. It tells of no skill (a skill is
read like any other file), so `skills_loaded` is unknown.
"""

from __future__ import annotations

import re
import shlex
from typing import Any

from agenteval.agents.protocol import AgentReport
from agenteval.agents.transcript import (
    Transcript,
    count_of,
    is_whole,
    items,
    json_lines,
    known_only,
    table,
    text_of,
)

RETRYING = re.compile(r"Reconnecting\.\.\.|retrying", re.IGNORECASE)
STATUS = re.compile(r"(?:unexpected status|last status:?) (\d{3})")
REFUSED = re.compile(rb"you cannot ask for escalated permissions|rejected by (?:user|policy)")
ASKED = re.compile(rb"request_user_input is unavailable")
WARNING = "Model metadata for"
SHELLS = ("sh", "bash", "zsh", "dash")


def read_codex(stdout: bytes, stderr: bytes = b"") -> AgentReport:
    """Read the output of one run, whole or torn."""
    reading = _Reading(stderr, whole=is_whole(stdout))
    for line in json_lines(stdout):
        reading.take(line)
    return reading.report()


class _Reading:
    def __init__(self, stderr: bytes, *, whole: bool) -> None:
        self.whole = whole
        self.transcript = Transcript()
        self.denials = len(REFUSED.findall(stderr))
        self.asked = ASKED.search(stderr) is not None
        self.said = ""
        self.retries = self.mcp_calls = 0
        self.used: set[str] = set()
        self.started = False
        self.usage: dict[str, Any] | None = None
        self.failure: str | None = None

    def take(self, line: dict[str, Any]) -> None:
        kind, item = line.get("type"), table(line.get("item"))
        if kind == "thread.started":
            self.started = True
        elif kind == "item.started":
            self._call(item)
        elif kind == "item.completed":
            self._done(item)
        elif kind == "turn.completed":
            self.usage, self.failure = table(line.get("usage")), None
        elif kind == "turn.failed":
            message = text_of(table(line.get("error")).get("message"))
            self.usage, self.failure = None, message or "turn.failed"
        elif kind == "error":
            message = text_of(line.get("message")) or ""
            self.retries += bool(RETRYING.search(message))
            self.transcript.error(message)

    def _call(self, item: dict[str, Any]) -> None:
        kind, name = item.get("type"), item.get("id")
        if kind == "command_execution":
            command = _unwrapped(text_of(item.get("command")))
            self.transcript.call(name, "shell", "shell", {"command": command})
        elif kind == "file_change":
            for number, change in enumerate(items(item.get("changes")) or [{}]):
                what = {"path": change.get("path"), "text": change.get("kind")}
                self.transcript.call(name, "apply_patch", "edit", what, counts=number == 0)
        elif kind == "mcp_tool_call":
            server = text_of(item.get("server")) or "unknown"
            self.mcp_calls += 1
            self.used.add(server)
            self.transcript.call(name, f"mcp__{server}__{text_of(item.get('tool'))}", "mcp", {})
        elif kind == "web_search":
            self.transcript.call(name, "web_search", "web", {"text": item.get("query")})
        elif kind in ("collab_tool_call", "collab_agent_tool_call"):
            self.transcript.call(name, item.get("tool"), "other", {"text": item.get("prompt")})

    def _done(self, item: dict[str, Any]) -> None:
        kind, name = item.get("type"), item.get("id")
        if kind == "agent_message":
            self.said = self.transcript.message(item.get("text")) or self.said
            return
        if kind == "error":
            message = text_of(item.get("message")) or ""
            if not message.startswith(WARNING):
                self.transcript.error(message)
            return
        if self.transcript.seq_of(name) is None:
            self._call(item)
        status, code = item.get("status"), item.get("exit_code")
        self.denials += status == "declined"
        ok = status == "completed" if isinstance(status, str) else None
        if isinstance(code, int):
            ok = code == 0
        text = item.get("aggregated_output") or table(item.get("error")).get("message")
        self.transcript.result(name, ok=ok, exit_code=code, text=text)

    def report(self) -> AgentReport:
        finished = self.usage is not None
        told = [event.get("text") for event in self.transcript.events[-1:]]
        if self.failure is not None and self.failure not in told:
            self.transcript.error(self.failure)
        return AgentReport(
            answer=self.said,
            finished=finished,
            stop_reason="completed" if finished else self.failure and _why(self.failure),
            usage=self._columns(),
            events=self.transcript.events,
            used=frozenset(self.used) if finished and self.whole else None,
        )

    def _columns(self) -> dict[str, Any]:
        if not self.started:
            return {}
        counts = {
            "tool_calls": self.transcript.tool_calls,
            "tool_errors": self.transcript.tool_errors,
            "mcp_calls": self.mcp_calls,
            "harness_events": self.retries,
            "denials": self.denials,
            "asked_user": True if self.asked else False if self.usage is not None else None,
        }
        return known_only({**(counts if self.whole else {}), **_tokens(self.usage or {})})


def _tokens(usage: dict[str, Any]) -> dict[str, int | None]:
    """Four disjoint buckets: what was read from and written to a cache is part of the input here."""
    whole = count_of(usage.get("input_tokens"))
    read = count_of(usage.get("cached_input_tokens"))
    written = count_of(usage.get("cache_write_input_tokens"))
    fresh = None if whole is None else whole - (read or 0) - (written or 0)
    return {
        "input_tokens": count_of(fresh),
        "cache_read_tokens": read,
        "cache_write_tokens": written,
        "output_tokens": count_of(usage.get("output_tokens")),
    }


def _why(message: str) -> str:
    """A word for why a turn failed; the program has no field for it."""
    status = STATUS.search(message)
    if status:
        return f"api_error_{status[1]}"
    return "context_exceeded" if "context window" in message else "turn_failed"


def _unwrapped(command: str | None) -> str | None:
    """The command without the shell that it is handed to."""
    try:
        words = shlex.split(command or "")
    except ValueError:
        return command
    shell = len(words) == 3 and words[0].rpartition("/")[2] in SHELLS
    return words[2] if shell and words[1] in ("-c", "-lc") else command
