"""Options that say how agents reach their models."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from agenteval.engine import ModelAccess

UPSTREAMS = Annotated[
    Path | None,
    typer.Option(
        "--upstreams",
        envvar="AGENTEVAL_UPSTREAMS",
        help="TOML file of further providers: a table [NAME] each with base_url and, for a key, key_env; then --model NAME/MODEL.",
        show_default=False,
    ),
]
PRICES = Annotated[
    Path | None,
    typer.Option(
        "--prices",
        help="TOML file of prices that go before the bundled ones (see `agenteval prices`).",
        show_default=False,
    ),
]
RECORD = Annotated[
    Path | None,
    typer.Option(
        "--record",
        help="Keep every exchange with a model in this folder, secrets masked; --model replay:FOLDER plays it back.",
        show_default=False,
    ),
]
REPLAY_RULES = Annotated[
    Path | None,
    typer.Option(
        "--replay-rules",
        help="TOML file with further rules of what a replay does not compare.",
        show_default=False,
    ),
]


def models_of(
    upstreams: Path | None, prices: Path | None, record: Path | None, rules: Path | None
) -> ModelAccess:
    """How agents reach their models, as the options say it.

    Raises
    ------
    InvalidInput
        When a file cannot be read.
    """
    from agenteval.engine import ModelAccess

    prices, record, rules = (
        None if path is None else path.absolute() for path in (prices, record, rules)
    )
    if upstreams is None:
        return ModelAccess((), prices, record, rules)
    from agenteval.gateway import read_upstreams

    return ModelAccess(read_upstreams(upstreams), prices, record, rules)
