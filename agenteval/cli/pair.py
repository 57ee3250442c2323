"""`--arms with,without`: a pair of variants of one agent, and what its rounds come to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import arms_of
from agenteval.cli.output import say
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.records import Arm
    from agenteval.suite import LoadedSuite, LoadedVariant

PairOption = Annotated[
    str | None,
    typer.Option(
        "--arms",
        help="Two variants, WITH,WITHOUT: every round runs in both, and the run passes only when the first is green on every task in every round. What has no file in variants/ is the plugins of --plugin-dir, and second the arm without any.",
        show_default=False,
    ),
]
PluginOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin-dir",
        help="Plugin that the first of --arms loads. Repeat it for several.",
        show_default=False,
    ),
]


def pair_on(
    loaded: LoadedSuite,
    pair: str,
    plugins: list[Path],
    agents: list[str] | None,
    models: list[str] | None,
    files: list[Path] | None,
) -> list[Arm]:
    """The two arms of a pair, that with the change first.

    Raises
    ------
    InvalidInput
        For anything but two names, several agents, a suite that brings its own agent, or a variant
        that there is not.
    """
    from agenteval.agents import make_arm

    where = f"--arms {pair}"
    names = [name.strip() for name in pair.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise InvalidInput("A pair is two names", where, "write it as in --arms with,without")
    if loaded.has_agent and not agents:
        raise InvalidInput(
            "The suite brings its own agent, so both arms would run through it",
            where,
            "name the agent with --agent",
        )
    made = arms_of(agents, models, files)
    if len(made) > 1:
        raise InvalidInput(
            f"A pair is one agent with and without, and {len(made)} are named",
            where,
            "name one --agent and one --model, or cross them with --variant",
        )
    (arm,) = made
    variants = (_first(names[0], plugins, loaded, where), _second(names[1], loaded))
    return [
        make_arm(
            arm.agent_spec,
            model=arm.model,
            files=tuple(Path(file) for file in arm.files),
            variant=variant.name,
            overlay=variant.overlay,
        )
        for variant in variants
    ]


def pair_code(store: Path, run_id: str, labels: list[str]) -> int:
    """Say what the rounds came to; 1 unless the first arm is green on every task in every round."""
    import agenteval as ae
    from agenteval.comparison import rounds

    trials = ae.open_store(store).trials(run=run_id)
    if trials.empty:
        return 1
    found = rounds(trials, with_arm=labels[0], without_arm=labels[1])
    say(f"{'pass' if found.passed else 'FAIL'}: {found}")
    return int(not found.passed)


def _first(name: str, plugins: list[Path], loaded: LoadedSuite, where: str) -> LoadedVariant:
    from agenteval.suite import load_variant, plugin_variant

    if not plugins:
        return load_variant(name, loaded.folder)
    if name in _known(loaded):
        raise InvalidInput(
            f"The variant {name!r} has a file of its own, and --plugin-dir names its plugins too",
            where,
            "write plugin_dirs into its file, or choose another name",
        )
    return plugin_variant(name, plugins)


def _second(name: str, loaded: LoadedSuite) -> LoadedVariant:
    from agenteval.suite import CONTROL, load_variant, plugin_variant

    if name in _known(loaded):
        return load_variant(name, loaded.folder)
    if name not in (CONTROL, "without"):
        return load_variant(name, loaded.folder)  # names what there is
    return plugin_variant(name, [])


def _known(loaded: LoadedSuite) -> list[str]:
    from agenteval.suite import variant_files

    return list(variant_files(loaded.folder))
