"""`agenteval diff`: two trials' steps side by side."""

from __future__ import annotations

from typing import Annotated

import typer

from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import plain, print_json, print_table, records_of


def diff(
    first: Annotated[str, typer.Argument(metavar="TRIAL", help="Trial id, or the start of one.")],
    second: Annotated[str, typer.Argument(metavar="TRIAL", help="The trial beside it.")],
    *,
    all_: Annotated[
        bool, typer.Option("--all", help="Every step, not only those around the parting.")
    ] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Align the steps of two trials and mark where they part.

    Example: agenteval diff 3f9a1c 77b0e2
    """
    import agenteval as ae

    opened = ae.open_store(store)
    a, b = opened.trial(first), opened.trial(second)
    found = ae.diff(a, b)
    if json:
        print_json(
            {
                "a": plain(dict(a.row)),
                "b": plain(dict(b.row)),
                "verdict": found.verdict,
                "divergence": None if found.divergence is None else int(found.divergence["row"]),
                "steps": records_of(found.table),
            }
        )
        return
    for name, view in (("a", a), ("b", b)):
        print(
            f"{name}: trial {view.id}: {view.row['task_id']} by {view.row['arm']}: {view.outcome}"
        )
    if all_:
        print_table(records_of(found.table), list(found.table.columns))
        print(found.verdict)
        return
    print(found)
