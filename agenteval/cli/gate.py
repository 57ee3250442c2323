"""`agenteval gate`: is a run worse than a baseline; and the proof that it would say so."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from agenteval.cli.gate_sides import FOLDER, baseline_side, run_side
from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import count, print_json, say
from agenteval.errors import AgentEvalError, InvalidInput, StoreError

if TYPE_CHECKING:
    from agenteval.comparison import GateReport, Step
    from agenteval.comparison.gate_dimension import Mode
    from agenteval.records import Baseline

FolderOption = Annotated[
    Path, typer.Option("--folder", help="Folder in which baselines are saved by name.")
]


def gate(
    *,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Saved baseline, run, or results file of another tool to compare with.",
            show_default=False,
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option("--run", help="Run (or file) that is judged.", show_default="the newest run"),
    ] = None,
    arm: Annotated[
        str | None,
        typer.Option("--arm", help="Judge this arm of the run alone.", show_default=False),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerance",
            help="DIMENSION=LOSS that is accepted, in its unit; zero by default. Repeat it for several.",
            show_default=False,
        ),
    ] = None,
    max_regressions: Annotated[
        int | None,
        typer.Option(
            "--max-regressions",
            help="Tasks that may go from passing to not passing; 0 in a ratchet.",
            show_default="not asked",
        ),
    ] = None,
    min_pass_rate: Annotated[
        float | None,
        typer.Option(
            "--min-pass-rate", help="Floor of the pass rate, from 0 to 1.", show_default="none"
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option("--margin", help="Largest loss that counts as no worse.")
    ] = 0.05,
    min_effect: Annotated[
        float, typer.Option("--min-effect", help="A shown loss smaller than this passes.")
    ] = 0.0,
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="evidence: exit 1 on what is shown. ratchet: on any lower point. strict: exit 3 unless shown to be no worse by the margin.",
        ),
    ] = "evidence",
    prove: Annotated[
        bool,
        typer.Option(
            "--prove", help="Plant a regression into every dimension; each must be caught."
        ),
    ] = False,
    format_: Annotated[
        str | None,
        typer.Option(
            "--format", help="Format of another tool's file; all are tried.", show_default=False
        ),
    ] = None,
    folder: FolderOption = FOLDER,
    store: StoreOption = None,
    junit: Annotated[
        Path | None,
        typer.Option("--junit", help="Write JUnit XML here.", show_default=False),
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown for a pull request.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Compare a run with a fixed baseline on every dimension, by task; --prove tries the gate itself.

    Exit codes: 0 nothing regressed, 1 a regression, 2 it could not be compared, 3 (strict) the data cannot tell.

    Example: agenteval gate --against main --tolerance cost=0.2 --max-regressions 1
    """
    if prove:
        _prove(against, run, store=store, folder=folder, format_=format_, json=json)
        return
    if against is None:
        raise InvalidInput(
            "Nothing is named to compare with",
            "--against",
            "name a baseline, as in --against main; `agenteval baseline save main` makes one",
        )
    from agenteval.cli import gate_outputs
    from agenteval.comparison import gate as compare

    baseline = baseline_side(against, store=store, folder=folder, format_=format_)
    now = run_side(run, arm, store=store, format_=format_)
    report = compare(
        now,
        baseline,
        tolerances=_tolerances(tolerance or []),
        max_regressions=max_regressions,
        min_pass_rate=min_pass_rate,
        margin=margin,
        min_effect=min_effect,
        mode=cast("Mode", mode),  # checked there
    )
    names = {"run": now.name, "baseline": baseline.name}
    text = gate_outputs.markdown(report, **names)
    gate_outputs.add_step_summary(text)
    if junit is not None:
        _write(junit, gate_outputs.junit(report, **names))
    if json:
        print_json(gate_outputs.document(report, **names))
    elif markdown:
        print(text, end="")
    else:
        _show(report, now, baseline)
    if report.exit_code:
        raise typer.Exit(report.exit_code)


def _show(report: GateReport, now: Baseline, baseline: Baseline) -> None:
    say(f"run {now.name} against {baseline.name}, saved {baseline.saved_at:%Y-%m-%d}")
    print(report)
    if report.undecided and not report.failures:
        say(f"warning: {'; '.join(report.undecided)}")


def _tolerances(given: list[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for text in given:
        name, equals, value = text.partition("=")
        where = f"--tolerance {text}"
        if not equals or not name:
            raise InvalidInput("A tolerance is not DIMENSION=LOSS", where, "write cost=0.2")
        if name in found:
            raise InvalidInput(f"{name} has two tolerances", where, "give one")
        try:
            found[name] = float(value)
        except ValueError:
            raise InvalidInput(
                f"The tolerance {value!r} is not a number", where, "write it as in cost=0.2"
            ) from None
    return found


def _write(path: Path, data: bytes) -> None:
    from agenteval.records import replace_file

    try:
        replace_file(path, data)
    except OSError as error:
        raise StoreError(
            f"The file cannot be written: {error.strerror}", str(path), "name another place"
        ) from error
    say(f"wrote {path}")


def _prove(
    against: str | None,
    run: str | None,
    *,
    store: Path | None,
    folder: Path,
    format_: str | None,
    json: bool,
) -> None:
    """Demand of the gate what it is for; own dimensions are those of the baseline and the run."""
    from agenteval.comparison import prove_gate

    sides: list[Baseline] = []
    if against is not None:
        sides.append(baseline_side(against, store=store, folder=folder, format_=format_))
    if run is not None or store is not None or against is None:
        sides += _newest(run, store)
    own = list(dict.fromkeys(d for side in sides for d in side.dimensions))

    def load(path: Path) -> Baseline:
        return baseline_side(str(path), store=None, folder=folder)

    steps = prove_gate(own, load=load)
    failed = [step for step in steps if not step.held]
    if json:
        print_json(
            {
                "proven": not failed,
                "own_dimensions": [dimension.name for dimension in own],
                "steps": [
                    {"demand": step.demand, "held": step.held, "detail": step.detail}
                    for step in steps
                ],
            }
        )
    else:
        _show_proof(steps, failed, len(own))
    if failed:
        raise typer.Exit(1)


def _newest(run: str | None, store: Path | None) -> list[Baseline]:
    try:
        return [run_side(run, None, store=store)]
    except AgentEvalError:
        if run is not None or store is not None:
            raise
        return []


def _show_proof(steps: tuple[Step, ...], failed: list[Step], own: int) -> None:
    for step in failed:
        print(f"FAILED  {step.demand}: {step.detail}")
    held = len(steps) - len(failed)
    print(
        f"{held} of {count(len(steps), 'demand')} on the gate held, {count(own, 'own dimension')} among its dimensions"
    )
    if failed:
        say("the gate would let a regression through; do not trust it until this is mended")
