"""The budget of a whole run: reserved per trial before it starts, the unused part given back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from agenteval.engine.spec import TrialSpec
from agenteval.errors import InvalidInput
from agenteval.records import AttemptRow, Standing


@dataclass(frozen=True)
class Limits:
    """What a run may cost in all, earlier calls of the same run included.

    Attributes
    ----------
    cost_usd
        Dollars of model use; None for no limit.
    minutes
        Minutes of wall clock; None for no limit.
    """

    cost_usd: float | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        for flag, value in (("--max-cost", self.cost_usd), ("--max-minutes", self.minutes)):
            if value is not None and not value > 0:
                raise InvalidInput(f"A budget of {value:g} pays for nothing", flag, "give more")

    @property
    def recorded(self) -> dict[str, float]:
        """As run.json names them; what is not limited is not there."""
        named = {"max_cost_usd": self.cost_usd, "max_minutes": self.minutes}
        return {name: value for name, value in named.items() if value is not None}


@dataclass
class Budget:
    """Keeps a run within its limits.

    A trial reserves its task's own `max_cost_usd`, or an equal share of the run's where the task
    names none. When it has ended, its cost takes the reservation's place; a cost that is unknown
    is taken to be all of it. A trial is started only when its `timeout_s` fits into the minutes
    that are left.

    Attributes
    ----------
    limits
        The limits.
    share_usd
        What a trial without a limit of its own reserves.
    spent_usd
        Cost of what has ended.
    used_s
        Wall clock that earlier calls took.
    unmetered
        Arms with a trial of unknown cost.
    """

    limits: Limits
    share_usd: float = 0.0
    spent_usd: float = 0.0
    used_s: float = 0.0
    unmetered: set[str] = field(default_factory=set)
    _reserved: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        limits: Limits,
        planned: int,
        todo: Sequence[TrialSpec],
        held: Iterable[Standing],
    ) -> Budget:
        """The budget of a run that holds some attempts already.

        Parameters
        ----------
        planned
            Trials of the whole plan.
        todo
            Trials still to run.

        Raises
        ------
        InvalidInput
            When an equal share cannot pay for the dearest task's own limit, or the minutes do not
            hold the longest one's.
        """
        budget = cls(limits)
        rows = list(held)
        if limits.cost_usd is not None:
            budget.share_usd = limits.cost_usd / max(planned, 1)
            _check_shares(limits.cost_usd, planned, budget.share_usd, todo)
            budget.spent_usd = sum(budget._charge(row) for row in rows)
        if limits.minutes is not None:
            _check_minutes(limits.minutes, todo)
            budget.used_s = busy_s(rows)
        return budget

    def reserve(self, spec: TrialSpec, elapsed_s: float) -> bool:
        """Set the trial's part aside; False when it is not there (yet).

        Parameters
        ----------
        elapsed_s
            Seconds since this call of the run began.
        """
        own = spec.task.task
        if not self.has_time(spec, elapsed_s):
            return False
        if self.limits.cost_usd is not None:
            part = own.max_cost_usd if own.max_cost_usd is not None else self.share_usd
            held = sum(self._reserved.values())
            # shares of a budget add up to it only within rounding
            if self.spent_usd + held + part > self.limits.cost_usd * (1 + 1e-9):
                return False
            self._reserved[spec.trial_id] = part
        return True

    def has_time(self, spec: TrialSpec, elapsed_s: float) -> bool:
        """Whether the trial's own timeout still fits when it starts so many seconds after the call."""
        if self.limits.minutes is None:
            return True
        left = self.limits.minutes * 60 - self.used_s - elapsed_s
        return spec.task.task.timeout_s <= left

    def settle(self, row: AttemptRow) -> None:
        """Put what an ended attempt cost in the place of its reservation."""
        if self.limits.cost_usd is not None:
            part = self._reserved.pop(row.trial_id, None)
            self.spent_usd += self._charge(row, part)

    def _charge(self, row: AttemptRow | Standing, part: float | None = None) -> float:
        if row.agent_s is None or row.reused_from is not None:
            return 0.0  # the agent never started, or was paid for by another run
        judged = row.judge_cost_usd or 0.0
        if row.cost_usd is not None:
            return row.cost_usd + judged
        self.unmetered.add(row.arm)
        return (self.share_usd if part is None else part) + judged

    def exhausted(self, spec: TrialSpec) -> str:
        """Say why the trial cannot be started."""
        parts = []
        if self.limits.cost_usd is not None:
            parts.append(f"${self.spent_usd:.2f} of ${self.limits.cost_usd:.2f} spent")
        if self.limits.minutes is not None:
            parts.append(
                f"{self.limits.minutes:g} minutes allowed, a trial may take {spec.task.task.timeout_s / 60:.1f}"
            )
        return "the budget does not hold another trial (" + "; ".join(parts) + ")"


def _check_shares(
    cost_usd: float, planned: int, share_usd: float, todo: Sequence[TrialSpec]
) -> None:
    limited = [spec for spec in todo if spec.task.task.max_cost_usd is not None]
    dearest = max(limited, key=lambda spec: spec.task.task.max_cost_usd or 0.0, default=None)
    limit = None if dearest is None else dearest.task.task.max_cost_usd
    if dearest is not None and limit is not None and limit > share_usd * (1 + 1e-9):
        raise InvalidInput(
            f"${cost_usd:.2f} shared by {planned} trials is ${share_usd:.4g} each, and task {dearest.task.task.id} may cost ${limit:.4g}",
            "--max-cost",
            f"give at least {limit * planned:.4g}, run fewer tasks, arms or repeats, or lower the task's max_cost_usd",
        )


def _check_minutes(minutes: float, todo: Sequence[TrialSpec]) -> None:
    longest = max(todo, key=lambda spec: spec.task.task.timeout_s, default=None)
    if longest is not None and longest.task.task.timeout_s > minutes * 60:
        raise InvalidInput(
            f"{minutes:g} minutes do not hold one trial of task {longest.task.task.id}, which may take {longest.task.task.timeout_s / 60:.1f}",
            "--max-minutes",
            "give more, or lower the task's timeout_s",
        )


def busy_s(rows: Iterable[Standing]) -> float:
    """Seconds of wall clock in which at least one of the attempts ran."""
    spans = sorted(
        (row.started_at, row.started_at + timedelta(seconds=row.duration_s or 0.0))
        for row in rows
        if row.started_at is not None and row.reused_from is None
    )
    total, end = timedelta(), None
    for first, last in spans:
        begin = first if end is None else max(first, end)
        if last > begin:
            total += last - begin
        end = last if end is None else max(end, last)
    return total.total_seconds()
