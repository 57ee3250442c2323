"""The check `lint`: a linter looks at the files that the agent added or changed, and at no other."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agenteval.checks.patterns import NoVerdictError, which
from agenteval.checks.protocol import Grading, Verdict
from agenteval.records import LintCheck
from agenteval.sandbox import Command, Finished, run_in

KEEP_BYTES = 256 << 10
TAIL_CHARS = 600
COMMAND_BYTES = 48 << 10  # {files} may stand twice in it, and the kernel takes 128 KiB
FILES = re.compile(r"(?<!\$)\{files\}")  # `${files}` is the shell's own
NOT_STARTED = (126, 127)  # what a shell says of a program that is not there


def check_lint(check: LintCheck, grading: Grading) -> Verdict:
    """Run the linter; findings are counted, and fail the check only where it asks for that."""
    try:
        files = _files(check, grading)
    except NoVerdictError as error:
        return _unknown(check, error.detail, error.error_class)
    if not files:
        return Verdict(passed=True, detail="no file to look at was added or changed", findings=0)
    done, output, found = Finished(0, None, 0.0, b"", b""), b"", 0
    for batch in batches_of(files):
        part = _run(check, grading, batch, check.timeout_s - done.duration_s)
        printed = part.stdout + (b"\n--- stderr ---\n" + part.stderr if part.stderr else b"")
        output = (output + printed)[-2 * KEEP_BYTES :]
        exit_code = part.exit_code or done.exit_code
        done = replace(part, exit_code=exit_code, duration_s=done.duration_s + part.duration_s)
        if part.stopped_by is not None or part.exit_code in NOT_STARTED:
            why = part.stopped_by or f"exit code {part.exit_code}"
            unclear = "check_timeout" if part.stopped_by == "timeout" else "check_no_verdict"
            verdict = _unknown(check, f"the linter gave no result: {why}", unclear)
            return _with_run(verdict, done, output)
        if part.exit_code:
            found += findings_in(printed.decode("utf-8", "replace"), batch)
    text = output.decode("utf-8", "replace")
    detail = f"{found} findings in {len(files)} files"
    tail = text.strip()[-TAIL_CHARS:]
    verdict = Verdict(
        passed=not found or not check.failing,
        detail=f"{detail}\n{tail}" if found else detail,
        findings=found,
    )
    return _with_run(verdict, done, output)


def batches_of(files: Sequence[str]) -> Iterator[list[str]]:
    """Files in the order given, so many at a time as one command line takes."""
    batch: list[str] = []
    room = COMMAND_BYTES
    for path in files:
        size = 4 * len(os.fsencode(path)) + 4  # quoted, in the worst case
        if batch and size > room:
            yield batch
            batch, room = [], COMMAND_BYTES
        batch.append(path)
        room -= size
    yield batch


def command_of(check: LintCheck, files: Sequence[str]) -> str:
    """The command with the files in it, quoted and relative to the folder it runs in."""
    names = [os.path.relpath(path, check.cwd) for path in files]
    quoted = shlex.join(f"./{name}" if name.startswith("-") else name for name in names)
    if FILES.search(check.run):
        return FILES.sub(lambda _: quoted, check.run)
    return f"{check.run} {quoted}"


def findings_in(output: str, files: Sequence[str]) -> int:
    """Number of findings in a failing linter's output, by the shapes that linters have; at least 1.

    That is the number of lines with a file and a line number, else of lines with a position
    (where a line above names the file), else of lines that name a file.
    """
    lines = output.splitlines()
    names = "|".join(re.escape(os.path.basename(path)) for path in files)  # noqa: PTH119 - a text
    shapes = (rf"({names})[:(]\d+", r"^\s+\d+:\d+\s", rf"({names})")
    counts = (sum(bool(re.search(shape, line)) for line in lines) for shape in shapes)
    return next((count for count in counts if count), 1)


def _run(check: LintCheck, grading: Grading, files: Sequence[str], left_s: float) -> Finished:
    return run_in(
        grading.sandbox,
        grading.box,
        Command(["sh", "-c", command_of(check, files)], dict(grading.env) | check.env, check.cwd),
        bounds=grading.bounds(max(0.1, left_s), KEEP_BYTES),
        cancel=grading.cancel,
    )


def _files(check: LintCheck, grading: Grading) -> list[str]:
    """Regular files of the copy that the change added or edited."""
    there = [
        file.path
        for file in grading.work.changes.files
        if file.after is not None and not file.link and file.touched
    ]
    real = [path for path in there if _is_file(grading, path)]
    return which(check.files, real, cancel=grading.cancel) if check.files else real


def _is_file(grading: Grading, path: str) -> bool:
    full = grading.box.workspace / path
    return full.is_file() and not full.is_symlink()


def _unknown(check: LintCheck, detail: str, error_class: str) -> Verdict:
    """Nobody knows: no verdict where findings fail the check, else it has no say."""
    if check.failing:
        return Verdict(passed=None, detail=detail, error_class=error_class)
    return Verdict(passed=True, detail=detail)


def _with_run(verdict: Verdict, done: Finished, output: bytes) -> Verdict:
    return Verdict(
        passed=verdict.passed,
        detail=verdict.detail,
        error_class=verdict.error_class,
        exit_code=done.exit_code,
        duration_s=done.duration_s,
        output=output,
        stopped_by=done.stopped_by,
        findings=verdict.findings,
    )
