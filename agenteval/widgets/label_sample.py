"""Which trials a person is shown, and in which order."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import pandas as pd

from agenteval.comparison.judge_items import judged_items
from agenteval.errors import InvalidInput, NotEnoughData

Strategy = Literal["stratified", "random", "uncertain"]
_KEY = ["run_id", "trial_id"]


def label_sample(
    trials: pd.DataFrame,
    judgments: pd.DataFrame,
    *,
    size: int,
    strategy: Strategy = "stratified",
    seed: int = 0,
) -> pd.DataFrame:
    """Draw trials to be read by a person; the same arguments draw the same ones.

    Parameters
    ----------
    trials
        A trial table; trials that were not carried out are left out.
    judgments
        Table of `store.judgments()`; only read for `uncertain`.
    size
        Trials to draw at most.
    strategy
        `stratified` takes equally many of each arm and outcome, so that failures of a good arm are
        seen; `random` draws alike from all, which `judge_trust` takes for granted; `uncertain`
        begins where the judge is least sure: no score, then scores nearest to its threshold.
    seed
        Seed of the drawing.

    Raises
    ------
    InvalidInput
        For an unknown strategy or less than one trial.
    NotEnoughData
        When there is nothing to draw from.
    """
    if strategy not in get_args(Strategy):
        known = ", ".join(get_args(Strategy))
        raise InvalidInput(f"There is no strategy {strategy!r}", "strategy", f"use one of {known}")
    if size < 1:
        raise InvalidInput(f"A sample of {size} shows nothing", "sample", "give at least 1")
    done = trials[trials["status"] != "skipped"].sort_values(_KEY, kind="stable")
    if done.empty:
        raise NotEnoughData(
            "no trial was carried out", "the trials to label", "choose other trials"
        )
    order = done.iloc[np.random.default_rng(seed).permutation(len(done))].reset_index(drop=True)
    if strategy == "stratified":
        turn = order.groupby(["arm", "status"], observed=True).cumcount()
        order = order.iloc[np.argsort(turn.to_numpy(), kind="stable")]
    elif strategy == "uncertain":
        order = _by_doubt(order, judgments)
    return order.head(size).reset_index(drop=True)


def _by_doubt(order: pd.DataFrame, judgments: pd.DataFrame) -> pd.DataFrame:
    items = judged_items(judgments)
    doubt = (items["score"] - items["threshold"]).abs().fillna(-1.0)
    # a reply without a score counts as 0, which looks sure
    items["sureness"] = doubt.mask(items["unscored"] > 0, -1.0)
    least = items.groupby(_KEY, as_index=False)["sureness"].min()
    known = order.merge(least, on=_KEY, how="inner", validate="one_to_one")
    if known.empty:
        raise NotEnoughData(
            "no judge scored any of these trials", "strategy uncertain", "label another sample"
        )
    found: pd.DataFrame = known.sort_values("sureness", kind="stable").drop(columns="sureness")
    return found
