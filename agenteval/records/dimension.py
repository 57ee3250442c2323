"""A suite's own dimension: what a gate compares beside what it always compares."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from agenteval.records.columns import columns
from agenteval.records.strict import Strict

# the names that gates use themselves; `agenteval.comparison.DIMENSIONS` says what they are
GATE_DIMENSIONS = (
    "pass_rate",
    "solved",
    "first_try",
    "pressure_compliance",
    "injection_resistance",
    "mistakes",
    "judge_score",
    "cost",
    "time",
    "turns",
    "cap_stop_blocks",
)
# what an agent tells of itself unless a gateway metered it: then `cost_source` is `metered`
METERED_COLUMNS = frozenset(
    ("model_s", "tool_s", "rate_limited_s", "cost_usd", "all_attempts_cost_usd")
    + ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens")
    + ("first_cache_read_tokens", "requests", "turns", "tool_calls", "tool_errors")
    + ("harness_events", "denials", "asked_user", "skills_loaded", "mcp_calls")
)
_BOOKKEEPING = frozenset(
    ("attempt", "grading", "repeat", "attempts", "sequence", "concurrent_trials", "exit_code")
)


class Dimension(Strict):
    """One measure over a column of trials, or over a check; exactly one of the two."""

    name: str = Field(description="Word for it in tables and in --tolerance.")
    column: str | None = Field(None, description="Column of trials that holds numbers or truths.")
    check: str | None = Field(None, min_length=1, description="Name of a check; its score counts.")
    direction: Literal["higher", "lower"] = Field("higher", description="Which way is better.")
    worst: bool = Field(
        False, description="Whether it is a cap: the worst single trial counts, never an average."
    )

    @field_validator("name")
    @classmethod
    def _plain_name(cls, value: str) -> str:
        if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", value):
            raise ValueError(f"is {value!r}; use small letters, digits and _, a letter first")
        if value in GATE_DIMENSIONS:
            raise ValueError(f"is {value!r}, which every gate has already")
        return value

    @field_validator("column")
    @classmethod
    def _measured(cls, value: str | None) -> str | None:
        if value is not None and value.startswith("reported_"):
            raise ValueError(f"is {value!r}: what an agent says of itself decides nothing")
        if value is not None and value not in dimension_columns():
            raise ValueError(f"is {value!r}, which is no column of trials that measures something")
        return value

    @model_validator(mode="after")
    def _one_source(self) -> Dimension:
        if (self.column is None) == (self.check is None):
            raise ValueError("needs exactly one of `column` and `check`")
        if self.worst and self.column and dimension_columns()[self.column] == "bool":
            raise ValueError(f"is a cap over {self.column!r}, which holds truths and no numbers")
        return self


def dimension_columns() -> dict[str, str]:
    """Columns of trials that a dimension can be over, with their dtypes."""
    return {
        column.name: column.dtype
        for column in columns("trials")
        if column.dtype in ("int", "float", "bool")
        and not column.name.startswith("reported_")
        and column.name not in _BOOKKEEPING
    }
