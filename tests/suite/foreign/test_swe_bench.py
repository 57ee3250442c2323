"""SWE-bench rows over a clone on this machine: base commit, test patch, fix and recorded ids."""

import json

import pytest

from agenteval.errors import ForeignFormatError
from agenteval.suite import load_suite

FILES = {
    "shelf/__init__.py": "def read(text):\n    return text.split(',')\n",
    "tests/test_read.py": "from shelf import read\n\n\ndef test_two():\n    assert read('a,b') == ['a', 'b']\n",
    "tests/test_other.py": "import shelf\n\n\nclass TestModule:\n    def test_name(self):\n        assert shelf.__name__ == 'shelf'\n",
    "tests/test_gone.py": "def test_gone():\n    pass\n",
    "conftest.py": "",
}  # fmt: skip
MENDED = "def read(text):\n    return text.split(',') if text else []\n"
MORE = FILES["tests/test_read.py"] + "\n\nimport pytest\n\n\n@pytest.mark.parametrize('text', ['', 'a::b'])\ndef test_length(text):\n    assert len(read(text)) == bool(text)\n"  # fmt: skip


@pytest.fixture
def row(tmp_path, made):
    """A row of a repository ./theirs/org/shelf."""
    clone = tmp_path / "theirs/org/shelf"
    commit = made.repository(clone, FILES)
    return {
        "repo": "org/shelf",
        "instance_id": "org__shelf-12",
        "base_commit": commit,
        "patch": made.difference(clone, {"shelf/__init__.py": MENDED}),
        "test_patch": made.difference(clone, {"tests/test_read.py": MORE}),
        "problem_statement": "Reading an empty text gives one empty entry.",
        "hints_text": "look at read",
        "version": "1.0",
        "FAIL_TO_PASS": '["tests/test_read.py::test_length[]"]',
        "PASS_TO_PASS": ["tests/test_read.py::test_two", "tests/test_read.py::test_length[a::b]", "tests/test_other.py::TestModule::test_name"],
    }  # fmt: skip


def rows(made, tmp_path, *given):
    lines = [json.dumps(each) if isinstance(each, dict) else each for each in given]
    return made.write(tmp_path / "theirs", {"rows.jsonl": "\n\n".join(lines) + "\n"}) / "rows.jsonl"


def test_a_row_is_a_real_test_with_the_ids_it_records(tmp_path, convert, come_to, row, made):
    done = convert("swe-bench", rows(made, tmp_path, row))
    loaded = load_suite(done.folders[0]).tasks[0]
    assert loaded.recorded == {
        "hidden-tests": ("tests.test_read::test_length[]", "tests.test_read::test_length[a::b]", "tests.test_read::test_two"),
        "suite": ("tests.test_other.TestModule::test_name",),
    }  # fmt: skip
    assert loaded.hidden == ("tests/test_read.py",)
    assert (loaded.task.source.rev, loaded.source.resolve()) == (row["base_commit"], tmp_path / "theirs/org/shelf")  # fmt: skip
    assert come_to("org__shelf-12") == {"untouched": "fail", "noop": "fail", "reference": "pass"}


def test_what_does_not_carry_over_is_listed(tmp_path, convert, row, made):
    (task,) = convert("swe-bench", rows(made, tmp_path, {**row, "extra": 1}), dry_run=True).tasks
    told = {(note.key, note.what) for note in task.notes}
    assert told == {("category", "changed"), ("environment", "changed"), ("FAIL_TO_PASS, PASS_TO_PASS", "changed"), ("hints_text", "dropped"), ("version", "dropped"), ("extra", "dropped")}  # fmt: skip


@pytest.mark.parametrize("place", ["theirs/org/shelf", "theirs", "theirs/org"])
def test_clones_may_be_elsewhere(tmp_path, convert, row, place, made):
    file = made.write(tmp_path / "data", {"rows.jsonl": json.dumps(row)}) / "rows.jsonl"
    done = convert("swe-bench", file, repo=tmp_path / place)
    assert load_suite(done.folders[0]).tasks[0].source.resolve() == tmp_path / "theirs/org/shelf"


def test_ids_of_another_runner_come_down_to_an_exit_code(tmp_path, convert, row, made):
    row["FAIL_TO_PASS"] = ["test_length (tests.test_read.TestRead)"]
    done = convert("swe-bench", rows(made, tmp_path, row))
    (check,) = load_suite(done.folders[0]).tasks[0].task.checks
    assert (check.kind, check.run.rpartition(" ")[2]) == ("command", "tests/test_read.py")


def test_a_deleted_test_file_is_told(tmp_path, convert, row, made):
    clone = tmp_path / "theirs/org/shelf"
    (clone / "tests/test_gone.py").unlink()
    row["test_patch"] = made.difference(clone, {"tests/test_read.py": MORE})
    (task,) = convert("swe-bench", rows(made, tmp_path, row)).tasks
    assert "tests/test_gone.py" in next(note.why for note in task.notes if note.key == "test_patch")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"instance_id": "a b"}, "instance_id"),
        ({"base_commit": "0" * 40}, "base_commit"),
        ({"base_commit": "main"}, "base_commit"),
        ({"repo": "org/gone"}, "repo"),
        ({"patch": "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}, "patch"),
        ({"test_patch": "nonsense"}, "test_patch"),
        ({"FAIL_TO_PASS": "[1]"}, "FAIL_TO_PASS"),
        ({"FAIL_TO_PASS": "[]"}, "FAIL_TO_PASS"),
        ({"FAIL_TO_PASS": ["tests/test_other.py::TestModule::test_name"]}, "FAIL_TO_PASS"),
        ({"problem_statement": 3}, "problem_statement"),
    ],
)
def test_a_malformed_row_is_named(tmp_path, convert, row, changes, field, made):
    file = rows(made, tmp_path, row, {**row, "instance_id": "second", **changes}, "{")
    with pytest.raises(ForeignFormatError) as caught:
        convert("swe-bench", file)
    assert f"line 3, field {field}" in caught.value.where
    assert not (tmp_path / "evals").exists()
    done = convert("swe-bench", file, skip_bad=True)
    assert [path.name for path in done.folders] == ["org__shelf-12"]
    assert [where.partition("line ")[2][0] for where, _ in done.skipped] == ["3", "5"]
