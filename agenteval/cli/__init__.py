"""The command line: parse, one call, print."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; Ctrl-C ends it with 130, also while it is still being loaded."""
    try:
        from agenteval.cli.app import run_command

        run_command(arguments)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
