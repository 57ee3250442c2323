"""How agents reach their models: one gateway for the engine, one session of it for each trial."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agenteval.agents import Endpoint, make_agent
from agenteval.engine.model_source import (
    name_for_prices,
    provider_name,
    source_of,
    started_for,
)
from agenteval.engine.replays import recording_file
from agenteval.engine.snapshot import Snapshot
from agenteval.engine.spec import TrialSpec
from agenteval.errors import Infrastructure, InvalidInput
from agenteval.records import Arm
from agenteval.sandbox import Box, Sandbox, View

if TYPE_CHECKING:
    from agenteval.gateway import Gateway, Pace, Reach, Session, Upstream

HALTED = "gateway"
LEAVE_S = 5.0  # to write its last words, which say more than a signal


@dataclass(frozen=True)
class ModelAccess:
    """What an engine needs to know to open its gateway.

    Attributes
    ----------
    upstreams
        Providers beside the known ones.
    prices
        File of prices that go before the bundled ones.
    record
        Folder to keep every exchange in, a file for each attempt.
    rules
        Further rules of what a replay does not compare.
    pace
        How hard providers without limits of their own are asked; as the gateway does by default
        when None.
    """

    upstreams: tuple[Upstream, ...] = ()
    prices: Path | None = None
    record: Path | None = None
    rules: Path | None = None
    pace: Pace | None = None

    @classmethod
    def from_environment(cls) -> ModelAccess:
        """What `$AGENTEVAL_UPSTREAMS`, a file of further providers, says."""
        path = os.environ.get("AGENTEVAL_UPSTREAMS")
        if not path:
            return cls()
        from agenteval.gateway import read_upstreams

        return cls(read_upstreams(Path(path)))

    @property
    def recorded(self) -> dict[str, Any]:
        """As run.json names it; what is not said is not there."""
        told: dict[str, Any] = {
            name: str(path)
            for name in ("prices", "record", "rules")
            if (path := getattr(self, name)) is not None
        }
        if self.upstreams:
            told["upstreams"] = [one.model_dump(exclude_defaults=True) for one in self.upstreams]
        if self.pace is not None:
            told["pace"] = asdict(self.pace)
        return told

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> ModelAccess:
        """What a run.json recorded."""
        from agenteval.gateway import Pace, Upstream

        found = map(Upstream.model_validate, recorded.get("upstreams", ()))
        prices, record, rules = (
            None if name not in recorded else Path(recorded[name])
            for name in ("prices", "record", "rules")
        )
        pace = Pace(**recorded["pace"]) if "pace" in recorded else None
        return cls(tuple(found), prices, record, rules, pace)

    def gateway(self, scratch: Path) -> AbstractContextManager[Gateway]:
        """The gateway, to be entered; `scratch` is a folder for its socket."""
        from agenteval.gateway import Gateway, Pace, PriceTable

        return Gateway(
            self.upstreams,
            prices=PriceTable.load(self.prices),
            pace=self.pace or Pace(),
            scratch=scratch,
        )


def needs_gateway(arms: Sequence[Arm], access: ModelAccess) -> bool:
    """Whether some arm's model is reached through the gateway."""
    return any(source_of(arm.model, access.upstreams) is not None for arm in arms)


def check_models(arms: Sequence[Arm], access: ModelAccess) -> None:
    """Refuse arms whose agent needs a model that cannot be had, before anything is spent.

    Raises
    ------
    InvalidInput
        For an agent without its model, a provider that is not known or speaks another format, a key
        that is not set, a script or recording that is not there, or prices that cannot be read.
    """
    if access.prices is not None:
        from agenteval.gateway import PriceTable

        PriceTable.load(access.prices)
    for arm in arms:
        agent = make_agent(arm.agent_spec, tuple(map(Path, arm.files)))
        source = source_of(arm.model, access.upstreams)
        if source is not None:
            source.check()
            source.check_formats(agent)
        elif getattr(agent, "needs_model", False):
            name = getattr(agent, "inner", agent).name
            raise InvalidInput(
                f"{name} needs a model, and {arm.model!r} is none that can be reached"
                if arm.model
                else f"{name} needs a model",
                f"--agent {arm.agent_spec}",
                "add --model anthropic/NAME, openai/NAME, google/NAME or one of your upstreams, or without any provider --model scripted:reference",
            )


@dataclass(frozen=True)
class Models:
    """The gateway while the engine runs, and what it was opened with."""

    gateway: Gateway
    access: ModelAccess

    def open(
        self, spec: TrialSpec, start: Snapshot, folder: Path, secrets: Mapping[str, str]
    ) -> Session | None:
        """Open a trial's session; None for an arm whose model is not reached through here.

        Parameters
        ----------
        start, folder
            Where the trial starts from, and a folder of its own.
        secrets
            Name of each secret to its value; masked in recordings.

        Raises
        ------
        Infrastructure
            When its script or recording is not there (any more).
        """
        from agenteval.gateway import Caps, FaultPlan, Terms

        source = source_of(spec.arm.model, self.access.upstreams)
        if source is None:
            return None
        task = spec.task.task
        faults = None if spec.arm.overlay is None else spec.arm.overlay.faults
        try:
            terms = Terms(
                model=name_for_prices(spec.arm.model),
                asked_for=spec.arm.model,
                caps=Caps(task.max_cost_usd, task.max_tokens, task.max_requests, task.max_turns),
                seed=_drawn_from(spec),
                faults=None if faults is None else FaultPlan(faults, seed=_drawn_from(spec)),
                script=source.script(spec, start, folder),
                replay=source.recording(spec),
                record=_record_file(self.access.record, spec),
                secrets=secrets,
                rules=self.access.rules,
                label=f"{task.id}, {spec.arm_label}, repeat {spec.repeat}",
            )
            return self.gateway.open(terms)
        except InvalidInput as error:
            # a recording that is not there will not be there at the next try
            error_class = "replay_diverged" if source.kind == "replay" else "gateway_down"
            raise Infrastructure(error.what, error.where, error.fix, error_class) from error

    def way(self, session: Session, arm: Arm, sandbox: Sandbox, box: Box) -> ModelWay:
        """How an agent in a box reaches its model."""
        from agenteval.gateway import Reach

        view = sandbox.view(box)
        # paths of the trial, which are others in a replay
        session.name_places(
            {view.workspace: "workspace", view.home: "home", view.tmp: "tmp", view.inputs: "inputs"}
        )
        if session.replay is not None:
            arm = started_for(arm, session.replay.model)
        model = provider_name(arm.model)
        outside = not sandbox.isolates or box.network
        reach = None if outside else Reach(self.gateway.socket)
        root = f"http://127.0.0.1:{self.gateway.port}" if reach is None else reach.url
        endpoint = Endpoint(f"{root}{session.path}", session.token, model)
        return ModelWay(session, arm, endpoint, reach)


@contextmanager
def open_models(arms: Sequence[Arm], access: ModelAccess, scratch: Path) -> Iterator[Models | None]:
    """The gateway, as long as trials run; None where no arm needs it."""
    if not needs_gateway(arms, access):
        yield None
        return
    with access.gateway(scratch) as gateway:
        yield Models(gateway, access)


@dataclass
class ModelWay:
    """How one agent reaches its model.

    Attributes
    ----------
    session
        Its session of the gateway.
    arm
        The arm, as its agent is to be started: in a replay, with the recording's model.
    endpoint
        What it is told.
    reach
        The way into a sandbox without network; None where the gateway's port can be reached.
    """

    session: Session
    arm: Arm
    endpoint: Endpoint
    reach: Reach | None
    _stopping: float | None = field(default=None, init=False)

    @property
    def only(self) -> bool:
        """Whether there is no other way to a model."""
        return self.reach is not None

    @property
    def files(self) -> Mapping[str, bytes]:
        """What has to lie in the box's inputs."""
        return {} if self.reach is None else self.reach.files

    @property
    def read_only(self) -> tuple[Path, ...]:
        """What of the host has to be shown."""
        return () if self.reach is None else self.reach.read_only

    def prefix(self, view: View) -> Sequence[str]:
        """Words that go before the agent's command line."""
        return () if self.reach is None else self.reach.prefix(view.inputs)

    def halt(self) -> str | None:
        """Whether the agent is to be stopped: it was told that it is over, and has not left since."""
        if not self.session.stop.is_set():
            return None
        now = time.monotonic()
        if self._stopping is None:
            self._stopping = now
        return HALTED if now - self._stopping >= LEAVE_S else None


def _drawn_from(spec: TrialSpec) -> int:
    """Seed of a trial: the same for all arms, and its own for each task and repeat."""
    return zlib.crc32(f"{spec.seed}:{spec.task.task.id}:{spec.repeat}".encode())


def _record_file(folder: Path | None, spec: TrialSpec) -> Path | None:
    return None if folder is None else recording_file(folder, spec)
