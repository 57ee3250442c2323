"""Small tasks in the formats of other tools, and what it takes to convert and to try them."""

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest

from agenteval.engine import scratch_folder, validate
from agenteval.engine.authoring import OpenedClones
from agenteval.sandbox import choose_sandbox, containers_work, find_runtime, image_id
from agenteval.suite import load_suite
from agenteval.suite.foreign import import_tasks

BUSYBOX = "localhost/agenteval/test-busybox:1"
NAMES = {f"GIT_{role}_{key}": "someone@example.org" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}  # fmt: skip


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def git(folder: Path, *arguments: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", **NAMES}
    done = subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, check=True)
    return done.stdout.decode()


def repository(folder: Path, files: Mapping[str, str]) -> str:
    """A repository with these files as its only commit; returns the commit's name."""
    write(folder, files)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Start")
    return git(folder, "rev-parse", "HEAD").strip()


def difference(folder: Path, files: Mapping[str, str]) -> str:
    """The git diff that makes these files of a repository's, which stays as it is."""
    write(folder, files)
    git(folder, "add", "-A")
    text = git(folder, "diff", "--cached", "HEAD")
    git(folder, "reset", "-q", "--hard")
    return text


@pytest.fixture
def made():
    """What makes files, repositories and differences."""
    return SimpleNamespace(write=write, repository=repository, difference=difference, git=git)


@pytest.fixture
def convert(tmp_path):
    """Import tasks into ./evals."""

    def call(name, path, **options):
        with scratch_folder() as scratch:
            clones = OpenedClones(scratch)
            return import_tasks(name, path, tmp_path / "evals", clones=clones, **options)

    return call


@pytest.fixture
def come_to(tmp_path):
    """Solution to outcome of one converted task, tried once through the real engine."""

    def call(task_id):
        tasks = load_suite(tmp_path / "evals" / task_id).tasks
        found = validate(tasks, sandbox=choose_sandbox("auto"), repeat=1)
        assert not [f for f in found if f.should_pass and not f.ok], found
        return {finding.solution: finding.status for finding in found}

    return call


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENTEVAL_CACHE", str(tmp_path / "cache"))


def need(problem: str | None) -> None:
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem


@pytest.fixture(scope="session")
def busybox():
    """Name of an image of this machine's own busybox; nothing is fetched."""
    need(containers_work())
    runtime, program = find_runtime(), shutil.which("busybox")
    need(None if program else "busybox-static is not installed")
    if image_id(runtime, BUSYBOX) is None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            archive.add(program, "bin/busybox")
            names = subprocess.run([program, "--list"], capture_output=True, text=True).stdout
            for name in sorted({*names.split()} - {"busybox"}):
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                archive.addfile(link)
        assert runtime.call("import", "-", BUSYBOX, stdin=data.getvalue()).exit_code == 0
    return BUSYBOX


@pytest.fixture
def labelled(busybox):
    """The first lines of a Dockerfile; images that are built of them are removed afterwards."""
    label = f"agenteval.test={os.urandom(8).hex()}"
    yield f"FROM {busybox}\nLABEL {label}\n"
    runtime = find_runtime()
    made = runtime.call("images", "--all", "--quiet", "--filter", f"label={label}").stdout
    for image in made.decode().split():
        runtime.call("rmi", "--force", image)
