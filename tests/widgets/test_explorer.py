"""The explorer's state, as clicks and brushes change it."""

import pandas as pd
import pytest

from agenteval.widgets import explore
from agenteval.widgets.trial_pages import PAGES


@pytest.fixture
def explorer(every_outcome):
    return explore(every_outcome)


def brush(explorer, *names):
    """What the browser sends when bars are dragged over."""
    explorer.chart._vl_selections = {"brush": {"value": {"group": list(names)}, "store": []}}


def drawn(explorer):
    """Trials by group in the chart."""
    spec = explorer.chart.spec
    rows = pd.DataFrame(spec["datasets"][spec["data"]["name"]])
    return rows.groupby("group")["trials"].sum().to_dict()


def test_it_opens_on_everything(explorer, every_outcome):
    trials = every_outcome.trials()
    assert explorer.error == ""
    assert explorer.count == len(trials) == len(explorer.selection)
    assert drawn(explorer) == trials.groupby("task_id").size().to_dict()
    assert len(explorer.list.rows) == len(trials)
    assert "144 trials" in explorer.summary.value
    assert explorer.trial is None


@pytest.mark.parametrize("column", ["run_id", "arm", "status", "category", "ended_by"])
def test_a_filter_changes_chart_list_and_selection(explorer, every_outcome, column):
    trials = every_outcome.trials()
    value = sorted(trials[column].dropna().unique())[-1]
    explorer.menus[column].value = (value,)
    wanted = trials[(trials[column] == value).to_numpy(bool, na_value=False)]
    assert explorer.count == len(wanted) < len(trials)
    assert set(explorer.selection["trial_id"]) == set(wanted["trial_id"])
    assert drawn(explorer) == wanted.groupby("task_id").size().to_dict()
    assert explorer.selection.dtypes.equals(trials.dtypes)


def test_text_is_searched_for_in_names_and_messages(explorer):
    explorer.search.value = "PYTHON3.13 is not"
    assert set(explorer.selection["error_message"]) == {"python3.13 is not on PATH"}
    explorer.search.value = "50 % ' nothing"
    assert (explorer.error, explorer.count, len(explorer.selection)) == ("", 0, 0)


def test_text_is_searched_for_in_transcripts_unless_switched_off(sample):
    explorer = explore(sample)
    assert explorer.in_steps
    explorer.search.value = "Node --TEST"
    steps = sample.events()
    found = set(steps.loc[steps["command"] == "node --test", "trial_id"])
    assert set(explorer.selection["trial_id"]) == found
    assert len(found) == explorer.count > 0
    explorer.steps_box.value = False
    assert (explorer.count, explorer.error) == (0, "")


def test_tampering_that_nothing_could_sense_is_unknown(explorer, sample):
    explorer.tampering = "unknown"
    assert explorer.count == 144
    explorer.tampering = "some"
    assert explorer.count == 0
    aware = explore(sample)
    aware.tampering = "none"
    seen = sample.trials()["tampering"]
    assert aware.count == sum(names is not None and len(names) == 0 for names in seen)


def test_a_brush_comes_back_as_trials(explorer, every_outcome):
    brush(explorer, "fix-login", "add-export")
    assert explorer.picked == ("fix-login", "add-export")
    trials = every_outcome.trials(task=["fix-login", "add-export"])
    assert explorer.count == len(trials)
    assert set(explorer.selection["trial_id"]) == set(trials["trial_id"])
    explorer.menus["status"].value = ("pass",)
    assert explorer.picked == ()
    brush(explorer, "fix-login")
    assert set(explorer.selection["task_id"]) == {"fix-login"}
    assert set(explorer.selection["status"]) == {"pass"}
    brush(explorer)
    assert set(explorer.selection["task_id"]) > {"fix-login"}


def test_a_brush_and_a_filter_on_the_same_column_both_hold(explorer):
    explorer.by = "arm"
    explorer.arm = ("scripted:noop", "scripted:reference")
    brush(explorer, "scripted:noop")
    assert set(explorer.selection["arm"]) == {"scripted:noop"}


def test_groups_of_what_is_unknown_can_be_brushed(explorer, every_outcome):
    explorer.by = "error_class"
    brush(explorer, "(unknown)")
    assert explorer.count == int(every_outcome.trials()["error_class"].isna().sum())
    assert explorer.selection["error_class"].isna().all()


def test_a_row_opens_a_trial_and_all_its_pages(explorer, every_outcome):
    explorer.status = ("fail",)
    explorer.list.chosen = 0
    trial = explorer.trial
    assert trial.row["task_id"] == explorer.list.rows[0][0]
    pages = {}
    for name in PAGES:
        explorer.reader.buttons.value = name
        pages[name] = explorer.reader.first_page.value
        assert explorer.reader.error == ""
    assert "&lt;AssertionError&gt;" in pages["Checks"]
    assert "<AssertionError>" not in "".join(pages.values())
    assert "order = &quot;dmy&quot;" in pages["Diff"]
    assert f"Please do {trial.row['task_id']}." in pages["Prompt"]
    assert "unknown: nothing could sense it" in pages["Measured"]
    assert "left no steps" in pages["Transcript"]


def test_what_the_engine_measured_is_shown_of_every_trial(sample):
    explorer = explore(sample)
    explorer.reader.page = "Measured"
    for place in range(0, 144, 24):
        explorer.list.chosen = place
        assert explorer.reader.error == ""
        row = explorer.trial.row
        assert f">{row['shortcuts']}<" in explorer.reader.first_page.value
        assert "none seen" in explorer.reader.first_page.value or row["tampering"]


def test_another_trial_of_the_task_can_be_opened_and_put_beside(explorer):
    explorer.list.chosen = 0
    reader = explorer.reader
    first, second = reader.trial_id, reader.others.value
    reader.beside.click()
    assert (reader.trial_id, reader.second_id) == (first, second)
    assert second in reader.second_page.value
    assert "where they part is not known" in reader.parting.value
    reader.go.click()
    assert (reader.trial_id, reader.second_id) == (second, "")
    assert reader.trial.row["task_id"] == explorer.store.trial(first).row["task_id"]


def test_where_two_trials_part_is_said_drawn_and_marked(sample):
    explorer = explore(sample)
    explorer.run_id, explorer.status = ("sample",), ("fail",)
    explorer.arm = ("scripted:chance:0.35",)
    explorer.list.chosen = 0
    reader = explorer.reader
    reader.beside.click()
    assert reader.error == ""
    assert "They part after 6 same steps" in reader.parting.value
    (chart,) = reader.steps.children
    assert "they part at step 6" in chart.spec["description"]
    reader.page = "Transcript"
    for side, shown in (("a", reader.first_page), ("b", reader.second_page)):
        before, after = shown.value.split("Here the two part")
        at = reader.parted.next_step(side)
        assert f"<small>{at - 1} ·" in before
        assert after.index("<small>") == after.index(f"<small>{at} ·")
    reader.links.children[0].children[-2].click()
    assert (reader.second_id, reader.steps.children, reader.parting.value) == ("", (), "")


def test_links_lead_to_other_repeats_arms_and_tasks(sample):
    explorer = explore(sample)
    explorer.run_id, explorer.arm = ("sample",), ("scripted:reference",)
    explorer.list.chosen = 4
    reader = explorer.reader
    row = reader.trial.row
    ways = {box.children[0].value: box.children[1:-1] for box in reader.links.children}
    assert {name: len(buttons) for name, buttons in ways.items()} == {
        "Repeats": 3,
        "Arms": 4,
        "Tasks": 3,
    }
    assert all(sum(button.disabled for button in buttons) == 1 for buttons in ways.values())
    ways["Arms"][2].click()
    assert (reader.trial.row["arm"], reader.trial.row["task_id"], reader.trial.row["repeat"]) == (
        "scripted:noop",
        row["task_id"],
        row["repeat"],
    )
    following = reader.links.children[2].children[3]
    following.click()
    assert reader.trial.row["task_id"] == following.description[:-2] > row["task_id"]
    assert reader.trial.row["arm"] == "scripted:noop"


def test_a_tag_is_written_and_a_bad_step_is_shown(own):
    explorer = explore(own)
    explorer.list.chosen = 0
    reader = explorer.reader
    reader.text.value = "stopped before testing"
    reader.step.value = "99999"
    reader.tag.click()
    assert "has no step 99999" in reader.error
    assert "has no step 99999" in reader._notice.value
    assert own.tags().empty
    reader.step.value = "third"
    reader.tag.click()
    assert "'third' is no step" in reader.error
    assert own.tags().empty
    reader.step.value = ""
    reader.tag.click()
    assert reader.error == ""
    assert own.tags()["text"].tolist() == ["stopped before testing"]


def test_an_error_in_a_callback_is_shown_and_goes_away(explorer):
    good, explorer.index = explorer.index, None
    explorer.status = ("fail",)
    assert "AttributeError" in explorer.error
    assert "AttributeError" in explorer._notice.value
    explorer.index = good
    explorer.status = ()
    assert (explorer.error, explorer._notice.value) == ("", "")


def test_look_again_reads_what_was_written_since(own, made_store):
    explorer = explore(own)
    before = explorer.count
    made_store.add_run(own.path, "later", {"one": "dev", "two": "dev"})
    explorer.fresh.click()
    assert explorer.error == ""
    assert explorer.count == before + 2
    assert "later" in explorer.menus["run_id"].options
