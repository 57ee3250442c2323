"""Whose request it is: the main conversation's, a sub-agent's, or one beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from agenteval.gateway.traffic import Exchange, Kind
from agenteval.gateway.wire.protocol import Asked

# tools by which agents hand work to another agent
DELEGATES = re.compile(r"task|agent|delegate", re.IGNORECASE)


class Conversation:
    """The main conversation, as far as it has come.

    A request that offers no tools is beside the conversations (a title, a summary), unless the
    agent never offers any: then every request is a turn. Of those that offer tools the first one
    opens the main conversation, and an opening that is new afterwards is a sub-agent's. But an
    agent that shortens its history has a new opening too: one with the main conversation's own
    tools, while nothing was handed to another agent, carries the main conversation on.
    """

    def __init__(self) -> None:
        self._openings: set[str] = set()
        self._subs: set[str] = set()
        self._tools: frozenset[str] = frozenset()
        self._delegated = False
        self._expected = True

    @property
    def offers_tools(self) -> bool:
        """Whether the agent has offered tools yet."""
        return bool(self._openings)

    def expect(self) -> None:
        """The next conversation that is opened is the main one too."""
        self._expected = True

    def kind(self, asked: Asked) -> Kind:
        """Kind of a request that comes in now."""
        if asked.kind == "count":
            return "count"
        if not asked.tools:
            return "side" if self.offers_tools else "main"
        if asked.opening in self._subs:
            return "sub"
        if asked.opening not in self._openings:
            if not self._carries_on(asked):
                self._subs.add(asked.opening)
                return "sub"
            self._openings.add(asked.opening)
            self._expected = False
        self._tools = frozenset(tool.name for tool in asked.tools)
        return "main"

    def answered(self, calls: Iterable[str]) -> None:
        """Take what the main conversation's answer calls."""
        self._delegated = any(DELEGATES.search(name) for name in calls)

    def _carries_on(self, asked: Asked) -> bool:
        if self._expected:
            return True
        same = frozenset(tool.name for tool in asked.tools) == self._tools
        return same and not self._delegated


def settle(exchanges: Iterable[Exchange], *, offers_tools: bool) -> Iterable[Exchange]:
    """Exchanges with their kinds as they are once it is known whether the agent offers tools."""
    for exchange in exchanges:
        early = exchange.kind == "main" and not exchange.offered and offers_tools
        yield replace(exchange, kind="side") if early else exchange
