"""The chart library as one script, made once per version and kept on disk."""

from __future__ import annotations

from importlib.metadata import version

import vl_convert

from agenteval.records import cached_text

_SNIPPET = "window.vegaEmbed = vegaEmbed;"


def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that is safe inside a `<script>` element.

    Making it takes seconds, so it is kept in the user's cache folder.
    """
    return cached_text(f"vega-embed-{version('vl-convert-python')}.js", _bundle)


def _bundle() -> str:
    bundle: str = vl_convert.javascript_bundle(_SNIPPET)
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")
