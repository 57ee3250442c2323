"""Stored trials judged again: by another rubric or judge, beside what was said before."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas as pd

from agenteval.errors import InvalidInput
from agenteval.judge import (
    Asking,
    Judged,
    ReplyCache,
    Work,
    check_judges,
    judge_work,
    judgment_rows,
)
from agenteval.records import (
    ANSWER,
    PATCH,
    PROMPT,
    JudgeQuestion,
    JudgeSettings,
    RunFolder,
    StoreFolder,
)
from agenteval.store import Store, add_judgments


@dataclass
class Rejudged:
    """What a rejudging did.

    Attributes
    ----------
    judging
        Its id, as in the column `judging` of `store.judgments()`.
    judged
        Trial id to what its judges said.
    skipped
        Trials without any work to judge, with the reason.
    short
        Why it stopped before the end; None when it did not.
    """

    judging: str
    judged: dict[str, Judged] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    short: str | None = None

    @property
    def cost_usd(self) -> float | None:
        """Dollars spent; None when any reply's price is unknown."""
        costs = [one.cost_usd for one in self.judged.values()]
        known = [cost for cost in costs if cost is not None]
        return sum(known) if len(known) == len(costs) else None

    @property
    def counts(self) -> dict[str, int]:
        """Trials by what they came to: pass, fail, judge_no_score, judge_provider_down."""
        found = {"pass": 0, "fail": 0, "judge_no_score": 0, "judge_provider_down": 0}
        for one in self.judged.values():
            found[one.error_class or ("pass" if one.passed else "fail")] += 1
        return found


def rejudge(
    store: Store,
    trials: pd.DataFrame,
    question: JudgeQuestion,
    settings: JudgeSettings | None = None,
    *,
    rubric_name: str | None = None,
    concurrency: int = 4,
    max_cost_usd: float | None = None,
    on_done: Callable[[int, int], None] = lambda done, total: None,
) -> Rejudged:
    """Judge stored trials and add the judgments to the store's judgments.jsonl; nothing is overwritten.

    Outcomes of trials stay as they are: what a task's own checks say is changed by `regrade` only.
    A reply that was given for the same content before is taken from the store and costs nothing, so
    the same call goes on where it was stopped.

    Parameters
    ----------
    trials
        Trials of the store, as `store.trials` gives them.
    question
        Rubric, scale, threshold, samples, and the model or panel.
    settings
        How the judges are reached.
    rubric_name
        What people call the rubric.
    concurrency
        Trials judged at one time.
    max_cost_usd
        Nothing more is asked once so much was spent, as far as prices are known.
    on_done
        Called with the number of trials done and of all.

    Raises
    ------
    InvalidInput
        Without a model, a key or a trial.
    MissingProgram
        When a judge needs the extra `llm`.
    """
    settings = settings or JudgeSettings()
    check_judges(question.judges or (None,), settings)
    if concurrency < 1 or trials.empty:
        raise InvalidInput(
            "There is no trial to judge" if trials.empty else "Nothing would be judged",
            "trials" if trials.empty else "concurrency",
            "choose others" if trials.empty else "give a number of at least 1",
        )
    cancel = threading.Event()
    asking = Asking(settings, ReplyCache(StoreFolder(store.path).judge_cache), cancel)
    result = Rejudged(f"rejudge-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}")
    works = stored_works(store, trials, result.skipped)
    rows = {row["trial_id"]: row for row in trials.to_dict("records")}

    def ask(trial_id: str) -> Judged:
        return judge_work(
            works[trial_id],
            question,
            asking,
            candidate=candidate_of(rows[trial_id]),
        )

    def take(trial_id: str, judged: Judged) -> None:
        lines = judgment_rows(
            judged, rows[trial_id], judging=result.judging, rubric_name=rubric_name
        )
        add_judgments(store.path, lines)
        result.judged[trial_id] = judged
        on_done(len(result.judged), len(works))

    def enough() -> bool:
        known = [one.cost_usd or 0.0 for one in result.judged.values()]
        if max_cost_usd is not None and sum(known) >= max_cost_usd:
            result.short = f"${sum(known):.2f} of ${max_cost_usd:.2f} spent"
        return result.short is not None

    _carry_out(list(works), ask, take, enough, concurrency, cancel)
    return result


def _carry_out(
    todo: list[str],
    ask: Callable[[str], Judged],
    take: Callable[[str, Judged], None],
    enough: Callable[[], bool],
    concurrency: int,
    cancel: threading.Event,
) -> None:
    """Keep so many in flight; only this thread writes."""
    waiting = iter(todo)
    running: dict[Future[Judged], str] = {}
    with ThreadPoolExecutor(concurrency, thread_name_prefix="judge") as pool:
        try:
            while True:
                while len(running) < concurrency and not enough():
                    trial_id = next(waiting, None)
                    if trial_id is None:
                        break
                    running[pool.submit(ask, trial_id)] = trial_id
                if not running:
                    return
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    take(running.pop(future), future.result())
        except BaseException:
            cancel.set()
            raise


def stored_works(store: Store, trials: pd.DataFrame, skipped: dict[str, str]) -> dict[str, Work]:
    """What judges get to see of stored trials; those without any work go to `skipped`."""
    events = store.events(trials)
    called = events[(events["kind"] == "tool_call") & events["tool"].notna()]
    tools = {key: tuple(part) for key, part in called.groupby("trial_id")["tool"]}
    folders = {run: RunFolder(store.run_folder(run)) for run in trials["run_id"].unique()}
    tasks = store.tasks(run=list(folders))
    prompts = {(t["run_id"], t["task_id"]): t["prompt"] for t in tasks.to_dict("records")}
    found = {}
    for row in trials.to_dict("records"):
        trial_id = row["trial_id"]
        if row["status"] == "skipped":
            skipped[trial_id] = f"it was not carried out: {row['error_class']}"
            continue
        folder = folders[row["run_id"]].attempt(trial_id, row["attempt"])
        prompt, answer, patch = (kept_text(folder / name) for name in (PROMPT, ANSWER, PATCH))
        if answer is None and patch is None:
            skipped[trial_id] = "neither its answer nor its patch was kept"
            continue
        asked = prompt or prompts.get((row["run_id"], row["task_id"]))
        task = asked if isinstance(asked, str) else ""
        found[trial_id] = Work(task, answer or "", patch or "", tools.get(trial_id, ()))
    return found


def kept_text(path: Path) -> str | None:
    """Text of an artifact; None when it was not kept."""
    if path.is_symlink() or not path.is_file():
        return None
    return path.read_bytes().decode("utf-8", "replace")


def candidate_of(row: Mapping[str, Any]) -> str | None:
    """Model that did the work, as far as it is known."""
    named = (row.get("model_used"), row.get("model"))
    return next((name for name in named if isinstance(name, str)), None)
