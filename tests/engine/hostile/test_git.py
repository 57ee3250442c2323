"""Agents that leave something for a git that comes by; nothing of it is run, and the work counts."""

import pytest

PASSED = ("pass", True, "agent", None)


@pytest.mark.parametrize("agent", ["git_config.sh", "git_hooks.sh"])
def test_a_configured_command_or_hook_is_never_run_and_is_named(yard, agent):
    end = yard.unleash(agent)
    assert end.outcome == PASSED
    assert not (yard.outside / "executed").exists()
    assert end.row.tampering == ["git_config_changed"]
    assert b"+fixed" in end.patch


def test_a_submodule_is_not_entered(yard):
    end = yard.unleash("submodule.sh")
    assert end.outcome == PASSED
    assert not (yard.outside / "executed").exists()
    assert b"Subproject commit" not in end.patch
    assert "evil/.git" in end.left_out


def test_files_of_a_nested_repository_are_files_and_its_git_folder_is_left_out(yard):
    end = yard.unleash("nested_git.sh")
    assert end.outcome == PASSED
    assert not (yard.outside / "executed").exists()
    assert b"+++ b/keep/new.txt" in end.patch
    assert end.left_out == ["keep/.git"]


def test_case_variants_of_git_are_left_out_and_named(yard):
    end = yard.unleash("case_git.sh")
    assert end.outcome == PASSED
    assert not (yard.outside / "executed").exists()
    assert end.left_out == [".GIT", ".Git", ".gIt", "keep/.GIT"]


@pytest.mark.parametrize("agent", ["git_objects.sh", "git_is_a_file.sh"])
def test_a_repository_that_leads_elsewhere_is_named_and_not_followed(yard, agent):
    end = yard.unleash(agent)
    assert end.outcome == PASSED
    assert "history_access" in end.row.tampering
    assert b"+fixed" in end.patch
