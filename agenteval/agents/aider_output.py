"""Reading what aider leaves: its own log of events, its chat history, and what it printed.

It prints no JSON, and its exit code is 0 whatever happened. Its log says how it ended and counts
tokens; the history tells what the model said from what the program said; both are missing when it
was killed early, and then what it printed is all there is. Of its retries it tells some (those of
litellm are silent), so `harness_events` is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Literal

from agenteval.agents.protocol import AgentReport
from agenteval.agents.transcript import Transcript, amount_of, count_of, json_lines, table, total

HISTORY = b"\n=== chat history ===\n"
COMPLETED = "Completed --message"
TOKENS = re.compile(r"Tokens: .* received\.")
SESSION = re.compile(r"\$(\d+\.\d+) session")
APPLIED = re.compile(r"Applied edit to (.+)")
FAILED = re.compile(r"# (\d+) SEARCH/REPLACE blocks? failed to match!")
FAULT = re.compile(r"litellm\.(\w+): (.*)")
GAVE_UP = re.compile(r"Only \d+ reflections allowed, stopping\.")
# the last line of an error, which quotes the model's text; it is not marked as the program's own
QUOTED = re.compile(r"The SEARCH section must exactly match")
# lines of the program's own, where the history is not there to tell
OWN = re.compile(
    r"Tokens: |Applied edit to |# \d+ SEARCH/REPLACE|## SearchReplace|litellm\.|Only \d+ reflections|"
    r"The LLM did not conform|https://aider\.chat/|The SEARCH section must|white space, comments|"
    r"Retrying in |Update git |Aider v|Model: |Main model: |Weak model: |Git repo: |Repo-map: |"
    r"Added |Detected dumb terminal|\^C again to exit|Skipped |Warning"
)
Line = tuple[Literal["said", "own"], str]


def read_aider(stdout: bytes, told: bytes | None) -> AgentReport:
    """Read one run; `told` is its log with its chat history behind it, as far as it came."""
    log, _, history = (told or b"").partition(HISTORY)
    reading = _Reading()
    for line in _from_history(history) if history.strip() else _from_output(stdout):
        reading.take(*line)
    return reading.report([e for e in json_lines(log) if isinstance(e.get("event"), str)])


class _Reading:
    def __init__(self) -> None:
        self.transcript = Transcript()
        self.text: list[str] = []
        self.answer = ""
        self.replies = 0
        self.fault: str | None = None
        self.gave_up = False
        self.session_usd: float | None = None

    def take(self, kind: str, line: str) -> None:
        """Take the next line."""
        if kind == "said":
            self.text = [] if QUOTED.match(line) else [*self.text, line]
            return
        text, self.text = "\n".join(self.text).strip(), []
        if TOKENS.match(line):
            self.replies += 1
            # only a reply is followed by its count; other text is what an error quotes
            self.answer = self.transcript.message(text, turn=self.replies) or self.answer
            cost = SESSION.search(line)
            self.session_usd = float(cost[1]) if cost else self.session_usd
        elif found := APPLIED.match(line):
            self._edit(found[1].strip(), ok=True)
        elif found := FAILED.match(line):
            self._edit(None, ok=False)
        elif found := FAULT.match(line):
            self.fault = found[1]
            self.transcript.error(line)
        elif GAVE_UP.match(line):
            self.gave_up = True

    def report(self, log: list[dict[str, Any]]) -> AgentReport:
        """Put it together with the log's entries."""
        names = [entry["event"] for entry in log]
        reasons = [
            str(table(e.get("properties")).get("reason")) for e in log if e["event"] == "exit"
        ]
        ended = bool(reasons) and reasons[-1].startswith(COMPLETED)
        replies = names.count("message_send")
        answered = replies > 0 and names.count("message_send_starting") == replies
        finished = ended and answered
        return AgentReport(
            answer=self.answer,
            finished=finished,
            stop_reason=self._reason(finished=finished, ended=ended),
            usage=self._usage(log),
            events=self.transcript.events,
            used=frozenset() if finished else None,
        )

    def _reason(self, *, finished: bool, ended: bool) -> str | None:
        if finished:
            return "edits_failed" if self.gave_up else "completed"
        return self.fault or ("no_reply" if ended else None)

    def _usage(self, log: list[dict[str, Any]]) -> dict[str, Any]:
        """Columns; it counts what it sent without saying what came from a cache, so that is unknown."""
        sent = [table(e.get("properties")) for e in log if e["event"] == "message_send"]
        cost = amount_of(sent[-1].get("total_cost")) if sent else self.session_usd
        return {
            "turns": len(sent) or self.replies,
            "tool_calls": self.transcript.tool_calls,
            "tool_errors": self.transcript.tool_errors,
            "output_tokens": total([_tokens(each) for each in sent]),
            "reported_cost_usd": cost or None,  # it takes a model without a price for free
            # it has no permissions, skills or servers of tools, and says yes to all it would ask
            "denials": 0,
            "skills_loaded": 0,
            "mcp_calls": 0,
            "asked_user": False,
        }

    def _edit(self, path: str | None, *, ok: bool) -> None:
        name = len(self.transcript.events)
        self.transcript.call(name, "edit", "edit", {"path": path}, turn=self.replies or None)
        self.transcript.result(name, ok=ok)


def _tokens(sent: dict[str, Any]) -> int | None:
    return count_of(sent.get("completion_tokens"))


def _from_history(history: bytes) -> Iterator[Line]:
    """Lines of the chat history: the program's are quoted, the user's are headings."""
    for line in history.decode("utf-8", "replace").splitlines():
        if line.startswith("> "):
            yield "own", line[2:].strip()
        elif line.startswith(("#### ", "# aider chat started")):
            yield "own", ""
        else:
            yield "said", line


def _from_output(stdout: bytes) -> Iterator[Line]:
    """Lines that were printed: those that the program is known to print, and all others."""
    for line in stdout.decode("utf-8", "replace").splitlines():
        yield ("own" if OWN.match(line) else "said"), line
