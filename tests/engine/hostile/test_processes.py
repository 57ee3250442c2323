"""Agents that will not end, or end others. `unleash` looks for survivors after each."""

import pytest

PASSED = ("pass", True, "agent", None)


def passed_by(limit: str) -> tuple:
    """Work done before a limit counts."""
    return ("pass", True, limit, None)


def test_a_fork_bomb_hits_the_process_limit_and_nobody_survives(yard):
    end = yard.unleash("fork_bomb.sh", keys="max_processes = 40")
    assert end.outcome == ("error", False, "process_limit", "process_limit")


def test_a_daemon_that_forked_twice_and_ignores_every_signal_is_dead_and_the_work_counts(yard):
    assert yard.unleash("daemon.py").outcome == PASSED


def test_a_background_writer_writes_nothing_after_the_end_and_the_work_counts(yard):
    end = yard.unleash("background_writer.sh")
    assert end.outcome == PASSED
    assert b"+fixed" in end.patch


def test_children_that_rename_for_ever_are_dead_before_anything_is_read(yard):
    end = yard.unleash("rename_race.py")
    assert end.outcome == PASSED
    assert b"+fixed" in end.patch
    assert b"root:" not in end.patch, "a link is no copy of what it leads to"


def test_sleeping_silently_is_ended_as_no_progress(yard):
    assert yard.unleash("sleeps_silently.sh", keys="no_progress_s = 0.5").outcome == passed_by(
        "no_progress"
    )


def test_closing_every_stream_hides_nobody_from_the_timeout(yard):
    assert yard.unleash("closes_output.sh", keys="timeout_s = 0.7").outcome == passed_by("timeout")


@pytest.mark.parametrize("agent", ["ignores_term.sh", "stops_itself.sh"])
def test_who_ignores_term_or_stops_itself_is_killed_after_the_grace(yard, agent):
    assert yard.unleash(agent, keys="timeout_s = 0.5").outcome == passed_by("timeout")


def test_killing_its_parent_and_init_reaches_nobody_outside(yard):
    end = yard.unleash("kills_parent.sh")
    assert end.row.passed is True
    assert end.row.ended_by in ("agent", "crash")


def test_killing_every_process_spares_the_engine_and_the_trial_beside_it(yard):
    end = yard.unleash("kills_everyone.py", concurrency=2)
    assert end.row.passed is True
    assert end.row.ended_by in ("agent", "crash")


def test_what_goes_off_in_a_check_gives_no_pass_and_nobody_survives(yard):
    check = '[[checks]]\nkind = "command"\nrun = "sh tool.sh"\ntimeout_s = 3\n'
    repo = {"app.txt": "broken\n", "tool.sh": "exit 0\n"}
    end = yard.unleash("check_bomb.sh", keys="max_processes = 40", checks=check, repo=repo)
    assert end.outcome == ("error", False, "agent", "check_no_verdict")
    assert end.checks[0].passed is None


def test_a_check_whose_shell_is_killed_gives_no_pass_and_nobody_survives(yard):
    check = '[[checks]]\nkind = "command"\nrun = "sh tool.sh; true"\ntimeout_s = 20\n'
    repo = {"app.txt": "broken\n", "tool.sh": "exit 0\n"}
    end = yard.unleash("check_parent_killer.sh", checks=check, repo=repo)
    assert end.outcome == ("fail", False, "agent", None)
    assert end.checks[0].passed is False
