"""Finding templates by name and by path."""

import pytest

from agenteval.errors import ReportError
from agenteval.reports import Template, find_template, templates


def test_every_bundled_template_asks_a_question():
    found = templates()
    assert {"00_start_here", "run_report"} <= {template.name for template in found}
    assert all(template.question.endswith("?") for template in found)
    assert all(template.is_bundled for template in found)
    assert [p.name for p in find_template("run_report").parameters] == [
        "store",
        "run",
        "baseline",
        "level",
    ]
    assert all(p.help for template in found for p in template.parameters)


def test_a_template_is_found_by_path(template_of):
    found = find_template(template_of("1"))
    assert isinstance(found, Template)
    assert (found.name, found.question, found.is_bundled) == ("fixture", "Does it run?", False)
    assert found.read().cells[2].source == "1"


def test_a_missing_template_names_the_nearest_and_all():
    with pytest.raises(ReportError, match="no template 'runreport'") as caught:
        find_template("runreport")
    assert "did you mean `run_report`" in caught.value.fix
    assert "00_start_here" in caught.value.fix


@pytest.mark.parametrize("text", ["", "not json", "{}", '{"cells": 3, "nbformat": 4}'])
def test_a_file_that_is_no_notebook_is_refused(tmp_path, text):
    path = tmp_path / "x.ipynb"
    path.write_text(text)
    with pytest.raises(ReportError, match="not a notebook"):
        find_template(path)
