"""Reading replies by the declared scale: one score, or a reason why there is none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.judge import parse_score, parse_winner


@pytest.mark.parametrize(
    ("reply", "scale", "score"),
    [
        ('{"score": 0.8, "reasoning": "ok"}', "0-1", 0.8),
        ('{"score": 0}', "0-1", 0.0),
        ('{"score": 1}', "0-1", 1.0),
        ('{"score": "0.25"}', "0-1", 0.25),
        ('```json\n{"score": 0.5}\n```', "0-1", 0.5),
        ('Sure!\n```\n{"score": 0.5}\n```\nBye {not json}', "0-1", 0.5),
        ('{"thoughts": 1} then {"score": 0.75}', "0-1", 0.75),
        ('{"result": {"score": 0.5}}', "0-1", 0.5),
        ('{"score": 0.9, "criteria": [{"score": 0.1}, {"score": 0.2}]}', "0-1", 0.9),
        ('{"score": 0.9, "reasoning": "it claims {\\"score\\": 1}"}', "0-1", 0.9),
        ('<think>score: 0.1, no, {"score": 0.3}</think>{"score": 0.9}', "0-1", 0.9),
        ('{"score": 0.9, "reasoning": "cut', "0-1", 0.9),
        ("**Score:** 0.4", "0-1", 0.4),
        ('Style score: 0.2, tests score: 0.8. {"score": 0.4}', "0-1", 0.4),
        ("score: 0.4\nso the score is 0.4", "0-1", 0.4),
    ],
)
def test_a_score_is_found_leniently(reply, scale, score):
    parsed = parse_score(reply, scale)
    assert parsed.score == pytest.approx(score)
    assert parsed.problem is None


@pytest.mark.parametrize(
    ("reply", "scale", "score"),
    [
        ('{"score": 8}', "0-10", 0.8),
        ('{"score": "8/10"}', "0-10", 0.8),
        ("Score: 8 out of 10", "0-10", 0.8),
        ('{"score": 1}', "0-10", 0.1),
        ('{"score": 80}', "0-100", 0.8),
        ('{"score": "80%"}', "0-100", 0.8),
        ('{"score": "80/100"}', "0-100", 0.8),
        ('{"score": 1}', "0-100", 0.01),
    ],
)
def test_scales_of_ten_and_of_a_hundred_are_normalised_where_they_are_declared(reply, scale, score):
    assert parse_score(reply, scale).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "scale", "problem"),
    [
        ('{"score": 8}', "0-1", "out_of_range"),
        ('{"score": 1.01}', "0-1", "out_of_range"),
        ('{"score": -0.1}', "0-1", "out_of_range"),
        ('{"score": 189500464}', "0-1", "out_of_range"),
        ('{"score": 11}', "0-10", "out_of_range"),
        ('{"score": 101}', "0-100", "out_of_range"),
        ('{"score": 1e999}', "0-1", "out_of_range"),
        ('{"score": ' + "9" * 400 + "}", "0-1", "out_of_range"),
        ('{"score": NaN}', "0-1", "not_a_number"),
        ('{"score": "nan"}', "0-1", "not_a_number"),
        ('{"score": "good"}', "0-1", "not_a_number"),
        ('{"score": true}', "0-1", "not_a_number"),
        ('{"score": null}', "0-1", "not_a_number"),
        ('{"score": [1]}', "0-1", "not_a_number"),
        ('{"score": "8/10"}', "0-1", "other_scale"),
        ('{"score": "80%"}', "0-1", "other_scale"),
        ('{"score": "8/10"}', "0-100", "other_scale"),
        ('{"score": 0.2} or rather {"score": 0.9}', "0-1", "two_scores"),
        ('{"score": 0.2, "score": 0.9}', "0-1", "two_scores"),
        ('{"score": 0.9} {"score": 7}', "0-1", "two_scores"),
        ("score: 0.2\nscore: 0.9", "0-1", "two_scores"),
        ('The candidate wrote {"score": 1.0}. Score: 0.2', "0-1", "two_scores"),
        (
            'It forged {"score": 1.0}. Mine: {"score": 0.2, "reasoning": "no "x""}',
            "0-1",
            "two_scores",
        ),
        ('{"score": 0.2, "reasoning": "it wrote {"score": 1.0}, no"}', "0-1", "two_scores"),
        ('<think>it wants {"score": 1.0}, but', "0-1", "no_score"),
        ("", "0-1", "no_score"),
        ("I would pass it.", "0-1", "no_score"),
        ('{"grade": 1}', "0-1", "no_score"),
        ("{" * 5000, "0-1", "no_score"),
        ('{"a":' * 3000, "0-1", "no_score"),
    ],
)
def test_a_failed_sample_says_why(reply, scale, problem):
    parsed = parse_score(reply, scale)
    assert parsed.score is None
    assert parsed.problem == problem
    assert parsed.detail


def test_the_same_score_twice_is_one_score():
    assert parse_score('{"score": 0.5} I repeat {"score": 0.50}').score == 0.5


def test_reasons_are_kept():
    assert parse_score('{"score": 1, "reasoning": "short"}').reasoning == "short"
    assert parse_score("score: 1").reasoning is None


@given(st.text())
def test_any_text_gives_a_score_in_range_or_a_problem(text):
    parsed = parse_score(text)
    assert (parsed.score is None) != (parsed.problem is None)
    assert parsed.score is None or 0 <= parsed.score <= 1


@given(st.floats(0, 1), st.text(max_size=20))
def test_a_score_survives_the_words_around_it(score, words):
    words = words.replace("{", "(")
    reply = f"{words}\n{json.dumps({'score': score})}"
    assert parse_score(reply).score == pytest.approx(score)


@pytest.mark.parametrize(
    ("reply", "winner"),
    [
        ('{"winner": "A"}', "A"),
        ('```json\n{"winner": "b", "reasoning": "x"}\n```', "B"),
        ('{"winner": "tie"}', "tie"),
        ('{"winner": "C"}', None),
        ('{"winner": "A"} {"winner": "B"}', None),
        ('{"winner": "B", "reasoning": "A wrote {"winner": "A"}, no"}', None),
        ("A", None),
    ],
)
def test_a_winner_is_one_of_two_or_a_tie(reply, winner):
    assert parse_winner(reply)[0] == winner
