"""What a trial may do through the gateway: its model, its limits, and where its answers come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agenteval.gateway.faults import FaultPlan

if TYPE_CHECKING:
    from agenteval.gateway.scripting import Script


@dataclass(frozen=True)
class Caps:
    """Limits of one trial, held by the gateway; None is no limit.

    Attributes
    ----------
    cost_usd
        Dollars by the price table. What has no price cannot be held to it.
    tokens
        All four buckets together.
    requests
        Requests for an answer, side requests and those of sub-agents included.
    turns
        Answers of the main conversation.
    """

    cost_usd: float | None = None
    tokens: int | None = None
    requests: int | None = None
    turns: int | None = None


@dataclass(frozen=True)
class Terms:
    """Terms of one trial: what `Gateway.open` is asked for.

    Attributes
    ----------
    model
        `provider/name`; with a script or a replay only a name to price by, and may be None.
    asked_for
        The model as the operator named it, which a recording tells: whoever replays it starts the
        agent for that one. `model` when None.
    caps
        Limits that the gateway holds.
    seed
        Seed of the trial: what faults and scripted chance are drawn from.
    faults
        Faults to plant.
    script
        Plays the model.
    replay
        Recording that plays the model.
    record
        File to keep every exchange in (`.jsonl.zst`).
    secrets
        Name of each secret to its value; masked in the recording.
    places
        Folders of the trial, as the agent sees them, to a name each: paths that replay does not
        compare.
    rules
        File with further rules of what replay does not compare.
    label
        What messages call the trial.
    """

    model: str | None = None
    asked_for: str | None = None
    caps: Caps = Caps()
    seed: int = 0
    faults: FaultPlan | None = None
    script: Script | None = None
    replay: Path | None = None
    record: Path | None = None
    secrets: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, str] = field(default_factory=dict)
    rules: Path | None = None
    label: str = ""
