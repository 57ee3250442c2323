"""Isolation in a container, for tasks that need a toolchain of their own."""

from __future__ import annotations

import csv
import io
import itertools
import os
import re
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from agenteval.errors import Infrastructure, InvalidInput
from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.box import Box, View
from agenteval.sandbox.bwrap import INSIDE
from agenteval.sandbox.contained import INIT, Contained
from agenteval.sandbox.contained import INSIDE as TALK
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.observed import Observed
from agenteval.sandbox.owner import PREFIX, owner_id
from agenteval.sandbox.process import run_process
from agenteval.sandbox.runtime import CLIENT_ENV, LABEL, Runtime, client_env, find_runtime

# Variables that would change the client: they reach the container by another name. None is on a
# command line, which every user of the machine can read.
CLIENTS = "|".join(
    (*CLIENT_ENV, "LD_", "XDG_", "_?CONTAINER", "STORAGE_", "DOCKER", "BUILDAH", "GO")
)
CARRIED = "AGENTEVAL_CARRIED_"
# what of its arguments the shell does not find
LACKING = 'for name; do command -v "$name" >/dev/null 2>&1 || echo "$name"; done'
_numbers = itertools.count(1)


class Container:
    """Runs each command in a new container of one image, with the paths of the bubblewrap sandbox.

    The image needs /bin/sh, and the programs that a task requires. It is read-only, and nothing of
    the machine is seen in it but the box.

    Parameters
    ----------
    image
        Name of an image; fetched by the runtime if it is not on this machine. None where every
        task brings its own: then nothing can be run without one.
    pinned
        Id of that image, which is what runs, whatever the name comes to mean; None to go by name.
    cpus
        Processors' worth of time that one command gets; None for no limit.
    """

    name = "container"
    isolates = True

    def __init__(
        self, image: str | None, *, pinned: str | None = None, cpus: float | None = None
    ) -> None:
        self.image, self.pinned, self.cpus = image, pinned, cpus
        self._missing: dict[tuple[str, ...], list[str]] = {}

    @property
    def identity(self) -> str:
        """The name, and the image by its id where it is known."""
        return f"{self.name} {self.pinned or self.image}"

    @property
    def _source(self) -> str:
        """What containers are made of."""
        if self.image is None:
            raise InvalidInput(
                "A container needs an image",
                "--sandbox container",
                "name an `image` in task.toml, or add environment/Dockerfile to the task",
            )
        return self.pinned or self.image

    def missing(self, programs: Sequence[str]) -> list[str]:
        """Those of `programs` that the image lacks; asked once, in a container without a box.

        Raises
        ------
        SandboxError
            When containers do not work here.
        Infrastructure
            When the image cannot be asked.
        """
        key = tuple(programs)
        if key and key not in self._missing:
            runtime, name = find_runtime(), _new_name()
            options = ["run", "--name", name, "--label", f"{LABEL}={owner_id()}"]
            options += runtime.isolation(network=False)
            shell = ["--entrypoint", "/bin/sh", self._source, "-c", LACKING, "sh"]
            try:
                done = runtime.call(*options, *shell, *key)
            finally:
                runtime.remove(name)
            if done.exit_code != 0 or done.stopped_by:
                raise _not_reached(runtime, self._source, done)
            self._missing[key] = done.stdout.decode("utf-8", "replace").splitlines()
        return self._missing.get(key, [])

    def view(self, box: Box) -> View:
        """The same fixed paths as in bubblewrap; PATH is the image's own."""
        del box
        return View(INSIDE.workspace, INSIDE.home, INSIDE.tmp, INSIDE.inputs, own_path=True)

    def run(
        self,
        box: Box,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        bounds: Bounds | None = None,
        cancel: threading.Event | None = None,
        on_output: Callable[[str, bytes], None] | None = None,
    ) -> Finished:
        """Run `argv` in the workspace; nobody it started is left when this returns.

        Raises
        ------
        InvalidInput
            Without an image.
        SandboxError
            When containers do not work here.
        Infrastructure
            When the container failed, so that the command was never reached, or cannot be ended.
        """
        bounds, source, runtime = bounds or Bounds(), self._source, find_runtime()
        name = _new_name()
        carried, restore = _carry(env)
        group = Observed(bounds)
        meter = Meter(bounds, box.writable, group)
        with tempfile.TemporaryDirectory(prefix="talk-", dir=box.home.parent) as talk:
            # read-only: FIFOs can be written to all the same, and nothing can be put beside them
            mounts = [*_mounts(box, runtime), _mount(Path(talk), TALK)]
            command = runtime.command(
                *("run", "--name", name, "--label", f"{LABEL}={owner_id()}"),
                *runtime.isolation(network=box.network),
                *self._limits(bounds, meter),
                *_options("--mount", mounts),
                *_options("--env", carried),
                *("--workdir", INSIDE.workspace, "--entrypoint", "/bin/sh", source),
                *("-c", restore + INIT, TALK, *argv),
            )
            with Contained(meter, group, runtime, name, Path(talk)) as contained:
                try:
                    done = run_process(
                        command,
                        env=client_env() | carried,
                        cwd=Path(talk),  # podman's monitor leaves a file `oom` where it runs
                        bounds=bounds,
                        cancel=cancel,
                        on_output=on_output,
                        custody=contained,
                    )
                finally:
                    runtime.remove(name)
        if done.stopped_by is None and not contained.started:
            raise _not_reached(runtime, source, done)
        return done

    def _limits(self, bounds: Bounds, meter: Meter) -> list[str]:
        options = []
        if bounds.memory_mb is not None:
            # as much with swap as without: nothing is swapped out
            options += [f"--memory={bounds.memory_mb}m", f"--memory-swap={bounds.memory_mb}m"]
        if bounds.max_processes is not None:
            options += [f"--pids-limit={bounds.max_processes + 1}"]
        if self.cpus is not None:
            options += [f"--cpus={self.cpus}"]
        for value in meter.rlimits.values():
            options += [f"--ulimit=fsize={value}:{value}"]
        return options


def _new_name() -> str:
    return f"{PREFIX}{owner_id()}-{next(_numbers)}"


def _carry(env: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Variables for the client to hand on, and what the container's shell does to get `env` of them."""
    carried, restore = {}, ""
    for number, (name, value) in enumerate(env.items()):
        if re.match(CLIENTS, name) and name.isidentifier():
            other = f"{CARRIED}{number}"
            restore += f'export {name}="${other}"; unset {other}\n'
            carried[other] = value
        else:
            carried[name] = value
    return carried, restore


def _mounts(box: Box, runtime: Runtime) -> list[str]:
    # podman would copy what it hides into the new, empty folder
    empty = ["tmpfs-size=1m", *(["notmpcopyup"] if runtime.is_podman else [])]
    return [
        _mount(box.workspace, INSIDE.workspace, writable=True),
        _mount(box.home, INSIDE.home, writable=True),
        _mount(box.tmp, INSIDE.tmp, writable=True),
        _mount(box.inputs, INSIDE.inputs),
        *(_mount(path, str(path)) for path in box.read_only),
        *(_csv("type=tmpfs", f"dst={path}", *empty) for path in _masked(box)),
    ]


def _masked(box: Box) -> list[str]:
    """Hidden folders that would be seen in what is shown."""
    shown = [os.path.realpath(path) for path in box.read_only]
    hidden = sorted(os.path.realpath(path) for path in box.hidden)
    return [
        folder
        for folder in hidden
        if Path(folder).is_dir()
        and any(folder == top or folder.startswith(f"{top}/") for top in shown)
    ]


def _mount(host: Path, inside: str, *, writable: bool = False) -> str:
    return _csv("type=bind", f"src={host}", f"dst={inside}", *([] if writable else ["readonly"]))


def _csv(*fields: str) -> str:
    """One line of CSV, which is how the runtimes read a mount."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(fields)
    return line.getvalue()


def _options(option: str, values: Iterable[str]) -> list[str]:
    return [word for value in values for word in (option, value)]


def _not_reached(runtime: Runtime, image: str, done: Finished) -> Infrastructure:
    said = done.stderr.decode("utf-8", "replace").strip()[-500:]
    return Infrastructure(
        f"The container failed before the command was reached: {said or f'it ended with {done.exit_code}'}",
        f"{runtime.program}, image {image}",
        "see the message; the image must exist and have /bin/sh",
        "sandbox_failed",
    )
