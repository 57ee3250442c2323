"""Texts that take seconds to make, kept in the user's cache folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from agenteval.records.durable import replace_file


def cached_text(name: str, make: Callable[[], str]) -> str:
    """Return a text from the user's cache folder, or make it and keep it there.

    A cache that cannot be read or written only costs the time to make it.

    Parameters
    ----------
    name
        File name; everything the text depends on belongs into it.
    make
        Makes the text.
    """
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    path = Path(base).expanduser() / "agenteval" / name
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        text = make()
    try:
        replace_file(path, text.encode())
    except OSError:
        return text
    return text
