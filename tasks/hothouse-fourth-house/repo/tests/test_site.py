"""The real configuration."""

from pathlib import Path

from hothouse.loader import load
from hothouse.plan import check, plan

ROOT = Path(__file__).resolve().parents[1]


def test_nothing_to_complain_about():
    assert check(ROOT) == []


def test_the_orchids_are_warm():
    assert load(ROOT, "frost@3.unit").settings["Threshold"] == "12"


def test_one_report_a_day():
    assert len([line for line in plan(ROOT) if line[1] == "report.unit"]) == 1
