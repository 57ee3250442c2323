"""Which sandbox a mode gives."""

import subprocess
import sys

import pytest

from agenteval.errors import InvalidInput
from agenteval.sandbox import choose_sandbox, find_program, program_folders


def test_plain_is_plain():
    sandbox = choose_sandbox("plain")
    assert (sandbox.name, sandbox.isolates) == ("plain", False)


@pytest.mark.parametrize("mode", ["auto", "required", "bwrap"])
def test_isolation_where_it_works(bwrap, mode):
    assert choose_sandbox(mode).isolates


def test_an_unknown_mode_is_a_mistake_of_the_user():
    with pytest.raises(InvalidInput, match="auto, required, bwrap, plain"):
        choose_sandbox("docker")


def test_without_bubblewrap_auto_is_plain_and_required_refuses(tmp_path):
    code = """
from agenteval.errors import SandboxError
from agenteval.sandbox import bwrap_works, choose_sandbox
print(choose_sandbox("auto").name)
try:
    choose_sandbox("required")
except SandboxError as error:
    print(error.what, "|", error.where, "|", error.fix)
"""
    path = ":".join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": str(tmp_path), "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    name, refusal = done.stdout.splitlines()
    assert name == "plain"
    assert refusal.startswith(
        "Isolation was asked for and cannot be had: the program bwrap is not installed | --sandbox required | install bubblewrap"
    )


def test_a_program_in_home_brings_only_itself(tmp_path, monkeypatch):
    tool = tmp_path / "bin/own-tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")
    assert find_program("own-tool") == tool
    assert program_folders(["own-tool"]) == [tool]


def test_programs_of_the_system_need_no_folder():
    assert program_folders(["sh", "git", "no-such-program"]) == []
    assert find_program("no-such-program") is None
