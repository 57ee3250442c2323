"""One run of a store: its counts, and how it shows itself."""

import pytest

from agenteval.errors import StoreError
from agenteval.records import bundled
from agenteval.store import RunView, open_store


@pytest.fixture(scope="module")
def store():
    return open_store(bundled("data") / "sample_store")


def test_the_newest_run_unless_another_is_named(store):
    assert store.run().id == store.newest_run() == "sample"
    assert isinstance(store.run("sample-before"), RunView)
    assert repr(store.run()) == "<Run sample: suite bundled, 96 of 96 trials>"
    assert set(store.run().tasks["task_id"]) == set(store.run().trials["task_id"])


def test_outcomes_are_counts_of_the_trial_table(store):
    run = store.run()
    table = run.outcomes.set_index("arm")
    assert table["trials"].to_dict() == run.trials.groupby("arm").size().to_dict()
    passed = run.trials[run.trials["passed"] == True].groupby("arm").size()  # noqa: E712
    assert table["pass"][table["pass"] > 0].to_dict() == passed.to_dict()
    assert table["cost_usd"].isna().to_dict()["scripted:noop"], "unknown is not 0"


def test_as_the_last_line_of_a_cell_it_shows_its_arms(store):
    page = store.run()._repr_html_()
    assert all(arm in page for arm in store.run().trials["arm"].unique())
    assert "96 of 96 trials" in page


def test_a_run_that_is_not_there_names_those_that_are(store):
    with pytest.raises(StoreError) as caught:
        store.run("sampel")
    assert "sample" in caught.value.fix
