"""The label queue: blind, saved at once, resumed, and drawn as it says."""

import json

import pandas as pd
import pytest

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.widgets import label, label_sample


def test_labels_are_saved_at_once_by_button_or_key_and_the_queue_resumes(own):
    queue = label(own, by="ada", sample=5)
    names = queue.queue["trial_id"].tolist()
    queue.score.value, queue.note.value = "0.9", "clean"
    queue.buttons["pass"].click()
    lines = (own.path / "labels.jsonl").read_text().splitlines()
    assert len(lines) == 1
    assert json.loads(lines[0])["trial_id"] == names[0]
    queue._on_key(queue.catcher, {"key": "f"}, None)
    said = own.labels().set_index("trial_id")
    assert said.loc[names[0], ["passed", "score", "note"]].tolist() == [True, 0.9, "clean"]
    assert not said.loc[names[1], "passed"]
    assert pd.isna(said.loc[names[1], "score"])
    again = label(own, by="ada", sample=5)
    assert again.queue["trial_id"].tolist() == names
    assert (again.place, again.labelled) == (2, 2)
    assert label(own, by="bob", sample=5).labelled == 0


def test_saying_it_again_replaces_it_and_the_queue_ends(own):
    queue = label(own, by="ada", sample=2)
    for name in ("pass", "back", "fail", "pass"):
        queue.buttons[name].click()
    assert own.labels()["passed"].tolist() == [False, True]
    assert "2 labels" in queue.body.value
    assert queue.buttons["pass"].disabled
    queue._on_key(queue.catcher, {"key": "p"}, None)
    assert "queue is through" in queue.error
    queue.buttons["back"].click()
    assert queue.place == 1


def test_a_score_that_is_none_is_shown_and_nothing_is_saved(own):
    queue = label(own, by="ada", sample=2)
    for text in ("much", "7"):
        queue.score.value = text
        queue.buttons["pass"].click()
        assert "score" in queue.error.lower()
        assert (queue.place, queue.score.value) == (0, text)
    assert own.labels().empty
    with pytest.raises(InvalidInput, match="needs a person"):
        label(own, by=" ", sample=2)


def test_blind_means_without_arm_outcome_and_checks(own):
    queue = label(own, by="ada", sample=6)
    for place in range(6):
        row = queue.trial.row
        for page in queue.pages.options:
            queue.page = page
            for told in (row["arm"], row["trial_id"], row["run_id"], "checks passed"):
                assert told not in queue.body.value
        queue.buttons["skip"].click()
        assert queue.place == place + 1
    seeing = label(own, by="ada", sample=6, blind=False)
    assert seeing.trial.row["arm"] in seeing.body.value
    assert "Checks" in seeing.pages.options


def test_agreement_is_that_of_the_labels_with_the_outcome(own):
    queue = label(own, by="ada", sample=6)
    for place, passed in enumerate(queue.queue["passed"]):
        agree = place != 0
        queue.buttons["pass" if passed == agree else "fail"].click()
    assert "own outcome on 5 of 6" in queue.agreement.value


def test_agreement_does_not_tell_a_blind_person_how_the_last_trial_came_out(own):
    queue = label(own, by="ada", sample=12)
    told = [queue.agreement.value]
    for _ in range(11):
        queue.buttons["pass"].click()
        told.append(queue.agreement.value)
    assert [told[at] != told[at - 1] for at in range(1, 12)].count(True) == 2
    assert "of 5" in told[5]
    assert "of 10" in told[11]
    queue.buttons["pass"].click()
    assert "of 12" in queue.agreement.value, "told in whole at the end"


def test_a_stratified_sample_holds_every_arm_and_outcome(every_outcome):
    trials = every_outcome.trials()
    strata = trials[trials["status"] != "skipped"].groupby(["arm", "status"]).size()
    drawn = label_sample(trials, pd.DataFrame(), size=2 * len(strata), seed=3)
    counts = drawn.groupby(["arm", "status"]).size()
    assert counts.index.equals(strata.index)
    assert (counts >= strata.clip(upper=2)).all()
    same = label_sample(trials.sample(frac=1, random_state=1), pd.DataFrame(), size=9, seed=3)
    assert same["trial_id"].tolist() == drawn["trial_id"].tolist()[:9]
    other = label_sample(trials, pd.DataFrame(), size=9, strategy="random", seed=4)
    assert other["trial_id"].tolist() != drawn["trial_id"].tolist()[:9]


def test_an_active_sample_begins_where_the_judge_is_least_sure(every_outcome):
    trials = every_outcome.trials(run="base", status="pass").head(4)
    scores, counted = [0.1, None, 0.72, 0.95], [0.1, 0.0, 0.72, 0.95]
    judged = trials[["run_id", "trial_id", "suite", "task_id", "arm"]].assign(
        rubric="v1", judge="m", judging="grading", grading=1, score=scores, counted=counted,
        threshold=0.7,
    )  # fmt: skip
    drawn = label_sample(trials, judged, size=3, strategy="uncertain")
    ids = trials["trial_id"].tolist()
    assert drawn["trial_id"].tolist() == [ids[1], ids[2], ids[3]]


def test_what_cannot_be_drawn_is_said(every_outcome):
    trials = every_outcome.trials()
    with pytest.raises(InvalidInput, match="strategy 'best'"):
        label_sample(trials, pd.DataFrame(), size=1, strategy="best")
    with pytest.raises(InvalidInput, match="sample of 0"):
        label_sample(trials, pd.DataFrame(), size=0)
    with pytest.raises(NotEnoughData):
        label_sample(trials[trials["status"] == "skipped"], pd.DataFrame(), size=1)
