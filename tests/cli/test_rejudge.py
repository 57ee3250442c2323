"""`agenteval rejudge`, and the judge's options of `run`."""

import importlib.util
import sys
from pathlib import Path

import pytest

import agenteval as ae


def model_server():
    name = "judge_model_server"
    if name not in sys.modules:
        path = Path(__file__).parents[1] / "judge" / "model_server.py"
        spec = importlib.util.spec_from_file_location(name, path)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


scripted = model_server()


@pytest.fixture
def server():
    started = scripted.ModelServer(lambda asked: scripted.says(0.9))
    yield started
    started.close()


@pytest.fixture
def judge(server):
    """Options that reach the scripted judge."""
    return "--model", "local/m", "--judge-url", server.url


@pytest.fixture
def run(cli, suite):
    done = cli("run", "--agent", "scripted:reference", "--run-id", "r", "--sandbox", "plain")
    assert done.code == 0, done.err
    (Path.cwd() / "rubric.md").write_text("The greeting is right.")
    return cli


def test_stored_trials_are_judged_again(run, judge, server):
    done = run("rejudge", "r", "--rubric", "rubric.md", *judge, "--samples", "3", "--json")
    assert done.code == 0, done.err
    facts = done.json
    assert (facts["pass"], facts["fail"], facts["cost_usd"]) == (2, 0, None)
    assert facts["judges"][0]["samples"] == 6
    found = ae.open_store().judgments()
    assert set(found["judging"]) == {facts["judging"]}
    assert set(found["rubric"]) == {facts["rubric"]}
    assert "The greeting is right." in server.seen[0]["user"]


def test_it_says_what_it_did_in_words(run, judge):
    done = run("rejudge", "r", "--rubric", "rubric.md", *judge, "--tasks", "greet*")
    assert "1 trial judged (1 pass), unknown cost" in done.out
    assert "[1/1] judged" in done.err


def test_several_models_are_a_panel(run, judge):
    done = run("rejudge", "r", "--rubric", "rubric.md", *judge, "--model", "local/n", "--json")
    assert done.code == 0, done.err
    assert set(ae.open_store().judgments()["panel"]) == {"majority"}


def test_a_budget_that_stops_it_is_exit_code_1_and_no_reply_is_2(run, server):
    server.script = lambda asked: {"status": 401}
    done = run(
        "rejudge", "r", "--rubric", "rubric.md", "--model", "local/m", "--judge-url", server.url
    )
    assert done.code == 2
    assert "2 of 2 samples missing" in done.err.replace("1 of 1", "2 of 2")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--model", "local/m", "--judge-url", "nowhere"], "cannot be reached so"),
        (["--model", "local/m", "--judge-url", "http://h/v1", "--scale", "1-5"], "scale"),
        (["--model", "local/m", "--judge-url", "http://h/v1", "--samples", "99"], "samples"),
        ([], "names no model"),
        (["--model", "openai/x", "--judge-key-env", "NO_SUCH_KEY"], "NO_SUCH_KEY is not set"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_a_users_mistake(run, options, what):
    done = run("rejudge", "r", "--rubric", "rubric.md", *options)
    assert done.code == 2
    assert what in done.err
    assert "Fix: " in done.err


def test_a_rubric_that_is_not_there(run, judge):
    done = run("rejudge", "r", "--rubric", "gone.md", *judge)
    assert done.code == 2
    assert "gone.md" in done.err


def test_a_run_takes_its_judge_from_the_command_line(cli, suite, server):
    task = suite / "greeting/task.toml"
    task.write_text(task.read_text() + '[[checks]]\nkind = "judge"\nrubric = "Right."\n')
    options = ["run", "--agent", "scripted:reference", "--tasks", "greeting", "--sandbox", "plain"]
    done = cli(*options)
    assert done.code == 2
    assert "names no model" in done.err
    server.script = lambda asked: {"text": "no idea"}
    done = cli(*options, "--run-id", "r", "--judge-model", "local/m", "--judge-url", server.url)
    assert server.seen[0]["model"] == "m"
    assert "local/m on scripted:reference: 1 of 1 sample without a score count as 0" in done.err
    row = ae.open_store().trials().iloc[0]
    assert (row["status"], row["error_class"]) == ("error", "judge_no_score")
