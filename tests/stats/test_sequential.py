"""Confidence sequences: always valid limits, burn-in, rescaled bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import ConfidenceSequence, confidence_sequence

BOUNDED = ["betting", "empirical_bernstein", "hoeffding"]
RNG = np.random.default_rng(11)
SCORES = RNG.beta(2, 1, 300)


@pytest.mark.parametrize("method", BOUNDED)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=60))
def test_limits_hold_the_bounds_and_mirror(method, counts):
    x = np.array(counts) / 4
    r, mirrored = confidence_sequence(x, method=method), confidence_sequence(1 - x, method=method)
    assert (r.low >= 0).all()
    assert (r.high <= 1).all()
    assert (r.low <= r.high).all()
    assert r.low == pytest.approx(1 - mirrored.high, abs=2e-3)


@pytest.mark.parametrize("method", [*BOUNDED, "asymptotic"])
def test_a_sequence_is_its_own_beginning(method):
    whole, part = (confidence_sequence(x, method=method) for x in (SCORES, SCORES[:120]))
    for name in ("estimate", "low", "high"):
        assert getattr(whole, name)[:120] == pytest.approx(getattr(part, name), abs=1e-9)


@pytest.mark.parametrize("method", BOUNDED)
def test_differences_are_rates_on_another_scale(method):
    rates = confidence_sequence(SCORES, method=method)
    scaled = confidence_sequence(2 * SCORES - 1, method=method, bounds=(-1, 1))
    assert scaled.low == pytest.approx(2 * rates.low - 1)
    assert scaled.high == pytest.approx(2 * rates.high - 1)


def test_betting_is_the_sharpest_of_the_bounded():
    widths = {
        m: float((r := confidence_sequence(SCORES, method=m)).high[-1] - r.low[-1]) for m in BOUNDED
    }
    assert min(widths, key=widths.get) == "betting"


def test_asymptotic_says_nothing_early_or_without_spread():
    r = confidence_sequence(SCORES - 0.3, method="asymptotic")
    assert np.isinf(r.high[:19]).all()
    assert np.isfinite(r.high[19:]).all()
    flat = confidence_sequence(np.zeros(100), method="asymptotic")
    assert np.isinf(flat.high).all()
    assert flat.decided() is None


def test_asymptotic_is_half_again_as_wide_as_one_look():
    x = RNG.normal(0, 1, 100)
    r = confidence_sequence(x, method="asymptotic", tuned_for=100)
    one_look = 2 * 1.96 * x.std(ddof=1) / 10
    assert (r.high[-1] - r.low[-1]) / one_look == pytest.approx(1.55, abs=0.03)


def test_decided_names_the_first_task_that_settled_it():
    x = np.where(np.arange(200) % 10 == 0, -1.0, 1.0)
    r = confidence_sequence(x, bounds=(-1, 1))
    first = r.decided(0.0)
    assert isinstance(r, ConfidenceSequence)
    assert r.low[first - 1] > 0
    assert not (r.low[: first - 1] > 0).any()
    assert r.decided(0.8) is None
    assert "at any time" in str(r)


def test_long_runs_are_cut_into_pieces_of_the_grid():
    x = np.tile(SCORES, 20)
    r = confidence_sequence(x)
    assert r.low[-1] < x.mean() < r.high[-1]
    assert r.low[:300] == pytest.approx(confidence_sequence(SCORES).low)


@pytest.mark.parametrize(
    "call",
    [
        lambda: confidence_sequence([0.5, 1.5]),
        lambda: confidence_sequence([0.5, float("nan")]),
        lambda: confidence_sequence([0.5], method="sprt"),
        lambda: confidence_sequence([0.5], alpha=0),
        lambda: confidence_sequence([0.5], bounds=(1, 0)),
        lambda: confidence_sequence([0.5], method="asymptotic", tuned_for=0),
        lambda: confidence_sequence([[0.5]]),
    ],
)
def test_what_cannot_be_is_refused_in_three_parts(call):
    with pytest.raises(InvalidInput) as caught:
        call()
    assert all([caught.value.what, caught.value.where, caught.value.fix])


def test_no_task_is_not_enough():
    with pytest.raises(NotEnoughData):
        confidence_sequence([])
