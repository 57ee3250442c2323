"""The altair renderer `agenteval`: charts that show without a network, wherever a notebook goes.

One output holds three forms: `application/vnd.vegalite.v5+json`, which JupyterLab draws with the
Vega it ships (altair's own `mimetype` renderer emits a type that Lab does not know and nbformat
refuses); a PNG for viewers that run no JavaScript; and the chart's description as text.
"""

from __future__ import annotations

import base64
import os
from typing import Any

import altair as alt
import vl_convert

from agenteval.charts.png import packed

MIME = "application/vnd.vegalite.v5+json"
NAME = "agenteval"
VEGALITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
SCALE = 1.5
# set where another process draws the pictures afterwards, all with one engine
PICTURES_LATER = "AGENTEVAL_PICTURES_LATER"


def describe(spec: dict[str, Any]) -> str:
    """Return the text that stands for a chart: its description, else its title."""
    title = spec.get("title")
    if isinstance(title, dict):
        title = title.get("text")
    if isinstance(title, list):
        title = " ".join(title)
    return str(spec.get("description") or title or "Chart")


def to_png(spec: dict[str, Any], *, scale: float = SCALE) -> bytes:
    """Draw a Vega-Lite specification as PNG, without a browser or a network."""
    return packed(vl_convert.vegalite_to_png(spec, vl_version=VEGALITE, scale=scale))


def to_svg(spec: dict[str, Any]) -> str:
    """Draw a Vega-Lite specification as SVG, without a browser or a network."""
    return vl_convert.vegalite_to_svg(spec, vl_version=VEGALITE)


def renderer(spec: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the MIME bundle of a chart and its metadata."""
    text = describe(spec)
    options = {"actions": False, **spec.get("usermeta", {}).get("embedOptions", {})}
    spec = {**spec, "usermeta": {**spec.get("usermeta", {}), "embedOptions": options}}
    if os.environ.get(PICTURES_LATER):
        return {MIME: spec, "text/plain": text}, {}
    image = base64.b64encode(to_png(spec)).decode()
    return {MIME: spec, "image/png": image, "text/plain": text}, {"image/png": {"alt": text}}


def enable() -> None:
    """Make it altair's renderer; importing `agenteval.charts` does so.

    `alt.renderers.enable("default")` goes back to altair's own, which loads Vega from the network.
    """
    alt.renderers.register(NAME, renderer)
    alt.renderers.enable(NAME)
