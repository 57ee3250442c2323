"""Copies that are mounted: nothing goes through to the base, and nothing stays behind."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agenteval.engine import Bases, layers
from agenteval.engine.layers import mount_workspace
from agenteval.engine.scratch import sweep
from agenteval.engine.snapshot import stamp, walk
from agenteval.records import STDOUT
from agenteval.sandbox import overlay_problem, unmount_below

REPO = {
    "app.txt": "broken\n",
    "lib/a.py": "a\n",
    "lib/deep/b.py": "b\n",
    "old/c.py": "c\n",
    "run.sh": "#!/bin/sh\n",
    "data.bin": b"\0" * (9 << 20),
}


def mounts(folder: Path) -> list[str]:
    lines = Path("/proc/self/mountinfo").read_text().replace("\\040", "|").splitlines()
    folder = str(folder).replace(" ", "|")
    return [line.split(" ")[4] for line in lines if line.split(" ")[4].startswith(folder)]


def everything(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture(autouse=True)
def _mountable(tmp_path: Path):
    problem = overlay_problem(tmp_path)
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem
    yield
    unmount_below(tmp_path)


def test_what_is_worth_mounting(bench, monkeypatch):
    small = bench.around.bases.get(bench.task("small"), bench.sandbox)
    assert small.start.laid_out is None, "few files and bytes are copied sooner"
    big = bench.around.bases.get(bench.task("big", repo=REPO), bench.sandbox)
    assert big.start.laid_out is not None, "many bytes"
    monkeypatch.setattr(layers, "FEWEST_FILES", 3)
    many = {f"{n}.txt": "x" for n in range(3)}
    assert bench.around.bases.get(bench.task("many", repo=many), bench.sandbox).start.laid_out


DEEDS = """
echo fixed > app.txt; rm lib/a.py; rm -r old; mkdir old; echo new > old/other.py
mv lib/deep lib/moved; chmod +x lib/moved/b.py; rm run.sh; mkdir run.sh; echo x > run.sh/inside
ln -s app.txt link; dd if=/dev/zero of=data.bin bs=1 count=1 conv=notrunc 2>/dev/null; mkfifo pipe
printf 1 | dd of=data.bin bs=1 seek=5 conv=notrunc 2>/dev/null; git commit -qam all; rm -rf .git
"""
CHECK = """
[[checks]]
kind = "command"
run = "grep -q fixed app.txt && test -f hidden.txt -a ! -e lib/a.py -a -f run.sh/inside -a ! -e old/c.py -a -x lib/moved/b.py -a ! -e .git && rm -rf lib data.bin && echo more >> app.txt"
"""


@pytest.mark.parametrize("kind", ["bench", "plain_bench"])
def test_the_base_stays_as_it_was(request, kind):
    bench = request.getfixturevalue(kind)
    task = bench.task(repo=REPO, checks=CHECK, hidden={"hidden.txt": "x", "lib/deep/t.py": "y"})
    base = bench.around.bases.get(task, bench.sandbox)
    assert base.start.laid_out is not None
    before = [everything(folder) for folder in (base.tree, base.start.laid_out.folder)]
    for _ in range(2):
        result = bench.shell(task, DEEDS)
        assert result.attempt.status == "pass", result.checks
        assert result.attempt.files_changed == 10
    assert [everything(f) for f in (base.tree, base.start.laid_out.folder)] == before
    assert mounts(bench.folder) == []


def test_unchanged_files_are_known_by_the_status_of_the_base(bench, tmp_path):
    base = bench.around.bases.get(bench.task(repo=REPO), bench.sandbox)
    folder = tmp_path / "mounted"
    folder.mkdir()
    mount_workspace(base.tree, folder)
    seen = {path: stamp(status) for path, status in walk(folder).files.items()}
    assert base.start.stamps == seen
    with (folder / "lib/a.py").open("r+") as file:
        file.write("b")
    assert stamp((folder / "lib/a.py").lstat()) != seen[b"lib/a.py"]


def test_only_what_was_changed_takes_disk(bench, tmp_path):
    base = bench.around.bases.get(bench.task(repo=REPO), bench.sandbox)
    folder = tmp_path / "mounted"
    folder.mkdir()
    mount_workspace(base.tree, folder)
    (folder / "app.txt").write_text("fixed\n")
    files = [p for p in tmp_path.joinpath("mounted.layer/upper").rglob("*") if p.is_file()]
    assert [path.name for path in files] == ["app.txt"]


@pytest.mark.parametrize(("written_mb", "ended_by"), [(1, "agent"), (30, "disk_limit")])
def test_the_disk_limit_counts_what_the_agent_wrote(bench, written_mb, ended_by):
    task = bench.task(repo=REPO, keys="disk_mb = 5")
    result = bench.shell(
        task,
        f"for i in $(seq {written_mb}); do head -c 1048576 /dev/zero > big.$i; done; sleep {0 if ended_by == 'agent' else 60}",
    )
    assert result.attempt.ended_by == ended_by


def test_an_agent_cannot_make_what_hides_files(isolated):
    script = """
mknod lib/a.py c 0 0 || echo refused
rm lib/a.py; mknod lib/a.py c 0 0 || echo refused
python3 -c "import os; os.setxattr('lib', 'trusted.overlay.opaque', b'y')" 2>/dev/null || echo refused
ls lib; ls -A ..
"""
    result = isolated.shell(isolated.task(repo=REPO), script)
    out = result.artifacts[STDOUT].decode().split("\n")
    assert out[:4] == ["refused", "refused", "refused", "deep"]
    assert not any("layer" in line for line in out)
    assert result.attempt.files_changed == 1


def test_a_kept_workspace_is_no_mount(bench):
    bench.around = replace(bench.around, keep=True)
    result = bench.shell(bench.task(repo=REPO), "echo fixed > app.txt")
    assert result.attempt.status == "pass"
    (kept,) = bench.scratch.glob("trials/*/workspace")
    assert mounts(bench.folder) == []
    assert (kept / "app.txt").read_text() == "fixed\n"
    assert (kept / "data.bin").stat().st_size == 9 << 20


def test_setup_is_not_the_agents(bench):
    task = bench.task(
        repo=REPO,
        keys='setup = ["echo made > made.txt; rm lib/a.py; mkdir empty; echo more >> old/c.py"]',
        checks='[[checks]]\nkind = "command"\nrun = "grep -q fixed app.txt && test -d empty -a -f made.txt -a ! -e lib/a.py && grep -q more old/c.py"\n',
    )
    result = bench.shell(task, "test ! -e lib/a.py && echo fixed > app.txt")
    assert (result.attempt.status, result.attempt.files_changed) == ("pass", 1)


ENGINE = """
import os, sys
from pathlib import Path
from agenteval.agents import make_arm
from agenteval.engine import Bases, Surroundings, TrialSpec, run_trial
from agenteval.engine.scratch import scratch_folder
from agenteval.sandbox import choose_sandbox
from agenteval.suite import load_suite
suite, parent = sys.argv[1:]
task, arm = load_suite(Path(suite)).tasks[0], make_arm(f"command:sleep {os.environ['MARKER']}")
with scratch_folder(Path(parent)) as scratch:
    around = Surroundings(choose_sandbox("auto"), Bases(scratch / "bases"), scratch)
    run_trial(TrialSpec("run", "trial", "suite", task, arm, "arm", 1, 0), around)
"""


def test_mounts_of_a_killed_engine_go_with_its_scratch_folder(bench, tmp_path, alive, marker):
    bench.task(repo=REPO)
    parent = tmp_path / "scratch of others"
    path = os.pathsep.join(filter(None, sys.path))
    env = {**os.environ, "PYTHONPATH": path, "MARKER": marker}
    engine = subprocess.Popen(
        [sys.executable, "-c", ENGINE, str(bench.suite), str(parent)], env=env
    )
    while not alive():
        assert engine.poll() is None
    assert len(mounts(parent)) == 1
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    while alive():
        os.sched_yield()
    (folder,) = sweep(parent)
    assert mounts(parent) == []
    assert not folder.exists()


def test_a_path_that_mount_options_cannot_hold(tmp_path):
    (tmp_path / "a,b").mkdir()
    assert "mount options" in overlay_problem(tmp_path / "a,b")


def test_without_overlay_a_large_task_is_copied(bench, tmp_path):
    folder = tmp_path / "odd, name"
    folder.mkdir()
    bench.around = replace(bench.around, bases=Bases(folder))
    assert bench.shell(bench.task(repo=REPO), "echo fixed > app.txt").attempt.status == "pass"
    assert bench.around.bases.get(bench.loaded().tasks[0], bench.sandbox).start.laid_out is None
