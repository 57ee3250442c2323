"""One row of each table: the single source of column names, types, units and meanings.

The DuckDB schema, the loaders and README's column table are made from these models
(`agenteval.records.columns`), so a column is declared once.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from agenteval.records.outcome import Status

Seconds = Annotated[float | None, "s"]
Dollars = Annotated[float | None, "USD"]
Tokens = Annotated[int | None, "tokens"]
Count = Annotated[int | None, "count"]


class Row(BaseModel):
    """Base of all rows: unknown fields are refused, None is unknown (never 0)."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _c(meaning: str, default: Any = None) -> Any:
    return Field(default, description=meaning)


class RunRow(Row):
    """One execution of a plan."""

    run_id: str = Field(description="Id of the run; the folder's name when it was made.")
    suite: str = Field(description="Name of the suite.")
    source: str = _c("`engine`, or `import:FORMAT` for results of another tool.", "engine")
    created_at: datetime = Field(
        description="When the run was planned (UTC); of an import without times, when it was imported."
    )
    seed: int = _c("Seed of the order of trials and of scripted agents.", 0)
    repeats: int = Field(description="Trials asked for per task and arm.")
    planned_trials: int = Field(description="Trials in the whole plan.")
    concurrency: int | None = _c("Trials allowed at one time.")
    sandbox: str | None = _c("Isolation of agent and checks: bwrap, plain, container.")
    agenteval_version: str | None = _c("Version of agenteval that ran it.")
    python: str | None = _c("Python version of the engine.")
    platform: str | None = _c("Operating system of the engine.")
    host: str | None = _c("Machine name of the engine.")
    command: str | None = _c("Command that reproduces the run.")


class TaskRow(Row):
    """One task as a run used it."""

    run_id: str = Field(description="Run.")
    suite: str = Field(description="Name of the suite.")
    task_id: str = Field(description="Id of the task within its suite.")
    task_digest: str = Field(description="Hash of everything that decides the task's outcome.")
    given_digest: str | None = _c(
        "Hash of the part that the agent is given: all but how the result is graded."
    )
    title: str = _c("One line for people.", "")
    kind: str = _c("task, pressure or injection.", "task")
    category: str | None = _c(
        "bugfix, feature, refactor, explain, test, multi-file, config, debug."
    )
    difficulty: str | None = _c("easy, medium or hard, as the author judged.")
    language: str | None = _c("Main language.")
    split: str | None = _c("dev or holdout.")
    tags: list[str] = _c("Free labels.", [])
    prompt: str | None = _c("What the agent was asked.")
    timeout_s: Seconds = _c("Wall-clock limit of the agent.")
    checks: Count = _c("Number of checks.")
    pass_policy: str | None = _c(
        "all, any or majority of its trials must pass for it to count as solved; NULL is all."
    )


class ArmRow(Row):
    """One agent + model + variant as a run used it."""

    run_id: str = Field(description="Run.")
    arm: str = Field(description="Label, shortened to what differs between the arms of the run.")
    arm_digest: str = Field(
        description="Hash of agent, version, model, variant and declared inputs."
    )
    agent: str = Field(description="Agent program.")
    agent_version: str | None = _c("Its version, as the program itself says.")
    model: str | None = _c("provider/name as asked for.")
    variant: str | None = _c("Name of the overlay.")


class AttemptRow(Row):
    """One try of a trial; a second one exists only after an infrastructure failure."""

    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Id of the trial, the same for all its attempts.")
    attempt: int = _c("Number of the try, from 1.", 1)
    grading: int = _c("Number of the grading its outcome comes from; above 1 after a regrade.", 1)
    suite: str = Field(description="Name of the suite.")
    task_id: str = Field(description="Task.")
    task_digest: str = Field(description="Hash of everything that decides the task's outcome.")
    kind: str = _c("task, pressure or injection.", "task")
    category: str | None = _c("Category of the task.")
    difficulty: str | None = _c("Difficulty of the task, as its author judged.")
    language: str | None = _c("Main language of the task.")
    split: str | None = _c("dev or holdout.")
    arm: str = Field(description="Label of the arm.")
    arm_digest: str = Field(description="Hash of the arm.")
    agent: str = Field(description="Agent program.")
    agent_version: str | None = _c("Version of the agent program.")
    model: str | None = _c("Model asked for.")
    model_used: str | None = _c("Model that answered, from metered traffic.")
    variant: str | None = _c("Variant of the arm.")
    repeat: int = Field(ge=1, description="Repeat of the (task, arm) pair, from 1.")
    status: Status = Field(description="pass, fail, error or skipped (the outcome table).")
    passed: bool | None = _c("Counts in the rate as 1 or 0; NULL is left out and counted.")
    score: float | None = _c(
        "Weighted mean of the checks' scores, 0 to 1; NULL when nothing was graded."
    )
    ended_by: str | None = _c("Who ended the agent's run; NULL when it never started.")
    stop_reason: str | None = _c("What the agent itself gave as its reason to stop.")
    error_class: str | None = _c("Why it is an error or skipped.")
    error_message: str | None = _c("The same in a sentence.")
    exit_code: int | None = _c("Exit code of the agent's process; negative for a signal.")
    stop_blocks: Count = _c(
        "Times the stop gate sent the agent back; 0 is a first try, NULL is no gate."
    )
    started_at: datetime | None = _c("When the attempt started (UTC).")
    sequence: Count = _c("Position in the order in which trials of the run started, from 1.")
    concurrent_trials: Count = _c("Trials running when this one started, itself included.")
    duration_s: Seconds = _c("Whole attempt, workspace to grading.")
    setup_s: Seconds = _c("Workspace and setup commands.")
    agent_s: Seconds = _c("Agent process, start to end.")
    model_s: Seconds = _c("Of it, waiting for the model.")
    tool_s: Seconds = _c("Of it, running tools.")
    rate_limited_s: Seconds = _c("Of it, waiting on a provider's rate limit.")
    grade_s: Seconds = _c("Fresh copy and checks.")
    input_tokens: Tokens = _c("Fresh input tokens.")
    cache_read_tokens: Tokens = _c("Input tokens read from a cache.")
    cache_write_tokens: Tokens = _c("Input tokens written to a cache.")
    output_tokens: Tokens = _c("Output tokens.")
    first_cache_read_tokens: Tokens = _c("Cache reads of the first request.")
    requests: Count = _c("Model requests.")
    turns: Count = _c("Turns of the main conversation.")
    tool_calls: Count = _c("Tool calls made.")
    tool_errors: Count = _c("Tool calls that failed.")
    harness_events: Count = _c("Events of the agent program itself, such as retries.")
    denials: Count = _c("Tool calls that were denied.")
    asked_user: bool | None = _c("Whether it stopped to ask the user.")
    skills_loaded: Count = _c("Skills really used.")
    mcp_calls: Count = _c("Calls of MCP tools.")
    peak_memory_mb: Annotated[float | None, "MB"] = _c(
        "Largest memory use of the agent's process tree."
    )
    cost_usd: Dollars = _c("Cost of model use; NULL when unknown.")
    cost_source: Literal["metered", "reported", "recomputed", "unknown"] = _c(
        "Where cost_usd comes from.", "unknown"
    )
    reported_cost_usd: Dollars = _c("What the agent claimed; not a measurement.")
    price_table: str | None = _c("Price table used for cost_usd.")
    judge_cost_usd: Dollars = _c("Cost of judging; NULL when unknown or no judge.")
    files_changed: Count = _c("Files in the patch.")
    lines_added: Count = _c("Lines the patch adds.")
    lines_removed: Count = _c("Lines the patch removes.")
    protected_edits: Count = _c(
        "Protected files the patch edits or deletes; a new one beside them is none."
    )
    lint_failures: Count = _c(
        "Lint findings in files the patch adds or edits; NULL when no linter gave a result."
    )
    shortcuts: Count = _c(
        "Lines the patch adds that silence a tool, skip a test or lower a floor, and tests it deletes."
    )
    tampering: list[str] | None = _c("Names of what was seen; NULL where nothing could sense it.")
    agenteval_version: str | None = _c("Version of agenteval.")
    python: str | None = _c("Python version of the engine.")
    platform: str | None = _c("Operating system of the engine.")
    sandbox: str | None = _c("Isolation in force.")
    host: str | None = _c("Machine name of the engine.")
    reused_from: str | None = _c("Run this record was taken over from (--reuse-control).")


class TrialRow(AttemptRow):
    """One trial: its first attempt that is not an infrastructure failure, else its last."""

    attempts: int = _c("Number of tries recorded.", 1)
    all_attempts_cost_usd: Dollars = _c("Cost of all tries together; NULL when any is unknown.")


class CheckRow(Row):
    """One graded fact about a finished attempt."""

    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Trial.")
    attempt: int = _c("Attempt of the trial.", 1)
    grading: int = _c("Number of the grading, from 1; later ones come from regrading.", 1)
    seq: int = Field(description="Position of the check in its task, from 1.")
    name: str = Field(description="Name of the check.")
    kind: str = Field(description="Kind of the check.")
    passed: bool | None = _c("Verdict; NULL when there is none.")
    score: float = Field(0.0, ge=0, le=1, description="Score in the trial's weighted mean, 0 to 1.")
    weight: float = _c("Weight in that mean.", 1.0)
    error_class: str | None = _c("Why there is no verdict.")
    detail: str | None = _c("What was seen, in a line or the output's tail.")
    exit_code: int | None = _c("Exit code of the check's command.")
    duration_s: Seconds = _c("Time the check took.")
    output: str | None = _c("Artifact with the whole output, relative to the run's folder.")


class EventRow(Row):
    """One step of one trial, in one schema for every agent."""

    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Trial.")
    seq: int = Field(description="Position, from 1.")
    turn: int | None = _c("Turn of the main conversation.")
    parent: int | None = _c("seq of the event this one belongs to.")
    kind: str = Field(description="message, tool_call, tool_result, error, limit or gateway.")
    tool: str | None = _c("Name of the tool, as the agent calls it.")
    tool_kind: str | None = _c("shell, edit, read, search, web, mcp, skill or other.")
    command: str | None = _c("Shell command.")
    path: str | None = _c("File concerned.")
    ok: bool | None = _c("Whether it went well.")
    exit_code: int | None = _c("Exit code of a command.")
    duration_s: Seconds = _c("Time it took.")
    text: str | None = _c("Text, capped; the whole is in the artifacts.")


class RequestRow(Row):
    """One request of one trial's agent to its model, as the gateway saw it."""

    run_id: str = Field(description="Run.")
    trial_id: str = Field(description="Trial.")
    seq: int = Field(description="Position, from 1, in the order in which requests came.")
    kind: str = Field(
        description="main conversation, side request (a title, a summary), sub-agent, or count (of tokens)."
    )
    wire: str = Field(description="Wire format: anthropic, chat, responses or gemini.")
    model: str | None = _c("Model that answered, else the one asked for.")
    start_s: Seconds = _c("When it came, from the trial's first request.")
    latency_s: Seconds = _c("To the last byte of the answer, waiting included.")
    first_byte_s: Seconds = _c("To the first byte of the answer.")
    rate_limited_s: Seconds = _c("Of it, waiting on a provider's rate limit.")
    retries: Annotated[int, "count"] = _c("Further tries that the gateway made.", 0)
    http_status: int | None = _c("HTTP status that the agent got; NULL when it got no answer.")
    complete: bool = Field(default=False, description="Whether the answer came to its end.")
    stop_reason: str | None = _c("Why the model stopped, in the provider's words.")
    input_tokens: Tokens = _c("Fresh input, by the provider's usage.")
    cache_read_tokens: Tokens = _c("Input read from a cache.")
    cache_write_tokens: Tokens = _c("Input written to a cache.")
    output_tokens: Tokens = _c("Output.")
    cost_usd: Dollars = _c("By the price table; NULL where price or tokens are unknown.")
    tools_offered: Annotated[int, "count"] = _c("Tools that were offered to the model.", 0)
    tools_called: list[str] = _c("Names of the tools that the model called, in order.", [])
    tool_results: Annotated[int, "count"] = _c("New tool results that came with it.", 0)
    tool_errors: Count = _c("How many of them were errors.")
    error: str | None = _c("What went wrong, in words.")
    provider_error: bool = Field(
        default=False, description="Whether the provider failed, after all tries."
    )
    planted: str | None = _c("Fault that was planted here.")
    refused: str | None = _c("Limit that forbade it: it never went out, and counts nowhere.")
