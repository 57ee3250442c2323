"""Images of tasks that bring their own environment: built once by the digest of their files."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
import threading
from pathlib import Path

from agenteval.errors import Infrastructure
from agenteval.sandbox.bounds import Finished
from agenteval.sandbox.runtime import Runtime

BUILD_S = 3600.0
DIGEST_LABEL = "agenteval.digest"
_first = threading.Lock()
_locks: dict[str, threading.Lock] = {}


def fetch_image(runtime: Runtime, name: str, cancel: threading.Event | None = None) -> str:
    """Return the id of an image that is named; fetched if it is not on this machine.

    Raises
    ------
    Infrastructure
        Class `environment_build_failed`: never a zero for the agent.
    """
    found = image_id(runtime, name)
    if found is None:
        done = runtime.work("pull", "--quiet", name, timeout_s=BUILD_S, cancel=cancel)
        found = image_id(runtime, name)
        if found is None:
            raise Infrastructure(
                f"The image is not on this machine and cannot be fetched: {_tail(done)}",
                f"image {name}",
                f"correct the name, log in to its registry, or `{runtime.program} load` it",
                "environment_build_failed",
            )
    return found


def build_image(
    runtime: Runtime,
    context: Path,
    *,
    dockerfile: str = "Dockerfile",
    network: bool = False,
    cancel: threading.Event | None = None,
) -> str:
    """Return the image of a folder with a Dockerfile; built only if no image has its digest.

    Two threads that want the same image build it once, and so do two processes that want it of
    the same folder: the second waits for the first.

    Parameters
    ----------
    context
        Folder that the Dockerfile may copy from.
    network
        Whether the Dockerfile's commands may use the network. Its base image is fetched in any
        case, if it is not on this machine.
    cancel
        Gives up when set.

    Raises
    ------
    Infrastructure
        Class `environment_build_failed`: never a zero for the agent.
    """
    if not (context / dockerfile).is_file():
        raise Infrastructure(
            "The environment has no Dockerfile",
            str(context / dockerfile),
            "add it, or name an `image` in task.toml",
            "environment_build_failed",
        )
    digest = context_digest(context, dockerfile, network=network)
    name = f"localhost/agenteval/environment:{digest[:32]}"
    lock = os.open(context, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # the same files may lie in the folders of several tasks
        with _lock_of(digest):
            _acquire(lock, cancel)
            if image_id(runtime, name) is None:
                _build(runtime, context, dockerfile, name, digest, cancel, network=network)
    finally:
        os.close(lock)
    return name


def _lock_of(digest: str) -> threading.Lock:
    with _first:
        return _locks.setdefault(digest, threading.Lock())


def image_id(runtime: Runtime, name: str) -> str | None:
    """Id of an image, which its contents decide; None when it is not on this machine."""
    done = runtime.call("image", "inspect", "--format", "{{.Id}}", name)
    return done.stdout.decode().strip() if done.exit_code == 0 else None


def _acquire(lock: int, cancel: threading.Event | None) -> None:
    """Wait for another's build, which may take long, without being deaf to a stop."""
    while True:
        try:
            return fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if (cancel or threading.Event()).wait(0.1):
                raise Infrastructure(
                    "Stopped while another process built the image",
                    error_class="environment_build_failed",
                ) from None


def context_digest(context: Path, dockerfile: str, *, network: bool) -> str:
    """Hash of what decides the image: names, kinds, modes and contents of all files."""
    parts = hashlib.sha256(f"{dockerfile}\0{network}\0".encode())
    for path in sorted(context.rglob("*")):
        status = path.lstat()
        name = os.fsencode(path.relative_to(context))
        parts.update(b"%d:%s\0%o\0" % (len(name), name, status.st_mode))
        if path.is_symlink():
            parts.update(os.fsencode(path.readlink()) + b"\0")
        elif stat.S_ISREG(status.st_mode):
            parts.update(hashlib.sha256(path.read_bytes()).digest())
    return parts.hexdigest()


def _build(
    runtime: Runtime,
    context: Path,
    dockerfile: str,
    name: str,
    digest: str,
    cancel: threading.Event | None,
    *,
    network: bool,
) -> None:
    options = [
        "--tag",
        name,
        "--label",
        f"{DIGEST_LABEL}={digest}",
        "--file",
        str(context / dockerfile),
    ]
    if runtime.is_podman:
        # a build meets the same limits as a run
        options += [*runtime.run_options, "--format", "docker"]
    options += ["--network", "host" if network else "none"]
    done = runtime.work("build", *options, str(context), timeout_s=BUILD_S, cancel=cancel)
    if done.exit_code != 0 or done.stopped_by:
        raise Infrastructure(
            f"The image could not be built ({done.stopped_by or done.exit_code}): {_tail(done)}",
            str(context / dockerfile),
            "mend the Dockerfile; its commands have no network unless [environment] network = true",
            "environment_build_failed",
        )


def _tail(done: Finished) -> str:
    return (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-800:]
