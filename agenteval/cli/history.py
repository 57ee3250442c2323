"""`agenteval sql` and `agenteval import`: asking the store, and bringing results of other tools in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from agenteval.cli.options import JsonOption, StoreOption, store_to_write
from agenteval.cli.output import count, print_json, print_table, records_of, say
from agenteval.errors import InvalidInput

SHOWN_ROWS = 200


def sql(
    query: Annotated[
        str, typer.Argument(help="SQL over runs, tasks, arms, trials, attempts, checks, events.")
    ],
    *,
    parameter: Annotated[
        list[str] | None,
        typer.Option(
            "-p", "--parameter", help="name=value, bound to $name in the query.", show_default=False
        ),
    ] = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Ask the store in SQL (DuckDB); `wilson_low(passes, n)` and `wilson_high(passes, n)` are there.

    Example: agenteval sql "select arm, avg(passed::int) as rate, count(passed) as n from trials group by arm"
    """
    import agenteval as ae

    frame = ae.open_store(store).sql(query, _bound(parameter or []))
    if json:
        print_json(records_of(frame))
        return
    print_table(records_of(frame.head(SHOWN_ROWS)), list(frame.columns))
    if len(frame) > SHOWN_ROWS:
        say(f"{len(frame)} rows, the first {SHOWN_ROWS} shown; --json prints all")


def import_(
    format_: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="tau-bench, terminal-bench, chatcli, neuralinverse or shell-harness.",
        ),
    ],
    path: Annotated[Path, typer.Argument(help="File or folder of results.")],
    *,
    store: StoreOption = None,
    run_id: Annotated[
        str | None,
        typer.Option(
            "--run-id", help="Name of the run that is made.", show_default="from the file"
        ),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option("--agent", help="Agent that made the results.", show_default="from the file"),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="Model that made them.", show_default="from the file"),
    ] = None,
    suite: Annotated[
        str | None,
        typer.Option("--suite", help="Name of their suite.", show_default="from the file"),
    ] = None,
    skip_bad: Annotated[
        bool,
        typer.Option(
            "--skip-bad",
            help="Keep the good records and count the bad ones; else one bad record stops the import.",
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Bring results of another tool into the store as ordinary runs. All or nothing.

    Example: agenteval import tau-bench results/gpt-4o-airline.json
    """
    from agenteval.store import import_results, seal

    report = import_results(
        store_to_write(store),
        format_,
        path,
        run_id=run_id,
        skip_bad=skip_bad,
        agent=agent,
        model=model,
        suite=suite,
    )
    seal(report.store, report.run_ids)
    if json:
        print_json(
            {
                "run_ids": report.run_ids,
                "trials": report.trials,
                "skipped": report.skipped,
                "notes": report.notes,
            }
        )
        return
    print(f"imported {count(report.trials, 'trial')} in {count(len(report.run_ids), 'run')}")
    for name in report.run_ids:
        print(f"  {name}")
    for note in report.notes:
        say(f"note: {note}")
    for bad in report.skipped:
        say(f"skipped: {bad}")
    if report.run_ids:
        say(f"report: agenteval report --run {report.run_ids[0]} --store {store_to_write(store)}")


def _bound(pairs: list[str]) -> dict[str, Any] | None:
    values: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InvalidInput(
                f"The parameter {pair!r} is not name=value", "-p", "write it as in -p suite=bundled"
            )
        values[key] = _number(value)
    return values or None


def _number(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
