"""Tasks on disk, and agents carried out by a real shell."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agenteval.agents import Agent, Job, Output
from agenteval.records import Arm
from agenteval.sandbox import View
from agenteval.suite import LoadedTask, load_suite

PATCH = """diff --git a/app.txt b/app.txt
--- a/app.txt
+++ b/app.txt
@@ -1 +1 @@
-broken
+{word}
"""


@pytest.fixture
def make_task(tmp_path: Path) -> Callable[..., LoadedTask]:
    def make(name: str = "one", prompt: str = "Fix it.", **files: str) -> LoadedTask:
        folder = tmp_path / "suite" / name
        (folder / "repo").mkdir(parents=True)
        (folder / "wrong").mkdir()
        texts = {
            "task.toml": f'id = "{name}"\n[[checks]]\nkind = "command"\nrun = "grep -q fixed app.txt"\n',
            "prompt.md": prompt,
            "repo/app.txt": "broken\n",
            "solution.patch": PATCH.format(word="fixed"),
            "wrong/half.patch": PATCH.format(word="half"),
        } | {path.replace("__", "/").replace("_dot_", "."): text for path, text in files.items()}
        for path, text in texts.items():
            if text is not None:
                (folder / path).write_text(text)
        return load_suite(folder).tasks[0]

    return make


class Carried:
    """A launch carried out in plain folders, for its output and what it did to the workspace."""

    def __init__(self, agent: Agent, job: Job, folder: Path) -> None:
        self.workspace = folder / "work space"
        view = View(str(self.workspace), str(folder / "home"), str(folder), str(folder / "in puts"))
        launch = agent.launch(job, view)
        for path in (self.workspace, folder / "home", folder / "in puts"):
            path.mkdir(parents=True)
        (self.workspace / "app.txt").write_text("broken\n")
        for name, data in {"prompt.md": job.task.prompt.encode(), **launch.files}.items():
            (folder / "in puts" / name).write_bytes(data)
        answer = folder / "home/answer.md"
        env = {"PATH": "/usr/bin:/bin", "AGENTEVAL_ANSWER": str(answer), **launch.env}
        done = subprocess.run(
            launch.argv, cwd=self.workspace, env=env, capture_output=True, check=False
        )
        self.output = Output(
            done.returncode,
            done.stdout,
            done.stderr,
            answer.read_bytes() if answer.exists() else None,
        )
        self.report = agent.report(job, self.output)
        self.text = (self.workspace / "app.txt").read_text()


@pytest.fixture
def carry_out(tmp_path: Path) -> Callable[..., Carried]:
    count = iter(range(10**6))

    def carry(agent: Agent, task: LoadedTask, repeat: int = 1, seed: int = 0) -> Carried:
        job = Job(task, repeat, seed, Arm(agent_spec="x"))
        return Carried(agent, job, tmp_path / f"carried-{next(count)}")

    return carry
