"""Judgments and labels in a store: added, never overwritten, read as tables and in SQL."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from agenteval.errors import InvalidInput, StoreError
from agenteval.records import CheckRow, Judgment, column_names, encode_block
from agenteval.store import Store, add_judgments, seal

NOW = datetime(2025, 3, 1, 13, tzinfo=UTC)


def judgment(trial, *, judging="rejudge-1", minutes=0, **values):
    defaults = {
        "run_id": trial.row["run_id"],
        "trial_id": trial.id,
        "judging": judging,
        "at": NOW + timedelta(minutes=minutes),
        "suite": "shop",
        "task_id": trial.row["task_id"],
        "arm": trial.row["arm"],
        "rubric": "v1",
        "judge": "local/m",
        "prompt_hash": "0" * 16,
        "score": 0.5,
        "counted": 0.5,
        "reply": "é {}",
    }
    return Judgment(**defaults | values)


@pytest.fixture
def opened(build):
    build.filled()
    return Store(build.path)


@pytest.fixture
def trial(opened):
    return opened.trial(opened.trials(task="cart", arm="base")["trial_id"].iloc[0])


def test_judgments_are_added_and_never_overwritten(opened, trial):
    add_judgments(opened.path, [judgment(trial), judgment(trial, sample=2)])
    add_judgments(opened.path, [judgment(trial, judging="rejudge-2", minutes=1, score=0.9)])
    found = opened.judgments()
    assert found["judging"].tolist() == ["rejudge-1", "rejudge-1", "rejudge-2"]
    assert found["score"].tolist() == [0.5, 0.5, 0.9]
    assert found["reply"].tolist() == ["é {}"] * 3
    assert len(trial.judgments) == 3
    assert len((opened.path / "judgments.jsonl").read_text().splitlines()) == 3


def test_the_columns_are_the_same_without_any_judgment_or_label(opened, trial):
    for table, fill in (
        ("judgments", lambda: add_judgments(opened.path, [judgment(trial)])),
        ("labels", lambda: trial.label(True, by="ada")),
    ):
        empty = getattr(opened, table)()
        assert list(empty.columns) == column_names(table)
        fill()
        assert getattr(opened, table)().dtypes.equals(empty.dtypes)


def test_judgments_made_while_grading_are_read_from_the_trials_artifacts(build):
    run = build.run()
    attempt = build.attempt()
    check = CheckRow(
        run_id="r1", trial_id=attempt.trial_id, seq=1, name="q", kind="judge", passed=True
    )
    again = attempt.model_copy(update={"grading": 2})
    for number, row in enumerate((attempt, again), start=1):
        build.append(run, encode_block(row, [check.model_copy(update={"grading": number})]))
        folder = run.grading(attempt.trial_id, 1, number)
        folder.mkdir(parents=True, exist_ok=True)
        line = Judgment(
            run_id="copied", trial_id="copied", judging="grading", at=NOW + timedelta(days=number),
            suite="shop", task_id="cart", arm="base", rubric="v1", judge="m", prompt_hash="x",
            score=number / 10,
        )  # fmt: skip
        (folder / "judgments.jsonl").write_text(line.model_dump_json() + "\n")
    store = Store(build.path)
    for _ in range(2):
        found = store.judgments()
        assert found["score"].tolist() == [0.1, 0.2]
        assert found["grading"].tolist() == [1, 2]
        assert set(found["trial_id"]) == {attempt.trial_id}
        assert set(found["run_id"]) == {"r1"}
        seal(build.path)


def test_judgments_can_be_filtered(opened, trial):
    other = opened.trial(opened.trials(task="search", arm="v2")["trial_id"].iloc[0])
    add_judgments(opened.path, [judgment(trial), judgment(other)])
    assert opened.judgments(opened.trials(arm="v2"))["trial_id"].tolist() == [other.id]
    assert len(opened.judgments(run="r1")) == 2
    with pytest.raises(StoreError):
        opened.judgments(run="nowhere")


def test_sql_knows_judgments_and_labels(opened, trial):
    add_judgments(opened.path, [judgment(trial)])
    trial.label(False, by="ada")
    query = """select t.arm, j.score, l.passed from trials t
        join judgments j using (run_id, trial_id) join labels l using (run_id, trial_id)"""
    assert opened.sql(query).values.tolist() == [["base", 0.5, False]]
    with opened.connect() as connection:
        assert connection.execute("select count(*) from judgments").fetchall() == [(1,)]


def test_a_line_that_is_no_judgment_is_named(opened):
    (opened.path / "judgments.jsonl").write_text('{"schema_version": 1, "score": 2}\n')
    with pytest.raises(StoreError, match="judgments.jsonl:1"):
        opened.judgments()


def test_a_torn_last_line_was_never_promised(opened, trial):
    add_judgments(opened.path, [judgment(trial)])
    with (opened.path / "judgments.jsonl").open("ab") as file:
        file.write(b'{"schema_version": 1, "run')
    assert len(opened.judgments()) == 1
    add_judgments(opened.path, [judgment(trial, judging="rejudge-2")])
    assert len(opened.judgments()) == 2


class TestLabels:
    def test_a_label_is_a_line_and_a_row(self, opened, trial):
        trial.label(True, by=" ada ", score=0.75, note="short and right", rubric="v1")
        [line] = map(json.loads, (opened.path / "labels.jsonl").read_text().splitlines())
        assert (line["annotator"], line["passed"], line["trial_id"]) == ("ada", True, trial.id)
        row = trial.labels.iloc[0]
        assert (row["annotator"], row["passed"], row["score"], row["note"], row["rubric"]) == (
            "ada", True, 0.75, "short and right", "v1",
        )  # fmt: skip
        assert opened.labels().equals(trial.labels)

    def test_saying_it_again_replaces_it_and_the_first_line_stays(self, opened, trial):
        trial.label(True, by="ada")
        trial.label(False, by="ada")
        trial.label(True, by="ben")
        labels = opened.labels()
        assert labels[["annotator", "passed"]].values.tolist() == [["ada", False], ["ben", True]]
        assert len((opened.path / "labels.jsonl").read_text().splitlines()) == 3

    def test_it_can_be_taken_back(self, opened, trial):
        trial.label(True, by="ada")
        trial.label(by="ada", undo=True)
        assert opened.labels().empty
        with pytest.raises(InvalidInput, match="no such label"):
            trial.label(by="ada", undo=True)

    def test_labels_by_different_rubrics_stand_beside_each_other(self, trial):
        trial.label(True, by="ada", rubric="v1")
        trial.label(False, by="ada", rubric="v2")
        assert len(trial.labels) == 2

    @pytest.mark.parametrize(
        ("given", "what"),
        [
            ({"by": " ", "passed": True}, "needs a person"),
            ({"by": "ada"}, "says nothing"),
            ({"by": "ada", "score": 1.2}, "outside 0 to 1"),
        ],
    )
    def test_what_says_nothing_is_refused(self, opened, trial, given, what):
        with pytest.raises(InvalidInput, match=what):
            trial.label(**given)
        assert not (opened.path / "labels.jsonl").exists()
