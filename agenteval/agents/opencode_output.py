"""Reading what `opencode run --format json` printed.

There is no summary at the end: the run is over with a last `step_finish` whose reason is `stop`. The
exit code is 0 also when it stopped because a permission was asked for that nobody could give.
Nothing tells of its retries, so `harness_events` is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from agenteval.agents.protocol import AgentReport
from agenteval.agents.transcript import (
    Transcript,
    amount_of,
    count_of,
    json_lines,
    table,
    text_of,
    total,
)

KINDS = {
    "bash": "shell",
    **dict.fromkeys(("apply_patch", "edit", "multiedit", "patch", "write"), "edit"),
    "read": "read",
    **dict.fromkeys(("codesearch", "glob", "grep", "list"), "search"),
    **dict.fromkeys(("webfetch", "websearch"), "web"),
    "skill": "skill",
}
ASKED = "rejected permission"
PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", re.MULTILINE)
DENIED = re.compile(r"rejected permission|specified a rule which prevents")


def read_opencode(stdout: bytes, servers: Iterable[str] = ()) -> AgentReport:
    """Read the output of one run, whole or torn.

    Parameters
    ----------
    servers
        Names of the MCP servers it was given; their tools bear them as prefixes.
    """
    reading = _Reading(tuple(servers))
    for line in json_lines(stdout):
        reading.take(line)
    return reading.report()


class _Reading:
    def __init__(self, servers: tuple[str, ...]) -> None:
        self.servers = servers
        self.transcript = Transcript()
        self.said = ""
        self.turn = self.denials = self.skills = self.mcp_calls = 0
        self.reason: str | None = None
        self.fault: str | None = None
        self.asked = False
        self.used: set[str] = set()
        self.tokens: list[dict[str, int | None]] = []
        self.costs: list[float | None] = []

    def take(self, line: dict[str, Any]) -> None:
        """Take the next event."""
        kind, part = line.get("type"), table(line.get("part"))
        if kind == "step_start":
            self.turn += 1
            self.reason = None
        elif kind == "text":
            self.said = self.transcript.message(part.get("text"), turn=self._turn) or self.said
        elif kind == "tool_use":
            self._tool(part)
        elif kind == "step_finish":
            self.reason = text_of(part.get("reason"))
            self.tokens.append(_buckets(table(part.get("tokens"))))
            self.costs.append(amount_of(part.get("cost")))
        elif kind == "error":
            self._failed(table(line.get("error")))

    @property
    def _turn(self) -> int | None:
        return self.turn or None

    def _tool(self, part: dict[str, Any]) -> None:
        state, tool = table(part.get("state")), text_of(part.get("tool")) or "unknown"
        given, time = table(state.get("input")), table(state.get("time"))
        server = next((name for name in self.servers if tool.startswith(f"{name}_")), None)
        if server is not None:
            self.mcp_calls += 1
            self.used.add(server)
        skill = text_of(given.get("name")) if tool == "skill" else None
        if tool == "skill":
            self.skills += 1
            self.used |= {skill} if skill else set()
        fault = text_of(state.get("error"))
        self.denials += bool(fault and DENIED.search(fault))
        self.asked = self.asked or tool == "question" or bool(fault and ASKED in fault)
        first, *further = PATCHED.findall(text_of(given.get("patchText")) or "") or [None]
        what = {
            "command": given.get("command") if tool == "bash" else None,
            "path": given.get("filePath") or given.get("path") or first,
            "text": skill or given.get("pattern") or given.get("url") or given.get("prompt"),
        }
        kind = "mcp" if server is not None else KINDS.get(tool, "other")
        name = part.get("callID")
        self.transcript.call(name, tool, kind, what, turn=self._turn, at=_time(time.get("start")))
        for path in further:
            self.transcript.call(name, tool, kind, {"path": path}, turn=self._turn, counts=False)
        code = table(state.get("metadata")).get("exit")
        whole = isinstance(code, int) and not isinstance(code, bool)
        ok = state.get("status") == "completed" and tool != "invalid" and (not whole or code == 0)
        self.transcript.result(
            name,
            ok=ok,
            exit_code=code,
            text=fault or state.get("output"),
            at=_time(time.get("end")),
        )

    def _failed(self, error: dict[str, Any]) -> None:
        data, name = table(error.get("data")), text_of(error.get("name")) or "error"
        status = count_of(data.get("statusCode"))
        self.fault = f"{name}_{status}" if status else name
        self.transcript.error(f"{self.fault}: {text_of(data.get('message')) or ''}")

    def report(self) -> AgentReport:
        """Put it together."""
        finished = self.reason == "stop" and self.fault is None
        return AgentReport(
            answer=self.said,
            finished=finished,
            stop_reason=self.fault or ("permission_rejected" if self.asked else self.reason),
            usage=self._usage(),
            events=self.transcript.events,
            used=frozenset(self.used) if finished else None,
        )

    def _usage(self) -> dict[str, Any]:
        if not self.turn:
            return {}
        known = bool(self.costs) and all(self.costs)  # a model without a price costs it 0
        return {
            "turns": self.turn,
            "tool_calls": self.transcript.tool_calls,
            "tool_errors": self.transcript.tool_errors,
            **{name: total([each[name] for each in self.tokens]) for name in _buckets({})},
            "reported_cost_usd": sum(cost or 0 for cost in self.costs) if known else None,
            "denials": self.denials,
            "skills_loaded": self.skills,
            "mcp_calls": self.mcp_calls,
            "asked_user": self.asked,
        }


def _buckets(tokens: dict[str, Any]) -> dict[str, int | None]:
    """Tokens of one step: its input leaves caches out, its output the reasoning."""
    cache = table(tokens.get("cache"))
    return {
        "input_tokens": count_of(tokens.get("input")),
        "cache_read_tokens": count_of(cache.get("read")),
        "cache_write_tokens": count_of(cache.get("write")),
        "output_tokens": total(
            [count_of(tokens.get("output")), count_of(tokens.get("reasoning", 0))]
        ),
    }


def _time(milliseconds: Any) -> str | None:
    number = amount_of(milliseconds)
    try:
        return None if number is None else datetime.fromtimestamp(number / 1000, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return None
