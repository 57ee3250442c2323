"""What a run needs on disk, and what is said when it is not there."""

import errno
import os
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Progress, Settings, diskspace, make_plan, run_plan
from agenteval.engine.diskspace import (
    LEAST_RECORD,
    LIKELY_RECORD,
    MB,
    Need,
    cannot_write,
    check_needs,
    check_reserve,
    check_room,
    missing_bytes,
    record_bytes,
    scratch_need,
    store_need,
    tree_bytes,
    was_full,
    writing_to,
)
from agenteval.errors import DiskFull, EngineError, Infrastructure
from agenteval.records import StoreFolder, read_journal


def free(size: int):
    return lambda folder: size


class TestNeeds:
    def test_enough_is_no_word(self, tmp_path):
        assert check_needs({tmp_path: Need(10 * MB, 20 * MB)}, free(20 * MB)) == []

    def test_close_is_a_warning_that_names_the_folder_and_the_numbers(self, tmp_path):
        (warning,) = check_needs({tmp_path: Need(10 * MB, 20 * MB)}, free(15 * MB))
        assert "about 20 MB are needed, at least 10 MB, and 15 MB are free" in warning
        assert str(tmp_path) in warning

    def test_clearly_too_little_is_refused_in_three_parts(self, tmp_path):
        with pytest.raises(DiskFull) as caught:
            check_needs({tmp_path: Need(10 * MB, 20 * MB)}, free(9 * MB))
        assert "too little disk space" in caught.value.what
        assert caught.value.where == str(tmp_path)
        assert "--ignore-disk" in caught.value.fix

    def test_folders_of_one_file_system_share_its_space(self, tmp_path):
        """Also those that are not there yet."""
        needs = {tmp_path / "a/b": Need(6 * MB, 6 * MB), tmp_path / "c": Need(6 * MB, 6 * MB)}
        with pytest.raises(DiskFull) as caught:
            check_needs(needs, free(11 * MB))
        assert "at least 12 MB" in caught.value.what
        assert caught.value.where == f"{tmp_path / 'a/b'} and {tmp_path / 'c'}"
        assert check_needs(needs, free(12 * MB)) == []

    def test_the_real_disk_is_asked(self, tmp_path):
        disk = os.statvfs(tmp_path)
        with pytest.raises(DiskFull):
            check_needs({tmp_path: Need(disk.f_blocks * disk.f_frsize + 1, 0)})

    def test_the_store_needs_what_its_trials_took_until_now(self):
        assert store_need(10) == Need(10 * LEAST_RECORD, 10 * LIKELY_RECORD)
        assert store_need(10, 3000) == Need(30_000, 60_000)

    def test_scratch_needs_each_base_once_and_workspaces_by_concurrency(self, bench):
        big = bench.task("big", repo={"big.bin": os.urandom(8 * MB)}, keys="disk_mb = 100")
        small = bench.task("small")
        alone = scratch_need([small], 1)
        assert 0 < alone.least <= 64 << 10
        one, four = (scratch_need([big, small], number) for number in (1, 4))
        assert one.least == pytest.approx(3 * 8 * MB, rel=0.1)
        assert four.least - one.least == pytest.approx(6 * 8 * MB, rel=0.1)
        assert one.likely - one.least >= 100 * MB
        assert scratch_need([big, big], 1).least == scratch_need([big], 1).least

    def test_sizes_are_bytes_on_disk_and_links_are_not_followed(self, tmp_path):
        (tmp_path / "tree").mkdir()
        (tmp_path / "outside").write_bytes(os.urandom(4 * MB))
        (tmp_path / "tree/link").symlink_to(tmp_path / "outside")
        os.truncate(os.open(tmp_path / "tree/sparse", os.O_CREAT | os.O_WRONLY), 1 << 40)
        assert tree_bytes(tmp_path / "tree") < MB
        assert tree_bytes(tmp_path) >= 4 * MB


class TestReserve:
    @pytest.fixture
    def full(self, monkeypatch: pytest.MonkeyPatch):
        """More is kept free than there is."""
        monkeypatch.setattr(diskspace, "RESERVE_BYTES", 1 << 60)
        monkeypatch.setattr(diskspace, "RESERVE_PART", 1)

    def test_all_is_well(self, tmp_path):
        assert missing_bytes(tmp_path) == 0
        check_reserve(tmp_path)
        check_room(tmp_path, "host_disk_full")
        assert not was_full(tmp_path, ValueError())

    def test_below_it_nothing_is_started_or_judged(self, tmp_path, full):
        with pytest.raises(DiskFull, match="nearly full") as caught:
            check_reserve(tmp_path)
        assert caught.value.where == str(tmp_path)
        with pytest.raises(Infrastructure) as failed:
            check_room(tmp_path, "grading_failed")
        assert failed.value.error_class == "grading_failed"
        assert was_full(tmp_path)

    @pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
    def test_errors_that_say_so(self, tmp_path, number):
        error = OSError(number, os.strerror(number))
        assert was_full(tmp_path, error)
        with pytest.raises(DiskFull, match="cannot be written"), writing_to(tmp_path):
            raise error

    def test_other_errors_are_no_full_disk(self, tmp_path):
        error = cannot_write("It cannot be written", tmp_path, PermissionError(errno.EACCES, "No"))
        assert type(error) is EngineError
        assert "writable" in error.fix


class TestRun:
    def settings(self, bench, **changes) -> Settings:
        return Settings(bench.folder / "store", bench.sandbox, **changes)

    def plan(self, bench, repeats: int = 1):
        suite = bench.loaded()
        arms = [make_arm("command:echo fixed > app.txt")]
        return make_plan("r1", suite.name, suite.tasks, arms, repeats=repeats)

    def test_a_plan_that_cannot_fit_is_refused_and_nothing_is_made(
        self, plain_bench, monkeypatch: pytest.MonkeyPatch
    ):
        plain_bench.task()
        monkeypatch.setattr(diskspace, "LEAST_RECORD", 1 << 60)
        with pytest.raises(DiskFull, match="too little disk space"):
            run_plan(self.plan(plain_bench), self.settings(plain_bench))
        assert not (plain_bench.folder / "store").exists()

    def test_unless_somebody_knows_better(self, plain_bench, monkeypatch: pytest.MonkeyPatch):
        plain_bench.task()
        monkeypatch.setattr(diskspace, "LEAST_RECORD", 1 << 60)
        result = run_plan(self.plan(plain_bench), self.settings(plain_bench, ignore_disk=True))
        assert [row.status for row in result.attempts] == ["pass"]

    def test_one_that_is_close_is_warned_of(self, plain_bench, monkeypatch: pytest.MonkeyPatch):
        plain_bench.task()
        monkeypatch.setattr(diskspace, "LIKELY_RECORD", 1 << 60)
        notes: list[str] = []
        plan = self.plan(plain_bench)
        run_plan(plan, self.settings(plain_bench), Progress(note=notes.append))
        assert [note for note in notes if "may fill up" in note]

    def test_a_resumed_run_reckons_with_what_its_trials_took(
        self, plain_bench, monkeypatch: pytest.MonkeyPatch
    ):
        plain_bench.task()
        plan = self.plan(plain_bench, repeats=3)

        def stop(row) -> None:
            raise BrokenPipeError

        with pytest.raises(BrokenPipeError):
            run_plan(plan, self.settings(plain_bench), Progress(finished=stop))
        folder = StoreFolder(plain_bench.folder / "store").run("r1")
        (block,) = read_journal(folder.journal).blocks
        taken = record_bytes(folder, [block.attempt])
        assert 4096 < taken < 200_000
        assert record_bytes(folder, []) is None
        # a new run would be refused: what counts is what this one really takes
        monkeypatch.setattr(diskspace, "LEAST_RECORD", 1 << 60)
        assert len(run_plan(plan, self.settings(plain_bench)).attempts) == 2

    def test_below_the_reserve_nothing_is_started_and_it_goes_on_later(
        self, plain_bench, alive, marker, monkeypatch: pytest.MonkeyPatch
    ):
        """The first trial ends when the disk is full: the one beside it is cancelled."""
        plain_bench.task()
        suite = plain_bench.loaded()
        go = Path(plain_bench.folder / "go")
        arms = [
            make_arm("command:echo fixed > app.txt"),
            make_arm(f"command:echo fixed > app.txt; test -e {go} || sleep {marker}"),
        ]
        plan = make_plan("r1", suite.name, suite.tasks, arms, repeats=2)

        def fill(row) -> None:
            monkeypatch.setattr(diskspace, "RESERVE_BYTES", 1 << 60)
            monkeypatch.setattr(diskspace, "RESERVE_PART", 1)

        settings = self.settings(plain_bench, concurrency=2)
        with pytest.raises(DiskFull, match="nearly full") as caught:
            run_plan(plan, settings, Progress(finished=fill))
        assert "resume" in caught.value.fix
        assert alive() == []
        folder = StoreFolder(plain_bench.folder / "store").run("r1")
        classes = [block.attempt.error_class for block in read_journal(folder.journal).blocks]
        assert set(classes) <= {None, "cancelled"}
        assert "cancelled" in classes
        monkeypatch.undo()
        monkeypatch.setenv("AGENTEVAL_CACHE", str(plain_bench.folder / "cache"))
        go.touch()
        run_plan(plan, settings)
        rows = [block.attempt for block in read_journal(folder.journal).blocks]
        settled = [row.trial_id for row in rows if row.status != "skipped"]
        assert len(settled) == len(set(settled)) == 4
