"""The checks `answer-matches`, `answer-equals` and `answer-json`."""

import pytest

from agenteval.checks.answer_json import first_json

ANSWER = 'Here you are:\n```json\n{"name": "bucket", "size": 3}\n```\nDone.'
SCHEMA = {
    "type": "object",
    "properties": {"size": {"type": "integer", "minimum": 1}},
    "required": ["size"],
}


@pytest.mark.parametrize(
    ("keys", "answer", "passed"),
    [
        ({"pattern": "token[ -]?bucket"}, "a token bucket", True),
        ({"pattern": "token[ -]?bucket"}, "a leaky bucket", False),
        ({"pattern": "TOKEN", "ignore_case": True}, "token", True),
        ({"pattern": "token", "negate": True}, "token", False),
        ({"pattern": "token", "negate": True}, "leaky", True),
        ({"pattern": "token", "negate": True}, " ", False),
    ],
)
def test_answer_matches(run, keys, answer, passed):
    assert run("answer-matches", answer=answer, **keys).passed is passed


@pytest.mark.parametrize(
    ("keys", "answer", "passed"),
    [
        ({"text": "42"}, " 42\n", True),
        ({"text": "42"}, "It is 42", False),
        ({"text": "Yes", "ignore_case": True}, "YES", True),
        ({"text": "Yes"}, "YES", False),
        ({"text": "42", "negate": True}, "41", True),
        ({"text": "42", "negate": True}, "42", False),
        ({"text": "42", "negate": True}, "", False),
    ],
)
def test_answer_equals(run, keys, answer, passed):
    assert run("answer-equals", answer=answer, **keys).passed is passed


@pytest.mark.parametrize(
    ("keys", "passed", "why"),
    [
        ({}, True, "as asked for"),
        ({"require_keys": ["name", "size"]}, True, "as asked for"),
        ({"require_keys": ["name", "colour"]}, False, "lacks 'colour'"),
        ({"schema": SCHEMA}, True, "as asked for"),
        ({"schema": {**SCHEMA, "required": ["colour"]}}, False, "breaks the schema"),
        ({"schema": {"properties": {"size": {"maximum": 2}}}}, False, "$.size"),
        ({"require_keys": ["colour"], "negate": True}, True, "lacks 'colour'"),
        ({"require_keys": ["size"], "negate": True}, False, "as asked for"),
    ],
)
def test_answer_json(run, keys, passed, why):
    verdict = run("answer-json", answer=ANSWER, **keys)
    assert verdict.passed is passed
    assert why in verdict.detail


@pytest.mark.parametrize("answer", ["", "no JSON here", "{broken", '{"a": NaN}'])
def test_no_json_fails_also_negated(run, answer):
    assert run("answer-json", answer=answer).passed is False
    assert run("answer-json", answer=answer, require_keys=["a"], negate=True).passed is False


def test_a_list_has_no_keys(run):
    verdict = run("answer-json", answer='["name"]', require_keys=["name"])
    assert (verdict.passed, verdict.detail) == (
        False,
        "the final answer is no JSON object, so it has no keys",
    )


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1]", [1]),
        ("3", 3),
        ("null", None),
        ('x\n~~~\n{"a": 1}\n~~~\n{"a": 2}', {"a": 1}),
        ('text {not json} then {"a": {"b": [1]}} more', {"a": {"b": [1]}}),
    ],
)
def test_which_json_counts(text, value):
    assert first_json(text) == (value,)


def test_brackets_without_end_are_given_up():
    assert first_json("[" * 100_000) is None
    assert first_json('{"a": ' * 100_000) is None


def test_a_pattern_in_a_schema_that_never_ends_is_no_verdict(run, monkeypatch):
    monkeypatch.setattr("agenteval.checks.answer_json.TIMEOUT_S", 1.0)
    evil = {"type": "object", "properties": {"a": {"pattern": "^(a+)+$"}}}
    verdict = run("answer-json", answer='{"a": "' + "a" * 40 + '!"}', schema=evil)
    assert (verdict.passed, verdict.error_class) == (None, "check_timeout")
