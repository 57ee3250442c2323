import pytest

from agenteval.errors import StoreError
from agenteval.records import Status, encode_block
from agenteval.store import TrialView, open_store, seal


@pytest.fixture
def trial(build):
    run = build.run()
    attempt = build.attempt(passed=False, status="fail", score=0.5)
    checks = build.checks(attempt)
    checks[1] = checks[1].model_copy(
        update={"passed": True, "score": 1.0, "detail": "<script>alert(1)</script>"}
    )
    build.append(run, encode_block(attempt, checks))
    folder = run.attempt(attempt.trial_id, 1)
    (folder / "checks").mkdir(parents=True)
    for name, text in {
        "prompt.md": "Add <b>rows</b> & columns",
        "patch.diff": "--- a/x\n+++ b/x\n-old <i>\n+new & shiny\n",
        "answer.md": "Done, see <x.py>",
        "stdout.txt": "out",
        "checks/1.txt": "failed: 1 != 2",
    }.items():
        (folder / name).write_text(text)
    (folder / "stderr.txt").write_bytes(b"caf\xe9")
    build.events(run, attempt)
    build.write(run, build.attempt(task="search"))
    return open_store(build.path).trial(attempt.trial_id)


def test_a_trial_shows_what_was_kept_of_it(trial):
    assert isinstance(trial, TrialView)
    assert trial.row["task_id"] == "cart"
    assert trial.row["cost_usd"] == 0.25
    assert trial.row["turns"] is None
    assert trial.prompt == "Add <b>rows</b> & columns"
    assert trial.diff.endswith("+new & shiny\n")
    assert trial.answer == "Done, see <x.py>"
    assert (trial.stdout, trial.stderr) == ("out", "caf\ufffd")
    assert trial.checks["passed"].tolist() == [False, True]
    assert trial.events["command"].tolist() == ["step 1", "step 2", "step 3"]
    assert trial.transcript["what"].tolist() == ["step 1", "step 2", "step 3"]
    assert trial.transcript.tail(1)["seq"].tolist() == [3]
    assert len(trial.attempts) == 1
    assert list(trial.artifacts) == [
        "answer.md", "checks/1.txt", "events.jsonl", "patch.diff", "prompt.md", "stderr.txt", "stdout.txt",
    ]  # fmt: skip
    assert trial.artifacts["checks/1.txt"].read_text() == "failed: 1 != 2"
    assert trial.outcome == "fail: 1 of 2 checks passed; not check 1"
    assert "cart by base, repeat 1: fail" in repr(trial)


def test_its_html_escapes_everything_foreign(trial):
    html = trial._repr_html_()
    for text in (
        "Add &lt;b&gt;rows&lt;/b&gt; &amp; columns",
        "-old &lt;i&gt;",
        "&lt;script&gt;",
        "see &lt;x.py&gt;",
    ):
        assert text in html
    for text in ("<script>", "<b>rows", "<i>", "<x.py>"):
        assert text not in html
    assert "1 of 2 checks passed" in html


def test_without_artifacts_it_is_empty_and_asks_the_task_for_its_prompt(build):
    build.filled()
    view = open_store(build.path).trial(build.attempt().trial_id)
    assert view.prompt == "Please do cart <b>now</b>"
    assert (view.diff, view.answer, view.stdout, view.stderr) == ("", "", "", "")
    assert view.artifacts == {}
    assert view.events.empty
    assert view.transcript.empty
    assert "Please do cart &lt;b&gt;now" in view._repr_html_()


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ({}, "pass: 2 of 2 checks passed"),
        ({"ended_by": "timeout"}, "pass, ended by timeout: 2 of 2 checks passed"),
        (
            {"status": "error", "passed": False, "error_class": "timeout", "ended_by": "timeout"},
            "error (timeout): 0 of 2 checks passed; not check 1, check 2",
        ),
        (
            {"status": "skipped", "passed": None, "error_class": "requires_missing", "ended_by": None, "error_message": "node is not on PATH"},
            "skipped (requires_missing): 0 of 2 checks passed; not check 1, check 2. node is not on PATH",
        ),
    ],
)  # fmt: skip
def test_the_outcome_in_a_line(build, values, text):
    build.write(build.run(), build.attempt(**values))
    assert open_store(build.path).trial(build.attempt().trial_id).outcome == text


def test_only_the_attempt_that_counts_and_its_newest_grading(build):
    run = build.run()
    failed = build.attempt(status="error", passed=None, error_class="setup_failed")
    good = build.attempt(attempt=2)
    again = good.model_copy(update={"grading": 2, "status": Status.FAIL, "passed": False})
    (check,) = build.checks(again, 1)
    build.write(run, failed, good)
    build.append(run, encode_block(again, [check.model_copy(update={"name": "regraded"})]))
    view = open_store(build.path).trial(good.trial_id)
    assert view.checks["name"].tolist() == ["regraded"]
    assert view.attempts["status"].tolist() == ["error", "fail"]
    assert (view.row["attempts"], view.row["grading"], view.row["status"]) == (2, 2, "fail")


def test_artifacts_are_those_of_the_newest_grading(build):
    run = build.run()
    first = build.attempt()
    again = first.model_copy(update={"grading": 2})
    build.write(run, first)
    for grading, text in ((1, "old"), (2, "new")):
        path = run.grading(first.trial_id, 1, grading) / "checks/1.txt"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    (run.attempt(first.trial_id, 1) / "answer.md").write_text("42")
    view = open_store(build.path).trial(first.trial_id)
    assert list(view.artifacts) == ["answer.md", "checks/1.txt"]
    assert view.artifacts["checks/1.txt"].read_text() == "old"
    build.write(run, again)
    view = open_store(build.path).trial(first.trial_id)
    assert list(view.artifacts) == ["answer.md", "checks/1.txt"]
    assert view.artifacts["checks/1.txt"].read_text() == "new"


def test_a_beginning_of_the_id_is_enough_when_it_is_alone(build):
    build.filled()
    store = open_store(build.path)
    ids = store.trials()["trial_id"].tolist()
    seal(build.path)
    shortest = next(n for n in range(1, 13) if len({i[:n] for i in ids}) == 4)
    for own in ids:
        assert store.trial(own[:shortest]).id == own


def test_unknown_and_ambiguous_ids_name_the_nearest(build):
    run = build.run()
    for own in ("abc111111111", "abc222222222", "f00000000000"):
        build.write(run, build.attempt().model_copy(update={"trial_id": own}))
    store = open_store(build.path)
    with pytest.raises(
        StoreError, match=r"beginning of several[\s\S]*abc111111111 \(run r1\), abc222222222"
    ):
        store.trial("abc")
    with pytest.raises(StoreError, match=r"no trial 'f00000000001'[\s\S]*use one of f00000000000"):
        store.trial("f00000000001")
    for nothing in ("", "%", "_"):
        with pytest.raises(StoreError, match="no trial"):
            store.trial(nothing)
    assert store.trial("f").id == "f00000000000"


def test_a_link_among_the_artifacts_is_not_followed(build, tmp_path):
    run = build.run()
    attempt = build.attempt()
    build.write(run, attempt)
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    folder = run.attempt(attempt.trial_id, 1)
    folder.mkdir(parents=True)
    (folder / "notes.txt").symlink_to(secret)
    (folder / "patch.diff").symlink_to(secret)
    view = open_store(build.path).trial(attempt.trial_id)
    assert view.artifacts == {}
    assert view.diff == ""


def test_a_trial_is_found_in_the_run_that_is_named(trial):
    store, run = trial._store, trial.row["run_id"]
    assert store.trial(trial.id[:6], run=run).row == trial.row
    with pytest.raises(StoreError, match="no run 'nowhere'"):
        store.trial(trial.id, run="nowhere")
