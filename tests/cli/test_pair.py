"""`agenteval run --arms with,without`: two variants of one agent, round by round."""

import pytest

from agenteval.store import open_store
from agenteval.suite import plugin_variant, variant_files

# mends the greeting only where its plugin is handed over
AGENT = 'command:test -n "$AGENTEVAL_PLUGIN_DIRS" && echo "hello world" > app.txt; true'


@pytest.fixture
def plugin(tmp_path):
    folder = tmp_path / "kit"
    (folder / "skills/mend").mkdir(parents=True)
    (folder / "skills/mend/SKILL.md").write_text("Mend typos.\n")
    return folder


def test_a_pair_passes_when_the_with_arm_is_green_in_every_round(cli, suite, plugin, tmp_path):
    done = cli(
        "run", suite, "--agent", AGENT, "--arms", "with,without", "--plugin-dir", plugin,
        "--repeat", 2, "--no-sandbox", "--run-id", "pair",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "pass: with is green on every task in every round" in done.err
    assert "without 0.0 %" in done.err
    arms = open_store(tmp_path / ".agenteval/store").arms()
    assert sorted(arms["arm"]) == ["with", "without"]
    assert arms["arm_digest"].is_unique


def test_a_pair_fails_when_the_with_arm_is_not_green(cli, suite, plugin):
    options = ["--arms", "with,without", "--plugin-dir", plugin, "--no-sandbox"]
    done = cli("run", suite, "--agent", "command:true", *options)
    assert done.code == 1
    assert "FAIL: with is not green everywhere" in done.err
    assert "greeting, round 1: fail" in done.err


def test_a_variant_of_plugins_hands_over_their_skills_and_one_without_is_the_control(plugin, suite):
    assert plugin_variant("with", [plugin]).overlay.hands == ["kit", "mend"]
    assert plugin_variant("without", []).overlay.hands == []
    assert variant_files(suite) == {}


def test_any_pair_of_variants_will_do(cli, suite):
    (suite / "variants").mkdir()
    for name in ("plan", "terse"):
        (suite / f"variants/{name}.toml").write_text(f'env = {{ STYLE = "{name}" }}\n')
    agent = 'command:test "$STYLE" = plan && echo "hello world" > app.txt; true'
    done = cli("run", suite, "--agent", agent, "--arms", "plan,terse", "--no-sandbox")
    assert done.code == 0, done.err
    assert "plan is green on every task" in done.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--arms", "with"], "A pair is two names"),
        (["--arms", "with,with"], "A pair is two names"),
        (["--arms", "with,without"], "no variant 'with'"),
        (["--plugin-dir", "kit"], "Plugins need an arm"),
        (["--arms", "with,without", "--plugin-dir", "nowhere"], "no plugin folder"),
        (["--arms", "with,other", "--plugin-dir", "kit"], "no variant 'other'"),
        (["--arms", "a,b", "--variant", "none"], "the whole pair of arms"),
        (
            ["--arms", "with,without", "--plugin-dir", "kit", "--agent", "scripted:noop"],
            "one agent",
        ),
    ],
)
def test_pairs_that_mean_nothing_are_refused(cli, suite, plugin, options, says):
    done = cli("run", suite, "--agent", "scripted:reference", "--no-sandbox", *options)
    assert (done.code, says in done.err) == (2, True), done.err


def test_a_suite_that_brings_its_own_agent_cannot_run_a_pair(cli, tmp_path, plugin):
    module = tmp_path / "suite.py"
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/app.txt").write_text("helo\n")
    module.write_text(
        "from agenteval.suite import SuiteDefinition\n"
        "suite = SuiteDefinition(name='s', tasks=[dict(id='a', prompt='Mend it.', repo='repo',"
        " checks=[dict(kind='file-contains', path='app.txt', text='hello')])])\n"
        "agent = object()\n"
    )
    done = cli("run", module, "--arms", "with,without", "--plugin-dir", plugin, "--no-sandbox")
    assert done.code == 2
    assert "both arms would run through it" in done.err
