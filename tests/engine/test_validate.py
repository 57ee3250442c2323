"""Is a task a real test? The task is put on trial with its own solutions."""

import pytest

from agenteval.engine import Finding, validate
from agenteval.records import Status

GOOD = {"solution": {"app.txt": "fixed\n"}, "wrong": {"half": {"app.txt": "half\n"}}}


def verdicts(bench, *tasks, **options) -> dict[tuple[str, int], Finding]:
    found = validate(tasks, sandbox=bench.sandbox, **options)
    return {(finding.solution, finding.repeat): finding for finding in found}


def test_a_real_test_passes_with_its_reference_only(bench):
    found = verdicts(bench, bench.task(**GOOD), repeat=2)
    assert {key: (f.should_pass, f.status, f.ok, f.failing) for key, f in found.items()} == {
        (solution, number): (
            solution == "reference",
            "pass" if solution == "reference" else "fail",
            True,
            () if solution == "reference" else ("fixed",),
        )
        for solution in ("untouched", "noop", "half", "reference")
        for number in (1, 2)
    }


def test_a_wrong_solution_that_passes_is_caught(bench):
    task = bench.task(
        solution={"app.txt": "fixed\n"}, wrong={"too-good": {"app.txt": "also fixed\n"}}
    )
    found = verdicts(bench, task, repeat=1)
    assert {key[0] for key, finding in found.items() if not finding.ok} == {"too-good"}


def test_a_check_that_passes_untouched_is_caught(bench):
    task = bench.task(checks='[[checks]]\nkind = "command"\nrun = "test -e app.txt"\n', **GOOD)
    assert {key[0] for key, f in verdicts(bench, task, repeat=1).items() if not f.ok} == {
        "untouched",
        "noop",
        "half",
    }


def test_a_reference_that_fails_is_caught_with_what_failed(bench):
    task = bench.task(solution={"app.txt": "not quite\n"})
    finding = verdicts(bench, task, repeat=1)["reference", 1]
    assert (finding.ok, finding.status, finding.failing) == (False, "fail", ("fixed",))
    assert "exit code 1" in finding.detail


def test_a_reference_that_does_not_apply_is_caught(bench):
    task = bench.task(solution={"app.txt": "fixed\n"})
    (bench.suite / "one/repo/app.txt").write_text("something else\n")
    finding = verdicts(bench, bench.loaded().tasks[0], repeat=1)["reference", 1]
    assert (finding.ok, finding.status) == (False, "error")
    assert "patch" in finding.detail
    assert task.id == finding.task_id


def test_a_missing_reference_is_caught(bench):
    finding = verdicts(bench, bench.task(), repeat=1)["reference", 1]
    assert (finding.ok, finding.status) == (False, None)
    assert "solution.patch" in finding.detail


def test_a_flaky_check_is_caught(plain_bench):
    """It counts on the side how often it was asked, and passes every other time."""
    counter = plain_bench.folder / "asked"
    check = f'[[checks]]\nkind = "command"\nname = "flaky"\nrun = "grep -q fixed app.txt && echo x >> {counter} && test $(($(wc -l < {counter}) % 2)) = 1"\n'
    task = plain_bench.task(checks=check, **GOOD)
    found = verdicts(plain_bench, task, repeat=4)
    assert [found["reference", number].ok for number in (1, 2, 3, 4)] == [True, False, True, False]
    assert all(f.ok for (solution, _), f in found.items() if solution != "reference")


def test_an_environment_that_cannot_be_built_is_no_verdict(bench):
    task = bench.task(keys='[environment]\nbuild = ["exit 3"]\n', **GOOD)
    for finding in verdicts(bench, task, repeat=1).values():
        assert (finding.ok, finding.status) == (False, None)
        assert "ended with 3" in finding.detail


def test_a_skipped_task_was_not_validated(bench):
    found = verdicts(bench, bench.task(keys='requires = ["no-such-program"]', **GOOD), repeat=1)
    assert not any(f.ok for (solution, _), f in found.items() if solution != "untouched")
    assert found["reference", 1].status == Status.SKIPPED


@pytest.mark.parametrize("jobs", [1, 3])
def test_several_at_a_time_and_in_order(bench, jobs):
    tasks = [bench.task(name, **GOOD) for name in ("a", "b")]
    told = []
    found = validate(
        tuple(tasks), sandbox=bench.sandbox, repeat=3, jobs=jobs, on_finding=told.append
    )
    assert told == found
    assert [f.repeat for f in found] == [1] * 8 + [2] * 8 + [3] * 8
    assert all(f.ok for f in found), [f for f in found if not f.ok]


def test_a_question_is_validated_by_its_answers(bench):
    task = bench.task(checks='[[checks]]\nkind = "answer-contains"\ntext = "forty-two"\n')
    (task.folder / "solution.answer.md").write_text("It is forty-two.\n")
    (task.folder / "wrong").mkdir(exist_ok=True)
    (task.folder / "wrong/guess.answer.md").write_text("It is forty-one.\n")
    found = verdicts(bench, bench.loaded().tasks[0], repeat=1)
    assert {key[0]: f.status for key, f in found.items()} == {
        "untouched": "fail",
        "noop": "fail",
        "guess": "fail",
        "reference": "pass",
    }
    assert all(f.ok for f in found.values())


@pytest.mark.parametrize("content", ["x\n", "stale"])
def test_a_wrong_patch_that_does_not_apply_proves_nothing(bench, content):
    task = bench.task(**GOOD)
    patch = task.folder / "wrong/stale.patch"
    stale = (task.folder / "wrong/half.patch").read_text().replace("app.txt", "gone.txt")
    patch.write_text(stale if content == "stale" else content)
    found = verdicts(bench, bench.loaded().tasks[0], repeat=1)
    assert {key[0] for key, f in found.items() if not f.ok} == {"stale"}
    assert found["stale", 1].detail.startswith("wrong/stale.patch does not apply: error: ")


def test_a_reference_that_does_not_apply_is_named(bench):
    task = bench.task(**GOOD)
    (task.folder / "solution.patch").write_text("x\n")
    finding = verdicts(bench, bench.loaded().tasks[0], repeat=1)["reference", 1]
    assert finding.detail.startswith("solution.patch does not apply")


def test_a_wrong_solution_whose_check_gives_no_verdict_fails_as_it_should(bench):
    check = '[[checks]]\nkind = "command"\nname = "fixed"\ntimeout_s = 1\nrun = "if grep -q half app.txt; then sleep 60; fi; grep -q fixed app.txt"\n'
    finding = verdicts(bench, bench.task(checks=check, **GOOD), repeat=1)["half", 1]
    assert (finding.status, finding.carried_out, finding.ok) == ("error", True, True)
