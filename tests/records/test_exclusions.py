"""Lines of voids.jsonl and entries of quarantine.toml, as they are written."""

from datetime import UTC, date, datetime

import pytest
from pydantic import ValidationError

from agenteval.errors import RecordError
from agenteval.records import (
    QuarantinedTask,
    StoreFolder,
    Void,
    parse_quarantine,
    read_quarantine,
    read_remark,
)

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


def test_a_void_reads_back_as_it_was_written():
    said = Void(at=NOW, run_id="r", trial_id="t", reason="why")
    assert Void.model_validate_json(said.model_dump_json()) == said
    assert read_remark(Void, said.model_dump(), "voids.jsonl:1") == said
    assert said.target == ("r", "t")
    with pytest.raises(RecordError, match="no void"):
        read_remark(Void, said.model_dump() | {"reason": ""}, "voids.jsonl:1")


def test_an_entry_without_a_reason_is_none():
    with pytest.raises(ValidationError):
        QuarantinedTask(id="a", since=date(2026, 1, 31), reason="\n")


def test_the_reason_is_told_in_one_line():
    entry = QuarantinedTask(id="a", since=date(2026, 1, 31), reason="two\n  lines")
    assert entry.told == "quarantined since 2026-01-31: two lines"


def test_a_misspelt_key_is_named_before_the_one_it_leaves_missing():
    text = '[[task]]\nid = "a"\nsince = 2026-01-31\nreson = "x"\n'
    with pytest.raises(RecordError, match=r"task\.0\.reson"):
        parse_quarantine(text, "here")


def test_a_file_that_is_not_there_quarantines_nothing(tmp_path):
    assert read_quarantine(StoreFolder(tmp_path).quarantine) == ()
    assert StoreFolder(tmp_path).voids.name == "voids.jsonl"
