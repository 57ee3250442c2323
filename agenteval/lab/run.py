"""`ae.run`: a plan, or a suite and its agents, carried out from a notebook."""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from agenteval.agents import make_arm
from agenteval.comparison import StudyPlan
from agenteval.engine import Limits, ModelAccess, Plan, Settings, make_plan, plan_of
from agenteval.errors import InvalidInput
from agenteval.lab.live import LiveRun, start
from agenteval.records import DEFAULT_STORE, RunFolder, bundled, read_manifest
from agenteval.sandbox import choose_sandbox
from agenteval.store import open_store
from agenteval.suite import load_suite


def run(  # noqa: PLR0913 - what is run and within which bounds, all but one by keyword
    what: Plan | StudyPlan | str | Path,
    *,
    agents: str | Iterable[str] | None = None,
    models: str | Iterable[str] | None = None,
    repeats: int | None = None,
    tasks: str = "*",
    store: str | Path | None = None,
    max_cost_usd: float | None = None,
    concurrency: int = 2,
    progress: bool = False,
) -> LiveRun:
    """Run trials in the background and return at once; as the last line of a cell it shows them live.

    Agents reach their models through the gateway, with the keys of the environment; the file that
    `$AGENTEVAL_UPSTREAMS` names adds providers.

    Parameters
    ----------
    what
        What `ae.plan` recommends for arms of this store; a suite's folder (`bundled` for the tasks
        that come along); or a plan of `agenteval.engine.make_plan`.
    agents, models
        Agents of a suite, spelled as for `agenteval run --agent`, each with each model. What was
        planned from trials runs its own arms as they were run then.
    repeats
        Trials of each task and arm; 1, or what a plan says.
    tasks
        Which tasks of a suite, spelled as for `agenteval run --tasks`.
    store
        Path of the store to write into; for a plan the nearest one, for a suite `.agenteval/store`.
    max_cost_usd
        Budget of the run; that of the plan when None.
    concurrency
        Trials at one time, at least 1.
    progress
        Show them live at once, for a cell that goes on after this call.

    Returns
    -------
    LiveRun
        `.watch()`, `.stop()`, `.wait()` and `.trials`; its `.run_id` is the run in the store.

    Raises
    ------
    InvalidInput, TaskError
        For what cannot be run.
    RunLocked
        When another process writes this run.
    """
    access = ModelAccess.from_environment()
    named, with_models = _listed(agents), _listed(models)
    suite_path: Path | None = None
    if isinstance(what, Plan):
        plan = _refusing(what, named or with_models or repeats)
        path = _written(store)
    elif isinstance(what, StudyPlan):
        path = open_store(store).path
        plan, suite_path = _of_study(what, path, named or with_models, repeats)
        max_cost_usd = what.max_cost_usd if max_cost_usd is None else max_cost_usd
    else:
        path, folder = _written(store), Path(what)
        folder = bundled("tasks") if str(what) == "bundled" and not folder.exists() else folder
        suite = load_suite(folder, tasks=tasks)
        suite_path = suite.path
        each: list[str | None] = [*with_models] or [None]
        arms = [make_arm(name, model=model) for name in named for model in each]
        plan = make_plan(
            _new_id("run"),
            suite.name,
            suite.tasks,
            arms,
            repeats=repeats or 1,
            upstreams=access.upstreams,
        )
    settings = Settings(
        store=path,
        sandbox=choose_sandbox("auto"),
        concurrency=concurrency,
        suite_path=suite_path,
        limits=Limits(max_cost_usd),
        models=access,
    )
    live = start(plan, settings)
    if progress:
        from IPython.display import display

        display(live)
    return live


def _of_study(
    study: StudyPlan, store: Path, agents: Sequence[str], repeats: int | None
) -> tuple[Plan, Path | None]:
    """The plan of a run like the pilot, of the size that is recommended."""
    if agents:
        raise InvalidInput(
            "A plan made from trials runs the arms of those trials",
            "argument agents",
            "leave it out, or pass the suite's folder with agents and repeats",
        )
    if not study.runs:
        raise InvalidInput(
            "The plan was made without trials, so it does not say what to run",
            "argument what",
            "pass the suite's folder, as in ae.run('evals', agents=[...], repeats=3)",
        )
    folder = RunFolder(open_store(store).run_folder(study.runs[-1]))
    pilot, suite = plan_of(folder), read_manifest(folder.manifest).suite_path
    chosen = [
        arm
        for arm, label in zip(pilot.arms, pilot.labels, strict=True)
        if not study.sides or label in study.sides
    ]
    lacking = set(study.sides) - set(pilot.labels)
    if lacking:
        raise InvalidInput(
            f"Run {pilot.run_id} has no arm {', '.join(sorted(lacking))}",
            "argument what",
            "plan from the trials of one run that has both arms",
        )
    size = int(study.recommended["tasks"])
    some = list(pilot.tasks)
    if size < len(some):
        some = random.Random(f"{pilot.seed}:study").sample(some, size)
        some = [task for task in pilot.tasks if task in some]
    plan = make_plan(
        _new_id("study"), pilot.suite, some, chosen,
        repeats=repeats or int(study.recommended["repeats"]), seed=pilot.seed + 1,
    )  # fmt: skip
    return plan, None if suite is None else Path(suite)


def _refusing(plan: Plan, other: object) -> Plan:
    if other:
        raise InvalidInput(
            "A finished plan takes no agents, models or repeats",
            "argument what",
            "leave them out, or pass the suite's folder instead of a plan",
        )
    return replace(plan)


def _written(store: str | Path | None) -> Path:
    return Path(store) if store is not None else DEFAULT_STORE


def _listed(names: str | Iterable[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _new_id(prefix: str) -> str:
    return f"{prefix}-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
