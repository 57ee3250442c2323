"""Running test files whose ids were recorded, with a tripwire in each, and reading what came out."""

from __future__ import annotations

import os
import re
import secrets
import shlex
from dataclasses import replace
from pathlib import Path

from agenteval.checks.judging import VERDICT_FORGED, judge
from agenteval.checks.junit import JunitError, read_junit, remove_below
from agenteval.checks.protocol import Grading, Verdict
from agenteval.checks.tripwire import Tripwires, plant
from agenteval.records import HiddenTestsCheck, RecordedCheck
from agenteval.sandbox import Command, Finished, run_in
from agenteval.suite import Runner, runner_of

KEEP_BYTES = 1 << 20
TAIL_CHARS = 600
REPORTER = "node_reporter.mjs"
_PLACES = re.compile(r"(?<!\$)\{(files|junit|node_reporter)\}")  # `${name}` is the shell's own
# The project's own pytest settings hold, so that its tests run as they always do; but nothing may
# end the run before the tripwire, neither an earlier failure nor a file that cannot be imported.
COMMANDS: dict[Runner, str] = {
    "pytest": "python3 -m pytest -q --tb=short -p no:cacheprovider --rootdir=. --maxfail=0 "
    "--continue-on-collection-errors --junitxml={junit} {files}",
    "node": "node --test --test-reporter={node_reporter} --test-reporter-destination={junit} "
    "--test-reporter=spec --test-reporter-destination=stdout {files}",
}


def run_recorded(check: RecordedCheck, grading: Grading, *, exact: bool) -> Verdict:
    """Run the grading's test files once and compare them with the recorded ids.

    Parameters
    ----------
    grading
        Its box must be one in which nothing has run yet.
    exact
        Whether ids that were not recorded fail the check.
    """
    if not grading.test_files:
        return Verdict(passed=False, detail="there is no test file to run")
    tripwires = plant(grading.box.workspace, grading.test_files)
    folder, name = _results_place(check, grading)
    done = run_in(
        grading.sandbox,
        grading.box,
        _command(check, grading, name),
        bounds=grading.bounds(check.timeout_s, KEEP_BYTES),
        cancel=grading.cancel,
    )
    verdict = _verdict(check, grading, done, tripwires, (folder, name), exact=exact)
    return replace(
        verdict,
        exit_code=done.exit_code,
        duration_s=done.duration_s,
        output=_output(done, tripwires),
    )


def _results_place(check: RecordedCheck, grading: Grading) -> tuple[Path, str]:
    """Folder on the host and path below it; what lies there already is no result."""
    if check.junit is None:
        return grading.box.tmp, f"{secrets.token_hex(8)}.xml"
    remove_below(grading.box.workspace, check.junit)
    return grading.box.workspace, check.junit


def _command(check: RecordedCheck, grading: Grading, name: str) -> Command:
    view = grading.sandbox.view(grading.box)
    (grading.box.inputs / REPORTER).write_bytes(Path(__file__).with_name(REPORTER).read_bytes())
    files = [os.path.relpath(file, check.cwd) for file in grading.test_files]
    values = {
        "files": shlex.join(f"./{file}" if file.startswith("-") else file for file in files),
        "junit": f"{view.tmp}/{name}" if check.junit is None else f"{view.workspace}/{name}",
        "node_reporter": f"{view.inputs}/{REPORTER}",
    }

    def filled(text: str) -> str:
        return _PLACES.sub(lambda found: values[found[1]], text)

    run = check.run or COMMANDS[runner_of(grading.test_files[0]) or "pytest"]
    env = {key: filled(value) for key, value in check.env.items()}
    return Command(["sh", "-c", filled(run)], dict(grading.env) | env, check.cwd)


def _verdict(
    check: RecordedCheck,
    grading: Grading,
    done: Finished,
    tripwires: Tripwires,
    place: tuple[Path, str],
    *,
    exact: bool,
) -> Verdict:
    if done.stopped_by is not None:
        return Verdict(
            passed=None,
            detail=f"stopped by {done.stopped_by} after {done.duration_s:.1f} s",
            error_class="check_timeout" if done.stopped_by == "timeout" else "check_no_verdict",
            stopped_by=done.stopped_by,
        )
    try:
        results = read_junit(*place)
    except JunitError as error:
        tail = (done.stdout + done.stderr).decode("utf-8", "replace").strip()[-TAIL_CHARS:]
        return Verdict(
            passed=None,
            detail=f"{error}, and the tests ended with exit code {done.exit_code}\n{tail}".strip(),
            error_class="check_no_verdict",
            tampering=(VERDICT_FORGED,) if error.by_hand or done.exit_code == 0 else (),
        )
    if isinstance(check, HiddenTestsCheck):
        results = {test: status for test, status in results.items() if test not in check.ignored}
    judged = judge(
        results, tripwires, exit_code=done.exit_code, recorded=grading.recorded, exact=exact
    )
    return Verdict(
        passed=judged.passed,
        detail=judged.detail,
        error_class="check_no_verdict" if judged.passed is None else None,
        tests=judged.tests,
        tampering=(VERDICT_FORGED,) if judged.forged else (),
    )


def _output(done: Finished, tripwires: Tripwires) -> bytes:
    parts = [done.stdout]
    if done.stderr:
        parts.append(b"--- stderr ---\n" + done.stderr)
    named = ", ".join(tripwires.names)
    parts.append(f"--- laid in by the grading, and meant to fail: {named} ---\n".encode())
    return b"\n".join(parts)
