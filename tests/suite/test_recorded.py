"""tests.json, and the tasks whose checks need it."""

import json

import pytest

from agenteval.suite import (
    files_to_run,
    load_suite,
    looks_like_test,
    recorded_checks,
    runner_of,
    write_recorded,
)

HIDDEN = '[[checks]]\nname = "hidden"\nkind = "hidden-tests"\n'
SUITE = '[[checks]]\nname = "own"\nkind = "suite"\n'
KEYS = 'tests = ["tests/**"]'


def fill(bench, *, checks=HIDDEN + SUITE, keys=KEYS, recorded=None):
    folder = bench.task(keys=keys, checks=checks)
    bench.write("one/repo/tests/test_own.py", "def test_own(): pass\n")
    bench.write("one/repo/tests/conftest.py", "")
    bench.write("one/hidden/tests/test_h.py", "def test_h(): pass\n")
    bench.write("one/hidden/tests/data.json", "{}")
    recorded = {"hidden": ["h::b", "h::a"], "own": ["o::a"]} if recorded is None else recorded
    if recorded:
        write_recorded(folder, recorded)
    return folder


def digest(bench):
    return load_suite(bench.folder).tasks[0].digest


def test_recorded_ids_come_with_the_task(bench):
    fill(bench)
    (task,) = load_suite(bench.folder).tasks
    assert task.recorded == {"hidden": ("h::a", "h::b"), "own": ("o::a",)}
    assert [check.name for check in recorded_checks(task.task)] == ["hidden", "own"]


def test_they_are_part_of_the_digest_and_their_order_is_not(bench):
    folder = fill(bench)
    before = digest(bench)
    (folder / "tests.json").write_text('{"own": ["o::a"], "hidden": ["h::b", "h::a"]}')
    assert digest(bench) == before
    write_recorded(folder, {"hidden": ["h::a"], "own": ["o::a"]})
    assert digest(bench) != before


def test_a_task_without_such_checks_does_not_look_at_the_file(bench):
    folder = bench.task()
    before = digest(bench)
    (folder / "tests.json").write_text("nonsense")
    assert digest(bench) == before


def test_without_them_only_validate_loads_the_task(bench):
    fill(bench, recorded={})
    problem = bench.problem()
    assert "'hidden' has no recorded test ids in tests.json" in problem.where
    assert "'own' has no recorded" in problem.where
    assert "agenteval validate --record" in problem.where
    assert load_suite(bench.folder, unrecorded=True).tasks[0].recorded == {}


@pytest.mark.parametrize("ids", [[], "h::a", [1], ["a", "a"], [""], None, {"a": 1}])
def test_a_list_that_is_none_is_refused(bench, ids):
    folder = fill(bench)
    (folder / "tests.json").write_text(json.dumps({"hidden": ids, "own": ["o::a"]}))
    assert "'hidden' has no list of test ids" in bench.problem().what
    assert load_suite(bench.folder, unrecorded=True).tasks[0].recorded == {"own": ("o::a",)}


def test_ids_of_a_check_that_is_gone_are_refused(bench):
    fill(bench, checks=SUITE)
    problem = bench.problem()
    assert "has ids for 'hidden'" in problem.what
    assert load_suite(bench.folder, unrecorded=True).tasks


def test_a_broken_file_is_refused_always(bench):
    folder = fill(bench)
    (folder / "tests.json").write_text("{")
    for unrecorded in (False, True):
        with pytest.raises(Exception, match="not valid JSON"):
            load_suite(bench.folder, unrecorded=unrecorded)


@pytest.mark.parametrize(
    ("checks", "keys", "what"),
    [
        (HIDDEN + 'files = ["tests/test_x.py"]\n', KEYS, "runs 'tests/test_x.py', which is not among the hidden files"),
        (SUITE, "", "`tests` names no test"),
        (SUITE, 'tests = ["tests/conftest.py"]', "`tests` names no test"),
        (HIDDEN + 'files = ["tests/data.json"]\n', KEYS, "cannot lay its tripwire into 'tests/data.json'"),
        (HIDDEN + 'run = "pytest"\n', KEYS, "has no {junit}"),
    ],
)  # fmt: skip
def test_a_check_that_could_not_run_is_refused(bench, checks, keys, what):
    fill(bench, checks=checks, keys=keys)
    problem = bench.problem()
    assert what in problem.what + problem.where
    assert problem.fix


def test_a_task_without_a_hidden_test_is_refused(bench):
    folder = fill(bench, checks=HIDDEN, recorded={"hidden": ["a"]})
    (folder / "hidden/tests/test_h.py").unlink()
    assert "no hidden file is named like a test" in bench.problem().what


def test_files_of_two_runners_need_a_run(bench):
    fill(bench, checks=HIDDEN, recorded={"hidden": ["a"]})
    bench.write("one/hidden/tests/a.test.js", "")
    assert "has files for pytest and for Node, and no `run`" in bench.problem().what
    bench.task(checks=HIDDEN + 'run = "both {files} {junit}"\n')
    assert load_suite(bench.folder).tasks


@pytest.mark.parametrize(
    ("path", "test", "runner"),
    [
        ("test_a.py", True, "pytest"),
        ("a/b_test.py", True, "pytest"),
        ("tests.py", True, "pytest"),
        ("conftest.py", False, "pytest"),
        ("testing.py", False, "pytest"),
        ("a.test.js", True, "node"),
        ("a.spec.ts", True, "node"),
        ("a-test.mjs", True, "node"),
        ("test-a.cjs", True, "node"),
        ("a.test.tsx", True, "node"),
        ("support.js", False, "node"),
        ("latest.js", False, "node"),
        ("a_test.go", False, None),
        ("test.sh", False, None),
    ],
)
def test_which_files_are_tests(path, test, runner):
    assert (looks_like_test(path), runner_of(path)) == (test, runner)


def test_the_projects_own_are_those_the_globs_name_dependencies_left_out(bench):
    fill(bench)
    check = recorded_checks(load_suite(bench.folder).tasks[0].task)[1]
    start = ["tests/test_b.py", "tests/test_a.py", "tests/util.py", "src/test_x.py", "tests/node_modules/x/a.test.js"]  # fmt: skip
    assert files_to_run(check, ["h.py"], start, ["tests/**"]) == ("tests/test_a.py", "tests/test_b.py")  # fmt: skip
