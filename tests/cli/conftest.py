"""The command line in this process: quick, and with everything behind it real."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from agenteval.cli import main


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def cli(tmp_path, monkeypatch, capsys):
    """Run a command in an empty folder; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(int(stop.value.code or 0), out, err)

    return call


TASK = """
id = "{id}"
title = "Mend the greeting"
prompt = "The greeting in app.txt has a typo, please mend it."
category = "bugfix"
tags = ["small"]
hidden = ["expected.txt"]

[[checks]]
kind = "command"
name = "greeting"
run = "cmp app.txt expected.txt"
"""
PATCH = """diff --git a/app.txt b/app.txt
--- a/app.txt
+++ b/app.txt
@@ -1 +1 @@
-helo world
+{text}
"""


def write_task(folder: Path, name: str = "greeting") -> Path:
    """A task that is graded in milliseconds."""
    task = folder / name
    for part in ("repo", "hidden", "wrong"):
        (task / part).mkdir(parents=True)
    (task / "task.toml").write_text(TASK.format(id=name))
    (task / "repo/app.txt").write_text("helo world\n")
    (task / "hidden/expected.txt").write_text("hello world\n")
    (task / "solution.patch").write_text(PATCH.format(text="hello world"))
    (task / "wrong/other.patch").write_text(PATCH.format(text="goodbye world"))
    return task


@pytest.fixture
def suite(tmp_path):
    """A suite of two small tasks in ./evals."""
    folder = tmp_path / "evals"
    write_task(folder, "greeting")
    write_task(folder, "farewell")
    return folder
