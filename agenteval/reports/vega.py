"""The chart library as one script, made once per version and kept on disk."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import vl_convert

from agenteval.records import replace_file

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that is safe inside a `<script>` element.

    Making it takes seconds, so it is kept in the user's cache folder; a cache that cannot be
    read or written only costs that time.
    """
    path = _cache_path()
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        bundle = (
            vl_convert.javascript_bundle(_SNIPPET)
            .replace("</script", "<\\/script")
            .replace("<!--", "<\\!--")
        )
    try:
        replace_file(path, bundle.encode())
    except OSError:
        return bundle
    return bundle


def _cache_path() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "agenteval" / f"vega-embed-{version('vl-convert-python')}.js"
