"""A transcript for an agent that took no steps: made up by seed, so that demo data can be looked into.

It says of itself that it is simulated. It fits the simulated usage: as many turns, calls and failed
calls. What was really changed and answered stands in the patch and the answer, not here.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agenteval.suite import LoadedTask

NOTICE = (
    "Simulated transcript: this agent solves tasks by chance. No model took the steps below; they "
    "are made up to fit the effort it reports."
)
# the others stop without another run of the tests
TESTS_AGAIN = 0.75
_CHANGED = re.compile(rb"^diff --git a/.+ b/(.+)$", re.MULTILINE)
_WORD = re.compile(r"[A-Za-z_][A-Za-z_-]{5,}")
_LISTED = 40
_TEST_COMMANDS = {
    "python": "python3 -m pytest -q",
    "javascript": "node --test",
    "typescript": "node --test",
    "go": "go test ./...",
    "rust": "cargo test",
    "java": "sh test.sh",
    "shell": "sh tests/run.sh",
}


def simulated_steps(
    task: LoadedTask, usage: dict[str, Any], files: dict[str, bytes], *, seed: str
) -> list[dict[str, Any]]:
    """Make up the steps of one trial: reading, searching, testing, editing, testing again.

    Parameters
    ----------
    task
        What was worked on; its first steps are the same for every seed.
    usage
        `turns` (at least 2), `tool_calls` (at least `turns`) and `tool_errors` to fit.
    files
        The solution that is laid in: `change.patch`, `answer.md`, or neither.
    seed
        Decides all that the task does not.

    Returns
    -------
    list of dict
        Events: one message at least, a call and its result for each tool call.
    """
    story = _Story(task, files, random.Random(f"steps:{seed}"))
    calls, turns = usage["tool_calls"], usage["turns"]
    planned = story.calls(calls, usage["tool_errors"])
    # the last turn only says how it ended
    shares = [calls // (turns - 1)] * (turns - 1)
    for turn in story.draw.sample(range(turns - 1), calls % (turns - 1)):
        shares[turn] += 1
    events: list[dict[str, Any]] = [{"kind": "message", "turn": 1, "text": NOTICE}]
    for turn, share in enumerate(shares, 1):
        now, planned = planned[:share], planned[share:]
        for call in now:
            if call.said:
                events.append({"kind": "message", "turn": turn, "text": call.said})
            events.append({"kind": "tool_call", "turn": turn, **call.asked})
            tool = {name: call.asked[name] for name in ("tool", "tool_kind")}
            result = {"kind": "tool_result", "turn": turn, "parent": len(events)}
            events.append({**result, **tool, **call.came})
    return [*events, {"kind": "message", "turn": turns, "text": story.end()}]


@dataclass
class _Call:
    asked: dict[str, Any]
    came: dict[str, Any]
    said: str | None = None


@dataclass
class _Story:
    task: LoadedTask
    files: dict[str, bytes]
    draw: random.Random
    changed: list[str] = field(init=False)
    known: list[str] = field(init=False)

    def __post_init__(self) -> None:
        found = _CHANGED.findall(self.files.get("change.patch", b""))
        self.changed = [path.decode("utf-8", "replace") for path in found]
        self.known = _files_of(self.task.repo) or ["README.md"]
        words = sorted({word.lower() for word in _WORD.findall(self.task.prompt)})
        self.words = words or ["main"]

    def calls(self, count: int, errors: int) -> list[_Call]:
        """Plan every call; the tests come last, before them the edits, before them all the rest."""
        tests = 1 if errors and count > 1 else 0
        left = count - tests
        edits = [self._edit(path) for path in self.changed][: max(0, left - 1)]
        tests_again = self.draw.random() < TESTS_AGAIN
        final = [self._test(failed=False)] if tests_again and edits and left > len(edits) else []
        looked = self._look(count - tests - len(edits) - len(final))
        middle = [self._test(failed=True)] if tests else []
        spoilt: Sequence[_Call] = self.draw.sample(looked, min(len(looked), errors - tests))
        for call in spoilt:
            _spoil(call)
        lacking = errors - tests - len(spoilt)
        for call in (edits + final)[: max(0, lacking)]:
            _spoil(call)
        if looked:
            looked[0].said = "I look at the project first."
        if middle:
            middle[0].said = "Before I change anything: what do the tests say?"
        elif edits:
            edits[0].said = "I know enough to change it."
        if final:
            final[0].said = "Now the tests again."
        return [*looked, *middle, *edits, *final]

    def end(self) -> str:
        """Say how it ended."""
        if self.changed:
            return f"Done: I changed {', '.join(self.changed)}."
        answer = self.files.get("answer.md", b"").decode("utf-8", "replace").strip()
        return answer or "I did not find the cause, so I changed nothing."

    def _look(self, count: int) -> list[_Call]:
        """Read and search: the first two calls alike in every trial, the rest drawn."""
        first = [self._read(self.known[0]), self._shell("git status --short", "")]
        rest = [self._drawn() for _ in range(count - len(first))]
        return [*first, *rest][:count]

    def _drawn(self) -> _Call:
        kind = self.draw.choices(("read", "search", "shell"), (5, 4, 1))[0]
        if kind == "read":
            # what will be changed is read more often than not
            return self._read(self.draw.choice(self.changed + self.known))
        if kind == "search":
            return self._search(self.draw.choice(self.words))
        folder = str(Path(self.draw.choice(self.known)).parent)
        inside = [path for path in self.known if str(Path(path).parent) == folder]
        return self._shell(f"ls {folder}", "\n".join(Path(path).name for path in inside))

    def _read(self, path: str) -> _Call:
        return _Call(
            {"tool": "read", "tool_kind": "read", "path": path},
            {"ok": True, "text": f"(contents of {path})"},
        )

    def _search(self, word: str) -> _Call:
        hits = self.draw.sample(self.known, min(len(self.known), self.draw.randrange(1, 4)))
        return _Call(
            {"tool": "search", "tool_kind": "search", "text": word},
            {"ok": True, "text": "\n".join(sorted(hits))},
        )

    def _shell(self, command: str, text: str) -> _Call:
        return _Call(
            {"tool": "shell", "tool_kind": "shell", "command": command},
            {"ok": True, "exit_code": 0, "text": text},
        )

    def _edit(self, path: str) -> _Call:
        return _Call(
            {"tool": "edit", "tool_kind": "edit", "path": path},
            {"ok": True, "text": f"{path} was changed"},
        )

    def _test(self, *, failed: bool) -> _Call:
        call = self._shell(_TEST_COMMANDS.get(self.task.task.language or "", "make test"), "")
        passed = self.draw.randrange(9, 40)
        broken = self.draw.randrange(1, 4)
        call.came = {
            "ok": not failed,
            "exit_code": int(failed),
            "text": f"{broken} failed, {passed} passed" if failed else f"{passed} passed",
        }
        return call


def _spoil(call: _Call) -> None:
    """Let a call fail, as its tool would say it."""
    kind = call.asked["tool_kind"]
    call.came = {"ok": False, "text": "the tool did not answer in time; asked again"}
    if kind == "read":
        call.asked["path"] = f"{call.asked['path']}.orig"
        call.came["text"] = f"no such file: {call.asked['path']}"
    elif kind == "edit":
        call.came["text"] = "the old text occurs more than once; changed with more context"
    elif kind == "shell":
        call.came |= {"exit_code": 1, "text": f"{call.asked['command'].split()[0]}: failed"}


def _files_of(repo: Path | None) -> list[str]:
    """Files to look at, README first; a project's dot files are left alone."""
    if repo is None:
        return []
    found = (path.relative_to(repo) for path in repo.rglob("*") if path.is_file())
    names = sorted(
        path.as_posix() for path in found if not any(part.startswith(".") for part in path.parts)
    )
    return sorted(names, key=lambda name: not name.startswith("README"))[:_LISTED]
