"""Two arms compared by clicking say what the same calls say."""

from datetime import timedelta

import agenteval as ae
from agenteval.widgets import compare_arms


def test_it_says_what_compare_says_and_gives_the_cell(sample):
    widget = compare_arms(sample, run="")
    assert widget.error == ""
    widget.baseline_menu.value, widget.candidate_menu.value = "scripted:noop", "scripted:chance:0.6"
    widget.margin_box.value = 0.1
    widget.policy_menu.value = "left-out-against"
    cell: dict = {"display": lambda *shown: None}
    exec(widget.code, cell)
    counted = ae.comparison.recount(
        sample.trials(), "left-out-against", candidate="scripted:chance:0.6"
    )
    direct = ae.compare(
        counted, baseline="scripted:noop", candidate="scripted:chance:0.6", margin=0.1
    )
    assert widget.result.verdict == cell["h"].verdict == direct.verdict
    assert cell["h"].table.equals(direct.table)
    assert direct.verdict in widget.verdict.value
    assert widget.copy.text == widget.code


def test_every_part_has_a_chart_and_a_table(sample):
    widget = compare_arms(sample)
    shown = {}
    for name in widget.parts.options:
        widget.parts.value = name
        assert widget.error == ""
        assert widget.chart.chart is not None
        shown[name] = widget.body.value
        told: list = []
        exec(widget.code, {"display": lambda *both, told=told: told.extend(both)})
        assert "".join(one._repr_html_() for one in told[:-1]) == widget.body.value
    assert len(set(shown.values())) == len(shown)
    assert "Flips" in shown["Flips"]


def test_an_arm_is_not_compared_with_itself(sample):
    widget = compare_arms(sample)
    widget.candidate = widget.baseline
    assert "cannot be compared with itself" in widget.error
    assert widget.result is None
    assert widget.answers.layout.display == "none"
    widget.candidate = "scripted:reference"
    assert widget.error == ""
    assert widget.answers.layout.display is None


def test_the_newest_run_is_what_it_begins_with(sample):
    run = sample.newest_run()
    widget = compare_arms(sample)
    assert set(widget.result.trials["run_id"]) == {run}
    assert f"run={run!r}" in widget.code
    widget.run_menu.value = ""
    assert widget.result.trials["run_id"].nunique() > 1


def test_a_store_of_one_arm_says_so(tmp_path, made_store):
    made_store.add_run(tmp_path / "s", "only", {"one": "dev"})
    widget = compare_arms(ae.open_store(tmp_path / "s"))
    assert "nothing to compare" in widget.error


def test_a_newer_run_of_one_arm_is_passed_over(tmp_path, made_store):
    path = made_store.build(tmp_path / "s")
    later = made_store.START + timedelta(days=9)
    made_store.add_run(path, "later", {"one": "dev"}, created_at=later)
    store = ae.open_store(path)
    assert store.newest_run() == "later"
    assert compare_arms(store).run == "next"
    assert "nothing to compare" in compare_arms(store, run="later").error
