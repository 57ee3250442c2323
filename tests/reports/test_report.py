"""`ae.report`: results and templates become files."""

import nbformat
import pytest

import agenteval as ae
from agenteval.errors import ReportError
from agenteval.reports import remote_references, report


def test_a_comparison_becomes_a_page_with_its_verdict_and_chart(store, tmp_path):
    h = ae.compare(
        store.trials(run="next"), baseline="scripted:chance:0.35", candidate="scripted:chance:0.75"
    )
    made = ae.report(h, tmp_path / "verdict.html")
    page = made.html.read_text()
    assert "<title>Head to head</title>" in page
    assert page.index("headline") < page.index("<figure")
    assert 'class="chart"' in page
    assert remote_references(page) == []
    assert made.paths == [tmp_path / "verdict.html"]


def test_a_scoreboard_becomes_markdown_or_a_notebook(store, tmp_path):
    board = ae.scoreboard(store.trials(run="next"))
    text = report(board, tmp_path / "b.md").markdown.read_text()
    assert text.startswith("# Scoreboard\n")
    assert "| scripted:noop | 0.0 % [" in text
    notebook = nbformat.read(report(board, tmp_path / "b.ipynb").notebook, as_version=4)
    nbformat.validate(notebook)


def test_a_template_takes_its_parameters_by_name(template_of, tmp_path):
    template = template_of(
        "print(run, baseline, extra)",
        parameters='run: str = ""\nbaseline: str = ""\nextra: int = 0',
    )
    made = report(template, tmp_path / "t.ipynb", run="r1", baseline="r0", parameters={"extra": 2})
    outputs = [
        o.text
        for cell in nbformat.read(made.notebook, as_version=4).cells
        for o in cell.get("outputs", [])
    ]
    assert outputs == ["r1 r0 2\n"]


@pytest.mark.parametrize(
    ("what", "path", "options", "said"),
    [
        ("run_report", "out.pdf", {}, "cannot be written"),
        (3, "out.html", {}, "type int cannot become a report"),
        ("no_such", "out.html", {}, "no template"),
    ],
)
def test_what_cannot_become_a_file_is_refused(what, path, options, said, tmp_path):
    with pytest.raises(ReportError, match=said):
        report(what, tmp_path / path, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_result_takes_no_parameters(store, tmp_path):
    with pytest.raises(ReportError, match="no store, run or parameters"):
        report(ae.scoreboard(store.trials()), tmp_path / "x.html", run="next")
