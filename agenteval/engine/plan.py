"""The plan: which trials, in which order. Pure and printable."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agenteval.engine.spec import TrialSpec
from agenteval.errors import InvalidInput
from agenteval.records import Arm, Journal, arm_labels, digest, is_held, is_infrastructure, trial_id
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class Plan:
    """Tasks x arms x repeats of one run.

    Attributes
    ----------
    run_id, suite
        Names.
    tasks, arms, labels
        What is crossed; `labels` are the arms' labels in order.
    repeats, seed
        Trials per pair, and the seed of their order and of scripted agents.
    """

    run_id: str
    suite: str
    tasks: tuple[LoadedTask, ...]
    arms: tuple[Arm, ...]
    repeats: int
    seed: int

    @property
    def labels(self) -> list[str]:
        """Label of each arm, shortened to what differs."""
        return arm_labels(self.arms)

    @property
    def size(self) -> int:
        """Trials in all."""
        return len(self.tasks) * len(self.arms) * self.repeats

    @property
    def digest(self) -> str:
        """Hash of everything that a resumed run must share with its start."""
        return digest(
            self.suite,
            *(f"{task.task.id}={task.digest}" for task in self.tasks),
            *(arm.digest for arm in self.arms),
            f"repeats={self.repeats} seed={self.seed}",
        )

    def trials(self) -> list[TrialSpec]:
        """All trials in order: repeat by repeat, inside a repeat shuffled by seed.

        So no arm always goes first (the first pays for cold caches), and a run stopped early is
        balanced.
        """
        labelled = list(zip(self.arms, self.labels, strict=True))
        pairs = [(task, arm, label) for task in self.tasks for arm, label in labelled]
        ordered = []
        for repeat in range(1, self.repeats + 1):
            shuffled = list(pairs)
            random.Random(f"{self.seed}:{repeat}").shuffle(shuffled)
            ordered += [
                TrialSpec(
                    run_id=self.run_id,
                    trial_id=trial_id(self.run_id, self.suite, task.task.id, arm.digest, repeat),
                    suite=self.suite,
                    task=task,
                    arm=arm,
                    arm_label=label,
                    repeat=repeat,
                    seed=self.seed,
                )
                for task, arm, label in shuffled
            ]
        return ordered


def make_plan(
    run_id: str,
    suite: str,
    tasks: Sequence[LoadedTask],
    arms: Sequence[Arm],
    *,
    repeats: int = 1,
    seed: int = 0,
) -> Plan:
    """Check and make a plan.

    Raises
    ------
    InvalidInput
        Without tasks or arms, for repeats below 1, or when an arm is named twice.
    """
    if not tasks:
        raise InvalidInput(
            "There is no task to run", f"suite {suite}", "add a task, or select others with --tasks"
        )
    if not arms:
        raise InvalidInput(
            "There is no arm to run", "--agent", "name an agent, as in --agent scripted:reference"
        )
    if repeats < 1:
        raise InvalidInput(f"{repeats} repeats are none", "--repeat", "give a number of at least 1")
    digests = [arm.digest for arm in arms]
    double = next((arm for arm in arms if digests.count(arm.digest) > 1), None)
    if double is not None:
        raise InvalidInput(
            "An arm is named twice",
            f"--agent {double.full_label}",
            "name each arm once; use --repeat for more trials",
        )
    return Plan(run_id, suite, tuple(tasks), tuple(arms), repeats, seed)


def next_attempts(held: Journal) -> Mapping[str, int]:
    """Trial id to the number its next attempt would have; settled trials are 0.

    An attempt that was skipped or cancelled does not settle its trial.
    """
    upcoming: dict[str, int] = {}
    for block in held.blocks:
        row = block.attempt
        settled = is_held(row.status, row.error_class)
        upcoming[row.trial_id] = (
            0 if settled or upcoming.get(row.trial_id) == 0 else row.attempt + 1
        )
    return upcoming


def remaining(plan: Plan, held: Journal) -> list[TrialSpec]:
    """Trials of the plan that the journal does not settle, in order."""
    upcoming = next_attempts(held)
    started = len(held.blocks)
    todo = [spec for spec in plan.trials() if upcoming.get(spec.trial_id) != 0]
    return [
        replace(spec, attempt=upcoming.get(spec.trial_id, 1), sequence=started + position)
        for position, spec in enumerate(todo, 1)
    ]


def infrastructure_count(held: Journal) -> int:
    """Attempts in the journal that failed by the machinery."""
    return sum(
        is_infrastructure(block.attempt.status, block.attempt.passed) for block in held.blocks
    )
