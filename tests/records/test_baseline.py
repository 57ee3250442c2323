"""Baselines and own dimensions: strict, finite, small, the same bytes for the same results."""

import json
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from agenteval.comparison import DIMENSIONS
from agenteval.errors import RecordError
from agenteval.records import (
    GATE_DIMENSIONS,
    METERED_COLUMNS,
    ArmRecord,
    Baseline,
    Dimension,
    Suite,
    TaskRecord,
    TaskValue,
    column_names,
    dimension_columns,
    encode_baseline,
    read_baseline,
)


def made(**changes):
    task = TaskRecord(
        suite="s",
        task_id="t",
        task_digest="d",
        trials=3,
        passes=2,
        values={"pass_rate": TaskValue(n=3, mean=2 / 3, worst=0.0)},
    )
    arm = ArmRecord(arm="a", arm_digest="x", tasks=[task])
    whole = {
        "name": "main",
        "saved_at": datetime(2026, 1, 2, tzinfo=UTC),
        "source": "r",
        "arms": [arm],
    }
    return Baseline(**(whole | changes))


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "main.json"
    made(dimensions=[Dimension(name="files", column="files_changed", direction="lower")]).write(
        path
    )
    return path


def test_what_is_written_is_read_and_written_alike(written):
    read = read_baseline(written)
    assert encode_baseline(read) == written.read_bytes()
    assert read.dimensions[0].name == "files"
    assert read.arms[0].tasks[0].values["pass_rate"].mean == 2 / 3


def test_a_task_is_one_line_of_json(written):
    lines = written.read_text().splitlines()
    assert sum('"task_id"' in line for line in lines) == 1
    assert json.loads(written.read_text())["record"] == "baseline"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"mean": 0.6666666666666666', '"mean": NaN', "NaN"),
        ('"mean": 0.6666666666666666', '"mean": Infinity', "Infinity"),
        ('"mean": 0.6666666666666666', '"mean": 1e999', "finite"),
        ('"source"', '"sauce"', "source"),
        ('"passes": 2', '"passes": 4', "more passes"),
        ('"schema_version": 1', '"schema_version": 999', "schema version 999"),
        ('"record": "baseline"', '"record": "run"', "no baseline"),
        ('"n": 3', '"n": 0', "greater than or equal to 1"),
    ],
)
def test_a_baseline_that_is_not_as_written_is_refused(written, old, new, says):
    text = written.read_text()
    assert old in text
    written.write_text(text.replace(old, new, 1))
    with pytest.raises(RecordError, match=says):
        read_baseline(written)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "{}", '{"record": "baseline"}'])
def test_an_empty_or_torn_baseline_is_refused(tmp_path, content):
    path = tmp_path / "b.json"
    path.write_text(content)
    with pytest.raises(RecordError):
        read_baseline(path)
    with pytest.raises(RecordError, match="cannot be read"):
        read_baseline(tmp_path / "absent.json")


def test_a_baseline_without_arms_tasks_or_with_doubles_is_refused():
    arm = made().arms[0]
    for arms in ([], [arm, arm]):
        with pytest.raises(ValidationError):
            made(arms=arms)
    for tasks in ([], [*arm.tasks, *arm.tasks]):
        with pytest.raises(ValidationError):
            ArmRecord(arm="a", tasks=tasks)


def test_the_reserved_names_are_those_of_the_declared_list():
    assert tuple(measure.name for measure in DIMENSIONS) == GATE_DIMENSIONS


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"name": "x"}, "needs exactly one"),
        ({"name": "x", "column": "turns", "check": "c"}, "needs exactly one"),
        ({"name": "cost", "column": "turns"}, "every gate has already"),
        ({"name": "Big Name", "column": "turns"}, "small letters"),
        ({"name": "x", "column": "reported_cost_usd"}, "says of itself"),
        ({"name": "x", "column": "arm"}, "no column of trials that measures"),
        ({"name": "x", "column": "repeat"}, "no column of trials that measures"),
        ({"name": "x", "column": "turns", "direction": "up"}, "higher"),
        ({"name": "x", "column": "passed", "worst": True}, "truths"),
        ({"name": "x", "column": "turns", "unit": "1"}, "Extra"),
    ],
)
def test_an_own_dimension_that_means_nothing_is_refused(keys, says):
    with pytest.raises(ValidationError, match=says):
        Dimension(**keys)


def test_a_suite_declares_each_dimension_once():
    own = {"name": "files", "column": "files_changed", "direction": "lower"}
    assert Suite(dimensions=[own]).dimensions[0].direction == "lower"
    with pytest.raises(ValidationError, match="twice"):
        Suite(dimensions=[own, own])


def test_no_reported_column_can_feed_a_dimension():
    told = [name for name in column_names("trials") if name.startswith("reported_")]
    assert told
    assert not set(told) & set(dimension_columns())
    assert set(dimension_columns()) >= METERED_COLUMNS
