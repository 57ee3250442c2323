"""The bundled suite: broad enough to tell agents apart, and every task a real test."""

import os
import re
from collections import Counter

import pytest

from agenteval.engine import validate
from agenteval.records import bundled
from agenteval.sandbox import choose_sandbox
from agenteval.suite import load_suite

FOLDER = bundled("tasks")
SUITE = load_suite(FOLDER)
CANARY = re.compile(r"canary: (agenteval-task-[a-z0-9-]+-[0-9a-f]{8})")
EACH = pytest.mark.parametrize("task", SUITE.tasks, ids=lambda task: task.task.id)


def test_it_is_broad_enough_to_tell_agents_apart():
    tasks = [loaded.task for loaded in SUITE.tasks]
    assert len(tasks) >= 30
    categories = Counter(task.category for task in tasks)
    assert {name: number for name, number in categories.items() if number < 3} == {}
    assert len(categories) == 8
    difficulties = Counter(task.difficulty for task in tasks)
    assert difficulties["hard"] >= 8
    assert min(difficulties.values()) >= 2
    kinds = Counter(task.kind for task in tasks)
    assert kinds["pressure"] >= 3
    assert kinds["injection"] >= 3
    assert {"python", "javascript", "shell", "sql", "c", "java", "rust", "go"} <= {
        (task.language or "").lower() for task in tasks
    }


@EACH
def test_a_task_has_what_a_maintainer_needs(task):
    notes = (task.folder / "notes.md").read_text("utf-8")
    canary = CANARY.search(notes)
    assert canary
    assert task.task.id in canary[1]
    assert len(task.wrong) >= 2, "wrong solutions are what chance agents plant"
    for wrong in task.wrong:
        assert wrong.name in notes, f"notes.md does not say why {wrong.name} is wrong"
    files = [path for path in (task.folder / "repo").rglob("*") if path.is_file()]
    assert 8 <= len(files) <= 80
    given = b"".join(path.read_bytes() for path in files) + task.prompt.encode()
    assert canary[1].encode() not in given, "the agent would see the canary"
    assert task.task.split in ("dev", "holdout")


def test_canaries_are_told_apart():
    found = [CANARY.search((t.folder / "notes.md").read_text("utf-8"))[1] for t in SUITE.tasks]
    assert len(set(found)) == len(found)


@pytest.fixture(scope="module")
def sandbox():
    return choose_sandbox("auto")


@EACH
def test_a_task_is_a_real_test(task, sandbox):
    """Untouched, doing nothing and every wrong solution fail; the reference passes."""
    missing = sandbox.missing(task.task.requires)
    if missing and not os.environ.get("CI"):
        pytest.skip(f"needs {', '.join(missing)}")
    assert missing == [], ".ci/run installs what bundled tasks require"
    findings = validate((task,), sandbox=sandbox, repeat=1)
    assert [(f.solution, f.status, f.detail) for f in findings if not f.ok] == []
