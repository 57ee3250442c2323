"""A whole run: killed, interrupted and refused, and what is held afterwards."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

from agenteval.agents import make_arm
from agenteval.engine import Progress, Settings, make_plan, remaining, run_plan
from agenteval.errors import EngineError, InvalidInput, RunLocked
from agenteval.records import StoreFolder, read_journal, read_manifest, read_standings

FIX = "command:echo fixed > app.txt"
ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    "PYTHONDONTWRITEBYTECODE": "1",
}


class Run:
    """One run of a bench's suite, in this process or by the command line."""

    def __init__(self, bench) -> None:
        self.bench, self.store = bench, bench.folder / "store"
        self.folder = StoreFolder(self.store).run("r1")

    def plan(self, *agents: str, repeats: int = 1, **changes):
        suite = self.bench.loaded()
        return make_plan(
            "r1",
            suite.name,
            suite.tasks,
            [make_arm(agent) for agent in agents],
            repeats=repeats,
            **changes,
        )

    def go(self, plan, progress: Progress | None = None, **changes):
        return run_plan(plan, Settings(self.store, self.bench.sandbox, **changes), progress)

    def command(
        self, *agents: str, repeats: int = 1, concurrency: int = 2, more: tuple[str, ...] = ()
    ) -> list[str]:
        arguments = [
            sys.executable,
            "-m",
            "agenteval",
            "run",
            str(self.bench.suite),
            "--store",
            str(self.store),
            "--run-id",
            "r1",
        ]
        arguments += ["--repeat", str(repeats), "--concurrency", str(concurrency), *more]
        return [*arguments, *(part for agent in agents for part in ("--agent", agent))]

    def start(self, command: list[str]) -> subprocess.Popen[str]:
        env = ENV | {
            "TMPDIR": str(self.bench.folder / "tmp"),
            "AGENTEVAL_CACHE": os.environ["AGENTEVAL_CACHE"],
        }
        (self.bench.folder / "tmp").mkdir(exist_ok=True)
        return subprocess.Popen(
            command,
            env=env,
            cwd=self.bench.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    @property
    def held(self):
        return [block.attempt for block in read_journal(self.folder.journal).blocks]


@pytest.fixture
def run(bench) -> Run:
    return Run(bench)


@pytest.fixture
def plain_run(plain_bench) -> Run:
    return Run(plain_bench)


class TestWhole:
    def test_every_trial_once_in_order_with_its_record(self, run):
        for name in ("a", "b"):
            run.bench.task(name)
        plan = run.plan(FIX, "scripted:noop", repeats=2)
        seen = []
        result = run.go(
            plan,
            Progress(
                planned=lambda *n: seen.append(n), started=lambda spec: seen.append(spec.trial_id)
            ),
        )
        assert seen == [(8, 0), *(spec.trial_id for spec in plan.trials())]
        assert [row.trial_id for row in run.held] == [spec.trial_id for spec in plan.trials()]
        assert [row.sequence for row in run.held] == list(range(1, 9))
        assert Counter((row.arm, str(row.status)) for row in run.held) == {
            (FIX, "pass"): 4,
            ("scripted:noop", "fail"): 4,
        }
        assert (result.held_before, len(result.attempts), result.interrupted, result.notes) == (
            0,
            8,
            False,
            [],
        )
        manifest = read_manifest(run.folder.manifest)
        assert (manifest.plan_digest, manifest.run.planned_trials, manifest.run.sandbox) == (
            plan.digest,
            8,
            run.bench.sandbox.name,
        )

    def test_two_at_a_time(self, run):
        run.bench.task()
        run.go(run.plan(FIX, "scripted:noop", repeats=4), concurrency=2)
        assert len(run.held) == len({row.trial_id for row in run.held}) == 8
        assert {row.concurrent_trials for row in run.held} == {1, 2}
        assert {row.status for row in run.held if row.arm == FIX} == {"pass"}

    def test_again_does_nothing(self, run):
        run.bench.task()
        plan = run.plan(FIX)
        run.go(plan)
        before = run.folder.journal.read_bytes()
        again = run.go(plan)
        assert (again.held_before, again.attempts) == (1, [])
        assert run.folder.journal.read_bytes() == before

    def test_concurrency_below_one_is_refused(self, run):
        run.bench.task()
        with pytest.raises(InvalidInput, match="runs nothing"):
            run.go(run.plan(FIX), concurrency=0)
        assert not run.store.exists()

    def test_workspaces_are_kept_where_asked(self, run, tmp_path):
        run.bench.task()
        run.go(run.plan(FIX), keep=tmp_path / "kept/here")
        assert (
            len(list((tmp_path / "kept/here").glob("agenteval-*/trials/*/workspace/app.txt"))) == 1
        )

    def test_the_store_is_hidden_from_the_agent(self, isolated):
        run = Run(isolated)
        isolated.task()
        program = isolated.folder / "look.sh"
        program.write_text(
            f"find {isolated.folder} -name run.json -o -name 'journal*' | grep . && exit 1; echo fixed > app.txt"
        )
        arm = make_arm(f"command:sh {program}", files=(isolated.folder,))
        suite = isolated.loaded()
        run.go(make_plan("r1", suite.name, suite.tasks, [arm]))
        assert [(row.status, row.ended_by) for row in run.held] == [("pass", "agent")]


class TestOtherPlan:
    @pytest.mark.parametrize(
        ("change", "names"),
        [
            ("repeats", "repeats was 1, now 2"),
            ("seed", "seed was 0, now 5"),
            ("arms", "arms were command:echo fixed > app.txt, now scripted:noop"),
            ("task changed", "tasks changed: one"),
            ("task added", "tasks added: two"),
            ("task gone", "tasks gone: zero"),
        ],
    )
    def test_it_is_refused_and_named(self, run, change, names):
        run.bench.task("one")
        if change == "task gone":
            run.bench.task("zero")
        run.go(run.plan(FIX), command="agenteval run --as-it-was")
        journal, manifest = run.folder.journal.read_bytes(), run.folder.manifest.read_bytes()
        if change == "task changed":
            (run.bench.suite / "one/prompt.md").write_text("Something else.")
        elif change == "task added":
            run.bench.task("two")
        elif change == "task gone":
            shutil.rmtree(run.bench.suite / "zero")
        plan = run.plan(
            "scripted:noop" if change == "arms" else FIX,
            repeats=2 if change == "repeats" else 1,
            seed=5 if change == "seed" else 0,
        )
        with pytest.raises(InvalidInput) as caught:
            run.go(plan)
        assert names in caught.value.what
        assert caught.value.where == str(run.folder.manifest)
        assert "agenteval run --as-it-was" in caught.value.fix
        assert (run.folder.journal.read_bytes(), run.folder.manifest.read_bytes()) == (
            journal,
            manifest,
        )

    def test_a_run_that_is_being_written_is_refused(self, plain_run):
        plain_run.bench.task()
        plan = plain_run.plan(FIX)
        refused = []

        def second(spec) -> None:
            with pytest.raises(RunLocked) as caught:
                plain_run.go(plan)
            refused.append(caught.value)

        plain_run.go(plan, Progress(started=second))
        assert len(refused) == 1
        assert len(plain_run.held) == 1


class TestFaults:
    def test_a_fault_of_the_engine_is_infrastructure_and_the_run_goes_on(self, run):
        for name in ("a", "b", "c"):
            run.bench.task(name)
        plan = run.plan(FIX)
        broken = tuple(
            replace(task, prompt=None) if task.id == "b" else task for task in plan.tasks
        )
        result = run.go(replace(plan, tasks=broken))
        assert not result.interrupted
        rows = {row.task_id: row for row in run.held}
        assert {name: (row.status, row.passed, row.error_class) for name, row in rows.items()} == {
            "a": ("pass", True, None),
            "b": ("error", None, "engine_fault"),
            "c": ("pass", True, None),
        }
        assert rows["b"].error_message.startswith("AttributeError: ")
        assert remaining(plan, read_standings(run.folder.journal)) == [], (
            "infrastructure waits for `retry`"
        )

    def test_a_run_that_cannot_write_stops_says_so_and_goes_on_later(
        self, plain_run, alive, marker
    ):
        """A file in the way of the artifacts stands for a disk that takes no more."""
        plain_run.bench.task()
        plan = plain_run.plan(
            FIX,
            f"command:echo fixed > app.txt; test -d {plain_run.bench.folder}/go || sleep {marker}",
            repeats=2,
        )
        plain_run.folder.path.mkdir(parents=True)
        plain_run.folder.artifacts.write_text("in the way")
        with pytest.raises(EngineError, match="cannot be written") as caught:
            plain_run.go(plan, concurrency=2)
        assert "resume" in caught.value.fix
        assert alive() == []
        assert plain_run.held == []
        plain_run.folder.artifacts.unlink()
        (plain_run.bench.folder / "go").mkdir()
        plain_run.go(plan, concurrency=2)
        assert {row.status for row in plain_run.held} == {"pass"}
        assert len(plain_run.held) == 4

    def test_a_listener_that_fails_leaves_nothing_running(self, plain_run, alive, marker):
        plain_run.bench.task()

        def fail(row) -> None:
            raise BrokenPipeError

        plan = plain_run.plan(FIX, f"command:sleep {marker}", repeats=2)
        with pytest.raises(BrokenPipeError):
            plain_run.go(plan, Progress(finished=fail), concurrency=2)
        assert alive() == []
        assert len(plain_run.held) == 1


def lines_of(process: subprocess.Popen[str], wanted: str, count: int) -> list[str]:
    """Read the process's stderr until `count` lines match, or it ends."""
    found = []
    for line in process.stderr:
        if re.search(wanted, line):
            found.append(line)
        if len(found) == count:
            break
    return found


class TestKilled:
    AGENTS = (FIX, "scripted:noop", "command:sh -c 'sleep 0.0$(($$ % 5)); echo fixed > app.txt'")

    def test_at_any_moment_every_finished_trial_is_held_and_none_runs_twice(self, run):
        for name in ("a", "b", "c", "d"):
            run.bench.task(name)
        repeats, planned = 4, 4 * 3 * 4
        command = run.command(*self.AGENTS, repeats=repeats)
        draw = random.Random(7)
        kills = [0, 1, 2, 3, 1, 4, 2]
        before = b""
        for finished in kills:
            with run.start(command) as process:
                lines_of(
                    process,
                    r"trials planned" if finished == 0 else r"^\[\d+/48\]",
                    max(1, finished),
                )
                threading.Event().wait(draw.random() / 20)
                process.send_signal(signal.SIGKILL)
            assert process.returncode == -signal.SIGKILL
            journal = read_journal(run.folder.journal)
            committed = run.folder.journal.read_bytes()[: journal.good_bytes]
            assert committed.startswith(before), "what was committed before is as it was"
            assert len(committed) > len(before) or finished == 0
            before = committed
        with run.start(command) as process:
            _, told = process.communicate()
        assert process.returncode == 0, told
        assert run.folder.journal.read_bytes().startswith(before)
        rows = run.held
        assert len(rows) == planned
        assert len({row.trial_id for row in rows}) == planned
        assert {row.attempt for row in rows} == {1}
        assert Counter(str(row.status) for row in rows) == {"pass": 32, "fail": 16}
        for row in rows:
            assert (run.folder.attempt(row.trial_id, 1) / "patch.diff").exists()
        assert list((run.bench.folder / "tmp").glob("agenteval-*")) == [], (
            "scratch of the dead is swept"
        )

    def test_nobody_is_left_of_an_engine_that_is_killed(self, isolated, alive, marker):
        run = Run(isolated)
        isolated.task()
        daemon = f"command:(trap '' TERM HUP; setsid sleep {marker} &) ; sleep {marker}"
        with run.start(run.command(daemon)) as process:
            wait_for(alive)
            process.send_signal(signal.SIGKILL)
        wait_for(lambda: not alive())
        assert run.held == []

    def test_a_run_that_was_moved_is_resumed(self, run):
        run.bench.task()
        command = run.command(FIX, "scripted:noop", repeats=4, concurrency=1)
        with run.start(command) as process:
            lines_of(process, r"^\[\d+/8\]", 2)
            process.send_signal(signal.SIGKILL)
        first = [row.trial_id for row in run.held]
        run.store.rename(run.bench.folder / "moved")
        run.store, run.folder = (
            run.bench.folder / "moved",
            StoreFolder(run.bench.folder / "moved").run("r1"),
        )
        with run.start(run.command(FIX, "scripted:noop", repeats=4, concurrency=1)) as process:
            _, told = process.communicate()
        assert process.returncode == 0, told
        assert f"8 trials planned, {len(first)} already held" in told
        assert [row.trial_id for row in run.held][: len(first)] == first
        assert len({row.trial_id for row in run.held}) == len(run.held) == 8


def sleepers(alive) -> int:
    """How many `sleep` there are, the shells around them aside."""
    names = [Path(f"/proc/{pid}/comm") for pid in alive()]
    return sum(name.exists() and name.read_text() == "sleep\n" for name in names)


def wait_for(condition) -> None:
    for _ in range(600):
        if condition():
            return
        threading.Event().wait(0.05)
    raise AssertionError("it never came")


def printed(client, asked: str) -> str:
    """What a kernel printed for one request."""
    said = ""
    while True:
        message = client.get_iopub_msg(timeout=60)
        if message["parent_header"].get("msg_id") != asked:
            continue
        if message["msg_type"] == "stream":
            said += message["content"]["text"]
        if message["content"].get("execution_state") == "idle":
            return said


class TestInterrupted:
    def agents(self, run: Run, marker: str) -> tuple[str, ...]:
        """One that is quick, and one that sleeps until a folder is there."""
        return FIX, f"command:echo fixed > app.txt; test -d {run.bench.folder}/go || sleep {marker}"

    def test_running_trials_are_cancelled_recorded_and_run_again(self, plain_run, alive, marker):
        run = plain_run
        for name in ("a", "b", "c"):
            run.bench.task(name)
        command = run.command(*self.agents(run, marker), more=("--no-sandbox", "--grace", "0.1"))
        with run.start(command) as process:
            wait_for(lambda: sleepers(alive) == 2)
            process.send_signal(signal.SIGINT)
            _, told = process.communicate()
        assert process.returncode == 130, told
        assert "--run-id r1" in told
        assert alive() == []
        cancelled = [row for row in run.held if row.status == "skipped"]
        assert [(row.passed, row.ended_by, row.error_class) for row in cancelled] == [
            (None, "cancelled", "cancelled")
        ] * 2
        held = len(run.held) - 2
        (run.bench.folder / "go").mkdir()
        with run.start(command) as process:
            _, told = process.communicate()
        assert process.returncode == 0, told
        assert f"6 trials planned, {held} already held" in told
        finished = [row for row in run.held if row.status != "skipped"]
        assert Counter(row.trial_id for row in finished) == Counter(
            {row.trial_id: 1 for row in finished}
        )
        assert [str(row.status) for row in finished] == ["pass"] * 6
        assert {
            row.attempt for row in finished if row.trial_id in {c.trial_id for c in cancelled}
        } == {2}

    def test_what_runs_may_finish_within_the_grace_period_and_nothing_else_starts(
        self, plain_run, alive, marker
    ):
        run = plain_run
        run.bench.task()
        go = run.bench.folder / "go"
        waiting = f"command:while ! test -d {go}; do sleep 0.05; done; : {marker}"
        command = run.command(waiting, repeats=6, more=("--no-sandbox", "--grace", "600"))
        with run.start(command) as process:
            wait_for(lambda: len(alive()) >= 2)
            process.send_signal(signal.SIGINT)
            go.mkdir()
            _, told = process.communicate()
        assert process.returncode == 130, told
        assert [(row.status, row.ended_by) for row in run.held] == [("fail", "agent")] * 2
        assert "interrupted, 2 of 6 rounds complete" in told

    def test_twice_gives_up_at_once(self, plain_run, alive, marker):
        """Also an agent that ignores SIGTERM for longer than anyone would wait."""
        run = plain_run
        run.bench.task()
        with run.start(
            run.command(f"command:trap '' TERM; sleep {marker}", more=("--no-sandbox",))
        ) as process:
            wait_for(alive)
            process.send_signal(signal.SIGINT)
            threading.Event().wait(0.2)
            process.send_signal(signal.SIGINT)
            process.communicate()
        assert process.returncode == 130
        assert alive() == []

    def test_the_handler_of_others_is_theirs_again(self, plain_run):
        plain_run.bench.task()
        before = signal.getsignal(signal.SIGINT)
        plain_run.go(plain_run.plan(FIX))
        assert signal.getsignal(signal.SIGINT) is before

    def test_an_interrupt_in_a_notebook(self, plain_run, marker, alive):
        """The same in a process that goes on: no exception, and the result says it was interrupted."""
        plain_run.bench.task()
        seen = threading.Event()

        def interrupt(spec) -> None:
            if not seen.is_set():
                seen.set()
                threading.Thread(
                    target=lambda: (wait_for(alive), os.kill(os.getpid(), signal.SIGINT))
                ).start()

        result = plain_run.go(
            plain_run.plan(f"command:sleep {marker}", FIX),
            Progress(started=interrupt),
            grace_s=0.1,
        )
        assert result.interrupted
        assert "cancelled" in {row.error_class for row in result.attempts}
        assert alive() == []

    def test_the_stop_button_of_a_real_kernel(self, plain_run, marker, alive):
        plain_run.bench.task()
        code = f"""
from pathlib import Path
from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan, run_plan
from agenteval.sandbox import Plain
from agenteval.suite import load_suite
suite = load_suite({str(plain_run.bench.suite)!r})
plan = make_plan("r1", suite.name, suite.tasks, [make_arm("command:sleep {marker}")], repeats=3)
result = run_plan(plan, Settings(Path({str(plain_run.store)!r}), Plain(), grace_s=0.1))
print("interrupted", result.interrupted, [row.error_class for row in result.attempts])
"""
        manager, client = start_new_kernel()
        try:
            asked = client.execute(code)
            wait_for(alive)
            manager.interrupt_kernel()
            assert client.get_shell_msg(timeout=60)["content"]["status"] == "ok"
            said = printed(client, asked)
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
        assert said == "interrupted True ['cancelled']\n"
        assert alive() == []

    def test_outside_the_main_thread(self, plain_run):
        plain_run.bench.task()
        thread = threading.Thread(target=lambda: plain_run.go(plain_run.plan(FIX)))
        thread.start()
        thread.join()
        assert [row.status for row in plain_run.held] == ["pass"]


def test_a_torn_line_is_repaired_and_reported(run: Run, tmp_path: Path):
    run.bench.task()
    plan = run.plan(FIX, "scripted:noop", repeats=2)
    run.go(plan)
    data = run.folder.journal.read_bytes()
    run.folder.journal.write_bytes(data[:-40])
    notes = []
    result = run.go(plan, Progress(note=notes.append))
    assert (result.held_before, len(result.attempts)) == (3, 1)
    assert notes == result.notes
    assert "torn by a crash" in notes[0]
    assert len({row.trial_id for row in run.held}) == len(run.held) == 4
