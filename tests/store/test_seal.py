import json
import os
import signal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from agenteval.errors import StoreError
from agenteval.records import TABLES
from agenteval.store import SealReport, open_store, seal


def frames(path):
    store = open_store(path)
    return {table: getattr(store, table)() for table in TABLES}


def same(first, second):
    return all(first[table].equals(second[table]) for table in TABLES)


def manifest(build):
    return json.loads(build.folder.parquet_manifest.read_text())


def parts(build, table="attempts"):
    return sorted((build.folder.parquet / table).glob("*"))


def test_sealing_changes_nothing_that_is_read(build):
    for run_id in ("r1", "r2"):
        run = build.filled(run_id)
        build.events(run, build.attempt(run_id))
    before = frames(build.path)
    assert len(before["events"]) == 6
    report = seal(build.path)
    assert report == SealReport(("r1", "r2"), 1)
    assert same(frames(build.path), before)
    assert pq.read_table(parts(build)[0]).num_rows == 8
    codec = pq.ParquetFile(parts(build)[0]).metadata.row_group(0).column(0).compression
    assert codec == "ZSTD"


def test_sealed_runs_are_read_from_parquet_not_from_journals(build):
    run = build.filled()
    seal(build.path)
    tail = run.journal.read_bytes()[-4096:]
    size = run.journal.stat().st_size
    run.journal.write_bytes(b"x" * (size - len(tail)) + tail)
    assert len(open_store(build.path).trials()) == 4


def test_the_folder_of_sealed_tables_is_not_taken_for_a_store(build):
    build.filled()
    seal(build.path)
    with pytest.raises(StoreError, match="not a store"):
        open_store(build.folder.parquet)


def test_sealing_again_does_nothing(build):
    build.filled()
    seal(build.path)
    before = manifest(build)
    assert seal(build.path).run_ids == ()
    assert manifest(build) == before


def test_a_seal_names_only_the_runs_asked_for(build):
    build.filled("r1")
    build.filled("r2")
    assert seal(build.path, ["r2"]).run_ids == ("r2",)
    with pytest.raises(StoreError, match="no run r9"):
        seal(build.path, ["r9"])
    assert len(open_store(build.path).trials()) == 8


def test_a_run_that_went_on_after_its_seal_is_read_from_its_journal(build):
    run = build.filled()
    build.filled("r2")
    seal(build.path)
    build.write(run, build.attempt(repeat=2))
    store = open_store(build.path)
    assert len(store.trials(run="r1")) == 5
    assert len(store.trials()) == 9
    assert len(store.checks()) == 18
    assert seal(build.path).run_ids == ("r1",)
    assert len(store.trials()) == 9
    assert [sorted(part["runs"]) for part in manifest(build)["parts"]] == [["r2"], ["r1"]]
    assert manifest(build)["parts"][0]["dropped"] == ["r1"]


def test_a_journal_rewritten_to_the_same_length_is_noticed(build):
    run = build.run()
    build.write(run, build.attempt(status="fail", passed=False))
    seal(build.path)
    size = run.journal.stat().st_size
    changed = run.journal.read_bytes().replace(b'"status": "fail"', b'"status": "pass"')
    run.journal.write_bytes(changed)
    assert run.journal.stat().st_size == size
    assert open_store(build.path).trials()["status"].tolist() == ["pass"]


def test_a_changed_run_json_is_noticed(build):
    run = build.filled()
    seal(build.path)
    run.manifest.write_text(run.manifest.read_text().replace("Please do", "Kindly do"))
    assert open_store(build.path).tasks()["prompt"].str.startswith("Kindly").all()


def test_a_run_sealed_with_a_torn_line_is_read_again_when_it_is_mended(build):
    run = build.filled()
    whole = build.block(build.attempt(repeat=2))
    build.append(run, whole[:-20])
    seal(build.path)
    assert len(open_store(build.path).trials()) == 4
    build.append(run, whole[-20:])
    assert len(open_store(build.path).trials()) == 5


def test_a_deleted_run_is_gone_and_its_seal_is_dropped(build):
    build.filled("r1")
    run = build.filled("r2")
    seal(build.path)
    for path in run.path.iterdir():
        path.unlink()
    run.path.rmdir()
    store = open_store(build.path)
    assert store.trials()["run_id"].unique().tolist() == ["r1"]
    assert store.runs()["run_id"].tolist() == ["r1"]
    seal(build.path)
    assert list(manifest(build)["parts"][0]["runs"]) == ["r1"]


@pytest.mark.parametrize("harm", ["missing", "cut"])
def test_a_lost_part_is_read_from_journals_and_reported(build, harm):
    build.filled()
    seal(build.path)
    before = frames(build.path)
    path = parts(build)[0]
    if harm == "missing":
        path.unlink()
    else:
        os.truncate(path, path.stat().st_size // 2)
    assert same(frames(build.path), before)
    store = open_store(build.path)
    assert store.problems["path"].tolist() == [f"parquet/attempts/{path.name}"]
    assert seal(build.path).run_ids == ("r1",)
    assert store.problems.empty
    assert same(frames(build.path), before)


@pytest.mark.parametrize(
    "text",
    [
        '{"schema_version": 2, "par',
        '{"schema_version": 99}',
        "[]",
        '{"schema_version": 2, "parts": 3}',
    ],
)
def test_a_damaged_manifest_hides_no_run(build, text):
    build.filled()
    seal(build.path)
    before = frames(build.path)
    build.folder.parquet_manifest.write_text(text)
    assert same(frames(build.path), before)
    assert open_store(build.path).problems["path"].tolist() == ["parquet/manifest.json"]


def test_what_was_sealed_before_there_were_requests_is_sealed_again(build):
    build.filled()
    seal(build.path)
    before = frames(build.path)
    path = build.folder.parquet_manifest
    path.write_text(path.read_text().replace('"schema_version": 2', '"schema_version": 1'))
    assert same(frames(build.path), before)
    assert open_store(build.path).problems.empty
    assert seal(build.path).run_ids == ("r1",)


def test_a_part_without_a_newer_column_reads_as_unknown(build):
    """Files of an older version lack columns, and one held whole numbers for seconds."""
    build.filled("r1")
    build.filled("r2")
    seal(build.path, ["r1"])
    seal(build.path, ["r2"])
    old = parts(build)[0]
    run_id = pq.read_table(old)["run_id"][0].as_py()
    table = pq.read_table(old).drop_columns(["tampering", "turns"])
    narrow = pa.array([2] * table.num_rows, pa.int32())
    table = table.set_column(table.schema.get_field_index("duration_s"), "duration_s", narrow)
    pq.write_table(table, old)
    text = manifest(build)
    for part in text["parts"]:
        if part["name"] == old.stem:
            part["sizes"]["attempts"] = old.stat().st_size
    build.folder.parquet_manifest.write_text(json.dumps(text))
    trials = open_store(build.path).trials()
    assert open_store(build.path).problems.empty
    assert len(trials) == 8
    assert trials.groupby("run_id")["duration_s"].first().to_dict() == {"r1": 2.5, "r2": 2.5} | {
        run_id: 2.0
    }
    assert trials["turns"].isna().all()


def test_many_small_parts_become_one(build):
    for number in range(17):
        run = build.run(f"r{number:02}")
        attempt = build.attempt(run.path.name)
        build.write(run, attempt, checks=1)
        build.events(run, attempt, 1)
        if number:
            seal(build.path)
        if number == 1:
            build.write(run, build.attempt(run.path.name, repeat=2), checks=1)
            seal(build.path)
    report = seal(build.path, grace_s=0)
    store = open_store(build.path)
    assert report.parts < 5
    assert len(store.trials()) == 18
    assert len(store.checks()) == 18
    assert len(store.events()) == 17
    live = manifest(build)["parts"]
    assert {path.stem for path in parts(build)} == {part["name"] for part in live}
    rows = sum(pq.read_metadata(path).num_rows for path in parts(build))
    assert rows == 18, "what was dropped is not carried along"


def test_old_parts_stay_for_readers_that_began_before(build):
    run = build.filled()
    seal(build.path)
    (old,) = parts(build)
    with open_store(build.path).connect() as connection:
        build.write(run, build.attempt(repeat=2))
        seal(build.path)
        assert old in parts(build)
        assert connection.sql("select count(*) from trials").fetchall() == [(4,)]
    seal(build.path, grace_s=0)
    assert old not in parts(build)


def test_a_reader_looks_again_when_a_part_went_away(build, monkeypatch):
    """The manifest it read is replaced, and the part removed, before it opens the part."""
    import agenteval.store.reading as reading

    run = build.filled()
    seal(build.path)
    look = reading.take_snapshot
    looks = []

    def slow(folder):
        snapshot = look(folder)
        looks.append(snapshot)
        if len(looks) == 1:
            build.write(run, build.attempt(repeat=2))
            seal(build.path, grace_s=0)
        return snapshot

    monkeypatch.setattr(reading, "take_snapshot", slow)
    assert len(open_store(build.path).trials()) == 5
    assert len(looks) == 2


def test_a_run_sealed_while_a_reader_looks_is_read_once(build, monkeypatch):
    import agenteval.store.reading as reading

    build.filled()
    look = reading.take_snapshot

    def slow(folder):
        snapshot = look(folder)
        seal(build.path)
        return snapshot

    monkeypatch.setattr(reading, "take_snapshot", slow)
    assert len(open_store(build.path).trials()) == 4
    assert len(open_store(build.path).checks()) == 8


CRASH = """
import os, signal, sys
import agenteval.store.parts, agenteval.store.sealed
module = __import__("importlib").import_module("agenteval.store.seal")
die = lambda *arguments, **options: os.kill(os.getpid(), signal.SIGKILL)
point = sys.argv[2]
if point == "with a temporary file":
    module.PartWriter._publish = die
elif point == "between two tables":
    publish, done = module.PartWriter._publish, []
    def once(self, table):
        if done:
            die()
        done.append(publish(self, table))
    module.PartWriter._publish = once
elif point == "before the manifest":
    module.ParquetManifest.write = die
elif point == "after the manifest":
    module._sweep = die
module.seal(sys.argv[1])
"""


@pytest.mark.parametrize(
    "point",
    ["with a temporary file", "between two tables", "before the manifest", "after the manifest"],
)
def test_a_sealer_killed_at_any_point_leaves_a_store_without_loss_or_doubles(build, python, point):
    build.filled("r1")
    seal(build.path)
    run = build.filled("r2")
    build.events(run, build.attempt("r2"))
    before = frames(build.path)
    process = python(CRASH, build.path, point)
    _, error = process.communicate()
    assert process.returncode == -signal.SIGKILL, error
    assert same(frames(build.path), before)
    seal(build.path, grace_s=0)
    assert same(frames(build.path), before)
    live = {part["name"] for part in manifest(build)["parts"]}
    for table in ("attempts", "checks", "events", "runs"):
        assert {path.stem for path in parts(build, table)} <= live


def test_two_sealers_at_once_do_not_double(build, python):
    for number in range(6):
        build.filled(f"r{number}")
    before = frames(build.path)
    code = "import sys; from agenteval.store import seal; print(len(seal(sys.argv[1]).run_ids))"
    sealers = [python(code, build.path) for _ in range(2)]
    done = [int(process.communicate()[0]) for process in sealers]
    assert sum(done) == 6
    assert same(frames(build.path), before)


WRITER = """
import os, sys
blocks = open(sys.argv[1], "rb").read().split(b"\\n\\n")
with open(sys.argv[2], "ab", buffering=0) as journal:
    for block in blocks:
        half = len(block) // 2
        journal.write(block[:half])
        journal.write(block[half:] + b"\\n")
        os.fsync(journal.fileno())
"""


def test_a_store_is_read_whole_while_a_process_writes_and_another_seals(build, python, tmp_path):
    run = build.run()
    blocks = [build.block(build.attempt(repeat=number)) for number in range(1, 301)]
    (tmp_path / "blocks").write_bytes(b"\n\n".join(block.rstrip(b"\n") for block in blocks))
    writer = python(WRITER, tmp_path / "blocks", run.journal)
    counts = [0]
    store = open_store(build.path)
    while writer.poll() is None:
        trials = store.sql(
            """select t.repeat, count(c.seq) n from trials t
               left join checks c using (run_id, trial_id) group by all order by 1"""
        )
        assert trials["n"].eq(2).all()
        assert trials["repeat"].tolist() == list(range(1, len(trials) + 1))
        assert len(trials) >= counts[-1]
        counts.append(len(trials))
        seal(build.path)
    assert writer.returncode == 0
    assert len(store.trials()) == 300
    assert store.problems.empty
