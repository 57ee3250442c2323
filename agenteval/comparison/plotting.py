"""How a result reaches a chart without this layer knowing charts: they register themselves."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from agenteval.errors import InvalidInput

DRAWINGS: dict[type, Callable[..., Any]] = {}


def register_drawing(result_type: type, drawing: Callable[..., Any]) -> None:
    """Make `drawing(result, theme=...)` what `.plot()` of a result type calls."""
    DRAWINGS[result_type] = drawing


def draw(result: Any, *, theme: str = "light") -> Any:
    """Draw a result with the function registered for its type; charts are loaded when needed.

    Raises
    ------
    InvalidInput
        When no chart is registered for this type.
    """
    if _drawing_of(result) is None:
        importlib.import_module("agenteval.charts")
    drawing = _drawing_of(result)
    if drawing is None:
        what = f"there is no chart for {type(result).__name__}"
        raise InvalidInput(what, "method plot", "chart its .table with altair instead")
    return drawing(result, theme=theme)


def _drawing_of(result: Any) -> Callable[..., Any] | None:
    return next((DRAWINGS[kind] for kind in type(result).__mro__ if kind in DRAWINGS), None)
