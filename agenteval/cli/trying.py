"""`agenteval try`: one trial, live."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agenteval.cli.arms import (
    UserConfigOption,
    VariantOption,
    variables_asked,
    warn_of_unread,
    with_own_config,
    with_variants,
)
from agenteval.cli.model_options import PRICES, RECORD, REPLAY_RULES, UPSTREAMS, models_of
from agenteval.cli.options import (
    FilesOption,
    JsonOption,
    NoSandboxOption,
    PassEnvOption,
    SandboxOption,
    arms_of,
    new_run_id,
    sandbox_of,
    suite_folder,
    variables_of,
)
from agenteval.cli.output import print_json, printable, say, tell
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine import TrialResult
    from agenteval.suite import LoadedTask

USED = (
    "requests", "turns", "tool_calls", "tool_errors", "denials", "skills_loaded", "mcp_calls",
    "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "cost_usd", "reported_cost_usd",
)  # fmt: skip
TRIES = Path(".agenteval/tries")


def try_(
    task: Annotated[str, typer.Argument(help="Id of a task, or its folder.")],
    *,
    suite: Annotated[
        Path | None,
        typer.Option(
            "--suite",
            help="Suite the id is in; `bundled` for the tasks that come along.",
            show_default="./evals or ./tasks, else bundled",
        ),
    ] = None,
    agent: Annotated[
        str, typer.Option("--agent", help="NAME[@VERSION][:ARG].")
    ] = "scripted:reference",
    model: Annotated[
        str | None, typer.Option("--model", help="provider/name.", show_default=False)
    ] = None,
    variant: VariantOption = None,
    with_user_config: UserConfigOption = False,
    agent_files: FilesOption = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of scripted agents.")] = 0,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    pass_env: PassEnvOption = None,
    upstreams: UPSTREAMS = None,
    prices: PRICES = None,
    record: RECORD = None,
    replay_rules: REPLAY_RULES = None,
    json: JsonOption = False,
) -> None:
    """Run one trial and watch it: the agent's output as it comes, the diff, the checks.

    The trial stays out of the store's tables; its artifacts are kept in .agenteval/tries.

    Example: agenteval try pagination --suite ./evals --agent command:'./my-agent {prompt_file}'
    """
    from agenteval.engine import (
        Bases,
        Surroundings,
        TrialSpec,
        check_arms,
        check_isolation,
        check_models,
        check_trials,
        open_models,
        run_trial,
        sandbox_name,
        scratch_folder,
        write_artifacts,
    )
    from agenteval.records import trial_id

    loaded = find_task(task, suite)
    named = arms_of([agent], [model] if model else None, agent_files)
    arms = with_variants(named, variant, loaded.folder.parent)[:1]
    (arm,) = with_own_config(arms) if with_user_config else arms
    models = models_of(upstreams, prices, record, replay_rules)
    check_arms([loaded], [arm], models.upstreams)
    check_models([arm], models)
    box = sandbox_of(sandbox, no_sandbox=no_sandbox)
    check_isolation([loaded], box)
    passed = variables_of(variables_asked(pass_env, [arm]))
    run_id = new_run_id("try")
    spec = TrialSpec(
        run_id,
        trial_id(run_id, "", loaded.task.id, arm.digest, 1),
        "try",
        loaded,
        arm,
        arm.full_label,
        1,
        seed,
    )
    check_trials([spec], models)
    warn_of_unread([loaded], [arm])
    if not json:
        _header(loaded, arm.full_label, sandbox_name(loaded, box.name))
    with scratch_folder() as scratch, open_models([arm], models, scratch) as opened:
        around = Surroundings(
            box,
            Bases(scratch / "bases"),
            scratch,
            on_output=None if json or arm.agent == "scripted" else _live,
            passed=passed,
            models=opened,
        )
        result = run_trial(spec, around)
    folder = TRIES / run_id
    write_artifacts(folder, result)
    (TRIES.parent / ".gitignore").write_text("*\n")
    if json:
        print_json(
            {
                "attempt": result.attempt.model_dump(mode="json"),
                "checks": [c.model_dump(mode="json") for c in result.checks],
                "artifacts": str(folder),
            }
        )
    else:
        _show(result, folder)


def find_task(task: str, suite: Path | None) -> LoadedTask:
    """The task that is meant: by its folder, or by its id in a suite.

    Raises
    ------
    InvalidInput
        When it names none, or several.
    """
    from agenteval.records import bundled
    from agenteval.suite import load_suite

    if suite is None and Path(task).is_dir():
        return load_suite(Path(task)).tasks[0]
    if suite is None and not any(Path(name).is_dir() for name in ("evals", "tasks")):
        suite = bundled("tasks")
    loaded = load_suite(suite_folder(suite), tasks=task)
    if len(loaded.tasks) != 1:
        raise InvalidInput(
            f"{task!r} names {len(loaded.tasks)} tasks",
            "agenteval try",
            "name one: " + ", ".join(t.task.id for t in loaded.tasks[:6]),
        )
    return loaded.tasks[0]


def _header(loaded: LoadedTask, label: str, sandbox: str) -> None:
    say(
        f"task {loaded.task.id} ({loaded.task.category}, {loaded.task.difficulty}): {loaded.task.title}"
    )
    say(f"agent {label}, sandbox {sandbox}, at most {loaded.task.timeout_s:g} s")
    say(f"\n--- prompt ---\n{loaded.prompt.strip()}\n--- agent ---")


def _live(stream: str, data: bytes) -> None:
    target = sys.stdout if stream == "stdout" else sys.stderr
    text = data.decode("utf-8", "replace")
    target.write(printable(text) if target.isatty() else text)
    target.flush()


def _show(result: TrialResult, folder: Path) -> None:
    from agenteval.records import ANSWER, PATCH

    row = result.attempt
    answer = result.artifacts.get(ANSWER, b"").decode("utf-8", "replace").strip()
    patch = result.artifacts.get(PATCH, b"").decode("utf-8", "replace")
    if answer:
        tell(f"--- answer ---\n{answer}")
    tell(
        f"--- diff: {row.files_changed or 0} files, +{row.lines_added or 0} -{row.lines_removed or 0} ---"
    )
    tell(patch if patch else "(no change)")
    tell("--- checks ---")
    for check in result.checks:
        mark = "pass" if check.passed else "FAIL" if check.passed is False else "no verdict"
        tell(f"{mark:10} {check.name} ({check.kind}, {check.duration_s or 0:.1f} s)")
        if not check.passed and check.detail:
            tell("\n".join(f"           {line}" for line in check.detail.splitlines()[-12:]))
    why = f" ({row.error_class}: {row.error_message})" if row.error_class else ""
    tell(
        f"--- {row.status}{why}; ended by {row.ended_by}; agent {row.agent_s or 0:.1f} s, grading {row.grade_s or 0:.1f} s ---"
    )
    if row.model_used:
        tell(f"model: {row.model_used} (asked for: {row.model})")
    used = {name: getattr(row, name) for name in USED if getattr(row, name) is not None}
    told = ", ".join(f"{name} {value:g}" for name, value in used.items())
    tell(f"used: {told} (cost {row.cost_source})" if used else "nothing was metered or reported")
    say(f"artifacts: {folder}")
