"""The command line: parse, one call, print."""

from agenteval.cli.app import main

__all__ = ["main"]
