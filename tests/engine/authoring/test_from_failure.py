"""A failure that was seen made into a task: it loads, and the agent's change is a wrong solution."""

import pytest

from agenteval.engine import validate
from agenteval.engine.authoring import Failure, from_failure, newer_id, refuse_success
from agenteval.errors import InvalidInput
from agenteval.suite import load_suite

GOOD = {"solution": {"app.txt": "fixed\n"}, "wrong": {"half": {"app.txt": "half\n"}}}


def failure(task, bench, **changes):
    parts = {
        "run_id": "run-1",
        "trial_id": "abc",
        "arm": "some-agent",
        "outcome": "fail: the agent ended by itself",
        "failing": [("fixed", "exit code 1,\nexpected 0")],
        "patch": bench.patch(task.repo, {"app.txt": "almost\n"}),
        "answer": "I mended it.",
        "task_digest": task.digest,
    }
    return Failure(**{**parts, **changes})


def test_it_loads_and_validates_with_the_change_as_a_wrong_solution(bench):
    task = bench.task(**GOOD)
    derived = from_failure(task, failure(task, bench), "one-seen")
    new = load_suite(bench.suite).task("one-seen")
    assert (new.prompt, new.digest) == (task.prompt, new.digest)
    assert {wrong.name for wrong in new.wrong} == {"half", "observed"}
    assert new.task.tags == ["draft"]
    found = validate((new,), sandbox=bench.sandbox, repeat=1)
    assert all(finding.ok for finding in found)
    assert {finding.solution for finding in found} >= {"observed", "reference"}
    notes = (derived.folder / "notes.md").read_text()
    for told in ("abc", "run-1", "some-agent", "`fixed`: exit code 1, expected 0"):
        assert told in notes
    assert any("whose fault" in line for line in derived.missing)
    assert not any("digest" in line for line in derived.missing)


def test_what_is_missing_is_said(bench):
    task = bench.task()
    derived = from_failure(task, failure(task, bench, patch=b"", task_digest="0" * 16), "two")
    told = "\n".join(derived.missing)
    for part in ("no reference yet", "the agent changed nothing", "no longer what it was"):
        assert part in told
    assert load_suite(derived.folder).tasks[0].wrong == ()


def test_a_wrong_answer_is_kept_where_answers_are_graded(bench):
    task = bench.task(checks='[[checks]]\nkind = "answer-contains"\ntext = "forty-two"\n')
    derived = from_failure(task, failure(task, bench, patch=b"", answer="It is 41.\n"), "two")
    assert (derived.folder / "wrong/observed.answer.md").read_text() == "It is 41.\n"


def test_all_keys_of_the_task_come_along(bench):
    task = bench.task(
        keys='title = "T"\ntags = ["x"]\ntimeout_s = 7.5\n[env]\nA = "b"\n[environment]\nbuild = ["true"]\n',
        **GOOD,
    )
    derived = from_failure(task, failure(task, bench), "two")
    new = load_suite(derived.folder).tasks[0].task
    assert (new.tags, new.timeout_s, new.env) == (["x", "draft"], 7.5, {"A": "b"})
    assert new.environment == task.task.environment


def test_nothing_is_overwritten_and_ids_go_on(bench):
    task = bench.task(**GOOD)
    assert newer_id(bench.suite, "one") == "one-seen"
    from_failure(task, failure(task, bench), "one-seen")
    assert newer_id(bench.suite, "one") == "one-seen-2"
    with pytest.raises(InvalidInput, match="already"):
        from_failure(task, failure(task, bench), "one-seen")


@pytest.mark.parametrize(("passed", "told"), [(True, "passed"), (None, "does not count")])
def test_only_a_failure_will_do(passed, told):
    refuse_success(False, "abc")
    with pytest.raises(InvalidInput, match=told):
        refuse_success(passed, "abc")
