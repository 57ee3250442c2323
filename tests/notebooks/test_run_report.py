"""The report holds everything it promises, and says the same as the calls it is made of."""

import pytest

import agenteval as ae
from agenteval.errors import StoreError
from agenteval.reports import render

SECTIONS = [
    "What did this run show, and how far can it be trusted?",
    "How often does each arm pass?",
    "Can you rely on it?",
    "What did it cost?",
    "Where does it pass?",
    "What changed since the baseline?",
    "What broke, and what was left out?",
    "What this report does not show",
]


@pytest.fixture(scope="module")
def report(store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return render(
        "run_report", store=store, parameters={"run": "next", "baseline": "base"},
        html=folder / "r.html", markdown=folder / "r.md", notebook=folder / "r.ipynb",
    )  # fmt: skip


def test_the_comment_has_every_section_and_every_number(report, store):
    text = report.markdown.read_text()
    assert [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")] == SECTIONS
    s = ae.open_store(store)
    board = ae.scoreboard(s.trials(run="next")).table
    for row in board.to_dict("records"):
        interval = f"{100 * row['rate']:.1f} % [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
        counts = f"{row['passes']} | {row['fails']} | {row['errors']} | {row['skipped']}"
        line = next(
            part for part in text.splitlines() if part.startswith(f"| {row['arm']} | {interval}")
        )
        assert f"| {counts} |" in line
    change = ae.comparison.against(s.trials(run="next"), s.trials(run="base"))
    assert len(change.regressed) >= 1
    for row in [*change.regressed.to_dict("records"), *change.improved.to_dict("records")]:
        assert f"| {row['task_id']} | {row['arm']} | {row['direction']} |" in text
    assert "agenteval run tasks --repeat 3 |" in text
    assert "--run-id" not in text
    assert "**Pass rate by task and arm**" in text
    assert "| parse-dates | 100 % |" in text
    assert "sandbox\\_failed" in text or "sandbox_failed" in text
    assert "Every arm is scripted" in text
    assert len(text) < 65_000


def test_the_page_holds_the_same_and_the_charts(report):
    page = report.html.read_text()
    assert all(section in page for section in SECTIONS)
    assert page.count('type="application/json"') == 3
    assert ae.reports.remote_references(page) == []


@pytest.mark.parametrize("name", ["run", "baseline"])
def test_a_run_that_is_not_there_is_known_before_anything_runs(store, tmp_path, name):
    with pytest.raises(StoreError, match="no run 'nexr'") as caught:
        render("run_report", store=store, parameters={name: "nexr"}, html=tmp_path / "r.html")
    assert name in caught.value.where
    assert "next" in caught.value.fix
    assert "agenteval list runs" in caught.value.fix
    assert list(tmp_path.iterdir()) == []


def test_a_run_of_which_nothing_counts_is_reported(emptied, tmp_path):
    made = render(
        "run_report", store=emptied, parameters={"run": "next", "baseline": "base"},
        markdown=tmp_path / "r.md", html=tmp_path / "r.html",
    )  # fmt: skip
    text = made.markdown.read_text()
    assert "No trial counts, so nothing can be said about any arm: all 36" in text
    assert "(setup_failed 36)" in text
    assert "Nothing can be compared with the baseline run" in text
    assert [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")] == SECTIONS


def test_without_a_baseline_the_newest_run_is_reported(store, tmp_path):
    text = render("run_report", store=store, markdown=tmp_path / "r.md").markdown.read_text()
    assert "Run `next`" in text
    assert "No baseline run was named" in text
    assert "regressed" not in text


def test_a_store_that_is_not_there_is_known_before_anything_runs(tmp_path):
    with pytest.raises(StoreError):
        render("run_report", store=tmp_path / "nowhere", html=tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []
