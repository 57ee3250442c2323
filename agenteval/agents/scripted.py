"""Built-in agents that need no model: they prove tasks, sandbox, checks and reports.

`scripted:reference` applies the reference solution, `scripted:noop` does nothing,
`scripted:wrong:NAME` applies one of the wrong solutions, and `scripted:chance:P` solves by chance.
All of them are started like any other agent: a process in the sandbox that works in the workspace.
"""

from __future__ import annotations

import json
import math
import random
from typing import Any

from agenteval.agents.protocol import AgentReport, Job, Launch, Output
from agenteval.agents.scripted_steps import simulated_steps
from agenteval.errors import InvalidInput
from agenteval.records import OverlayKey
from agenteval.sandbox import View
from agenteval.suite import LoadedTask

SCRIPT = b"""set -e
cd "$1"
if [ ! -f "$2/change.patch" ]; then :
elif command -v git >/dev/null; then git apply --whitespace=nowarn "$2/change.patch"
else patch -p1 -E -i "$2/change.patch"; fi  # an image need not have git
if [ -f "$2/answer.md" ]; then cp "$2/answer.md" "$AGENTEVAL_ANSWER"; fi
cat "$2/transcript.jsonl"
"""
USAGE = ("turns", "tool_calls", "tool_errors", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reported_cost_usd")  # fmt: skip


APPLIED = {
    "kind": "tool_call", "turn": 1, "tool": "shell", "tool_kind": "shell",
    "command": "git apply change.patch", "ok": True, "exit_code": 0,
}  # fmt: skip


class Scripted:
    """The built-in agent.

    Parameters
    ----------
    argument
        `reference`, `noop`, `wrong:NAME` or `chance:P` with P between 0 and 1.
    """

    name = "scripted"
    applies: frozenset[OverlayKey] = frozenset()

    def __init__(self, argument: str) -> None:
        self.argument = argument
        self.mode, _, self.detail = argument.partition(":")
        if self.mode == "chance":
            self.skill = _skill(self.detail)
        elif self.mode not in ("reference", "noop", "wrong") or (self.mode == "wrong") != bool(
            self.detail
        ):
            raise InvalidInput(
                f"There is no scripted agent {argument!r}",
                f"--agent scripted:{argument}",
                "use scripted:reference, scripted:noop, scripted:chance:0.6 or scripted:wrong:NAME",
            )

    def version(self) -> str | None:
        """It is part of this package, whose version each record has."""
        return None

    def inputs(self) -> dict[str, str]:
        """Nothing of the operator's."""
        return {}

    def launch(self, job: Job, view: View) -> Launch:
        """Lay the chosen solution into the inputs folder and run a small shell script on it."""
        if job.turn > 1:  # the work of the first turn is in the workspace already
            told = {"transcript.jsonl": self._transcript(job, {})}
            return Launch(argv=["cat", f"{view.inputs}/transcript.jsonl"], files=told)
        files = solution_files(job.task, self.choice(job))
        transcript = self._transcript(job, files)
        files |= {"solve.sh": SCRIPT, "transcript.jsonl": transcript}
        return Launch(
            argv=["sh", f"{view.inputs}/solve.sh", view.workspace, view.inputs], files=files
        )

    def report(self, job: Job, output: Output) -> AgentReport:
        """Read the transcript that the script printed."""
        del job
        events, usage, finished = _parse(output.stdout)
        answer = (output.answer_file or b"").decode("utf-8", "replace")
        return AgentReport(
            answer=answer,
            finished=finished and output.exit_code == 0,
            stop_reason="end_turn" if finished else None,
            usage=usage,
            events=events,
        )

    def choice(self, job: Job) -> str:
        """Which solution a trial gets: `reference`, `noop`, or the name of a wrong one."""
        if self.mode != "chance":
            return self.detail if self.mode == "wrong" else self.mode
        draw = random.Random(f"{job.seed}:{job.task.task.id}:{job.repeat}:{self.argument}")
        if draw.random() < solve_probability(self.skill, job.task.task.id):
            return "reference"
        return draw.choice([*(wrong.name for wrong in job.task.wrong), "noop"])

    def _transcript(self, job: Job, files: dict[str, bytes]) -> bytes:
        """What it prints: its steps, its usage, its end."""
        usage = self._usage(job)
        events: list[dict[str, Any]] = []
        if self.mode == "chance":
            seed = f"{job.seed}:{job.task.task.id}:{job.repeat}:{job.turn}:{self.argument}"
            events = simulated_steps(job.task, usage, files, seed=seed)
        elif "change.patch" in files:
            events = [APPLIED]
        lines = [{"event": event} for event in events] + [{"usage": usage}, {"end": True}]
        return b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    def _usage(self, job: Job) -> dict[str, Any]:
        """Simulated effort of a chance agent, so that demo data has every column; None for the others."""
        if self.mode != "chance":
            return {"turns": 1, "tool_calls": 1, "tool_errors": 0}
        draw = random.Random(f"usage:{job.seed}:{job.task.task.id}:{job.repeat}:{self.argument}")
        turns = max(
            2, round(draw.lognormvariate(2.2 + 0.4 * task_difficulty(job.task.task.id), 0.35))
        )
        calls = turns + draw.randrange(turns)
        output = sum(draw.randrange(80, 700) for _ in range(turns))
        cached = sum(4000 + 900 * turn for turn in range(turns - 1))
        written = 5200 + 900 * turns
        fresh = 40 * turns
        price = (3 * fresh + 0.3 * cached + 3.75 * written + 15 * output) / 1e6
        errors = sum(draw.random() < 0.08 for _ in range(calls))
        return dict(
            zip(
                USAGE,
                (turns, calls, errors, fresh, cached, written, output, round(price, 6)),
                strict=True,
            )
        )


def solution_files(task: LoadedTask, choice: str) -> dict[str, bytes]:
    """Patch and answer of `reference`, `noop` or a wrong solution, named as the script wants them.

    Raises
    ------
    InvalidInput
        When the task has no such solution.
    """
    if choice == "noop":
        return {}
    if choice == "reference":
        patch, answer = task.solution_patch, task.solution_answer
    else:
        wrong = next((wrong for wrong in task.wrong if wrong.name == choice), None)
        if wrong is None:
            names = ", ".join(w.name for w in task.wrong) or "none"
            raise InvalidInput(
                f"The task has no wrong solution {choice!r}",
                f"task {task.task.id}",
                f"use one of: {names}",
            )
        patch, answer = wrong.patch, wrong.answer
    files = {}
    if patch is not None:
        files["change.patch"] = patch.read_bytes()
    if answer is not None:
        files["answer.md"] = answer.read_bytes()
    if not files:
        raise InvalidInput(
            "The task has no reference solution",
            f"task {task.task.id}",
            "add solution.patch or solution.answer.md",
        )
    return files


def task_difficulty(task_id: str) -> float:
    """Simulated ease of a task, d_t ~ N(0, 1) seeded by its id."""
    return random.Random(f"difficulty:{task_id}").gauss(0, 1)


def solve_probability(skill: float, task_id: str) -> float:
    """Probability that `scripted:chance:SKILL` solves a task: logistic(logit skill + d_t).

    >>> solve_probability(0.0, "any"), solve_probability(1.0, "any")
    (0.0, 1.0)
    """
    weight = skill * math.exp(task_difficulty(task_id))
    return weight / (weight + (1 - skill))


def _skill(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise InvalidInput(
            f"The skill {text!r} is not a probability",
            f"--agent scripted:chance:{text}",
            "give a number from 0 to 1, as in scripted:chance:0.6",
        )
    return value


def _parse(stdout: bytes) -> tuple[list[dict[str, Any]], dict[str, Any], bool]:
    events: list[dict[str, Any]] = []
    usage: dict[str, Any] = {}
    finished = False
    for line in stdout.splitlines():
        try:
            data = json.loads(line)
        except ValueError:
            continue
        if isinstance(data, dict):
            if "event" in data:
                events.append(data["event"])
            usage = data.get("usage", usage)
            finished = finished or bool(data.get("end"))
    return events, {key: usage[key] for key in USAGE if key in usage}, finished
