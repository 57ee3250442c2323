"""Options of the commands that run trials."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agenteval.errors import InvalidInput

REPEAT = Annotated[int, typer.Option("--repeat", help="Trials per task and arm.")]
CONCURRENCY = Annotated[
    int | None,
    typer.Option(
        "--concurrency", help="Trials at one time; one a core by default.", show_default=False
    ),
]
UNTIL = Annotated[
    str | None,
    typer.Option(
        "--until",
        help="Rounds of new random tasks until this is settled: 'B better than A', 'B not worse than A by 0.05'.",
        show_default=False,
    ),
]
ROUND_TASKS = Annotated[
    int, typer.Option("--round-tasks", help="With --until: new tasks between two looks.")
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
EXECUTOR = Annotated[
    str,
    typer.Option(
        "--executor",
        help="Where trials run: `threads` of this process, or the workers of a `dask` cluster.",
    ),
]
DASK_ADDRESS = Annotated[
    str | None,
    typer.Option(
        "--dask-address",
        help="Scheduler of a running cluster, tcp://host:8786; workers on this machine by default.",
        show_default=False,
    ),
]
REUSE_CONTROL = Annotated[
    str | None,
    typer.Option(
        "--reuse-control",
        help="Take over what this run measured of the same arms and tasks, and check it for drift with a few fresh trials.",
        show_default=False,
    ),
]
MAX_AGE = Annotated[
    str,
    typer.Option("--max-age", help="How old trials may be that --reuse-control takes over."),
]


def cluster_of(executor: str, address: str | None) -> str | None:
    """The cluster that the options name; None for threads.

    Raises
    ------
    InvalidInput
        For another executor, or an address that nothing uses.
    """
    if executor not in ("threads", "dask"):
        raise InvalidInput(
            f"There is no executor {executor!r}", "--executor", "use threads or dask"
        )
    if executor == "threads":
        if address is not None:
            raise InvalidInput("Threads have no scheduler", "--dask-address", "add --executor dask")
        return None
    return address or "local"
