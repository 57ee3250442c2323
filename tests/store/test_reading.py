import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from agenteval.errors import InvalidInput, StoreError
from agenteval.records import TABLES, EventRow, columns, encode_block
from agenteval.store import Store, open_store, seal

PANDAS = {
    "str": "str",
    "int": "Int64",
    "float": "float64",
    "bool": "boolean",
    "datetime": "datetime64[us, UTC]",
    "list[str]": "object",
}


def frames(path):
    store = open_store(path)
    return {table: getattr(store, table)() for table in TABLES}


def expected_dtypes(table):
    return {column.name: PANDAS[column.dtype] for column in columns(table)}


def dtypes(frame):
    return {name: str(dtype) for name, dtype in frame.dtypes.items()}


def test_dtypes_are_the_same_empty_all_null_and_full(build):
    def check():
        for table, frame in frames(build.path).items():
            assert dtypes(frame) == expected_dtypes(table), table

    build.folder.create()
    check()
    run = build.run()
    sparse = build.attempt(started_at=None, duration_s=None, cost_usd=None, score=None)
    build.write(run, sparse)
    check()
    build.write(
        run, build.attempt(repeat=2, exit_code=0, turns=3, asked_user=False, tampering=["x"])
    )
    build.events(run, sparse)
    seal(build.path)
    check()
    assert dtypes(open_store(build.path).trials(arm="nobody")) == expected_dtypes("trials")


def test_unknown_is_null_and_lists_are_lists(build):
    run = build.run()
    build.write(run, build.attempt(cost_usd=None), build.attempt(repeat=2, tampering=["a", "b"]))
    trials = open_store(build.path).trials()
    assert trials["cost_usd"].isna().tolist() == [True, False]
    assert trials["tampering"].tolist() == [None, ["a", "b"]]
    assert open_store(build.path).tasks()["tags"].tolist() == [["demo", "it's"]] * 2


def test_a_torn_last_line_is_not_there(build):
    run = build.filled()
    before = frames(build.path)
    build.append(run, build.block(build.attempt(task="cart", repeat=2))[:-7])
    after = frames(build.path)
    for table in TABLES:
        assert after[table].equals(before[table])
    assert open_store(build.path).problems.empty


def test_checks_without_their_attempt_are_not_there(build):
    run = build.filled()
    late = build.attempt(repeat=2)
    build.append(run, encode_block(late, build.checks(late)).splitlines(keepends=True)[0])
    assert len(open_store(build.path).checks()) == 8
    build.append(run, build.block(late))
    assert len(open_store(build.path).checks(run="r1")) == 11
    assert len(open_store(build.path).trials()) == 5


def test_checks_of_a_torn_block_are_not_given_to_the_next_trial(build):
    run = build.run()
    torn, whole = build.attempt(), build.attempt(repeat=2)
    build.append(run, build.block(torn).splitlines(keepends=True)[0])
    build.write(run, whole)
    checks = open_store(build.path).checks()
    assert set(checks["trial_id"]) == {whole.trial_id}


@pytest.mark.parametrize(
    "line",
    [
        b"not json\n",
        b"\n",
        b'{"schema_version": 1, "record": "attempt"}\n',
        b'{"schema_version": 1, "record": "song"}\n',
        b'{"schema_version": 99, "record": "attempt"}\n',
        b'{"record": "attempt"}\n',
        b'"\xff"\n',
        b"[1]\n",
    ],
)
def test_a_bad_line_in_the_middle_is_named_and_hides_nothing_else(build, line):
    run = build.run()
    build.write(run, build.attempt())
    build.append(run, line)
    build.write(run, build.attempt(repeat=2))
    store = open_store(build.path)
    assert len(store.trials()) == 2
    assert len(store.checks()) == 4
    (problem,) = store.problems.to_dict("records")
    assert problem["path"] == "runs/r1/journal.jsonl"
    assert "lines 3;" in problem["reason"] or "lines 4;" in problem["reason"]
    seal(build.path)
    assert store.problems.to_dict("records") == [problem]
    assert len(store.trials()) == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "great"),
        ("repeat", 0),
        ("cost_source", "guess"),
        ("cost_usd", float("inf")),
        ("extra", 1),
    ],
)
def test_a_line_the_codec_refuses_is_refused_here_too(build, field, value):
    run = build.run()
    row = json.loads(encode_block(build.attempt())) | {field: value}
    build.append(run, (json.dumps(row) + "\n").encode())
    build.write(run, build.attempt(repeat=2))
    store = open_store(build.path)
    assert store.trials()["repeat"].tolist() == [2]
    assert len(store.problems) == 1


def test_rows_of_another_run_in_a_journal_are_left_out_and_named(build):
    run = build.run("r1")
    build.write(run, build.attempt("r1"), build.attempt("other"))
    store = open_store(build.path)
    assert store.trials()["run_id"].tolist() == ["r1"]
    assert "another run" in store.problems["reason"].iloc[0]


def test_a_value_wider_than_thousands_before_it_is_kept(build):
    run = build.run()
    head = json.loads(encode_block(build.attempt(duration_s=1.0)))
    line = json.dumps(head | {"trial_id": "(id)", "duration_s": 1, "exit_code": None})
    lines = [line.replace("(id)", f"{number:012x}") for number in range(30_000)]
    lines.append(json.dumps(head | {"trial_id": "f" * 12, "duration_s": 0.5, "exit_code": 7}))
    run.journal.write_text("\n".join(lines) + "\n")
    store = open_store(build.path)
    query = "select count(*) n, sum(duration_s) s, sum(exit_code) e from trials"
    assert store.sql(query).iloc[0].tolist() == [30_001, 30_000.5, 7]
    seal(build.path)
    assert store.sql(query).iloc[0].tolist() == [30_001, 30_000.5, 7]


def test_text_survives_the_way_through_json_arrow_and_parquet(build):
    run = build.run()
    message = "naïve \x00 \u2028 \U0001f600 \\ \" '; drop table trials; --\nline"
    build.write(run, build.attempt(error_message=message))
    assert open_store(build.path).trials()["error_message"].iloc[0] == message
    seal(build.path)
    assert open_store(build.path).trials()["error_message"].iloc[0] == message


def test_filters_select_what_they_say(build):
    build.filled("r1")
    build.filled("r2", day=40)
    store = open_store(build.path)
    for _ in range(2):
        assert set(store.trials(run="r2")["run_id"]) == {"r2"}
        assert len(store.trials(run=["r1", "r2"], task="cart", arm=["base"])) == 2
        assert store.trials(status="fail")["task_id"].tolist() == ["cart", "cart"]
        assert store.trials(suite="elsewhere").empty
        assert store.trials(status=[]).empty
        assert len(store.checks(store.trials(status="fail"))) == 4
        assert len(store.attempts(run="r1")) == 4
        assert store.tasks(run="r2")["run_id"].tolist() == ["r2", "r2"]
        assert store.arms(run="r2")["arm"].tolist() == ["base", "v2"]
        seal(build.path, ["r1"])


def test_since_compares_the_start_or_else_the_run(build):
    old, new = build.run("r1"), build.run("r2", day=10)
    build.write(
        old, build.attempt("r1"), build.attempt("r1", repeat=2, started_at="2025-03-09T00:00Z")
    )
    build.write(new, build.attempt("r2", started_at=None))
    store = open_store(build.path)
    found = store.trials(since="2025-03-08")
    assert list(zip(found["run_id"], found["repeat"], strict=True)) == [("r1", 2), ("r2", 1)]
    assert store.trials(since="2025-03-10")["run_id"].tolist() == ["r2"]
    assert store.trials(since="12h").empty
    assert len(store.trials(since="40000d")) == 3


def test_a_filter_that_can_find_nothing_is_an_error(build):
    build.filled("nightly-1")
    store = open_store(build.path)
    with pytest.raises(StoreError, match=r"no run 'nightly-2'[\s\S]*use one of nightly-1"):
        store.trials(run="nightly-2")
    with pytest.raises(InvalidInput, match="no status 'passed'"):
        store.trials(status="passed")
    with pytest.raises(InvalidInput, match="is no time"):
        store.trials(since="yesterday")
    with pytest.raises(InvalidInput, match="no column trial_id"):
        store.checks(store.runs())


def test_params_are_bound_not_pasted(build):
    build.filled()
    store = open_store(build.path)
    evil = "shop' or 1=1 --"
    assert store.sql("select * from trials where suite = $suite", {"suite": evil}).empty
    assert len(store.sql("select * from trials where suite = $suite", {"suite": "shop"})) == 4
    assert store.sql("select ?::int + ? as n", [1, 2])["n"].tolist() == [3]
    assert store.trials(suite=evil).empty


def test_a_wrong_query_says_what_is_wrong(build):
    build.filled()
    store = open_store(build.path)
    for query, params, message in (
        ("select nope from trials", None, "nope"),
        ("selec 1", None, "syntax"),
        ("select * from trialz", None, "trialz"),
        ("select $x", {}, "x"),
        ("from read_csv('missing.csv')", None, "missing.csv"),
    ):
        with pytest.raises(StoreError, match=message) as caught:
            store.sql(query, params)
        assert caught.value.where
        assert caught.value.fix


def test_query_results_have_stable_dtypes(build):
    build.filled()
    frame = open_store(build.path).sql(
        """select count(*) n, sum(passed::int) k, avg(score) m, 1.5::decimal(9,2) d, true b,
             date '2025-01-31' as "day", max(started_at) t, 'x' s, ['a'] l, 3::utinyint u,
             sum(turns) unknown, 'e'::enum('e') e from trials"""
    )
    assert dtypes(frame) == {
        "n": "Int64", "k": "Int64", "m": "float64", "d": "float64", "b": "boolean",
        "day": "datetime64[us]", "t": "datetime64[us, UTC]", "s": "str", "l": "object",
        "u": "Int64", "unknown": "Int64", "e": "str",
    }  # fmt: skip
    assert frame["l"].iloc[0] == ["a"]


def test_connect_offers_the_tables_and_no_network(build):
    run = build.filled()
    build.events(run, build.attempt())
    with open_store(build.path).connect() as connection:
        for table in TABLES:
            found = connection.sql(f"select * from {table}").columns
            assert found == [column.name for column in columns(table)]
        assert connection.sql("select count(*) from events").fetchall() == [(3,)]
        assert connection.cursor().sql("select count(*) from trials").fetchall() == [(4,)]
        settings = "select current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
        assert connection.sql(settings).fetchall() == [(False, False)]


def test_events_are_those_of_the_attempt_that_counts(build):
    run = build.run()
    failed = build.attempt(status="error", passed=None, error_class="setup_failed")
    good = build.attempt(attempt=2)
    build.write(run, failed, good)
    build.events(run, failed, 5)
    path = build.events(run, good, 2)
    path.write_bytes(path.read_bytes() + b'{"seq": "x"}\nnonsense\n{"torn": ')
    for _ in range(2):
        events = open_store(build.path).events()
        assert events["command"].tolist() == ["step 1", "step 2"]
        assert list(EventRow.model_fields) == list(events.columns)
        seal(build.path)


def test_a_run_folder_can_be_renamed_and_a_store_moved(build, tmp_path):
    run = build.filled("r1")
    build.filled("r2")
    artifact = run.attempt(build.attempt().trial_id, 1) / "patch.diff"
    artifact.parent.mkdir(parents=True)
    artifact.write_text("+ new\n")
    seal(build.path, ["r1"])
    before = frames(build.path)
    run.path.rename(run.path.with_name("kept for the paper"))
    moved = tmp_path / "else[w]here's *"
    build.path.rename(moved)
    after = frames(moved)
    for table in TABLES:
        assert after[table].equals(before[table])
    store = open_store(moved)
    assert store.problems.empty
    assert store.trial(build.attempt().trial_id).diff == "+ new\n"
    assert seal(moved).run_ids == ("r2",)


def test_one_unreadable_run_is_reported_and_breaks_nothing(build):
    build.filled("good")
    build.filled("torn").manifest.write_text('{"schema_version": 1, "run"')
    build.filled("newer").manifest.write_text('{"schema_version": 99}')
    build.filled("gone").manifest.unlink()
    (build.folder.runs / "stray.txt").write_text("x")
    store = open_store(build.path)
    assert store.runs()["run_id"].tolist() == ["good"]
    assert len(store.trials()) == 4
    problems = store.problems.set_index("path")["reason"]
    assert problems.index.tolist() == ["runs/gone", "runs/newer", "runs/torn"]
    assert "no run.json" in problems["runs/gone"]
    assert "newer agenteval" in problems["runs/newer"]
    assert seal(build.path).run_ids == ("good",)


def test_a_copied_run_folder_is_not_counted_twice(build):
    run = build.filled("r1", folder="b")
    copied = build.folder.runs / "a"
    copied.mkdir()
    for path in (run.manifest, run.journal):
        (copied / path.name).write_bytes(path.read_bytes())
    store = open_store(build.path)
    for _ in range(2):
        assert len(store.trials()) == 4
        (problem,) = store.problems.to_dict("records")
        assert problem["path"] == "runs/b"
        assert "the folder a is used" in problem["reason"]
        seal(build.path)


def test_reading_writes_nothing(build):
    run = build.filled("r1")
    build.events(run, build.attempt())
    build.filled("r2")
    seal(build.path, ["r1"])

    def state():
        return {
            path: (path.stat().st_mtime_ns, path.stat().st_size) for path in build.path.rglob("*")
        }

    before = state()
    folders = [build.path, *(path for path in build.path.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        store = open_store(build.path)
        assert len(store.trials()) == 8
        assert len(store.events()) == 3
        assert "8 trials" in repr(store)
        assert store.trial(build.attempt("r1").trial_id)._repr_html_()
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert state() == before


def test_sealing_a_store_that_cannot_be_written_is_an_error(build):
    build.filled()
    build.folder.parquet.write_text("a file where the folder should be")
    with pytest.raises(StoreError, match="cannot be sealed"):
        seal(build.path)
    assert len(open_store(build.path).trials()) == 4


def test_an_empty_store_is_a_store(build):
    build.folder.create()
    store = open_store(build.path)
    assert repr(store).endswith("0 runs, 0 trials, 0 arms>")
    assert "0 runs" in store._repr_html_()
    assert store.sql("select count(*) n from trials")["n"].tolist() == [0]
    with pytest.raises(StoreError, match="no runs yet"):
        store.newest_run()
    assert seal(build.path).run_ids == ()
    assert isinstance(store, Store)


def test_the_newest_run_is_the_one_planned_last(build):
    build.filled("b", day=1)
    build.filled("a", day=5)
    build.filled("c", day=3)
    store = open_store(build.path)
    assert store.newest_run() == "a"
    assert store.runs()["run_id"].tolist() == ["b", "c", "a"]
    html = store._repr_html_()
    assert html.index(">a<") < html.index(">c<") < html.index(">b<")


def test_new_trials_show_without_opening_again(build):
    run = build.run()
    store = open_store(build.path)
    assert store.trials().empty
    build.write(run, build.attempt())
    assert len(store.trials()) == 1


def test_the_store_near_here_is_found_from_below(build, tmp_path, monkeypatch):
    (tmp_path / ".agenteval").mkdir()
    build.path = tmp_path / ".agenteval" / "store"
    build.filled()
    below = tmp_path / "src" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert open_store().path == build.path
    for given in (build.path, tmp_path, tmp_path / ".agenteval", os.fspath(tmp_path)):
        assert open_store(given).path == build.path


def test_a_missing_store_is_an_error_of_three_parts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (None, tmp_path, tmp_path / "nowhere"):
        with pytest.raises(StoreError) as caught:
            open_store(path)
        assert caught.value.what
        assert str(tmp_path) in caught.value.where
        assert "agenteval demo" in caught.value.fix
    assert list(tmp_path.iterdir()) == []


def test_a_store_serves_several_threads_and_travels_between_processes(build):
    build.filled("r1")
    build.filled("r2")
    seal(build.path, ["r1"])
    store = open_store(build.path)
    asks = [
        lambda: len(store.trials()),
        lambda: len(store.checks(store.trials(run="r2"))),
        lambda: int(store.sql("select count(*) n from checks")["n"].iloc[0]),
        lambda: len(store.trial(build.attempt("r1").trial_id).checks),
    ]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda ask: ask(), asks * 3))
    assert got == [8, 8, 16, 2] * 3
    assert len(pickle.loads(pickle.dumps(store)).trials()) == 8


def test_what_a_query_makes_is_gone_with_it(build):
    build.filled()
    store = open_store(build.path)
    store.sql("create table mine as select 1 as one")
    with pytest.raises(StoreError, match="mine"):
        store.sql("from mine")
    store.sql("drop view trials")
    assert len(store.trials()) == 4
