"""`agenteval run`: a plan carried out, or resumed."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.announcing import announce, show_plan
from agenteval.cli.arms import (
    UserConfigOption,
    VariantOption,
    arms_on,
    variables_asked,
    warn_of_unread,
    with_own_config,
)
from agenteval.cli.carrying import carry_out
from agenteval.cli.experiment import RUN_ID as RUN_ID_OF
from agenteval.cli.experiment import arms_listed, experiment_of, is_experiment, run_experiment
from agenteval.cli.judge_options import JUDGE_API, JUDGE_KEY_ENV, JUDGE_MODEL, JUDGE_URL, judge_of
from agenteval.cli.model_options import PRICES, RECORD, REPLAY_RULES, UPSTREAMS, models_of
from agenteval.cli.options import (
    AgentOption,
    FilesOption,
    JsonOption,
    ModelOption,
    NoSandboxOption,
    PassEnvOption,
    SandboxOption,
    StoreOption,
    SuiteArgument,
    TasksOption,
    check_run_id,
    concurrency_of,
    new_run_id,
    sandbox_of,
    store_to_write,
    suite_folder,
    variables_of,
)
from agenteval.cli.output import count, say
from agenteval.cli.pair import PairOption, PluginOption, pair_code, pair_on
from agenteval.cli.run_options import (
    CHANGED_SINCE,
    CONCURRENCY,
    DASK_ADDRESS,
    EXECUTOR,
    GRACE,
    IGNORE_DISK,
    KEEP,
    MAX_AGE,
    MAX_COST,
    MAX_MINUTES,
    PAUSE_AFTER,
    REPEAT,
    RETRIES,
    REUSE_CONTROL,
    ROUND_TASKS,
    RUN_ID,
    SEED,
    SHARD,
    UNTIL,
    cluster_of,
)
from agenteval.cli.until import carry_out_until
from agenteval.errors import InvalidInput

CLUSTER = 1024  # trials at one time on a cluster, if it has the threads

if TYPE_CHECKING:
    from agenteval.suite import LoadedTask


def run(
    context: typer.Context,
    suite: SuiteArgument = None,
    *,
    agent: AgentOption = None,
    model: ModelOption = None,
    variant: VariantOption = None,
    with_user_config: UserConfigOption = False,
    arms: PairOption = None,
    plugin_dir: PluginOption = None,
    agent_files: FilesOption = None,
    repeat: REPEAT = 1,
    until: UNTIL = None,
    round_tasks: ROUND_TASKS = 10,
    concurrency: CONCURRENCY = None,
    tasks: TasksOption = None,
    store: StoreOption = None,
    run_id: RUN_ID = None,
    seed: SEED = 0,
    max_cost: MAX_COST = None,
    max_minutes: MAX_MINUTES = None,
    retries: RETRIES = 2,
    pause_after: PAUSE_AFTER = 5,
    grace: GRACE = 10.0,
    shard: SHARD = None,
    changed_since: CHANGED_SINCE = None,
    reuse_control: REUSE_CONTROL = None,
    max_age: MAX_AGE = "7d",
    executor: EXECUTOR = "threads",
    dask_address: DASK_ADDRESS = None,
    ignore_disk: IGNORE_DISK = False,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    pass_env: PassEnvOption = None,
    judge_model: JUDGE_MODEL = None,
    judge_url: JUDGE_URL = None,
    judge_api: JUDGE_API = None,
    judge_key_env: JUDGE_KEY_ENV = None,
    upstreams: UPSTREAMS = None,
    prices: PRICES = None,
    record: RECORD = None,
    replay_rules: REPLAY_RULES = None,
    keep: KEEP = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and run nothing.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Run tasks x arms x repeats, or what a run of this id still lacks.

    Example: agenteval run bundled --agent scripted:chance:0.4 --agent scripted:chance:0.7 --repeat 3
    """
    from agenteval.engine import (
        Limits,
        Retries,
        Settings,
        Shard,
        check_isolation,
        check_models,
        check_recordings,
        make_plan,
        with_caps,
    )
    from agenteval.suite import load_suite

    if is_experiment(suite) and suite is not None:
        raise typer.Exit(run_experiment(context, suite))
    experiment = experiment_of(context)
    _refuse_contradictions(
        shard=shard, run_id=run_id, reuse=reuse_control, until=until,
        arms=arms, variant=variant, plugins=plugin_dir,
    )  # fmt: skip
    path = suite_folder(suite)
    models = models_of(upstreams, prices, record, replay_rules)
    judge = judge_of(judge_model, judge_url, judge_api, judge_key_env)
    loaded = load_suite(path, tasks=tasks or "*", judge=judge)
    caps = {} if experiment is None else experiment.caps
    every = with_caps(loaded.tasks, caps)
    chosen = every if changed_since is None else _changed(every, changed_since)
    if not chosen:
        say(f"nothing to run: no task covers a file that changed since {changed_since}")
        return
    made = (
        pair_on(loaded, arms, plugin_dir or [], agent, model, agent_files)
        if arms
        else arms_listed(experiment, loaded)
        if experiment is not None and experiment.experiment.arms and not agent
        else arms_on(loaded, path, agent, model, agent_files, variant)
    )
    plan = make_plan(
        check_run_id(run_id) if run_id else new_run_id(),
        loaded.name,
        chosen,
        with_own_config(made) if with_user_config else made,
        repeats=repeat,
        seed=seed,
        upstreams=models.upstreams,
    )
    settings = Settings(
        store=store_to_write(store),
        sandbox=sandbox_of(sandbox, no_sandbox=no_sandbox),
        concurrency=concurrency or CLUSTER if dask_address else concurrency_of(concurrency),
        command=shlex.join(["agenteval", *_with_run_id(context.obj or [], plan.run_id)]),
        suite_path=loaded.path,
        keep=keep,
        retries=Retries(retries),
        pause_after=pause_after,
        limits=Limits(max_cost, max_minutes),
        grace_s=grace,
        ignore_disk=ignore_disk,
        shard=None if shard is None else Shard.parse(shard),
        cluster=cluster_of(executor, dask_address),
        passed=variables_of(variables_asked(pass_env, plan.arms)),
        judge=judge,
        models=models,
        caps=caps,
    )
    context.meta[RUN_ID_OF] = plan.run_id
    warn_of_unread(plan.tasks, plan.arms)
    check_models(plan.arms, models)
    check_recordings(plan, settings)
    check_isolation(plan.tasks, settings.sandbox)
    if dry_run:
        show_plan(plan, settings, json=json)
        return
    if not json:
        announce(plan, settings)
    if until is None:
        control = None if reuse_control is None else (reuse_control, max_age)
        code = carry_out(plan, settings, json=json, control=control)
        if arms and not shard and not code:
            code = pair_code(settings.store, plan.run_id, plan.labels)
    else:
        code = carry_out_until(plan, settings, until, round_tasks=round_tasks, json=json)
    if code:
        raise typer.Exit(code)


def _refuse_contradictions(
    *,
    shard: str | None,
    run_id: str | None,
    reuse: str | None,
    until: str | None,
    arms: str | None,
    variant: list[str] | None,
    plugins: list[Path] | None,
) -> None:
    """Refuse options that do not go together."""
    if shard and not run_id:
        raise InvalidInput(
            "A shard needs the name of the run it is a part of",
            "--shard",
            "give all shards the same --run-id, as in --run-id nightly-17 --shard 2/5",
        )
    if reuse and (shard or until):
        raise InvalidInput(
            "Trials are taken over into a whole run only",
            "--reuse-control",
            "leave out --shard and --until",
        )
    if arms is None and plugins:
        raise InvalidInput(
            "Plugins need an arm that loads them", "--plugin-dir", "add --arms with,without"
        )
    if arms and (variant or until):
        raise InvalidInput(
            "--arms makes the whole pair of arms", "--arms", "leave out --variant and --until"
        )


def _changed(tasks: Sequence[LoadedTask], ref: str) -> list[LoadedTask]:
    """Tasks that cover a changed file; says how many do not."""
    from agenteval.engine import changed_since, covering

    files = changed_since(ref, Path.cwd())
    chosen = covering(tasks, files)
    blind = sum(not task.task.covers for task in tasks)
    say(
        f"{count(len(files), 'file')} changed since {ref}: {len(chosen)} of {count(len(tasks), 'task')} cover one"
        + (f"; {blind} name no `covers` and are left out" if blind else "")
    )
    return chosen


def _with_run_id(arguments: list[str], run_id: str) -> list[str]:
    named = any(
        argument == "--run-id" or argument.startswith("--run-id=") for argument in arguments
    )
    return arguments if named else [*arguments, "--run-id", run_id]
