"""`--reuse-control`: an arm already measured is not paid for again, and is checked for drift."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from agenteval.comparison import HeadToHead, head_to_head
from agenteval.engine import (
    Plan,
    Progress,
    RunResult,
    Settings,
    manifest_for,
    run_plan,
    take_over,
)
from agenteval.errors import InvalidInput
from agenteval.records import HOLDOUT, StoreFolder
from agenteval.store import open_store, seal

CANARY_TASKS, CANARY_REPEATS = 5, 2
THEN, NOW = "reused", "now"


@dataclass(frozen=True)
class Drift:
    """Whether an arm still does what it did when it was measured.

    Attributes
    ----------
    arm
        The arm.
    run_id
        Run of the fresh trials.
    result
        Fresh trials against reused ones on the same tasks; None when nothing could be compared.
    """

    arm: str
    run_id: str
    result: HeadToHead | None

    @property
    def drifted(self) -> bool:
        """Whether the 95 % interval of the difference excludes zero."""
        if self.result is None:
            return False
        row = self.result.table.iloc[0]
        return bool(row["low"] > 0 or row["high"] < 0)

    def __str__(self) -> str:
        """One sentence for people."""
        if self.result is None:
            return f"{self.arm} could not be checked for drift: no fresh trial counts"
        row = self.result.table.iloc[0]
        points = f"{100 * row['difference']:+.1f} points (95 % interval {100 * row['low']:.1f} to {100 * row['high']:.1f}, {row['tasks']} tasks x {CANARY_REPEATS})"
        if self.drifted:
            return f"{self.arm} has DRIFTED: fresh trials differ from the reused ones by {points}; run it again without --reuse-control"
        return f"{self.arm} shows no drift: fresh trials differ from the reused ones by {points}"


@dataclass(frozen=True)
class Reused:
    """What was taken over from which run, how its arms stand now, and what finding out cost."""

    source: str
    trials: int
    arms: tuple[str, ...]
    drift: tuple[Drift, ...]
    results: tuple[RunResult, ...] = ()
    spent_usd: float = 0.0


def reuse_control(
    plan: Plan,
    settings: Settings,
    source: str,
    *,
    max_age: str = "7d",
    progress: Progress | None = None,
) -> Reused:
    """Take over what another run measured of the plan's trials, then check its arms for drift.

    Taken over are trials that count, of the same task and arm by digest, the same repeat and the
    same isolation, that started no longer ago than `max_age`. Of each arm with such trials, five
    tasks drawn by the plan's seed are run twice afresh, in runs of their own (`ID.canary-1`, ...);
    call `run_plan` afterwards for the rest.

    Parameters
    ----------
    source
        A run of the same store.
    max_age
        As `since` in `Store.trials`.

    Raises
    ------
    InvalidInput
        When the run has nothing that the plan could take over.
    """
    store = open_store(settings.store)
    trials = store.trials(run=source, since=max_age)
    counted = trials[trials["passed"].notna() & trials["reused_from"].isna()]
    own = StoreFolder(settings.store)
    taken = take_over(
        plan,
        manifest_for(plan, settings),
        own.run(plan.run_id),
        own.run(source),
        counted["trial_id"].tolist(),
    )
    already = _taken_before(settings.store, plan.run_id, source)
    if not taken.trials and not already:
        raise InvalidInput(
            f"Run {source} has no trial that this plan could take over",
            f"--reuse-control {source}",
            f"it needs the same task and arm (by digest), repeat and sandbox, an outcome that counts, and an age of at most {max_age}",
        )
    tasks = already | {arm: set(names) for arm, names in taken.tasks.items()}
    drifts, results = [], []
    for number, arm in enumerate(sorted(tasks), 1):
        canary = _canary(plan, arm, tasks[arm], number)
        if canary is None:
            drifts.append(Drift(arm, "", None))
            continue
        # its recordings would be taken for those of the plan
        unrecorded = replace(settings, models=replace(settings.models, record=None))
        results.append(run_plan(canary, unrecorded, progress))
        seal(settings.store, [canary.run_id])
        drifts.append(_drift(settings.store, plan, arm, canary))
        if results[-1].interrupted:
            break
    fresh = open_store(settings.store).attempts(run=[d.run_id for d in drifts if d.run_id])
    spent = float(fresh["cost_usd"].sum())
    return Reused(source, taken.trials, tuple(sorted(tasks)), tuple(drifts), tuple(results), spent)


def _taken_before(store: Path, run_id: str, source: str) -> dict[str, set[str]]:
    """Tasks by arm that an earlier call of the same run took over."""
    if not StoreFolder(store).run(run_id).manifest.exists():
        return {}
    rows = open_store(store).attempts(run=run_id)
    rows = rows[rows["reused_from"] == source]
    return {str(arm): set(own["task_id"]) for arm, own in rows.groupby("arm")}


def _canary(plan: Plan, arm: str, reused: set[str], number: int) -> Plan | None:
    """The plan of an arm's fresh trials; None where only holdout tasks could be looked at."""
    seen = (task.task for task in plan.tasks if task.task.id in reused)
    tasks = sorted(task.id for task in seen if task.split != HOLDOUT)
    if not tasks:
        return None
    chosen = random.Random(f"{plan.seed}:canary:{arm}").sample(tasks, min(CANARY_TASKS, len(tasks)))
    place = plan.labels.index(arm)
    return replace(
        plan,
        run_id=f"{plan.run_id}.canary-{number}",
        tasks=tuple(task for task in plan.tasks if task.task.id in chosen),
        arms=(plan.arms[place],),
        repeats=CANARY_REPEATS,
    )


def _drift(store: Path, plan: Plan, arm: str, canary: Plan) -> Drift:
    opened = open_store(store)
    fresh = opened.trials(run=canary.run_id).assign(side=NOW)
    reused = opened.trials(run=plan.run_id).query("arm == @arm").assign(side=THEN)
    reused = reused[reused["reused_from"].notna() & reused["task_id"].isin(fresh["task_id"])]
    if not fresh["passed"].notna().any():
        return Drift(arm, canary.run_id, None)
    both = pd.concat([reused, fresh], ignore_index=True)
    return Drift(arm, canary.run_id, head_to_head(both, baseline=THEN, candidate=NOW, by="side"))
