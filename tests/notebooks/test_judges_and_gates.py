"""The notebook on judges and gates runs as it comes: real labels, and a gate on the sample store."""

import nbformat
import pandas as pd
import pytest

from agenteval.records import bundled
from agenteval.reports import render


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("n")
    return render("04_judges_and_gates", notebook=folder / "n.ipynb", markdown=folder / "n.md")


def test_it_says_whether_the_judges_are_to_be_trusted(made):
    text = made.markdown.read_text()
    assert "gpt-3.5-turbo is to be trusted" in text
    assert "rogan_gladen" in text


def test_it_says_the_same_of_the_judges_of_a_store(made):
    text = made.markdown.read_text()
    assert "simulated/careful is to be trusted" in text
    assert "simulated/hasty is not to be trusted" in text


def test_it_gates_one_run_against_the_other_in_every_mode(made):
    text = made.markdown.read_text()
    assert "Nothing regressed that shows" in text
    assert "Gate, mode ratchet, margin 0.05: fails" in text
    assert "The gate fails: pass_rate regressed" in text
    assert "Gate, mode strict, margin 0.05: undecided" in text
    assert "The data cannot tell, on 8 tasks" in text
    charts = [
        output
        for cell in nbformat.read(made.notebook, as_version=4).cells
        for output in cell.get("outputs", [])
        if "application/vnd.vegalite.v5+json" in output.get("data", {})
    ]
    assert len(charts) == 3


def test_the_labels_that_come_along_are_400_pairs_three_people_and_two_judges():
    judged = pd.read_csv(bundled("data") / "judged_answers.csv")
    labels = pd.read_csv(bundled("data") / "labelled_answers.csv")
    assert (len(judged), judged["judge"].nunique(), judged["trial_id"].nunique()) == (800, 2, 400)
    assert (len(labels), labels["annotator"].nunique()) == (1200, 3)
    assert set(labels["trial_id"]) == set(judged["trial_id"])
