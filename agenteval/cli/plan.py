"""`agenteval plan`: how many tasks and repeats an effect needs, and what that costs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import print_json, records_of, say


def plan(
    baseline: Annotated[
        str | None, typer.Argument(help="Arm to plan with.", show_default="all arms")
    ] = None,
    candidate: Annotated[
        str | None, typer.Argument(help="The other arm.", show_default="all others")
    ] = None,
    *,
    effect: Annotated[
        float, typer.Option("--effect", help="Difference in pass rate worth showing, as a share.")
    ] = 0.05,
    power: Annotated[float, typer.Option("--power", help="Chance to show it.")] = 0.8,
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", help="Budget in US dollars.", show_default=False),
    ] = None,
    tasks: Annotated[
        int | None,
        typer.Option("--tasks", help="Tasks that exist.", show_default="those of the trials"),
    ] = None,
    repeat: Annotated[
        list[int] | None,
        typer.Option(
            "--repeat",
            help="Repeats to consider; give it several times.",
            show_default="1 2 3 5 10",
        ),
    ] = None,
    cost_per_trial: Annotated[
        float | None,
        typer.Option(
            "--cost-per-trial", help="US dollars a trial.", show_default="from the trials"
        ),
    ] = None,
    run: Annotated[
        list[str] | None,
        typer.Option("--run", help="Runs to learn from; repeat it.", show_default="all"),
    ] = None,
    assume: Annotated[
        bool,
        typer.Option("--assume", help="Use no store: plan from the spread of a typical suite."),
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Plan a comparison: tasks, repeats, dollars and hours, from the store's own trials.

    Example: agenteval plan --effect 0.1 --max-cost 50
    """
    import agenteval as ae
    from agenteval.comparison import Stated

    found = ae.plan(
        None if assume else _history(store, run),
        effect=effect,
        power=power,
        baseline=baseline,
        candidate=candidate,
        max_cost_usd=max_cost,
        repeats=repeat or (1, 2, 3, 5, 10),
        stated=Stated(tasks=tasks, cost_usd=cost_per_trial),
    )
    if not json:
        print(found)
        return
    resting = found.assumptions
    print_json(
        {
            "sentence": found.verdict,
            "recommended": found.recommended,
            "assumptions": {
                "source": resting.source,
                "omega2": resting.omega2,
                "sigma2_baseline": resting.sigma2_a,
                "sigma2_candidate": resting.sigma2_b,
            },
            "notes": list(found.notes),
            "table": records_of(found.table),
        }
    )


def _history(store: Path | None, runs: list[str] | None) -> Any:
    """Trials to learn from; None where there is no store or nothing in it."""
    import agenteval as ae
    from agenteval.errors import StoreError

    try:
        opened = ae.open_store(store)
    except StoreError:
        if store is not None or runs:
            raise
        say("no store here: planned from the spread of a typical suite")
        return None
    trials = opened.trials(run=runs)
    if trials.empty:
        say("no trials there: planned from the spread of a typical suite")
        return None
    return trials
