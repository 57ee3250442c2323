"""A chart that tells Python what is brushed in it, drawn without a network."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import altair as alt
from altair.jupyter.jupyter_chart import load_js_src

import agenteval.charts  # noqa: F401 - has to run before altair is imported
from agenteval.records import cached_text

BRUSH = "brush"


def live_chart(chart: Any) -> alt.JupyterChart:
    """Wrap a chart in a widget that needs no network.

    Putting its script together takes seconds, so it is kept in the user's cache folder.
    """
    if not alt.JupyterChart._is_offline:
        versions = f"{version('altair')}-{version('vl-convert-python')}"
        alt.JupyterChart._esm = cached_text(f"jupyter-chart-{versions}.js", _bundle)
        alt.JupyterChart._is_offline = True
    return alt.JupyterChart(chart, embed_options={"actions": False, "renderer": "svg"})


def _bundle() -> str:
    import vl_convert
    from altair.utils._importers import vl_version_for_vl_convert

    lines = load_js_src().split("\n")
    while lines and (not lines[0].strip() or lines[0].startswith(("import", "//"))):
        lines.pop(0)
    return vl_convert.javascript_bundle("\n".join(lines), vl_version=vl_version_for_vl_convert())
