"""An experiment: the whole question in one committed file."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from agenteval.records.strict import Strict


class ExperimentArm(Strict):
    """One arm, as the options of `agenteval run` would name it."""

    agent: str = Field(min_length=1, description="NAME[@VERSION][:ARG], as --agent.")
    model: str | None = Field(None, description="provider/name, as --model.")
    variant: str | None = Field(None, description="Name of a variant, as --variant.")
    files: list[str] = Field(
        default_factory=list,
        description="Files and folders that the agent needs, as --agent-files; relative to this file.",
    )


class Caps(Strict):
    """Limits for every trial; a task's own limit holds where it is lower."""

    timeout_s: float | None = Field(None, gt=0, description="Seconds of wall clock.")
    no_progress_s: float | None = Field(None, gt=0, description="Seconds without any progress.")
    max_cost_usd: float | None = Field(None, gt=0, description="Dollars of model use.")
    max_turns: int | None = Field(None, ge=1, description="Turns of the main conversation.")
    max_tokens: int | None = Field(None, ge=1, description="Tokens of all kinds together.")
    max_requests: int | None = Field(None, ge=1, description="Requests to the model.")


class ExperimentBudget(Strict):
    """What the whole run may cost."""

    max_cost_usd: float | None = Field(None, gt=0, description="Dollars, as --max-cost.")
    max_minutes: float | None = Field(None, gt=0, description="Minutes, as --max-minutes.")


class ExperimentGate(Strict):
    """What the run is compared with once it is done: the options of `agenteval gate`."""

    against: str = Field(min_length=1, description="A saved baseline, a run, or a results file.")
    arm: str | None = Field(None, description="Judge this arm alone.")
    tolerance: dict[str, float] = Field(
        default_factory=dict, description="Dimension to the loss that is accepted, in its unit."
    )
    max_regressions: int | None = Field(None, ge=0, description="Tasks that may regress.")
    min_pass_rate: float | None = Field(None, ge=0, le=1, description="Floor of the pass rate.")
    margin: float = Field(0.05, ge=0, le=1, description="Largest loss that counts as no worse.")
    min_effect: float = Field(0.0, ge=0, le=1, description="A shown loss below this passes.")
    mode: Literal["evidence", "ratchet", "strict"] = Field(
        "evidence",
        description="What fails: what is shown, any lower point, or what is not ruled out.",
    )


class Experiment(Strict):
    """experiment.toml: suite, arms, repeats, limits, budget and gate of one question.

    Arms are listed one by one, or crossed: every agent with every model and every variant.
    """

    question: str = Field("", description="What is to be found out, in a sentence.")
    suite: str = Field(
        min_length=1, description="Folder of the suite, relative to this file; or `bundled`."
    )
    tasks: str | None = Field(None, description="Selection of its tasks, as --tasks.")
    arms: list[ExperimentArm] = Field(default_factory=list, description="Arms, one by one.")
    agents: list[str] = Field(default_factory=list, description="Agents, crossed.")
    models: list[str] = Field(default_factory=list, description="Models, crossed.")
    variants: list[str] = Field(default_factory=list, description="Variants, crossed.")
    repeats: int = Field(1, ge=1, description="Trials per task and arm.")
    seed: int = Field(0, description="Seed of the order and of scripted agents.")
    concurrency: int | None = Field(None, ge=1, description="Trials at one time.")
    retries: int | None = Field(None, ge=0, description="Further attempts after infrastructure.")
    until: str | None = Field(None, description="Run until this is settled, as --until.")
    sandbox: str | None = Field(None, description="Isolation, as --sandbox.")
    pass_env: list[str] = Field(
        default_factory=list, description="Names of variables to hand over, as --pass-env."
    )
    upstreams: str | None = Field(None, description="File of providers, relative to this file.")
    prices: str | None = Field(None, description="File of prices, relative to this file.")
    record: str | None = Field(None, description="Folder for exchanges, relative to this file.")
    limits: Caps = Field(Caps(), description="Limits for every trial.")
    budget: ExperimentBudget = Field(ExperimentBudget(), description="Limits of the whole run.")
    gate: ExperimentGate | None = Field(None, description="Comparison once the run is done.")

    @model_validator(mode="after")
    def _one_way(self) -> Experiment:
        if self.arms and (self.agents or self.models or self.variants):
            raise ValueError("lists arms and also crosses agents, models or variants")
        return self
