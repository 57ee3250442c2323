"""What is wrong with a task, from trials made so that it is."""

import pandas as pd

from agenteval.reports import failure_of, labels_by, runs_in, steps_of, task_health, tries_of


def trials_of(outcomes):
    """Trials from {task: {arm: "110"}}: 1 passed, 0 failed, - left out."""
    rows = [
        {
            "run_id": "r", "trial_id": f"{task}{arm}{repeat}", "attempt": 1, "suite": "s", "task_id": task,
            "arm": arm, "repeat": repeat, "passed": {"1": True, "0": False}.get(mark), "agent": "x",
            "status": {"1": "pass", "0": "fail"}.get(mark, "error"), "duration_s": 60.0 if task == "slow" else 5.0,
        }
        for task, arms in outcomes.items()
        for arm, marks in arms.items()
        for repeat, mark in enumerate(marks)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def flags(table):
    return {row.task_id: row.flags.split(", ") for row in table.itertuples() if row.flags}


def test_every_flag_is_raised_where_it_is_true_and_nowhere_else():
    frame = trials_of({
        "easy": {"a": "111", "b": "111"},
        "hard": {"a": "000", "b": "000"},
        "flaky": {"a": "101", "b": "110"},
        "same": {"a": "10", "b": "01"},
        "good": {"a": "111", "b": "000"},
        "slow": {"a": "111", "b": "000"},
        "lost": {"a": "--", "b": "--"},
        "broken": {"a": "111", "b": "000", "scripted:reference": "0"},
        "gift": {"a": "111", "b": "000", "scripted:noop": "1"},
    })  # fmt: skip
    assert flags(task_health(frame).table) == {
        "easy": ["too easy"],
        "hard": ["too hard"],
        "flaky": ["flaky", "tells no arms apart"],
        "same": ["flaky", "tells no arms apart"],
        "slow": ["slow"],
        "lost": ["nothing counts"],
        "broken": ["reference fails"],
        "gift": ["passed by doing nothing"],
    }


def test_difficulty_and_discrimination_of_each_task():
    frame = trials_of({
        "one": {"a": "1111", "b": "1100", "c": "1000", "d": "0000"},
        "two": {"a": "1110", "b": "1110", "c": "1000", "d": "0000"},
        "odd": {"a": "0000", "b": "0000", "c": "1110", "d": "1111"},
        "all": {"a": "1111", "b": "1111", "c": "1111", "d": "1111"},
    })  # fmt: skip
    table = task_health(frame).table.set_index("task_id")
    assert table["difficulty"].round(4).to_dict() == {
        "one": 0.5625, "two": 0.5625, "odd": 0.5625, "all": 0.0,
    }  # fmt: skip
    assert table["discrimination"]["odd"] < -0.9
    assert table["flags"]["odd"] == "better arms fail it"
    assert table["discrimination"].isna().to_dict() == {
        "one": False, "two": False, "odd": False, "all": True,
    }  # fmt: skip


def test_tasks_are_compared_within_their_suite_only():
    here = trials_of({t: {"a": "11", "b": "10", "c": "00"} for t in ("one", "two")})
    there = trials_of({t: {"a": "00", "b": "10", "c": "11"} for t in ("one", "two")})
    table = task_health(pd.concat([here, there.assign(suite="t")])).table
    assert (table["discrimination"] > 0.99).all()


def test_a_grader_that_disagrees_with_itself_is_named():
    frame = trials_of({"good": {"a": "1", "b": "0"}, "odd": {"a": "1", "b": "0"}})
    again = frame.assign(passed=frame["passed"] & (frame["task_id"] != "odd"))
    found = task_health(frame, pd.concat([frame.assign(grading=1), again.assign(grading=2)]))
    assert flags(found.table) == {"odd": ["grader disagrees"]}
    assert "`odd`" in [row[0] for row in found.rows]


def test_runs_are_in_order_of_time_and_a_failure_is_found(store):
    trials = store.trials()
    assert runs_in(store, trials.sort_values("run_id", ascending=False)) == ["base", "next"]
    assert runs_in(store, trials[trials["run_id"] == "next"]) == ["next"]
    trial = failure_of(store)
    assert (trial.row["run_id"], trial.row["passed"]) == ("next", False)
    others = tries_of(store, trial).table
    assert len(others) == 11
    assert trial.id not in set(others["trial_id"])
    assert "left no steps" in str(steps_of(trial)[0])


def test_labels_are_counted_by_person():
    labels = pd.DataFrame({
        "annotator": ["ada", "ada", "bob"], "trial_id": ["x", "y", "x"],
        "passed": [True, False, None], "score": [None, 0.2, 0.9],
    }).astype({"passed": "boolean"})  # fmt: skip
    rows = labels_by(labels).rows
    assert rows == [["ada", "2", "1", "1", "1"], ["bob", "1", "0", "0", "1"]]
