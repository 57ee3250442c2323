"""`agenteval run experiment.toml`: the options come from the file, and its gate follows the run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import typer

from agenteval.cli.output import say
from agenteval.errors import InvalidInput, StoreError

if TYPE_CHECKING:
    from agenteval.records import Arm
    from agenteval.suite import LoadedExperiment, LoadedSuite

KEY, RUN_ID = "agenteval.experiment", "agenteval.run_id"


def experiment_of(context: typer.Context) -> LoadedExperiment | None:
    """The experiment that is being carried out; None where the command line says it all."""
    found: LoadedExperiment | None = context.meta.get(KEY)
    return found


def is_experiment(path: Path | None) -> bool:
    """Whether what is named as a suite is an experiment's file."""
    return path is not None and path.suffix == ".toml" and path.is_file()


def run_experiment(context: typer.Context, path: Path) -> int:
    """Carry out an experiment; options given beside it are added, and go before the file's.

    Returns the exit code: that of the run, or of the gate after a run that was carried out.
    """
    from agenteval.suite import load_experiment

    experiment = load_experiment(path)
    if experiment.experiment.question:
        say(f"question: {experiment.experiment.question}")
    own = list(context.obj or ["run", str(path)])[1:]
    # as it was typed: ./experiment.toml is another text and the same path
    own.pop(next(place for place, word in enumerate(own) if Path(word) == path))
    context.meta[KEY] = experiment
    arguments = [experiment.suite, *experiment.options(), *own]
    code = 0
    with context.command.make_context(
        "run", arguments, parent=context.parent, obj=context.obj
    ) as inner:
        inner.meta[KEY] = experiment
        asked = inner.params.get("dry_run") or inner.params.get("shard")
        store = inner.params.get("store")
        if experiment.experiment.gate is not None and not asked:
            # what cannot be compared afterwards is not worth a run
            _check_baseline(experiment, store)
        try:
            context.command.invoke(inner)
        except click.exceptions.Exit as end:
            code = end.exit_code
        run_id = inner.meta.get(RUN_ID)
    told = experiment.experiment.gate
    if code or told is None or run_id is None or asked:
        return code
    return _gate(experiment, run_id, store)


def _check_baseline(experiment: LoadedExperiment, store: Path | None) -> None:
    from agenteval.cli.gate_sides import baseline_side

    name = _against(experiment)
    try:
        baseline_side(name, store=store)
    except StoreError as error:
        raise InvalidInput(
            f"There is no baseline {name!r}, and no store yet that could hold a run of this name",
            f"{experiment.path}, key gate.against",
            "save one with `agenteval baseline save NAME`, or take [gate] out until there is one",
        ) from error


def _against(experiment: LoadedExperiment) -> str:
    """What its gate compares with: a file beside it, else a name."""
    told = experiment.experiment.gate
    assert told is not None  # who asks has seen it
    near = experiment.at(told.against)
    return str(near) if near.is_file() else told.against


def _gate(experiment: LoadedExperiment, run_id: str, store: Path | None) -> int:
    from agenteval.cli.gate import gate

    told = experiment.experiment.gate
    assert told is not None
    try:
        gate(
            against=_against(experiment),
            run=run_id,
            arm=told.arm,
            tolerance=[f"{name}={value}" for name, value in told.tolerance.items()],
            max_regressions=told.max_regressions,
            min_pass_rate=told.min_pass_rate,
            margin=told.margin,
            min_effect=told.min_effect,
            mode=told.mode,
            store=store,
        )
    except typer.Exit as end:
        return int(end.exit_code)
    return 0


def arms_listed(experiment: LoadedExperiment, loaded: LoadedSuite) -> list[Arm]:
    """The arms that an experiment lists one by one."""
    from agenteval.agents import make_arm
    from agenteval.cli.arms import with_variants

    arms: list[Arm] = []
    for told in experiment.experiment.arms:
        bare = make_arm(told.agent, model=told.model, files=experiment.files_of(told))
        names: Sequence[str] = [told.variant] if told.variant else []
        arms += with_variants([bare], list(names), loaded.folder)
    return arms
