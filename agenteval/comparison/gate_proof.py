"""The proof that the gate can fail: a regression planted into every dimension must be caught."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from agenteval.comparison.baseline import baseline_of
from agenteval.comparison.dimensions import DIMENSIONS, Measure, measures_of
from agenteval.comparison.gate import gate
from agenteval.comparison.gate_dimension import MODES, Mode, Rule, judge_dimension
from agenteval.comparison.gate_plants import PLANTS, Planted, made_up_run, own_plant
from agenteval.comparison.gate_report import GateReport
from agenteval.errors import AgentEvalError
from agenteval.records import (
    Baseline,
    Dimension,
    TaskRecord,
    TaskValue,
    encode_baseline,
    read_baseline,
)

# always proven, so that the way own dimensions go is proven where a suite declares none
SAMPLES = (
    Dimension(name="proof_of_a_column", column="lines_added", direction="lower"),
    Dimension(name="proof_of_a_truth", column="asked_user", direction="lower"),
    Dimension(name="proof_of_a_check", check="own check"),
    Dimension(name="proof_of_a_cap", column="tool_errors", direction="lower", worst=True),
)


@dataclass(frozen=True)
class Step:
    """One thing that was demanded of the gate, and whether it held; `detail` says what came."""

    demand: str
    held: bool
    detail: str = ""


def prove_gate(
    own: Iterable[Dimension] = (),
    *,
    load: Callable[[Path], Baseline] = read_baseline,
) -> tuple[Step, ...]:
    """Plant a regression into every dimension and demand that the gate catches each.

    Walks the list of dimensions itself, the suite's own included, in every mode. Demands as well
    that an improvement is not reported as a regression, that a loss beyond its tolerance is still
    caught and one within it is not, that missing evidence is the worst value, that `regressed`
    wins over `non_inferior`, and that a baseline which cannot be read is an error of its own.

    Parameters
    ----------
    own
        Dimensions that the suite declares.
    load
        What reads a baseline's file.

    Returns
    -------
    tuple of Step
        The gate is proven when all of them held.
    """
    declared = {dimension.name: dimension for dimension in (*own, *SAMPLES)}
    steps: list[Step] = []
    for measure in measures_of(declared.values()):
        steps += _dimension_steps(measure, declared.get(measure.name))
    return (*steps, *_verdict_steps(), *_limit_steps(), *_refusal_steps(), *_reading_steps(load))


def _dimension_steps(measure: Measure, own: Dimension | None) -> Iterator[Step]:
    plant = own_plant(own) if own is not None else PLANTS.get(measure.name)
    if plant is None:
        yield Step(
            f"{measure.name}: a regression can be planted",
            held=False,
            detail="nothing says what is worse",
        )
        return
    sides = _Sides(measure.name, own)
    worse, better, loss = sides.planted(plant.worse), sides.planted(plant.better), plant.loss
    for mode in MODES:
        found = sides.judged(worse, mode)
        held = found.failed and found.exit_code == 1 and found.verdict == "regressed"
        yield Step(f"{measure.name}: a planted regression is caught ({mode})", held, found.detail)
        found = sides.judged(better, mode)
        alone = found.exit_code != 1 or found.others
        held = not found.failed and found.verdict == "improved" and alone
        yield Step(f"{measure.name}: an improvement is no regression ({mode})", held, found.detail)
        found = sides.judged(worse, mode, {measure.name: loss / 2})
        yield Step(
            f"{measure.name}: a loss beyond its tolerance is caught ({mode})",
            found.failed,
            found.detail,
        )
        found = sides.judged(worse, mode, {measure.name: 1.5 * loss + 0.01})
        yield Step(
            f"{measure.name}: a loss within its tolerance passes ({mode})",
            not found.failed,
            found.detail,
        )
    if plant.gone is not None:
        found = sides.judged(sides.planted(plant.gone), "evidence")
        held = found.failed and found.verdict == "regressed" and found.after is None
        yield Step(f"{measure.name}: missing evidence is the worst value", held, found.detail)
    same = sides.judged(sides.before, "ratchet")
    yield Step(f"{measure.name}: a run is no worse than itself", not same.failed, same.detail)


@dataclass(frozen=True)
class _Found:
    failed: bool
    others: bool
    exit_code: int
    verdict: str
    after: float | None
    detail: str


class _Sides:
    """A made-up baseline, and runs made from it by planting something."""

    def __init__(self, name: str, own: Dimension | None) -> None:
        self._name, self._own = name, own
        self.before = self.planted(lambda run: None)

    def planted(self, change: Callable[[Planted], None]) -> Baseline:
        run = made_up_run(self._own)
        change(run)
        trials = run.trials.assign(status=np.where(run.trials["passed"], "pass", "fail"))
        tasks = trials[["suite", "task_id"]].assign(pass_policy="majority")
        own = [] if self._own is None else [self._own]
        return baseline_of(trials, checks=run.checks, tasks=tasks, dimensions=own)

    def judged(
        self, now: Baseline, mode: Mode, tolerances: Mapping[str, float] | None = None
    ) -> _Found:
        # regressions of tasks are asked for apart, so that this dimension alone decides
        report = gate(now, self.before, mode=mode, tolerances=tolerances, max_regressions=1000)
        row = report.table.set_index("dimension").loc[self._name]
        after = None if np.isnan(row["after"]) else float(row["after"])
        verdict = str(row["verdict"])
        detail = f"{verdict}, gain {row['gain']:.3g}, exit code {report.exit_code}"
        failed = bool(row["failed"])
        others = int(report.table["failed"].sum()) > failed
        return _Found(failed, others, report.exit_code, verdict, after, detail)


def _verdict_steps() -> Iterator[Step]:
    """A small loss that is shown lies within the margin too; it is a regression all the same."""
    measure = next(measure for measure in DIMENSIONS if measure.name == "pass_rate")
    one, none = (TaskValue(n=1, mean=value, worst=value) for value in (1.0, 0.0))
    before, after = [one] * 600, [none] * 12 + [one] * 588
    for mode in ("evidence", "strict"):
        found = judge_dimension(measure, before, after, Rule(mode))
        held = found.verdict == "regressed" and found.failed and found.low > -0.05
        yield Step(f"regressed wins over non_inferior ({mode})", held, found.verdict)


def _limit_steps() -> Iterator[Step]:
    """What a gate compares beside its dimensions: limits, tasks that changed, trials left out."""
    whole = _Sides("pass_rate", None)
    failing = whole.planted(lambda run: run.set_passed(None, passed=False))
    report = gate(failing, failing, min_pass_rate=0.5)
    yield Step("a pass rate below its floor is caught", report.exit_code == 1, report.verdict)
    lost = any(
        "more than 0" in text for text in gate(failing, whole.before, max_regressions=0).failures
    )
    yield Step("a task beyond max_regressions is caught", lost)
    (arm,) = whole.before.arms
    edited = arm.tasks[0].model_copy(update={"task_digest": "edited"})
    report = gate(_with_tasks(whole.before, [edited, *arm.tasks[1:]]), whole.before)
    held = report.changed == (edited.task_id,) and edited.task_id not in set(
        report.tasks["task_id"]
    )
    yield Step("a task that changed is not compared, and named", held, str(report.changed))
    broken = [task.model_copy(update={"left_out": task.trials}) for task in arm.tasks]
    report = gate(_with_tasks(whole.before, broken), whole.before, mode="strict")
    held = any("too many errors" in text for text in report.undecided)
    yield Step("too many trials left out cannot tell (strict)", held, report.verdict)


def _with_tasks(side: Baseline, tasks: list[TaskRecord]) -> Baseline:
    return side.model_copy(update={"arms": [side.arms[0].model_copy(update={"tasks": tasks})]})


def _refusal_steps() -> Iterator[Step]:
    whole = _Sides("pass_rate", None)
    known = measures_of(())[0].name
    few = made_up_run()
    trials = few.trials[few.trials["position"] < 30].assign(status="pass", passed=True)
    short = baseline_of(trials, checks=few.checks)
    cases: dict[str, Callable[[], GateReport]] = {
        "an unknown dimension": lambda: gate(whole.before, whole.before, tolerances={"no": 1.0}),
        "a tolerance that is no number": lambda: gate(
            whole.before, whole.before, tolerances={known: float("nan")}
        ),
        "a tolerance without end": lambda: gate(
            whole.before, whole.before, tolerances={known: float("inf")}
        ),
        "too little overlap": lambda: gate(short, whole.before),
    }
    for name, call in cases.items():
        yield _refused(f"{name} is refused", call)


def _reading_steps(load: Callable[[Path], Baseline]) -> Iterator[Step]:
    """A gate that could not read its baseline has not run: an error, neither pass nor fail."""
    good = encode_baseline(_Sides("pass_rate", None).before)
    cases = {
        "is missing": None,
        "is empty": b"",
        "is torn": good[: len(good) // 2],
        "holds no arm": good[: good.index(b'"arms"')] + b'"arms": []}',
        "holds NaN": re.sub(rb'"mean": [0-9.]+', b'"mean": NaN', good, count=1),
        "holds an unknown key": good.replace(b'"source"', b'"sauce"', 1),
        "is of a newer schema": good.replace(b'"schema_version": 1', b'"schema_version": 999', 1),
    }
    with tempfile.TemporaryDirectory(prefix="agenteval-proof-") as folder:
        for name, data in cases.items():
            path = Path(folder) / f"{name.replace(' ', '-')}.json"
            if data is not None:
                path.write_bytes(data)

            def call(path: Path = path) -> Baseline:
                return load(path)

            yield _refused(f"a baseline that {name} is an error", call)
        path = Path(folder) / "good.json"
        path.write_bytes(good)
        try:
            read = load(path)
        except AgentEvalError as error:
            yield Step("a good baseline is read", held=False, detail=error.what)
        else:
            yield Step("a good baseline is read", held=encode_baseline(read) == good)


def _refused(demand: str, call: Callable[[], object]) -> Step:
    try:
        call()
    except AgentEvalError as error:
        return Step(demand, held=True, detail=error.what)
    return Step(demand, held=False, detail="it was taken")
