"""Which sandbox each task gets: the run's, or a container of the task's own image. Decided here only."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from agenteval.errors import Infrastructure, InvalidInput, SandboxError
from agenteval.sandbox import (
    Container,
    Plain,
    Sandbox,
    build_image,
    containers_work,
    fetch_image,
    find_runtime,
    image_id,
    sweep_containers,
)
from agenteval.suite import LoadedTask

SHOWN = 5


class Images:
    """Images of the tasks of one engine: each is had once, whichever trial asks first.

    One that cannot be had is not tried again unless it is asked for: its trials fail alike,
    without paying for it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._ready: dict[str, Container] = {}
        self._failed: dict[str, Infrastructure] = {}

    def container(self, task: LoadedTask, cancel: threading.Event | None = None) -> Container:
        """Return the sandbox of a task that has an image; the image is built or fetched if need be.

        Raises
        ------
        Infrastructure
            When the image cannot be had.
        """
        key = _key(task)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key in self._failed:
                raise self._failed[key]
            if key not in self._ready:
                try:
                    self._ready[key] = _container(task, cancel)
                except Infrastructure as error:
                    if cancel is None or not cancel.is_set():
                        self._failed[key] = error
                    raise
            return self._ready[key]

    def forget_failure(self, task: LoadedTask) -> None:
        """Let an image that could not be had be tried again."""
        with self._lock:
            self._failed.pop(_key(task), None)


def _key(task: LoadedTask) -> str:
    return str(task.task.image or task.dockerfile)


def _container(task: LoadedTask, cancel: threading.Event | None) -> Container:
    try:
        runtime = find_runtime()
    except SandboxError as error:
        raise Infrastructure(error.what, f"task {task.task.id}", error.fix) from error
    if task.dockerfile is None:
        name = str(task.task.image)
        return Container(name, pinned=fetch_image(runtime, name, cancel))
    network = task.task.environment is not None and task.task.environment.network
    name = build_image(runtime, task.dockerfile.parent, network=network, cancel=cancel)
    return Container(name, pinned=image_id(runtime, name))


def sandbox_for(
    task: LoadedTask,
    sandbox: Sandbox,
    images: Images | None = None,
    cancel: threading.Event | None = None,
) -> Sandbox:
    """Return where setup, environment build, agent and checks of a task run.

    Parameters
    ----------
    sandbox
        The run's, for tasks without an image of their own.
    images
        Where images that were had already are known.

    Raises
    ------
    Infrastructure
        When the task's image cannot be had.
    """
    return (images or Images()).container(task, cancel) if task.has_image else sandbox


def sandbox_name(task: LoadedTask, sandbox: str) -> str:
    """Name of the sandbox that `sandbox_for` gives, from the name of the run's."""
    return Container.name if task.has_image else sandbox


def check_isolation(tasks: Iterable[LoadedTask], sandbox: Sandbox) -> None:
    """Refuse, before anything is spent, what the sandbox cannot carry out.

    A run in which some tasks could only fail would answer another question than was asked, so
    they must be left out by name. Containers that dead engines left behind are removed.

    Raises
    ------
    InvalidInput
        When only containers are allowed and a task has no image, or when a task has one and the
        operator asked for no isolation.
    SandboxError
        When a task has an image and containers do not work here.
    """
    active = [task for task in tasks if task.task.skip is None]
    own = [task for task in active if task.has_image]
    if isinstance(sandbox, Container) and sandbox.image is None and len(own) < len(active):
        raise InvalidInput(
            f"Without an image of its own, a task cannot run in a container: {_named(t for t in active if not t.has_image)}",
            "--sandbox container",
            "leave --sandbox out (tasks with an image run in containers anyway), give these an `image` or environment/Dockerfile, or select others with --tasks",
        )
    if not own:
        return
    if isinstance(sandbox, Plain) and sandbox.asked:
        raise InvalidInput(
            f"Tasks with an image of their own run in containers, which no isolation rules out: {_named(own)}",
            "--no-sandbox",
            "leave --no-sandbox (or --sandbox plain) out, or select other tasks with --tasks",
        )
    problem = containers_work()
    if problem is not None:
        raise SandboxError(
            f"Tasks have an image of their own, and containers do not work here: {problem}",
            f"task {_named(own)}",
            "install podman and runc (apt-get install --no-install-recommends podman runc), or select other tasks with --tasks",
        )
    sweep_containers(find_runtime())


def _named(tasks: Iterable[LoadedTask]) -> str:
    names = [task.task.id for task in tasks]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
