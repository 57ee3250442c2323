"""Options of the commands that run trials."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

REPEAT = Annotated[int, typer.Option("--repeat", help="Trials per task and arm.")]
CONCURRENCY = Annotated[
    int | None,
    typer.Option(
        "--concurrency", help="Trials at one time; one a core by default.", show_default=False
    ),
]
RUN_ID = Annotated[
    str | None,
    typer.Option(
        "--run-id",
        help="Name of the run; the same command with the same name resumes it.",
        show_default=False,
    ),
]
SEED = Annotated[
    int, typer.Option("--seed", help="Seed of the order of trials and of scripted agents.")
]
KEEP = Annotated[
    Path | None,
    typer.Option("--keep", help="Leave the workspaces in this folder.", show_default=False),
]
MAX_COST = Annotated[
    float | None,
    typer.Option(
        "--max-cost",
        help="Dollars the whole run may cost; each trial's part is set aside before it starts.",
        show_default=False,
    ),
]
MAX_MINUTES = Annotated[
    float | None,
    typer.Option(
        "--max-minutes",
        help="Minutes the whole run may take; no trial starts whose own timeout does not fit.",
        show_default=False,
    ),
]
RETRIES = Annotated[
    int,
    typer.Option(
        "--retries",
        help="Further attempts after a failure of the machinery; outcomes that count are never tried again.",
    ),
]
PAUSE_AFTER = Annotated[
    int,
    typer.Option(
        "--pause-after",
        help="Pause an arm after so many trials in a row that failed in the same way; 0 never.",
    ),
]
GRACE = Annotated[
    float,
    typer.Option(
        "--grace", help="Seconds that running trials get after Ctrl-C before they are cancelled."
    ),
]
IGNORE_DISK = Annotated[
    bool,
    typer.Option("--ignore-disk", help="Start although the disk looks too small for the plan."),
]
SHARD = Annotated[
    str | None,
    typer.Option(
        "--shard",
        help="Run the i-th of n parts of the plan (i/n); `agenteval merge` puts them together.",
        show_default=False,
    ),
]
CHANGED_SINCE = Annotated[
    str | None,
    typer.Option(
        "--changed-since",
        help="Only tasks whose `covers` match a file that changed since this git commit.",
        show_default=False,
    ),
]
