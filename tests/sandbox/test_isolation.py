"""What a command inside bubblewrap can reach, and that nobody is left of it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agenteval.errors import Infrastructure
from agenteval.sandbox import Bounds, Command, base_environment, run_in
from agenteval.sandbox.programs import PACKAGE

SEES = 'for path in "$@"; do if [ -e "$path" ]; then echo "$path"; fi; done'


def sh(sandbox, box, script, *arguments, cwd=".", env=None, **options):
    return run_in(
        sandbox,
        box,
        Command(["sh", "-c", script, "sh", *map(str, arguments)], env or {}, cwd),
        **options,
    )


def seen(sandbox, box, *paths: Path) -> list[str]:
    return sh(sandbox, box, SEES, *paths).stdout.decode().split()


class TestBoth:
    """What isolated and plain commands share."""

    def test_it_starts_in_the_workspace(self, sandbox, box):
        (box.workspace / "here.txt").write_text("yes")
        done = sh(sandbox, box, "cat here.txt; pwd")
        assert done.stdout.decode() == f"yes{sandbox.view(box).workspace}\n"

    def test_folders_below_the_workspace(self, sandbox, box):
        (box.workspace / "a b/c").mkdir(parents=True)
        assert sh(sandbox, box, "pwd", cwd="a b/c").stdout.decode().strip().endswith("a b/c")

    @pytest.mark.parametrize("make", ["nothing", "dangling link", "link that leaves"])
    def test_a_folder_that_is_not_there_is_the_commands_failure(self, sandbox, box, make):
        if make != "nothing":
            target = (
                "/nowhere"
                if make == "dangling link"
                else str(Path(__file__).resolve().parent / "conftest.py")
            )
            (box.workspace / "sub").symlink_to(target)
        assert sh(sandbox, box, "true", cwd="sub").exit_code == 125

    def test_home_and_tmpdir_are_the_boxes_own(self, sandbox, box):
        sh(sandbox, box, 'echo h > "$HOME/h"; echo t > "$TMPDIR/t"')
        assert (box.home / "h").read_text() == "h\n"
        assert (box.tmp / "t").read_text() == "t\n"

    def test_only_named_variables_go_in(self, sandbox, box, monkeypatch):
        monkeypatch.setenv("SECRET_OF_THE_OPERATOR", "1")
        lines = sh(sandbox, box, "env", env={"NAMED": "yes"}).stdout.decode().splitlines()
        names = {line.partition("=")[0] for line in lines}
        assert names - {"PWD", "OLDPWD", "_"} == {*base_environment(sandbox.view(box)), "NAMED"}

    def test_programs_of_the_interpreter_come_first(self, sandbox, box):
        done = sh(
            sandbox, box, "command -v python3; python3 -c 'import pytest, sys; print(sys.prefix)'"
        )
        assert done.stdout.decode().split() == [f"{sys.prefix}/bin/python3", sys.prefix]

    def test_a_required_program_of_the_operators_is_on_path(
        self, sandbox, make_box, tmp_path, monkeypatch
    ):
        tool = tmp_path / "opt/tool/bin/lint-it"
        tool.parent.mkdir(parents=True)
        tool.write_text('#!/bin/sh\ncat "$(dirname "$0")/../data"\n')
        tool.chmod(0o755)
        (tmp_path / "opt/tool/data").write_text("whole prefix\n")
        monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
        done = sh(sandbox, make_box(programs=("lint-it",)), "lint-it")
        assert (done.exit_code, done.stdout) == (0, b"whole prefix\n")


class TestSystem:
    def test_the_workspace_is_writable_and_the_rest_is_not(self, bwrap, box):
        assert sh(bwrap, box, "touch made").exit_code == 0
        assert (box.workspace / "made").exists()
        for place in ("/usr", "/usr/bin", "/etc/ssl/certs", "/agent", sys.prefix):
            assert sh(bwrap, box, 'touch "$1/made"', place).exit_code != 0, place

    def test_root_cannot_make_the_system_writable_again(self, bwrap, box):
        script = "mount -o remount,rw /usr; touch /usr/made-by-a-test; unshare -Urm sh -c 'mount -o remount,rw /usr && touch /usr/made-by-a-test'; grep CapEff /proc/self/status"
        done = sh(bwrap, box, script)
        assert b"0000000000000000" in done.stdout
        assert not Path("/usr/made-by-a-test").exists()

    def test_kernel_settings_are_out_of_reach(self, bwrap, box):
        """Root may write there without any capability; a core_pattern would run on the host."""
        paths = ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches"]
        done = sh(bwrap, box, 'for path; do test -w "$path" && echo "$path"; done; true', *paths)
        assert done.stdout == b""

    def test_inputs_are_read_only(self, bwrap, box):
        (box.inputs / "prompt.md").write_text("do it")
        done = sh(bwrap, box, "cat /agent/prompt.md; echo x > /agent/prompt.md || echo refused")
        assert done.stdout == b"do itrefused\n"

    def test_no_key_and_no_password_hash_of_the_machine_is_shown(self, bwrap, box):
        assert (
            seen(
                bwrap,
                box,
                "/etc/shadow",
                "/etc/ssl/private",
                "/etc/ssh",
                "/sys",
                "/var",
                "/run",
            )
            == []
        )

    def test_the_host_is_not_named(self, bwrap, box):
        assert sh(bwrap, box, "uname -n").stdout == b"sandbox\n"


class TestNetwork:
    @pytest.fixture
    def port(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield server.getsockname()[1]

    CONNECT = (
        "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=10)"
    )

    def connect(self, sandbox, box, port: int) -> int:
        return run_in(sandbox, box, Command(["python3", "-c", self.CONNECT, str(port)])).exit_code

    def test_it_is_off(self, bwrap, box, port):
        assert self.connect(bwrap, box, port) != 0
        assert (
            sh(bwrap, box, "ls /sys/class/net 2>/dev/null; cat /proc/net/dev").stdout.count(b":")
            == 1
        )

    def test_it_is_on_when_asked_for(self, bwrap, make_box, port):
        assert self.connect(bwrap, make_box(network=True), port) == 0

    def test_a_server_inside_can_be_reached_inside(self, bwrap, box):
        code = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
        assert run_in(bwrap, box, Command(["python3", "-c", code])).exit_code == 0


class TestVisibility:
    def test_nothing_of_the_operator_is_seen(self, bwrap, box, tmp_path):
        secret = tmp_path / "store/run.json"
        secret.parent.mkdir()
        secret.write_text("{}")
        checkout = Path(__file__).resolve().parents[2]
        here = [
            secret,
            Path.home() / ".bashrc",
            Path.home() / ".ssh",
            Path.home() / ".gitconfig",
            PACKAGE,
            checkout / "tasks",
            checkout / "pyproject.toml",
            Path(__file__),
        ]
        assert seen(bwrap, box, *here) == []

    def test_a_declared_file_is_shown_at_its_own_path_read_only(self, bwrap, make_box, tmp_path):
        program = tmp_path / "agent.sh"
        program.write_text("text")
        box = make_box(read_only=(program,))
        assert seen(bwrap, box, program) == [str(program)], "also below /tmp, which is private"
        assert sh(bwrap, box, 'echo x > "$1"', program).exit_code != 0
        assert program.read_text() == "text"

    def test_a_hidden_folder_is_masked_where_a_shown_one_contains_it(
        self, bwrap, make_box, tmp_path
    ):
        project = tmp_path / "project"
        for name in ("agent.py", "evals/one/hidden/test.py", "evals/agent/run.sh", "lib/a.py"):
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(name)
        box = make_box(
            read_only=(project, project / "evals/agent/run.sh"), hidden=(project / "evals",)
        )
        paths = [
            project / name for name in ("agent.py", "lib/a.py", "evals/one", "evals/agent/run.sh")
        ]
        assert seen(bwrap, box, *paths) == [str(paths[0]), str(paths[1]), str(paths[3])]

    def test_a_hidden_folder_is_masked_through_a_link(self, bwrap, make_box, tmp_path):
        (tmp_path / "project/evals").mkdir(parents=True)
        (tmp_path / "project/evals/secret").write_text("x")
        (tmp_path / "link").symlink_to(tmp_path / "project")
        box = make_box(read_only=(tmp_path / "project",), hidden=(tmp_path / "link/evals",))
        assert seen(bwrap, box, tmp_path / "project/evals/secret") == []

    def test_the_same_folder_shown_and_hidden_is_hidden(self, bwrap, make_box, tmp_path):
        (tmp_path / "evals").mkdir()
        (tmp_path / "evals/secret").write_text("x")
        box = make_box(read_only=(tmp_path / "evals",), hidden=(tmp_path / "evals",))
        assert seen(bwrap, box, tmp_path / "evals/secret") == []

    def test_an_installed_package_does_not_show_its_hidden_tests(self, bwrap, box, tmp_path):
        """The layout a wheel gives: the package, bundled tasks inside, below the interpreter's prefix."""
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        subprocess.run(
            [sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True, env=env
        )
        site = next((tmp_path / "venv/lib").glob("python*/site-packages"))
        subprocess.run(["cp", "-r", str(PACKAGE), str(site)], check=True)
        bundled = site / "agenteval/_bundled/tasks/one/hidden/test_it.py"
        bundled.parent.mkdir(parents=True)
        bundled.write_text("assert False")
        (site / "rest.pth").write_text(
            next(path for path in sys.path if path.endswith("site-packages")) + "\n"
        )
        (site / "other.py").write_text("value = 1")
        code = f"""
from pathlib import Path
import agenteval
from agenteval.records import bundled
from agenteval.sandbox import Box, Bubblewrap, Command, run_in
assert str(agenteval.__file__).startswith({str(site)!r}), agenteval.__file__
assert (bundled("tasks") / "one/hidden/test_it.py").exists()
top = Path({str(tmp_path / "inner")!r})
box = Box(top / "w", top / "h", top / "t", top / "i")
box.create()
look = "import other, os, sys; print([os.path.exists(path) for path in sys.argv[1:3]], os.listdir(sys.argv[3]))"
paths = {[str(site / "other.py"), str(bundled), str(site / "agenteval")]!r}
done = run_in(Bubblewrap(), box, Command(["python3", "-c", look, *paths]))
print(done.stdout.decode(), done.stderr.decode())
"""
        done = subprocess.run(
            [tmp_path / "venv/bin/python", "-c", code],
            env=env,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.stdout.strip(), done.stderr) == ("[True, False] []", "")


class TestNobodySurvives:
    def test_a_daemon_is_dead_when_the_command_has_ended(self, bwrap, box, alive, marker):
        daemon = (
            f"(trap '' TERM HUP; setsid setsid sleep {marker} >/dev/null 2>&1 &) & echo started"
        )
        done = sh(bwrap, box, daemon)
        assert (done.exit_code, done.stdout) == (0, b"started\n")
        assert alive() == []

    def test_a_background_writer_writes_nothing_any_more(self, bwrap, box):
        writer = "import time\nwhile True:\n    open('/workspace/ticks', 'a').write('x')"
        script = 'setsid python3 -c "$1" >/dev/null 2>&1 & while [ ! -s ticks ]; do :; done'
        for _ in range(3):
            assert sh(bwrap, box, script, writer).exit_code == 0
            size = (box.workspace / "ticks").stat().st_size
            assert size > 0
            threading.Event().wait(0.05)
            assert (box.workspace / "ticks").stat().st_size == size
            (box.workspace / "ticks").unlink()

    def test_stopped_ones_die_too(self, bwrap, box, alive, marker):
        script = f"trap '' TERM; (trap '' TERM; setsid sleep {marker}) & echo ready; while :; do sleep 0.05; done"
        done = sh(bwrap, box, script, bounds=Bounds(timeout_s=0.5, grace_s=0.2))
        assert (done.stopped_by, done.stdout) == ("timeout", b"ready\n")
        assert alive() == []

    def test_an_agent_gets_term_first_and_time_to_save(self, bwrap, box):
        script = "trap 'echo saved > note; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
        cancel = threading.Event()
        done = sh(
            bwrap,
            box,
            script,
            bounds=Bounds(grace_s=30),
            cancel=cancel,
            on_output=lambda *_: cancel.set(),
        )
        assert (done.stopped_by, done.exit_code) == ("cancelled", 7)
        assert (box.workspace / "note").read_text() == "saved\n"

    def test_term_reaches_processes_in_sessions_of_their_own(self, bwrap, box):
        inner = "trap 'echo told > told; exit' TERM; echo ready; while :; do sleep 0.05; done"
        script = 'trap : TERM; setsid sh -c "$1" & wait; wait; sleep 0.3'
        cancel = threading.Event()
        done = sh(
            bwrap,
            box,
            script,
            inner,
            bounds=Bounds(grace_s=30),
            cancel=cancel,
            on_output=lambda *_: cancel.set(),
        )
        assert done.stopped_by == "cancelled"
        assert (box.workspace / "told").read_text() == "told\n"

    def test_they_die_with_an_engine_that_is_killed(self, bwrap, box, alive, marker, tmp_path):
        code = f"""
from pathlib import Path
from agenteval.sandbox import Box, Bubblewrap, Command, run_in
box = Box(*(Path(path) for path in {[str(p) for p in (box.workspace, box.home, box.tmp, box.inputs)]!r}))
run_in(Bubblewrap(), box, Command(["sh", "-c", "(trap '' TERM HUP; setsid sleep {marker} &) ; echo ready; sleep {marker}"]), on_output=lambda *_: print("ready", flush=True))
"""
        engine = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        with engine:
            assert engine.stdout is not None
            assert engine.stdout.readline() == b"ready\n"
            assert alive()
            engine.send_signal(signal.SIGKILL)
        deadline = 200
        while alive() and deadline:
            threading.Event().wait(0.05)
            deadline -= 1
        assert alive() == []

    def test_other_processes_cannot_be_signalled(self, bwrap, box):
        assert sh(bwrap, box, 'kill -0 "$1"', os.getpid()).exit_code != 0
        assert sh(bwrap, box, "kill -KILL -1; echo still here").exit_code in (0, 137)

    def test_death_by_signal_is_told_as_a_shell_does(self, bwrap, box):
        assert sh(bwrap, box, "kill -KILL $$").exit_code == 128 + signal.SIGKILL


class TestSandboxFailure:
    """Bubblewrap's own failures are never taken for the command's."""

    def test_a_mount_that_cannot_be_made(self, bwrap, make_box, tmp_path):
        with pytest.raises(Infrastructure, match="before the command was reached") as caught:
            sh(bwrap, make_box(read_only=(tmp_path / "gone",)), "true")
        assert caught.value.error_class == "sandbox_failed"

    def test_a_program_that_is_not_there(self, bwrap, box):
        with pytest.raises(Infrastructure, match="no-such-program"):
            run_in(bwrap, box, Command(["no-such-program"]))

    def test_a_command_that_pretends_is_taken_at_its_word(self, bwrap, box):
        done = sh(bwrap, box, 'echo "bwrap: Can\'t mount proc" >&2; exit 1')
        assert done.exit_code == 1
