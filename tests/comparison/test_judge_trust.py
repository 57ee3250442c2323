"""Judges held against people: numbers worked out by hand, PandaLM's people, and the verdict in words."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from agenteval.comparison import judge_health, judge_trust
from agenteval.errors import InvalidInput, NotEnoughData
from agenteval.stats import cell_agreement, cohen_kappa, gwet_ac1, krippendorff_alpha

PANDALM = Path(__file__).parents[3] / "shared" / "data" / "pandalm" / "testset_v1_judgments.csv"


def judged(scores, *, arm="a", tasks=None, **columns):
    ids = [f"t{i}" for i in range(len(scores))]
    return pd.DataFrame(
        {
            "run_id": "r",
            "trial_id": ids,
            "suite": "s",
            "task_id": tasks if tasks is not None else ids,
            "arm": arm,
            "rubric": "v1",
            "judge": "m",
            "score": pd.array(scores, "Float64"),
        }
        | columns
    )


def said(passed, *, by="ada", **columns):
    ids = [f"t{i}" for i in range(len(passed))]
    return pd.DataFrame(
        {"run_id": "r", "trial_id": ids, "annotator": by, "passed": pd.array(passed, "boolean")}
        | columns
    )


def crossing(both, judge_only, people_only, neither):
    """Scores and labels that make up a two by two table."""
    scores = [1.0] * (both + judge_only) + [0.0] * (people_only + neither)
    labels = [True] * both + [False] * judge_only + [True] * people_only + [False] * neither
    return scores, labels


class TestNumbers:
    def test_kappa_ac1_and_alpha_are_those_of_the_statistics(self):
        scores, labels = crossing(40, 10, 15, 35)
        row = judge_trust(judged(scores), said(labels)).table.iloc[0]
        ratings = np.array([[s, float(p)] for s, p in zip(scores, labels, strict=True)])
        assert row["kappa"] == pytest.approx(cohen_kappa([[40, 10], [15, 35]]).estimate)
        assert row["ac1"] == pytest.approx(gwet_ac1(ratings).estimate)
        assert row["alpha"] == pytest.approx(krippendorff_alpha(ratings, resamples=2).estimate)
        for name in ("kappa", "ac1", "alpha"):
            assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]

    def test_the_paradox_of_kappa_shows_beside_ac1(self):
        scores, labels = crossing(118, 5, 2, 0)
        row = judge_trust(judged(scores), said(labels)).table.iloc[0]
        assert row["kappa"] == pytest.approx(-0.023, abs=1e-3)
        assert row["ac1"] == pytest.approx(0.941, abs=1e-3)

    def test_sensitivity_and_specificity(self):
        row = judge_trust(*map_both(*crossing(40, 10, 10, 40))).table.iloc[0]
        assert (row["sensitivity"], row["specificity"], row["agreement"]) == (0.8, 0.8, 0.8)
        assert row["sensitivity_low"] < 0.8 < row["sensitivity_high"]

    def test_intervals_take_the_task_for_the_unit(self):
        scores, labels = crossing(30, 10, 10, 30)
        apart = judge_trust(judged(scores), said(labels)).table.iloc[0]
        together = judge_trust(
            judged(scores, tasks=[f"x{i // 10}" for i in range(80)]), said(labels)
        ).table.iloc[0]
        assert together["kappa"] == apart["kappa"]
        width = [row["kappa_high"] - row["kappa_low"] for row in (apart, together)]
        assert width[1] > 1.5 * width[0]

    def test_thresholds_show_what_others_would_have_come_to(self):
        scores = [0.2, 0.4, 0.6, 0.8] * 10
        labels = [False, False, True, True] * 10
        curve = judge_trust(judged(scores), said(labels)).thresholds.set_index("threshold")
        assert curve.loc[0.6, ["sensitivity", "specificity", "agreement"]].tolist() == [1, 1, 1]
        assert curve.loc[0.8, ["sensitivity", "specificity"]].tolist() == [0.5, 1]
        assert curve.loc[0.2, "pass_rate"] == 1

    def test_calibration_has_a_bin_for_each_score_when_there_are_few(self):
        scores = [0.25, 0.75] * 20
        labels = [False, True] * 20
        found = judge_trust(judged(scores), said(labels))
        assert found.calibration["predicted"].tolist() == [0.25, 0.75]
        assert found.calibration["observed"].tolist() == [0, 1]
        assert found.table["brier"].item() == pytest.approx(0.0625)

    def test_confusion_counts_four_cells(self):
        found = judge_trust(*map_both(*crossing(4, 3, 2, 1))).confusion
        assert found["n"].tolist() == [4, 2, 3, 1]
        assert found[["people", "judge_says"]].values.tolist()[1] == ["pass", "fail"]

    def test_the_corrected_pass_rate_of_rogan_and_gladen(self):
        scores, labels = crossing(40, 10, 10, 40)
        more = [1.0] * 60 + [0.0] * 40
        row = judge_trust(judged(scores + more), said(labels)).arms.iloc[0]
        # 110 of 200 pass, (0.55 + 0.8 - 1) / 0.6
        assert row["judge_rate"] == pytest.approx(0.55)
        assert row["rogan_gladen"] == pytest.approx(0.35 / 0.6)
        assert row["rogan_gladen_low"] < row["rogan_gladen"] < row["rogan_gladen_high"]
        # PPI: the judge's rate on the rest, plus its error on the labelled
        assert row["ppi_low"] < row["ppi"] < row["ppi_high"]
        assert 0.5 < row["ppi"] < 0.6

    def test_a_judge_that_says_too_little_corrects_nothing(self):
        row = judge_trust(*map_both(*crossing(25, 25, 25, 25))).arms.iloc[0]
        assert np.isnan(row["rogan_gladen"])


def map_both(scores, labels):
    return judged(scores), said(labels)


class TestItems:
    def test_the_median_of_samples_is_held_against_people(self):
        one = judged([0.9] * 3)
        samples = pd.concat(
            [one.assign(score=value, sample=i) for i, value in enumerate((0.1, 0.8, 0.9))]
        )
        found = judge_trust(samples, said([True] * 3))
        assert found.table["judged"].item() == 3
        assert found.table["sensitivity"].item() == 1

    def test_the_newest_judging_of_a_trial_counts(self):
        rows = pd.concat(
            [
                judged([0.0] * 4).assign(at=pd.Timestamp("2025-01-01"), judging="a"),
                judged([1.0] * 4).assign(at=pd.Timestamp("2025-01-02"), judging="b"),
            ]
        )
        assert judge_trust(rows, said([True] * 4)).table["agreement"].item() == 1

    def test_rubric_versions_and_judges_are_kept_apart(self):
        rows = pd.concat(
            [
                judged([1.0] * 4),
                judged([0.0] * 4).assign(rubric="v2"),
                judged([1.0] * 4).assign(judge="n"),
            ]
        )
        table = judge_trust(rows, said([True] * 4)).table
        assert table[["rubric", "judge"]].values.tolist() == [["v1", "m"], ["v1", "n"], ["v2", "m"]]
        assert table["agreement"].tolist() == [1, 1, 0]

    def test_a_label_by_a_rubric_holds_for_that_version_only(self):
        rows = pd.concat([judged([1.0] * 4), judged([1.0] * 4).assign(rubric="v2")])
        table = judge_trust(rows, said([True] * 4, rubric="v2")).table
        assert table["labelled"].tolist() == [0, 4]

    def test_people_decide_by_majority_and_ties_are_left_out_and_counted(self):
        labels = pd.concat(
            [said([True, True, False]), said([True, False, False], by="b"), said([True], by="c")]
        )
        row = judge_trust(judged([1.0, 1.0, 0.0]), labels).table.iloc[0]
        assert (row["labelled"], row["undecided"], row["agreement"]) == (2, 1, 1)
        assert row["people_alpha"] == pytest.approx(
            krippendorff_alpha([[1, 1, 1], [1, 0, np.nan], [0, 0, np.nan]], resamples=2).estimate
        )

    def test_a_reply_without_a_score_is_a_fail_and_a_missing_one_is_unknown(self):
        rows = judged([None, None, 1.0]).assign(
            counted=pd.array([0.0, None, 1.0], "Float64"), reply=["?", None, "{}"]
        )
        row = judge_trust(rows, said([True, True, True])).table.iloc[0]
        assert (row["labelled"], row["unscored"], row["missing"], row["replies"]) == (2, 1, 1, 2)
        assert row["sensitivity"] == 0.5

    def test_what_was_left_out_of_medians_still_never_passes(self):
        rows = judged([None] * 2).assign(counted=pd.array([None] * 2, "Float64"), reply=["?", "?"])
        assert judge_trust(rows, said([True] * 2)).table["sensitivity"].item() == 0

    def test_a_panel_is_judged_beside_its_members(self):
        members = [
            judged(scores, panel="majority").assign(judge=name)
            for name, scores in (("m1", [1, 1, 0]), ("m2", [1, 0, 0]), ("m3", [0, 1, 0]))
        ]
        table = judge_trust(pd.concat(members), said([True, True, False])).table
        assert table["judge"].tolist() == ["m1", "m2", "m3", "panel (majority of m1, m2, m3)"]
        assert table.set_index("judge")["agreement"].iloc[-1] == 1

    def test_pairwise_judgments_are_no_scores_of_a_trial(self):
        rows = judged([1.0] * 4).assign(versus="t9")
        with pytest.raises(NotEnoughData, match="no judgment"):
            judge_trust(rows, said([True] * 4))

    @pytest.mark.parametrize("column", ["rubric", "score", "arm"])
    def test_a_column_that_is_missing_is_named(self, column):
        with pytest.raises(InvalidInput, match=column):
            judge_trust(judged([1.0]).drop(columns=column), said([True]))
        with pytest.raises(InvalidInput, match="annotator"):
            judge_trust(judged([1.0]), said([True]).drop(columns="annotator"))


class TestWords:
    """The verdict, and each reason for it."""

    def test_a_judge_that_agrees_is_to_be_trusted(self):
        found = judge_trust(*map_both(*crossing(45, 5, 5, 45)))
        assert found.trusted
        assert "m is to be trusted: it agrees with people well beyond chance" in found.verdict
        assert "m is to be trusted" in str(found)

    def test_a_judge_that_tosses_a_coin_is_not_to_be_trusted(self):
        found = judge_trust(*map_both(*crossing(25, 25, 25, 25)))
        assert not found.trusted
        assert "is not to be trusted: it agrees with people no better than chance" in found.verdict
        assert "passes 50.0 % of good and 50.0 % of bad work" in found.verdict

    @pytest.mark.parametrize("always", [0.0, 1.0])
    def test_a_judge_that_always_says_the_same_is_not_to_be_trusted(self, always):
        found = judge_trust(judged([always] * 60), said([True, False] * 30))
        assert "is not to be trusted" in found.verdict

    def test_a_judge_whose_replies_hold_no_score_is_not_to_be_trusted_without_any_label(self):
        rows = judged([None] * 10 + [1.0] * 30).assign(
            counted=pd.array([0.0] * 10 + [1.0] * 30, "Float64"), reply="x"
        )
        found = judge_trust(rows, said([True]).iloc[:0])
        assert "not to be trusted: 25.0 % of its replies hold no usable score" in found.verdict

    @pytest.mark.parametrize(
        ("scores", "labels", "why"),
        [
            ([1.0, 0.0] * 30, [], "nobody labelled"),
            ([1.0] * 60, [True] * 60, "no labelled trial is bad work"),
            (*crossing(8, 0, 0, 8), "16 labels (8 good, 8 bad) are too few"),
            (*crossing(35, 12, 13, 40), "its agreement with people may be below 0.4"),
        ],
    )
    def test_with_too_little_it_cannot_be_told_and_says_what_is_lacking(self, scores, labels, why):
        found = judge_trust(judged(scores), said(labels))
        assert not found.trusted
        assert "cannot be told" in found.verdict
        assert why in found.verdict

    def test_a_judge_that_favours_one_arm_shows_and_is_not_to_be_trusted(self):
        tasks = [f"x{i}" for i in range(100)]
        rng = np.random.default_rng(7)
        truth = rng.random(200) < 0.5
        scores = truth.astype(float)
        # of the bad work of arm b, two fifths pass
        spoilt = (np.arange(200) >= 100) & ~truth & (rng.random(200) < 0.4)
        scores[spoilt] = 1.0
        rows = judged(scores, tasks=tasks * 2, arm=["a"] * 100 + ["b"] * 100)
        found = judge_trust(rows, said(truth))
        arms = found.arms.set_index("arm")
        assert arms.index.tolist() == ["all", "a", "b"]
        assert arms.loc["b", "leaning_low"] > 0.05
        assert arms.loc["b", "leaning"] == pytest.approx(-arms.loc["a", "leaning"])
        assert "not to be trusted: it favours b by" in found.verdict
        # its own error rates correct each arm
        assert set(arms["errors_of"]) == {"all", "arm"}
        assert arms.loc["b", "judge_rate"] - arms.loc["b", "people_rate"] > 0.1
        assert abs(arms.loc["b", "rogan_gladen"] - arms.loc["b", "people_rate"]) < 1e-9

    def test_a_fair_judge_does_not_lean(self):
        rng = np.random.default_rng(8)
        truth = rng.random(200) < 0.5
        scores = np.where(rng.random(200) < 0.1, ~truth, truth).astype(float)
        rows = judged(
            scores, tasks=[f"x{i}" for i in range(100)] * 2, arm=["a"] * 100 + ["b"] * 100
        )
        assert judge_trust(rows, said(truth)).trusted

    def test_self_judging_injection_and_missing_replies_are_said(self):
        rows = judged([1.0, 0.0, None]).assign(
            self_judged=pd.array([True, True, None], "boolean"),
            injection=[["asks_for_score"], [], []],
            reply=["x", "x", None],
        )
        text = str(judge_trust(rows, said([True, False, True])))
        assert "m judged work of its own model." in text
        assert "1 trial judged by m hold text that speaks to the judge" in text
        assert "1 sample of m are missing" in text


@pytest.fixture(scope="module")
def pandalm():
    if not PANDALM.is_file():
        pytest.skip("the published labels are not beside this checkout")
    rows = pd.read_csv(PANDALM, dtype=str)
    ids = {"run_id": "pandalm", "trial_id": rows["idx"]}
    labels = pd.concat(
        pd.DataFrame(ids | {"annotator": f"person {i}", "passed": rows[f"annotator{i}"] == "1"})
        for i in (1, 2, 3)
    )
    judges = pd.concat(
        pd.DataFrame(
            ids
            | {
                "task_id": rows["app"],
                "arm": rows["cmp_key"].str.partition("_")[0],
                "rubric": "prefers the first",
                "judge": name,
                "score": (rows[column] == "1").astype(float),
            }
        )
        for name, column in (("gpt-3.5", "gpt35_result"), ("pandalm-7b", "pandalm7b_result"))
    )
    return judge_trust(judges, labels)


class TestPandaLM:
    """999 pairs, three people, two judges: published labels."""

    def test_people_agree_among_themselves_far_better_than_a_judge_with_them(self, pandalm):
        assert (pandalm.table["people_alpha"] > 0.85).all()
        assert (pandalm.table["kappa_high"] < 0.7).all()

    def test_error_rates_and_corrected_rates(self, pandalm):
        row = pandalm.table.set_index("judge").loc["gpt-3.5"]
        assert (row["labelled"], row["good"], row["bad"]) == (999, 422, 577)
        assert row["kappa"] == pytest.approx(0.558, abs=1e-3)
        arms = pandalm.arms[pandalm.arms["judge"] == "gpt-3.5"].set_index("arm")
        # labelled throughout, so the corrected rate has to give people's own back
        assert arms.loc["all", "rogan_gladen"] == pytest.approx(
            arms.loc["all", "people_rate"], abs=0.03
        )
        assert len(arms) == 5

    def test_the_verdicts_in_words(self, pandalm):
        first, second = pandalm.verdict.splitlines()
        assert first.startswith(
            "gpt-3.5 is to be trusted: it agrees with people well beyond chance"
        )
        assert "cannot be told" in second or "not to be trusted" in second

    def test_a_shuffled_judge_is_not_to_be_trusted(self):
        if not PANDALM.is_file():
            pytest.skip("the published labels are not beside this checkout")
        rows = pd.read_csv(PANDALM, dtype=str)
        rng = np.random.default_rng(3)
        scores = rng.permutation((rows["gpt35_result"] == "1").to_numpy(float))
        labels = said(rows["annotator1"] == "1")
        assert "no better than chance" in judge_trust(judged(scores), labels).verdict


class TestHealth:
    def test_replies_without_scores_and_missing_ones_by_arm(self):
        rows = judged([1.0, None, None, 0.5], arm=["a", "a", "b", "b"]).assign(
            reply=["{}", "?", None, "{}"],
            injection=[[], ["asks_for_score"], [], []],
            self_judged=pd.array([False, False, True, True], "boolean"),
            on_judge_error=["zero", "missing", "zero", "zero"],
            cost_usd=[0.1, 0.2, None, 0.1],
        )
        found = judge_health(rows)
        table = found.table.set_index("arm")
        assert table.loc["a", ["samples", "unscored", "missing", "left_out"]].tolist() == [
            2,
            1,
            0,
            1,
        ]
        assert table.loc["b", ["unscored", "missing_share"]].tolist() == [0, 0.5]
        assert table.loc["a", "cost_usd"] == pytest.approx(0.3)
        assert np.isnan(table.loc["b", "cost_usd"])
        notes = " ".join(found.notes)
        assert "m on b: the judge is the model it judges" in notes
        assert "without a score are left out (on_judge_error = missing)" in notes
        assert "1 of 2 samples missing" in notes
        assert "speaks to its judge" in notes

    def test_an_ordinary_table_is_needed(self):
        with pytest.raises(InvalidInput, match="reply"):
            judge_health(judged([1.0]))


def test_cell_agreement_refuses_what_are_no_cells():
    with pytest.raises(InvalidInput):
        cell_agreement([[1, 2, 3]])
    with pytest.raises(NotEnoughData):
        cell_agreement(np.zeros((3, 4)))
    assert np.isnan(cell_agreement([[5, 0, 0, 0], [3, 0, 0, 0]]).estimate)
