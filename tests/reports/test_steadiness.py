"""A run whose tasks were tried once still has a report."""

import pandas as pd

from agenteval.comparison import RepeatAgreement
from agenteval.reports import steadiness

ONCE = pd.DataFrame({"arm": "a", "task_id": list("xyz"), "status": "pass", "passed": True})


def test_repeats_are_drawn_and_tabled():
    chart, table = steadiness(pd.concat([ONCE, ONCE]))
    assert isinstance(table, RepeatAgreement)
    assert chart.to_dict()["$schema"]


def test_without_repeats_it_says_so_and_fails_nothing():
    (said,) = steadiness(ONCE)
    assert str(said) == (
        "No task was repeated, so none can disagree: run each task at least twice."
    )
    assert "No task was repeated" in said._repr_html_()
