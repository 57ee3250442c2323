"""How an agent's turns ended: what it says of itself, what the engine saw, what the gateway measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from agenteval.agents import AgentReport
from agenteval.checks import Metered
from agenteval.engine.metering import calls_of, gateway_events, metered_columns, metered_work
from agenteval.records import Status
from agenteval.sandbox import Finished

if TYPE_CHECKING:
    from agenteval.gateway import Traffic

OWN_LIMITS = {"turns": "turn_limit", "cost": "cost_limit"}


@dataclass(frozen=True)
class Ran:
    """How an agent's turns ended.

    Attributes
    ----------
    report, done
        Of all turns together.
    stop_blocks
        How often the gate sent the agent back; None without a gate.
    gate_s
        Seconds the gate took; no part of the agent's time.
    outputs
        Artifact name to what the gate printed.
    traffic
        What went through the gateway; None without one.
    only_way
        Whether the agent had no other way to a model.
    model
        The model asked for.
    """

    report: AgentReport
    done: Finished
    stop_blocks: int | None = None
    gate_s: float = 0.0
    outputs: Mapping[str, bytes] = field(default_factory=dict)
    traffic: Traffic | None = None
    only_way: bool = True
    model: str | None = None

    @property
    def ended_by(self) -> str:
        """Who ended the agent: whoever stopped it, the gateway before the engine, else itself."""
        if (
            self.traffic is not None
            and self.traffic.ended_by
            and self.done.stopped_by != "cancelled"
        ):
            return self.traffic.ended_by
        if self.done.stopped_by is None and self.report.limit is not None:
            return OWN_LIMITS[self.report.limit]
        return self.done.stopped_by or ("agent" if self.report.finished else "crash")

    @property
    def quota_until(self) -> datetime | None:
        """When the quota is there again that ended the agent's run; None where none did."""
        if self.traffic is None or self.ended_by != "infrastructure":
            return None
        return self.traffic.quota_until

    @property
    def infrastructure(self) -> dict[str, Any]:
        """Class and message where the way to the model failed; empty where it did not."""
        traffic = self.traffic
        if traffic is None or self.ended_by != "infrastructure":
            return {}
        if self.quota_until is not None:
            return {
                "status": Status.SKIPPED,
                "error_class": "quota_used_up",
                "error_message": traffic.message or "",
            }
        return {
            "error_class": traffic.error_class or "gateway_down",
            "error_message": traffic.message or "the way to the model failed",
        }

    def told_of(self, error_class: str | None) -> dict[str, Any]:
        """What the gateway said of the limit that stopped the agent; empty where none of its did."""
        traffic = self.traffic
        if error_class is None or traffic is None or traffic.ended_by != error_class:
            return {}
        if not traffic.message:
            return {}
        return {"error_message": f"the agent was stopped by {error_class}: {traffic.message}"}

    def after(self, traffic: Traffic, *, only_way: bool, model: str | None) -> Ran:
        """The same with what went through the gateway, its events at the end of the agent's own."""
        events = (*self.report.events, *gateway_events(traffic))
        report = replace(self.report, events=events)
        return replace(self, report=report, traffic=traffic, only_way=only_way, model=model)

    @property
    def measured(self) -> dict[str, Any]:
        """Columns that the gateway measured; empty without one."""
        if self.traffic is None:
            return {}
        return metered_columns(self.traffic, only_way=self.only_way, model=self.model)

    @property
    def fields(self) -> dict[str, Any]:
        """Columns that the engine itself counts and times."""
        return {"stop_blocks": self.stop_blocks, **self.measured}

    @property
    def metered(self) -> Metered:
        """What the engine measured; counts that only the agent tells are not among it."""
        calls = [] if self.traffic is None else calls_of(self.traffic)
        return metered_work(self.measured, calls, self.done.duration_s)
