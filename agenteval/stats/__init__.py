"""Statistics of agent evaluations: arrays in, frozen results out.

The independent unit is the task; repeats of a task are not independent of each other. Every
difference is B minus A.
"""

from agenteval.stats.agreement import Agreement, cohen_kappa, gwet_ac1
from agenteval.stats.alpha import krippendorff_alpha
from agenteval.stats.bayes import beta_binomial_interval, beta_interval, probability_better
from agenteval.stats.bootstrap import bootstrap_interval
from agenteval.stats.calibration import CalibrationTable, calibration_table
from agenteval.stats.cell_agreement import cell_agreement
from agenteval.stats.cluster_intervals import (
    cluster_t_interval,
    korn_graubard_interval,
    wilson_cluster_interval,
)
from agenteval.stats.clusters import (
    IntraclassCorrelation,
    cluster_standard_error,
    intraclass_correlation,
)
from agenteval.stats.gate import GateVerdict, gate_verdict, non_inferiority_test
from agenteval.stats.independent import miettinen_nurminen_difference, newcombe_difference
from agenteval.stats.items import item_discrimination
from agenteval.stats.judge_rates import (
    CorrectedRate,
    PredictionPowered,
    ppi_mean,
    rogan_gladen_interval,
)
from agenteval.stats.multiplicity import adjust_p_values
from agenteval.stats.paired_posterior import PairedPosterior, paired_bayes
from agenteval.stats.paired_rates import newcombe_cluster_difference
from agenteval.stats.paired_scores import paired_t_difference
from agenteval.stats.paired_tables import (
    bonett_price_interval,
    mcnemar_test,
    newcombe_paired_interval,
    tango_interval,
)
from agenteval.stats.panel import Panel, panel_verdict
from agenteval.stats.position import PositionBias, position_bias
from agenteval.stats.power import (
    PowerPlan,
    VarianceComponents,
    minimum_detectable_effect,
    power_plan,
    variance_components,
)
from agenteval.stats.power_t import optimal_repeats, paired_t_power, variance_reduction
from agenteval.stats.prediction import prediction_interval
from agenteval.stats.preferences import BradleyTerry, bradley_terry
from agenteval.stats.proportions import (
    agresti_coull_interval,
    clopper_pearson_interval,
    jeffreys_interval,
    wilson_interval,
)
from agenteval.stats.ratios import cost_per_success, geometric_mean_ratio, total_ratio
from agenteval.stats.repeats import Flakiness, MissingBand, flakiness, missing_band, policy_values
from agenteval.stats.resampling import resampled_means
from agenteval.stats.results import BootstrapInterval, Difference, HypothesisTest, Interval
from agenteval.stats.sequential import ConfidenceSequence, confidence_sequence
from agenteval.stats.sign_flip import sign_flip_test
from agenteval.stats.tables import boschloo_test, cochran_mantel_haenszel_test, fisher_test
from agenteval.stats.tries import pass_at_k, pass_hat_k
from agenteval.stats.wilcoxon import wilcoxon_test

__all__ = [
    "adjust_p_values",
    "Agreement",
    "agresti_coull_interval",
    "beta_binomial_interval",
    "beta_interval",
    "bonett_price_interval",
    "bootstrap_interval",
    "BootstrapInterval",
    "boschloo_test",
    "bradley_terry",
    "BradleyTerry",
    "calibration_table",
    "CalibrationTable",
    "cell_agreement",
    "clopper_pearson_interval",
    "cluster_standard_error",
    "cluster_t_interval",
    "cochran_mantel_haenszel_test",
    "cohen_kappa",
    "confidence_sequence",
    "ConfidenceSequence",
    "CorrectedRate",
    "cost_per_success",
    "Difference",
    "fisher_test",
    "Flakiness",
    "flakiness",
    "gate_verdict",
    "GateVerdict",
    "geometric_mean_ratio",
    "gwet_ac1",
    "HypothesisTest",
    "Interval",
    "intraclass_correlation",
    "IntraclassCorrelation",
    "item_discrimination",
    "jeffreys_interval",
    "korn_graubard_interval",
    "krippendorff_alpha",
    "mcnemar_test",
    "miettinen_nurminen_difference",
    "minimum_detectable_effect",
    "missing_band",
    "MissingBand",
    "newcombe_cluster_difference",
    "newcombe_difference",
    "newcombe_paired_interval",
    "non_inferiority_test",
    "optimal_repeats",
    "paired_bayes",
    "paired_t_difference",
    "paired_t_power",
    "PairedPosterior",
    "Panel",
    "panel_verdict",
    "pass_at_k",
    "pass_hat_k",
    "policy_values",
    "position_bias",
    "PositionBias",
    "power_plan",
    "PowerPlan",
    "ppi_mean",
    "prediction_interval",
    "PredictionPowered",
    "probability_better",
    "resampled_means",
    "rogan_gladen_interval",
    "sign_flip_test",
    "tango_interval",
    "total_ratio",
    "variance_components",
    "variance_reduction",
    "VarianceComponents",
    "wilcoxon_test",
    "wilson_cluster_interval",
    "wilson_interval",
]
