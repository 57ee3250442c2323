"""`agenteval demo`: the whole path in one command, without network or keys."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.cli.options import (
    NoSandboxOption,
    SandboxOption,
    StoreOption,
    default_concurrency,
    new_run_id,
    sandbox_of,
    store_to_write,
)
from agenteval.cli.output import say

ARMS = ("scripted:reference", "scripted:noop", "scripted:chance:0.35", "scripted:chance:0.75")


def demo(
    *,
    store: StoreOption = None,
    repeat: Annotated[int, typer.Option("--repeat", help="Trials per task and arm.")] = 3,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the two chance arms.")] = 7,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
) -> None:
    """Run the bundled demo tasks with four scripted arms and render the report.

    The arms: one applies each reference solution, one does nothing, two solve by chance with
    different skill. Takes a minute or two; needs no network and no keys.

    Example: agenteval demo
    """
    from agenteval.agents import make_arm
    from agenteval.cli.announcing import announce
    from agenteval.cli.carrying import carry_out
    from agenteval.cli.report import report_path, write_report
    from agenteval.engine import Settings, make_plan
    from agenteval.records import bundled
    from agenteval.suite import load_suite

    loaded = load_suite(bundled("tasks"), tasks="tag:demo")
    plan = make_plan(
        new_run_id("demo"),
        loaded.name,
        loaded.tasks,
        [make_arm(arm) for arm in ARMS],
        repeats=repeat,
        seed=seed,
    )
    settings = Settings(
        store=store_to_write(store),
        sandbox=sandbox_of(sandbox, no_sandbox=no_sandbox),
        concurrency=default_concurrency(),
        command=f"agenteval demo --repeat {repeat} --seed {seed}",
        suite_path=loaded.folder,
    )
    announce(plan, settings)
    code = carry_out(plan, settings)
    if code:
        raise typer.Exit(code)
    say("rendering the report ...")
    page: Path = write_report(
        "run_report",
        settings.store,
        {"run": plan.run_id},
        html=report_path(settings.store, plan.run_id),
    )
    say(f"open this in a browser: {page.resolve()}")
