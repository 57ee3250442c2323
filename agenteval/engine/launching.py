"""Starting what a task and its agent bring: setup commands, then the agent, each in the task's sandbox."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from agenteval.agents import AgentReport, Job, Output, agent_of
from agenteval.engine.model_access import ModelWay
from agenteval.engine.spec import OUTPUT_LIMIT, TrialSpec
from agenteval.errors import Infrastructure
from agenteval.records import Task
from agenteval.sandbox import (
    MAX_PROCESSES,
    Bounds,
    Box,
    Command,
    Finished,
    Sandbox,
    read_regular,
    run_in,
)

ANSWER_NAME = "answer.md"
ANSWER_LIMIT = 4 << 20
SETUP_TIMEOUT_S = 600.0
KEEP_BYTES = 1 << 20
KEEP_OF_PROGRAMS = 8 << 20  # a transcript without its middle has no counts


@dataclass(frozen=True)
class Turn:
    """Which of the agent's turns this is, and what is left of the task's limits for it.

    Attributes
    ----------
    number
        From 1.
    prompt
        What it is asked; the task's prompt when None.
    timeout_s, output_bytes
        What is left; as the task says when not given.
    """

    number: int = 1
    prompt: str | None = None
    timeout_s: float = float("inf")
    output_bytes: int = OUTPUT_LIMIT


def run_setup(task: Task, sandbox: Sandbox, box: Box, cancel: threading.Event | None) -> None:
    """Run a task's setup commands.

    Raises
    ------
    Infrastructure
        Class `setup_failed`: the agent never starts.
    """
    for command in task.setup:
        done = run_in(
            sandbox,
            box,
            Command(["sh", "-c", command], task.env),
            bounds=Bounds(timeout_s=SETUP_TIMEOUT_S, max_processes=MAX_PROCESSES),
            cancel=cancel,
        )
        if done.exit_code != 0 or done.stopped_by:
            tail = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-600:]
            raise Infrastructure(
                f"A setup command ended with {done.stopped_by or done.exit_code}: {tail}",
                f"task {task.id}: {command}",
                "mend `setup` of the task, or the program it needs",
                "setup_failed",
            )


def run_agent(
    spec: TrialSpec,
    sandbox: Sandbox,
    box: Box,
    *,
    passed: Mapping[str, str],
    cancel: threading.Event | None,
    on_output: Callable[[str, bytes], None] | None,
    turn: Turn | None = None,
    way: ModelWay | None = None,
) -> tuple[AgentReport, Finished]:
    """Run the agent of a trial to its end, or to the end of one turn of it.

    Parameters
    ----------
    passed
        Variables of the operator's, which nobody else gets.
    way
        How it reaches its model.
    """
    turn = turn or Turn()
    agent = agent_of(spec.arm)
    arm = spec.arm if way is None else way.arm
    prompt = spec.task.prompt if turn.prompt is None else turn.prompt
    job = Job(
        replace(spec.task, prompt=prompt),
        spec.repeat,
        spec.seed,
        arm,
        turn=turn.number,
        endpoint=None if way is None else way.endpoint,
    )
    view = sandbox.view(box)
    launch = agent.launch(job, view)
    for name, data in {
        "prompt.md": prompt.encode(),
        **launch.files,
        **(way.files if way else {}),
    }.items():
        (box.inputs / name).write_bytes(data)
    if turn.number == 1:  # later on, a link of the agent's may be in its place
        (box.home / ".gitconfig").write_text(
            "[user]\n\tname = agent\n\temail = agent@localhost\n[safe]\n\tdirectory = *\n"
        )
    env = {
        **spec.task.task.env,
        "AGENTEVAL_ANSWER": f"{view.home}/{ANSWER_NAME}",
        **({"AGENTEVAL_MODEL": arm.model} if arm.model else {}),
        **(spec.arm.overlay.env if spec.arm.overlay else {}),
        **launch.env,
        **passed,
    }
    box = replace(box, read_only=(*box.read_only, *launch.read_only))
    if way is not None:
        box = replace(box, read_only=(*box.read_only, *way.read_only))
    limits = spec.task.task
    done = run_in(
        sandbox,
        box,
        Command([*(() if way is None else way.prefix(view)), *launch.argv], env),
        bounds=Bounds(
            timeout_s=min(limits.timeout_s, turn.timeout_s),
            no_progress_s=limits.no_progress_s,
            max_output_bytes=min(limits.max_output_bytes or OUTPUT_LIMIT, turn.output_bytes),
            memory_mb=limits.memory_mb,
            max_processes=limits.max_processes or MAX_PROCESSES,
            disk_mb=limits.disk_mb,
            keep_bytes=KEEP_BYTES if way is None else KEEP_OF_PROGRAMS,
            activity=None if way is None else way.session.last_activity,
            halt=None if way is None else way.halt,
        ),
        cancel=cancel,
        on_output=on_output,
    )
    output = Output(done.exit_code, done.stdout, done.stderr, _answer_file(box.home / ANSWER_NAME))
    return agent.report(job, output), done


def _answer_file(path: Path) -> bytes | None:
    """Contents of the answer file; a link, folder or FIFO is no answer."""
    try:
        return read_regular(path, ANSWER_LIMIT)
    except OSError:
        return None
