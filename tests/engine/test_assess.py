"""What is to be known of a task beside pass and fail, and which tasks are known already."""

import pytest

from agenteval.engine import (
    Finding,
    assess,
    read_validated,
    validate,
    validation_key,
)

CHECKS = """
[[checks]]
kind = "command"
name = "fixed"
run = "grep -q fixed app.txt"
[[checks]]
kind = "command"
name = "always"
run = "test -e app.txt"
"""
NEVER = '[[checks]]\nkind = "command"\nname = "never"\nrun = "false"\n'
GOOD = {"solution": {"app.txt": "fixed\n"}, "wrong": {"half": {"app.txt": "half\n"}}}


def assessed(bench, **options):
    task = bench.task(**{**GOOD, **options})
    return assess(task, validate((task,), sandbox=bench.sandbox, repeat=1))


def test_checks_that_tell_nothing_apart_are_named(bench):
    found = assessed(bench, checks=CHECKS + NEVER)
    assert (found.always_pass, found.never_pass, found.ok) == (("always",), ("never",), False)
    assert found.grade_s > 0


def test_without_a_reference_no_check_can_be_said_to_pass_nowhere(bench):
    found = assessed(bench, checks=CHECKS + NEVER, solution=None)
    assert found.never_pass == ()


def test_what_the_machinery_failed_says_nothing_of_checks(bench):
    task = bench.task(**GOOD)
    lost = [
        Finding("one", s, 1, s == "reference", None, (), "", None) for s in ("noop", "reference")
    ]
    found = assess(task, lost)
    assert (found.always_pass, found.never_pass, found.grade_s, found.ok) == ((), (), None, True)


def test_hidden_tests_in_what_the_agent_is_given_are_found(bench):
    hidden = "def test_that_it_is_mended():\n    assert open('app.txt').read() == 'fixed'\n"
    start = {"app.txt": "broken\n", "PLAN.md": "make test_that_it_is_mended pass\n"}
    found = assessed(bench, repo=start, hidden={"tests/test_it.py": hidden})
    assert [leak.where for leak in found.leaks] == ["PLAN.md"]
    assert not found.ok


def test_a_start_that_is_a_commit_is_read_too(bench, run_git):
    hidden = "def test_that_it_is_mended():\n    assert 1\n"
    source = bench.folder / "source"
    source.mkdir()
    (source / "app.txt").write_text("broken\n")
    (source / "PLAN.md").write_text("make test_that_it_is_mended pass\n")
    run_git(source, "init", "-q")
    run_git(source, "add", "-A")
    run_git(source, "commit", "-q", "-m", "start")
    sha = run_git(source, "rev-parse", "HEAD").decode().strip()
    task = bench.task(
        keys=f'[source]\ngit = "{source}"\nrev = "{sha}"\n',
        repo=None,
        hidden={"test_it.py": hidden},
    )
    assert [leak.where for leak in assess(task, []).leaks] == ["PLAN.md"]


def test_names_that_nobody_tells_are_listed_and_are_no_failure(bench):
    found = assessed(
        bench,
        repo={"app.txt": "broken\n", "app.py": "x = 1\n"},
        solution={"app.txt": "fixed\n", "app.py": "def read_all(limit): ...\n"},
        hidden={"test_it.py": "import app\n\n\ndef test_it():\n    app.read_all(limit=3)\n"},
    )
    assert (found.untold, found.ok) == (("limit", "read_all"), True)


def test_a_task_that_may_use_the_network_is_told(bench):
    assert assess(bench.task(keys="network = true"), []).network
    assert not assess(bench.task("two"), []).network


def test_a_task_is_known_until_anything_of_it_changes(bench):
    task = bench.task(**GOOD)
    memory = bench.folder / "made/validated.json"
    key = validation_key(task, bench.sandbox)
    assert not read_validated(memory).holds(key, 1)
    read_validated(memory).with_tasks([key], 3)
    known = read_validated(memory)
    assert known.holds(key, 3)
    assert not known.holds(key, 4)
    for path in ("repo/app.txt", "solution.patch", "wrong/half.patch", "prompt.md"):
        file = task.folder / path
        before = file.read_bytes()
        file.write_bytes(before + b"\n more\n")
        assert not known.holds(validation_key(bench.loaded().tasks[0], bench.sandbox), 1), path
        file.write_bytes(before)
    assert known.holds(validation_key(bench.loaded().tasks[0], bench.sandbox), 3)


def test_more_tries_are_never_forgotten_for_fewer(bench):
    memory = bench.folder / "validated.json"
    known = read_validated(memory).with_tasks(["a"], 5).with_tasks(["a", "b"], 2)
    assert (known.known, read_validated(memory).known) == ({"a": 5, "b": 2}, {"a": 5, "b": 2})


@pytest.mark.parametrize("text", ["", "[]", '{"validated": []}', '{"validated": {"a": "x"}}'])
def test_a_file_that_cannot_be_read_remembers_nothing(tmp_path, text):
    (tmp_path / "v.json").write_text(text)
    assert read_validated(tmp_path / "v.json").known == {}
