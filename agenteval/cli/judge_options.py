"""Options that say which model judges, and how it is reached."""

from __future__ import annotations

from typing import Annotated

import typer

JUDGE_URL = Annotated[
    str | None,
    typer.Option(
        "--judge-url",
        help="Base URL of the judge's API, as in http://127.0.0.1:8080/v1.",
        show_default=False,
    ),
]
JUDGE_API = Annotated[
    str | None,
    typer.Option("--judge-api", help="Shape of that API: openai or anthropic.", show_default=False),
]
JUDGE_KEY_ENV = Annotated[
    str | None,
    typer.Option(
        "--judge-key-env",
        help="Name of the environment variable that holds the judge's key; the key itself is stored nowhere.",
        show_default=False,
    ),
]
JUDGE_MODEL = Annotated[
    str | None,
    typer.Option(
        "--judge-model",
        help="provider/name of the judge, for checks of kind judge that name none; before suite.toml.",
        show_default=False,
    ),
]


def judge_of(
    model: str | None, url: str | None, api: str | None, key_env: str | None
) -> dict[str, str]:
    """What the options say of the judge, as `load_suite` takes it."""
    said = {"model": model, "base_url": url, "api": api, "key_env": key_env}
    return {name: value for name, value in said.items() if value is not None}
