"""Tasks with an image of their own: everything of a trial runs in a container of it."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import uuid
from dataclasses import replace
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    Bases,
    Settings,
    Surroundings,
    check_isolation,
    make_plan,
    run_plan,
    sandbox_for,
    sandbox_name,
    validate,
)
from agenteval.engine.environment import environment_digest
from agenteval.errors import InvalidInput
from agenteval.records import RunFolder, read_journal
from agenteval.sandbox import (
    Container,
    Plain,
    choose_sandbox,
    containers_work,
    find_runtime,
    image_id,
)
from agenteval.suite import load_suite

BUSYBOX = "localhost/agenteval/test-busybox:1"
IMAGE = f'image = "{BUSYBOX}"'
PASSES = '[[checks]]\nkind = "command"\nname = "fine"\nrun = "true"\n'


def need(problem: str | None) -> None:
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem


@pytest.fixture(scope="module")
def runtime():
    need(containers_work())
    found = find_runtime()
    busybox = shutil.which("busybox")
    need(None if busybox else "busybox-static is not installed")
    if image_id(found, BUSYBOX) is None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            archive.add(busybox, "bin/busybox")
            names = subprocess.run([busybox, "--list"], capture_output=True, text=True).stdout
            for name in sorted({*names.split()} - {"busybox"}):
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                archive.addfile(link)
        assert found.call("import", "-", BUSYBOX, stdin=data.getvalue()).exit_code == 0
    return found


@pytest.fixture
def dockerfile(runtime, bench):
    """Give a task an environment/Dockerfile on top of busybox."""
    label = f"agenteval.test={uuid.uuid4()}"

    def write(*lines: str, name: str = "one") -> None:
        path = bench.suite / name / "environment/Dockerfile"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([f"FROM {BUSYBOX}", f"LABEL {label}", *lines, ""]))

    yield write
    # the steps on the way to an image are images too
    made = runtime.call("images", "--all", "--quiet", "--filter", f"label={label}").stdout
    for image in made.decode().split():
        runtime.call("rmi", "--force", image)


def agenteval(*arguments: str, cwd: Path, **options) -> subprocess.Popen:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-m", "agenteval", *arguments],
        cwd=cwd,
        env=env | options.pop("env", {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


class TestTrial:
    def test_setup_build_agent_and_checks_run_in_the_image(self, bench, dockerfile):
        dockerfile("RUN mkdir -p /etc && echo inside > /etc/mark && mkdir /data")
        task = bench.task(
            keys='setup = ["cp /etc/mark setup.txt"]\n'
            "[environment]\nbuild = ['cp /etc/mark built.txt']\n",
            checks='[[checks]]\nkind = "command"\nname = "all"\nrun = '
            '"for f in setup.txt built.txt agent.txt /etc/mark; do grep -q inside $f || exit 1; done"\n',
        )
        result = bench.shell(
            task, "cp /etc/mark agent.txt; ls /sys/class/net; touch /data/x || echo read-only"
        )
        row = result.attempt
        assert (row.status, row.sandbox, row.error_message) == ("pass", "container", None)
        assert result.artifacts["stdout.txt"] == b"lo\nread-only\n"
        assert row.files_changed == 1

    def test_the_runs_own_sandbox_does_not_matter(self, bench, runtime):
        task = bench.task(keys=IMAGE, checks=PASSES)
        fallback = replace(bench.around, sandbox=Plain(asked=False))
        for around in (bench.around, fallback):
            assert around.sandbox_of(task).name == "container"
        bare = bench.task("bare", checks=PASSES)
        assert fallback.sandbox_of(bare).name == "plain"
        assert sandbox_for(bare, bench.sandbox) is bench.sandbox
        assert [sandbox_name(each, "bwrap") for each in (task, bare)] == ["container", "bwrap"]

    def test_programs_are_looked_up_in_the_image(self, bench, runtime):
        def skipped(name):
            task = bench.task(keys=f'{IMAGE}\nrequires = ["{name}"]', checks=PASSES)
            row = bench.shell(task, "true").attempt
            assert row.sandbox == "container"
            return row.error_class

        assert shutil.which("git")
        assert skipped("git") == "requires_missing"
        assert skipped("busybox") is None

    def test_a_reference_is_applied_in_an_image_without_git(self, bench, runtime):
        task = bench.task(
            keys=IMAGE,
            repo={"app.txt": "broken\n", "old.txt": "x\n"},
            solution={"app.txt": "fixed\n", "new/file.txt": "y\n"},
            wrong={"other": {"app.txt": "mended\n"}},
        )
        findings = validate((task,), sandbox=bench.sandbox, repeat=1)
        assert {f.solution: f.status for f in findings} == {
            "untouched": "fail",
            "noop": "fail",
            "other": "fail",
            "reference": "pass",
        }
        assert all(f.ok for f in findings)

    def test_a_cancelled_agent_leaves_no_container(self, bench, runtime, alive, marker):
        task = bench.task(keys=f"{IMAGE}\ntimeout_s = 2", checks=PASSES)
        row = bench.shell(task, f"setsid sleep {marker} & sleep {marker}").attempt
        assert row.ended_by == "timeout"
        assert row.sandbox == "container"
        assert alive() == []


class TestImage:
    def test_built_once_however_many_ask(self, bench, dockerfile, tmp_path):
        """A nanosecond stamped into the image differs from build to build."""
        for name in ("one", "two"):
            dockerfile("RUN cat /proc/uptime /proc/sys/kernel/random/uuid > /stamp", name=name)
            bench.task(name, checks=PASSES)
        suite = load_suite(bench.suite)
        program = tmp_path / "agent.sh"
        program.write_text("cat /stamp\n")
        arm = make_arm(f"command:sh {program}")
        plan = make_plan("r", suite.name, suite.tasks, [arm], repeats=2)
        settings = Settings(tmp_path / "store", bench.sandbox, concurrency=4)
        rows = run_plan(plan, settings).attempts
        assert {(row.status, row.sandbox) for row in rows} == {("pass", "container")}
        folder = RunFolder(tmp_path / "store/runs/r")
        stamps = {(folder.attempt(row.trial_id, 1) / "stdout.txt").read_text() for row in rows}
        assert len(rows) == 4
        assert len(stamps) == 1

    def test_one_that_cannot_be_built_is_no_zero_and_is_not_built_again(self, bench, dockerfile):
        dockerfile("RUN echo so it goes >&2 && false")
        task = bench.task(checks=PASSES)
        first = bench.shell(task, "true").attempt
        assert (first.passed, first.error_class) == (None, "environment_build_failed")
        assert first.sandbox == "container"
        assert "so it goes" in first.error_message
        dockerfile()
        assert bench.shell(task, "true").attempt.error_class == "environment_build_failed"
        bench.around = Surroundings(bench.sandbox, Bases(bench.scratch / "again"), bench.scratch)
        assert bench.shell(task, "true").attempt.status == "pass"

    def test_one_that_does_not_exist(self, bench, runtime):
        task = bench.task(keys='image = "localhost/agenteval/no-such:1"', checks=PASSES)
        row = bench.shell(task, "true").attempt
        assert (row.passed, row.error_class) == (None, "environment_build_failed")
        assert "no-such" in row.error_message

    def test_a_built_environment_is_of_one_image(self, bench):
        task = bench.task(keys='[environment]\nbuild = ["true"]')

        def digest(sandbox):
            return environment_digest(task, task.task.environment, task.repo, sandbox)

        one, other = (Container("a", pinned=image) for image in ("1", "2"))
        assert len({digest(one), digest(other), digest(Plain())}) == 3
        assert digest(one) == digest(Container("another name", pinned="1"))


class TestRefusals:
    def test_only_containers_and_a_task_without_an_image(self, bench, runtime):
        own, bare = bench.task("own", keys=IMAGE), bench.task("bare")
        skipped = bench.task("later", keys='skip = "not yet"')
        only = choose_sandbox("container")
        check_isolation([own, skipped], only)
        with pytest.raises(InvalidInput) as caught:
            check_isolation([own, bare, skipped], only)
        assert caught.value.what.endswith("cannot run in a container: bare")
        assert caught.value.where == "--sandbox container"
        assert "--tasks" in caught.value.fix
        check_isolation([own, bare], choose_sandbox("container", image=BUSYBOX))

    def test_no_isolation_was_asked_for(self, bench, runtime, tmp_path):
        own, bare = bench.task("own", keys=IMAGE), bench.task("bare")
        check_isolation([bare], Plain())
        plan = make_plan("r", "s", [bare, own], [make_arm("scripted:noop")])
        with pytest.raises(InvalidInput) as caught:
            run_plan(plan, Settings(tmp_path / "store", Plain()))
        assert caught.value.what.endswith("rules out: own")
        assert "--no-sandbox" in caught.value.fix
        assert not (tmp_path / "store").exists()

    @pytest.mark.parametrize("command", ["run", "validate"])
    def test_where_containers_do_not_work(self, bench, tmp_path, command):
        bench.task("own", keys=IMAGE, solution={"app.txt": "fixed\n"})
        bench.task("bare")
        (tmp_path / "bin").mkdir()
        for name in filter(shutil.which, ("git", "bwrap", "sh")):
            (tmp_path / "bin" / name).symlink_to(shutil.which(name))
        agent = ["--agent", "scripted:noop"] if command == "run" else []
        with agenteval(
            command, "suite", *agent, cwd=tmp_path, env={"PATH": str(tmp_path / "bin")}
        ) as done:
            _, said = done.communicate()
        assert done.returncode == 2
        assert "containers do not work here: neither podman nor docker is installed" in said
        assert "task own" in said
        assert "install podman" in said
        assert not (tmp_path / ".agenteval/store/runs").exists()


class TestEngine:
    def test_a_container_of_a_killed_engine_is_gone_at_the_next_start(
        self, bench, runtime, tmp_path, alive, marker
    ):
        """Also when its guard and its client were killed with the engine."""
        bench.task(keys=IMAGE, checks=PASSES)
        program = tmp_path / "agent.sh"
        program.write_text(f"echo ready; sleep {marker}\n")
        engine = agenteval(
            *("try", "one", "--suite", "suite", "--agent", f"command:sh {program}"), cwd=tmp_path
        )
        with engine:
            assert "ready\n" in iter(engine.stdout.readline, "")
            os.kill(engine.pid, signal.SIGSTOP)
            (name,) = containers_of(runtime, engine.pid)
            # not the monitor, which holds the container, nor what is in it
            for pid, line in command_lines():
                if f"\0{name}\0" in line and "conmon" not in line.partition("\0")[0]:
                    os.kill(pid, signal.SIGKILL)
            engine.kill()
        assert alive()
        with agenteval(
            *("run", "suite", "--agent", "command:true", "--run-id", "next"), cwd=tmp_path
        ) as again:
            out, said = again.communicate()
        assert again.returncode == 0, said
        assert containers_of(runtime, engine.pid) == []
        assert alive() == []
        journal = read_journal(RunFolder(tmp_path / ".agenteval/store/runs/next").journal)
        assert [block.attempt.sandbox for block in journal.blocks] == ["container"]
        assert "1 task in containers of an image of their own" in said
        assert out

    def test_try_says_where_it_runs(self, bench, runtime, tmp_path):
        bench.task(keys=IMAGE, checks=PASSES)
        with agenteval(
            "try", "one", "--suite", "suite", "--agent", "command:true", cwd=tmp_path
        ) as e:
            out, said = e.communicate()
        assert "sandbox container" in said
        assert "--- pass" in out

    def test_doctor_says_whether_they_work(self, tmp_path):
        with agenteval("doctor", "--json", cwd=tmp_path) as done:
            out, _ = done.communicate()
        row = next(row for row in json.loads(out)["checks"] if row["what"] == "containers")
        assert (row["state"] == "ok") == (containers_work() is None)
        assert "image of their own" in row["detail"]


def containers_of(runtime, pid: int) -> list[str]:
    """Containers of the engine with a process id."""
    listed = runtime.call("ps", "--all", "--format", "{{.Names}}").stdout.decode().split()
    return [name for name in listed if name.startswith("agenteval-") and f"-{pid}-" in name]


def command_lines() -> list[tuple[int, str]]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                found.append((int(entry.name), (entry / "cmdline").read_text(errors="replace")))
            except OSError:
                continue
    return found
