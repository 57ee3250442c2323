"""Arms as the options name them: agents x models x variants, or the agent that a suite brings along."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import arms_of
from agenteval.cli.output import say
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.records import Arm
    from agenteval.suite import LoadedSuite, LoadedTask, LoadedVariant

VariantOption = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        help="Name of a file in the suite's variants/, or NAME=git:REF:PATH or NAME=worktree:PATH for instructions of the repository here; crossed with the agents; `none` is the arm without one. Repeat it for several.",
        show_default=False,
    ),
]
UserConfigOption = Annotated[
    bool,
    typer.Option(
        "--with-user-config",
        help="Hand the agents your own settings and memory (never keys); recorded in the arm, and told where arms are compared.",
    ),
]


def arms_on(
    loaded: LoadedSuite,
    path: Path,
    agents: list[str] | None,
    models: list[str] | None,
    files: list[Path] | None,
    variants: list[str] | None,
) -> list[Arm]:
    """Agents x models x variants.

    Parameters
    ----------
    path
        The suite as it was named.

    Raises
    ------
    InvalidInput
        Without an agent, for a variant that does not exist, or when the suite's own agent is asked
        to be several arms.
    """
    if not agents and loaded.has_agent:
        if len(variants or ()) > 1:
            raise InvalidInput(
                "The suite brings its own agent, so all variants would run through it",
                f"{path}: --variant {' --variant '.join(variants or ())}",
                "name the agents with --agent, or run one variant",
            )
        agents = [f"module:{path}"]
    elif loaded.has_agent:
        say(f"note: the agent that {path} brings along is not run, since --agent names others")
    return with_variants(arms_of(agents, models, files), variants, loaded.folder)


def with_variants(arms: Iterable[Arm], names: list[str] | None, suite: Path) -> list[Arm]:
    """Each arm with each variant; as it is when none is named.

    Raises
    ------
    InvalidInput, TaskError
        For a variant that does not exist or cannot be read.
    """
    if not names:
        return list(arms)
    from agenteval.agents import make_arm

    chosen = [_variant(name, suite) for name in names]
    return [
        arm
        if variant is None
        else make_arm(
            arm.agent_spec,
            model=arm.model,
            files=tuple(Path(file) for file in arm.files),
            variant=variant.name,
            overlay=variant.overlay,
        )
        for arm in arms
        for variant in chosen
    ]


def with_own_config(arms: Iterable[Arm]) -> list[Arm]:
    """The arms with the operator's own settings and memory.

    Raises
    ------
    InvalidInput
        For an agent that takes none, or when there is none here.
    """
    from agenteval.agents import make_arm

    return [
        make_arm(
            arm.agent_spec,
            model=arm.model,
            files=tuple(Path(file) for file in arm.files),
            variant=arm.variant,
            overlay=arm.overlay,
            user_config=True,
        )
        for arm in arms
    ]


def variables_asked(names: list[str] | None, arms: Iterable[Arm]) -> list[str]:
    """Names of the operator's variables to hand over: those of --pass-env and those of variants.

    All arms of a run get all of them, so that arms do not differ by who holds a key.
    """
    asked = [name for arm in arms if arm.overlay for name in arm.overlay.pass_env]
    return list(dict.fromkeys([*(names or ()), *asked]))


def warn_of_unread(tasks: Sequence[LoadedTask], arms: Sequence[Arm]) -> None:
    """Say which variants give which agent nothing.

    Raises
    ------
    InvalidInput
        When arms of one agent differ by nothing else.
    """
    from agenteval.engine import check_variants, variant_notes

    check_variants(tasks, arms)
    for note in variant_notes(tasks, arms):
        say(f"warning: {note}")


def warn_of_forgeable(tasks: Iterable[LoadedTask]) -> None:
    """Say which checks look at output that code of the workspace can write by itself."""
    from agenteval.suite import forgeable_checks

    for task in tasks:
        names = forgeable_checks(task.task)
        if names:
            say(
                f"warning: {task.id}: {', '.join(names)}: code of the workspace runs there and can print what the check looks for"
            )


def _variant(name: str, suite: Path) -> LoadedVariant | None:
    from agenteval.engine import repository_variant
    from agenteval.suite import CONTROL, load_variant

    if "=" in name:
        return repository_variant(name, Path.cwd())
    return None if name == CONTROL else load_variant(name, suite)
