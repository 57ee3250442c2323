"""`agenteval doctor`: what this machine can do, and what is in force."""

from __future__ import annotations

import os
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.options import JsonOption, StoreOption, store_to_write
from agenteval.cli.output import print_json, print_table

if TYPE_CHECKING:
    from agenteval.gateway import Upstream

PACKAGES = (
    "agenteval",
    "pandas",
    "numpy",
    "scipy",
    "statsmodels",
    "duckdb",
    "pyarrow",
    "altair",
    "vl-convert-python",
    "papermill",
    "pytest",
)
LOW_DISK_GB = 2
# by which it shows that credentials were meant to be there; the clouds' tools know other ways too
CLOUD_VARIABLES = {
    "bedrock": (
        "AWS_ACCESS_KEY_ID",
        "AWS_BEARER_TOKEN_BEDROCK",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_PROFILE",
        "AWS_ROLE_ARN",
        "AWS_SHARED_CREDENTIALS_FILE",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ),
    "vertex_ai": ("GOOGLE_APPLICATION_CREDENTIALS", "VERTEXAI_PROJECT"),
}


def doctor(
    *,
    store: StoreOption = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit code 1 when something needed is missing.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check programs, isolation, disk and versions.

    Example: agenteval doctor
    """
    from importlib.metadata import version

    from agenteval.agents import installed_agents
    from agenteval.sandbox import bwrap_works, choose_sandbox

    problem = bwrap_works()
    rows = [
        {
            "what": "python",
            "state": "ok",
            "detail": f"{platform.python_version()} on {platform.platform(terse=True)}",
        },
        _program("git", needed=True),
        {
            "what": "isolation",
            "state": "ok" if problem is None else "missing",
            "detail": "bubblewrap: own PID, network, IPC and UTS namespaces"
            if problem is None
            else f"runs would be plain: {problem}; apt-get install bubblewrap",
        },
        _limits(),
        _workspaces(),
        _containers(),
        _program("node", needed=False),
        *installed_agents(),
        *_providers(),
        _disk("store", store_to_write(store)),
        *({"what": name, "state": "ok", "detail": version(name)} for name in PACKAGES),
    ]
    if json:
        print_json({"sandbox": choose_sandbox().name, "checks": rows})
    else:
        print_table(rows, ["what", "state", "detail"])
    if strict and any(row["state"] == "missing" for row in rows):
        raise typer.Exit(1)


def _limits() -> dict[str, str]:
    from agenteval.sandbox import limits_in_force

    ways = limits_in_force()
    missing = [name for name, way in ways.items() if "(" in way]
    detail = ", ".join(f"{name}: {way}" for name, way in ways.items())
    return {
        "what": "limits",
        "state": "weak" if missing else "ok",
        "detail": f"{detail}; cost, turns, tokens, requests: gateway (recorded only for agents without --model)",
    }


def _workspaces() -> dict[str, str]:
    import tempfile

    from agenteval.sandbox import overlay_problem

    problem = overlay_problem(Path(tempfile.gettempdir()))
    return {
        "what": "workspaces",
        "state": "ok" if problem is None else "slow",
        "detail": "those of large repositories are overlay mounts"
        if problem is None
        else f"large repositories are copied for every trial: {problem}",
    }


def _containers() -> dict[str, str]:
    from agenteval.sandbox import containers_work, find_runtime

    problem = containers_work()
    return {
        "what": "containers",
        "state": "ok" if problem is None else "absent",
        "detail": f"only tasks with an image of their own need them: {problem}; apt-get install --no-install-recommends podman runc"
        if problem
        else f"tasks with an image of their own run in them: {' '.join(find_runtime().command('run', *find_runtime().run_options))}",
    }


def _providers() -> list[dict[str, str]]:
    """The known providers and those of `$AGENTEVAL_UPSTREAMS`."""
    from agenteval.engine import ModelAccess
    from agenteval.errors import InvalidInput
    from agenteval.gateway import KNOWN_UPSTREAMS

    own: tuple[Upstream, ...] = ()
    broken = []
    try:
        own = ModelAccess.from_environment().upstreams
    except InvalidInput as error:
        detail = "; ".join(str(error).splitlines())
        broken = [{"what": "AGENTEVAL_UPSTREAMS", "state": "missing", "detail": detail}]
    every = {upstream.name: upstream for upstream in (*KNOWN_UPSTREAMS, *own)}
    return [*map(_provider, every.values()), *broken]


def _provider(upstream: Upstream) -> dict[str, str]:
    """Whether models of a provider can be asked, as far as this machine shows."""
    names = [name for name in (upstream.key_env, upstream.token_env) if name]
    found = next((name for name in names if os.environ.get(name)), None)
    if upstream.litellm is not None:
        state, detail = _cloud(upstream.litellm)
    elif found:
        state, detail = "ok", f"key from {found}, which stays in the engine"
    elif names:
        state, detail = "absent", f"set {' or '.join(names)}"
    else:
        state, detail = "ok", f"at {upstream.base_url}, without a key"
    return {
        "what": f"models of {upstream.name}",
        "state": state,
        "detail": f"--model {upstream.name}/NAME: {detail}",
    }


def _cloud(provider: str) -> tuple[str, str]:
    """State and detail of what is reached through litellm; of variables, only names are looked at."""
    from agenteval.gateway import EXTRA, missing_for

    if missing := missing_for(provider):
        return "absent", f"{EXTRA} (missing: {', '.join(missing)})"
    seen = [name for name in CLOUD_VARIABLES.get(provider, ()) if name in os.environ]
    if seen:
        return "ok", f"{', '.join(seen)} set, which stays in the engine; not tried"
    return "unknown", "no variable names credentials; they are looked for when a trial asks"


def _program(name: str, *, needed: bool) -> dict[str, str]:
    from agenteval.sandbox import Bounds, run_process

    found = shutil.which(name)
    if found is None:
        detail = f"apt-get install {name}" if needed else "only tasks that require it are skipped"
        return {"what": name, "state": "missing" if needed else "absent", "detail": detail}
    done = run_process(
        [found, "--version"], env={"PATH": "/usr/bin:/bin"}, bounds=Bounds(timeout_s=10)
    )
    return {
        "what": name,
        "state": "ok",
        "detail": f"{done.stdout.decode('utf-8', 'replace').strip()} ({found})",
    }


def _disk(name: str, path: Path) -> dict[str, str]:
    place = path.resolve()
    while not place.exists():
        place = place.parent
    free = shutil.disk_usage(place).free / 1e9
    state = "ok" if free >= LOW_DISK_GB else "low"
    return {"what": name, "state": state, "detail": f"{path} ({free:.1f} GB free)"}
