"""Progress of a run: a bar on a terminal, plain lines elsewhere, both on stderr."""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agenteval.cli.output import count, say

if TYPE_CHECKING:
    from agenteval.engine import Progress
    from agenteval.records import AttemptRow


@contextlib.contextmanager
def show_progress(*, quiet: bool = False) -> Iterator[Progress]:
    """Give the engine a listener that fits where stderr goes."""
    from agenteval.engine import Progress

    if quiet:
        yield Progress()
    elif sys.stderr.isatty():
        with _bar() as listener:
            yield listener
    else:
        yield _lines()


@contextlib.contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    from agenteval.engine import Progress

    counts: Counter[str] = Counter()
    columns = (
        TextColumn("trials"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        job = bar.add_task("", total=None)

        def finished(row: AttemptRow) -> None:
            counts[str(row.status)] += 1
            bar.update(job, advance=1, description=_counts(counts))

        yield Progress(
            planned=lambda total, held: bar.update(job, total=total, completed=held),
            finished=finished,
            note=lambda text: bar.console.print(f"note: {text}", markup=False),
        )


def _lines() -> Progress:
    from agenteval.engine import Progress

    counts: Counter[str] = Counter()
    state = {"total": 0, "done": 0}

    def planned(total: int, held: int) -> None:
        state.update(total=total, done=held)
        say(f"{count(total, 'trial')} planned, {held} already held")

    def finished(row: AttemptRow) -> None:
        counts[str(row.status)] += 1
        state["done"] += 1
        why = f" ({row.error_class})" if row.error_class else ""
        say(
            f"[{state['done']}/{state['total']}] {row.status}{why}  {row.task_id}  {row.arm}  repeat {row.repeat}  {row.duration_s or 0:.1f} s"
        )

    return Progress(planned=planned, finished=finished, note=lambda text: say(f"note: {text}"))


def _counts(counts: Counter[str]) -> str:
    return "  ".join(f"{number} {status}" for status, number in sorted(counts.items()))
