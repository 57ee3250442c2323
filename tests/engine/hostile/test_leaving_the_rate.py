"""Agents that break the machinery on purpose: to be left out of the rate or tried again, in place of a zero."""

import os
import tracemalloc

import pytest

from agenteval.engine import freeze
from agenteval.engine.evidence import git_state

GATE = 'stop_gate = { run = "grep -q fixed app.txt", max_blocks = 1 }'
FAILED = ("fail", False, "agent", None)


def outcome(result):
    row = result.attempt
    return row.status, row.passed, row.ended_by, row.error_class


def test_a_link_in_place_of_its_git_settings_leads_nobody_outside(isolated, tmp_path):
    target = tmp_path / "outside"
    script = f"rm -f ~/.gitconfig; ln -s {target} ~/.gitconfig"
    assert outcome(isolated.shell(isolated.task(keys=GATE), script)) == FAILED
    assert not os.path.lexists(target)


@pytest.mark.parametrize(
    "script",
    [
        "rm -f ~/.gitconfig; mkdir -p ~/.gitconfig/x",
        "rm -f ~/.gitconfig; mkfifo ~/.gitconfig",
        "chmod 000 ~ /tmp /workspace",
        "chmod 000 /workspace",
    ],
)
def test_a_home_or_workspace_that_nobody_can_enter_is_a_zero(isolated, script):
    result = isolated.shell(isolated.task(keys=GATE), script)
    assert outcome(result) == FAILED
    assert result.attempt.agent_s > 0


def test_a_link_whose_target_no_system_call_takes_is_no_file(isolated):
    checks = '[[checks]]\nkind = "file-exists"\npath = "other.txt"\n'
    script = 'ln -s "$(printf "a%.0s" $(seq 300))" other.txt'
    assert outcome(isolated.shell(isolated.task(checks=checks), script)) == FAILED


def test_more_files_than_a_command_line_takes_are_all_linted(isolated):
    checks = """
[[checks]]
kind = "file-contains"
path = "app.txt"
text = "fixed"
[[checks]]
kind = "lint"
name = "lint"
run = "for f in {files}; do echo $f:1 bad; done; exit 1"
"""
    script = 'mkdir d; for i in $(seq 900); do : > d/$(printf "a%.0s" $(seq 200))$i; done'
    result = isolated.shell(isolated.task(checks=checks), script)
    assert outcome(result) == FAILED
    assert result.attempt.lint_failures == 900


def test_code_under_test_cannot_close_the_copy_to_the_checks_to_come(isolated):
    checks = """
[[checks]]
kind = "command"
run = "python3 prog.py"
[[checks]]
kind = "command"
run = "grep -q fixed app.txt"
"""
    script = "echo 'import os; os.chmod(\".\", 0)' > prog.py"
    task = isolated.task(keys='requires = ["python3"]', checks=checks)
    assert outcome(isolated.shell(task, script)) == FAILED


def test_hooks_larger_than_memory_are_looked_at_one_by_one(tmp_path):
    hooks = tmp_path / ".git/hooks"
    hooks.mkdir(parents=True)
    for number in range(40):
        with (hooks / str(number)).open("wb") as file:
            file.truncate(4 << 20)
    before = git_state(tmp_path)
    tracemalloc.start()
    assert git_state(tmp_path) == before
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 << 20
    (hooks / "7").write_text("echo more\n")
    assert git_state(tmp_path) != before


def test_names_count_as_part_of_a_change_so_that_no_patch_outgrows_memory(isolated, monkeypatch):
    monkeypatch.setattr(freeze, "LARGEST_CHANGE", 400_000)
    script = 'd=$(printf "é%.0s" $(seq 60)); mkdir -p $d/$d/$d; cd $d/$d/$d; touch $(seq 300)'
    result = isolated.shell(isolated.task(), script)
    assert outcome(result) == FAILED
    assert 100_000 < len(result.artifacts["patch.diff"]) < 400_000
    assert b"300" in result.artifacts["left_out.json"]


def test_more_files_than_a_change_may_have_are_left_out_and_named(isolated, monkeypatch):
    monkeypatch.setattr(freeze, "MOST_FILES", 20)
    result = isolated.shell(isolated.task(), "echo fixed > app.txt; touch $(seq 300)")
    assert result.attempt.files_changed == 20
    assert result.artifacts["left_out.json"].count(b'"') == 2 * 281


def test_a_link_on_the_way_to_its_program_leads_the_sandbox_nowhere(isolated):
    """What is shown below TMPDIR is mounted again for each turn and the gate."""
    outside = isolated.folder / "outside"
    outside.mkdir()
    program = isolated.folder / "agent.sh"
    if program.parts[1] != "tmp":
        pytest.skip("the program does not lie below the agent's TMPDIR")
    top = f"/tmp/{program.parts[2]}"
    script = f"test -L {top} || {{ mv {top} /tmp/moved; ln -s /oldroot{outside} {top}; }}"
    result = isolated.shell(isolated.task(keys=GATE), script)
    assert outcome(result) == FAILED
    assert result.attempt.stop_blocks == 1
    assert list(outside.iterdir()) == []
