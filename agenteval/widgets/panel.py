"""What every widget is: a box whose state is traitlets, and which shows the errors of its callbacks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import ipywidgets as W  # noqa: N812
import traitlets as T  # noqa: N812

from agenteval.errors import AgentEvalError

NOTICE = "border-left:4px solid #c2410c;padding:.4em .8em;white-space:pre-wrap"


class Panel(W.VBox):  # type: ignore[misc]
    """A box of controls with a place for errors.

    Attributes
    ----------
    error
        What the last action failed with; empty when it did not.
    """

    error = T.Unicode("")

    def __init__(self, children: Sequence[W.Widget]) -> None:
        self._notice = W.HTML()
        self._notice.add_class("ae-error")
        super().__init__([self._notice, *children])
        self.observe(self._show_error, names="error")
        self._show_error(None)

    def guarded(self, action: Callable[[], None]) -> Callable[..., None]:
        """Make a callback of an action: what it fails with is shown, and cleared when it succeeds.

        A callback's exception is otherwise only in the browser's log.
        """

        def callback(*change: Any) -> None:
            del change
            self.attempt(action)

        return callback

    def attempt(self, action: Callable[[], None]) -> bool:
        """Do something, show what it fails with, and say whether it succeeded."""
        try:
            action()
        except AgentEvalError as error:
            self.error = str(error)
        except Exception as error:  # noqa: BLE001 - shown to the person who clicked
            self.error = f"{type(error).__name__}: {error}"
        else:
            self.error = ""
            return True
        return False

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        from agenteval.widgets.still import NOTE, still

        bundle: dict[str, Any] = super()._repr_mimebundle_(**options)
        return {**bundle, "text/html": f"<div>{still(self)}{NOTE}</div>"}

    def _show_error(self, change: Any) -> None:
        del change
        self._notice.value = (
            f'<div role="alert" style="{NOTICE}">{escape(self.error)}</div>' if self.error else ""
        )
        self._notice.layout.display = None if self.error else "none"


def described(widget: W.Widget, width: str = "auto") -> W.Widget:
    """Let a control's description take the room it needs."""
    widget.style.description_width = "initial"
    widget.layout.width = width
    return widget
