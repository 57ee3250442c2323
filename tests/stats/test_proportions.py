"""Intervals for independent trials: limits, symmetry, arrays, refused input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import (
    agresti_coull_interval,
    beta_interval,
    clopper_pearson_interval,
    jeffreys_interval,
    wilson_interval,
)


def wilson_cc(k, n, *, level=0.95):
    return wilson_interval(k, n, level=level, continuity=True)


def jeffreys_plain(k, n, *, level=0.95):
    return jeffreys_interval(k, n, level=level, modified=False)


INTERVALS = [
    wilson_interval,
    wilson_cc,
    clopper_pearson_interval,
    jeffreys_interval,
    jeffreys_plain,
    agresti_coull_interval,
    beta_interval,
]
counts = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


@pytest.mark.parametrize("interval", INTERVALS)
@given(counts=counts, level=levels)
def test_estimate_lies_inside_and_limits_in_range(interval, counts, level):
    r = interval(*counts, level=level)
    if interval is jeffreys_plain:  # its limits exclude a rate of exactly 0 or 1
        assert 0 <= r.low < r.high <= 1
    else:
        assert 0 <= r.low <= r.estimate <= r.high <= 1
    assert r.level == level


@pytest.mark.parametrize("interval", INTERVALS)
@given(counts=counts)
def test_passes_and_fails_mirror(interval, counts):
    k, n = counts
    r, mirrored = interval(k, n), interval(n - k, n)
    assert r.low == pytest.approx(1 - mirrored.high, abs=1e-9)
    assert r.estimate == pytest.approx(1 - mirrored.estimate, abs=1e-12)


@pytest.mark.parametrize("interval", INTERVALS)
@given(counts=counts)
def test_a_higher_level_is_no_narrower(interval, counts):
    narrow, wide = interval(*counts, level=0.8), interval(*counts, level=0.99)
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@pytest.mark.parametrize("interval", INTERVALS)
def test_arrays_equal_scalars_row_by_row(interval):
    k, n = np.array([0, 3, 7, 7, 20, 1]), np.array([20, 3, 9, 9, 20, 40])
    rows = interval(k, n)
    single = [interval(int(a), int(b)) for a, b in zip(k, n, strict=True)]
    for name in ("estimate", "low", "high"):
        assert getattr(rows, name).tolist() == [getattr(s, name) for s in single]
    table = interval(k.reshape(2, 3), n.reshape(2, 3))
    assert table.low.shape == (2, 3)
    assert table.low.ravel().tolist() == rows.low.tolist()


@pytest.mark.parametrize("interval", INTERVALS[:-1])
def test_no_trials_say_nothing(interval):
    r = interval([0, 3], [0, 5])
    assert np.isnan(r.estimate[0])
    assert (r.low[0], r.high[0]) == (0, 1)
    assert not np.isnan(r.estimate[1])


@pytest.mark.parametrize("interval", [i for i in INTERVALS[:-1] if i is not jeffreys_plain])
def test_ends_are_exact(interval):
    n = np.arange(1, 60)
    assert (interval(np.zeros(59), n).low == 0).all()
    assert (interval(n, n).high == 1).all()


def test_effective_trials_may_be_fractions():
    k, n = np.array([2.5, 2.5, 7.25]), np.array([4.5, 4.5, 9.75])
    exact = clopper_pearson_interval(k, n)
    assert exact.low[0] == exact.low[1] == clopper_pearson_interval(2.5, 4.5).low
    assert (exact.low < wilson_interval(k, n).low).all()


def test_large_counts_take_the_sorting_path():
    k, n = np.array([10, 10, 999_990]), np.array([2_000_000, 1_000_000, 1_000_000])
    rows = clopper_pearson_interval(k, n)
    single = [clopper_pearson_interval(a, b).high for a, b in zip(k, n, strict=True)]
    assert rows.high.tolist() == single


def test_inputs_are_kept_and_never_changed():
    k, n = np.array([1.0, 2.0]), np.array([3.0, 3.0])
    r = wilson_interval(k, n)
    assert k.tolist() == [1, 2]
    k[0] = 3
    assert r.inputs["passed"].tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        r.inputs["passed"][0] = 9


BAD = {
    "passed above n": ((5, 4), {}),
    "negative": ((-1, 4), {}),
    "negative n": ((0, -4), {}),
    "NaN": ((float("nan"), 4), {}),
    "infinite": ((1, float("inf")), {}),
    "text": (("three", 4), {}),
    "lengths": (([1, 2], [3, 4, 5]), {}),
    "level 0": ((1, 4), {"level": 0}),
    "level 1": ((1, 4), {"level": 1}),
    "percent": ((1, 4), {"level": 95}),
    "level NaN": ((1, 4), {"level": float("nan")}),
}


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_is_refused_in_three_parts(interval, case):
    arguments, options = BAD[case]
    with pytest.raises(InvalidInput) as caught:
        interval(*arguments, **options)
    assert caught.value.what
    assert caught.value.where
    assert caught.value.fix


@pytest.mark.parametrize("interval", INTERVALS)
def test_nothing_is_not_enough(interval):
    with pytest.raises(NotEnoughData):
        interval([], [])


def test_a_prior_is_two_positive_numbers():
    assert beta_interval(0, 0).low == pytest.approx(0.025)
    for prior in [(0, 1), (1, -1), (1,), 3]:
        with pytest.raises(InvalidInput):
            beta_interval(1, 2, prior=prior)
