"""Score sources are a closed list: what checks may look at, and that nothing else reaches them."""

from dataclasses import fields, replace

import pytest

from agenteval.checks import CHECKS, Changes, Grading, Metered, ToolUse, Work, read_patch, run_check
from agenteval.records import CHECK_KINDS, SCORE_SOURCES, AttemptRow
from agenteval.sandbox import Box, Plain

ASKED = "judge"  # of its own layer: the engine asks, with answer and change
# where in a grading each source is
PLACES = {
    "change": {"work.changes"},
    "copy": {"box", "sandbox", "env", "test_files", "recorded", "limits", "cancel"},
    "answer": {"answer", "work.answer"},
    "handed": {"work.handed"},
    "metered": {"work.metered"},
}


def test_the_list_is_closed():
    assert set(SCORE_SOURCES) == set(PLACES)
    with pytest.raises(TypeError):
        SCORE_SOURCES["transcript"] = "what the agent told"  # type: ignore[index]


@pytest.mark.parametrize("kind", CHECK_KINDS)
def test_every_kind_names_its_sources(kind):
    sources = CHECK_KINDS[kind].sources
    assert sources
    assert sources <= set(SCORE_SOURCES)


def test_every_kind_is_carried_out():
    assert set(CHECKS) == set(CHECK_KINDS) - {ASKED}


def test_everything_a_check_is_handed_is_of_a_source():
    own = {field.name for field in fields(Grading)} - {"work"}
    own |= {f"work.{field.name}" for field in fields(Work)}
    assert own == set().union(*PLACES.values())


def test_no_source_holds_what_an_agent_says_of_itself():
    reported = {name for name in AttemptRow.model_fields if name.startswith("reported_")}
    assert reported == {"reported_cost_usd"}
    for model in (Grading, Work, Changes, Metered, ToolUse):
        assert not {f.name for f in fields(model) if "reported" in f.name or "usage" in f.name}


@pytest.fixture
def full(tmp_path):
    """A grading with something in every source."""
    box = Box(*(tmp_path / name for name in ("workspace", "home", "tmp", "inputs")))
    box.create()
    patch = b"diff --git a/a b/a\nnew file mode 100644\nindex %b..%b\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x # noqa\n"
    patch %= (b"0" * 40, b"1" * 40)
    work = Work(
        "answer",
        Changes(read_patch(patch), patch, ("pipe",), frozenset({"m"})),
        frozenset({"skill"}),
        Metered(1.0, 1, 1, 1, 1.0, (ToolUse("Bash"),), frozenset({"skill"})),
    )
    return Grading(Plain(), box, answer="answer", work=work)


@pytest.mark.parametrize("sources", [frozenset({name}) for name in SCORE_SOURCES])
def test_a_check_is_handed_its_sources_and_no_others(full, sources):
    seen, blank = full.only(sources), Grading(full.sandbox, full.box)
    kept = {"answer": seen.answer != blank.answer, "change": seen.work.changes != Changes()}
    kept |= {"handed": seen.work.handed is not None, "metered": seen.work.metered != Metered()}
    assert {name for name, there in kept.items() if there} == sources - {"copy"}
    assert seen.work.answer == ""


CASES = {
    "command": {"run": "true"},
    "lint": {"run": "true"},
    "file-exists": {"path": "a"},
    "file-absent": {"path": "a"},
    "file-contains": {"path": "a", "text": "x"},
    "file-matches": {"path": "a", "pattern": "x"},
    "file-equals": {"path": "a", "text": "x"},
    "files-changed": {"max_files": 5},
    "protected": {"globs": ["a"]},
    "no-shortcuts": {},
    "marker-absent": {"path": "m"},
    "answer-contains": {"text": "answer"},
    "answer-matches": {"pattern": "answer"},
    "answer-equals": {"text": "answer"},
    "answer-json": {},
    "tool-used": {"tool": "Bash"},
    "tool-not-used": {"tool": "Web"},
    "max-turns": {"max": 1},
    "max-tool-calls": {"max": 1},
    "max-cost-usd": {"max": 1},
    "max-duration-s": {"max": 1},
    "max-tokens": {"max": 1},
    "loads": {"names": ["skill"]},
    "used": {"names": ["skill"]},
}


def test_the_walk_leaves_out_only_checks_on_recorded_tests():
    assert set(CASES) == set(CHECKS) - {"hidden-tests", "suite"}


@pytest.mark.parametrize("kind", CASES)
def test_what_a_kind_does_not_name_does_not_move_it(full, kind):
    """Whatever stands in the other sources, the verdict is the same."""
    check = CHECK_KINDS[kind](**CASES[kind])
    first = run_check(check, full)
    kept = {
        "answer": "answer" in check.sources,
        "changes": "change" in check.sources,
        "handed": "handed" in check.sources,
        "metered": "metered" in check.sources,
    }
    other = Work(
        "",
        full.work.changes if kept["changes"] else Changes(),
        full.work.handed if kept["handed"] else frozenset({"other"}),
        full.work.metered if kept["metered"] else Metered(99.0, 99, 99, 99, 99.0, (), frozenset()),
    )
    answer = full.answer if kept["answer"] else "another answer, which says: all passed"
    second = run_check(check, replace(full, answer=answer, work=other))
    assert (first.passed, first.detail) == (second.passed, second.detail)
