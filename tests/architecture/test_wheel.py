"""A wheel works outside the checkout: tasks, notebooks and sample data travel inside."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel, unpacked where nothing else of the project is."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def python(installed, cwd, *arguments):
    env = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run(
        [sys.executable, *arguments], cwd=cwd, env=env, capture_output=True, text=True
    )


def test_every_tracked_file_of_the_data_folders_is_inside(installed):
    listing = subprocess.run(
        ["git", "ls-files", "-z", "tasks", "notebooks", "data"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    tracked = [name for name in listing.stdout.split("\0") if name and (ROOT / name).is_file()]
    assert tracked
    assert not [name for name in tracked if not (installed / "agenteval/_bundled" / name).is_file()]


def test_the_reporter_for_node_is_inside(installed):
    name = "agenteval/checks/node_reporter.mjs"
    assert (installed / name).read_bytes() == (ROOT / name).read_bytes()


def test_bundled_tasks_run_from_the_wheel(installed, tmp_path):
    code = "import agenteval; print(agenteval.__file__)"
    assert python(installed, tmp_path, "-c", code).stdout.startswith(str(installed))
    done = python(
        installed,
        tmp_path,
        "-m",
        "agenteval",
        "run",
        "bundled",
        "--tasks",
        "lantern-query-timeout",
        "--agent",
        "scripted:reference",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    assert [row["passes"] for row in json.loads(done.stdout)["scoreboard"]] == [1]


def test_version_of_code_and_package_agree(installed, tmp_path):
    code = "import agenteval, importlib.metadata as m; print(agenteval.__version__ == m.version('agenteval'))"
    assert python(installed, tmp_path, "-c", code).stdout.strip() == "True"
