"""The notebook on adapters runs as it comes: an own agent, the gateway, a scripted model."""

import nbformat
import pytest

from agenteval.records import bundled
from agenteval.reports import render
from agenteval.sandbox import bwrap_works

ADAPTER = bundled("notebooks") / "my_agent/adapter.py"


def test_it_puts_an_own_agent_to_the_test(tmp_path):
    problem = bwrap_works()
    if problem is not None:
        pytest.skip(problem)
    folder = tmp_path
    made = render("06_write_an_adapter", notebook=folder / "n.ipynb", markdown=folder / "n.md")
    text = made.markdown.read_text()
    for task in ("job-queue-unique-keys", "nightly-backup-settings"):
        assert f"| {task} | pass | agent | 2 | 2 | 1 |" in text
    assert text.count("tool_call | shell | printf %s") == 2  # the steps, in the common schema
    assert "**Provenance**" in text
    cells = nbformat.read(made.notebook, as_version=4).cells
    printed = [output.get("text", "") for cell in cells for output in cell.get("outputs", [])]
    assert any(ADAPTER.read_text().strip() in told for told in printed)


def test_the_adapter_is_about_thirty_lines():
    lines = ADAPTER.read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 32
