"""An experiment is read from its file, and its paths are relative to that."""

import pytest

from agenteval.errors import TaskError
from agenteval.suite import load_experiment

TEXT = """suite = "evals"
agents = ["claude-code", "codex"]
models = ["scripted:reference"]
variants = ["none", "short"]
repeats = 3
upstreams = "upstreams.toml"

[budget]
max_cost_usd = 5
"""


def test_options_are_those_of_the_command(tmp_path):
    (tmp_path / "experiment.toml").write_text(TEXT)
    loaded = load_experiment(tmp_path / "experiment.toml")
    assert loaded.suite == str(tmp_path / "evals")
    assert loaded.options() == [
        *("--repeat", "3", "--seed", "0", "--max-cost", "5.0"),
        *("--upstreams", str(tmp_path / "upstreams.toml")),
        *("--agent", "claude-code", "--agent", "codex", "--model", "scripted:reference"),
        *("--variant", "none", "--variant", "short"),
    ]
    assert loaded.caps == {}


def test_bundled_is_the_suite_that_comes_along(tmp_path):
    (tmp_path / "e.toml").write_text('suite = "bundled"\n')
    assert load_experiment(tmp_path / "e.toml").suite == "bundled"


def test_every_mistake_is_named_at_once(tmp_path):
    (tmp_path / "e.toml").write_text('suit = "x"\nrepeats = 0\n[limits]\nmax_turns = 0\n')
    with pytest.raises(TaskError) as caught:
        load_experiment(tmp_path / "e.toml")
    told = str(caught.value)
    for key in ("suit", "repeats", "limits.max_turns"):
        assert key in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "The key `suite` of an experiment is missing"),
        ('suite = "x"\nrepeat = 1\n', "`repeat` is not a key of an experiment"),
        ('suite = "x"\n[gate]\nagainst = "b"\nrepeats = 1\n', "is a key of the experiment itself"),
        (
            'suite = "x"\nagents = ["a"]\narms = [{agent = "b"}]\n',
            "The experiment lists arms and also crosses agents, models or variants.\nWhere: {file}\nFix: take out `arms`",
        ),
    ],
)
def test_a_mistake_is_told_as_one_of_an_experiment(tmp_path, text, told):
    file = tmp_path / "e.toml"
    file.write_text(text)
    with pytest.raises(TaskError) as caught:
        load_experiment(file)
    assert told.format(file=file) in str(caught.value)
