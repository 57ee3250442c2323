import json
import os
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agenteval.errors import RecordError
from agenteval.records import (
    SCHEMA_VERSION,
    TABLES,
    AttemptRow,
    Standing,
    TrialBlock,
    codec,
    columns,
    decode_line,
    encode_block,
    encode_row,
    read_journal,
    read_objects,
    read_standings,
)
from agenteval.records import journal as journals
from agenteval.records.schema import UPGRADES

TEXT = st.text('aé\n\r"\\\0\u2028😀', max_size=6)
VALUES = {
    "str": TEXT,
    "int": st.integers(-(2**53), 2**53),
    "float": st.floats(allow_nan=False, allow_infinity=False),
    "bool": st.booleans(),
    "datetime": st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1)).map(
        lambda time: time.replace(tzinfo=UTC)
    ),
    "list[str]": st.lists(TEXT, max_size=3),
}
LIMITED = {
    "status": st.sampled_from(["pass", "fail", "error", "skipped"]),
    "cost_source": st.sampled_from(["metered", "reported", "recomputed", "unknown"]),
    "repeat": st.integers(1, 9),
    "score": st.floats(0, 1),
}


def rows(table: str) -> st.SearchStrategy:
    """Rows of a table, made from what its columns say about themselves."""
    fields = {}
    for column in columns(table):
        value = LIMITED.get(column.name, VALUES[column.dtype])
        fields[column.name] = st.none() | value if column.nullable else value
    return st.fixed_dictionaries(fields).map(lambda data: TABLES[table](**data))


@settings(max_examples=60, deadline=None)
@given(rows("attempts") | rows("checks"))
def test_a_row_comes_back_as_it_was(row):
    line = encode_row(row)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert decode_line(line, "x") == row


@settings(max_examples=60, deadline=None)
@given(rows("attempts") | rows("checks"))
def test_the_quick_way_of_reading_is_taken_and_gives_the_same(row):
    line = encode_row(row)
    assert codec.decoded_at_once(line) == codec.decode_slowly(line, "x") == row


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"repeat": 1', b'"repeat": "one"'),
        (b'"repeat": 1', b'"repeat": NaN'),
        (b'"repeat": 1', b'"repeat": 1, "repeats": 2'),
        (b'"repeat": 1', b'"repeat": 1, "schema_version": 99'),
        (b'"repeat": 1', b'"repeat": 1, "record": "check"'),
        (b'"repeat": 1, ', b""),
        (b"}\n", b"\n"),
        (b"}\n", b"}}\n"),
        (b'"attempt", "run_id"', b'"attempt", "attempt", "run_id"'),
        (b'"repeat": 1', b'"repeat": ' + b"[" * 5000),
        (b'"score": null', b'"score": Infinity'),
        (b'"score": null', b'"score": "\xff"'),
    ],
)
def test_what_is_no_record_is_none_by_the_quick_way_either(make_attempt, old, new):
    line = encode_row(make_attempt())
    assert old in line
    line = line.replace(old, new, 1)
    assert codec.decoded_at_once(line) is None
    with pytest.raises(RecordError):
        decode_line(line, "x")


def test_a_line_that_only_the_slow_way_reads(make_attempt):
    """Keys in another order, and twice the same one, of which the last holds."""
    row = make_attempt()
    data = json.loads(encode_row(row))
    line = json.dumps(dict(sorted(data.items()))).encode()
    assert codec.decoded_at_once(line) is None
    assert decode_line(line, "x") == row
    double = encode_row(row).replace(b'"repeat": 1', b'"repeat": 7, "repeat": 1', 1)
    assert decode_line(double, "x") == codec.decode_slowly(double, "x") == row


def test_a_line_says_what_it_is(make_attempt, make_check):
    for row, record in ((make_attempt(), "attempt"), (make_check(), "check")):
        data = json.loads(encode_row(row))
        assert (data["schema_version"], data["record"]) == (SCHEMA_VERSION, record)
        assert set(data) == {"schema_version", "record", *type(row).model_fields}


def test_text_that_utf8_has_not_costs_one_letter_and_no_trial(make_attempt):
    row = decode_line(encode_row(make_attempt(error_message="file \udcff.txt")), "x")
    assert row == make_attempt(error_message="file ?.txt")


def assert_same_standings(path, journal, *, but_checks=False):
    """It says the same of every attempt; in a large journal it does not look into lines of checks."""
    for large in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if large:
                patch.setattr(journals, "MANY_BYTES", 0)
            standings = read_standings(path)
        assert standings.rows == [Standing.model_validate(b.attempt) for b in journal.blocks]
        assert standings.good_bytes == journal.good_bytes
        assert standings.torn_bytes == journal.torn_bytes
        assert standings.newer_lines == journal.newer_lines
        assert standings.bad_lines == ([] if but_checks and large else journal.bad_lines)


def test_what_a_resumed_run_reads_is_told_by_the_attempts_own_columns(tmp_path, make_attempt):
    """A column that is read under another type or name than the attempt's would mislead a resume."""
    for name, field in Standing.model_fields.items():
        assert field.annotation == AttemptRow.model_fields[name].annotation, name
    path = tmp_path / "journal.jsonl"
    row = make_attempt("t1")
    graded = [row, make_attempt("t2"), row.model_copy(update={"grading": 2, "passed": False})]
    path.write_bytes(b"".join(map(encode_row, graded)))
    assert_same_standings(path, read_journal(path))
    assert [(r.trial_id, r.grading, r.passed) for r in read_standings(path).rows][0] == (
        "t1",
        2,
        False,
    )


def journal_of(folder, make_attempt, make_check):
    blocks = [
        TrialBlock(
            make_attempt("t1"), (make_check("t1", 1), make_check("t1", 2, passed=None, score=0.0))
        ),
        TrialBlock(make_attempt("t2", error_message=None), ()),
        TrialBlock(make_attempt("t1", 2), (make_check("t1", 1, 2),)),
    ]
    path = folder / "journal.jsonl"
    parts = [encode_block(block.attempt, block.checks) for block in blocks]
    path.write_bytes(b"".join(parts))
    return path, blocks, parts


def test_blocks_come_back_in_order(tmp_path, make_attempt, make_check):
    path, blocks, parts = journal_of(tmp_path, make_attempt, make_check)
    journal = read_journal(path)
    assert journal.blocks == blocks
    assert (journal.good_bytes, journal.torn_bytes, journal.bad_lines) == (
        sum(map(len, parts)),
        0,
        [],
    )


def test_no_journal_is_an_empty_one(tmp_path):
    journal = read_journal(tmp_path / "journal.jsonl")
    assert (journal.blocks, journal.good_bytes, journal.torn_bytes, journal.bad_lines) == (
        [],
        0,
        0,
        [],
    )


def test_a_journal_cut_at_any_byte_keeps_every_committed_attempt(
    tmp_path, make_attempt, make_check
):
    blocks = [
        TrialBlock(make_attempt("t1")),
        TrialBlock(make_attempt("t2"), (make_check("t2"),)),
    ]
    first, second = (encode_block(block.attempt, block.checks) for block in blocks)
    torn = tmp_path / "torn.jsonl"
    torn.write_bytes(first + second)
    for cut in reversed(range(len(first + second) + 1)):
        os.truncate(torn, cut)
        journal = read_journal(torn)
        committed = (cut >= len(first)) + (cut == len(first + second))
        good = (0, len(first), cut)[committed]
        assert journal.blocks == blocks[:committed]
        assert (journal.good_bytes, journal.torn_bytes) == (good, cut - good)
        assert journal.bad_lines == []
        assert_same_standings(torn, journal)


def test_a_repaired_journal_can_be_written_on(tmp_path, make_attempt, make_check):
    path, blocks, parts = journal_of(tmp_path, make_attempt, make_check)
    path.write_bytes(path.read_bytes()[:-5])
    with path.open("r+b") as file:
        file.truncate(read_journal(path).good_bytes)
        file.seek(0, 2)
        file.write(parts[2])
    assert read_journal(path).blocks == blocks


@pytest.mark.parametrize(
    "bad",
    [
        b"\n",
        b"no json\n",
        b"\0\0\0\0\n",
        b"\xff\xfe\n",
        b"null\n",
        b"[]\n",
        b"{}\n",
        b'{"schema_version": 1, "record": "attempt"}\n',
        b'{"schema_version": "1", "record": "attempt"}\n',
        b'{"schema_version": 1, "record": "check", "score": NaN}\n',
        b"1" * 5000 + b"\n",
        b"[" * 100_000 + b"\n",
    ],
    ids=lambda bad: repr(bad[:20]),
)
@pytest.mark.parametrize("place", [0, 1, 3, 4])
def test_a_bad_line_in_the_middle_costs_itself_only(tmp_path, make_attempt, make_check, bad, place):
    path, blocks, _ = journal_of(tmp_path, make_attempt, make_check)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:place], bad, *lines[place:]]))
    journal = read_journal(path)
    assert journal.blocks == blocks
    assert journal.bad_lines == [place + 1]
    assert (journal.good_bytes, journal.torn_bytes) == (path.stat().st_size, 0)
    assert_same_standings(path, journal, but_checks=b'"check"' in bad)


def test_checks_whose_attempt_was_lost_go_to_nobody(tmp_path, make_attempt, make_check):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(
        encode_row(make_check("lost")) + encode_block(make_attempt("t2"), [make_check("t2")])
    )
    assert read_journal(path).blocks == [TrialBlock(make_attempt("t2"), (make_check("t2"),))]


def spoiled(row, **changes) -> bytes:
    return json.dumps(json.loads(encode_row(row)) | changes).encode() + b"\n"


@pytest.mark.parametrize("changes", [{"files_changed": "x"}, {"of_nobody": 1}])
def test_a_trial_whose_record_nobody_can_read_is_not_held(tmp_path, make_attempt, changes):
    """Else it would neither be in a report nor ever run again."""
    path = tmp_path / "journal.jsonl"
    lines = [encode_row(make_attempt("t1")), spoiled(make_attempt("t2"), **changes)]
    path.write_bytes(b"".join([*lines, encode_row(make_attempt("t3"))]))
    assert [block.attempt.trial_id for block in read_journal(path).blocks] == ["t1", "t3"]
    standings = read_standings(path)
    assert [row.trial_id for row in standings.rows] == ["t1", "t3"]
    assert standings.bad_lines == read_journal(path).bad_lines == [2]


@pytest.mark.parametrize("changes", [{"schema_version": SCHEMA_VERSION + 1}, {"record": "dream"}])
def test_lines_of_a_newer_agenteval_are_never_taken_for_damage(
    tmp_path, make_attempt, make_check, changes
):
    """Counted as damage, they would be cut off when the run is resumed."""
    path = tmp_path / "journal.jsonl"
    lines = [
        encode_row(make_attempt("t1")),
        spoiled(make_attempt("t2"), **changes),
        encode_row(make_check("t3")),
    ]
    path.write_bytes(b"".join(lines))
    journal = read_journal(path)
    assert journal.blocks == [TrialBlock(make_attempt("t1"))]
    assert journal.newer_lines == journal.bad_lines == [2]
    assert_same_standings(path, journal)
    assert (journal.good_bytes, journal.torn_bytes) == (len(lines[0] + lines[1]), len(lines[2]))
    with pytest.raises(RecordError, match="install a newer agenteval"):
        decode_line(lines[1], "x")


def test_older_lines_are_brought_up_to_date(make_attempt, monkeypatch):
    line = spoiled(make_attempt(), schema_version=SCHEMA_VERSION - 1)
    with pytest.raises(RecordError, match="cannot be read"):
        decode_line(line, "x")
    monkeypatch.setitem(UPGRADES, SCHEMA_VERSION - 1, lambda data: data | {"agent": "upgraded"})
    assert decode_line(line, "x") == make_attempt(agent="upgraded")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"status": "great"}, "status"),
        ({"repeat": 0}, "repeat"),
        ({"novel": 1}, "novel"),
        ({"cost_usd": "much"}, "cost_usd"),
        ({"tampering": "no"}, "tampering"),
    ],
)
def test_a_wrong_field_is_named(make_attempt, changes, field):
    with pytest.raises(RecordError) as caught:
        decode_line(spoiled(make_attempt(), **changes), "journal.jsonl:7")
    assert caught.value.where.startswith(f"journal.jsonl:7, field {field}: ")
    assert caught.value.fix


def test_numbers_that_json_has_not_are_refused(make_attempt, make_check):
    for bad in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            make_attempt(cost_usd=bad)
        with pytest.raises(ValueError, match="finite"):
            make_check(weight=bad)


def test_objects_of_any_file(tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a": 3')
    assert list(read_objects(path)) == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("bad", [b"no json", b"[1]", b"\xff"])
def test_a_bad_object_is_named(tmp_path, bad):
    path = tmp_path / "events.jsonl"
    path.write_bytes(b'{"a": 1}\n' + bad + b"\n")
    with pytest.raises(RecordError) as caught:
        list(read_objects(path))
    assert caught.value.where.startswith(f"{path}:2")


def again(block_of, number: int, **changes) -> AttemptRow:
    return AttemptRow.model_validate(block_of.model_dump() | {"grading": number} | changes)


def test_a_regrading_takes_the_place_of_the_first_grading(tmp_path, make_attempt, make_check):
    path = tmp_path / "journal.jsonl"
    one, two, retry = make_attempt("t1"), make_attempt("t2"), make_attempt("t1", 2)
    third, second = again(one, 3, status="fail", passed=False), again(one, 2)
    first, newest, older = (
        TrialBlock(row, (make_check(grading=row.grading),)) for row in (one, third, second)
    )
    written = [first, TrialBlock(two), TrialBlock(retry), newest, older]
    path.write_bytes(b"".join(encode_block(block.attempt, block.checks) for block in written))
    journal = read_journal(path)
    assert journal.blocks == [newest, TrialBlock(two), TrialBlock(retry)]
    assert journal.superseded == [first, older]
    assert journal.torn_bytes == 0


def test_checks_belong_to_their_own_grading(tmp_path, make_attempt, make_check):
    path = tmp_path / "journal.jsonl"
    one = make_attempt("t1")
    # a regrading whose attempt's line never came, and the block after it
    torn, after = make_check(grading=2), make_check("t2")
    path.write_bytes(
        encode_block(one, [make_check()])
        + encode_row(torn)
        + encode_block(make_attempt("t2"), [after])
    )
    assert [block.checks for block in read_journal(path).blocks] == [(make_check(),), (after,)]
    path.write_bytes(encode_block(one, [make_check(), make_check(grading=2)]))
    assert read_journal(path).blocks == [TrialBlock(one, (make_check(),))]


def test_two_tries_of_one_number_without_a_regrading_are_two(tmp_path, make_attempt):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(encode_block(make_attempt()) * 2)
    journal = read_journal(path)
    assert (len(journal.blocks), journal.superseded) == (2, [])
