"""`agenteval run experiment.toml`: the whole question in one file."""

import json

import pytest

from agenteval.records import Experiment, read_manifest
from agenteval.suite import schema

TEXT = """question = "Is the reference better than nothing?"
suite = "suite"
repeats = 2
concurrency = 1

[[arms]]
agent = "scripted:reference"

[[arms]]
agent = "scripted:noop"

[limits]
timeout_s = 50
"""


@pytest.fixture
def ask(cli, suite, tmp_path):
    (tmp_path / "lab").mkdir()
    suite.rename(tmp_path / "lab/suite")

    def written(text=TEXT, *options):
        path = tmp_path / "lab/experiment.toml"
        path.write_text(text)
        return cli("run", path, "--store", tmp_path / "store", "--run-id", "r", *options)

    return written


def test_arms_repeats_and_limits_are_the_files(ask, tmp_path):
    done = ask()
    assert done.code == 0
    assert "question: Is the reference better than nothing?" in done.err
    manifest = read_manifest(tmp_path / "store/runs/r/run.json")
    assert [arm.agent_spec for arm in manifest.planned_arms] == [
        "scripted:reference",
        "scripted:noop",
    ]
    assert (manifest.run.repeats, manifest.run.concurrency) == (2, 1)
    assert {task.timeout_s for task in manifest.tasks} == {50}
    assert manifest.caps == {"timeout_s": 50}
    assert manifest.run.command.endswith("--run-id r")
    assert "experiment.toml" in manifest.run.command


def test_the_same_command_resumes_and_the_graded_tasks_stay_the_same(ask, cli, tmp_path):
    ask()
    assert "8 already held" in ask().err
    done = cli("regrade", "r", "--store", tmp_path / "store", "--json")
    assert (done.code, done.err.count("changed since")) == (0, 0)


def test_options_beside_it_go_before_the_files(ask, tmp_path):
    done = ask(TEXT, "--repeat", "3", "--dry-run", "--json")
    assert done.json["planned"] == 12


def test_its_path_may_be_written_in_any_way(ask, cli, tmp_path):
    ask(TEXT, "--dry-run")
    for typed in (
        "./lab/experiment.toml",
        "lab//experiment.toml",
        f"{tmp_path}/lab/experiment.toml",
    ):
        assert cli("run", "--dry-run", typed, "--json").json["planned"] == 8


def test_crossed_arms(ask):
    text = 'suite = "suite"\nagents = ["scripted:reference", "scripted:noop"]\n'
    assert ask(text, "--dry-run", "--json").json["planned"] == 4


def test_its_gate_follows_the_run(ask, cli, tmp_path):
    ask(TEXT.replace('[[arms]]\nagent = "scripted:noop"\n', ""))
    cli("baseline", "save", "base", "--run", "r", "--store", tmp_path / "store")
    gate = '\n[gate]\nagainst = "base"\nmin_pass_rate = 0.5\n'
    only = '[[arms]]\nagent = "scripted:noop"\n'
    worse = TEXT.replace('[[arms]]\nagent = "scripted:reference"\n', "") + gate
    assert only in worse
    (tmp_path / "lab/experiment.toml").write_text(worse)
    done = cli(
        "run", tmp_path / "lab/experiment.toml", "--store", tmp_path / "store", "--run-id", "worse"
    )
    assert done.code == 1
    assert "pass_rate" in done.out or "pass rate" in done.out


def test_a_gate_without_its_baseline_is_refused_before_the_run(ask, tmp_path):
    done = ask(TEXT + '\n[gate]\nagainst = "nobody"\n')
    assert done.code == 2
    assert "nobody" in done.err
    assert "8 trials planned" not in done.err
    assert not (tmp_path / "store/runs/r").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (TEXT + "repeat = 3\n", "repeat"),
        (TEXT.replace('suite = "suite"', ""), "suite"),
        (TEXT.replace("repeats = 2", 'repeats = 2\nagents = ["scripted:noop"]'), "also crosses"),
        (TEXT.replace("timeout_s = 50", "timeout_s = -1"), "timeout_s"),
    ],
)
def test_mistakes_name_file_and_key(ask, text, said):
    done = ask(text)
    assert done.code == 2
    assert said in done.err
    assert "experiment.toml" in done.err


def test_editors_get_its_schema(cli):
    made = cli("schema", "experiment").json
    assert set(Experiment.model_fields) <= set(made["properties"])
    assert made == json.loads(json.dumps(schema("experiment")))
