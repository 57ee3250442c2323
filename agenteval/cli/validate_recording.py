"""How `agenteval validate` writes tests.json, and what it tells of ids that are lost by it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from agenteval.cli.output import say
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine import Finding, Recording
    from agenteval.sandbox import Sandbox
    from agenteval.suite import LoadedSuite

Ids = dict[str, list[str]]


@dataclass(frozen=True)
class Recorded:
    """What recording came to.

    Attributes
    ----------
    refused
        A finding for each task whose ids cannot be recorded.
    vanished
        Task -> check -> ids that its tests.json had and has no more.
    """

    refused: list[Finding] = field(default_factory=list)
    vanished: dict[str, Ids] = field(default_factory=dict)


def record(
    loaded: LoadedSuite, sandbox: Sandbox, repeat: int, jobs: int, *, anew: bool
) -> Recorded:
    """Record test ids where they are missing, or everywhere; skipped tasks are left alone.

    Raises
    ------
    InvalidInput
        Before anything is written, when ids would be lost that nobody asked to record anew.
    """
    from agenteval.engine import needs_recording, record_tests
    from agenteval.suite import write_recorded

    chosen = [t for t in loaded.tasks if t.task.skip is None and (anew or needs_recording(t))]
    told = Recorded()
    made = record_tests(chosen, sandbox=sandbox, repeat=max(2, repeat), jobs=jobs)
    lost = {done.task.id: _lost(done) for done in made}
    for done in made if not anew else ():
        _refuse(done, lost[done.task.id])
    for done in made:
        name = done.task.id
        if done.tests is not None:
            path = write_recorded(done.task.folder, done.tests)
            say(f"{name}: {sum(map(len, done.tests.values()))} test ids recorded in {path.name}")
        if done.problem is not None:
            say(f"{name}: {done.problem}")
        if done.tests is None:
            told.refused.append(_finding(done))
        if lost[name]:
            told.vanished[name] = lost[name]
        for check, ids in lost[name].items():
            say(f"{name}: no longer recorded for {check}: {', '.join(ids)}")
    return told


def _lost(done: Recording) -> Ids:
    if done.tests is None:
        return {}
    lost = {
        check: sorted(set(ids) - set(done.tests.get(check, ())))
        for check, ids in done.task.recorded.items()
    }
    return {check: ids for check, ids in lost.items() if ids}


def _refuse(done: Recording, lost: Ids) -> None:
    """Where ids are only missing, nobody asked for others to go: they are a promise of the task."""
    for check, ids in lost.items():
        raise InvalidInput(
            f"Recording what is missing would drop what {check!r} must pass: {', '.join(ids)}",
            f"{done.task.folder / 'tests.json'}, task {done.task.id}",
            "mend the reference or the environment so that these tests run; or drop them with --record",
        )


def _finding(done: Recording) -> Finding:
    from agenteval.engine import Finding

    return Finding(
        done.task.id,
        "recording",
        1,
        should_pass=True,
        status="fail",
        failing=(),
        detail=done.problem or "",
        seconds=None,
    )
