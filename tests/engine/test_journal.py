"""The journal: whatever tears it, nothing that was committed is lost."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agenteval.engine import JournalWriter, TrialResult, is_being_written, write_artifacts
from agenteval.errors import RecordError, RunLocked
from agenteval.records import AttemptRow, CheckRow, RunFolder, encode_block, read_journal

ENV = {
    "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
}


def result(number: int, *, text: str = "", checks: int = 2, attempt: int = 1) -> TrialResult:
    ids = {"run_id": "r", "trial_id": f"t{number}", "attempt": attempt}
    row = AttemptRow(
        **ids,
        suite="s",
        task_id="a",
        task_digest="d",
        arm="x",
        arm_digest="e",
        agent="scripted",
        repeat=number,
        status="fail",
        passed=False,
        started_at=datetime(2026, 1, 2, tzinfo=UTC),
        error_message=text,
    )
    rows = tuple(
        CheckRow(**ids, seq=seq, name=f"c{seq}", kind="command", passed=False, detail=text)
        for seq in range(1, checks + 1)
    )
    return TrialResult(row, rows, {"patch.diff": b"patch", "checks/1.txt": b"out"})


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder(tmp_path / "store/runs/r")


def ids(folder: RunFolder) -> list[str]:
    return [block.attempt.trial_id for block in read_journal(folder.journal).blocks]


def test_a_trial_is_artifacts_and_one_block(folder):
    with JournalWriter(folder) as journal:
        journal.append(result(1, text='naïve "x"\n\u2028'))
    assert folder.journal.read_bytes() == encode_block(
        result(1, text='naïve "x"\n\u2028').attempt, result(1, text='naïve "x"\n\u2028').checks
    )
    (block,) = read_journal(folder.journal).blocks
    assert (block.attempt, block.checks) == (
        result(1, text='naïve "x"\n\u2028').attempt,
        result(1, text='naïve "x"\n\u2028').checks,
    )
    attempt = folder.attempt("t1", 1)
    assert {str(p.relative_to(attempt)) for p in attempt.rglob("*") if p.is_file()} == {
        "patch.diff",
        "checks/1.txt",
    }


def test_artifacts_are_on_disk_before_the_line_that_commits_them(folder, monkeypatch):
    """Else a power cut could leave a trial that is held, and never runs again, without its patch."""
    synced, fsync = [], os.fsync

    def noted(descriptor: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    with JournalWriter(folder) as journal:
        monkeypatch.setattr(os, "fsync", noted)
        journal.append(result(1))
    attempt = folder.attempt("t1", 1)
    *before, last = synced
    assert last == str(folder.journal)
    assert set(before) == {
        str(path)
        for path in (
            *(attempt / "patch.diff", attempt / "checks/1.txt", attempt / "checks", attempt),
            *(attempt.parent, folder.artifacts, folder.path),
        )
    }


def test_a_line_of_a_newer_version_is_not_continued(folder):
    with JournalWriter(folder) as journal:
        journal.append(result(1))
    data = folder.journal.read_bytes()
    folder.journal.write_bytes(data + b'{"schema_version": 999, "record": "attempt"}\n')
    with pytest.raises(RecordError, match="newer agenteval") as caught:
        JournalWriter(folder)
    assert caught.value.where == f"{folder.journal}:4"
    assert not is_being_written(folder), "the lock is free again"
    assert folder.journal.read_bytes().startswith(data)


def test_artifacts_replace_what_was_in_their_folder(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/stale.txt").write_text("of another attempt")
    write_artifacts(tmp_path / "kept", result(1))
    found = {
        str(p.relative_to(tmp_path / "kept")): p.read_bytes()
        for p in (tmp_path / "kept").rglob("*.*")
    }
    assert found == {"patch.diff": b"patch", "checks/1.txt": b"out"}


def test_a_tail_torn_at_any_byte_is_repaired_and_nothing_committed_is_lost(folder):
    with JournalWriter(folder) as journal:
        journal.append(result(1))
        journal.append(result(2))
        whole = folder.journal.stat().st_size
        journal.append(result(3))
    data = folder.journal.read_bytes()
    for end in range(whole, len(data)):
        folder.journal.write_bytes(data[:end])
        with JournalWriter(folder) as journal:
            assert [row.trial_id for row in journal.held.rows] == ["t1", "t2"]
            assert (journal.repaired is None) == (end == whole)
            assert folder.journal.read_bytes() == data[:whole]
            if end % 97 == 0:
                journal.append(result(3))
                assert folder.journal.read_bytes() == data
        torn = list(folder.path.glob("journal.torn-*"))
        assert [path.read_bytes() for path in torn] == ([] if end == whole else [data[whole:end]])
        for path in torn:
            path.unlink()


def test_a_tail_of_rubbish_is_kept_aside(folder):
    with JournalWriter(folder) as journal:
        journal.append(result(1))
    with folder.journal.open("ab") as file:
        file.write(b"\0" * 4096)
    with JournalWriter(folder) as journal:
        assert "4096 bytes after the last whole trial were torn by a crash" in journal.repaired
        journal.append(result(2))
    assert ids(folder) == ["t1", "t2"]


def test_checks_without_their_attempt_are_no_trial(folder):
    with JournalWriter(folder) as journal:
        journal.append(result(1))
    lines = encode_block(result(2).attempt, result(2).checks).splitlines(keepends=True)
    with folder.journal.open("ab") as file:
        file.write(b"".join(lines[:-1]))
    with JournalWriter(folder) as journal:
        assert journal.repaired
        assert len(journal.held.rows) == 1


def test_a_bad_line_in_the_middle_costs_its_own_trial_only(folder):
    with JournalWriter(folder) as journal:
        for number in (1, 2, 3):
            journal.append(result(number, checks=0))
    lines = folder.journal.read_bytes().splitlines(keepends=True)
    folder.journal.write_bytes(lines[0] + lines[1][:50] + b"\n" + lines[2])
    with JournalWriter(folder) as journal:
        assert journal.repaired is None
        assert journal.held.bad_lines == [2]
    assert ids(folder) == ["t1", "t3"]


def test_a_folder_that_was_moved_goes_on(folder, tmp_path):
    with JournalWriter(folder) as journal:
        journal.append(result(1))
    shutil.move(tmp_path / "store", tmp_path / "elsewhere")
    moved = RunFolder(tmp_path / "elsewhere/runs/r")
    with JournalWriter(moved) as journal:
        assert len(journal.held.rows) == 1
        journal.append(result(2))
    assert ids(moved) == ["t1", "t2"]
    assert (moved.attempt("t1", 1) / "patch.diff").read_bytes() == b"patch"


def test_artifacts_of_a_try_that_was_never_committed_do_not_mix_in(folder):
    stale = folder.attempt("t1", 1) / "events.jsonl"
    stale.parent.mkdir(parents=True)
    stale.write_text("of the killed one")
    with JournalWriter(folder) as journal:
        journal.append(result(1))
    assert not stale.exists()


WRITER = """
import sys
from pathlib import Path
from agenteval.engine import JournalWriter
from agenteval.records import RunFolder
with JournalWriter(RunFolder(Path(sys.argv[1]))):
    print("writing", flush=True)
    sys.stdin.read()
"""


class TestOneWriter:
    @pytest.fixture
    def other(self, folder):
        """Another process that writes the run."""
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder.path)],
            env=ENV,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        with process:
            assert process.stdout.readline() == b"writing\n"
            yield process
            process.kill()

    def test_a_second_one_is_refused(self, folder, other):
        with pytest.raises(RunLocked) as caught:
            JournalWriter(folder)
        assert caught.value.where == str(folder.path)
        assert "another --run-id" in caught.value.fix
        assert is_being_written(folder)

    def test_the_dead_hold_nothing(self, folder, other):
        other.kill()
        other.wait()
        assert not is_being_written(folder)
        JournalWriter(folder).close()

    def test_readers_are_not_kept_out(self, folder, other):
        assert read_journal(folder.journal).blocks == []

    def test_two_in_one_process(self, folder):
        with JournalWriter(folder), pytest.raises(RunLocked):
            JournalWriter(folder)
        assert not is_being_written(folder)

    def test_a_run_that_never_was(self, folder):
        assert not is_being_written(folder)


# Writes trials until it fails, makes space, and goes on; says what it committed.
FILLING = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_journal import result
from agenteval.engine import JournalWriter
from agenteval.errors import EngineError
from agenteval.records import RunFolder, read_journal
folder = RunFolder(Path(sys.argv[1]))
ballast = folder.path.parent / "ballast"
{before}
done = 0
with JournalWriter(folder) as journal:
    try:
        while True:
            journal.append(result(done + 1, text="x" * 997))
            done += 1
    except EngineError as error:
        print(error.what)
    data = folder.journal.read_bytes()
    assert data.endswith(b"\\n"), "half a line was left"
    assert len(read_journal(folder.journal).blocks) == done > 3
    {after}
    journal.append(result(done + 1))
with JournalWriter(folder) as journal:
    assert journal.repaired is None
    assert [row.trial_id for row in journal.held.rows] == [f"t{{n}}" for n in range(1, done + 2)]
print("went on")
"""


def fill(folder: RunFolder, *, before: str, after: str, around: list[str]) -> str:
    folder.path.mkdir(parents=True)
    code = FILLING.format(before=before, after=after)
    done = subprocess.run(
        [*around, sys.executable, "-c", code, str(folder.path), str(Path(__file__).parent)],
        env=ENV,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def can_mount() -> bool:
    return (
        subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"],
            env=ENV,
            capture_output=True,
            check=False,
        ).returncode
        == 0
    )


class TestFull:
    def test_a_write_cut_short_is_taken_back(self, folder):
        """The limit on a file's size makes the kernel write the first half of a block and then fail."""
        before = "import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (24_000, resource.RLIM_INFINITY))"
        after = "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))"
        said = fill(folder, before=before, after=after, around=[])
        assert said == "A finished trial cannot be written: File too large\nwent on\n"

    def test_a_disk_that_is_full(self, folder):
        if not can_mount():
            pytest.skip("no file system can be mounted here")
        top = folder.path.parent
        before = "ballast.write_bytes(b'x' * 100_000)"
        mount = f'mount -t tmpfs -o size=400k none "{top}" && mkdir "{folder.path}" && exec "$@"'
        said = fill(
            folder,
            before=before,
            after="ballast.unlink()",
            around=["unshare", "-m", "sh", "-c", mount, "sh"],
        )
        assert said == "A finished trial cannot be written: No space left on device\nwent on\n"
