"""The agent's turns: one, or several where a stop gate sends it back.

The gate runs in the agent's workspace, which holds whatever the agent left there, so its verdict is
no score: it only decides whether the agent gets one more turn. How often it did is counted here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agenteval.agents import AgentReport
from agenteval.engine.launching import Turn, run_agent
from agenteval.engine.model_access import ModelWay
from agenteval.engine.ran import Ran
from agenteval.engine.spec import OUTPUT_LIMIT, TrialSpec
from agenteval.errors import Infrastructure
from agenteval.records import StopGate
from agenteval.sandbox import MAX_PROCESSES, Bounds, Box, Command, Finished, Sandbox, run_in

if TYPE_CHECKING:
    pass

KEEP_BYTES = 256 << 10
SHOWN_CHARS = 8000
SENT_BACK = """You said that you are done, but this command does not pass yet:

    {command}

It ended with {end}. The end of its output:

{output}

Go on until it passes. This is what was asked:

{prompt}"""


def run_turns(
    spec: TrialSpec,
    sandbox: Sandbox,
    box: Box,
    *,
    passed: Mapping[str, str],
    cancel: threading.Event | None,
    on_output: Callable[[str, bytes], None] | None,
    way: ModelWay | None = None,
) -> Ran:
    """Run the agent; while its stop gate is red, run it again, up to the gate's cap.

    The task's limits on time and output hold for all turns together. Arguments as in `run_agent`.
    """
    gate = spec.task.task.stop_gate
    turns: list[tuple[AgentReport, Finished]] = []
    outputs: dict[str, bytes] = {}
    blocks, gate_s, turn = 0, 0.0, Turn()
    while True:
        try:
            turns.append(
                run_agent(
                    spec,
                    sandbox,
                    box,
                    passed=passed,
                    cancel=cancel,
                    on_output=on_output,
                    turn=turn,
                    way=way,
                )
            )
            report, done = turns[-1]
            ended_itself = done.stopped_by is None and report.finished
            ended_itself = ended_itself and not (way and way.session.stop.is_set())
            if gate is None or not ended_itself or blocks == gate.max_blocks:
                break
            box.open_up()
            looked = _look(spec, gate, sandbox, box, cancel)
        except Infrastructure as error:
            # it started before the agent had been there; if it is broken, grading will tell
            if not turns or error.error_class != "sandbox_failed":
                raise
            outputs[f"stop_gate/{len(turns)}.txt"] = str(error).encode()
            break
        gate_s += looked.duration_s
        outputs[f"stop_gate/{len(turns)}.txt"] = looked.stdout + looked.stderr
        if looked.stopped_by == "cancelled" or _green(looked):
            break
        blocks += 1
        turn = _next_turn(spec, gate, looked, turns)
        if turn.timeout_s <= 0 or turn.output_bytes <= 0:
            turns.append(_no_time(turn, turns[-1][0]))
            break
        box.open_up()
        if way is not None:
            way.session.expect_conversation()
    report, done = _together(turns)
    return Ran(report, done, None if gate is None else blocks, gate_s, outputs)


def _look(
    spec: TrialSpec,
    gate: StopGate,
    sandbox: Sandbox,
    box: Box,
    cancel: threading.Event | None,
) -> Finished:
    """Run the gate where the agent works, with the task's variables and none of the operator's."""
    task = spec.task.task
    return run_in(
        sandbox,
        box,
        Command(["sh", "-c", gate.run], task.env),
        bounds=Bounds(
            timeout_s=gate.timeout_s,
            keep_bytes=KEEP_BYTES,
            memory_mb=task.memory_mb,
            max_processes=task.max_processes or MAX_PROCESSES,
            disk_mb=task.disk_mb,
        ),
        cancel=cancel,
    )


def _green(looked: Finished) -> bool:
    return looked.exit_code == 0 and looked.stopped_by is None


def _next_turn(
    spec: TrialSpec,
    gate: StopGate,
    looked: Finished,
    turns: Sequence[tuple[AgentReport, Finished]],
) -> Turn:
    """What is left of the limits, and the gate's output with the prompt below it."""
    text = (looked.stdout + b"\n" + looked.stderr).decode("utf-8", "replace").strip()
    prompt = SENT_BACK.format(
        command=gate.run,
        end=looked.stopped_by or f"exit code {looked.exit_code}",
        output=text[-SHOWN_CHARS:] or "(it printed nothing)",
        prompt=spec.task.prompt,
    )
    spent_s = sum(done.duration_s for _, done in turns)
    printed = sum(len(done.stdout) + len(done.stderr) for _, done in turns)
    task = spec.task.task
    return Turn(
        number=len(turns) + 1,
        prompt=prompt,
        timeout_s=task.timeout_s - spent_s,
        output_bytes=(task.max_output_bytes or OUTPUT_LIMIT) - printed,
    )


def _no_time(turn: Turn, last: AgentReport) -> tuple[AgentReport, Finished]:
    """A turn that the limits left no room for."""
    limit = "timeout" if turn.timeout_s <= 0 else "output_limit"
    return replace(last, usage={}, events=()), Finished(0, limit, 0.0, b"", b"")


def _added(before: Any, now: Any) -> Any:
    """Counts of two turns together; of anything else the later value, true if it was ever true."""
    if before is None or now is None:
        return before if now is None else now
    if isinstance(now, bool):
        return before or now
    return before + now if isinstance(now, int | float) else now


def _joined(lists: Sequence[Sequence[Mapping[str, Any]]]) -> Iterator[Mapping[str, Any]]:
    """Events of several turns as one list; a `parent` counts from the first event of all."""
    before = 0
    for events in lists:
        for event in events:
            parent = event.get("parent")
            yield event if parent is None else {**event, "parent": parent + before}
        before += len(events)


def _together(turns: Sequence[tuple[AgentReport, Finished]]) -> tuple[AgentReport, Finished]:
    """All turns as one: the last one's end, everything's sum."""
    report, done = turns[-1]
    if len(turns) == 1:
        return report, done
    usage: dict[str, Any] = {}
    for each, _ in turns:
        for name, value in each.usage.items():
            usage[name] = _added(usage.get(name), value)
    peaks = [each.peak_memory_mb for _, each in turns if each.peak_memory_mb is not None]
    tries = [each.network_tries for _, each in turns if each.network_tries is not None]
    answers = [each.answer for each, _ in turns if each.answer.strip()]
    return (
        replace(
            report,
            answer=answers[-1] if answers else report.answer,
            usage=usage,
            events=tuple(_joined([each.events for each, _ in turns])),
        ),
        replace(
            done,
            duration_s=sum(each.duration_s for _, each in turns),
            stdout=b"".join(each.stdout for _, each in turns),
            stderr=b"".join(each.stderr for _, each in turns),
            peak_memory_mb=max(peaks) if peaks else None,
            network_tries=sum(tries) if tries else None,
        ),
    )
