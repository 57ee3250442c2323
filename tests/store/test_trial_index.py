"""The narrow copy answers as the trial table does."""

from dataclasses import replace

import pytest

from agenteval.errors import InvalidInput
from agenteval.records import bundled
from agenteval.store import TrialFilter, TrialIndex, open_store


@pytest.fixture(scope="module")
def both():
    store = open_store(bundled("data") / "sample_store")
    return store.trials(), TrialIndex(store)


@pytest.mark.parametrize("by", ["task_id", "run_id", "arm", "status", "category", "ended_by"])
def test_groups_are_those_of_the_table(both, by):
    trials, index = both
    groups = index.groups(TrialFilter(), by).set_index("name")
    assert groups["trials"].to_dict() == trials.groupby(by).size().to_dict()
    passed = trials[trials["status"] == "pass"].groupby(by).size()
    assert groups["pass"][groups["pass"] > 0].to_dict() == passed.to_dict()
    assert index.choices(by) == sorted(trials[by].dropna().unique())


def test_filters_narrow_together(both):
    trials, index = both
    wanted = TrialFilter(arm=("scripted:chance:0.35",), status=("fail",), text="Pricebook")
    kept = trials[
        (trials["arm"] == "scripted:chance:0.35")
        & (trials["status"] == "fail")
        & trials["task_id"].str.contains("pricebook")
    ]
    assert set(index.keys(wanted)["trial_id"]) == set(kept["trial_id"])
    assert len(index.rows(wanted, most=2)) == 2
    assert index.keys(replace(wanted, arm=("nobody",))).empty


def test_siblings_are_trials_of_the_same_task(both):
    trials, index = both
    row = trials.iloc[0]
    found = index.siblings(row["trial_id"], row["run_id"])
    same = trials[(trials["task_id"] == row["task_id"]) & (trials["trial_id"] != row["trial_id"])]
    assert set(found["trial_id"]) == set(same["trial_id"])
    assert found["same_arm"].tolist() == sorted(found["same_arm"], reverse=True)


def test_another_column_is_refused(both):
    for ask in (lambda: both[1].choices("1; drop"), lambda: both[1].groups(TrialFilter(), "x")):
        with pytest.raises(InvalidInput, match="not grouped by"):
            ask()
