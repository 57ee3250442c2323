"""A run to watch while it goes on, in this process or another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from html import escape
from pathlib import Path

import ipywidgets as W  # noqa: N812
import traitlets as T  # noqa: N812

from agenteval.comparison.wording import dollars, known
from agenteval.errors import StoreError
from agenteval.store import open_store
from agenteval.widgets.panel import Panel
from agenteval.widgets.run_state import RunState, as_clock, look_at

_CELL = "text-align:left;line-height:1.45;vertical-align:top;padding:2px 14px 2px 0"


class Watch(Panel):
    """Live progress of a run.

    Attributes
    ----------
    phase
        `waiting` until the run is on disk; `running`, `stopping`, `complete` or `stopped`.
    planned, done
        Trials in all, and those that are settled.
    spent_usd, eta_s
        Cost so far, and seconds left; None when unknown.
    """

    phase = T.Enum(("waiting", "running", "stopping", "complete", "stopped"), "waiting")
    planned = T.Int(0)
    done = T.Int(0)
    spent_usd = T.Float(None, allow_none=True)
    eta_s = T.Float(None, allow_none=True)

    def __init__(
        self,
        store: Path,
        run_id: str,
        *,
        written: Callable[[], bool],
        stop: Callable[[], None] | None,
    ) -> None:
        self.store_path, self.run_id = store, run_id
        self.state: RunState | None = None
        self._written, self._stop, self._asked = written, stop, False
        self._ended, self._woken = threading.Event(), threading.Event()
        self.bar = W.IntProgress(min=0, max=1, layout=W.Layout(width="24em"))
        self.button = W.Button(description="Stop", icon="stop", disabled=stop is None)
        self.button.tooltip = (
            "Start no more trials; those that run get some seconds to finish"
            if stop is not None
            else "Whoever started this run can stop it"
        )
        self.line, self.body = W.HTML(), W.HTML()
        self.line.add_class("ae-progress")
        super().__init__([W.HBox([self.bar, self.button]), self.line, self.body])
        self.button.on_click(self.guarded(self._ask_to_stop))

    def look(self) -> None:
        """Look at the run once, and show what is there."""
        self.attempt(self._look)

    def follow(self, interval_s: float = 1.0) -> None:
        """Look again and again, in a thread of its own, until nobody writes the run any more."""
        threading.Thread(target=self._follow, args=(interval_s,), daemon=True).start()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until the run is no longer followed; says whether it is not."""
        return self._ended.wait(timeout_s)

    def wake(self) -> None:
        """Look now, instead of when it is time again."""
        self._woken.set()

    def close(self) -> None:
        """Stop looking; the run goes on."""
        self._ended.set()
        self._woken.set()
        super().close()

    def _follow(self, interval_s: float) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            self._woken.clear()
            self.look()
            if self.phase in ("complete", "stopped"):
                break
            # a long run is read less often: looking must not slow it down
            self._woken.wait(max(interval_s, 4 * (time.monotonic() - began)))
        self._ended.set()

    def _look(self) -> None:
        written = self._written()
        try:
            self.state = state = look_at(open_store(self.store_path), self.run_id, written=written)
        except StoreError:
            if written or self.phase == "waiting":
                self.line.value = "<p>Waiting for the run to be planned.</p>"
                return
            raise
        stopping = self._asked and state.phase == "running"
        with self.hold_trait_notifications():
            self.phase = "stopping" if stopping else state.phase
            self.planned, self.done = state.planned, state.done
            self.spent_usd, self.eta_s = state.spent_usd, state.eta_s
        self.bar.max, self.bar.value = max(1, state.planned), state.done
        self.button.disabled = self._stop is None or self.phase != "running"
        self.line.value = f"<p>{escape(self._told(state))}</p>"
        board = "" if state.board is None else state.board._repr_html_()
        self.body.value = board + _errors(state)

    def _told(self, state: RunState) -> str:
        parts = [f"Run {state.run_id} is {self.phase}: {state.done} of {state.planned} trials"]
        parts += [f"{n} {name}" for name, n in sorted(state.outcomes.items())]
        if state.phase == "running" and state.concurrency:
            running = min(state.concurrency, state.planned - state.done)
            parts.append(f"up to {running} running")
        if state.spent_usd is not None or state.budget_usd is not None:
            of = f" of {dollars(state.budget_usd)}" if state.budget_usd is not None else ""
            parts.append(f"{dollars(state.spent_usd)}{of} spent")
        if state.eta_s is not None:
            parts.append(f"about {as_clock(state.eta_s)} left")
        return ", ".join(parts)

    def _ask_to_stop(self) -> None:
        if self._stop is None:
            return
        self._stop()
        self._asked = True
        self.button.disabled = True
        if self.phase == "running":
            self.phase = "stopping"
            if self.state is not None:
                self.line.value = f"<p>{escape(self._told(self.state))}</p>"


def watch(
    run_id: str,
    store: str | Path | None = None,
    *,
    written: Callable[[], bool],
    stop: Callable[[], None] | None = None,
    interval_s: float = 1.0,
) -> Watch:
    """Watch a run: done, pass rates with intervals, spend against budget, time left, last errors.

    `agenteval.lab.watch` fills in `written` and `stop`.

    Parameters
    ----------
    run_id
        The run; it need not be there yet.
    store
        Path of its store; the nearest one when None.
    written
        Says whether a process writes the run now.
    stop
        Stops the run; without it the button is off.
    interval_s
        Seconds between two looks, at least.

    Returns
    -------
    Watch
        A widget that follows the run until nobody writes it any more.
    """
    path = Path(store) if store is not None else open_store().path
    found = Watch(path, run_id, written=written, stop=stop)
    found.look()
    found.follow(interval_s)
    return found


def _errors(state: RunState) -> str:
    if state.errors.empty:
        return ""
    lines = "".join(
        "<tr>"
        + "".join(
            f"<td style='{_CELL}'>{escape(str(value) if known(value) else '')}</td>"
            for value in row.values()
        )
        + "</tr>"
        for row in state.errors.to_dict("records")
    )
    return f"<p style='margin:.8em 0 0'><b>Last errors</b></p><table>{lines}</table>"
