"""The check `command`: a shell command in the grading copy, sandboxed and offline."""

from __future__ import annotations

from agenteval.checks.patterns import NoVerdictError, search
from agenteval.checks.protocol import Grading, Verdict
from agenteval.records import CommandCheck
from agenteval.sandbox import Command, Finished, run_in
from agenteval.suite import runs_code

KEEP_BYTES = 256 << 10
FORGEABLE = "; forgeable: code that ran there can print it"
TAIL_CHARS = 600


def check_command(check: CommandCheck, grading: Grading) -> Verdict:
    """Run the command; exit code and output decide, a timeout is no verdict."""
    done = run_in(
        grading.sandbox,
        grading.box,
        Command(["sh", "-c", check.run], dict(grading.env) | check.env, check.cwd),
        bounds=grading.bounds(check.timeout_s, KEEP_BYTES),
        cancel=grading.cancel,
    )
    output = done.stdout + (b"\n--- stderr ---\n" + done.stderr if done.stderr else b"")
    error, passed = None, None
    if done.stopped_by is not None:
        error = "check_timeout" if done.stopped_by == "timeout" else "check_no_verdict"
        detail = f"stopped by {done.stopped_by} after {done.duration_s:.1f} s"
    else:
        try:
            passed, detail = _judge(check, done, grading)
        except NoVerdictError as stopped:
            error, detail = stopped.error_class, stopped.detail
    tail = output.decode("utf-8", "replace").strip()[-TAIL_CHARS:]
    return Verdict(
        passed=passed,
        detail=detail if passed else f"{detail}\n{tail}".strip(),
        error_class=error,
        exit_code=done.exit_code,
        duration_s=done.duration_s,
        output=output,
        stopped_by=done.stopped_by,
    )


def _judge(check: CommandCheck, done: Finished, grading: Grading) -> tuple[bool, str]:
    if done.exit_code != check.expect_exit:
        return False, f"exit code {done.exit_code}, expected {check.expect_exit}"
    stdout = done.stdout.decode("utf-8", "replace")
    if check.stdout_contains is not None and check.stdout_contains not in stdout:
        return False, f"standard output lacks {check.stdout_contains!r}"
    if (
        check.stdout_matches is not None
        and search(check.stdout_matches, stdout, cancel=grading.cancel) is None
    ):
        return False, f"standard output does not match {check.stdout_matches!r}"
    told = f"exit code {done.exit_code}"
    if check.stdout_contains is None and check.stdout_matches is None:
        return True, told
    return True, f"{told}, output as expected{FORGEABLE if runs_code(check.run) else ''}"
