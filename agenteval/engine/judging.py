"""Checks of kind `judge`: what is shown to the judge, what it comes to, and what is kept of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from agenteval.agents import AgentReport
from agenteval.checks import Verdict
from agenteval.engine.grade import NOT_JUDGED, Graded
from agenteval.engine.retries import steadily
from agenteval.errors import EngineError, Infrastructure, InvalidInput, MissingProgram
from agenteval.judge import (
    Asking,
    Judged,
    ReplyCache,
    Work,
    check_judges,
    judge_work,
    judgment_rows,
)
from agenteval.records import JUDGMENTS, AttemptRow, JudgeCheck
from agenteval.sandbox import mask_text
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class Judging:
    """What judges of one attempt get to see beside its answer, and how they are asked.

    Attributes
    ----------
    patch
        The frozen change.
    tools
        Names of the tools that the agent used, in order.
    candidate
        Model that did the work, to tell when it judges itself; never shown.
    cache
        Folder of replies that there are already.
    secrets
        Values that must not reach a judge's provider, by name.
    """

    patch: bytes = b""
    tools: tuple[str, ...] = ()
    candidate: str | None = None
    cache: Path | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)

    def work(self, task: LoadedTask, answer: str) -> Work:
        """The work as judges see it."""
        patch = self.patch.decode("utf-8", "replace")
        return Work(
            task.prompt,
            mask_text(answer.encode("utf-8", "replace").decode(), self.secrets),
            mask_text(patch, self.secrets),
            tuple(mask_text(tool, self.secrets) for tool in self.tools),
        )


class JudgesDown(Infrastructure):
    """Too few judges gave a reply; what some of them said is kept.

    Parameters
    ----------
    judged
        Name of each check to what its judges said, or did not.
    """

    def __init__(self, judged: Mapping[str, Judged]) -> None:
        told = next(
            (one.detail for one in judged.values() if one.error_class == "judge_provider_down"), ""
        )
        super().__init__(
            told or "The judges gave no reply",
            f"check {', '.join(judged)}",
            "see that the provider is up, then `agenteval regrade` the run: no agent runs again",
            "judge_provider_down",
        )
        self.args = (dict(judged),)
        self.judged = dict(judged)


def check_task_judges(tasks: Iterable[LoadedTask]) -> None:
    """Refuse tasks whose judges cannot be asked, before an agent runs.

    Raises
    ------
    InvalidInput, MissingProgram
        As `agenteval.judge.check_judges`.
    """
    for task in tasks:
        for check in task.task.checks:
            if isinstance(check, JudgeCheck):
                check_judges(check.judges or (None,), task.judge)


def with_judges(
    graded: Graded,
    task: LoadedTask,
    answer: str,
    judging: Judging,
    cancel: threading.Event | None = None,
) -> Graded:
    """Ask the judges once all other checks are done.

    Raises
    ------
    JudgesDown
        When too few replied to tell; no agent has to run again for that.
    Infrastructure
        When a judge cannot be asked at all.
    """
    if NOT_JUDGED not in graded.verdicts or (cancel is not None and cancel.is_set()):
        return graded
    try:
        check_task_judges([task])
    except (InvalidInput, MissingProgram) as error:
        raise Infrastructure(error.what, error.where, error.fix, "judge_provider_down") from error
    began, verdicts, said = time.monotonic(), list(graded.verdicts), {}
    for place, check in enumerate(task.task.checks):
        if isinstance(check, JudgeCheck) and verdicts[place] is NOT_JUDGED:
            verdicts[place], said[check.name] = _run_judge(check, task, answer, judging, cancel)
    if any(one.error_class == "judge_provider_down" for one in said.values()):
        raise JudgesDown(said)
    took = graded.grade_s + time.monotonic() - began
    return replace(graded, verdicts=tuple(verdicts), grade_s=took, judged=said)


def settled(
    grading: Callable[[], Graded],
    task: LoadedTask,
    answer: str,
    judging: Judging,
    cancel: threading.Event | None,
) -> tuple[Graded, OSError | EngineError | None]:
    """Grade and judge; a failure of the machinery comes back beside what judges did say."""
    graded = Graded((), 0.0)
    try:
        graded = steadily(grading, cancel)
        return with_judges(graded, task, answer, judging, cancel), None
    except JudgesDown as error:
        return Graded((), graded.grade_s, error.judged), error
    except (OSError, EngineError) as error:
        return Graded((), graded.grade_s), error


def _run_judge(
    check: JudgeCheck,
    task: LoadedTask,
    answer: str,
    judging: Judging,
    cancel: threading.Event | None,
) -> tuple[Verdict, Judged]:
    """Have the work judged, from this process: no sandbox is involved."""
    asking = Asking(task.judge, ReplyCache(judging.cache), cancel)
    judged = judge_work(
        judging.work(task, answer),
        check,
        asking,
        on_judge_error=task.task.on_judge_error,
        candidate=judging.candidate,
    )
    replies = [
        f"--- {sample.judge}, sample {sample.number}: {sample.problem or sample.score}\n"
        f"{sample.reply if sample.replied else sample.detail}\n"
        for sample in judged.samples
    ]
    verdict = Verdict(
        passed=judged.passed,
        detail=judged.detail,
        error_class=judged.error_class,
        duration_s=sum(sample.duration_s for sample in judged.samples),
        output="\n".join(replies).encode("utf-8", "replace"),
        points=judged.score,
    )
    return verdict, judged


def judge_cost(judged: Iterable[Judged]) -> float | None:
    """Dollars that judges cost; None without a judge, or when a price is unknown."""
    costs = [one.cost_usd for one in judged]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if costs and len(known) == len(costs) else None


def judgment_artifacts(judged: Mapping[str, Judged], row: AttemptRow) -> dict[str, bytes]:
    """All that judges said of an attempt, one sample a line; nothing where none was asked."""
    trial = row.model_dump()
    lines = [
        line.model_dump_json().encode("utf-8", "replace") + b"\n"
        for name, one in judged.items()
        for line in judgment_rows(one, trial, judging="grading", check=name)
    ]
    return {JUDGMENTS: b"".join(lines)} if lines else {}


def tools_of(report: AgentReport) -> tuple[str, ...]:
    """Names of the tools that an agent called, as its events tell."""
    called = (event for event in report.events if event.get("kind") == "tool_call")
    return tuple(str(event["tool"]) for event in called if event.get("tool"))
