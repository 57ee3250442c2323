"""Pictures of a report's charts, drawn by the process that renders it.

A drawing engine takes half a second to start. In here it starts once, while a kernel is at work,
and serves every report; in the kernels each would start its own.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Thread
from typing import Any

from nbformat import NotebookNode

from agenteval.charts.render import MIME, describe, to_png
from agenteval.errors import ReportError

_SMALLEST = {"data": {"values": [{}]}, "mark": "point"}


@contextmanager
def engine_starting() -> Iterator[None]:
    """Start the drawing engine beside what is done here."""
    thread = Thread(target=_start, name="drawing engine")
    thread.start()
    try:
        yield
    finally:
        thread.join()


def add_pictures(notebook: NotebookNode) -> None:
    """Give each chart that has none its picture.

    Parameters
    ----------
    notebook
        An executed notebook; changed in place.

    Raises
    ------
    ReportError
        When a chart cannot be drawn; shows the cell.
    """
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data: dict[str, Any] = output.get("data", {})
            if MIME not in data or "image/png" in data:
                continue
            try:
                image = to_png(data[MIME])
            except ValueError as error:
                raise ReportError(
                    f"A chart of the report cannot be drawn: {error}".rstrip("."),
                    f"cell\n    {cell.source.strip()}",
                    "open {kept} to see the chart's specification",
                ) from error
            data["image/png"] = base64.b64encode(image).decode()
            output.metadata["image/png"] = {"alt": describe(data[MIME])}


@cache
def _start() -> None:
    to_png(_SMALLEST)
