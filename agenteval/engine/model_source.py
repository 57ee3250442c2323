"""What answers in the place of a model: a provider, a script, or a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from agenteval.agents import Agent, Job, Scripted, make_agent, solution_files
from agenteval.checks import read_patch
from agenteval.engine.replays import recording_for
from agenteval.engine.snapshot import Snapshot
from agenteval.engine.spec import TrialSpec
from agenteval.engine.thaw import thaw
from agenteval.errors import InvalidInput
from agenteval.records import Arm

if TYPE_CHECKING:
    from agenteval.gateway import Script, Upstream

PLAYED = ("scripted", "replay")
MODES = ("reference", "noop", "chance", "wrong")


@dataclass(frozen=True)
class ModelSource:
    """Where an arm's answers come from.

    Attributes
    ----------
    kind
        `provider`, `scripted` or `replay`.
    argument
        `provider/name`; what to script (`reference`, `chance:0.5`, or a file or folder); or what to
        replay (a file or folder).
    upstreams
        Providers beside the known ones.
    """

    kind: str
    argument: str
    upstreams: tuple[Upstream, ...] = ()

    @property
    def _mode(self) -> str:
        return self.argument.partition(":")[0]

    def check(self) -> None:
        """Refuse what cannot be had.

        Raises
        ------
        InvalidInput
            For an unknown provider, a key that is not set, a script that cannot be read, or a
            recording that is not there.
        """
        import os

        from agenteval.gateway import load_script, upstream_of

        if self.kind == "provider":
            upstream_of(self.argument, self.upstreams)[0].secret(os.environ)
        elif self.kind == "replay":
            _must_exist(Path(self.argument), f"--model replay:{self.argument}")
        elif self._mode in MODES:
            Scripted(self.argument)
        else:
            path = Path(self.argument)
            _must_exist(path, f"--model scripted:{self.argument}")
            for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
                load_script(file)

    def check_formats(self, agent: Agent) -> None:
        """Refuse a provider that speaks none of an agent's wire formats.

        Raises
        ------
        InvalidInput
            When there is none in common.
        """
        from agenteval.gateway import upstream_of

        formats: tuple[str, ...] = getattr(agent, "wire_formats", ())
        if self.kind != "provider" or not formats:
            return
        provider = upstream_of(self.argument, self.upstreams)[0]
        if not set(formats) & set(provider.wires):
            raise InvalidInput(
                f"{agent.name} speaks {' and '.join(formats)}, and {provider.name} {' and '.join(provider.wires)}",
                f"--agent {agent.name} --model {self.argument}",
                "choose a model of a provider that speaks its format, or put a server that translates (a LiteLLM proxy) between them with --upstreams",
            )

    def script(self, spec: TrialSpec, start: Snapshot, folder: Path) -> Script | None:
        """The script that plays the model of a trial; None where none does.

        Parameters
        ----------
        start, folder
            What the solution's change is applied to, and a folder for that.
        """
        from agenteval.gateway import load_script, script_of

        if self.kind != "scripted":
            return None
        if self._mode not in MODES:
            path = Path(self.argument)
            return load_script(path / f"{spec.task.task.id}.json" if path.is_dir() else path)
        agent = make_agent(spec.arm.agent_spec, tuple(map(Path, spec.arm.files)))
        scripted = Scripted(self.argument)
        job = Job(spec.task, spec.repeat, spec.seed, spec.arm)
        files = solution_files(spec.task, scripted.choice(job))
        patch, answer = files.get("change.patch"), files.get("answer.md")
        return script_of(
            patch,
            {} if patch is None else _final_contents(patch, start, folder),
            None if answer is None else answer.decode("utf-8", "replace"),
            toolless=getattr(agent, "toolless", False),
        )

    def recording(self, spec: TrialSpec) -> Path | None:
        """The recording that plays the model of a trial; None where none does.

        Raises
        ------
        InvalidInput
            When a folder holds none for the trial, or those of several trials.
        """
        if self.kind != "replay":
            return None
        return recording_for(Path(self.argument), spec)


def source_of(model: str | None, upstreams: Sequence[Upstream]) -> ModelSource | None:
    """Where answers of `--model MODEL` come from; None when it is reached otherwise, or not at all."""
    if model is None:
        return None
    kind, colon, rest = model.partition(":")
    if colon and kind in PLAYED:
        return ModelSource(kind, rest)
    from agenteval.gateway import KNOWN_UPSTREAMS

    known = {upstream.name for upstream in (*KNOWN_UPSTREAMS, *upstreams)}
    if model.partition("/")[0] in known and "/" in model:
        return ModelSource("provider", model, tuple(upstreams))
    return None


def provider_name(model: str | None) -> str | None:
    """A model as its provider spells it; None where a script plays it, which answers to any name.

    >>> provider_name("openrouter/anthropic/claude-sonnet-4-5")
    'anthropic/claude-sonnet-4-5'
    >>> provider_name("scripted:steps/one.json") is None
    True
    """
    if model is None or model.partition(":")[0] in PLAYED:
        return None
    return model.partition("/")[2] or None


def started_for(arm: Arm, recorded: str | None) -> Arm:
    """An arm with the model that its agent is started for: in a replay the one of the recording.

    Programs choose their prompts and the way they edit by the model, so that for another one they
    would not ask what was recorded.

    Parameters
    ----------
    recorded
        Model that the recording tells; None where it tells none, as those of scripts once did.

    Examples
    --------
    >>> started_for(Arm(agent_spec="a", model="replay:kept"), "p/m").model
    'p/m'
    >>> started_for(Arm(agent_spec="a", model="replay:kept"), None).model
    'scripted:'
    """
    return arm.model_copy(update={"model": recorded or "scripted:"})


def name_for_prices(model: str | None) -> str | None:
    """The model by which answers are priced; what a script says is priced by the name asked for."""
    if model is None or model.partition(":")[0] in PLAYED:
        return None
    return model


def _final_contents(patch: bytes, start: Snapshot, folder: Path) -> dict[str, bytes | None]:
    """Path to contents after a patch, None for what it deletes: for agents that have no shell."""
    changed = read_patch(thaw(patch, start, folder).patch)
    return {
        file.path: None if file.after is None else start.store.read(file.after) for file in changed
    }


def _must_exist(path: Path, where: str) -> None:
    if not path.exists():
        raise InvalidInput(
            f"There is no {path}", where, "name a file or folder, or scripted:reference"
        )
