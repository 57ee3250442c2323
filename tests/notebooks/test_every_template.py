"""Every template and tutorial runs on the sample store and says what its calls say."""

import re

import pytest

import agenteval as ae
from agenteval.errors import ReportError, StoreError
from agenteval.records import bundled
from agenteval.reports import render, templates

TEMPLATES = (
    "compare_report", "history_report", "judge_report", "suite_report", "trial_report",
    "experiment_report",
)  # fmt: skip
TUTORIALS = (
    "01_sql_cookbook", "02_planning_an_experiment", "03_results_of_other_tools", "05_widgets",
)  # fmt: skip
SAMPLE = bundled("data") / "sample_store"


@pytest.fixture(scope="module")
def sample():
    return ae.open_store(SAMPLE)


@pytest.fixture(scope="module")
def text_of(tmp_path_factory):
    """Render a template on the sample store, once; the Markdown."""
    kept = {}

    def text(name):
        if name not in kept:
            folder = tmp_path_factory.mktemp("r")
            store = SAMPLE if name in TEMPLATES else None
            made = render(name, store=store, markdown=folder / "r.md", html=folder / "r.html")
            kept[name] = made.markdown.read_text()
            assert made.html.stat().st_size < 2_500_000
            assert ae.reports.remote_references(made.html.read_text()) == []
        return kept[name]

    return text


@pytest.mark.parametrize("name", [*TEMPLATES, *TUTORIALS])
def test_it_has_its_sections_and_its_provenance(name, text_of):
    text = text_of(name)
    (question,) = (found.question for found in templates() if found.name == name)
    assert text.startswith(f"# {question}")
    assert "**Provenance**" in text
    if name in TEMPLATES:
        assert f"agenteval report {name} " in text


def test_the_comparison_begins_with_the_verdict(text_of, sample):
    trials = sample.trials(run=sample.newest_run())
    base, cand = ae.reports.pair_of(trials)
    h = ae.compare(trials, baseline=base, candidate=cand)
    text = text_of("compare_report")
    assert text.index(h.verdict) < text.index("## Which tasks moved?")
    for title in ("Flips: ", "Difference by category", "Sensitivity of the conclusion", "Parity"):
        assert title in text


def test_the_history_is_in_order_of_time(text_of):
    text = text_of("history_report")
    change = re.search(r"\| scripted:chance:0\.35 \| 45\.8 % \| 29\.2 % \| -16\.7", text)
    assert change, "sample-before came first, whatever the ids sort like"


def test_a_trial_is_the_one_asked_for_and_a_wrong_one_is_known_at_once(sample, tmp_path):
    wanted = sample.trials(status="pass").trial_id.iloc[-1]
    asked = {"trial": wanted}
    made = render("trial_report", store=SAMPLE, parameters=asked, markdown=tmp_path / "t.md")
    assert f"-p trial={wanted}" in made.markdown.read_text()
    with pytest.raises(StoreError, match="no trial 'zzz'"):
        render("trial_report", store=SAMPLE, parameters={"trial": "zzz"}, html=tmp_path / "r.html")


def test_judges_are_held_against_people(text_of, sample):
    text = text_of("judge_report")
    trust = ae.judge_trust(sample.judgments(), sample.labels())
    assert trust.verdict.splitlines()[0] in text
    assert "simulated/careful is to be trusted" in text
    assert "simulated/hasty is not to be trusted" in text
    assert "| simulated-person-1 | 72 |" in text


def test_without_a_judge_the_report_says_so(store, tmp_path):
    made = render("judge_report", store=store, markdown=tmp_path / "r.md")
    assert "No judge was asked" in made.markdown.read_text()
    assert "Nobody labelled" in made.markdown.read_text()


def test_a_trial_is_told_step_by_step(text_of):
    text = text_of("trial_report")
    assert "Simulated transcript" in text
    assert "left no steps" not in text


def test_arms_are_chosen_or_refused(sample):
    trials = sample.trials()
    assert ae.reports.pair_of(trials) == ("scripted:chance:0.35", "scripted:chance:0.6")
    chosen = ae.reports.pair_of(trials, candidate="scripted:chance:0.35")
    assert chosen == ("scripted:chance:0.6", "scripted:chance:0.35")
    assert ae.reports.pair_of(trials, "scripted:noop")[0] == "scripted:noop"
    with pytest.raises(ae.errors.InvalidInput, match="no arm 'v3'"):
        ae.reports.pair_of(trials, "v3")
    with pytest.raises(ae.errors.InvalidInput, match="with itself"):
        ae.reports.pair_of(trials, "scripted:noop", "scripted:noop")
    with pytest.raises(ae.errors.NotEnoughData, match="1 arms"):
        ae.reports.pair_of(trials[trials.arm == "scripted:noop"])


def test_a_template_of_ones_own_is_started_and_rendered(tmp_path):
    path = ae.reports.new_template(tmp_path / "mine")
    assert path == tmp_path / "mine.ipynb"
    made = render(path, store=SAMPLE, parameters={"run": "sample"}, markdown=tmp_path / "m.md")
    assert "How often does each arm pass?" in made.markdown.read_text()
    with pytest.raises(ReportError, match="already"):
        ae.reports.new_template(path)
