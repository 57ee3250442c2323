"""What the gateway measured of a trial, as columns, as what checks may look at, and as events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agenteval.checks import Metered, ToolUse
from agenteval.records import TRAFFIC
from agenteval.sandbox import read_regular

if TYPE_CHECKING:
    from agenteval.gateway import Exchange, Traffic

LARGEST = 64 << 20
Call = tuple[str, "dict[str, Any] | None"]
BUCKETS = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
MEASURED = (
    "model_used", "model_s", "tool_s", "rate_limited_s", *BUCKETS, "first_cache_read_tokens",
    "requests", "turns", "tool_calls",
)  # fmt: skip


def metered_columns(
    traffic: Traffic, *, only_way: bool, model: str | None = None
) -> dict[str, Any]:
    """Columns of the record that the gateway measured; what an agent claims does not take their place.

    Parameters
    ----------
    only_way
        Whether the agent could reach a model through the gateway only: then no request means no
        cost, else it means that nothing was measured.
    model
        The model asked for: what a script says was said by nobody else, whatever name the program
        asked for. It is priced by that name all the same, so that limits on cost can be tried.
    """
    if traffic.requests == 0:
        if not only_way:
            return {}
        none = dict.fromkeys((*BUCKETS, "requests", "turns", "tool_calls"), 0)
        return {
            **none,
            "cost_usd": 0.0,
            "cost_source": "metered",
            "price_table": traffic.price_table,
        }
    cost, scripted = traffic.cost_usd, (model or "").startswith("scripted:")
    return {
        **{name: getattr(traffic, name) for name in MEASURED},
        **({"model_used": model} if scripted else {}),
        "cost_usd": cost,
        "cost_source": "unknown" if cost is None else "metered",
        "price_table": None if cost is None else traffic.price_table,
    }


def metered_work(columns: Mapping[str, Any], calls: Iterable[Call], duration_s: float) -> Metered:
    """What checks on effort may look at.

    Parameters
    ----------
    columns
        As `metered_columns` gives them.
    calls
        Name and input of each tool call, in order.
    """
    if "requests" not in columns:
        return Metered(duration_s=duration_s)
    buckets = [columns[name] for name in BUCKETS]
    made = list(calls)
    return Metered(
        duration_s=duration_s,
        turns=columns["turns"],
        tool_calls=len(made),
        tokens=None if None in buckets else sum(buckets),
        cost_usd=columns["cost_usd"],
        tools=tuple(ToolUse(name, _as_text(told)) for name, told in made),
        used=frozenset(name for call in made for name in _used_by(*call)),
    )


def calls_of(traffic: Traffic) -> list[Call]:
    """Name and input of each tool call of the model, in order."""
    return [
        (call.name, None if call.input is None else dict(call.input))
        for exchange in traffic.exchanges
        if exchange.counts
        for call in exchange.calls
    ]


def traffic_artifact(traffic: Traffic, *, only_way: bool) -> dict[str, bytes]:
    """What is kept of the traffic: how it ended, then a line an exchange with sizes, times and calls."""
    head = {
        "only_way": only_way,
        "price_table": traffic.price_table,
        "ended_by": traffic.ended_by,
        "error_class": traffic.error_class,
        "message": traffic.message,
        "planted": dict(traffic.planted),
    }
    lines = [
        json.dumps(head, ensure_ascii=False),
        *(
            json.dumps(
                {
                    name: value
                    for name, value in asdict(exchange).items()
                    if value not in (None, ())
                },
                ensure_ascii=False,
            )
            for exchange in traffic.exchanges
        ),
    ]
    return {TRAFFIC: "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")}


def calls_then(artifacts: Path) -> list[Call] | None:
    """The tool calls that an attempt's stored traffic tells of; None where nothing was measured."""
    try:
        lines = read_regular(artifacts / TRAFFIC, LARGEST).splitlines()
        head, *told = [json.loads(line) for line in lines]
    except (OSError, ValueError):
        return None
    if not told and not head["only_way"]:
        return None
    return [
        (call["name"], call["input"])
        for exchange in told
        if exchange["kind"] != "count" and "refused" not in exchange
        for call in exchange.get("calls", ())
    ]


def _as_text(told: dict[str, Any] | None) -> str:
    """Arguments of a tool call as one text: what is said in them, the command or path first."""
    said = [value for value in (told or {}).values() if isinstance(value, str)]
    return " ".join(said) or json.dumps(told, ensure_ascii=False)


def _used_by(name: str, told: dict[str, Any] | None) -> Iterator[str]:
    """Skill, plugin and MCP server that a tool call uses, as the programs name their tools."""
    if name.startswith("mcp__"):
        yield name.split("__")[1]
    if name.lower() == "skill" and told:
        asked = next((told[key] for key in ("skill", "name", "command") if key in told), None)
        if isinstance(asked, str):
            plugin, colon, skill = asked.lstrip("/").partition(":")
            yield from (asked, plugin, skill) if colon else (asked.lstrip("/"),)


def gateway_events(traffic: Traffic) -> Iterator[dict[str, Any]]:
    """Events of the gateway: faults planted, providers that failed, waits, and what ended the trial."""
    turn = 0
    for exchange in traffic.exchanges:
        turn += exchange.kind == "main" and exchange.answered
        told = _told(exchange)
        if told:
            yield {
                "kind": "gateway",
                "turn": turn or None,
                "ok": exchange.answered,
                "duration_s": exchange.latency_s,
                "text": "; ".join(told),
            }
    if traffic.ended_by is not None:
        yield {
            "kind": "limit" if traffic.ended_by.endswith("_limit") else "gateway",
            "turn": turn or None,
            "ok": False,
            "text": f"{traffic.error_class or traffic.ended_by}: {traffic.message or ''}",
        }


def _told(exchange: Exchange) -> list[str]:
    told = []
    if exchange.planted is not None:
        told.append(f"planted fault: {exchange.planted}")
    if exchange.retries:
        told.append(f"{exchange.retries} further tries")
    if exchange.rate_limited_s >= 0.5:
        told.append(f"waited {exchange.rate_limited_s:.1f} s for the provider's limits")
    if exchange.provider_error:
        told.append(f"the provider failed: {exchange.error or exchange.status}")
    return told
