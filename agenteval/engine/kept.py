"""What an attempt left behind, read again without trusting it."""

from __future__ import annotations

import json
from pathlib import Path

from agenteval.records import ANSWER, EVENTS, MASKED, PATCH
from agenteval.sandbox import read_regular

LARGEST_ARTIFACT = 1 << 30


def patch_then(artifacts: Path) -> bytes:
    """The frozen change.

    Raises
    ------
    OSError
        When it cannot be read.
    """
    return read_regular(artifacts / PATCH, LARGEST_ARTIFACT)


def answer_then(artifacts: Path) -> str:
    """The agent's answer; empty where it has none."""
    try:
        return read_regular(artifacts / ANSWER, LARGEST_ARTIFACT).decode("utf-8", "replace")
    except OSError:
        return ""


def masked_files(artifacts: Path) -> set[str]:
    """Names of the artifacts that held a secret, which was masked in them."""
    try:
        return set(json.loads(read_regular(artifacts / MASKED, LARGEST_ARTIFACT)))
    except OSError:
        return set()


def tools_then(artifacts: Path) -> tuple[str, ...]:
    """Names of the tools that the agent called, from the events that were kept."""
    try:
        lines = read_regular(artifacts / EVENTS, LARGEST_ARTIFACT).splitlines()
        events = [json.loads(line) for line in lines]
    except (OSError, ValueError):
        return ()
    called = (e for e in events if isinstance(e, dict) and e.get("kind") == "tool_call")
    return tuple(str(event["tool"]) for event in called if event.get("tool"))
