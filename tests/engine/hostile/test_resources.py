"""Agents that take more than there is for them."""

import resource

from agenteval.engine.freeze import LARGEST_CHANGE


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_five_gigabytes_of_output_are_stopped_and_fill_neither_memory_nor_disk(yard):
    before = peak_mb()
    end = yard.unleash("torrent.sh")
    assert end.outcome == ("pass", True, "output_limit", None)
    assert len(end.everything) < 3 << 20
    assert b"bytes left out ...]" in end.stdout
    assert peak_mb() - before < 64


def test_filling_the_disk_ends_at_the_limit(yard):
    end = yard.unleash("fills_disk.sh", keys="disk_mb = 20")
    assert end.row.ended_by == "disk_limit"
    assert end.row.passed is True, "what was done before counts"


def test_home_and_tmp_count_as_disk(yard):
    end = yard.unleash("fills_home_and_tmp.sh", keys="disk_mb = 20")
    assert end.outcome == ("error", False, "disk_limit", "disk_limit")


def test_memory_files_are_bounded_and_nothing_else_takes_a_byte(yard):
    end = yard.unleash("fills_shared_memory.sh")
    assert end.row.passed is True
    assert end.stderr.count(b"filler") >= 7


def test_eating_memory_ends_at_the_limit(yard):
    end = yard.unleash("eats_memory.py", keys="memory_mb = 100")
    assert end.outcome == ("error", False, "memory_limit", "memory_limit")


def test_thousands_of_empty_files_are_all_in_the_patch(yard):
    end = yard.unleash("many_files.py")
    assert end.row.passed is True
    assert end.row.files_changed == 3001


def test_a_sparse_terabyte_is_left_out_and_named(yard):
    end = yard.unleash("sparse.sh")
    assert end.row.passed is True
    assert end.left_out == ["keep/deep/file.txt", "sparse.bin"]
    assert end.row.files_changed <= 2


def test_a_patch_beyond_the_limit_keeps_the_small_changes_and_names_the_rest(yard):
    end = yard.unleash("huge_patch.py")
    assert end.row.passed is True
    assert end.left_out == ["b.bin"]
    assert end.row.files_changed == 2
    assert len(end.patch) < LARGEST_CHANGE


def test_a_huge_answer_is_cut(yard):
    end = yard.unleash("answer_huge.sh")
    assert end.row.passed is True
    assert len(end.answer) == 4 << 20
