"""The chart of a judge beside people."""

import json

import pandas as pd
import pytest

from agenteval import charts
from agenteval.comparison import judge_trust


def trusted(labelled=40):
    ids = {"run_id": "r", "trial_id": [f"t{i}" for i in range(60)]}
    judged = pd.DataFrame(
        ids | {"task_id": ids["trial_id"], "arm": "a", "rubric": "v1", "judge": "lab/m"}
    )
    judged["score"] = [0.9, 0.8, 0.2] * 20
    said = pd.DataFrame(ids | {"annotator": "ada", "passed": [True, True, False] * 20})
    return judge_trust(judged, said.iloc[:labelled])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_draws_calibration_and_the_four_cells(theme):
    result = trusted()
    spec = result.plot(theme=theme).to_dict()
    text = json.dumps(spec)
    assert "score of lab/m" in text
    assert "the judge says" in text
    drawn = [row for rows in spec["datasets"].values() for row in rows]
    cells = [row["n"] for row in drawn if "judge_says" in row]
    assert cells == result.confusion["n"].tolist()
    bins = [row["observed"] for row in drawn if "observed" in row]
    assert bins == pytest.approx(result.calibration["observed"].tolist())
    assert "kappa 1" in spec["description"]
    assert charts.to_png(spec).startswith(b"\x89PNG")


def test_without_a_label_it_says_so():
    spec = charts.judge_trust_chart(trusted(labelled=0)).to_dict()
    assert "nobody labelled" in json.dumps(spec)
