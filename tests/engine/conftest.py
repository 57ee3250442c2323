"""A tiny suite whose checks are plain shell, and an engine to run it."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Bases, Surroundings, TrialResult, TrialSpec, layers, run_trial
from agenteval.records import PATCH, trial_id
from agenteval.sandbox import (
    Bubblewrap,
    Plain,
    Sandbox,
    bwrap_works,
    choose_sandbox,
    overlay_problem,
    unmount_below,
)
from agenteval.suite import LoadedSuite, LoadedTask, load_suite

CHECK = '[[checks]]\nkind = "command"\nname = "fixed"\nrun = "grep -q fixed app.txt"\n'
REPO = {"app.txt": "broken\n"}
GIT = {
    "PATH": "/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{role}_{key}": "someone@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for key in ("NAME", "EMAIL")
    },
}


def git(folder: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    """The real git, with nobody's configuration."""
    done = subprocess.run(
        ["git", *arguments], cwd=folder, env=GIT, input=stdin, capture_output=True, check=False
    )
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout


def need_bwrap() -> Bubblewrap:
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    assert problem is None, problem
    return Bubblewrap()


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)


class Bench:
    """A suite folder in which a test makes tasks, and an engine's surroundings."""

    def __init__(self, folder: Path, sandbox: Sandbox) -> None:
        self.folder, self.suite, self.sandbox = folder, folder / "suite", sandbox
        self.scratch = folder / "scratch"
        self.around = Surroundings(sandbox, Bases(self.scratch / "bases"), self.scratch)

    def task(
        self,
        name: str = "one",
        *,
        keys: str = "",
        checks: str = CHECK,
        repo: Mapping[str, str | bytes] | None = REPO,
        hidden: Mapping[str, str | bytes] | None = None,
        solution: Mapping[str, str | bytes] | None = None,
        wrong: Mapping[str, Mapping[str, str | bytes]] | None = None,
    ) -> LoadedTask:
        """Write a task and load it; `solution` and `wrong` are files that replace those of `repo`."""
        folder = self.suite / name
        write(folder, {"task.toml": f'id = "{name}"\n{keys}\n{checks}', "prompt.md": "Fix it.\n"})
        write(folder / "repo", repo or {})
        write(folder / "hidden", hidden or {})
        for path, files in {
            "solution": solution,
            **{f"wrong/{n}": f for n, f in (wrong or {}).items()},
        }.items():
            if files is not None:
                write(folder, {f"{path}.patch": self.patch(folder / "repo", files)})
        return load_suite(folder).tasks[0]

    def patch(self, repo: Path, files: Mapping[str, str | bytes]) -> bytes:
        copy = self.folder / f"patched-{len(list(self.folder.iterdir()))}"
        subprocess.run(["cp", "-r", str(repo), str(copy)], check=True)
        git(copy, "init", "-q")
        git(copy, "add", "-A")
        write(copy, files)
        return git(copy, "diff", "--binary")

    def loaded(self) -> LoadedSuite:
        return load_suite(self.suite)

    def spec(self, task: LoadedTask, agent: str, **changes) -> TrialSpec:
        files = changes.pop("files", ())
        arm = make_arm(agent, files=files)
        parts = {
            "run_id": "run",
            "suite": "suite",
            "task": task,
            "arm": arm,
            "arm_label": arm.full_label,
            "repeat": 1,
            "seed": 0,
        }
        return TrialSpec(
            trial_id=trial_id("run", "suite", task.id, arm.digest, 1), **parts | changes
        )

    def trial(self, task: LoadedTask, agent: str, **changes) -> TrialResult:
        return run_trial(self.spec(task, agent, **changes), self.around)

    def shell(self, task: LoadedTask, script: str, **changes) -> TrialResult:
        """A trial whose agent is a shell script, out of the reach of quoting."""
        program = self.folder / "agent.sh"
        program.write_text(script)
        return self.trial(task, f"command:sh {program}", **changes)


def patch_of(result: TrialResult) -> str:
    return result.artifacts[PATCH].decode("utf-8", "surrogateescape")


@pytest.fixture(params=["copied", "mounted"])
def either_way(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """What a test proves holds for copies that are made and for copies that are mounted."""
    if request.param == "mounted":
        problem = overlay_problem(tmp_path)
        if problem is not None and os.environ.get("CI") != "true":
            pytest.skip(problem)
        assert problem is None, problem
        monkeypatch.setattr(layers, "FEWEST_FILES", 0)
    yield request.param
    unmount_below(tmp_path)


@pytest.fixture
def bwrap() -> Bubblewrap:
    return need_bwrap()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """With isolation where there is any."""
    return Bench(tmp_path, choose_sandbox("auto"))


@pytest.fixture
def plain_bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, Plain())


@pytest.fixture
def isolated(tmp_path: Path, bwrap: Bubblewrap) -> Bench:
    return Bench(tmp_path, bwrap)


@pytest.fixture
def run_git() -> Callable[..., bytes]:
    return git


@pytest.fixture
def diff() -> Callable[[TrialResult], str]:
    return patch_of


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Built environments of a test stay its own."""
    monkeypatch.setenv("AGENTEVAL_CACHE", str(tmp_path / "cache"))


def processes_with(marker: str) -> list[int]:
    """Living processes of this machine whose command line holds `marker`, engines aside."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rpartition(") ")[2][:1]
            except OSError:
                continue
            if marker.encode() in line and b"-m\0agenteval" not in line and state not in "ZX":
                found.append(int(entry.name))
    return found


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[str]:
    """A number of seconds to sleep that no other process has."""
    text = f"{86400 + os.getpid()}.{abs(hash(str(tmp_path))) % 10**9}"
    yield text
    for pid in processes_with(text):
        os.kill(pid, 9)


@pytest.fixture
def alive(marker: str) -> Callable[[], list[int]]:
    return lambda: processes_with(marker)
