"""Reading what Gemini CLI printed: stream-json, or the one object of `json`.

The terminal event is `result` with the status `success`; after a signal the exit code is 0 and
there is none. A run that its own loop detection ended says `success` too, and a warning.
It does not tell of its retries, so `harness_events` is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from agenteval.agents.protocol import AgentReport
from agenteval.agents.transcript import (
    Transcript,
    count_of,
    is_whole,
    items,
    json_lines,
    json_object,
    known_only,
    table,
    text_of,
    total,
)

KINDS = {
    "run_shell_command": "shell",
    **dict.fromkeys(("replace", "write_file"), "edit"),
    **dict.fromkeys(("read_file", "read_many_files"), "read"),
    **dict.fromkeys(("glob", "grep_search", "search_file_content", "list_directory"), "search"),
    **dict.fromkeys(("google_web_search", "web_fetch"), "web"),
    "activate_skill": "skill",
}
MCP = "mcp_"
ASKING = "ask_user"
DENIED = ("policy_violation", "permission_denied", "path_not_in_workspace")
OUTSIDE = "Path not in workspace"
TURN_LIMIT = "FatalTurnLimitedError"
LOOP = "Loop detected"
STATUS = re.compile(r'"code":\s*(\d{3})\b')
EXIT_CODE = re.compile(r"(?:Command exited with code|Exit Code): (-?\d{1,9})\.?")


def read_gemini(stdout: bytes, servers: Iterable[str] = ()) -> AgentReport:
    """Read the output of one run, whole or torn.

    Parameters
    ----------
    servers
        Names of the MCP servers that it was given: a tool's name alone does not tell where a
        server's name ends.
    """
    whole = json_object(stdout)
    if whole is not None and "type" not in whole:
        return _read_object(whole)
    reading = _Reading(sorted(servers, key=len, reverse=True), whole=is_whole(stdout))
    for line in json_lines(stdout):
        reading.take(line)
    return reading.report()


class _Reading:
    def __init__(self, servers: Sequence[str], *, whole: bool) -> None:
        self.whole = whole
        self.servers = servers
        self.transcript = Transcript()
        self.result: dict[str, Any] | None = None
        self.pieces: list[str] = []
        self.said = ""
        self.turns = 0
        self.answered = True
        self.denials = self.skills = self.mcp_calls = 0
        self.used: set[str] = set()
        self.looped = False

    def take(self, line: dict[str, Any]) -> None:
        kind = line.get("type")
        if kind == "message" and line.get("role") == "assistant":
            self._turn()
            self.pieces.append(text_of(line.get("content")) or "")
        elif kind == "tool_use":
            self._turn()
            self._flush()
            self._call(line)
        elif kind == "tool_result":
            self._result(line)
        elif kind == "error":
            message = text_of(line.get("message")) or ""
            self.looped = self.looped or LOOP in message
            self._flush()
            self.transcript.error(message)
        elif kind == "result":
            self._flush()
            self.result = line

    def _turn(self) -> None:
        if self.answered:
            self._flush()
            self.turns, self.answered = self.turns + 1, False

    def _flush(self) -> None:
        said, self.pieces = "".join(self.pieces), []
        self.said = self.transcript.message(said, turn=self.turns) or self.said

    def _call(self, line: dict[str, Any]) -> None:
        tool, given = text_of(line.get("tool_name")) or "unknown", table(line.get("parameters"))
        skill = text_of(given.get("name")) if tool == "activate_skill" else None
        if tool == "activate_skill":
            self.skills += 1
            self.used |= {skill} if skill else set()
        if tool.startswith(MCP):
            self.mcp_calls += 1
            rest = tool.removeprefix(MCP)
            known = (name for name in self.servers if rest.startswith(f"{name}_"))
            self.used.add(next(known, rest.partition("_")[0]))
        about = given.get("pattern") or given.get("query") or given.get("prompt")
        self.transcript.call(
            line.get("tool_id"),
            tool,
            "mcp" if tool.startswith(MCP) else KINDS.get(tool, "other"),
            {
                "command": given.get("command"),
                "path": given.get("file_path") or given.get("dir_path"),
                "text": skill or about,
            },
            turn=self.turns,
            at=line.get("timestamp"),
        )

    def _result(self, line: dict[str, Any]) -> None:
        self.answered = True
        error, name = table(line.get("error")), line.get("tool_id")
        told = text_of(error.get("message")) or text_of(line.get("output")) or ""
        ok = line.get("status") == "success"
        shell = self.transcript.tool_kind_of(name) == "shell"
        absent = error.get("type") == "tool_not_registered" and (
            self.transcript.tool_kind_of(name) != "other"
        )
        self.denials += error.get("type") in DENIED or absent or OUTSIDE in told
        # of a command it tells the output, and the exit code only where there is none
        code = EXIT_CODE.fullmatch(told.strip()) if shell else None
        exit_code = int(code[1]) if code else None
        self.transcript.result(
            name,
            ok=False if not ok else exit_code == 0 if code else None if shell else True,
            exit_code=exit_code,
            text=told,
            at=line.get("timestamp"),
        )

    def report(self) -> AgentReport:
        self._flush()
        result = self.result or {}
        finished = result.get("status") == "success"
        reason, limit = ("loop_detected" if self.looped else "completed"), self._limit(result)
        if not finished:
            error = table(result.get("error"))
            reason = "max_turns" if limit else _why(text_of(error.get("message")))
            if error:
                self.transcript.error(error.get("message"), kind="limit" if limit else "error")
        return AgentReport(
            answer=self.said,
            finished=finished,
            stop_reason=reason if self.result else None,
            usage=self._usage(result),
            events=self.transcript.events,
            limit=limit,
            used=frozenset(self.used) if self.result and self.whole else None,
        )

    def _limit(self, result: dict[str, Any]) -> Literal["turns"] | None:
        return "turns" if table(result.get("error")).get("type") == TURN_LIMIT else None

    def _usage(self, result: dict[str, Any]) -> dict[str, Any]:
        if self.result is None and not self.transcript.events:
            return {}
        asked = ASKING in self.transcript.tools
        counts = {
            "turns": self.turns,
            "tool_calls": self.transcript.tool_calls,
            "tool_errors": self.transcript.tool_errors,
            "denials": self.denials,
            "skills_loaded": self.skills,
            "mcp_calls": self.mcp_calls,
            "asked_user": True if asked else False if self.result else None,
        }
        stats = table(result.get("stats"))
        seen = counts if self.whole else {"tool_calls": count_of(stats.get("tool_calls"))}
        return known_only({**seen, **_stream_tokens(stats)})


def _stream_tokens(stats: dict[str, Any]) -> dict[str, int | None]:
    """Three of the buckets; thoughts are in the total alone, and nothing tells of cache writes."""
    whole, read = count_of(stats.get("input_tokens")), count_of(stats.get("cached"))
    everything = count_of(stats.get("total_tokens"))
    return {
        "input_tokens": _less(whole, read),
        "cache_read_tokens": read,
        "output_tokens": _less(everything, whole),
    }


def _read_object(whole: dict[str, Any]) -> AgentReport:
    """The output of `-o json`: no events, and after an error there is none on stdout."""
    stats = table(whole.get("stats"))
    tools = table(stats.get("tools"))
    models = [
        table(model.get("tokens")) for model in items(list(table(stats.get("models")).values()))
    ]
    read = total([count_of(model.get("cached")) for model in models])
    whole_input = total([count_of(model.get("prompt")) for model in models])
    everything = total([count_of(model.get("total")) for model in models])
    answer = text_of(whole.get("response"))
    finished = answer is not None and "error" not in whole
    error = table(whole.get("error"))
    return AgentReport(
        answer=answer or "",
        finished=finished,
        stop_reason="completed" if finished else _why(text_of(error.get("message"))),
        usage=known_only(
            {
                "tool_calls": count_of(tools.get("totalCalls")),
                "tool_errors": count_of(tools.get("totalFail")),
                "input_tokens": _less(whole_input, read),
                "cache_read_tokens": read,
                "output_tokens": _less(everything, whole_input),
            }
        ),
    )


def _less(whole: int | None, part: int | None) -> int | None:
    return None if whole is None or part is None else count_of(whole - part)


def _why(message: str | None) -> str:
    status = STATUS.search(message or "")
    return f"api_error_{status[1]}" if status else "error"
