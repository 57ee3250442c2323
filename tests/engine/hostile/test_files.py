"""Agents whose files are a trap for whoever reads, copies or removes them."""

import json
from pathlib import Path

import pytest

PASSED = ("pass", True, "agent", None)
FAILED = ("fail", False, "agent", None)


def test_a_pipe_in_place_of_a_file_is_no_file_and_fails(yard):
    end = yard.unleash("fifo_in_place.sh")
    assert end.outcome == FAILED
    assert end.left_out == ["app.txt"]
    assert b"deleted file mode 100644" in end.patch


def test_a_link_from_tests_to_etc_takes_no_hidden_file_there(yard):
    check = '[[checks]]\nkind = "command"\nrun = "test -f tests/secret.txt -a ! -L tests"\n'
    end = yard.unleash("tests_link_to_etc.sh", checks=check)
    assert end.row.passed is True
    assert not Path("/etc/secret.txt").exists()
    assert "tests_edited" in end.row.tampering
    assert b"new file mode 120000" in end.patch


def test_unreadable_modes_hide_nothing(yard):
    end = yard.unleash("chmod_tree.sh")
    assert end.outcome == PASSED
    assert b"+fixed" in end.patch
    assert b"deleted file" not in end.patch
    assert b"+as it was" not in end.patch


def test_names_that_break_scripts_are_in_the_patch_as_they_are(yard):
    end = yard.unleash("names.py")
    assert end.outcome == PASSED
    assert end.row.files_changed == 1 + 2 * 18
    assert rb'b/new\nline"' in end.patch
    assert rb'b/\377\376 raw"' in end.patch
    assert b"x" * 255 in end.patch
    assert not Path("executed").exists()


def test_folders_deeper_than_a_path_can_name_are_left_out_and_removed(yard):
    end = yard.unleash("deep_folders.py")
    assert end.outcome == PASSED
    assert end.row.files_changed == 1
    assert len(end.left_out) == 1


def test_a_second_name_for_a_file_outside_cannot_be_made(yard):
    end = yard.unleash("hard_links.py")
    assert end.outcome == PASSED
    assert b"linked-" not in end.patch
    assert b"own-link.txt" in end.patch


def test_device_nodes_sockets_and_pipes_are_left_out_and_give_nothing_away(yard):
    end = yard.unleash("devices.py")
    assert end.outcome == PASSED
    assert {"pipe", "socket"} <= set(end.left_out)
    assert end.stdout == b""
    assert end.row.files_changed == 1


def test_files_made_again_with_the_same_contents_are_no_change(yard):
    end = yard.unleash("recreated.sh")
    assert end.outcome == PASSED
    assert end.row.files_changed == 1
    assert (end.row.protected_edits, end.row.tampering) == (0, [])


def test_a_change_behind_unchanged_size_and_times_is_seen(yard):
    end = yard.unleash("utimes.py")
    assert end.outcome == PASSED
    assert b"+opened" in end.patch
    assert (end.row.protected_edits, end.row.tampering) == (1, ["protected_edited"])


def test_links_in_circles_are_links_and_are_not_followed(yard):
    end = yard.unleash("link_loops.sh")
    assert end.outcome == PASSED
    assert end.patch.count(b"new file mode 120000") == 7
    assert b"-as it was" in end.patch


def test_an_ignore_file_that_ignores_all_hides_no_work(yard):
    end = yard.unleash("clutter.py")
    assert end.outcome == PASSED
    assert all(
        name in end.patch for name in (b"node_modules/x.js", b".venv/bin/python", b"build/out.txt")
    )
    assert b"calc.pyc" not in end.patch


def test_the_workspace_cannot_be_replaced_by_a_link(yard):
    end = yard.unleash("replaces_workspace.sh")
    assert end.outcome == FAILED
    assert b"deleted file" in end.patch


def test_removing_everything_it_can_write_removes_its_own_files_only(yard):
    end = yard.unleash("removes_everything.sh")
    assert end.outcome == FAILED
    assert end.row.files_changed == 4
    assert "protected_edited" in end.row.tampering


@pytest.mark.parametrize("agent", ["answer_pipe.sh", "answer_link.sh"])
def test_an_answer_that_is_no_file_is_no_answer(yard, agent):
    end = yard.unleash(agent)
    assert end.outcome == PASSED
    assert end.answer == b""


def test_what_is_left_out_is_said_in_the_record(yard):
    end = yard.unleash("devices.py")
    assert json.loads(end.artifact("left_out.json")) == end.left_out
