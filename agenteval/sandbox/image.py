"""Images of tasks that bring their own environment: built once by the digest of their files."""

from __future__ import annotations

import fcntl
import hashlib
import os
import stat
from pathlib import Path

from agenteval.errors import Infrastructure
from agenteval.sandbox.runtime import Runtime

BUILD_S = 3600.0
DIGEST_LABEL = "agenteval.digest"


def build_image(
    runtime: Runtime, context: Path, *, dockerfile: str = "Dockerfile", network: bool = False
) -> str:
    """Return the image of a folder with a Dockerfile; built only if no image has its digest.

    Two processes that want the same image build it once: the second waits for the first.

    Parameters
    ----------
    context
        Folder that the Dockerfile may copy from.
    network
        Whether the Dockerfile's commands may use the network. Its base image is fetched in any
        case, if it is not on this machine.

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
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not image_exists(runtime, name):
            _build(runtime, context, dockerfile, name, digest, network=network)
    finally:
        os.close(lock)
    return name


def image_exists(runtime: Runtime, name: str) -> bool:
    """Whether an image is on this machine."""
    return runtime.call("image", "inspect", "--format", "{{.Id}}", name).exit_code == 0


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
    runtime: Runtime, context: Path, dockerfile: str, name: str, digest: str, *, network: bool
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
    if not network:
        options += ["--network", "none"]
    done = runtime.call("build", *options, str(context), timeout_s=BUILD_S)
    if done.exit_code != 0 or done.stopped_by:
        tail = (done.stderr or done.stdout).decode("utf-8", "replace").strip()[-800:]
        raise Infrastructure(
            f"The image could not be built ({done.stopped_by or done.exit_code}): {tail}",
            str(context / dockerfile),
            "mend the Dockerfile; its commands have no network unless [environment] network = true",
            "environment_build_failed",
        )
