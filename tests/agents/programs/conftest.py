"""Real agent programs in the real sandbox, with a scripted model server on the loopback interface."""

import json
import os
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from agenteval.agents import AgentReport, Endpoint, Job, Output
from agenteval.errors import MissingProgram
from agenteval.records import Arm, Overlay
from agenteval.sandbox import Bounds, Box, Bubblewrap, Command, bwrap_works, read_regular, run_in

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
RECORDINGS = SHARED / "data/agent_recordings"
SERVER = SHARED / "tools/mock_model_server.py"
CI = os.environ.get("CI") == "true"


def absent(reason, required):
    """Skip on a laptop; fail where .ci/run has installed it."""
    (pytest.fail if CI and required else pytest.skip)(reason)


@pytest.fixture(scope="session")
def recordings():
    """Verbatim output of the programs."""
    if not RECORDINGS.is_dir():
        pytest.skip("the recordings are not here")
    return RECORDINGS


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Address of a scripted model server; a script makes a session of its own."""
    if not SERVER.is_file():
        pytest.skip("the scripted model server is not here")
    process = subprocess.Popen(
        [sys.executable, str(SERVER), "--port", "0"], stdout=subprocess.PIPE, text=True
    )
    yield process.stdout.readline().strip()
    process.terminate()
    process.wait()
    process.stdout.close()


class Session:
    """One script of the server."""

    def __init__(self, server, name, script):
        self.url = f"{server}/s/{name}"
        self.control = f"{server}/_ctl/sessions/{name}"
        body = json.dumps({"script": script}).encode()
        with urllib.request.urlopen(
            urllib.request.Request(self.control, data=body, method="PUT")
        ) as reply:
            reply.read()

    @property
    def seen(self):
        with urllib.request.urlopen(self.control) as reply:
            return json.load(reply)


@pytest.fixture
def session(server, request):
    count = iter(range(100))
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)
    return lambda script: Session(server, f"{name}-{next(count)}", script)


class Ran:
    """One real run: what came back, and the workspace after it."""

    def __init__(
        self, agent, job, folder, *, stop_when=None, timeout_s=120.0, lay="true", sandbox=None
    ):
        box = Box(folder / "ws", folder / "home", folder / "tmp", folder / "in", network=True)
        box.create()
        subprocess.run(
            f"{lay}; git init -q . && echo 'def add(a, b):\n    return a - b' > calc.py && git add . && "
            "git -c user.name=a -c user.email=a@b commit -qm start",
            shell=True, cwd=box.workspace, check=True,
        )  # fmt: skip
        sandbox = sandbox or Bubblewrap()
        view = sandbox.view(box)
        launch = agent.launch(job, view)
        for name, data in {"prompt.md": job.task.prompt.encode(), **launch.files}.items():
            (box.inputs / name).write_bytes(data)
        (box.home / ".gitconfig").write_text(
            "[user]\n\tname = a\n\temail = a@b\n[safe]\n\tdirectory=*\n"
        )
        overlay = job.arm.overlay or Overlay()
        env = {"AGENTEVAL_ANSWER": f"{view.home}/answer.md", **overlay.env, **launch.env}
        box = Box(
            *(box.workspace, box.home, box.tmp, box.inputs),
            read_only=launch.read_only,
            network=True,
        )
        cancel = threading.Event()
        told = b""

        def look(stream, data):
            nonlocal told
            told += data
            if stop_when is not None and stop_when(told):
                cancel.set()

        self.done = run_in(
            sandbox,
            box,
            Command(launch.argv, env),
            bounds=Bounds(timeout_s=timeout_s),
            cancel=cancel,
            on_output=look,
        )
        answer = box.home / "answer.md"
        data = read_regular(answer, 4 << 20) if answer.exists() else None
        self.output = Output(self.done.exit_code, self.done.stdout, self.done.stderr, data)
        self.report: AgentReport = agent.report(job, self.output)
        self.box = box

    def git(self, *arguments):
        return subprocess.run(
            ["git", *arguments],
            cwd=self.box.workspace,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    @property
    def changed(self):
        return self.git("status", "--porcelain").split()[1::2]


@pytest.fixture
def program():
    """The adapter, if its program is here."""

    def find(adapter, required=False):
        problem = bwrap_works()
        if problem:
            absent(problem, required=True)
        agent = adapter()
        try:
            assert agent.program
        except MissingProgram as error:
            absent(str(error), required)
        return agent

    return find


@pytest.fixture
def run(make_task, session, tmp_path):
    """Run an adapter against a script."""
    count = iter(range(100))

    def go(agent, script, *, prompt="Fix add in calc.py", keys="", overlay=None, **options):
        number = next(count)
        text = f'id = "t{number}"\n{keys}\n[[checks]]\nkind = "command"\nrun = "true"\n'
        task = make_task(f"t{number}", prompt, task_dot_toml=text)
        given = session(script)
        arm = Arm(agent_spec=agent.name, overlay=overlay)
        job = Job(task, 1, 0, arm, endpoint=Endpoint(given.url, "dummy"))
        ran = Ran(agent, job, tmp_path / f"run-{number}", **options)
        ran.session = given
        return ran

    return go
