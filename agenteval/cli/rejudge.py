"""`agenteval rejudge`: stored trials judged again, by another rubric or another judge."""

from __future__ import annotations

from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.judge_options import JUDGE_API, JUDGE_KEY_ENV, JUDGE_URL, judge_of
from agenteval.cli.options import JsonOption, StoreOption
from agenteval.cli.output import count, print_json, records_of, say
from agenteval.cli.run_options import MAX_COST
from agenteval.errors import AgentEvalError, InvalidInput

if TYPE_CHECKING:
    from agenteval.lab import Rejudged
    from agenteval.records import JudgeQuestion, JudgeSettings
    from agenteval.store import Store


def rejudge(
    run: Annotated[str, typer.Argument(help="Run.")],
    *,
    rubric: Annotated[Path, typer.Option("--rubric", help="File with the rubric.")],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="provider/name of the judge; repeat it for a panel. That of the suite by default.",
            show_default=False,
        ),
    ] = None,
    reference: Annotated[
        Path | None,
        typer.Option("--reference", help="File with a good answer.", show_default=False),
    ] = None,
    threshold: Annotated[float, typer.Option("--threshold", help="Score that passes.")] = 0.7,
    samples: Annotated[int, typer.Option("--samples", help="Replies of each judge.")] = 1,
    scale: Annotated[str, typer.Option("--scale", help="0-1, 0-10 or 0-100.")] = "0-1",
    panel: Annotated[
        str, typer.Option("--panel", help="How a panel is joined: majority, mean or median.")
    ] = "majority",
    tasks: Annotated[
        str | None,
        typer.Option("--tasks", help="Globs of task ids, joined by commas.", show_default=False),
    ] = None,
    judge_url: JUDGE_URL = None,
    judge_api: JUDGE_API = None,
    judge_key_env: JUDGE_KEY_ENV = None,
    concurrency: Annotated[
        int, typer.Option("--concurrency", help="Trials judged at one time.")
    ] = 4,
    max_cost: MAX_COST = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Judge the stored trials of a run again; judgments are added, outcomes stay as they are.

    The same content is never paid for twice. Exit code 1 when the budget stopped it short, 2 when no
    judge gave a reply.

    Example: agenteval rejudge nightly-17 --rubric strict.md --model openai/gpt-5-mini --samples 3
    """
    import agenteval as ae
    from agenteval.comparison import judge_health
    from agenteval.lab import rejudge as judge_again

    opened = ae.open_store(store)
    one = model[0] if model else None
    settings = _settings(opened, run).overridden(
        **judge_of(one, judge_url, judge_api, judge_key_env)
    )
    question = _question(
        rubric=_text(rubric),
        reference=_text(reference) if reference else "",
        threshold=threshold,
        samples=samples,
        scale=scale,
        **(
            {"panel": {"models": model, "rule": panel}}
            if model and len(model) > 1
            else {"model": one or settings.model}
        ),
    )
    result = judge_again(
        opened,
        _chosen(opened, run, tasks),
        question,
        settings,
        rubric_name=rubric.name,
        concurrency=concurrency,
        max_cost_usd=max_cost,
        on_done=(lambda done, total: None) if json else _progress,
    )
    rows = opened.judgments(run=run)
    health = judge_health(rows[rows["judging"] == result.judging])
    if json:
        print_json(_facts(result, question) | {"judges": records_of(health.table)})
    else:
        _tell(result, run)
        for note in health.notes:
            say(f"note: {note}")
    code = _exit_code(result)
    if code:
        raise typer.Exit(code)


def _settings(store: Store, run: str) -> JudgeSettings:
    """How the run's suite reaches its judges, as far as it is still there."""
    from agenteval.records import JudgeSettings, RunFolder, read_manifest
    from agenteval.suite import load_suite

    manifest = read_manifest(RunFolder(store.run_folder(run)).manifest)
    try:
        if manifest.suite_path and Path(manifest.suite_path).exists():
            loaded = load_suite(manifest.suite_path, unrecorded=True, judge=manifest.judge)
            return loaded.suite.judge
    except AgentEvalError as error:
        say(f"note: the suite's [judge] is not used: {error.what}")
    return JudgeSettings().overridden(**manifest.judge)


def _question(**given: Any) -> JudgeQuestion:
    from pydantic import ValidationError

    from agenteval.records import JudgeQuestion

    try:
        return JudgeQuestion.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"Judges cannot be asked so: {key}: {first['msg']}".replace(": :", ":"),
            "agenteval rejudge",
            "see `agenteval rejudge --help`",
        ) from error


def _chosen(store: Store, run: str, tasks: str | None) -> Any:
    trials = store.trials(run=run)
    if tasks is None:
        return trials
    globs = [glob.strip() for glob in tasks.split(",")]
    wanted = [any(fnmatchcase(task, glob) for glob in globs) for task in trials["task_id"]]
    return trials[wanted]


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            f"The file cannot be read: {error}", str(path), "name a file of UTF-8 text"
        ) from error


def _facts(result: Rejudged, question: JudgeQuestion) -> dict[str, Any]:
    from agenteval.judge import rubric_version

    return {
        "judging": result.judging,
        "rubric": rubric_version(question),
        **result.counts,
        "skipped": len(result.skipped),
        "cost_usd": result.cost_usd,
        "short": result.short,
    }


def _tell(result: Rejudged, run: str) -> None:
    told = ", ".join(f"{number} {name}" for name, number in result.counts.items() if number)
    cost = "unknown cost" if result.cost_usd is None else f"${result.cost_usd:.4g}"
    print(f"run {run}: {count(len(result.judged), 'trial')} judged ({told or 'none'}), {cost}")
    say(f"judging {result.judging}; store.judgments() holds every reply")
    if result.skipped:
        say(
            f"{count(len(result.skipped), 'trial')} left out: {next(iter(result.skipped.values()))}"
        )
    if result.short:
        say(f"stopped: {result.short}; the same command goes on where it stopped")


def _progress(done: int, total: int) -> None:
    if done == total or done % max(1, total // 10) == 0:
        say(f"[{done}/{total}] judged")


def _exit_code(result: Rejudged) -> int:
    if result.judged and result.counts["judge_provider_down"] == len(result.judged):
        return 2
    return int(result.short is not None)
