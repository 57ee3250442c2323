"""The check `command`."""

import threading

import pytest


def test_exit_code_0_passes(run, sandbox, copy):
    (copy / "app.txt").write_text("fixed\n")
    verdict = run("command", run="grep -q fixed app.txt", sandbox=sandbox)
    assert (verdict.passed, verdict.score, verdict.exit_code, verdict.error_class) == (
        True,
        1.0,
        0,
        None,
    )
    assert verdict.detail == "exit code 0"
    assert verdict.duration_s > 0


def test_another_exit_code_fails_and_says_which_and_shows_the_output(run, sandbox):
    verdict = run("command", run="echo seen; echo why >&2; exit 3", sandbox=sandbox)
    assert (verdict.passed, verdict.score, verdict.exit_code) == (False, 0.0, 3)
    assert verdict.detail.startswith("exit code 3, expected 0\n")
    assert "seen" in verdict.detail
    assert "why" in verdict.detail
    assert verdict.output == b"seen\n\n--- stderr ---\nwhy\n"


def test_the_expected_exit_code_is_the_tasks_to_say(run, sandbox):
    assert run("command", run="exit 3", expect_exit=3, sandbox=sandbox).passed
    assert run("command", run="true", expect_exit=3, sandbox=sandbox).passed is False


@pytest.mark.parametrize(
    ("keys", "passed"),
    [
        ({"stdout_contains": "total: 42"}, True),
        ({"stdout_contains": "total: 43"}, False),
        ({"stdout_contains": "error"}, False),  # on stderr only
        ({"stdout_matches": r"^total: \d+$"}, True),
        ({"stdout_matches": r"^\d+$"}, False),
        ({"stdout_contains": "total", "stdout_matches": "nothing"}, False),
    ],
)
def test_standard_output_decides_too(run, keys, passed):
    verdict = run("command", run="echo head; echo 'total: 42'; echo error >&2", **keys)
    assert verdict.passed is passed
    if not passed:
        assert verdict.detail.startswith("standard output ")


def test_output_does_not_rescue_a_wrong_exit_code(run):
    assert run("command", run="echo ok; exit 1", stdout_contains="ok").passed is False


def test_a_timeout_is_no_verdict_and_counts_as_zero(run, sandbox):
    verdict = run("command", run="echo started; sleep 600", timeout_s=0.3, sandbox=sandbox)
    assert (verdict.passed, verdict.score, verdict.error_class) == (None, 0.0, "check_timeout")
    assert verdict.detail.startswith("stopped by timeout after 0.")
    assert verdict.output == b"started\n"


def test_a_timeout_beats_what_was_printed_before(run):
    assert (
        run("command", run="echo ok; exec sleep 600", timeout_s=0.3, stdout_contains="ok").passed
        is None
    )


def test_stopped_by_a_cancelled_run_it_says_nothing(run):
    cancel = threading.Event()
    cancel.set()
    verdict = run("command", run="sleep 600", cancel=cancel)
    assert (verdict.passed, verdict.error_class) == (None, "check_no_verdict")


def test_killed_by_a_signal_is_a_failure(run, sandbox):
    verdict = run("command", run="kill -KILL $$", sandbox=sandbox)
    assert (verdict.passed, verdict.exit_code) == (False, 137 if sandbox.isolates else -9)


def test_its_variables_win_over_the_tasks(run):
    check = {"run": 'echo "$A $B"', "env": {"B": "check"}, "stdout_contains": "task check"}
    assert run("command", task_env={"A": "task", "B": "task"}, **check).passed


def test_it_runs_in_its_folder(run, sandbox, copy):
    (copy / "sub/deep").mkdir(parents=True)
    (copy / "sub/deep/here").touch()
    assert run("command", run="test -e here", cwd="sub/deep", sandbox=sandbox).passed


@pytest.mark.parametrize("left", ["nothing", "a file", "a link outside"])
def test_a_folder_the_agent_removed_fails_the_check(run, sandbox, copy, left):
    if left == "a file":
        (copy / "sub").touch()
    elif left == "a link outside":
        (copy / "sub").symlink_to("/nowhere")
    verdict = run("command", run="true", cwd="sub", sandbox=sandbox)
    assert (verdict.passed, verdict.exit_code) == (False, 125)


def test_it_is_offline_when_isolated(run, sandbox):
    if sandbox.isolates:
        assert run("command", run="test $(grep -c : /proc/net/dev) = 1", sandbox=sandbox).passed


def test_long_output_is_kept_in_part(run):
    verdict = run("command", run="seq 200000; exit 1")
    assert len(verdict.output) < 300_000
    assert b"bytes left out" in verdict.output
    assert verdict.detail.endswith("199999\n200000")
    assert len(verdict.detail) < 700


def test_output_that_is_no_text_harms_nothing(run):
    verdict = run("command", run="printf '\\377\\376\\0'; exit 1")
    assert verdict.output == b"\xff\xfe\0"
    verdict.detail.encode()
