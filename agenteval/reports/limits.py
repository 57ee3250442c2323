"""What a report does not show, in plain words."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from agenteval.comparison import Scoreboard, scoreboard
from agenteval.comparison.holdout import holdout_notes
from agenteval.comparison.wording import count_of, percent
from agenteval.reports.arms import are_scripted, contenders
from agenteval.reports.prose import Prose, code, joined
from agenteval.stats import wilson_interval

_NARROW = (0.10, 0.05, 0.02, 0.01)
_TYPICAL = 0.70


def limits_of(
    trials: pd.DataFrame, runs: pd.DataFrame | None = None, *, level: float = 0.95
) -> Prose:
    """Say how far the numbers of a report carry: how wide, about which tasks, measured how.

    Parameters
    ----------
    trials
        The trial table of the report.
    runs
        Run table; what the rows of its runs tell (sandbox, machine, import) is said too.
    level
        Level of the report's intervals.
    """
    board = scoreboard(contenders(trials), level=level)
    sentences = [
        *_width(board, level),
        *_population(trials),
        *_many(board),
        *_left_out(trials),
        *holdout_notes(trials.attrs),
        *_loaded(trials),
        *_history(trials),
        *_cost(board),
        *_scripted(trials),
        *_isolation(trials, runs),
        *([] if runs is None else _machine(runs[runs["run_id"].isin(trials["run_id"])], trials)),
    ]
    return Prose(tuple(sentences), style="list")


def tasks_for(half_width: float, *, rate: float = _TYPICAL, level: float = 0.95) -> int:
    """Fewest tasks, one trial each, whose Wilson interval is at most +- `half_width` at `rate`.

    >>> tasks_for(0.10)
    78
    """
    n = 2
    while _half(rate, n, level) > half_width:
        n += max(1, n // 50)
    while n > 2 and _half(rate, n - 1, level) <= half_width:
        n -= 1
    return n


def _half(rate: float, n: int, level: float) -> float:
    found = wilson_interval(rate * n, n, level=level)
    return float(found.high - found.low) / 2


def _width(board: Scoreboard, level: float) -> Iterator[str]:
    tasks = int(board.table["tasks"].max())
    if not tasks:
        return
    typical = wilson_interval(_TYPICAL * tasks, tasks, level=level)
    low, high = float(typical.low), float(typical.high)
    narrower = next((half for half in _NARROW if half < 0.4 * (high - low)), _NARROW[-1])
    yield (
        f"The task is the independent unit, and there are {count_of(tasks, 'task')}. With that many, one "
        f"trial each, a {100 * level:g} % interval around {percent(_TYPICAL, digits=0)} spans roughly "
        f"{100 * low:.0f} to {100 * high:.0f} %; about {tasks_for(narrower, level=level):,} tasks bring it to "
        f"±{100 * narrower:.0f} points. More repeats of the same tasks do not stand in for more tasks."
    )


def _population(trials: pd.DataFrame) -> Iterator[str]:
    suites = sorted(trials["suite"].dropna().unique()) if "suite" in trials else []
    named = f" ({joined([code(name) for name in suites])})" if 0 < len(suites) <= 3 else ""
    yield (
        f"The intervals speak about tasks like those of this suite{named}. Whether these resemble your own work is "
        "not something the numbers can say."
    )


def _many(board: Scoreboard) -> Iterator[str]:
    if len(board.table) > 2:
        yield (
            f"{len(board.table)} arms are compared here, and tasks and categories besides: some gap will look large by "
            "luck alone, and the best of several arms looks better than it is."
        )
    elif len(board.table) == 2:
        yield "Categories and single tasks hold few trials each: they say where to look, not what is so."


def _left_out(trials: pd.DataFrame) -> Iterator[str]:
    missing = int(trials["passed"].isna().sum())
    if missing:
        yield (
            f"{missing} of {count_of(len(trials), 'trial')} are left out of the rates (skipped, or the machinery failed); "
            "the band shows what they could change. Errors of an agent count as zero."
        )


def _loaded(trials: pd.DataFrame) -> Iterator[str]:
    """In how many trials an arm used what its variant handed over: handed over is not used."""
    if "skills_loaded" not in trials or "variant" not in trials:
        return
    known = trials[trials["variant"].notna() & trials["skills_loaded"].notna()]
    for arm, rows in known.groupby("arm"):
        used = int((rows["skills_loaded"] > 0).sum())
        yield (
            f"{code(str(arm))} loaded {used} of {len(rows)}: in so many trials it used a skill that its variant hands over. "
            "Its rate and its difference from other arms are over all trials, used or not."
        )


def _history(trials: pd.DataFrame) -> Iterator[str]:
    """Trials that were not run for this run, and those that took more than one attempt."""
    reused = trials[trials["reused_from"].notna()] if "reused_from" in trials else trials[:0]
    if len(reused):
        arms, sources = (
            joined([code(name) for name in sorted(reused[column].astype("str").unique())])
            for column in ("arm", "reused_from")
        )
        yield (
            f"{len(reused)} of {count_of(len(trials), 'trial')} ({arms}) were taken over from {sources}, measured then and "
            "not beside the others: a model or a service that changed since would look like a difference between arms."
        )
    again = int((trials["attempts"] > 1).sum()) if "attempts" in trials else 0
    if again:
        yield (
            f"{count_of(again, 'trial')} took more than one attempt, since the machinery failed or was stopped; an outcome "
            "that counts is never tried again. Costs are those of the attempt that counts; "
            "`all_attempts_cost_usd` holds what was spent in all."
        )


def _cost(board: Scoreboard) -> Iterator[str]:
    sources = " ".join(board.table["cost_source"].dropna().astype("str"))
    unknown = int(board.table["trials"].sum() - board.table["cost_known"].sum())
    if not sources:
        yield "Cost is not known: nothing metered model use, and no agent reported any."
        return
    if "reported" in sources:
        yield "Costs are what the agents reported about themselves; nobody measured them."
    if "recomputed" in sources:
        yield "Costs are recomputed from token counts and a price table, not read from a bill."
    if unknown:
        yield f"The cost of {count_of(unknown, 'trial')} is unknown, and unknown is not zero."


def _scripted(trials: pd.DataFrame) -> Iterator[str]:
    scripted = are_scripted(trials)
    if scripted.all():
        yield (
            "Every arm is scripted: simulated agents that apply known solutions or wrong ones at a set chance. They show "
            "that tasks, checks and reports work; they say nothing about any model."
        )
    elif scripted.any():
        arms = [code(arm) for arm in sorted(trials.loc[scripted, "arm"].unique())]
        yield f"{joined(arms)} {'is' if len(arms) == 1 else 'are'} scripted and say{'s' if len(arms) == 1 else ''} nothing about a model."


def _isolation(trials: pd.DataFrame, runs: pd.DataFrame | None) -> Iterator[str]:
    """What the agents ran in: as each trial says, else its run."""
    own = trials["sandbox"] if "sandbox" in trials else pd.Series(pd.NA, index=trials.index)
    if runs is not None:
        own = own.fillna(trials["run_id"].map(runs.set_index("run_id")["sandbox"]))
    counts, known = own.value_counts(), int(own.notna().sum())
    plain, contained = int(counts.get("plain", 0)), int(counts.get("container", 0))
    if plain:
        who = "The agents" if plain == known else f"{plain} of {count_of(known, 'trial')}"
        yield f"{who} ran without isolation (sandbox `plain`): the agents could read files and use the network of the machine."
    if contained:
        who = "Every trial" if contained == known else f"{contained} of {count_of(known, 'trial')}"
        yield f"{who} ran in a container, with the programs of an image that its task names and not those of the machine."


def _machine(runs: pd.DataFrame, trials: pd.DataFrame) -> Iterator[str]:
    sources = sorted(
        {str(source) for source in runs["source"].dropna() if str(source).startswith("import:")}
    )
    if sources:
        names = joined([source.partition(":")[2] for source in sources])
        yield f"The results were imported from {names}: graded by that tool's rules, on machines this report knows nothing of."
    own = runs[runs["source"] == "engine"]
    named = trials["host"] if "host" in trials else own["host"]
    hosts = named.dropna().nunique() or own["host"].dropna().nunique()
    concurrency = own["concurrency"].dropna()
    if len(concurrency) and concurrency.max() > 1:
        yield (
            f"Times come from {count_of(int(hosts), 'machine') if hosts else 'a machine'} with up to {int(concurrency.max())} trials "
            "at once, so they compare arms with each other rather than with a quiet machine."
        )
