"""Trials on a cluster: the same records as threads give, and a dead worker loses and doubles nothing."""

import contextlib
import os
import signal
import threading
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from distributed import Client, LocalCluster

from agenteval.agents import make_arm
from agenteval.engine import Progress, Retries, Settings, TrialSpec, make_plan, run_plan
from agenteval.engine.executors.parcel import pack, unpack
from agenteval.engine.executors.remote import Conditions, run_remotely
from agenteval.errors import Infrastructure, InvalidInput
from agenteval.records import StoreFolder, read_journal
from agenteval.sandbox import bwrap_works
from agenteval.sandbox.bwrap import _program
from agenteval.suite import load_suite

FIX = "command:echo fixed > app.txt"
QUICK = Retries(2, first_wait_s=0.01, longest_wait_s=0.01)
# a cluster starts and restarts processes of its own, which is not what these tests look at
pytestmark = [
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.xdist_group("dask"),
]


@pytest.fixture(scope="module")
def cluster():
    """Two workers with one thread each, as two machines would be."""
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs="CRITICAL",
    ) as started:
        yield started


class Run:
    def __init__(self, bench, cluster) -> None:
        self.bench, self.cluster, self.store = bench, cluster, bench.folder / "store"

    def go(self, *agents: str, repeats: int = 1, progress: Progress | None = None, **settings):
        suite = self.bench.loaded()
        arms = [make_arm(agent) for agent in agents]
        plan = make_plan("r1", suite.name, suite.tasks, arms, repeats=repeats)
        settings = {"retries": QUICK, "cluster": self.cluster.scheduler_address} | settings
        return run_plan(
            plan, Settings(self.store, self.bench.sandbox, concurrency=2, **settings), progress
        )

    @property
    def held(self):
        folder = StoreFolder(self.store).run("r1")
        return [block.attempt for block in read_journal(folder.journal).blocks]


@pytest.fixture
def run(plain_bench, cluster) -> Run:
    with Client(cluster.scheduler_address) as client:
        client.wait_for_workers(2, timeout=60)  # one may have been killed by the test before
    return Run(plain_bench, cluster)


class TestOutcomes:
    def test_the_same_records_and_artifacts_as_threads(self, bench, cluster):
        run = Run(bench, cluster)
        bench.task("a", solution={"app.txt": "fixed\n"}, hidden={"secret.txt": "x\n"})
        bench.task("b", keys='setup = ["echo one > made.txt"]', solution={"app.txt": "fixed\n"})
        agents = ("scripted:reference", "scripted:noop", "command:exit 3")
        run.go(*agents)
        elsewhere = {row.trial_id: row for row in run.held}
        patches = artifacts(run.store)
        run.store = bench.folder / "threads"
        run.go(*agents, cluster=None)
        here = {row.trial_id: row for row in run.held}
        assert elsewhere.keys() == here.keys()
        for trial, row in here.items():
            for name in ("status", "passed", "score", "ended_by", "error_class", "files_changed"):
                assert getattr(elsewhere[trial], name) == getattr(row, name), (name, row)
            assert elsewhere[trial].sandbox == row.sandbox == bench.sandbox.name
        assert patches == artifacts(run.store)
        assert any(patches.values())

    def test_a_task_that_starts_from_a_repository_elsewhere(self, run, run_git):
        source = run.bench.folder / "project"
        source.mkdir()
        (source / "app.txt").write_text("broken\n")
        run_git(source, "init", "-q")
        run_git(source, "add", "-A")
        run_git(source, "commit", "-q", "-m", "one")
        rev = run_git(source, "rev-parse", "HEAD").decode().strip()
        run.bench.task("a")
        folder = run.bench.suite / "a"
        (folder / "repo/app.txt").unlink()
        (folder / "repo").rmdir()
        task = folder / "task.toml"
        task.write_text(task.read_text() + f'\n[source]\ngit = "{source}"\nrev = "{rev}"\n')
        run.go(FIX, "scripted:noop")
        assert Counter((row.arm, row.passed) for row in run.held) == {
            (FIX, True): 1,
            ("scripted:noop", False): 1,
        }


def artifacts(store: Path) -> dict[str, bytes]:
    folder = StoreFolder(store).run("r1").artifacts
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.name in ("patch.diff", "answer.md", "prompt.md")
    }


def test_a_worker_killed_in_mid_trial_costs_a_retry_and_nothing_is_lost_or_doubled(
    run, marker, alive
):
    go = run.bench.folder / "go"
    for name in ("a", "b", "c"):
        run.bench.task(name)
    waiting = f"command:echo fixed > app.txt; while ! test -d {go}; do sleep 0.05; done; : {marker}"
    killed = threading.Event()

    def kill_one() -> None:
        with Client(run.cluster.scheduler_address) as client:
            pids = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        killed.set()
        go.mkdir()

    begun: list[TrialSpec] = []

    def started(spec: TrialSpec) -> None:
        begun.append(spec)
        if len(begun) == 2:
            threading.Thread(target=when_both_run, daemon=True).start()

    def when_both_run() -> None:
        while named(alive, "sh", "dash") < 2:
            killed.wait(0.05)
        kill_one()

    result = run.go(waiting, progress=Progress(started=started))
    assert killed.is_set()
    assert Counter((row.attempt, row.error_class, row.passed) for row in run.held) == {
        (1, "worker_lost", None): 1,
        (1, None, True): 2,
        (2, None, True): 1,
    }
    (lost,) = [row for row in run.held if row.error_class == "worker_lost"]
    assert lost.ended_by == "infrastructure"
    assert [row.attempt for row in run.held if row.trial_id == lost.trial_id] == [1, 2]
    assert len({row.trial_id for row in run.held if row.passed}) == 3
    assert result.rounds == 1
    assert alive() == []


def named(alive, *names: str) -> int:
    """How many of the living processes have one of these names."""
    found = 0
    for pid in alive():
        with contextlib.suppress(OSError):
            found += Path(f"/proc/{pid}/comm").read_text().strip() in names
    return found


def test_interrupted_workers_stop_and_their_trials_are_cancelled(run, marker, alive):
    for name in ("a", "b"):
        run.bench.task(name)

    def interrupt() -> None:
        while named(alive, "sleep") < 2:
            threading.Event().wait(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    result = run.go(f"command:sleep {marker}", grace_s=0.0)
    assert result.interrupted
    assert [row.error_class for row in run.held] == ["cancelled"] * 2
    assert alive() == []


def test_no_scheduler_there_is_a_users_mistake(run):
    run.bench.task()
    with pytest.raises(InvalidInput, match="No dask scheduler answers"):
        run.go(FIX, cluster="tcp://127.0.0.1:1")


class TestOnAWorker:
    @pytest.fixture
    def event(self):
        """Events by name, as the cluster gives them."""
        events = defaultdict(threading.Event)
        yield events.__getitem__
        for one in events.values():
            one.set()

    def test_an_attempt_that_had_begun_elsewhere_never_runs_again(self, bench, event):
        task = bench.task()
        spec = bench.spec(task, FIX)
        conditions = Conditions("e1", "plain")
        assert run_remotely(spec, pack(task), conditions, event).attempt.passed
        with pytest.raises(Infrastructure) as lost:
            run_remotely(spec, pack(task), conditions, event)
        assert lost.value.error_class == "worker_lost"
        event(conditions.stop).set()

    def test_another_program_under_the_same_name_is_not_measured(self, bench, event):
        program = bench.folder / "agent.sh"
        program.write_text("#!/bin/sh\ntrue\n")
        program.chmod(0o755)
        spec = bench.spec(bench.task(), f"command:{program}")
        program.write_text("#!/bin/sh\necho fixed > app.txt\n")
        with pytest.raises(Infrastructure, match="another program or another version"):
            run_remotely(spec, pack(spec.task), Conditions("e2", "plain"), event)
        program.unlink()
        with pytest.raises(Infrastructure, match="cannot be had on this worker"):
            run_remotely(
                bench.spec(spec.task, FIX, arm=spec.arm),
                pack(spec.task),
                Conditions("e3", "plain"),
                event,
            )

    def test_a_worker_without_isolation_is_the_machinery_and_not_the_agent(
        self, bench, event, monkeypatch
    ):
        spec = bench.spec(bench.task(), FIX)
        monkeypatch.setenv("PATH", "/nonexistent")
        _program.cache_clear()
        bwrap_works.cache_clear()
        try:
            with pytest.raises(Infrastructure, match="A worker has no isolation") as lost:
                run_remotely(spec, pack(spec.task), Conditions("e4", "bwrap"), event)
        finally:
            _program.cache_clear()
            bwrap_works.cache_clear()
        assert lost.value.error_class == "sandbox_failed"

    def test_a_task_arrives_as_it_left(self, bench, tmp_path):
        task = bench.task(
            "a",
            repo={"app.txt": "broken\n", "run.sh": "#!/bin/sh\n", "deep/x ü.bin": b"\0\xff"},
            hidden={"t.sh": "true\n"},
            solution={"app.txt": "fixed\n"},
            wrong={"half": {"app.txt": "half\n"}},
        )
        (task.repo / "run.sh").chmod(0o755)
        (task.repo / "link").symlink_to("app.txt")
        task = load_suite(task.folder).tasks[0]
        there = unpack(pack(task), tmp_path / "there")
        again = load_suite(there.folder).tasks[0]
        assert again.digest == task.digest
        assert there.repo == there.folder / "repo"
        assert there.wrong[0].patch.read_bytes() == task.wrong[0].patch.read_bytes()
        assert there.solution_patch.is_relative_to(tmp_path / "there")
        assert os.access(there.repo / "run.sh", os.X_OK)
        assert (there.repo / "link").readlink() == Path("app.txt")
