"""The checks on how the agent worked, by metered records; and `loads`, by what it was handed.

A record that is missing is no verdict, never a pass.
"""

from __future__ import annotations

from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.work import ToolUse
from agenteval.records import (
    LoadsCheck,
    MaxCostCheck,
    MaxDurationCheck,
    MaxTokensCheck,
    MaxToolCallsCheck,
    MaxTurnsCheck,
    ToolNotUsedCheck,
    ToolUsedCheck,
    UsedCheck,
)

Maximum = MaxTurnsCheck | MaxToolCallsCheck | MaxCostCheck | MaxDurationCheck | MaxTokensCheck


def check_maximum(check: Maximum, grading: Grading) -> Verdict:
    """Compare a metered count with its bound."""
    value: float | None = getattr(grading.work.metered, check.needs)
    if value is None:
        return _missing(check.needs)
    return Verdict(
        passed=value <= check.max, detail=f"{check.needs} {value:g}, at most {check.max:g}"
    )


def check_tool_used(check: ToolUsedCheck, grading: Grading) -> Verdict:
    """Count the calls of a tool."""
    tools = grading.work.metered.tools
    if tools is None:
        return _missing(check.needs)
    times = _times(check.tool, tools)
    return Verdict(
        passed=times >= check.min_times,
        detail=f"{check.tool} was called {times} times, at least {check.min_times} asked for",
    )


def check_tool_not_used(check: ToolNotUsedCheck, grading: Grading) -> Verdict:
    """See that a tool was never called."""
    tools = grading.work.metered.tools
    if tools is None:
        return _missing(check.needs)
    times = _times(check.tool, tools)
    return Verdict(passed=times == 0, detail=f"{check.tool} was called {times} times")


def check_used(check: UsedCheck, grading: Grading) -> Verdict:
    """See that each of the names was used."""
    used = grading.work.metered.used
    if used is None:
        return _missing(check.needs)
    missing = [name for name in check.names if name not in used]
    told = f"not used: {', '.join(missing)}" if missing else "all were used"
    return Verdict(passed=not missing, detail=told)


def check_loads(check: LoadsCheck, grading: Grading) -> Verdict:
    """See that the names are among what the variant handed over; the control is exempt."""
    handed = grading.work.handed
    if handed is None:
        return Verdict(passed=True, detail="exempt: this arm is handed none on purpose")
    missing = [name for name in check.names if name not in handed]
    told = f"not handed over: {', '.join(missing)}" if missing else "all were handed over"
    return Verdict(passed=not missing, detail=told)


def _times(tool: str, tools: tuple[ToolUse, ...]) -> int:
    """Calls whose name is the tool's, or whose name and arguments begin like it; in any case."""
    wanted = tool.casefold()
    calls = (f"{use.name} {use.arguments}".strip().casefold() for use in tools)
    return sum(call == wanted or call.startswith(f"{wanted} ") for call in calls)


def _missing(record: str) -> Verdict:
    return Verdict(
        passed=None,
        detail=f"{record} was not metered, and what the agent says of itself decides nothing",
        error_class="check_no_verdict",
    )
