"""Podman or docker, and the options without which it does not work on this machine."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agenteval.errors import Infrastructure, SandboxError
from agenteval.sandbox.bounds import Bounds, Finished
from agenteval.sandbox.group import Group
from agenteval.sandbox.meter import Meter
from agenteval.sandbox.process import run_process
from agenteval.sandbox.supervised import Supervised

LABEL = "agenteval.engine"
PROBE_IMAGE = "localhost/agenteval/probe:1"
CALL_S = 60.0
# What the client itself needs of the operator's environment; nothing of it goes into a container.
CLIENT_ENV = (
    "PATH", "HOME", "USER", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TMPDIR", "DOCKER_HOST",
    "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST", "CONTAINERS_CONF", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
)  # fmt: skip
HYBRID = ("--runtime", "runc", "--cgroup-manager", "cgroupfs")
FEWER = ("--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1000:1000")
_first = threading.Lock()


@dataclass(frozen=True)
class Runtime:
    """A container program that was seen to work.

    Attributes
    ----------
    program
        `podman` or `docker`.
    options
        Options before every subcommand.
    run_options
        Further options of `run`.
    """

    program: str
    options: tuple[str, ...] = ()
    run_options: tuple[str, ...] = ()

    @property
    def is_podman(self) -> bool:
        """Whether options that only podman knows can be used."""
        return self.program == "podman"

    def command(self, *arguments: str) -> list[str]:
        """Command line of a subcommand."""
        return [self.program, *self.options, *arguments]

    def call(
        self,
        *arguments: str,
        stdin: bytes | None = None,
    ) -> Finished:
        """Run a subcommand to its end."""
        bounds = Bounds(timeout_s=CALL_S)
        return run_process(self.command(*arguments), env=client_env(), bounds=bounds, stdin=stdin)

    def work(self, *arguments: str, timeout_s: float, cancel: threading.Event | None) -> Finished:
        """Run a subcommand that works long; nobody whom it started outlives it, or us."""
        bounds = Bounds(timeout_s=timeout_s)
        command = self.command(*arguments)
        with Supervised(Meter(bounds, (), Group(()))) as custody:
            return run_process(
                command, env=client_env(), bounds=bounds, cancel=cancel, custody=custody
            )

    def removal(self, name: str) -> list[str]:
        """Command line that kills and removes a container, if it is there."""
        options = ["--force", "--volumes", *(("--time", "0") if self.is_podman else ())]
        return self.command("rm", *options, name)

    def remove(self, name: str) -> None:
        """Run `removal`.

        Raises
        ------
        Infrastructure
            When the container runs on: what it does then must not count for anything.
        """
        done = run_process(self.removal(name), env=client_env(), bounds=Bounds(timeout_s=CALL_S))
        if done.exit_code == 0 and done.stopped_by is None:
            return
        told = self.call("inspect", "--format", "{{.State.Running}}", name)
        if told.stdout.strip() == b"true" or told.stopped_by:
            raise Infrastructure(
                f"A container cannot be ended: {_said(done)}",
                f"{self.program}, container {name}",
                f"see `{self.program} ps`, end it by hand, and retry",
                "sandbox_failed",
            )

    def isolation(self, *, network: bool) -> list[str]:
        """Options of `run` for an offline container that can change nothing but its mounts."""
        options = [
            *self.run_options,
            *("--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"),
            *("--security-opt", "label=disable", "--hostname", "sandbox", "--log-driver", "none"),
            *("--shm-size", "256m", "--user", self._user(), "--no-healthcheck"),
            *("--network", "host" if network else "none"),
        ]
        if self.is_podman:
            options += ["--read-only-tmpfs=false", "--http-proxy=false", "--cgroupns=private"]
            # else a place on the disk that no limit counts
            options += ["--image-volume=ignore"]
            if not Path("/sys/fs/cgroup/cgroup.controllers").exists():
                # version 1: a file system in memory whose owner can write to it
                options += ["--security-opt", "mask=/sys/fs/cgroup"]
        return options

    def _user(self) -> str:
        """Whom the container's processes are on the host: us, so that we can remove their files."""
        return "0:0" if self.is_podman else f"{os.getuid()}:{os.getgid()}"


def client_env() -> dict[str, str]:
    """Variables for the client."""
    return {name: os.environ[name] for name in CLIENT_ENV if name in os.environ}


def find_runtime() -> Runtime:
    """Return podman or docker with the options that work here; tried once, by running a container.

    Raises
    ------
    SandboxError
        When neither works.
    """
    with _first:
        runtime, problem = _find()
    if runtime is None:
        raise SandboxError(
            f"Containers do not work here: {problem}",
            "--sandbox container",
            "install podman and runc (apt-get install --no-install-recommends podman runc), or start the docker daemon",
        )
    return runtime


def containers_work() -> str | None:
    """None when a container can be run here, else the reason why not."""
    with _first:
        return _find()[1]


@cache
def _find() -> tuple[Runtime | None, str | None]:
    problems = []
    for runtime in _candidates():
        problem = _try(runtime)
        if problem is None:
            return runtime, None
        problems.append(f"{runtime.program}: {problem}")
    return None, problems[0] if problems else "neither podman nor docker is installed"


def _candidates() -> list[Runtime]:
    found = []
    if shutil.which("podman"):
        found += [
            Runtime("podman", options, run_options)
            for options in ((), HYBRID)
            for run_options in ((), FEWER)
        ]
    if shutil.which("docker"):
        found.append(Runtime("docker"))
    return found


def _try(runtime: Runtime) -> str | None:
    """Run the system's own `true` in an image of nothing but folders."""
    if runtime.call("image", "inspect", PROBE_IMAGE).exit_code != 0:
        made = runtime.call("import", "-", PROBE_IMAGE, stdin=_skeleton())
        if made.exit_code != 0:
            return _said(made)
    limits = ("--memory", "64m", "--memory-swap", "64m", "--pids-limit", "16")
    system = ("--mount", "type=bind,src=/usr,dst=/usr,readonly")
    command = ("--rm", *runtime.isolation(network=False), *limits, *system, PROBE_IMAGE)
    done = runtime.call("run", *command, "/bin/true")
    return None if done.exit_code == 0 else _said(done)


def _skeleton() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name in ("usr", "proc", "dev", "sys", "etc", "tmp"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
        for name in ("bin", "sbin", "lib", "lib64"):
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
            archive.addfile(link)
    return data.getvalue()


def _said(done: Finished) -> str:
    text = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
    return text.rpartition("\n")[2][-300:] or f"it ended with {done.stopped_by or done.exit_code}"
