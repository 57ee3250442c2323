"""The first notebook runs as it comes, on the sample store of the package."""

import nbformat

from agenteval.reports import render


def test_it_answers_its_question(tmp_path):
    made = render("00_start_here", notebook=tmp_path / "n.ipynb", markdown=tmp_path / "n.md")
    text = made.markdown.read_text()
    assert "scripted:chance:0.75 passes" in text
    assert any(word in text for word in (": better.", "cannot tell", "no difference shown"))
    assert "diff --git" in text
    charts = [
        output
        for cell in nbformat.read(made.notebook, as_version=4).cells
        for output in cell.get("outputs", [])
        if "application/vnd.vegalite.v5+json" in output.get("data", {})
    ]
    assert len(charts) == 5
