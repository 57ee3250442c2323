"""Solving a task by hand: the change is taken as an agent's is, and nothing is lost."""

import pytest

from agenteval.engine.authoring import solve
from agenteval.engine.scratch import PREFIX

MEND = "echo fixed > app.txt"


@pytest.fixture
def aside(tmp_path):
    return tmp_path / "aside"


def test_what_a_command_changed_becomes_the_solution(bench, aside):
    task = bench.task(repo={"app.txt": "broken\n", ".gitignore": "*.log\n"})
    done = solve(task, aside, sandbox=bench.sandbox, command=f"{MEND}; echo x > a.log; git status")
    assert (done.exit_code, done.saved) == (0, task.folder / "solution.patch")
    assert done.frozen.paths == ("app.txt",)
    again = bench.loaded().tasks[0]
    assert bench.trial(again, "scripted:reference").attempt.passed
    assert not aside.exists()


def test_it_starts_where_an_agent_does(bench, aside):
    task = bench.task(keys='setup = ["echo made > built.txt"]\n')
    seen = []
    done = solve(
        *(task, aside),
        sandbox=bench.sandbox,
        command="cat built.txt app.txt; git log --oneline | wc -l",
        on_output=lambda stream, data: seen.append(data),
    )
    assert b"".join(seen).split() == [b"made", b"broken", b"1"]
    assert done.saved is None


def test_a_solution_that_was_there_is_kept_aside(bench, aside):
    task = bench.task(solution={"app.txt": "old\n"})
    before = (task.folder / "solution.patch").read_bytes()
    for number in (1, 2):
        done = solve(task, aside, sandbox=bench.sandbox, command=f"echo {number} > app.txt")
        assert done.replaced == aside / f"one.before-{number}.patch"
    assert (aside / "one.before-1.patch").read_bytes() == before
    assert b"+1" in (aside / "one.before-2.patch").read_bytes()
    assert b"+2" in (task.folder / "solution.patch").read_bytes()


def test_one_that_was_not_finished_is_kept_aside_too(bench, aside):
    task = bench.task(solution={"app.txt": "old\n"})
    before = (task.folder / "solution.patch").read_bytes()
    done = solve(task, aside, sandbox=bench.sandbox, command=f"{MEND}; exit 3")
    assert (done.exit_code, done.saved) == (3, aside / "one.unfinished-1.patch")
    assert b"+fixed" in done.saved.read_bytes()
    assert (task.folder / "solution.patch").read_bytes() == before


def test_nothing_changed_leaves_all_as_it_was(bench, aside):
    task = bench.task(solution={"app.txt": "old\n"})
    before = (task.folder / "solution.patch").read_bytes()
    done = solve(task, aside, sandbox=bench.sandbox, command="true")
    assert (done.saved, done.replaced) == (None, None)
    assert (task.folder / "solution.patch").read_bytes() == before
    assert not aside.exists()


def test_the_operators_own_shell_works_in_the_copy(bench, aside, monkeypatch, tmp_path):
    shell = tmp_path / "shell"
    shell.write_text(
        f'#!/bin/sh\ntest "$AGENTEVAL_TASK" = one && {MEND} && pwd > {tmp_path}/where\n'
    )
    shell.chmod(0o755)
    monkeypatch.setenv("SHELL", str(shell))
    task = bench.task()
    assert solve(task, aside, sandbox=bench.sandbox).saved == task.folder / "solution.patch"
    where = (tmp_path / "where").read_text()
    assert PREFIX in where
    assert str(task.folder) not in where
