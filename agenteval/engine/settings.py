"""How a plan is carried out, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agenteval.engine.budget import Limits
from agenteval.engine.model_access import ModelAccess
from agenteval.engine.retries import Retries
from agenteval.engine.shards import Shard
from agenteval.records import AttemptRow
from agenteval.sandbox import Sandbox


@dataclass(frozen=True)
class Settings:
    """How a plan is carried out.

    Attributes
    ----------
    store
        Folder of the store.
    sandbox
        Isolation.
    concurrency
        Trials at one time, at least 1.
    command
        Command line that reproduces the run.
    suite_path
        Where the suite lies.
    keep
        Folder to leave the workspaces in; None removes them.
    retries
        How failures of the machinery are tried again.
    again
        Classes of such failures that are tried again although their retries are used up; only
        their trials run then.
    pause_after
        So many failures of one kind in a row pause an arm; 0 never does.
    limits
        Budget of the whole run.
    grace_s
        Seconds that running trials get after the first Ctrl-C before they are cancelled.
    shard
        The part of the plan to run; None for all of it.
    cluster
        Address of a dask scheduler whose workers run the trials; `local` starts workers on this
        machine; None runs them in threads of this process.
    ignore_disk
        Start although the disk looks too small for the plan.
    passed
        Variables of the operator's that agents get; secret values are masked in all that is stored.
    judge
        What the command line says of the judge, as `load_suite` took it.
    models
        How agents reach their models.
    caps
        Limits that an experiment set for every trial, as `with_caps` took them.
    """

    store: Path
    sandbox: Sandbox
    concurrency: int = 1
    command: str | None = None
    suite_path: Path | None = None
    keep: Path | None = None
    retries: Retries = Retries()
    again: frozenset[str] = frozenset()
    pause_after: int = 5
    limits: Limits = Limits()
    grace_s: float = 10.0
    shard: Shard | None = None
    cluster: str | None = None
    ignore_disk: bool = False
    passed: Mapping[str, str] = field(default_factory=dict)
    judge: Mapping[str, str] = field(default_factory=dict)
    models: ModelAccess = ModelAccess()
    caps: Mapping[str, float] = field(default_factory=dict)


@dataclass
class RunResult:
    """What a call of `run_plan` did.

    Attributes
    ----------
    run_id
        Id of the run.
    held_before
        Trials settled before this call.
    attempts
        Records written by this call, in the order they ended.
    interrupted
        Whether it was stopped before the plan was complete.
    notes
        Sentences for people, such as a repaired journal.
    rounds
        Repeats of the plan of which every trial is settled.
    short
        Why the budget stopped it; None when it did not.
    paused
        Arm's label to why the circuit breaker paused it.
    set_aside
        Those of the records that say that a task is quarantined; written before any other.
    """

    run_id: str
    held_before: int
    attempts: list[AttemptRow] = field(default_factory=list)
    interrupted: bool = False
    notes: list[str] = field(default_factory=list)
    rounds: int = 0
    short: str | None = None
    paused: dict[str, str] = field(default_factory=dict)
    set_aside: list[AttemptRow] = field(default_factory=list)
