"""What a worker of a cluster does: the engine's own `run_trial`, in surroundings of its own."""

from __future__ import annotations

import atexit
import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agenteval.agents import make_arm
from agenteval.engine.base import Bases
from agenteval.engine.executors.parcel import Parcel, unpack
from agenteval.engine.model_access import ModelAccess, Models
from agenteval.engine.scratch import scratch_folder
from agenteval.engine.spec import TrialResult, TrialSpec
from agenteval.engine.surroundings import Surroundings
from agenteval.engine.trial import run_trial
from agenteval.errors import AgentEvalError, Infrastructure, SandboxError
from agenteval.sandbox import choose_sandbox
from agenteval.suite import LoadedTask


@dataclass(frozen=True)
class Conditions:
    """What all trials of one engine have in common, wherever they run.

    Attributes
    ----------
    engine
        Id of the engine.
    sandbox
        Mode of the isolation, as `choose_sandbox` takes it.
    hidden
        Folders that no command may see, if the worker has them.
    passed
        Variables of the operator's that agents get.
    models
        How agents reach their models.
    """

    engine: str
    sandbox: str
    hidden: tuple[Path, ...] = ()
    passed: Mapping[str, str] = field(default_factory=dict)
    models: ModelAccess = ModelAccess()

    @property
    def stop(self) -> str:
        """Name of the cluster-wide event that cancels what runs."""
        return f"agenteval-{self.engine}-stop"

    def begun(self, spec: TrialSpec) -> str:
        """Name of the cluster-wide event that says that an attempt has begun."""
        return f"agenteval-{self.engine}-{spec.trial_id}-{spec.attempt}"


class _Worker:
    """The surroundings of one engine's trials in this process."""

    def __init__(self, conditions: Conditions, stop: Any) -> None:
        self._stack = ExitStack()
        self.scratch = self._stack.enter_context(scratch_folder())
        access = conditions.models
        gateway = self._stack.enter_context(access.gateway(self.scratch))
        self.around = Surroundings(
            choose_sandbox(conditions.sandbox),
            Bases(self.scratch / "bases"),
            self.scratch,
            hidden=conditions.hidden,
            cancel=threading.Event(),
            passed=conditions.passed,
            models=Models(gateway, access),
        )
        self._tasks: dict[str, LoadedTask] = {}
        self._lock = threading.Lock()
        self._running = 0
        self._idle = threading.Condition()
        threading.Thread(target=self._listen, args=(conditions, stop), daemon=True).start()
        atexit.register(self._stack.close)

    def _listen(self, conditions: Conditions, stop: Any) -> None:
        """Wait for the word to stop, then clear up; a scheduler that is gone says it too."""
        with contextlib.suppress(OSError, CancelledError):
            stop.wait()
        if self.around.cancel is not None:
            self.around.cancel.set()
        with self._idle:
            self._idle.wait_for(lambda: self._running == 0)
        with _lock:
            _workers.pop(conditions.engine, None)
        self._stack.close()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        with self._idle:
            self._running += 1
        try:
            yield
        finally:
            with self._idle:
                self._running -= 1
                self._idle.notify_all()

    def task(self, parcel: Parcel) -> LoadedTask:
        key = f"{parcel.task.task.id}-{parcel.task.digest}"
        with self._lock:
            if key not in self._tasks:
                self._tasks[key] = unpack(parcel, self.scratch / "tasks" / key)
            return self._tasks[key]


_workers: dict[str, _Worker] = {}
_lock = threading.Lock()


def run_remotely(
    spec: TrialSpec, parcel: Parcel, conditions: Conditions, event: Callable[[str], Any]
) -> TrialResult:
    """Run one attempt here, once: a cluster that gives it out again after a loss is told so.

    Parameters
    ----------
    spec
        The attempt; its task comes from the parcel.
    event
        Gives the cluster-wide event of a name.

    Raises
    ------
    Infrastructure
        Class `worker_lost` when it had begun elsewhere: that worker is gone, and the agent may
        have run, so only a new attempt may follow.
    """
    begun = event(conditions.begun(spec))
    if begun.is_set():
        raise lost_worker(spec)
    begun.set()
    with _lock:
        worker = _workers.get(conditions.engine)
        if worker is None:
            worker = _workers[conditions.engine] = _begun(conditions, event(conditions.stop))
    with worker.running():
        _same_agent(spec)
        return run_trial(replace(spec, task=worker.task(parcel)), worker.around)


def _begun(conditions: Conditions, stop: Any) -> _Worker:
    try:
        return _Worker(conditions, stop)
    except SandboxError as error:
        raise Infrastructure(
            f"A worker has no isolation: {error.what}", "dask worker", error.fix, "sandbox_failed"
        ) from error


def lost_worker(spec: TrialSpec) -> Infrastructure:
    """The error of an attempt whose worker is gone."""
    return Infrastructure(
        "The worker that ran this attempt was lost",
        f"trial {spec.trial_id}, attempt {spec.attempt}",
        "see the worker's log; it is tried again by itself",
        "worker_lost",
    )


def _same_agent(spec: TrialSpec) -> None:
    """An agent that is another program here would be measured under a name that is not its own."""
    arm = spec.arm
    try:
        here = make_arm(
            arm.agent_spec,
            model=arm.model,
            files=tuple(Path(path) for path in arm.files),
            variant=arm.variant,
            overlay=arm.overlay,
        )
        told = "is another program or another version on this worker"
    except AgentEvalError as error:
        here, told = None, f"cannot be had on this worker: {error.what}"
    if here is None or here.digest != arm.digest:
        raise Infrastructure(
            f"The agent {arm.full_label} {told}",
            f"trial {spec.trial_id}",
            "install the same program on all workers; local files of a command must lie at the same path, so name them by absolute path in a folder that all share",
            "sandbox_failed",
        )
