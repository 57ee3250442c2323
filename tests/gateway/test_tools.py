"""What a script wants done lands on the tools that each agent program offers."""

import shlex
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.errors import InvalidInput
from agenteval.gateway.commands import MAX_COMMAND, file_commands, patch_commands
from agenteval.gateway.tools import (
    FINISH,
    NoUsableTool,
    edit_call,
    finish_call,
    has_shell,
    read_call,
    shell_call,
    write_call,
)
from agenteval.gateway.wire.protocol import Tool


def tool(name, required=(), **properties):
    typed = {
        key: {"type": kind} if isinstance(kind, str) else kind for key, kind in properties.items()
    }
    return Tool(name, {"type": "object", "properties": typed, "required": list(required)})


# what the programs offer, as far as it matters here
CLAUDE = (
    tool("Task", ("prompt",), prompt="string", description="string"),
    tool("SlashCommand", ("command",), command="string"),
    tool("Bash", ("command",), command="string", timeout="number", description="string"),
    tool("Read", ("file_path",), file_path="string", offset="number"),
    tool("Edit", ("file_path", "old_string", "new_string"), file_path="string", old_string="string", new_string="string", replace_all="boolean"),
    tool("Write", ("file_path", "content"), file_path="string", content="string"),
)  # fmt: skip
CODEX = (
    tool("exec_command", ("cmd",), cmd="string", yield_time_ms="number"),
    tool("write_stdin", ("session_id",), session_id="number", chars="string"),
    Tool("apply_patch"),
)
OLD_CODEX = (tool("shell", ("command",), command="array", workdir="string"),)
GEMINI = (
    tool("run_shell_command", ("command",), command="string", is_background="boolean"),
    tool("read_file", ("file_path",), file_path="string"),
    tool("write_file", ("file_path", "content"), file_path="string", content="string"),
    tool("replace", ("instruction", "file_path", "old_string", "new_string"), instruction="string", file_path="string", old_string="string", new_string="string"),
)  # fmt: skip
QWEN = (
    tool("run_shell_command", ("command", "is_background"), command="string", is_background="boolean"),
    *GEMINI[1:],
)  # fmt: skip
OPENCODE = (
    tool("bash", ("command", "description"), command="string", description="string", timeout="number"),
    tool("read", ("filePath",), filePath="string"),
    tool("write", ("content", "filePath"), content="string", filePath="string"),
    tool("edit", ("filePath", "oldString", "newString"), filePath="string", oldString="string", newString="string"),
)  # fmt: skip
MINI = (tool("bash", ("command",), command="string"),)
EDITOR = (
    tool("execute_bash", ("command", "security_risk"), command="string", security_risk={"enum": ["LOW", "HIGH"]}),
    tool("str_replace_editor", ("command", "path"), command={"enum": ["view", "create", "str_replace"]}, path="string", file_text="string", old_str="string", new_str="string"),
)  # fmt: skip
PROGRAMS = {
    "claude-code": (CLAUDE, "Bash", {"command": "ls"}),
    "codex": (CODEX, "exec_command", {"cmd": "ls"}),
    "codex of old": (OLD_CODEX, "shell", {"command": ["sh", "-c", "ls"]}),
    "gemini": (GEMINI, "run_shell_command", {"command": "ls"}),
    "qwen": (QWEN, "run_shell_command", {"command": "ls", "is_background": False}),
    "opencode": (OPENCODE, "bash", {"command": "ls", "description": "scripted"}),
    "mini-swe-agent": (MINI, "bash", {"command": "ls"}),
    "openhands": (EDITOR, "execute_bash", {"command": "ls", "security_risk": "LOW"}),
    "none known by name": ((tool("my_terminal", (), command="string"),), "my_terminal", {"command": "ls"}),
    "a tool of the provider's own": ((Tool("bash"),), "bash", {"command": "ls"}),
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_command_goes_to_the_shell(program):
    tools, name, given = PROGRAMS[program]
    call = shell_call("ls", tools)
    assert (call.name, call.input) == (name, given)
    assert has_shell(tools)


@pytest.mark.parametrize(
    ("tools", "name", "given"),
    [
        (CLAUDE, "Write", {"file_path": "a", "content": "x"}),
        (GEMINI, "write_file", {"file_path": "a", "content": "x"}),
        (OPENCODE, "write", {"filePath": "a", "content": "x"}),
        (EDITOR, "str_replace_editor", {"command": "create", "path": "a", "file_text": "x"}),
        ((Tool("str_replace_based_edit_tool"),), "str_replace_based_edit_tool", {"command": "create", "path": "a", "file_text": "x"}),
    ],
    ids=["claude-code", "gemini", "opencode", "openhands", "without a schema"],
)  # fmt: skip
def test_a_file_goes_to_the_write_tool(tools, name, given):
    call = write_call("a", "x", tools)
    assert (call.name, call.input) == (name, given)


@pytest.mark.parametrize(
    ("tools", "name", "given"),
    [
        (CLAUDE, "Edit", {"file_path": "a", "old_string": "x", "new_string": "y"}),
        (GEMINI, "replace", {"file_path": "a", "old_string": "x", "new_string": "y", "instruction": "scripted"}),
        (OPENCODE, "edit", {"filePath": "a", "oldString": "x", "newString": "y"}),
        (EDITOR, "str_replace_editor", {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"}),
    ],
    ids=["claude-code", "gemini", "opencode", "openhands"],
)  # fmt: skip
def test_an_edit_goes_to_the_edit_tool(tools, name, given):
    call = edit_call("a", "x", "y", tools)
    assert (call.name, call.input) == (name, given)


def test_reading_goes_to_the_read_tool():
    assert read_call("a", CLAUDE).input == {"file_path": "a"}
    assert read_call("a", OPENCODE).input == {"filePath": "a"}
    assert read_call("a", EDITOR).input == {"command": "view", "path": "a"}
    assert read_call("a", MINI) is None


def test_tools_that_only_look_alike_are_left_alone():
    others = (
        CLAUDE[1],  # runs one of the agent's own commands
        EDITOR[1],  # its command is what to do with a file
        tool("create_or_update_file", (), path="string", content="string"),
    )
    assert not has_shell(others)
    with pytest.raises(NoUsableTool, match="create_or_update_file") as refused:
        shell_call("ls", others)
    assert isinstance(refused.value, InvalidInput)
    assert refused.value.fix
    assert write_call("a", "x", others[2:]) is None
    assert edit_call("a", "x", "y", CODEX) is None


def test_only_an_agent_that_ends_by_a_command_is_ended_by_one():
    call = finish_call("It's done", MINI)
    told = subprocess.run(
        call.input["command"], shell=True, capture_output=True, text=True, check=True
    )
    assert told.stdout == f"{FINISH}\nIt's done"
    for tools, _, _ in (PROGRAMS[name] for name in PROGRAMS if name != "mini-swe-agent"):
        assert finish_call("It's done", tools) is None


def shell(commands, folder):
    for command in commands:
        assert len(command) <= MAX_COMMAND
        done = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def git(folder, *arguments):
    env = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"}
    env |= {f"GIT_{who}_{what}": "someone@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}  # fmt: skip
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, check=True).stdout  # fmt: skip


BEFORE = {
    "plain.txt": b"one\ntwo\n",
    'it\'s "odd" $HOME `x`/ü.txt': b"a 'b' \"c\" $(d) `e` \\n\r\n",
    "no newline": b"end",
    "binary": bytes(range(256)) * 9,
    "gone": b"bye\n",
}
AFTER = {
    "plain.txt": b"one\n2\n%s %d\\\n",
    'it\'s "odd" $HOME `x`/ü.txt': b"'EOF'\nEOF\n$HOME\n",
    "no newline": b"still none",
    "binary": bytes(reversed(range(256))) * 700,
    "gone": None,
    "-n": b"-e\n",
    "new/deep/file": b"",
}


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "work"
    for path, data in BEFORE.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "start")
    return folder


def holds(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts[:1]
    }


def change(folder):
    """Make the change by hand and give its patch; the workspace is as before."""
    for path, data in AFTER.items():
        if data is None:
            (folder / path).unlink()
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
    git(folder, "add", "-A")
    patch = git(folder, "diff", "--cached", "--binary")
    git(folder, "reset", "-q", "--hard")
    assert holds(folder) == BEFORE
    return patch


@pytest.mark.parametrize("large", [False, True])
def test_a_patch_comes_through_whatever_is_in_it(workspace, monkeypatch, large):
    if large:
        monkeypatch.setitem(AFTER, "plain.txt", b"".join(b"%d\n" % n for n in range(60_000)))
    patch = change(workspace)
    commands = patch_commands(patch)
    assert (len(commands) > 1) == large
    assert "rm -f" not in " ".join(commands), "Codex refuses it"
    shell(commands, workspace)
    assert holds(workspace) == {path: data for path, data in AFTER.items() if data is not None}


def test_files_come_through_without_a_patch(workspace):
    commands = file_commands(AFTER)
    assert len(commands) > 1
    shell(commands, workspace)
    assert holds(workspace) == {path: data for path, data in AFTER.items() if data is not None}


def test_a_patch_that_does_not_apply_fails_and_leaves_nothing_behind(workspace):
    patch = change(workspace)
    (workspace / "plain.txt").write_bytes(b"other\n")
    before = holds(workspace)
    for commands in (patch_commands(patch), patch_commands(patch + b"#" * 200_000)):
        codes = [subprocess.run(["sh", "-c", c], cwd=workspace, capture_output=True).returncode for c in commands]  # fmt: skip
        assert codes[-1] != 0
        assert holds(workspace) == before


@settings(max_examples=25, deadline=None, derandomize=True)
@given(name=st.text(st.characters(blacklist_characters="/\0", blacklist_categories=("Cs",)), min_size=1, max_size=20), data=st.binary(max_size=60))  # fmt: skip
def test_any_name_and_any_bytes(tmp_path_factory, name, data):
    if name in (".", "..") or len(name.encode()) > 200:
        return
    folder = tmp_path_factory.mktemp("any")
    shell(file_commands({name: data}), folder)
    assert (folder / name).read_bytes() == data
    assert shlex.split(file_commands({name: None})[0])[0] == "rm"
