"""neuralinverse's task folders: ours in camel case, so most of them stay as they are."""

import json

import pytest

from agenteval.errors import ForeignFormatError
from agenteval.suite import load_suite

PAGES = "def page(items, number, size):\n    return items[number * size:(number + 1) * size]\n"
MENDED = PAGES.replace("number * size:(number + 1) * size", "(number - 1) * size:number * size")
TEST = "from pages import page\n\nassert page([1, 2, 3], 1, 2) == [1, 2]\nassert page([1, 2, 3], 2, 2) == [3]\n"  # fmt: skip
TASK = {
    "id": "first-page",
    "title": "Page 1 is missing",
    "prompt": "Page 1 shows what page 2 should. Please mend it and tell me the cause.",
    "category": "bugfix",
    "difficulty": "easy",
    "language": "python",
    "requires": ["python3"],
    "timeoutMs": 90000,
    "maxCostUsd": 0.5,
    "setup": ["true"],
    "checks": [
        {"kind": "command", "run": "python3 test/hidden_pages.py", "expectExit": 0},
        {"kind": "file-contains", "path": "pages.py", "pattern": "number - 1", "negate": False},
        {"kind": "answer-contains", "pattern": "off[ -]by[ -]one"},
    ],
    "hidden": ["test/hidden_pages.py"],
}


def neural(made, folder, **changes):
    """A task folder with a reference for code and answer."""
    task = {key: value for key, value in {**TASK, **changes}.items() if value is not None}
    place = made.write(
        folder / TASK["id"],
        {
            "task.json": json.dumps(task),
            "repo/pages.py": PAGES,
            "repo/README.md": "# Pages\n",
            "hidden/test/hidden_pages.py": "import sys\nsys.path.insert(0, '.')\n" + TEST,
            "solution.answer.md": "It was off by one.\n",
        },
    )
    project = folder.parent / "work"
    made.repository(project, {"pages.py": PAGES})
    made.write(place, {"solution.patch": made.difference(project, {"pages.py": MENDED})})
    return place


def checks(*changed):
    return [{**check, **more} for check, more in zip(TASK["checks"], changed, strict=True)]


def test_it_stays_as_it_is_and_is_a_real_test(tmp_path, convert, come_to, made):
    place = neural(made, tmp_path / "theirs")
    done = convert("neuralinverse", place)
    assert done.tasks[0].notes == []
    folder = done.folders[0]
    assert (folder / "task.json").read_bytes() == (place / "task.json").read_bytes()
    task = load_suite(folder).tasks[0].task
    assert (task.timeout_s, task.max_cost_usd, task.checks[2].pattern) == (90, 0.5, "off[ -]by[ -]one")  # fmt: skip
    assert come_to("first-page") == {"untouched": "fail", "noop": "fail", "reference": "pass"}


def test_what_means_something_else_here_is_rewritten_and_listed(tmp_path, convert, made):
    place = neural(
        made,
        tmp_path / "theirs",
        owner="someone",
        checks=checks({"note": "x"}, {"pattern": "^def (?<name>page)"}, {"pattern": r"^\w+$"}),
    )
    made.write(place, {"README.md": "About it.\n"})
    done = convert("neuralinverse", place)
    task = load_suite(done.folders[0]).tasks[0].task
    assert [check.pattern for check in task.checks[1:]] == [r"\Adef (?P<name>page)", r"\A\w+\s*\Z"]
    told = [(note.key, note.what) for note in done.tasks[0].notes]
    assert told == [
        ("owner", "dropped"),
        ("checks[0].note", "dropped"),
        ("checks[1].pattern", "changed"),
        ("checks[2].pattern", "changed"),
        ("checks[2].pattern", "changed"),
        ("README.md", "dropped"),
    ]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"category": "bug"}, "category"),
        ({"prompt": " "}, "prompt"),
        ({"prompt": None}, "prompt"),
        ({"timeoutMs": "10"}, "timeoutMs"),
        ({"id": "other"}, "id"),
        ({"checks": []}, "checks"),
        ({"checks": [{"kind": "regex", "pattern": "x"}]}, "checks[0].kind"),
        ({"checks": [{"kind": "command"}]}, "checks[0].run"),
        ({"checks": checks({}, {"pattern": "("}, {})}, "checks[1].pattern"),
        ({"checks": checks({}, {"path": "../x"}, {})}, "(task)"),
        ({"hidden": ["gone.py"]}, "(task)"),
    ],
)
def test_a_malformed_one_is_named_and_nothing_is_written(tmp_path, convert, changes, field, made):
    place = neural(made, tmp_path / "theirs", **changes)
    with pytest.raises(ForeignFormatError) as caught:
        convert("neuralinverse", place.parent)
    assert f"field {field}" in caught.value.where
    assert "theirs/first-page" in caught.value.where
    assert sorted(path.name for path in tmp_path.iterdir()) == ["theirs", "work"]


def test_a_key_that_is_given_twice(tmp_path, convert, made):
    place = neural(made, tmp_path / "theirs")
    made.write(place, {"task.json": '{"id": "a", "id": "b"}'})
    with pytest.raises(ForeignFormatError, match="twice"):
        convert("neuralinverse", place)
