"""An arm: agent + model + variant, the unit that is compared."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from agenteval.records.layout import digest
from agenteval.records.strict import Strict
from agenteval.records.variant import Overlay


class Arm(Strict):
    """What one side of a comparison consists of.

    `agent_spec` is the agent as typed (`scripted:chance:0.6`); `inputs` maps declared inputs
    to hashes of their contents, so that a local program at two commits is two arms.
    """

    agent_spec: str = Field(min_length=1)
    agent_version: str | None = None
    model: str | None = None
    variant: str | None = None
    inputs: dict[str, str] = Field(default_factory=dict)
    files: tuple[str, ...] = Field(
        default=(), description="Paths of declared inputs on this machine; not part of the digest."
    )
    overlay: Overlay | None = Field(
        None, description="What the variant hands over; its hash is among the inputs."
    )

    @property
    def agent(self) -> str:
        """Name of the agent, without version and argument."""
        return self.agent_spec.partition(":")[0].partition("@")[0]

    @property
    def digest(self) -> str:
        """Hash of everything that makes this arm what it is."""
        inputs = [f"{key}={value}" for key, value in sorted(self.inputs.items())]
        return digest(
            self.agent_spec, self.agent_version or "", self.model or "", self.variant or "", *inputs
        )

    @property
    def full_label(self) -> str:
        """`agent@model+variant`."""
        label = self.agent_spec
        if self.model:
            label += f"@{self.model}"
        return f"{label}+{self.variant}" if self.variant else label


def arm_labels(arms: Sequence[Arm]) -> list[str]:
    """Label each arm by what differs; the same program at two versions gets the version too.

    >>> arm_labels([Arm(agent_spec="a", model="p/m", variant="v1"), Arm(agent_spec="a", model="p/m", variant="v2")])
    ['v1', 'v2']
    >>> arm_labels([Arm(agent_spec="scripted:noop"), Arm(agent_spec="scripted:reference")])
    ['scripted:noop', 'scripted:reference']
    """
    fields = ("agent_spec", "model", "variant")
    differing = [name for name in fields if len({getattr(arm, name) for arm in arms}) > 1]
    labels = [_label(arm, differing) for arm in arms]
    if len(set(labels)) < len(labels):
        labels = [arm.full_label for arm in arms]
    for suffix in (_version, _digest):
        if len(set(labels)) < len(labels):
            labels = [
                label + suffix(arm) if labels.count(label) > 1 else label
                for label, arm in zip(labels, arms, strict=True)
            ]
    return labels


def _label(arm: Arm, differing: list[str]) -> str:
    if not differing:
        return arm.full_label
    parts = [
        ("", arm.agent_spec, "agent_spec"),
        ("@", arm.model or "default", "model"),
        ("+", arm.variant or "none", "variant"),
    ]
    label = "".join(prefix + value for prefix, value, name in parts if name in differing)
    return label.lstrip("@+")


def _version(arm: Arm) -> str:
    return f"#{arm.agent_version}" if arm.agent_version else ""


def _digest(arm: Arm) -> str:
    return f"#{arm.digest[:6]}"
