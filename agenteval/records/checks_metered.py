"""Checks on how the agent worked, read off metered records only; and on what it was handed.

What an agent says of itself is no metered record, so an arm that nobody meters cannot be given
such a check: it is refused when the run is planned.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, field_validator

from agenteval.records.check_spec import CheckSpec


class MeteredCheck(CheckSpec):
    """What the checks on metered records share: the record they need."""

    sources: ClassVar[frozenset[str]] = frozenset({"metered"})
    needs: ClassVar[str] = ""


class ToolUsedCheck(MeteredCheck):
    """Passes when the agent called a tool."""

    kind: Literal["tool-used"] = "tool-used"
    needs: ClassVar[str] = "tools"

    tool: str = Field(
        min_length=1,
        description="Name of the tool, or its name and the beginning of its arguments, in any case.",
    )
    min_times: int = Field(1, ge=1, description="Calls that it takes.")


class ToolNotUsedCheck(MeteredCheck):
    """Passes when the agent never called a tool."""

    kind: Literal["tool-not-used"] = "tool-not-used"
    needs: ClassVar[str] = "tools"

    tool: str = Field(
        min_length=1,
        description="Name of the tool, or its name and the beginning of its arguments, in any case.",
    )


class MaxTurnsCheck(MeteredCheck):
    """Passes when the agent took no more turns than this."""

    kind: Literal["max-turns"] = "max-turns"
    needs: ClassVar[str] = "turns"

    max: int = Field(ge=0, description="Turns of the main conversation.")


class MaxToolCallsCheck(MeteredCheck):
    """Passes when the agent made no more tool calls than this."""

    kind: Literal["max-tool-calls"] = "max-tool-calls"
    needs: ClassVar[str] = "tool_calls"

    max: int = Field(ge=0, description="Tool calls.")


class MaxCostCheck(MeteredCheck):
    """Passes when the agent's model use cost no more than this."""

    kind: Literal["max-cost-usd"] = "max-cost-usd"
    needs: ClassVar[str] = "cost_usd"

    max: float = Field(ge=0, description="US dollars of metered model use.")


class MaxDurationCheck(MeteredCheck):
    """Passes when the agent took no longer than this, by the engine's clock."""

    kind: Literal["max-duration-s"] = "max-duration-s"
    needs: ClassVar[str] = "duration_s"

    max: float = Field(gt=0, description="Seconds, all turns together.")


class MaxTokensCheck(MeteredCheck):
    """Passes when the agent used no more tokens than this."""

    kind: Literal["max-tokens"] = "max-tokens"
    needs: ClassVar[str] = "tokens"

    max: int = Field(ge=0, description="Tokens of all four kinds together.")


class LoadsCheck(CheckSpec):
    """Holds when the variant hands the agent these skills, plugins or MCP servers; looked at before it runs.

    An arm that is handed none at all is the control, and exempt.
    """

    kind: Literal["loads"] = "loads"
    sources: ClassVar[frozenset[str]] = frozenset({"handed"})

    names: list[str] = Field(min_length=1, description="Names of skills, plugins or MCP servers.")

    @field_validator("names")
    @classmethod
    def _no_blank(cls, value: list[str]) -> list[str]:
        return _named(value)


class UsedCheck(MeteredCheck):
    """Passes when the agent really used these skills, plugins or MCP servers: handed over is not used."""

    kind: Literal["used"] = "used"
    needs: ClassVar[str] = "used"

    names: list[str] = Field(min_length=1, description="Names of skills, plugins or MCP servers.")

    @field_validator("names")
    @classmethod
    def _no_blank(cls, value: list[str]) -> list[str]:
        return _named(value)


def _named(names: list[str]) -> list[str]:
    if not all(name.strip() for name in names):
        raise ValueError("holds an empty name, which nothing has")
    return names
