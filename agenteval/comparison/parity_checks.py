"""The properties that parity compares, one function a kind of property."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from agenteval.comparison.parity_finding import Finding, Side, words_finding
from agenteval.comparison.parity_load import load, order, waiting, warmth
from agenteval.comparison.wording import UNKNOWN, listed, percent
from agenteval.stats import fisher_test

IDENTITY = ("agent", "model", "variant")
# what --with-user-config appends to the name of an arm's variant
USER_CONFIG = "+user-config"
CONDITIONS = {
    "agent_version": ("pass rate", "may be due to the agent's version"),
    "sandbox": ("pass rate", "may be due to the isolation the trials ran in"),
    "host": ("time", "times may be due to the machine"),
    "platform": ("time", "may be due to the operating system"),
    "python": ("pass rate", "may be due to the Python version"),
    "agenteval_version": ("pass rate", "may be due to the engine's version"),
    "price_table": ("cost", "costs were computed with different prices"),
    "cost_source": ("cost", "costs were not taken the same way"),
}


def identity(a: Side, b: Side) -> Iterator[Finding]:
    """Compare what makes an arm: several differences at once cannot be told apart."""
    seen = {name: (a.words(name), b.words(name)) for name in IDENTITY}
    differing = [name for name, (x, y) in seen.items() if x != y]
    for name, (x, y) in seen.items():
        if not x and not y:
            continue
        several = name in differing and len(differing) > 1
        meaning = f"{' and '.join(differing)} differ together: a difference cannot be put down to one of them."
        yield words_finding(
            name,
            x,
            y,
            "caution" if several else "intended",
            "pass rate",
            meaning if several else "",
        )


def model_used(a: Side, b: Side) -> Iterator[Finding]:
    """Compare the model that answered with the model asked for."""
    answers = [_answers(side) for side in (a, b)]
    if not any(known for known, _ in answers):
        return
    wrong = [side.name for side, (_, other) in zip((a, b), answers, strict=True) if other]
    texts = [
        listed(other) if other else "as asked" if known else UNKNOWN for known, other in answers
    ]
    others = "; ".join(
        f"{side.name} was answered by {listed(other)}"
        for side, (_, other) in zip((a, b), answers, strict=True)
        if other
    )
    yield Finding(
        property="model used",
        value_baseline=texts[0],
        value_candidate=texts[1],
        same=not wrong,
        severity="unfair" if wrong else "same",
        affects="pass rate",
        meaning=f"{others} instead of the model asked for." if wrong else "",
    )


def _answers(side: Side) -> tuple[bool, list[str]]:
    """Return whether the answering model is known, and models that are not the one asked for."""
    asked, used = side.trials.words("model"), side.trials.words("model_used")
    both = asked.notna() & used.notna()
    pairs = pd.DataFrame({"asked": asked[both], "used": used[both]}).drop_duplicates()
    other = {
        row.used
        for row in pairs.itertuples()
        if row.used.rpartition("/")[2] != row.asked.rpartition("/")[2]
    }
    return bool(both.any()), sorted(other)


def conditions(a: Side, b: Side) -> Iterator[Finding]:
    """Compare the conditions under which the trials ran."""
    for name, (affects, meaning) in CONDITIONS.items():
        x, y = a.words(name), b.words(name)
        if not x and not y or (name == "agent_version" and a.words("agent") != b.words("agent")):
            continue
        severity = "unfair" if affects == "cost" else "caution"
        text = f"{name} differs ({listed(x) or UNKNOWN}; {listed(y) or UNKNOWN}): {meaning}."
        yield words_finding(name, x, y, severity, affects, text)


def user_config(a: Side, b: Side) -> Iterator[Finding]:
    """Tell a side that ran with the operator's own settings and memory, which nobody else has."""
    used = [
        any(f"+{name}".endswith(USER_CONFIG) for name in side.words("variant")) for side in (a, b)
    ]
    if not any(used):
        return
    names = [side.name for side, own in zip((a, b), used, strict=True) if own]
    texts = ["used" if own else "not used" for own in used]
    yield Finding(
        property="operator's configuration",
        value_baseline=texts[0],
        value_candidate=texts[1],
        same=used[0] == used[1],
        severity="caution",
        affects="pass rate",
        meaning=f"{' and '.join(names)} ran with the operator's own settings and memory: nobody else can repeat it.",
    )


def repeats(a: Side, b: Side) -> Iterator[Finding]:
    """Compare the number of counted trials a task."""
    spans = []
    for side in (a, b):
        counts = np.bincount(side.trials.task[side.trials.counted])
        counts = counts[counts > 0]
        low, high = (int(counts.min()), int(counts.max())) if len(counts) else (0, 0)
        spans.append(f"{low}" if low == high else f"{low} to {high}")
    text = f"Trials a task differ ({spans[0]}; {spans[1]}): pass@k, pass^k and flakiness are not comparable."
    yield words_finding("repeats", [spans[0]], [spans[1]], "caution", "pass rate", text)


def left_out(a: Side, b: Side) -> Iterator[Finding]:
    """Compare the share of trials left out of the rate."""
    counted = [int(side.trials.counted.sum()) for side in (a, b)]
    lost = [int((~side.trials.counted).sum()) for side in (a, b)]
    shares = [x / max(1, x + n) for x, n in zip(lost, counted, strict=True)]
    uneven = fisher_test([[lost[0], counted[0]], [lost[1], counted[1]]]).pvalue < 0.05
    much = max(shares) > 0.05
    texts = [percent(share) for share in shares]
    meaning = (
        f"Left out of the rate: {texts[0]} of {a.name}, {texts[1]} of {b.name}"
        f"{', which is more than chance (Fisher, p < .05)' if uneven else ''}."
    )
    yield Finding(
        property="left out",
        value_baseline=texts[0],
        value_candidate=texts[1],
        same=shares[0] == shares[1],
        severity="unfair" if uneven else "caution" if much else "same",
        affects="pass rate",
        meaning=meaning if uneven or much else "",
    )


def limits(a: Side, b: Side) -> Iterator[Finding]:
    """Compare how often a limit, not the agent, ended a counted trial: then the limit is compared."""
    stopped, others = [], []
    for side in (a, b):
        ended = side.trials.keep(side.trials.counted).words("ended_by").dropna()
        if ended.empty:
            return
        count = int((ended.str.endswith("_limit") | ended.isin(["timeout", "no_progress"])).sum())
        stopped.append(count)
        others.append(len(ended) - count)
    uneven = fisher_test([[stopped[0], others[0]], [stopped[1], others[1]]]).pvalue < 0.05
    texts = [f"{x} of {x + n}" for x, n in zip(stopped, others, strict=True)]
    meaning = (
        f"A limit ended {texts[0]} trials of {a.name} and {texts[1]} of {b.name}: what is compared "
        "is in part who fits into the limits."
    )
    yield Finding(
        property="ended by a limit",
        value_baseline=texts[0],
        value_candidate=texts[1],
        same=texts[0] == texts[1],
        severity="caution" if uneven else "same",
        affects="pass rate",
        meaning=meaning if uneven else "",
    )


def period(a: Side, b: Side) -> Iterator[Finding]:
    """Compare when the trials ran: a provider may change a model between two days."""
    spans = []
    for side in (a, b):
        if "started_at" not in side.trials.frame.columns:
            return
        times = pd.to_datetime(side.trials.column("started_at"), utc=True).dropna()
        if times.empty:
            return
        spans.append((times.min(), times.max()))
    (start_a, end_a), (start_b, end_b) = spans
    gap = max(start_a, start_b) - min(end_a, end_b)
    apart = gap > pd.Timedelta(days=1)
    texts = [f"{start:%Y-%m-%d} to {end:%Y-%m-%d}" for start, end in spans]
    text = f"The sides ran {gap.days} days apart: the model behind a name may have changed."
    yield Finding(
        property="period",
        value_baseline=texts[0],
        value_candidate=texts[1],
        same=texts[0] == texts[1],
        severity="caution" if apart else "same",
        affects="pass rate",
        meaning=text if apart else "",
    )


CHECKS: tuple[Callable[[Side, Side], Iterator[Finding]], ...] = (
    identity,
    model_used,
    conditions,
    user_config,
    repeats,
    left_out,
    limits,
    load,
    order,
    waiting,
    warmth,
    period,
)
