"""What `agenteval validate` prints: a row for each solution of each task, and what is to be known beside."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from agenteval.cli.output import count, print_table, say

if TYPE_CHECKING:
    from agenteval.engine import Assessment, Finding

SLOW_S = 20.0
COLUMNS = ["task", "solution", "should", "came out", "failing checks", "verdict"]


def rows_of(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """One row for each solution of each task."""
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.task_id, finding.solution].append(finding)
    rows: list[dict[str, object]] = []
    for (task, solution), tries in groups.items():
        outcomes = [came_out(f) for f in tries]
        flaky = len(set(outcomes)) > 1
        verdict = "flaky" if flaky else "as it should" if all(f.ok for f in tries) else "WRONG"
        rows.append(
            {
                "task": task,
                "solution": solution,
                "should": "pass" if tries[0].should_pass else "fail",
                "came out": ", ".join(outcomes),
                "failing checks": sorted({name for f in tries for name in f.failing}),
                "verdict": verdict,
                "seconds": max((f.seconds or 0.0) for f in tries),
            }
        )
    return sorted(rows, key=lambda row: str(row["task"]))


def came_out(finding: Finding) -> str:
    """What one try came to, in a word or two."""
    if finding.status is None and "no reference solution" in finding.detail:
        return "there is none yet"
    return str(finding.status or "infrastructure")


def facts_of(assessments: Iterable[Assessment]) -> list[dict[str, Any]]:
    """What is printed of each task as JSON."""
    return [
        {
            "task": each.task_id,
            "always_pass": each.always_pass,
            "never_pass": each.never_pass,
            "leaks": [{"where": leak.where, "what": leak.what} for leak in each.leaks],
            "untold": each.untold,
            "grade_s": each.grade_s,
            "network": each.network,
            "unheld": each.unheld,
        }
        for each in assessments
    ]


def show(
    rows: list[dict[str, Any]],
    assessments: list[Assessment],
    remembered: list[str],
    tries: int,
    skipped: dict[str, str],
) -> None:
    """Print the table, and the remarks on tasks below it."""
    if rows:
        print_table(rows, COLUMNS)
    for name, why in skipped.items():
        print(f"{name}: not validated: skipped, {why}")
    for each in assessments:
        _remark(each)
    bad = sum(row["verdict"] != "as it should" for row in rows)
    odd = sum(not each.ok for each in assessments)
    times = sorted(each.grade_s for each in assessments if each.grade_s is not None)
    took = (
        f", grading takes {times[len(times) // 2]:.1f} s (median task), {times[-1]:.1f} s at most"
        if times
        else ""
    )
    verdict = (
        "nothing was validated"
        if not rows and not remembered
        else "every task is a real test"
        if not bad and not odd
        else "; ".join(
            filter(
                None,
                [
                    f"{count(bad, 'solution')} did not come out as it should" if bad else "",
                    f"{count(odd, 'task')} with a leak or a check that passes nowhere"
                    if odd
                    else "",
                ],
            )
        )
    )
    print(f"{count(len(assessments) + len(remembered), 'task')}, {tries} tries{took}: {verdict}")
    if remembered:
        say(
            f"{count(len(remembered), 'task')} validated before and unchanged, not tried again: {', '.join(remembered[:6])}{', ...' if len(remembered) > 6 else ''}; --again tries them"
        )


def _remark(each: Assessment) -> None:
    """Print what is to be known of one task."""
    for leak in each.leaks:
        print(f"{each.task_id}: LEAK: {leak.where} holds {leak.what}")
    for name in each.never_pass:
        print(f"{each.task_id}: the check {name} passes nowhere, not even with the reference")
    for name in each.always_pass:
        print(
            f"{each.task_id}: the check {name} passes everywhere: no wrong solution breaks what it guards"
        )
    if each.untold:
        print(f"{each.task_id}: hidden tests use names that nobody tells: {', '.join(each.untold)}")
    if each.unheld:
        print(
            f"{each.task_id}: protected, and held by no check of kind protected or files-changed: {', '.join(each.unheld)}"
        )
    if each.network:
        print(f"{each.task_id}: may use the network, on which its outcome can depend")
    if each.grade_s is not None and each.grade_s > SLOW_S:
        print(f"{each.task_id}: grading takes {each.grade_s:.0f} s")
