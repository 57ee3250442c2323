"""Conditions that make times and costs of two sides incomparable: load, order, waiting, caches."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from agenteval.comparison.parity_finding import Finding, Side, number_finding
from agenteval.comparison.wording import number, percent, seconds

RATIO_THAT_MATTERS = 1.5
SHIFT_THAT_MATTERS = 0.2


def load(a: Side, b: Side) -> Iterator[Finding]:
    """Compare how many trials ran at once."""
    x, y = a.known("concurrent_trials"), b.known("concurrent_trials")
    if not len(x) or not len(y):
        return
    means = float(x.mean()), float(y.mean())
    unlike = max(means) > RATIO_THAT_MATTERS * min(means)
    text = (
        f"{b.name} ran {means[1]:.1f} at once, {a.name} {means[0]:.1f}: times are not comparable."
    )
    yield number_finding(
        "trials at once",
        means,
        [f"{m:.1f}" for m in means],
        "unfair" if unlike else "same",
        "time",
        text,
    )


def order(a: Side, b: Side) -> Iterator[Finding]:
    """Compare the place in the order of the run: the first pays for cold caches."""
    places = []
    for side in (a, b):
        place = side.trials.numbers("sequence")
        run = side.trials.words("run_id").fillna("").to_numpy()
        places.append(pd.DataFrame({"run": run, "place": place}).dropna())
    if not len(places[0]) or not len(places[1]):
        return
    last = pd.concat(places).groupby("run")["place"].max()
    means = [float((p["place"] / p["run"].map(last)).mean()) for p in places]
    unlike = abs(means[0] - means[1]) > SHIFT_THAT_MATTERS
    first = a.name if means[0] < means[1] else b.name
    text = (
        f"{first} ran mostly first: it paid for cold caches, so cost and time are not comparable."
    )
    texts = [f"{percent(m, digits=0)} into the run" for m in means]
    yield number_finding(
        "order", (means[0], means[1]), texts, "unfair" if unlike else "same", "time", text
    )


def waiting(a: Side, b: Side) -> Iterator[Finding]:
    """Compare the time spent waiting on rate limits."""
    x, y = a.known("rate_limited_s"), b.known("rate_limited_s")
    if not len(x) or not len(y):
        return
    means = float(x.mean()), float(y.mean())
    unlike = max(means) > 1.0 and max(means) > RATIO_THAT_MATTERS * min(means)
    texts = [f"{seconds(m)} a trial" for m in means]
    text = (
        f"{a.name} waited {texts[0]} on rate limits, {b.name} {texts[1]}: times are not comparable."
    )
    yield number_finding(
        "waiting on rate limits", means, texts, "unfair" if unlike else "same", "time", text
    )


def warmth(a: Side, b: Side) -> Iterator[Finding]:
    """Compare what the first request of a trial read from a cache that others had filled."""
    x, y = a.known("first_cache_read_tokens"), b.known("first_cache_read_tokens")
    if not len(x) or not len(y):
        return
    means = float(x.mean()), float(y.mean())
    unlike = max(means) > 100 and max(means) > RATIO_THAT_MATTERS * min(means)
    texts = [f"{number(round(m))} tokens" for m in means]
    text = f"First requests read {texts[0]} ({a.name}) and {texts[1]} ({b.name}) from warm caches: costs are not comparable."
    yield number_finding("warm caches", means, texts, "caution" if unlike else "same", "cost", text)
