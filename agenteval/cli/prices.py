"""`agenteval prices`: what tokens cost, by which table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.cli.options import JsonOption
from agenteval.cli.output import print_json, print_table
from agenteval.errors import InvalidInput

COLUMNS = ["model", "input", "cache_read", "cache_write", "cache_write_long", "output", "provider", "source"]  # fmt: skip


def prices(
    model: Annotated[
        str | None,
        typer.Argument(
            help="A model, however it is spelled, or part of a name.", show_default="all"
        ),
    ] = None,
    *,
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            help="TOML or JSON file whose prices go over the bundled ones.",
            envvar="AGENTEVAL_PRICES",
            show_default="bundled prices only",
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Print list prices in dollars per million tokens, by which costs are computed.

    A model without a price has an unknown cost, never 0.

    Example: agenteval prices claude-sonnet-4-5
    """
    from agenteval.gateway import PriceTable

    table = PriceTable.load(prices)
    exact = None if model is None else table.price(model)
    part = (model or "").lower()
    rows = [
        {"model": name, **price.model_dump(exclude_none=True)}
        for name, price in table.models.items()
        if (price is exact if exact is not None else part in name)
    ]
    if not rows:
        raise InvalidInput(
            f"There is no price for {model!r}",
            f"price table {table.name}",
            "leave the model out to see all prices, or add it to a file: --prices FILE",
        )
    if json:
        print_json({"price_table": table.name, "date": table.date, "models": rows})
        return
    long = [row for row in rows if "above" in row]
    shown = [{**row, "source": table.source_of(row["provider"])} for row in rows]
    print_table(shown, COLUMNS, title=f"USD per million tokens, price table {table.name}")
    for row in long:
        above = row["above"]
        print(
            f"{row['model']}: a request with more than {above['input_tokens']:,} tokens of input costs {above['input']:g} in, {above['output']:g} out"
        )
