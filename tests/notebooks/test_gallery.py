"""The gallery draws every chart there is, on the sample store as on any other."""

import json
import re
from pathlib import Path

import nbformat
import pytest

from agenteval import charts
from agenteval.reports import render

MIME = "application/vnd.vegalite.v5+json"
GALLERY = Path(__file__).parents[2] / "notebooks" / "gallery.ipynb"
ASKED = {
    "agreement": "agreement_chart", "against": "changes_chart", "compare": "difference_chart",
    "decide": "sequence_chart", "diff": "steps_chart", "distribution": "distribution_chart",
    "error_classes": "error_classes_chart", "frontier": "frontier_chart", "limits": "limits_chart",
    "judge_trust": "judge_trust_chart", "judge_health": "judge_health_chart", "gate": "gate_chart", "parity": "parity_chart", "plan": "plan_chart",
    "reliability": "reliability_chart", "scoreboard": "scoreboard_chart",
    "sensitivity": "sensitivity_chart", "slices": "slices_chart", "tag_counts": "tags_chart",
    "timeline": "timeline_chart", "token_buckets": "token_buckets_chart", "trend": "trend_chart",
    "warning_signs": "warning_signs_chart",
}  # fmt: skip


def specs_of(path):
    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    return [output["data"][MIME] for output in outputs if MIME in output.get("data", {})]


def test_it_names_every_chart_of_the_package():
    code = "".join("".join(cell["source"]) for cell in json.loads(GALLERY.read_text())["cells"])
    drawn = {chart for ask, chart in ASKED.items() if re.search(rf"\b{ask}\(", code)}
    drawn |= set(re.findall(r"draw\.(\w+_chart)", code))
    assert {name for name in charts.__all__ if name.endswith("_chart")} <= drawn


def test_it_is_one_page_under_two_and_a_half_megabytes(tmp_path):
    made = render("gallery", notebook=tmp_path / "n.ipynb", html=tmp_path / "n.html")
    specs = specs_of(made.notebook)
    assert len(specs) == 27
    assert len({spec["description"] for spec in specs}) == 27
    assert not [spec for spec in specs if "to draw" in spec["description"]]
    assert made.html.stat().st_size < 2_500_000


@pytest.mark.parametrize("theme", ["dark"])
def test_it_draws_another_store_in_the_dark(store, tmp_path, theme):
    made = render(
        "gallery", store=store, parameters={"theme": theme}, notebook=tmp_path / "n.ipynb"
    )
    assert {spec["background"] for spec in specs_of(made.notebook)} == {"#14181d"}
