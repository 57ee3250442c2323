"""Charts of plans and of sequential runs: the numbers of their tables, light and dark."""

import pandas as pd
import pytest

from agenteval import charts
from agenteval.comparison import Stated, flips, plan


def datasets(spec):
    return [rows for rows in spec["datasets"].values() if rows]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_plan_is_drawn_from_its_own_curves(theme):
    result = plan(effect=0.1, repeats=[1, 3], stated=Stated(tasks=24))
    spec = charts.plan_chart(result, theme=theme).to_dict()
    curve = next(rows for rows in datasets(spec) if len(rows) == len(result.curves))
    assert [row["power"] for row in curve] == pytest.approx(result.curves["power"].tolist())
    assert [row["mde"] for row in curve] == pytest.approx(result.curves["mde"].tolist())
    dots = next(rows for rows in datasets(spec) if len(rows) == 2)
    assert [row["tasks"] for row in dots] == result.table["tasks"].tolist()
    assert "10.0 points" in spec["title"]["text"]
    assert "24 tasks" in spec["title"]["subtitle"][1]
    assert str(result.recommended["tasks"]) in spec["description"]
    assert charts.to_svg(spec).startswith("<svg")


def test_a_plan_without_known_tasks_has_no_line_for_them():
    spec = plan(effect=0.1).plot().to_dict()
    assert len(spec["title"]["subtitle"]) == 1
    assert not [rows for rows in datasets(spec) if rows == [{"tasks": None}]]


LOOKS = pd.DataFrame(
    {
        "look": [1, 2],
        "tasks": [10, 20],
        "trials": [60, 120],
        "difference": [0.2, 0.3],
        "low": [-0.1, 0.05],
        "high": [0.5, 0.5],
        "answer": ["", "yes"],
    }
)


def test_a_sequence_is_drawn_from_its_table():
    chart = charts.sequence_chart(LOOKS, question="b better than a", threshold=0.05)
    spec = chart.to_dict()
    rows = next(rows for rows in datasets(spec) if "low" in rows[0])
    assert [row["low"] for row in rows] == [-0.1, 0.05]
    assert spec["title"]["text"] == "Is b better than a? Yes"
    assert "after 20 tasks" in spec["description"]
    assert [{"threshold": 0.05}] in datasets(spec)
    assert charts.to_svg(spec).startswith("<svg")


def test_an_empty_sequence_says_so():
    spec = charts.sequence_chart(LOOKS.iloc[:0], question="b better than a").to_dict()
    assert "no task is finished" in spec["description"]


def test_flips_have_their_chart(drawn_trials):
    result = flips(drawn_trials(arms=2), baseline="arm-0")
    direct = charts.flips_chart(result.comparison).to_dict()
    assert result.plot().to_dict()["description"] == direct["description"]
