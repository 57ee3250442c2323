"""Finding installed agent programs, asking their version, and refusing another one."""

import shutil

import pytest

from agenteval.agents import installed_agents, make_agent, make_arm
from agenteval.agents.programs import Distribution, find_agent_program
from agenteval.errors import InvalidInput, MissingProgram

NAMES = ("claude-code", "codex", "gemini")


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A machine without any agent program but those of one folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setenv("AGENTEVAL_AGENTS_DIR", str(tmp_path / "agents"))
    return tmp_path / "agents/node_modules"


def install(modules, name, package, body, *, entry="cli.js"):
    """A package as npm lays it out, whose command prints a version."""
    folder = modules / package
    (folder / entry).parent.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    (folder / entry).write_text(body)
    (folder / entry).chmod(0o755)
    (modules / ".bin").mkdir(exist_ok=True)
    (modules / ".bin" / name).symlink_to(folder / entry)
    return folder


def test_a_program_that_is_not_there(nowhere):
    with pytest.raises(MissingProgram) as caught:
        make_arm("claude-code")
    assert "claude is not installed" in caught.value.what
    assert "npm install @anthropic-ai/claude-code" in caught.value.fix
    assert "AGENTEVAL_AGENTS_DIR" in caught.value.fix


def test_a_script_brings_its_package_and_says_its_version(nowhere):
    folder = install(
        nowhere, "gemini", "@google/gemini-cli", "#!/bin/sh\necho gemini 0.61.0 [$HOME]\n"
    )
    program = make_agent("gemini").program
    assert program.command == (str(folder / "cli.js"),)
    assert program.shown == (folder,)
    assert (program.version, program.release) == ("0.61.0", (0, 61, 0))
    assert make_arm("gemini@0.61.0").agent_version == "0.61.0"
    with pytest.raises(InvalidInput, match="is at version 0.61.0, not 0.60.0"):
        make_arm("gemini@0.60.0")


def test_the_version_of_a_package_is_read_without_starting_it(nowhere):
    folder = install(nowhere, "gemini", "@google/gemini-cli", "#!/bin/sh\nexit 1\n")
    (folder / "package.json").write_text('{"version": "0.61.0"}')
    assert make_agent("gemini").program.version == "0.61.0"


def test_the_native_program_of_a_package_is_run_without_its_wrapper(nowhere):
    install(nowhere, "codex", "@openai/codex", "#!/usr/bin/env node\n")
    binary = nowhere / "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
    binary.parent.mkdir(parents=True)
    shutil.copy("/bin/echo", binary)
    program = make_agent("codex").program
    assert program.command == (str(binary),)
    assert program.shown == (binary.parents[1],)


def test_a_wrapper_without_its_native_program_is_broken(nowhere):
    folder = install(nowhere, "claude", "@anthropic-ai/claude-code", "#!/bin/sh\nexit 1\n")
    (folder / "package.json").write_text('{"version": "2.1.332"}')
    assert make_arm("claude-code").agent_version is None
    (line,) = (line for line in installed_agents() if line["what"] == "agent claude-code")
    assert line["state"] == "broken"
    with pytest.raises(InvalidInput, match="is at version unknown, not 2.1.332"):
        make_arm("claude-code@2.1.332")


def test_a_text_in_place_of_the_native_program_is_passed_over(nowhere):
    """What npm leaves of opencode where its install script did not run."""
    body = "echo run the install script >&2; exit 1\n"
    install(nowhere, "opencode", "opencode-ai", body, entry="bin/opencode.exe")
    (nowhere / "opencode-ai/package.json").write_text('{"version": "1.18.33"}')
    assert make_arm("opencode").agent_version is None
    for package in ("opencode-linux-x64-baseline", "opencode-linux-x64"):
        (nowhere / package / "bin").mkdir(parents=True)
        shutil.copy("/bin/echo", nowhere / package / "bin/opencode")
    binary = nowhere / "opencode-linux-x64/bin/opencode"
    program = make_agent("opencode").program
    assert (program.command, program.shown) == ((str(binary),), (binary,))
    shutil.copy("/bin/echo", nowhere / "opencode-ai/bin/opencode.exe")  # now it did
    assert make_agent("opencode").program.shown == (nowhere / "opencode-ai/bin/opencode.exe",)


def test_the_one_in_the_image_is_its_bare_name(nowhere):
    program = make_agent("codex:image").program
    assert (program.command, program.shown, program.version) == (("codex",), (), None)


def test_the_projects_own_program_goes_before_paths(nowhere, tmp_path, monkeypatch):
    monkeypatch.delenv("AGENTEVAL_AGENTS_DIR")
    body = "#!/bin/sh\necho 1.2.3\n"
    folder = install(tmp_path / "node_modules", "claude", "@anthropic-ai/claude-code", body)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert make_agent("claude-code").program.shown == (folder,)


def test_a_single_native_file_is_all_that_is_shown(nowhere):
    binary = nowhere.parent / "bin/claude"
    binary.parent.mkdir(parents=True)
    shutil.copy("/bin/echo", binary)
    found = find_agent_program(Distribution("claude", "x"))
    assert (found.command, found.shown) == ((str(binary),), (binary,))


def test_doctor_has_a_line_for_each(nowhere):
    lines = {line["what"]: line for line in installed_agents()}
    for name in NAMES:
        assert lines[f"agent {name}"]["state"] == "absent"
        assert "install" in lines[f"agent {name}"]["detail"]
