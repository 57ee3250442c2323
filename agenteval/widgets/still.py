"""A widget as it stands, for viewers that run no kernel: GitHub, a report, a mail."""

from __future__ import annotations

import base64
from html import escape
from typing import Any

import altair as alt
import ipywidgets as W  # noqa: N812

from agenteval.charts.render import describe, to_png
from agenteval.widgets.trial_list import TrialList

MOST_ROWS = 10
NOTE = "<p><small>As it stood when this was saved; run the cell to click.</small></p>"


def still(widget: W.Widget) -> str:
    """Return what a widget shows as HTML without scripts; controls are left out.

    Parameters
    ----------
    widget
        A widget of this package, or a part of one.
    """
    layout = getattr(widget, "layout", None)
    if layout is not None and layout.display == "none":
        return ""
    if isinstance(widget, W.HTML):
        return str(widget.value)
    if isinstance(widget, alt.JupyterChart):
        return _picture(widget.spec) if widget.spec else ""
    if isinstance(widget, TrialList):
        return _table(widget)
    if isinstance(widget, W.Box):
        return "".join(still(child) for child in widget.children)
    return ""


def _picture(spec: dict[str, Any]) -> str:
    image = base64.b64encode(to_png(spec)).decode()
    alt_text = escape(describe(spec), quote=True)
    return f'<img alt="{alt_text}" style="max-width:100%" src="data:image/png;base64,{image}">'


def _table(widget: TrialList) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in widget.heads)
    lines = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in widget.rows[:MOST_ROWS])
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    hidden = len(widget.rows) - MOST_ROWS
    more = f"<p>and {hidden} more rows</p>" if hidden > 0 else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"
