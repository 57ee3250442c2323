"""Commands in a container: the same paths, limits and ends as in the other sandboxes."""

import fcntl
import io
import os
import select
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from agenteval.errors import Infrastructure, InvalidInput
from agenteval.sandbox import (
    Bounds,
    Command,
    Container,
    base_environment,
    build_image,
    choose_sandbox,
    containers_work,
    fetch_image,
    find_runtime,
    image_id,
    run_in,
    watch,
)
from agenteval.sandbox.image import context_digest
from agenteval.sandbox.owner import owner_id
from agenteval.sandbox.runtime import LABEL, client_env

BUSYBOX = "localhost/agenteval/test-busybox:1"
AMPLE_S = 300.0


def need(problem: str | None) -> None:
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem


def wait_dead(pids: list[int]) -> None:
    """Wait until these processes have ended."""
    for pid in pids:
        try:
            descriptor = os.pidfd_open(pid)
        except ProcessLookupError:
            continue
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        ended = poll.poll(120_000)
        os.close(descriptor)
        assert ended, f"process {pid} lives on"


@pytest.fixture(scope="module")
def runtime():
    need(containers_work())
    return find_runtime()


@pytest.fixture(scope="module")
def image(runtime) -> str:
    """A root file system of one static program."""
    busybox = shutil.which("busybox")
    need(None if busybox else "busybox-static is not installed")
    if image_id(runtime, BUSYBOX) is None:
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            archive.add(busybox, "bin/busybox")
            names = subprocess.run([busybox, "--list"], capture_output=True, text=True).stdout
            for name in sorted({*names.split()} - {"busybox"}):
                link = tarfile.TarInfo(f"bin/{name}")
                link.type, link.linkname = tarfile.SYMTYPE, "busybox"
                archive.addfile(link)
        made = runtime.call("import", "-", BUSYBOX, stdin=data.getvalue())
        assert made.exit_code == 0, made.stderr
    return BUSYBOX


@pytest.fixture
def sandbox(image) -> Container:
    return choose_sandbox("container", image=image)


@pytest.fixture
def run(sandbox, box, alive, runtime):
    """Run a shell script within bounds; afterwards nothing of it is left."""

    def run(script, *, env=None, cancel=None, on_output=None, **bounds):
        bounds = Bounds(**{"timeout_s": AMPLE_S, "grace_s": 0.5} | bounds)
        command = Command(["sh", "-c", script], env or {})
        done = run_in(sandbox, box, command, bounds=bounds, cancel=cancel, on_output=on_output)
        assert alive() == []
        assert containers(runtime) == []
        return done

    return run


def containers(runtime, owner: str | None = None) -> list[str]:
    """Containers of one engine, of this one by default."""
    label = f"label={LABEL}={owner or owner_id()}"
    listed = runtime.call("ps", "--all", "--filter", label, "--format", "{{.Names}}")
    return listed.stdout.decode().split()


class TestInside:
    def test_both_streams_and_the_exit_code(self, run):
        done = run("echo out; echo err >&2; exit 3")
        assert (done.exit_code, done.stopped_by) == (3, None)
        assert (done.stdout, done.stderr) == (b"out\n", b"err\n")

    def test_the_box_is_where_it_always_is(self, run, box):
        (box.workspace / "here").write_text("w")
        (box.inputs / "prompt.md").write_text("p")
        done = run(
            'pwd; cat here /agent/prompt.md; echo h > "$HOME/h"; echo t > "$TMPDIR/t"; echo n > new'
        )
        assert done.stdout == b"/workspace\nwp"
        assert (box.home / "h").read_text() == "h\n"
        assert (box.tmp / "t").read_text() == "t\n"
        assert (box.workspace / "new").stat().st_uid == os.getuid()

    def test_a_folder_below_the_workspace(self, sandbox, box):
        (box.workspace / "a b").mkdir()
        assert run_in(sandbox, box, Command(["pwd"], cwd="a b")).stdout == b"/workspace/a b\n"

    @pytest.mark.parametrize(
        "place", ["/", "/bin", "/agent", "/etc", "/.agenteval", "/sys/fs/cgroup"]
    )
    def test_everything_else_is_read_only(self, run, place):
        """No limit on disk counts what is written beside the box, also in memory."""
        done = run(f"chmod 755 {place} 2>/dev/null; touch {place}/new")
        assert done.exit_code == 1
        assert b"Read-only file system" in done.stderr

    def test_only_named_variables_go_in(self, run, sandbox, box, monkeypatch):
        monkeypatch.setenv("SECRET_OF_THE_OPERATOR", "1")
        monkeypatch.setenv("HTTPS_PROXY", "http://proxy.invalid")
        value = "two\nlines, 'quoted' \"twice\" and = $HOME"
        done = run('env | cut -d= -f1; printf "%s" "$NAMED" > named', env={"NAMED": value})
        images_own = {"PATH", "HOSTNAME", "container", "SHLVL", "PWD"}
        expected = {*base_environment(sandbox.view(box)), "NAMED"} | images_own
        assert {*done.stdout.decode().split("\n")} - {
            "",
            "lines, 'quoted' \"twice\" and ",
        } <= expected
        assert (box.workspace / "named").read_text() == value

    @pytest.mark.parametrize("name", ["API_KEY", "GOOGLE_API_KEY", "DOCKER_TOKEN", "USER_TOKEN"])
    def test_a_secret_is_on_no_command_line(self, run, alive, marker, name):
        seen = []
        done = run(f'echo "${name}"', env={name: marker}, on_output=lambda *_: seen.append(alive()))
        assert done.stdout.decode() == f"{marker}\n"
        assert seen == [[]]

    def test_a_variable_of_the_clients_own_is_set_all_the_same(self, run):
        done = run('echo "$HOME $LD_LIBRARY_PATH"', env={"HOME": "/tmp", "LD_LIBRARY_PATH": "/x"})
        assert done.stdout == b"/tmp /x\n"

    def test_the_images_path_holds(self, run):
        assert run("echo $PATH; command -v python3").stdout.decode().strip().endswith("/bin")

    def test_what_programs_the_image_lacks(self, sandbox, runtime):
        assert sandbox.missing(["ls", "git", "no such; program", "sh"]) == [
            "git",
            "no such; program",
        ]
        assert sandbox.missing([]) == []
        assert containers(runtime) == []

    def test_no_network(self, run):
        assert run("ls /sys/class/net").stdout == b"lo\n"

    def test_no_capability(self, run):
        done = run("grep CapEff /proc/self/status; grep NoNewPrivs /proc/self/status")
        assert done.stdout == b"CapEff:\t0000000000000000\nNoNewPrivs:\t1\n"

    def test_what_is_shown_and_what_in_it_is_hidden(self, sandbox, make_box, tmp_path):
        shown = tmp_path / "tool, with a comma"
        (shown / "hidden").mkdir(parents=True)
        (shown / "data").write_text("data")
        (shown / "hidden/answer").write_text("answer")
        box = make_box(read_only=(shown,), hidden=(shown / "hidden", tmp_path / "not shown"))
        script = f"cat '{shown}/data'; ls -A '{shown}/hidden' | wc -l; touch '{shown}/x' || echo no"
        done = run_in(sandbox, box, Command(["sh", "-c", script]))
        assert done.stdout == b"data0\nno\n"

    def test_the_network_of_the_host_if_the_task_asks_for_it(self, sandbox, make_box):
        box = make_box(network=True)
        done = run_in(sandbox, box, Command(["ls", "/sys/class/net"]))
        assert done.stdout.decode().split() == sorted(
            p.name for p in Path("/sys/class/net").iterdir()
        )


class TestLimits:
    def test_memory(self, run, tmp_path, monkeypatch):
        (tmp_path / "here").mkdir()
        monkeypatch.chdir(tmp_path / "here")
        # busybox keeps what it pipes through in memory
        done = run("x=$(head -c 300000000 /dev/zero | tr '\\0' a); echo $?", memory_mb=60)
        assert done.stopped_by == "memory_limit"
        assert 55 < done.peak_memory_mb <= 60
        assert list((tmp_path / "here").iterdir()) == []

    def test_processes(self, run, marker):
        done = run(f"while :; do sleep {marker} & done", max_processes=30)
        assert done.stopped_by == "process_limit"

    def test_disk(self, run, box):
        done = run("cat /dev/zero > big; sleep 600", disk_mb=20)
        assert done.stopped_by == "disk_limit"
        assert (box.workspace / "big").stat().st_size <= 21 << 20

    def test_output_is_stored_nowhere_else(self, run):
        done = run("yes", max_output_bytes=20 << 20)
        assert done.stopped_by == "output_limit"
        assert len(done.stdout) <= (1 << 20) + 60

    def test_a_silent_sleeper(self, run, marker):
        assert run(f"sleep {marker}", no_progress_s=1.5).stopped_by == "no_progress"

    def test_within_all_limits(self, run):
        bounds = {"memory_mb": 100, "max_processes": 10, "disk_mb": 10, "no_progress_s": 60}
        done = run("echo fine; exit 4", **bounds)
        assert (done.exit_code, done.stopped_by, done.stdout) == (4, None, b"fine\n")
        assert 0 < done.peak_memory_mb < 100

    def test_processors(self, image, box):
        done = run_in(Container(image, cpus=0.5), box, Command(["sh", "-c", "echo fine"]))
        assert done.stdout == b"fine\n"


class TestEnd:
    def test_term_reaches_the_agent(self, run):
        script = "trap 'echo saved; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
        done = run(script, max_output_bytes=3, grace_s=AMPLE_S)
        assert (done.exit_code, done.stdout) == (7, b"ready\nsaved\n")

    def test_who_ignores_term_is_killed_after_the_grace(self, run, marker):
        script = f"trap '' TERM; (trap '' TERM; setsid sleep {marker} &); echo ready; while :; do sleep 1; done"
        assert run(script, max_output_bytes=3).stopped_by == "output_limit"

    def test_a_child_in_the_background_ends_with_the_command(self, run, marker):
        done = run(f"(setsid sleep {marker} >/dev/null 2>&1 &); echo end")
        assert (done.exit_code, done.stdout) == (0, b"end\n")

    def test_cancelled_before_it_starts(self, run, marker):
        cancel = threading.Event()
        cancel.set()
        assert run(f"sleep {marker}", cancel=cancel).stopped_by == "cancelled"

    def test_an_exit_code_of_the_runtimes_is_the_commands_own(self, run):
        for code in (125, 126, 127):
            assert run(f"exit {code}").exit_code == code

    def test_who_forges_the_talk_with_the_engine_gains_nothing(self, run):
        done = run(
            "while :; do echo ended; done > /.agenteval/said & sleep 1; echo still here; exit 3"
        )
        assert (done.exit_code, done.stdout) == (3, b"still here\n")

    @pytest.mark.parametrize(
        "deed",
        [
            "head -c 70000 /dev/zero > /.agenteval/go &",
            "while :; do echo x; done > /.agenteval/said & while :; do head -c 2 /.agenteval/said; done &",
            "if (exec 3<>/.agenteval/said) || (exec 3<>/.agenteval/go); then exit 4; fi",
            "cd /.agenteval; for n in $(seq 1200); do mkdir d && cd d || break; done",
            "chmod 666 /.agenteval/*; rm -f /.agenteval/*",
        ],
        ids=["full", "taken", "open", "deep", "gone"],
    )
    def test_who_breaks_the_talk_is_no_fault_of_the_machinery(self, run, deed):
        """Else an agent that fails could leave the rate."""
        done = run(f"{{ {deed}\n}} >/dev/null 2>&1; sleep 1; exit 3")
        assert (done.exit_code, done.stopped_by) == (3, None)

    def test_one_that_cannot_be_ended_is_infrastructure(
        self, sandbox, box, runtime, tmp_path, monkeypatch
    ):
        """Else somebody could write on while the work is graded."""
        real, own = shutil.which(runtime.program), tmp_path / "bin" / runtime.program
        own.parent.mkdir()
        own.write_text(f'#!/bin/sh\ncase " $* " in *" rm "*) exit 125;; esac\nexec {real} "$@"\n')
        own.chmod(0o755)
        command = Command(["sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"])
        with monkeypatch.context() as patch:
            patch.setenv("PATH", f"{own.parent}:{os.environ['PATH']}")
            patch.setattr(watch, "DEATH_S", 1.0)
            with pytest.raises(Infrastructure, match="cannot be ended"):
                run_in(sandbox, box, command, bounds=Bounds(timeout_s=1.0, grace_s=0.1))
        (left,) = containers(runtime)
        runtime.remove(left)
        assert containers(runtime) == []

    def test_gone_when_the_engine_is_killed(self, image, runtime, tmp_path, alive, marker):
        code = """
import sys
from pathlib import Path
from agenteval.sandbox import Box, Command, choose_sandbox, run_in
from agenteval.sandbox.owner import owner_id
folder, image, marker = sys.argv[1:]
parts = {part: Path(folder, part) for part in ("workspace", "home", "tmp", "inputs")}
box = Box(**parts)
box.create()
command = Command(["sh", "-c", "setsid sleep $1 & echo ready; sleep $1", "sh", marker])
show = lambda name, data: print(owner_id(), flush=True)
run_in(choose_sandbox("container", image=image), box, command, on_output=show)
"""
        engine = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "box"), image, marker],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        with engine:
            owner = engine.stdout.readline().decode().strip()
            assert owner
            assert len(containers(runtime, owner)) == 1
            living = [pid for pid in alive() if pid != engine.pid]
            assert len(living) >= 2
            engine.kill()
        wait_dead(living)
        assert alive() == []


class TestLeftovers:
    def start(self, runtime, image, owner, marker) -> str:
        """A container as an engine leaves it when even its guard was killed."""
        name = f"agenteval-{owner}-7"
        options = ["run", "--detach", *runtime.isolation(network=False)]
        labels = ["--name", name, "--label", f"{LABEL}={owner}"]
        done = runtime.call(*options, *labels, image, "sleep", marker)
        assert done.exit_code == 0, done.stderr
        return name

    def test_of_dead_engines_are_removed_at_the_next_start(self, runtime, image, alive, marker):
        namespace, _, _ = owner_id().split("-")
        dead = subprocess.Popen(["sleep", "600"])
        start = Path(f"/proc/{dead.pid}/stat").read_text().rpartition(") ")[2].split()[19]
        dead.kill()
        dead.wait()
        theirs = self.start(runtime, image, f"{namespace}-{dead.pid}-{start}", marker)
        ours = self.start(runtime, image, owner_id(), marker)
        try:
            code = "from agenteval.sandbox import find_runtime, sweep_containers; sweep_containers(find_runtime())"
            env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            subprocess.run([sys.executable, "-c", code], check=True, env=env)
            names = runtime.call("ps", "--all", "--format", "{{.Names}}").stdout.decode().split()
            assert theirs not in names
            assert ours in names
        finally:
            runtime.remove(ours)
            runtime.remove(theirs)
        assert alive() == []


class TestImages:
    @pytest.fixture
    def context(self, runtime, tmp_path, image) -> Iterator[Path]:
        folder = tmp_path / "environment"
        folder.mkdir()
        label = f"agenteval.test={uuid.uuid4()}"
        (folder / "Dockerfile").write_text(
            f"FROM {image}\nLABEL {label}\nCOPY tool /opt/tool\nRUN echo built > /opt/built\nENV PATH=/opt:/bin\n"
        )
        (folder / "tool").write_text(f"#!/bin/sh\necho tool of {tmp_path}\n")
        (folder / "tool").chmod(0o755)
        yield folder
        # the steps on the way to an image are images too
        made = runtime.call("images", "--all", "--quiet", "--filter", f"label={label}").stdout
        for name in made.decode().split():
            runtime.call("rmi", "--force", name)

    def test_a_tasks_own_environment(self, runtime, context, box, tmp_path):
        image = build_image(runtime, context)
        command = Command(["sh", "-c", "tool; cat /opt/built"])
        done = run_in(Container(image), box, command, bounds=Bounds(timeout_s=AMPLE_S))
        assert done.stdout.decode() == f"tool of {tmp_path}\nbuilt\n"

    def test_built_once_for_the_same_files(self, runtime, context):
        def created(name):
            return runtime.call("image", "inspect", "--format", "{{.Id}} {{.Created}}", name).stdout

        name = build_image(runtime, context)
        first = created(name)
        assert first
        assert build_image(runtime, context) == name
        assert created(name) == first
        (context / "tool").write_text("other")
        assert build_image(runtime, context) != name

    def test_a_container_keeps_to_the_image_it_was_made_for(self, runtime, context, box):
        name = build_image(runtime, context)
        pinned = image_id(runtime, name)
        assert pinned is not None
        runtime.call("tag", BUSYBOX, name)  # now the name means another image
        try:
            command = Command(["cat", "/opt/built"])
            bounds = Bounds(timeout_s=AMPLE_S)
            assert (
                run_in(Container(name, pinned=pinned), box, command, bounds=bounds).stdout
                == b"built\n"
            )
            assert run_in(Container(name), box, command, bounds=bounds).exit_code == 1
        finally:
            runtime.call("rmi", name)

    def test_a_build_that_is_waited_for_can_be_given_up(self, runtime, context):
        lock = os.open(context, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        cancel = threading.Event()
        threading.Timer(0.3, cancel.set).start()
        try:
            with pytest.raises(Infrastructure, match="Stopped while"):
                build_image(runtime, context, cancel=cancel)
        finally:
            os.close(lock)

    def test_volumes_and_health_checks_of_an_image_are_not_had(self, runtime, context, box):
        """A volume is a writable place on the disk that no limit counts, and stays."""
        with (context / "Dockerfile").open("a") as file:
            file.write("VOLUME /data\nHEALTHCHECK --interval=1s CMD touch /workspace/checked\n")
        command = Command(["sh", "-c", "sleep 2; touch /data/x || touch /opt/x"])
        before = runtime.call("volume", "ls", "--quiet").stdout
        bounds = Bounds(timeout_s=AMPLE_S)
        done = run_in(Container(build_image(runtime, context)), box, command, bounds=bounds)
        assert done.exit_code == 1
        assert b"health" not in done.stderr
        assert runtime.call("volume", "ls", "--quiet").stdout == before
        assert not (box.workspace / "checked").exists()

    BUILD = """
import sys, threading
from pathlib import Path
from agenteval.sandbox import build_image, find_runtime
cancel = threading.Event()
threading.Thread(target=lambda: sys.stdin.read() and cancel.set(), daemon=True).start()
print("begins", flush=True)
build_image(find_runtime(), Path(sys.argv[1]), cancel=cancel)
"""

    @pytest.mark.parametrize("end", ["cancelled", "engine killed"])
    def test_nobody_of_a_build_is_left(self, runtime, context, alive, marker, end):
        own = f"test-{uuid.uuid4()}"  # the builder is named after what it starts from
        runtime.call("tag", BUSYBOX, f"localhost/agenteval/{own}:1")
        text = f"FROM localhost/agenteval/{own}:1\nRUN sleep {marker}\n"
        (context / "Dockerfile").write_text(text)
        engine = subprocess.Popen(
            [sys.executable, "-c", self.BUILD, str(context)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        with engine:
            assert engine.stdout.readline() == b"begins\n"
            while not (living := alive()):
                assert engine.poll() is None, engine.stderr.read()
                time.sleep(0.05)
            if end == "cancelled":
                engine.stdin.write(b"stop")
            else:
                engine.kill()
            engine.communicate()
        wait_dead(living)
        assert alive() == []
        runtime.call("rm", "--force", f"{own}-working-container")
        runtime.call("rmi", f"localhost/agenteval/{own}:1")

    def test_what_decides_the_image(self, tmp_path):
        def digest(**options):
            return context_digest(
                tmp_path, **{"dockerfile": "Dockerfile", "network": False} | options
            )

        seen = [digest(), digest(network=True), digest(dockerfile="Other")]
        (tmp_path / "a").write_text("x")
        seen.append(digest())
        (tmp_path / "a").chmod(0o755)
        seen.append(digest())
        (tmp_path / "a").rename(tmp_path / "b")
        seen.append(digest())
        (tmp_path / "link").symlink_to("b")
        seen.append(digest())
        assert len(set(seen)) == len(seen)
        assert digest() == seen[-1]

    @pytest.mark.parametrize(
        "line", ["RUN false", "RUN wget -T 5 http://192.0.2.1/x", "COPY missing /x"]
    )
    def test_a_build_that_fails_is_infrastructure(self, runtime, context, line):
        with (context / "Dockerfile").open("a") as file:
            file.write(line + "\n")
        with pytest.raises(Infrastructure) as caught:
            build_image(runtime, context)
        assert caught.value.error_class == "environment_build_failed"
        assert str(context) in str(caught.value)

    def test_without_a_dockerfile(self, runtime, tmp_path):
        with pytest.raises(Infrastructure, match="no Dockerfile"):
            build_image(runtime, tmp_path)


class TestMistakes:
    def test_a_container_needs_an_image(self, runtime, box):
        sandbox = choose_sandbox("container")
        assert (sandbox.name, sandbox.isolates, sandbox.image) == ("container", True, None)
        with pytest.raises(InvalidInput, match="needs an image"):
            run_in(sandbox, box, Command(["true"]))

    def test_an_image_that_cannot_be_fetched_is_infrastructure(self, runtime):
        with pytest.raises(Infrastructure) as caught:
            fetch_image(runtime, "localhost/agenteval/no-such-image:1")
        assert caught.value.error_class == "environment_build_failed"
        assert "no-such-image" in caught.value.where

    def test_an_image_without_a_shell_is_infrastructure(self, runtime, box, image):
        name = "localhost/agenteval/test-empty:1"
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            archive.addfile(tarfile.TarInfo("nothing"))
        runtime.call("import", "-", name, stdin=data.getvalue())
        with pytest.raises(Infrastructure) as caught:
            run_in(Container(name), box, Command(["true"]), bounds=Bounds(timeout_s=AMPLE_S))
        assert caught.value.error_class == "sandbox_failed"
        assert "/bin/sh" in str(caught.value)
        assert containers(runtime) == []
        runtime.call("rmi", name)

    def test_the_client_gets_no_secret_of_the_operators(self, monkeypatch):
        monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
        assert "ANTHROPIC_API_KEY" not in client_env()
        assert "PATH" in client_env()
