"""`agenteval task mine`: the best commits of a history made into tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agenteval.cli.options import JsonOption, NoSandboxOption, SandboxOption, sandbox_of
from agenteval.cli.output import count, print_json, print_table, say
from agenteval.cli.task.where import (
    InSuiteOption,
    RepeatOption,
    RunnerOption,
    SetupOption,
    TestsOption,
    TimeoutOption,
    check_runner,
    facts_of,
    suite_to_write,
)
from agenteval.errors import InvalidInput

if TYPE_CHECKING:
    from agenteval.engine.authoring import Candidate

SHOWN = 40


def mine(
    repo: Annotated[Path, typer.Argument(help="Folder of a clone, or a bare repository.")],
    *,
    since: Annotated[
        str | None,
        typer.Option(
            "--since", help="Only commits since this date, as git takes it.", show_default=False
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", help="Only commits until this date.", show_default=False),
    ] = None,
    most: Annotated[int, typer.Option("--max", help="Tasks to make.")] = 5,
    rev: Annotated[
        str, typer.Option("--rev", help="Branch, tag or commit to go back from.")
    ] = "HEAD",
    tests: TestsOption = None,
    suite: InSuiteOption = None,
    setup: SetupOption = "",
    runner: RunnerOption = "",
    repeat: RepeatOption = 3,
    timeout: TimeoutOption = 120.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Rank the commits; run and write nothing.")
    ] = False,
    sandbox: SandboxOption = "auto",
    no_sandbox: NoSandboxOption = False,
    json: JsonOption = False,
) -> None:
    """Rank a history's commits by how well they would do as tasks, and make tasks of the best.

    A commit does well when it changes a little source and tests with it, and says what for. The
    best are tried as `task from-commit` does, at most three for each task asked for; those whose
    tests do not fail before and pass after are passed over, with the reason.

    Example: agenteval task mine ~/shop --since '1 year ago' --max 5
    """  # fmt: skip
    from agenteval.engine import scratch_folder
    from agenteval.engine.authoring import Wanted, open_history, rank
    from agenteval.engine.authoring import mine as make

    check_runner(runner, repeat, timeout)
    if most < 1:
        raise InvalidInput(f"{most} tasks are none", "--max", "give a number of at least 1")
    folder = suite_to_write(suite)
    wanted = Wanted(
        tuple(tests or ()), setup=setup, runner=runner, repeat=repeat, timeout_s=timeout
    )
    box = sandbox_of(sandbox, no_sandbox=no_sandbox)
    with scratch_folder() as scratch:
        history = open_history(repo, scratch)
        found = rank(history.commits(rev, since=since, until=until), wanted.tests)
        if not found:
            raise InvalidInput(
                "There is no commit between those dates", str(repo), "widen --since and --until"
            )
        if not dry_run:
            found = make(
                *(found, history, folder, wanted),
                most=most,
                sandbox=box,
                scratch=scratch,
                on_candidate=lambda each: None if json else _tell(each),
            )
    made = [each for each in found if each.drafted is not None]
    if json:
        print_json({"suite": str(folder), "made": len(made), "commits": [_row(each, full=True) for each in found]})  # fmt: skip
    else:
        _show(found, dry_run=dry_run)
        if not dry_run:
            print(f"{count(len(made), 'task')} made in {folder}, of {count(len(found), 'commit')}")
    if not made and not dry_run:
        raise typer.Exit(1)


def _row(each: Candidate, *, full: bool = False) -> dict[str, Any]:
    change, split = each.change, each.split
    what = each.reason or ("a candidate" if each.drafted is None else "made into a task")
    row: dict[str, Any] = {
        "commit": change.sha if full else change.short,
        "date": change.date[:10],
        "subject": change.subject if full else change.subject[:60],
        "score": round(each.score, 2) if each.score else None,
        "source_files": len(split.source),
        "source_lines": split.source_lines,
        "test_files": len(split.hidden),
        "verdict": what,
        "task": None if each.drafted is None else each.drafted.folder.name,
    }
    if full:
        row["drafted"] = None if each.drafted is None else facts_of(each.drafted)
    return row


def _tell(each: Candidate) -> None:
    what = each.reason or f"made into {each.drafted.folder.name if each.drafted else 'a task'}"
    say(f"{each.change.short} {each.change.subject[:60]}: {what}")


def _show(found: list[Candidate], *, dry_run: bool) -> None:
    rated = [each for each in found if each.score > 0]
    shown = rated if len(rated) <= SHOWN else rated[:SHOWN]
    columns = ["commit", "date", "subject", "score", "source_files", "source_lines", "test_files", "verdict"]  # fmt: skip
    print_table([_row(each) for each in shown], columns)
    if len(rated) > len(shown):
        say(f"and {len(rated) - len(shown)} more candidates; --json lists them all")
    reasons: dict[str, int] = {}
    for each in found:
        if not each.score:
            reason = (each.reason or "").split(", more than")[0]
            reason = "it changes too much" if ", more than" in (each.reason or "") else reason
            reasons[reason] = reasons.get(reason, 0) + 1
    print("passed over by their files:" if reasons else "no commit was passed over by its files")
    for reason, number in sorted(reasons.items(), key=lambda item: -item[1]):
        print(f"  {number:5} {reason}")
    if dry_run and not rated:
        say("no commit is a candidate; --tests GLOB says which files are tests")
