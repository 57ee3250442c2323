"""Reading what Claude Code printed: stream-json, or the result object or list of `json`.

The terminal event is `result`. Its `subtype` says "success" also for HTTP errors, so `is_error`
decides; token counts of single messages are those of their first stream event, so they come from
the result alone.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from agenteval.agents.protocol import AgentReport
from agenteval.agents.transcript import (
    Transcript,
    amount_of,
    count_of,
    is_whole,
    items,
    json_lines,
    json_list,
    known_only,
    table,
    text_of,
    total,
)

KINDS = {
    **dict.fromkeys(("Bash", "BashOutput", "KillShell", "Monitor", "PowerShell"), "shell"),
    **dict.fromkeys(("Edit", "MultiEdit", "NotebookEdit", "Write"), "edit"),
    **dict.fromkeys(("NotebookRead", "Read"), "read"),
    **dict.fromkeys(("Glob", "Grep", "LS", "ToolSearch"), "search"),
    **dict.fromkeys(("WebFetch", "WebSearch"), "web"),
    "Skill": "skill",
}
ASKING = "AskUserQuestion"
SYNTHETIC = "<synthetic>"
HARNESS_EVENTS = ("api_retry", "compact_boundary")
LIMITS: dict[str, Literal["turns", "cost"]] = {
    "error_max_turns": "turns",
    "error_max_budget_usd": "cost",
}
BUCKETS = {
    "input_tokens": ("inputTokens", "input_tokens"),
    "cache_read_tokens": ("cacheReadInputTokens", "cache_read_input_tokens"),
    "cache_write_tokens": ("cacheCreationInputTokens", "cache_creation_input_tokens"),
    "output_tokens": ("outputTokens", "output_tokens"),
}
EXIT_CODE = re.compile(r"(?:Error: )?Exit code (-?\d{1,9})\b")


def read_claude_code(stdout: bytes) -> AgentReport:
    """Read the output of one run, whole or torn."""
    reading = _Reading(whole=is_whole(stdout))
    for line in json_list(stdout) or json_lines(stdout):
        reading.take(line)
    return reading.report()


class _Reading:
    def __init__(self, *, whole: bool) -> None:
        self.whole = whole
        self.transcript = Transcript()
        self.result: dict[str, Any] | None = None
        self.streamed = False
        self.said = ""
        self.turns: list[str] = []
        self.denials = self.harness_events = self.skills = 0
        self.used: set[str] = set()
        self.mcp_calls = 0

    def take(self, line: dict[str, Any]) -> None:
        kind = line.get("type")
        if kind == "result":
            self.result = line
        elif kind == "system":
            self._system(line)
        elif kind == "assistant":
            self._assistant(line)
        elif kind == "user":
            self._user(line)

    def _system(self, line: dict[str, Any]) -> None:
        self.streamed = True
        subtype = line.get("subtype")
        if subtype == "permission_denied":
            self.denials += 1
        elif subtype in HARNESS_EVENTS:
            self.harness_events += 1
            told = (f"{name}={line.get(name)}" for name in ("attempt", "error_status", "error"))
            self.transcript.error(
                f"{subtype} {' '.join(told)}" if subtype == "api_retry" else subtype
            )

    def _assistant(self, line: dict[str, Any]) -> None:
        message = table(line.get("message"))
        outer = line.get("parent_tool_use_id")
        parent, turn = self.transcript.seq_of(outer), None
        if outer is None and message.get("model") != SYNTHETIC:
            name = str(message.get("id"))
            self.turns += [] if name in self.turns[-1:] else [name]
            turn = len(self.turns)
        for part in items(message.get("content")):
            if part.get("type") == "text":
                said = self.transcript.message(part.get("text"), turn=turn, parent=parent)
                self.said = said or self.said if outer is None else self.said
            elif part.get("type") == "tool_use":
                self._call(part, turn, parent, line.get("timestamp"))

    def _call(self, part: dict[str, Any], turn: int | None, parent: int | None, at: Any) -> None:
        tool, given = text_of(part.get("name")) or "unknown", table(part.get("input"))
        mcp = tool.startswith("mcp__")
        if mcp:
            self.mcp_calls += 1
            self.used.add(tool.split("__")[1])
        skill = text_of(given.get("skill") or given.get("command")) if tool == "Skill" else None
        if tool == "Skill":
            self.skills += 1
            self.used |= {skill, *skill.split(":")} if skill else set()
        about = given.get("pattern") or given.get("url") or given.get("prompt")
        self.transcript.call(
            part.get("id"),
            tool,
            "mcp" if mcp else KINDS.get(tool, "other"),
            {
                "command": None if skill else given.get("command"),
                "path": given.get("file_path") or given.get("notebook_path") or given.get("path"),
                "text": skill or about,
            },
            turn=turn,
            parent=parent,
            at=at,
        )

    def _user(self, line: dict[str, Any]) -> None:
        for part in items(table(line.get("message")).get("content")):
            if part.get("type") != "tool_result":
                continue
            name, text = part.get("tool_use_id"), _joined(part.get("content"))
            failed = part.get("is_error") is True
            shell = self.transcript.tool_kind_of(name) == "shell"
            code = EXIT_CODE.match(text) if failed else None
            self.transcript.result(
                name,
                ok=not failed,
                exit_code=(int(code[1]) if code else None if failed else 0) if shell else None,
                text=text,
                at=line.get("timestamp"),
            )

    def report(self) -> AgentReport:
        result = self.result or {}
        failed = self.result is None or result.get("is_error") is not False
        reason = text_of(result.get("stop_reason"))
        if failed and reason != "refusal":
            reason = _why(result) if self.result else None
        if failed and self.result is not None:
            told = result.get("errors")
            lines = [str(each) for each in told] if isinstance(told, list) else []
            limit = result.get("subtype") in LIMITS
            self.transcript.error(
                text_of(result.get("result")) or "; ".join(lines) or reason,
                kind="limit" if limit else "error",
            )
        answer = text_of(result.get("result"))
        return AgentReport(
            answer=self.said if answer is None else answer,
            finished=not failed or reason == "refusal",
            stop_reason=reason,
            usage=self._usage(result),
            events=self.transcript.events,
            limit=LIMITS.get(str(result.get("subtype"))),
            used=frozenset(self.used) if self.streamed and self.whole and self.result else None,
        )

    def _usage(self, result: dict[str, Any]) -> dict[str, Any]:
        denied = result.get("permission_denials")
        counted = self.streamed and self.whole
        ended = counted and self.result is not None
        seen = {
            "turns": len(self.turns),
            "tool_calls": self.transcript.tool_calls,
            "tool_errors": self.transcript.tool_errors,
            "harness_events": self.harness_events,
            "skills_loaded": self.skills,
            "mcp_calls": self.mcp_calls,
        }
        return known_only(
            {
                "turns": count_of(result.get("num_turns")),
                "reported_cost_usd": amount_of(result.get("total_cost_usd")),
                **_tokens(result),
                **(seen if counted else {}),
                "denials": len(denied)
                if isinstance(denied, list)
                else (self.denials if counted else None),
                "asked_user": True if ASKING in self.transcript.tools else False if ended else None,
            }
        )


def _tokens(result: dict[str, Any]) -> dict[str, int | None]:
    """The four buckets of all models together: `usage` leaves side requests out."""
    models = items(list(table(result.get("modelUsage")).values()))
    usage = table(result.get("usage"))
    return {
        column: total([count_of(model.get(camel)) for model in models])
        if models
        else count_of(usage.get(snake))
        for column, (camel, snake) in BUCKETS.items()
    }


def _why(result: dict[str, Any]) -> str | None:
    """The end of a run that the program calls an error, in its own words."""
    subtype = text_of(result.get("subtype"))
    told = text_of(result.get("terminal_reason"))
    why = told or (subtype if subtype != "success" else "error")
    status = count_of(result.get("api_error_status"))
    return f"{why}_{status}" if why == "api_error" and status else why


def _joined(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in items(content) if isinstance(part.get("text"), str))
