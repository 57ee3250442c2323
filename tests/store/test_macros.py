import math
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.errors import StoreError
from agenteval.store import open_store

Z = NormalDist().inv_cdf(0.975)


def wilson(passes, n):
    if n == 0:
        return 0.0, 1.0
    rate = passes / n
    middle, scale = rate + Z**2 / (2 * n), 1 + Z**2 / n
    half = Z * math.sqrt(rate * (1 - rate) / n + Z**2 / (4 * n**2))
    low = 0.0 if passes == 0 else (middle - half) / scale
    high = 1.0 if passes == n else (middle + half) / scale
    return low, high


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    path = tmp_path_factory.mktemp("macros") / "store"
    (path / "runs").mkdir(parents=True)
    with open_store(path).connect() as connection:
        yield connection


COUNTS = st.integers(0, 10**7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=200, deadline=None)
@given(counts=COUNTS)
def test_macros_are_the_wilson_formula(connection, counts):
    query = "select wilson_low($k, $n), wilson_high($k, $n)"
    (got,) = connection.execute(query, {"k": counts[0], "n": counts[1]}).fetchall()
    assert got == pytest.approx(wilson(*counts), rel=1e-12, abs=1e-15)


def test_ends_are_exact_and_no_trials_mean_no_knowledge(connection):
    query = """select wilson_low(0, 7), wilson_high(7, 7), wilson_low(0, 0), wilson_high(0, 0),
                      wilson_low(null, 0), wilson_high(null, 0), typeof(wilson_low(1, 2))"""
    assert connection.execute(query).fetchall() == [(0.0, 1.0, 0.0, 1.0, 0.0, 1.0, "DOUBLE")]


def test_a_known_value(connection):
    """8 of 10, as in Wilson's method of any textbook: 0.490 to 0.943."""
    (low, high) = connection.execute("select wilson_low(8, 10), wilson_high(8, 10)").fetchall()[0]
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)


def test_macros_work_on_groups(build):
    build.filled()
    rates = open_store(build.path).sql(
        """select arm, wilson_low(sum(passed::int), count(passed)) low,
                  wilson_high(sum(passed::int), count(passed)) high
           from trials group by arm order by arm"""
    )
    assert rates["low"].tolist() == pytest.approx([wilson(1, 2)[0], wilson(2, 2)[0]])
    assert rates["high"].tolist() == pytest.approx([wilson(1, 2)[1], 1.0])


def test_more_passes_than_trials_is_an_error(build):
    build.folder.create()
    with pytest.raises(StoreError, match="between 0 and n"):
        open_store(build.path).sql("select wilson_low(x, 2) from range(2, 4) t(x)")
