"""What new tasks will cost, from those there were."""

import numpy as np
import pytest
from scipy.stats import t

from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import prediction_interval

VALUES = [0.2, 0.3, 0.1, 0.4, 0.9]


def test_by_hand():
    r = prediction_interval(VALUES, new_tasks=7, level=0.9)
    half = t.ppf(0.95, 4) * np.std(VALUES, ddof=1) * np.sqrt(1 / 5 + 1 / 7)
    assert (r.estimate, r.low, r.high) == pytest.approx(
        (np.mean(VALUES), np.mean(VALUES) - half, np.mean(VALUES) + half)
    )


def test_more_new_tasks_are_surer_and_order_does_not_matter():
    widths = [prediction_interval(VALUES, new_tasks=k).width for k in (1, 10, 100)]
    assert widths == sorted(widths, reverse=True)
    turned = prediction_interval(VALUES[::-1], new_tasks=3)
    assert tuple(turned) == tuple(prediction_interval(VALUES, new_tasks=3))
    assert prediction_interval([1.0, 1.0], new_tasks=3).degenerate


@pytest.mark.parametrize(
    ("values", "options"),
    [(VALUES, {"new_tasks": 0}), (VALUES, {"new_tasks": 3, "level": 1}), ([1, np.nan], {"new_tasks": 1})],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_three_parts(values, options):
    with pytest.raises(InvalidInput) as error:
        prediction_interval(values, **options)
    assert all((error.value.what, error.value.where, error.value.fix))


def test_one_task_is_not_enough():
    with pytest.raises(NotEnoughData):
        prediction_interval([1.0], new_tasks=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "low", "high"),
    [("normal", 0.935, 0.965), ("lognormal", 0.86, 0.915)],
)
def test_coverage_is_what_the_docstring_says(draw, low, high):
    rng = np.random.default_rng(0)
    hits = [
        prediction_interval(getattr(rng, draw)(0, 1, 20), new_tasks=20).contains(
            getattr(rng, draw)(0, 1, 20).mean()
        )
        for _ in range(3_000)
    ]
    assert low < np.mean(hits) < high
