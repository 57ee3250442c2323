"""Slices: the same comparison inside, multiplicity, the interaction test."""

import math

import numpy as np
import pytest

from agenteval.comparison import head_to_head, slices
from agenteval.comparison.slices import interaction_p_value
from agenteval.errors import InvalidInput
from agenteval.stats import adjust_p_values, newcombe_cluster_difference


@pytest.fixture(scope="module")
def table(trials_of):
    rng = np.random.default_rng(3)

    def letters(p):
        return "".join(rng.choice(["P", "F"], 3, p=[p, 1 - p]))

    arms = {
        "a": {f"t{i}": letters(0.3) for i in range(30)},
        "b": {f"t{i}": letters(0.9 if i < 15 else 0.3) for i in range(30)},
    }
    made = trials_of(arms)
    made["category"] = np.where(made["task_id"].str[1:].astype(int) < 15, "bugfix", "test")
    return made


def test_each_slice_is_the_comparison_of_its_tasks(table):
    got = slices(table, baseline="a").table.set_index("slice")
    for name in ("bugfix", "test"):
        alone = head_to_head(table[table["category"] == name], baseline="a").table.iloc[0]
        for column in ("tasks", "difference", "low", "high", "pvalue", "mde"):
            assert got.loc[name, column] == alone[column]
    want = adjust_p_values(got["pvalue"], method="holm")
    assert got["pvalue_adjusted"].tolist() == pytest.approx(want.tolist())
    assert got["tasks"].sum() == 30


def test_an_interaction_is_found_and_said(table):
    got = slices(table, baseline="a")
    assert (got.table["interaction_pvalue"] < 0.01).all()
    assert "depends on category" in got.notes[0]
    shuffled = table.assign(
        category=np.where(table["task_id"].str[1:].astype(int) % 2 == 0, "even", "odd")
    )
    none = slices(shuffled, baseline="a")
    assert none.table["interaction_pvalue"].iloc[0] > 0.2
    assert "not shown" in none.notes[0]


def test_the_interaction_test_against_all_permutations():
    d = np.array([1.0, 1.0, 0.0, 0.0, -1.0])
    code = np.array([0, 0, 1, 1, 1])
    from itertools import combinations

    def spread(first):
        inside = d[list(first)].sum() ** 2 / 2
        return inside + (d.sum() - d[list(first)].sum()) ** 2 / 3

    every = [spread(pair) for pair in combinations(range(5), 2)]
    exact = np.mean([value >= spread((0, 1)) - 1e-12 for value in every])
    got = interaction_p_value(d, code, permutations=20_000)
    assert got == pytest.approx(exact, abs=0.01)


def test_the_interaction_test_keeps_its_level():
    rng = np.random.default_rng(8)
    code = np.repeat([0, 1, 2], 8)
    p = [
        interaction_p_value(rng.integers(-3, 4, 24) / 3, code, permutations=199) for _ in range(300)
    ]
    assert 0.02 <= np.mean(np.array(p) <= 0.05) <= 0.09


def test_one_slice_has_no_interaction(table):
    got = slices(table.assign(category="all"), baseline="a")
    assert math.isnan(got.table["interaction_pvalue"].iloc[0])
    assert got.notes == ()


def test_tasks_without_a_value_are_the_last_slice(table):
    gaps = table.assign(category=table["category"].where(table["task_id"] != "t0"))
    got = slices(gaps, baseline="a").table
    assert got["slice"].tolist() == ["bugfix", "test", "unknown"]
    assert got["tasks"].tolist() == [14, 15, 1]


def test_order_and_names_do_not_matter(table):
    first = slices(table, baseline="a").table
    again = slices(table.sample(frac=1, random_state=1), baseline="a").table
    renamed = slices(table.assign(task_id="z" + table["task_id"].str[::-1]), baseline="a").table
    assert first.equals(again)
    assert renamed["interaction_pvalue"].equals(first["interaction_pvalue"])


def test_a_task_with_two_values_is_refused(table):
    mixed = table.assign(model=np.where(table["arm"] == "a", "x", "y"))
    with pytest.raises(InvalidInput, match="several values within one task"):
        slices(mixed, column="model", baseline="a")
    with pytest.raises(InvalidInput, match="'colour'"):
        slices(table, column="colour", baseline="a")


def test_from_a_head_to_head(table):
    result = head_to_head(table, baseline="a", margin=0.1).slices("category")
    assert result.table["margin"].tolist() == [0.1, 0.1]
    assert "Difference by category" in str(result)


def test_suites_with_shared_task_ids_stay_apart(trials_of):
    made = trials_of({arm: {"s1/x": "P", "s2/x": "F"} for arm in "ab"})
    got = slices(made, column="suite", baseline="a").table
    assert got[["slice", "tasks", "rate_baseline"]].to_numpy().tolist() == [
        ["s1", 1, 1.0],
        ["s2", 1, 0.0],
    ]
    want = newcombe_cluster_difference([1], 1, [1], 1)
    assert got["high"].iloc[0] == want.high
