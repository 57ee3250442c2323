"""The plan: which trials, in which order. Pure and printable."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from agenteval.engine.preflight import check_arms
from agenteval.engine.retries import may_run_again
from agenteval.engine.spec import TrialSpec
from agenteval.errors import InvalidInput
from agenteval.records import (
    Arm,
    Standings,
    arm_labels,
    digest,
    is_held,
    is_infrastructure,
    trial_ids,
)
from agenteval.suite import LoadedTask

if TYPE_CHECKING:
    from agenteval.gateway import Upstream


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
        return [place.spec(self) for place in self._places()]

    def first_trials(self, count: int) -> list[TrialSpec]:
        """The first `count` of `trials`, without making the others."""
        return [place.spec(self) for place in islice(self._places(), count)]

    def trials_but(self, settled: Container[str]) -> list[TrialSpec]:
        """Those of `trials` whose id is not among the settled ones, without making the others."""
        return [place.spec(self) for place in self._places() if place.trial_id not in settled]

    def _places(self) -> Iterator[_Place]:
        labelled = [
            (arm, arm.digest, label) for arm, label in zip(self.arms, self.labels, strict=True)
        ]
        pairs = [
            (task, arm, label, trial_ids(self.run_id, self.suite, task.task.id, arm_digest))
            for task in self.tasks
            for arm, arm_digest, label in labelled
        ]
        for repeat in range(1, self.repeats + 1):
            shuffled = list(pairs)
            random.Random(f"{self.seed}:{repeat}").shuffle(shuffled)
            for task, arm, label, id_of in shuffled:
                yield _Place(task, arm, label, repeat, id_of(repeat))


class _Place(NamedTuple):
    """What a trial's place in a plan decides."""

    task: LoadedTask
    arm: Arm
    label: str
    repeat: int
    trial_id: str

    def spec(self, plan: Plan) -> TrialSpec:
        return TrialSpec(
            run_id=plan.run_id,
            trial_id=self.trial_id,
            suite=plan.suite,
            task=self.task,
            arm=self.arm,
            arm_label=self.label,
            repeat=self.repeat,
            seed=plan.seed,
        )


def make_plan(
    run_id: str,
    suite: str,
    tasks: Sequence[LoadedTask],
    arms: Sequence[Arm],
    *,
    repeats: int = 1,
    seed: int = 0,
    upstreams: Sequence[Upstream] = (),
) -> Plan:
    """Check and make a plan.

    Parameters
    ----------
    upstreams
        Providers of models beside the known ones.

    Raises
    ------
    InvalidInput
        Without tasks or arms, for repeats below 1, when an arm is named twice, or when checks
        could say nothing about an arm.
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
    check_arms(tasks, arms, upstreams)
    return Plan(run_id, suite, tuple(tasks), tuple(arms), repeats, seed)


def next_attempts(
    held: Standings, *, retries: int = 0, again: frozenset[str] = frozenset()
) -> dict[str, int]:
    """Trial id to the number its next attempt would have; settled trials are 0.

    An attempt that was skipped or cancelled does not settle its trial, nor does a failure of the
    machinery that still has a retry.

    Parameters
    ----------
    retries
        Further attempts after failures of the machinery.
    again
        Classes of such failures that settle nothing, however often they were tried.
    """
    upcoming: dict[str, int] = {}
    failed: Counter[str] = Counter()
    for row in held.rows:
        if upcoming.get(row.trial_id) == 0 and row.trial_id not in failed:
            continue  # an outcome that counts stays
        if is_infrastructure(row.status, row.passed):
            failed[row.trial_id] += 1
            retry = may_run_again(row) and failed[row.trial_id] <= retries
            settled = not retry and row.error_class not in again
        else:
            settled = is_held(row.status, row.error_class)
            failed.pop(row.trial_id, None)
        upcoming[row.trial_id] = 0 if settled else row.attempt + 1
    return upcoming


def remaining(
    plan: Plan, held: Standings, *, retries: int = 0, again: frozenset[str] = frozenset()
) -> list[TrialSpec]:
    """Trials of the plan that the journal does not settle, in order; arguments as above."""
    upcoming = next_attempts(held, retries=retries, again=again)
    return [
        spec
        if upcoming.get(spec.trial_id, 1) == 1
        else replace(spec, attempt=upcoming[spec.trial_id])
        for spec in plan.trials_but({name for name, number in upcoming.items() if number == 0})
    ]


def failed_attempts(held: Standings) -> Counter[str]:
    """Trial id to its failures of the machinery that may be tried again."""
    return Counter(row.trial_id for row in held.rows if may_run_again(row))


def infrastructure_count(held: Standings) -> int:
    """Attempts in the journal that failed by the machinery."""
    return sum(is_infrastructure(row.status, row.passed) for row in held.rows)
