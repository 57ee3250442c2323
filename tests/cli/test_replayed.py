"""`--record` and `--model replay:`: what could not be played back is refused before it runs."""

import sys
from pathlib import Path

import pytest

AGENT = Path(__file__).parents[1] / "engine/modelled/agent.py"
STEPS = """{"steps": [
    {"calls": [{"run": "printf 'hello world\\\\n' > app.txt"}]},
    {"text": "Done."}
]}"""


@pytest.fixture
def run(cli, suite, tmp_path):
    (tmp_path / "script.json").write_text(STEPS)
    agent = f"command:{sys.executable} {AGENT} {{prompt_file}}"

    def call(run_id, *options, command=("run", "evals", "--store", "store")):
        return cli(*command, "--agent", agent, "--no-sandbox", *(("--run-id", run_id) if run_id else ()), *options)  # fmt: skip

    return call


SCRIPTED = ("--model", "scripted:script.json", "--record", "rec")
REPLAYED = ("--model", "replay:rec")


def kept(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.zst"))


def test_each_repeat_is_played_back(run, cli):
    assert run("a", *SCRIPTED, "--repeat", "2").code == 0
    done = run("b", *REPLAYED, "--repeat", "2")
    assert done.code == 0, done.err
    rows = cli("sql", "select run_id, status, count(*) n from trials group by all order by all", "--store", "store", "--json").json  # fmt: skip
    assert [(row["run_id"], row["status"], row["n"]) for row in rows] == [("a", "pass", 4), ("b", "pass", 4)]  # fmt: skip


def test_a_repeat_too_many_is_refused_before_it_runs(run, tmp_path):
    run("a", *SCRIPTED)
    for more in ([], ["--dry-run"]):
        done = run("b", *REPLAYED, "--repeat", "2", *more)
        assert done.code == 2
        assert "There is no recording of task" in done.err
        assert ", repeat 2" in done.err
    assert not (tmp_path / "store/runs/b").exists()


def test_a_second_run_is_not_recorded_into_the_same_folder(run, tmp_path):
    run("a", *SCRIPTED)
    before = kept(tmp_path / "rec")
    done = run("b", *SCRIPTED)
    assert done.code == 2
    assert "The folder holds recordings of task" in done.err
    assert "Fix: record into an empty folder" in done.err
    assert kept(tmp_path / "rec") == before
    assert not (tmp_path / "store/runs/b").exists()
    assert run("a", *SCRIPTED).code == 0  # the same run, carried on


def test_recordings_of_two_runs_are_told_before_a_replay(run, tmp_path):
    for name in ("a", "b"):
        run(name, "--model", "scripted:script.json", "--record", name)
    for file in kept(tmp_path / "b"):
        (tmp_path / "b" / file).rename(tmp_path / "a" / file)
    done = run("c", "--model", "replay:a")
    assert done.code == 2
    assert "There are recordings of 2 trials of task" in done.err
    named = {file for file in kept(tmp_path / "a") if file in done.err}
    assert len(named) == 2
    assert len({Path(file).parent for file in named}) == 1
    assert "Fix: name one file, or record into an empty folder" in done.err
    assert not (tmp_path / "store/runs/c").exists()


def test_try_refuses_the_same(run):
    run("a", *SCRIPTED)
    tried = ("try", "greeting", "--suite", "evals")
    assert "holds recordings" in run(None, *SCRIPTED, command=tried).err
    assert run(None, *REPLAYED, command=tried).code == 0
    done = run(None, "--model", "replay:evals", command=tried)
    assert done.code == 2
    assert "There is no recording of task greeting" in done.err
