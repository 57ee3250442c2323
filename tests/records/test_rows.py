import pytest
from pydantic import ValidationError

from agenteval.records import TABLES, TaskRow, TrialRow, column_names


def test_rows_cannot_be_changed_or_widened(make_attempt):
    row = make_attempt()
    with pytest.raises(ValidationError, match="frozen"):
        row.status = "fail"
    with pytest.raises(ValidationError, match="Extra inputs"):
        make_attempt(novel=1)


def test_one_field_changes_one_column(make_attempt):
    plain = make_attempt().model_dump(mode="json")
    for name, value in {
        "input_tokens": 5,
        "cache_read_tokens": 6,
        "agent_s": 7.5,
        "cost_usd": 0.5,
        "turns": 3,
        "model_used": "m",
    }.items():
        changed = make_attempt(**{name: value}).model_dump(mode="json")
        assert {key for key in changed if changed[key] != plain[key]} == {name}


def test_an_attempt_becomes_a_trial(make_attempt):
    trial = TrialRow(**make_attempt().model_dump(), attempts=2, all_attempts_cost_usd=None)
    assert list(trial.model_dump()) == column_names("trials")


@pytest.mark.parametrize(
    "changes",
    [{"status": "great"}, {"repeat": 0}, {"cost_source": "guessed"}, {"turns": 1.5}, {"tampering": "x"}],
)  # fmt: skip
def test_values_that_cannot_be_are_refused(make_attempt, changes):
    with pytest.raises(ValidationError):
        make_attempt(**changes)


@pytest.mark.parametrize("score", [-0.1, 1.1])
def test_a_checks_score_is_a_share(make_check, score):
    with pytest.raises(ValidationError):
        make_check(score=score)


def test_defaults_survive_json():
    row = TaskRow(run_id="r", suite="s", task_id="a", task_digest="d")
    assert TaskRow.model_validate_json(row.model_dump_json()) == row
    assert row.tags == []


def test_every_table_has_its_own_model():
    assert len(set(TABLES.values())) == len(TABLES)
    assert all(model.__doc__ for model in TABLES.values())
