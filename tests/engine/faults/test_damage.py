"""A run whose files were damaged: what is whole stays, what is not runs again, nothing is guessed."""

import json

import pytest

from agenteval.engine import Progress
from agenteval.errors import RecordError
from agenteval.records import is_held

FIX = "command:echo fixed > app.txt"


def cut(lines: list[bytes]) -> bytes:
    """The middle record lost its end, newline included: it runs into the next one."""
    return b"".join([*lines[:4], lines[4][: len(lines[4]) // 2], *lines[5:]])


def torn(lines: list[bytes]) -> bytes:
    """The middle record lost its middle."""
    return b"".join([*lines[:4], lines[4][:40] + b"\n", *lines[5:]])


def zeros(lines: list[bytes]) -> bytes:
    """A block that the disk never got, as after a power cut: NUL bytes in the middle."""
    whole = bytearray(b"".join(lines))
    start = len(b"".join(lines[:4])) + 100
    whole[start : start + 512] = bytes(512)
    return bytes(whole)


def zeros_at_the_end(lines: list[bytes]) -> bytes:
    """The file has its new length, the contents never came."""
    return b"".join(lines[:-2]) + bytes(len(lines[-2]) + len(lines[-1]))


def noise(lines: list[bytes]) -> bytes:
    """Lines that are no records, and one that is no text."""
    return b"".join([*lines[:4], b"\xff\xfe\n", b"[]\n", b"{}\n", b"\n", *lines[4:]])


def edited(lines: list[bytes]) -> bytes:
    """Somebody wrote what no column takes where only a report looks."""
    own = json.loads(lines[3]) | {"files_changed": "many"}
    assert own["record"] == "attempt"
    return b"".join([*lines[:3], json.dumps(own).encode() + b"\n", *lines[4:]])


@pytest.fixture
def finished(plain_victim):
    for name in ("a", "b"):
        plain_victim.bench.task(name)
    plan = plain_victim.plan(FIX, "scripted:noop", repeats=2)
    plain_victim.go(plan)
    return plain_victim, plan


@pytest.mark.parametrize("damage", [cut, torn, zeros, zeros_at_the_end, noise, edited])
def test_after(finished, damage):
    victim, plan = finished
    lines = victim.folder.journal.read_bytes().splitlines(keepends=True)
    rows_before = {row.trial_id: row for row in victim.held}
    victim.folder.journal.write_bytes(damage(lines))
    whole = {row.trial_id for row in victim.held}
    notes: list[str] = []
    result = victim.go(plan, Progress(note=notes.append))
    assert result.held_before == len(whole) >= 6
    assert len(result.attempts) == len(rows_before) - len(whole)
    assert bool(notes), "the damage is said"
    victim.check_whole(planned=8)
    kept = {row.trial_id: row for row in victim.held}
    assert all(kept[trial] == rows_before[trial] for trial in whole)


def test_a_journal_that_a_newer_version_wrote_is_not_continued(finished):
    victim, plan = finished
    lines = victim.folder.journal.read_bytes().splitlines(keepends=True)
    newer = json.loads(lines[3]) | {"schema_version": 999}
    victim.folder.journal.write_bytes(
        b"".join([*lines[:3], json.dumps(newer).encode() + b"\n", *lines[4:]])
    )
    before = victim.folder.journal.read_bytes()
    with pytest.raises(RecordError, match="newer agenteval") as caught:
        victim.go(plan)
    assert caught.value.where.endswith("journal.jsonl:4")
    assert victim.folder.journal.read_bytes() == before
    with pytest.raises(RecordError):  # and the lock is free again
        victim.go(plan)


def test_a_manifest_that_is_missing_is_written_again(finished):
    victim, plan = finished
    manifest = victim.folder.manifest.read_text()
    victim.folder.manifest.unlink()
    assert victim.go(plan).attempts == []
    assert (
        json.loads(victim.folder.manifest.read_text())["plan_digest"]
        == json.loads(manifest)["plan_digest"]
    )
    victim.check_whole(planned=8)


@pytest.mark.parametrize("left", [0, 200, -20])
def test_a_torn_manifest_is_named_and_nothing_is_touched(finished, left):
    victim, plan = finished
    data = victim.folder.manifest.read_bytes()
    victim.folder.manifest.write_bytes(data[:left])
    journal = victim.folder.journal.read_bytes()
    with pytest.raises(RecordError) as caught:
        victim.go(plan)
    assert str(victim.folder.manifest) in caught.value.where
    assert caught.value.fix
    assert victim.folder.journal.read_bytes() == journal
    victim.folder.manifest.unlink()  # what the message advises
    assert victim.go(plan).attempts == []


def test_cancelled_attempts_settle_nothing(finished):
    victim, _ = finished
    assert not is_held("skipped", "cancelled")
    assert len(victim.held) == 8
