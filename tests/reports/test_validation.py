"""A validation beside what trials say of the same tasks."""

import json

import pytest

from agenteval import reports
from agenteval.errors import InvalidInput

SOLUTION = {"task": "a", "solution": "noop", "verdict": "as it should"}
ASSESSED = {"task": "a", "always_pass": ["lint"], "never_pass": [], "leaks": [], "untold": [], "grade_s": 1.25, "network": False}  # fmt: skip


def written(tmp_path, **changes):
    told = {"solutions": [SOLUTION], "assessments": [ASSESSED], "remembered": []} | changes
    path = tmp_path / "validation.json"
    path.write_text(json.dumps(told))
    return path


def test_tasks_with_something_to_mend_come_first(tmp_path):
    leak = {"where": "repo/README.md", "what": "a line of hidden/test_x.py"}
    path = written(
        tmp_path,
        solutions=[
            SOLUTION,
            {**SOLUTION, "task": "b", "verdict": "WRONG"},
            {**SOLUTION, "verdict": "flaky"},
        ],
        assessments=[ASSESSED | {"task": "c"}, ASSESSED, ASSESSED | {"task": "b", "leaks": [leak]}],
        remembered=["d"],
    )
    section = reports.validation(path)
    table = section.table.set_index("task")
    assert list(table.index) == ["b", "a", "c"]
    assert (table.loc["b", "wrong"], table.loc["a", "flaky"]) == (1, 1)
    text = str(section)
    assert "LEAK: repo/README.md holds a line of hidden/test_x.py" in text
    assert "1 task validated before and unchanged: d." in text


def test_none_says_how_to_make_one():
    assert "agenteval validate SUITE --json" in str(reports.validation(""))


@pytest.mark.parametrize("text", ["", "[]", "{}", "3"])
def test_what_is_no_validation_is_refused(tmp_path, text):
    (tmp_path / "v.json").write_text(text)
    with pytest.raises(InvalidInput, match="no validation"):
        reports.validation(tmp_path / "v.json")
