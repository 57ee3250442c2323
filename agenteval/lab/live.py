"""A run in the background, to watch, to wait for and to stop."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from agenteval.engine import Plan, Progress, RunResult, Settings, is_being_written, run_plan
from agenteval.errors import InvalidInput
from agenteval.records import RunFolder, StoreFolder
from agenteval.store import open_store, seal

if TYPE_CHECKING:
    from agenteval.widgets import Watch

_LOCKS = Path("/proc/locks")


class LiveRun:
    """A run that this process carries out in a thread.

    Parameters
    ----------
    plan, settings
        As for `agenteval.engine.run_plan`.

    Attributes
    ----------
    run_id
        Its id.
    notes
        What the engine said so far.
    """

    def __init__(self, plan: Plan, settings: Settings) -> None:
        self.run_id, self.notes = plan.run_id, list[str]()
        self.store = settings.store
        self._plan, self._settings = plan, settings
        self._done, self._stops = threading.Event(), list[Callable[[], None]]()
        self._lock, self._asked = threading.RLock(), False
        self._watches = list[Any]()
        self._shown: Watch | None = None
        self._result: RunResult | None = None
        self._failed: BaseException | None = None
        threading.Thread(target=self._carry_out, name=f"run {self.run_id}").start()

    @property
    def is_running(self) -> bool:
        """Whether it is still going on."""
        return not self._done.is_set()

    @property
    def trials(self) -> pd.DataFrame:
        """Its trials so far, as `store.trials` gives them."""
        return open_store(self.store).trials(run=self.run_id)

    def wait(self, timeout_s: float | None = None) -> RunResult:
        """Wait for the end and return what it did.

        Parameters
        ----------
        timeout_s
            Seconds to wait at most; without end when None.

        Raises
        ------
        InvalidInput
            When it is not done by then.
        AgentEvalError
            What ended the run, if it could not be carried out.
        """
        if not self._done.wait(timeout_s):
            what = f"Run {self.run_id} is not done after {timeout_s:g} s"
            raise InvalidInput(what, "timeout_s", "wait longer, or stop it with .stop()")
        if self._failed is not None:
            raise self._failed
        assert self._result is not None
        return self._result

    def stop(self) -> None:
        """Start no more trials; those that run may finish for some seconds. The same plan resumes it."""
        with self._lock:
            self._asked = True
            for stop in self._stops:
                stop()

    def watch(self, *, interval_s: float = 1.0) -> Watch:
        """Show its progress in a notebook, with a button that stops it."""
        from agenteval.widgets import watch as show

        found = show(
            self.run_id,
            self.store,
            written=lambda: self.is_running,
            stop=self.stop,
            interval_s=interval_s,
        )
        self._watches.append(found)
        return found

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """Show its progress where the run is the last line of a cell."""
        if self._shown is None:
            self._shown = self.watch()
        bundle: dict[str, Any] = self._shown._repr_mimebundle_(**options)
        return bundle

    def __repr__(self) -> str:
        state = "running" if self.is_running else "failed" if self._failed else "done"
        return f"<LiveRun {self.run_id}: {self._plan.size} trials planned, {state}>"

    def _carry_out(self) -> None:
        progress = Progress(note=self.notes.append, stoppable=self._take_stop)
        try:
            self._result = run_plan(self._plan, self._settings, progress)
            seal(self.store, [self.run_id])
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            self._failed = error
        finally:
            self._done.set()
            for found in self._watches:
                found.wake()

    def _take_stop(self, stop: Callable[[], None]) -> None:
        with self._lock:
            self._stops.append(stop)
            if self._asked:
                stop()


def watch(run_id: str | None = None, store: str | Path | None = None) -> Watch:
    """Watch a run of this or another process from a notebook.

    It is read from its journal. The button sends the process that writes it what Ctrl-C sends.

    Parameters
    ----------
    run_id
        The run; the newest when None.
    store
        Path of the store; the nearest one when None.

    Raises
    ------
    StoreError
        When there is no such run.
    """
    from agenteval.widgets import watch as show

    opened = open_store(store)
    name = run_id or opened.newest_run()
    folder = RunFolder(opened.run_folder(name))
    return show(
        name,
        opened.path,
        written=lambda: is_being_written(folder),
        stop=lambda: _interrupt(folder),
    )


def start(plan: Plan, settings: Settings) -> LiveRun:
    """Carry a plan out in the background.

    Raises
    ------
    RunLocked
        When another process writes this run.
    """
    folder = StoreFolder(settings.store).run(plan.run_id)
    if is_being_written(folder):
        from agenteval.errors import RunLocked

        what = f"Run {plan.run_id} is being written by another process"
        raise RunLocked(what, str(folder.path), "watch it with agenteval.lab.watch(run_id)")
    return LiveRun(plan, replace(settings, store=settings.store.resolve()))


def _interrupt(folder: RunFolder) -> None:
    """Send SIGINT to the process that holds a run's journal."""
    about = folder.journal.stat()
    wanted = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    for line in _LOCKS.read_text().splitlines() if _LOCKS.exists() else ():
        words = line.split()
        if words[1:2] == ["FLOCK"] and wanted in words and words[4].isdigit():
            if int(words[4]) == os.getpid():
                break
            os.kill(int(words[4]), signal.SIGINT)
            return
    raise InvalidInput(
        "The process that writes this run cannot be found from here",
        f"run {folder.path.name}",
        "press Ctrl-C where it was started, or use .stop() of the run that ae.run gave",
    )
