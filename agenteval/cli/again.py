"""`agenteval retry` and `agenteval merge`: runs that lie on disk, carried on or put together."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.cli.carrying import carry_out
from agenteval.cli.options import (
    JsonOption,
    NoSandboxOption,
    SandboxOption,
    StoreOption,
    concurrency_of,
    sandbox_of,
    store_to_write,
    variables_of,
)
from agenteval.cli.output import count, print_json, say
from agenteval.cli.run_options import CONCURRENCY, GRACE, PAUSE_AFTER, RETRIES


def retry(
    run: Annotated[str, typer.Argument(help="Run.")],
    *,
    classes: Annotated[
        list[str] | None,
        typer.Option(
            "--class",
            help="Class of failures to try again, such as setup_failed; repeat it for several.",
            show_default=False,
        ),
    ] = None,
    suite: Annotated[
        Path | None,
        typer.Option(
            "--suite", help="Where the suite lies now, if it was moved.", show_default=False
        ),
    ] = None,
    store: StoreOption = None,
    concurrency: CONCURRENCY = None,
    retries: RETRIES = 2,
    pause_after: PAUSE_AFTER = 5,
    grace: GRACE = 10.0,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Try trials again that failed in the machinery; an outcome that counts is never tried again.

    Their earlier attempts, and what these cost, stay on record.

    Example: agenteval retry nightly-17 --class setup_failed
    """
    from agenteval.engine import ModelAccess, Retries, Settings, plan_of
    from agenteval.records import StoreFolder, read_manifest

    path = store_to_write(store)
    folder = StoreFolder(path).run(run)
    held = _failed(folder.journal)
    asked = _classes(classes, held, run)
    plan = plan_of(folder, suite)
    number = sum(held.get(name, 0) for name in asked)
    if not json:
        say(f"run {run}: {count(number, 'trial')} to try again ({', '.join(sorted(asked))})")
    manifest = read_manifest(folder.manifest)
    settings = Settings(
        store=path,
        sandbox=sandbox_of(sandbox, no_sandbox=no_sandbox),
        concurrency=concurrency_of(concurrency),
        suite_path=suite,
        retries=Retries(retries),
        again=asked,
        pause_after=pause_after,
        grace_s=grace,
        passed=variables_of(manifest.passed_variables),
        models=ModelAccess.of(manifest.models) if manifest.models else ModelAccess(),
    )
    code = carry_out(plan, settings, json=json)
    if code:
        raise typer.Exit(code)


def merge(
    parts: Annotated[list[Path], typer.Argument(help="Stores that hold a part of the run.")],
    *,
    run: Annotated[str, typer.Option("--run", help="The run they are parts of.")],
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Put the parts of a run together that were run with --shard.

    Nothing is taken over unless all parts are of the same plan and no trial has two outcomes. What
    is voided in a part stays voided.

    Example: agenteval merge ci/1/store ci/2/store --run nightly-17
    """
    from agenteval.engine import merge_runs
    from agenteval.store import seal, take_over_voids

    path = store_to_write(store)
    merged = merge_runs(run, path, parts)
    voids = take_over_voids(path, run, parts)
    seal(path, [run])
    if json:
        print_json(
            {
                "run_id": run,
                "taken": merged.taken,
                "known": merged.known,
                "settled": merged.settled,
                "planned": merged.planned,
                "voids": len(voids),
            }
        )
        return
    print(
        f"run {run}: {count(merged.taken, 'attempt')} taken over, {merged.known} known before; {merged.settled} of {count(merged.planned, 'trial')} settled"
    )
    if voids:
        say(f"{count(len(voids), 'trial')} voided in a part: left out here as well")
    if merged.settled < merged.planned:
        say(
            f"{merged.planned - merged.settled} have no outcome yet: a shard is missing or was not finished"
        )


def _failed(journal: Path) -> dict[str, int]:
    """Failures of the machinery that stand, by class."""
    from agenteval.records import is_infrastructure, read_journal

    last = {block.attempt.trial_id: block.attempt for block in read_journal(journal).blocks}
    found: dict[str, int] = {}
    for row in last.values():
        if is_infrastructure(row.status, row.passed):
            name = row.error_class or "unknown"
            found[name] = found.get(name, 0) + 1
    return found


def _classes(classes: list[str] | None, held: dict[str, int], run: str) -> frozenset[str]:
    from agenteval.engine import check_classes
    from agenteval.errors import InvalidInput

    there = ", ".join(f"{n} {name}" for name, n in sorted(held.items())) or "none"
    if not classes:
        raise InvalidInput(
            f"No class of failures is named; run {run} has: {there}",
            "--class",
            "name one, as in --class setup_failed",
        )
    asked = check_classes(frozenset(classes))
    if not any(name in held for name in asked):
        raise InvalidInput(
            f"Run {run} has no trial that ended with {', '.join(sorted(asked))}; it has: {there}",
            "--class",
            "nothing is to be done",
        )
    return asked
