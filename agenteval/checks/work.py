"""What an agent's work is to a check: the frozen change, what it was handed, what was metered."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ChangedFile:
    """One file of a frozen change.

    Attributes
    ----------
    path
        Relative to the workspace.
    before, after
        Hashes of its contents; None where it was not, or is no longer, there. Equal when only its
        mode changed.
    added, removed
        Lines of a text file that the change adds and removes, in order.
    retyped
        Whether a file became a link, or the reverse.
    link
        Whether it is a link after the change.
    cut
        Whether the change has more lines than were read.
    """

    path: str
    before: str | None
    after: str | None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    retyped: bool = False
    link: bool = False
    cut: bool = False

    @property
    def touched(self) -> bool:
        """Whether its bytes differ, by hash."""
        return self.retyped or self.before != self.after


@dataclass(frozen=True)
class Changes:
    """A frozen change, as checks see it.

    Attributes
    ----------
    files
        By path.
    patch
        The whole change as a git patch.
    left_out
        Paths that a patch cannot hold: FIFOs, devices, nested repositories.
    traces
        Those of the paths that the task's checks ask for which lay in the workspace after the
        agent was dead, ignored ones included.
    """

    files: tuple[ChangedFile, ...] = ()
    patch: bytes = b""
    left_out: tuple[str, ...] = ()
    traces: frozenset[str] = frozenset()


@dataclass(frozen=True)
class ToolUse:
    """One tool call as it was metered: the tool's name, and its arguments as one text."""

    name: str
    arguments: str = ""


@dataclass(frozen=True)
class Metered:
    """What the engine's clock and the model gateway recorded; None where neither did.

    What an agent says of itself has no place here.

    Attributes
    ----------
    duration_s
        Seconds the agent ran, all turns together.
    turns, tool_calls, tokens
        Counts; `tokens` of all four kinds together.
    cost_usd
        Dollars.
    tools
        Its tool calls in order.
    used
        Names of the skills, plugins and MCP servers it used.
    """

    duration_s: float | None = None
    turns: int | None = None
    tool_calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    tools: tuple[ToolUse, ...] | None = None
    used: frozenset[str] | None = None


@dataclass(frozen=True)
class Work:
    """Everything beside the grading copy that a check may look at.

    Attributes
    ----------
    answer
        The final answer.
    changes
        The frozen change.
    handed
        Names of skills, plugins and MCP servers that the variant handed the agent; None for the
        control, which is handed none on purpose.
    metered
        Records that the agent did not write.
    """

    answer: str = ""
    changes: Changes = field(default_factory=Changes)
    handed: frozenset[str] | None = None
    metered: Metered = field(default_factory=Metered)
