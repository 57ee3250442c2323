import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from agenteval.records import CHECK_KINDS, AnyCheck, Suite, Task, check_label, inside

CHECK = TypeAdapter(AnyCheck)
VALID = {
    "command": {"kind": "command", "run": "x"},
    "file-contains": {"kind": "file-contains", "path": "a/b.txt", "text": "x"},
    "answer-contains": {"kind": "answer-contains", "pattern": "^x"},
    "hidden-tests": {"kind": "hidden-tests", "files": ["tests/test_a.py"]},
    "suite": {"kind": "suite", "run": "run {files} --junit {junit}"},
    "lint": {"kind": "lint", "run": "ruff check", "files": r"\.py$"},
    "file-exists": {"kind": "file-exists", "path": "a/b.txt"},
    "file-absent": {"kind": "file-absent", "path": "a/b.txt"},
    "file-matches": {"kind": "file-matches", "path": "a/b.txt", "pattern": "^x"},
    "file-equals": {"kind": "file-equals", "path": "a/b.txt", "text": ""},
    "files-changed": {"kind": "files-changed", "only": ["src/**"], "max_lines": 0},
    "protected": {"kind": "protected", "globs": ["db/"]},
    "no-shortcuts": {"kind": "no-shortcuts", "families": ["skipped-tests"], "patterns": ["TODO"]},
    "marker-absent": {"kind": "marker-absent", "path": "OWNED"},
    "answer-matches": {"kind": "answer-matches", "pattern": "^x"},
    "answer-equals": {"kind": "answer-equals", "text": "42"},
    "answer-json": {"kind": "answer-json", "require_keys": ["a"], "schema": {"type": "object"}},
    "tool-used": {"kind": "tool-used", "tool": "Bash", "min_times": 2},
    "tool-not-used": {"kind": "tool-not-used", "tool": "WebFetch"},
    "max-turns": {"kind": "max-turns", "max": 3},
    "max-tool-calls": {"kind": "max-tool-calls", "max": 3},
    "max-cost-usd": {"kind": "max-cost-usd", "max": 0.5},
    "max-duration-s": {"kind": "max-duration-s", "max": 0.5},
    "max-tokens": {"kind": "max-tokens", "max": 1000},
    "loads": {"kind": "loads", "names": ["review"]},
    "used": {"kind": "used", "names": ["review"]},
    "judge": {"kind": "judge", "rubric": "Is it mended?"},
}


def test_every_kind_is_tested_here():
    assert set(VALID) == set(CHECK_KINDS)
    for kind, model in CHECK_KINDS.items():
        assert model.model_fields["kind"].default == kind
        assert type(CHECK.validate_python(VALID[kind])) is model


@pytest.mark.parametrize("kind", VALID)
@pytest.mark.parametrize(
    "changes",
    [{"novel": 1}, {"weight": 0}, {"weight": -1}, {"weight": float("inf")}, {"weight": float("nan")}, {"kind": "dream"}, {"name": 3}],
)  # fmt: skip
def test_what_no_check_may_have(kind, changes):
    with pytest.raises(ValidationError):
        CHECK.validate_python(VALID[kind] | changes)


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("command", {"run": ""}),
        ("command", {"expect_exit": 256}),
        ("command", {"expect_exit": -1}),
        ("command", {"timeout_s": 0}),
        ("command", {"timeout_s": float("inf")}),
        ("command", {"cwd": ".."}),
        ("command", {"stdout_matches": "("}),
        ("command", {"env": {"A": 1}}),
        ("file-contains", {"path": ""}),
        ("file-contains", {"path": "/etc/passwd"}),
        ("file-contains", {"path": "a/../../b"}),
        ("file-contains", {"pattern": "y"}),
        ("file-contains", {"text": None}),
        ("file-contains", {"text": ""}),
        ("answer-contains", {"pattern": "["}),
        ("answer-contains", {"pattern": ""}),
        ("answer-contains", {"text": "y"}),
        ("hidden-tests", {"files": ["/etc/passwd"]}),
        ("hidden-tests", {"files": ["../a.py"]}),
        ("hidden-tests", {"run": "pytest {files}"}),
        ("hidden-tests", {"run": ""}),
        ("hidden-tests", {"junit": "../r.xml"}),
        ("suite", {"files": []}),
        ("lint", {"files": "("}),
        ("lint", {"run": ""}),
        ("lint", {"cwd": "../x"}),
        ("file-exists", {"path": "/etc/passwd"}),
        ("file-absent", {"path": "../x"}),
        ("file-matches", {"pattern": ""}),
        ("file-matches", {"pattern": "("}),
        ("file-equals", {"path": "a/../../b"}),
        ("files-changed", {"only": [], "max_lines": None}),
        ("files-changed", {"only": ["../x"]}),
        ("files-changed", {"max_files": -1}),
        ("protected", {"globs": []}),
        ("protected", {"globs": ["/etc/*"]}),
        ("no-shortcuts", {"families": ["laziness"]}),
        ("no-shortcuts", {"patterns": ["("]}),
        ("no-shortcuts", {"patterns": [""]}),
        ("marker-absent", {"path": "../OWNED"}),
        ("answer-matches", {"pattern": "["}),
        ("answer-equals", {"text": ""}),
        ("answer-json", {"schema": {"type": "thing"}}),
        ("answer-json", {"schema": {"$ref": "https://example.org/schema.json"}}),
        ("answer-json", {"negate": True, "require_keys": [], "schema": None}),
        ("tool-used", {"tool": ""}),
        ("tool-used", {"min_times": 0}),
        ("max-turns", {"max": -1}),
        ("max-cost-usd", {"max": float("nan")}),
        ("max-duration-s", {"max": 0}),
        ("loads", {"names": []}),
        ("used", {"names": [" "]}),
        ("suite", {"run": "npm test"}),
        ("suite", {"cwd": "/"}),
        ("suite", {"timeout_s": 0}),
    ],
)
def test_what_one_kind_may_not_have(kind, changes):
    with pytest.raises(ValidationError):
        CHECK.validate_python(VALID[kind] | changes)


def test_labels():
    labels = [
        check_label(CHECK.validate_python(check), place)
        for place, check in enumerate(VALID.values(), 1)
    ]
    assert labels[:5] == [
        "command 1", "file-contains b.txt", "answer-contains 3", "hidden-tests 4", "suite 5"
    ]  # fmt: skip
    assert check_label(CHECK.validate_python(VALID["command"] | {"name": "tests"}), 1) == "tests"


@pytest.mark.parametrize(
    "changes",
    [
        {"run": "npm test", "junit": "out/junit.xml"},
        {"run": "npx jest {files}", "env": {"JEST_JUNIT_OUTPUT_FILE": "{junit}"}},
        {"run": None},
    ],
)
def test_a_run_knows_where_results_go(changes):
    CHECK.validate_python({"kind": "suite"} | changes)


@pytest.mark.parametrize("path", ["/a", "..", "a/..", "a/../b", "../a", "a\\b", "a\0b", "//a"])
def test_paths_that_leave(path):
    with pytest.raises(ValueError, match="leaves the folder"):
        inside(path)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b.txt", "..c", ".", "é"]), min_size=1).map("/".join))
def test_paths_that_stay(path):
    assert inside(path) == path


@pytest.mark.parametrize(
    ("model", "data"),
    [
        (Task, {"id": "a b"}),
        (Task, {"id": "-a"}),
        (Task, {"id": ""}),
        (Task, {"id": "a/b"}),
        (Task, {"id": "a", "hidden": ["../b"]}),
        (Task, {"id": "a", "tests": ["/b"]}),
        (Task, {"id": "a", "timeout_s": 0}),
        (Task, {"id": "a", "timeout_s": float("inf")}),
        (Task, {"id": "a", "max_turns": 0}),
        (Task, {"id": "a", "environment": {"build": []}}),
        (Task, {"id": "a", "environment": {"build": ["x"], "key": ["../x"]}}),
        (Task, {"id": "a", "category": "dream"}),
        (Task, {"id": "a", "pass_policy": "some"}),
        (Task, {"id": "a", "novel": 1}),
        (Suite, {"protected": ["../x"]}),
        (Suite, {"defaults": {"id": "x"}}),
        (Suite, {"commands": {"build": "x"}}),
    ],
)
def test_tasks_and_suites_are_strict(model, data):
    with pytest.raises(ValidationError):
        model.model_validate(data)


def test_a_task_cannot_be_changed_once_read():
    with pytest.raises(ValidationError, match="frozen"):
        Task(id="a").title = "b"
