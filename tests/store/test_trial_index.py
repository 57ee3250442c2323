"""The narrow copy answers as the trial table does."""

import shutil
from dataclasses import replace

import pytest

from agenteval.errors import InvalidInput
from agenteval.records import bundled
from agenteval.store import TrialFilter, TrialIndex, open_store, void


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


def test_steps_are_searched_when_asked(both):
    trials, index = both
    wanted = TrialFilter(text="simulated transcript", in_steps=True)
    chance = trials[(trials["run_id"] == "sample") & trials["arm"].str.contains("chance")]
    assert set(index.keys(wanted)["trial_id"]) == set(chance["trial_id"])
    assert index.keys(replace(wanted, in_steps=False)).empty
    assert index.groups(wanted, "arm")["trials"].sum() == len(chance)


def test_links_stay_in_the_run(both):
    trials, index = both
    row = trials[trials["run_id"] == "sample"].iloc[0]
    links = index.links(row["trial_id"], "sample").groupby("way")["trial_id"].apply(set)
    run = trials[trials["run_id"] == "sample"]
    same = run[(run["task_id"] == row["task_id"]) & (run["arm"] == row["arm"])]
    assert links["repeat"] == set(same["trial_id"])
    across = run[(run["task_id"] == row["task_id"]) & (run["repeat"] == row["repeat"])]
    assert links["arm"] == set(across["trial_id"])


def test_trials_tried_again_or_left_out_are_what_the_table_says(tmp_path):
    folder = shutil.copytree(bundled("data") / "sample_store", tmp_path / "store")
    store = open_store(folder)
    assert TrialIndex(store).choices("status") == ["fail", "pass"]
    void(folder, "sample-before", reason="the wrong suite")
    index = TrialIndex(store)
    groups = index.groups(TrialFilter(), "status").set_index("name")["trials"]
    assert groups.to_dict() == store.trials().groupby("status").size().to_dict()
    assert groups["skipped"] == 48


def test_files_that_were_compacted_away_are_looked_for_again(tmp_path):
    folder = shutil.copytree(bundled("data") / "sample_store", tmp_path / "store")
    index = TrialIndex(open_store(folder))
    before = index.groups(TrialFilter(), "task_id")
    shutil.rmtree(folder / "parquet")
    assert index.groups(TrialFilter(), "task_id").equals(before)
