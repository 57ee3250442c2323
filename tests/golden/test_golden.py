"""Every entry of the golden file, each against the function that claims to compute it.

AGENTEVAL_GOLDEN names another file of the same shape. A method this file does not know fails.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import barnard_exact

from agenteval import stats
from agenteval.stats.sequential import asymptotic_half_width

FILE = Path(os.environ.get("AGENTEVAL_GOLDEN") or Path(__file__).with_name("golden.json"))
GOLDEN = json.loads(FILE.read_text(encoding="utf-8"))
ENTRIES = [(name, entry) for name, rows in GOLDEN.items() if name != "_meta" for entry in rows]
IDS = [f"{name}-{i}" for name, rows in GOLDEN.items() if name != "_meta" for i in range(len(rows))]

REFERENCE_ONLY = {
    "survey_logit_ci": "reference value of a method this package does not offer",
    "glmm_logit_random_intercept": "reference value of a model this package does not fit",
}
COMMENTS = {"paper", "note"}
# Sex x admission by department, R's UCBAdmissions: admitted men, men, admitted women, women.
UCB = [(512, 825, 89, 108), (353, 560, 17, 25), (120, 325, 202, 593), (138, 417, 131, 375),
       (53, 191, 94, 393), (22, 373, 24, 341)]  # fmt: skip

Run = Callable[[dict[str, Any], Any], Any]


def pair(result: Any) -> list[float]:
    return [result.low, result.high]


def by_task(i: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    _, row = np.unique(i["task"], return_inverse=True)
    return np.bincount(row, weights=i["y"]), np.bincount(row)


def t_pvalue(result: Any) -> float | None:
    error = result.standard_error
    return (
        float(2 * stdtr(result.n_tasks - 1, -abs(result.estimate) / error)) if error > 0 else None
    )


def elementwise(function: Callable[..., Any], **options: Any) -> Run:
    return lambda i, _: pair(function(i["k"], i["n"], level=i["level"], **options))


def independent(function: Callable[..., Any]) -> Run:
    return lambda i, _: pair(function(i["x2"], i["n2"], i["x1"], i["n1"]))


def table(function: Callable[..., Any]) -> Run:
    return lambda i, _: pair(function(i["a"], i["b"], i["c"], i["d"]))


def adjusted(method: str) -> Run:
    def run(i: dict[str, Any], _: Any) -> list[float | None]:
        p = [np.nan if x is None else x for x in i["p"]]
        return [None if x != x else x for x in stats.adjust_p_values(p, method=method).tolist()]

    return run


def three_sided(function: Callable[..., Any]) -> Run:
    sides = {"two": "two-sided", "less": "less", "greater": "greater"}
    return lambda i, _: {k: function(i["table"], alternative=v).pvalue for k, v in sides.items()}


def mcnemar_asymptotic(i: dict[str, Any], _: Any) -> dict[str, float]:
    plain = stats.mcnemar_test(i["b"], i["c"], method="asymptotic")
    corrected = stats.mcnemar_test(i["b"], i["c"], method="asymptotic", continuity=True)
    return {"chi2": plain.statistic, "p": plain.pvalue,
            "chi2_cc": corrected.statistic, "p_cc": corrected.pvalue}  # fmt: skip


def cluster_se(i: dict[str, Any], _: Any) -> dict[str, Any]:
    k, n = by_task(i)
    pooled = stats.cluster_t_interval(k, n, weights="trials")
    cr = {c: stats.cluster_standard_error(k, n, correction=c) for c in ("cr0", "cr1", "cr2")}
    rate = k.sum() / n.sum()
    return {
        "mean": pooled.estimate, "n": n.sum(), "clusters": pooled.n_tasks, "t_ci": pair(pooled),
        "se_miller_cr0": cr["cr0"], "se_cr0_G_over_Gminus1": cr["cr1"], "se_cr1_stata": cr["cr1"],
        "se_survey_taylor": cr["cr1"], "se_cr2": cr["cr2"],
        "naive_se": float(np.sqrt(rate * (1 - rate) / (n.sum() - 1))),
    }  # fmt: skip


def task_mean_t(i: dict[str, Any], _: Any) -> dict[str, Any]:
    k, n = by_task(i)
    result = stats.cluster_t_interval(k, n)
    error = stats.cluster_standard_error(values=k / n)
    return {"mean": result.estimate, "se": error, "ci": pair(result)}


def wilson_neff(i: dict[str, Any], _: Any) -> dict[str, Any]:
    t, z = (stats.wilson_cluster_interval(*by_task(i), quantile=q) for q in "tz")
    return {"task_mean": t.estimate, "n_eff": t.n_eff, "ci_t": pair(t), "ci_z": pair(z)}


def icc(i: dict[str, Any], _: Any) -> dict[str, float]:
    r = stats.intraclass_correlation(*by_task(i))
    return {"msb": r.msb, "msw": r.msw, "n0": r.n0, "icc": r.estimate,
            "deff_kish": r.deff, "n_eff": r.n_eff}  # fmt: skip


def tries(function: Callable[..., Any]) -> Run:
    def run(i: dict[str, Any], _: Any) -> Any:
        if isinstance(i["k"], list):
            return [float(np.mean(function(i["n"], i["c"], k))) for k in i["k"]]
        return function(i["n"], i["c"], i["k"])

    return run


def flaky(i: dict[str, Any], _: Any) -> dict[str, float]:
    r = stats.flakiness(i["n"], i["c"])
    half = r.majority + float(np.mean(2 * np.asarray(i["c"]) == i["n"])) / 2
    return {"flaky_fraction": r.flaky_share, "mean_within_var_unbiased": r.within_variance,
            "any_pass": r.any_pass, "all_pass": r.all_pass,
            "majority_strict": r.majority, "majority_ties_half": half}  # fmt: skip


def sign_flip(i: dict[str, Any], expected: Any) -> dict[str, float]:
    two = stats.sign_flip_test(i["d"], exact=True)
    values = {"p_two": two.pvalue, "p_two_midp": two.midp}
    if "p_greater" in expected:
        values["p_greater"] = stats.sign_flip_test(i["d"], alternative="greater").pvalue
    return values


def paired_t(i: dict[str, Any], _: Any) -> dict[str, Any]:
    r = stats.paired_t_difference(np.zeros(len(i["d"])), i["d"])
    return {"p": t_pvalue(r), "ci": pair(r), "se": r.standard_error}


def wilcoxon(i: dict[str, Any], expected: Any) -> dict[str, Any]:
    b = i.get("d") or i["x"]
    a = i.get("y") or np.zeros(len(b))
    r = stats.wilcoxon_test(a, b)
    values = {"V": r.statistic, "p": r.pvalue, "hodges_lehmann": r.estimate, "hl_ci": pair(r)}
    values["p_greater"] = stats.wilcoxon_test(a, b, alternative="greater").pvalue
    return {k: v for k, v in values.items() if k in expected}


def geometric(i: dict[str, Any], _: Any) -> dict[str, Any]:
    r = stats.geometric_mean_ratio(i["a"], i["b"])
    saved = np.log(i["a"]) - np.log(i["b"])
    not_dearer = stats.non_inferiority_test(saved, margin=np.log(1.25)).pvalue
    return {"ratio_b_over_a": r.estimate, "ci": pair(r), "p": r.pvalue,
            "p_noninf_ratio_below_1_25": not_dearer}  # fmt: skip


def non_inferiority(i: dict[str, Any], _: Any) -> dict[str, Any]:
    d, margin = np.asarray(i["d"]), i["margin"]
    t = stats.paired_t_difference(np.zeros(len(d)), d)
    lower = stats.non_inferiority_test(d, margin=margin)
    upper = stats.non_inferiority_test(-d, margin=margin)
    return {"mean": lower.estimate, "se": t.standard_error, "p_ni": lower.pvalue,
            "lower95_onesided": lower.low, "p_tost_upper": upper.pvalue, "ci90": pair(lower),
            "ci95": pair(t), "p_two": t_pvalue(t)}  # fmt: skip


def cmh(i: dict[str, Any], expected: Any) -> dict[str, Any]:
    if i.get("name") == "UCBAdmissions":
        men, all_men, women, all_women = (list(x) for x in zip(*UCB, strict=True))
        arms = (women, all_women, men, all_men)
    else:
        arms = (i["B_pass"], i["n_per_arm"], i["A_pass"], i["n_per_arm"])
    plain = stats.cochran_mantel_haenszel_test(*arms)
    corrected = stats.cochran_mantel_haenszel_test(*arms, continuity=True)
    values = {"chi2": plain.statistic, "p": plain.pvalue, "or": plain.estimate,
              "chi2_cc": corrected.statistic, "p_cc": corrected.pvalue,
              "ci": pair(plain)}  # fmt: skip
    return {k: v for k, v in values.items() if k in expected}


def kappa(i: dict[str, Any], expected: Any) -> dict[str, Any]:
    plain = stats.cohen_kappa(i["table"])
    values = {"kappa": plain.estimate, "var": plain.standard_error**2, "ci_z": pair(plain),
              "se": plain.standard_error,
              "weighted_quadratic": stats.cohen_kappa(i["table"], weights="quadratic").estimate}  # fmt: skip
    return {k: v for k, v in values.items() if k in expected}


def rater_table(rows: list[list[float | None]]) -> np.ndarray:
    return np.array([[np.nan if x is None else x for x in row] for row in rows])


def alpha(i: dict[str, Any], expected: Any) -> dict[str, float]:
    ratings = rater_table(i["units_by_raters"])
    return {m: stats.krippendorff_alpha(ratings, measurement=m).estimate for m in expected}


def ac1(i: dict[str, Any], expected: Any) -> dict[str, Any]:
    if "two_rater_counts" in i:
        cells = i["two_rater_counts"]
        ratings = [[int(a), int(b)] for (_, a, b), m in cells.items() for _ in range(m)]
        both = stats.cohen_kappa([[cells["n11"], cells["n10"]], [cells["n01"], cells["n00"]]])
    else:
        ratings, both = rater_table(i["units_by_raters"]), None
    r = stats.gwet_ac1(ratings)
    values = {"ac1": r.estimate, "se": r.standard_error, "pa": r.agreement, "pe": r.chance,
              "kappa": both and both.estimate,
              "ci": f"({r.low:.3g},{r.high:.3g})",
              "ac2_quadratic": stats.gwet_ac1(ratings, weights="quadratic").estimate}  # fmt: skip
    return {k: v for k, v in values.items() if k in expected}


def rogan_gladen(i: dict[str, Any], _: Any) -> dict[str, Any]:
    r = stats.rogan_gladen_interval(
        i["judge_pass"], i["n"], sensitivity=i["sensitivity"], specificity=i["specificity"],
        n_sensitivity=i["n_se"], n_specificity=i["n_sp"],
    )  # fmt: skip
    return {"estimate_raw": r.raw, "estimate_clipped": r.estimate, "lang_reiczigel_ci": pair(r)}


def ppi(i: dict[str, Any], _: Any) -> dict[str, Any]:
    data = (i["Y"], i["Yhat"], i["Yhat_unlabeled"])
    plain, tuned = stats.ppi_mean(*data, tune=False), stats.ppi_mean(*data)
    return {"ppi": plain.estimate, "ppi_ci": pair(plain), "ppi_pp": tuned.estimate,
            "ppi_pp_ci": pair(tuned), "classical": plain.labelled_mean}  # fmt: skip


def bradley_terry(i: dict[str, Any], _: Any) -> dict[str, Any]:
    names = i["names"]
    wins = np.zeros((len(names), len(names)))
    for first, second, won, lost in i["rows_i_j_winsi_winsj"]:
        wins[first, second] += won
        wins[second, first] += lost
    r = stats.bradley_terry(wins)
    base = names.index(i.get("reference") or "Baltimore")
    others = [j for j in range(len(names)) if j != base]
    return {"coef": {names[j]: r.strength[j] - r.strength[base] for j in others},
            "se": {names[j]: r.difference_error(base, j) for j in others}}  # fmt: skip


def bootstrap_exhaustive(i: dict[str, Any], _: Any) -> dict[str, Any]:
    bca, percentile = (
        stats.bootstrap_interval(i["data"], method=m, exhaustive=True)
        for m in ("bca", "percentile")
    )
    return {"percentile": pair(percentile), "boot_mean": bca.mean, "boot_se": bca.standard_error,
            "accel": bca.acceleration, "z0_midrank": bca.bias_correction,
            "bca_alphas": list(bca.quantiles), "bca": pair(bca)}  # fmt: skip


def bootstrap_mc(i: dict[str, Any], expected: Any) -> dict[str, Any]:
    names = {
        "percentile": "percentile",
        "basic": "basic",
        "bca": "bca",
        "studentized": "studentised",
    }
    results = {
        k: stats.bootstrap_interval(i["data"], method=names[k], resamples=100_000)
        for k in expected if k in names
    }  # fmt: skip
    values = {k: pair(v) for k, v in results.items()}
    if "accel" in expected:
        values["accel"] = results["bca"].acceleration
    return values


def miller_power(i: dict[str, Any], _: Any) -> dict[str, float]:
    shared = {k: i[k] for k in ("omega2", "sigma2_a", "sigma2_b", "alpha", "power")}
    shared |= {"repeats_a": i["K"], "repeats_b": i["K"]}
    if "n" in i:
        return {"mde": stats.minimum_detectable_effect(tasks=i["n"], **shared)}
    plan = stats.power_plan(effect=i["delta"], **shared)
    return {"n_exact": plan.tasks_exact, "n": plan.tasks}


def miller_reduction(i: dict[str, Any], _: Any) -> dict[str, float]:
    return {"reduction": stats.variance_reduction(
        var_between=i["var_x"], var_within=i["e_sigma2"], repeats=i["K"])}  # fmt: skip


def miller_table(i: dict[str, Any], _: Any) -> dict[str, Any]:
    if "table2" not in i:  # the paper's own arithmetic, on printed numbers
        return {"ci": [i["d"] - 1.96 * i["se"], i["d"] + 1.96 * i["se"]]}
    for (_name, n, rate, _se), bernoulli in zip(i["table2"], (0.0067, 0.0289, 0.0086), strict=True):
        k = np.arange(n) < round(n * rate)
        error = stats.cluster_standard_error(k.astype(int), 1, correction="cr0")
        assert error == pytest.approx(bernoulli, abs=1e-4)
    return {}


def t_power(i: dict[str, Any], _: Any) -> dict[str, float]:
    known = {"effect": i["delta"], "sd": i["sd"]}
    if "n" in i:
        return {"power": stats.paired_t_power(tasks=i["n"], **known).power}
    return {"n": stats.paired_t_power(power=i["power"], **known).tasks_exact}


def beta_binomial(i: dict[str, Any], _: Any) -> dict[str, Any]:
    r = stats.beta_binomial_interval(i["c"], i["K"])
    return {"mean": r.estimate, "ci": pair(r)}


def newcombe_cluster(i: dict[str, Any], expected: Any) -> dict[str, Any]:
    if "c_a" in i:
        arms = (i["c_a"], i["K"], i["c_b"], i["K"])
    else:
        cells = [i["a"], i["b"], i["c"], i["d"]]
        arms = (np.repeat([1, 0, 1, 0], cells), 1, np.repeat([1, 1, 0, 0], cells), 1)
    r = stats.newcombe_cluster_difference(*arms)
    t = stats.paired_t_difference(np.divide(arms[0], arms[1]), np.divide(arms[2], arms[3]))
    values = {"diff_b_minus_a": r.estimate, "ci": pair(r), "n_eff_a": r.arm_a.n_eff,
              "n_eff_b": r.arm_b.n_eff, "r": r.correlation,
              "paired_t_p": t_pvalue(t), "paired_t_se": t.standard_error}  # fmt: skip
    return {k: v for k, v in values.items() if k in expected}


def sequence(method: str) -> Run:
    def run(i: dict[str, Any], expected: Any) -> dict[str, Any]:
        r = stats.confidence_sequence(i["x"], method=method, alpha=i["alpha"])
        return {"at": {t: [r.low[int(t) - 1], r.high[int(t) - 1]] for t in expected["at"]}}

    return run


def calibration(i: dict[str, Any], _: Any) -> dict[str, float]:
    r = stats.calibration_table(i["y"], i["p"], bins=i["bins"], edges="uniform")
    return {"brier": r.brier, "ece": r.expected_error}


RUNS: dict[str, Run] = {
    "wilson": elementwise(stats.wilson_interval),
    "wilson_cc": elementwise(stats.wilson_interval, continuity=True),
    "clopper_pearson": elementwise(stats.clopper_pearson_interval),
    "jeffreys_unmodified": elementwise(stats.jeffreys_interval, modified=False),
    "jeffreys": elementwise(stats.jeffreys_interval),
    "agresti_coull": elementwise(stats.agresti_coull_interval),
    "newcombe_independent": independent(stats.newcombe_difference),
    "miettinen_nurminen_independent": independent(stats.miettinen_nurminen_difference),
    "tango_paired": table(stats.tango_interval),
    "newcombe_paired_10": table(stats.newcombe_paired_interval),
    "bonett_price_paired": table(stats.bonett_price_interval),
    "mcnemar_exact": lambda i, _: stats.mcnemar_test(i["b"], i["c"], method="exact").pvalue,
    "mcnemar_midp": lambda i, _: stats.mcnemar_test(i["b"], i["c"]).pvalue,
    "mcnemar_asymptotic": mcnemar_asymptotic,
    "fisher_exact": three_sided(stats.fisher_test),
    "boschloo_exact": three_sided(stats.boschloo_test),
    "barnard_exact": lambda i, _: barnard_exact(i["table"], pooled=i["pooled"], n=64).pvalue,
    "padjust_bh": adjusted("bh"),
    "padjust_by": adjusted("by"),
    "padjust_holm": adjusted("holm"),
    "padjust_bonferroni": adjusted("bonferroni"),
    "padjust_hochberg": adjusted("hochberg"),
    "cluster_se_pooled_mean": cluster_se,
    "korn_graubard": lambda i, _: pair(stats.korn_graubard_interval(*by_task(i))),
    "task_mean_t": task_mean_t,
    "wilson_neff": wilson_neff,
    "icc_anova": icc,
    "pass_hat_k": tries(stats.pass_hat_k),
    "pass_at_k": tries(stats.pass_at_k),
    "flakiness": flaky,
    "signflip": sign_flip,
    "paired_t": paired_t,
    "wilcoxon_signed_rank": wilcoxon,
    "geometric_mean_ratio": geometric,
    "noninferiority": non_inferiority,
    "cmh": cmh,
    "cohen_kappa": kappa,
    "krippendorff_alpha": alpha,
    "gwet_ac1": ac1,
    "rogan_gladen": rogan_gladen,
    "ppi_mean": ppi,
    "bradley_terry": bradley_terry,
    "bootstrap_exhaustive": bootstrap_exhaustive,
    "bootstrap_mc": bootstrap_mc,
    "miller_power": miller_power,
    "miller_variance_reduction": miller_reduction,
    "miller_table": miller_table,
    "paired_t_power": t_power,
    "beta_posterior_interval": lambda i, _: pair(
        stats.beta_interval(i["k"], i["n"], prior=tuple(i["prior"]))
    ),
    "prob_a_beats_b_independent": lambda i, _: stats.probability_better(
        *i["B"], *i["A"], prior=tuple(i["prior"])
    ),
    "beta_binomial_hierarchical": beta_binomial,
    "bayes_evals_paired": lambda i, _: {
        "p_A_beats_B": 1 - stats.paired_bayes(i["A"], i["B"], seed=0).probability_better
    },
    "generalised_newcombe_paired": newcombe_cluster,
    "confseq_predmix_empbern": sequence("empirical_bernstein"),
    "confseq_predmix_hoeffding": sequence("hoeffding"),
    "confseq_betting": sequence("betting"),
    "asymptotic_cs_halfwidth": lambda i, _: asymptotic_half_width(
        i["t"], sd=i["sd"], rho=i["rho"], alpha=i["alpha"]
    ),
    "calibration": calibration,
}  # fmt: skip

# Numbers the source prints that no function here claims: another estimator, or an exact variant.
NOT_CLAIMED = {"cmh": {"exact_p", "exact_or"}, "gwet_ac1": {"fleiss"}}


def compare(actual: Any, expected: Any, tol: float, skip: set[str]) -> None:
    if isinstance(expected, dict):
        missing = set(expected) - set(actual) - skip
        assert not missing, f"nothing computes {sorted(missing)}"
        for key in set(expected) - skip:
            exact = key == "accel"
            compare(actual[key], expected[key], 1e-9 if exact else tol, skip)
    elif isinstance(expected, list):
        assert len(actual) == len(expected)
        for got, wanted in zip(actual, expected, strict=True):
            compare(got, wanted, tol, skip)
    elif isinstance(expected, float | int):
        assert actual == pytest.approx(expected, abs=tol, rel=0)
    else:
        assert actual == expected


@pytest.mark.parametrize(("name", "entry"), ENTRIES, ids=IDS)
def test_entry(name: str, entry: dict[str, Any]) -> None:
    if name in REFERENCE_ONLY:
        pytest.skip(f"{name}: {REFERENCE_ONLY[name]}")
    assert name in RUNS, f"the golden file has a method this package does not know: {name}"
    actual = RUNS[name](entry["inputs"], entry["expected"])
    compare(actual, entry["expected"], entry["tol"], COMMENTS | NOT_CLAIMED.get(name, set()))
