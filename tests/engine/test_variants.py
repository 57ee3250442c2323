"""A variant applied: files in the workspace's one commit, variables, arguments; and later on."""

import json

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan, plan_of, regrade_run, run_plan, run_trial
from agenteval.errors import InvalidInput
from agenteval.records import StoreFolder, read_manifest
from agenteval.suite import load_suite, load_variant


@pytest.fixture
def variant(bench):
    """Write a variant and make an arm with it."""

    def make(agent, text, **files):
        folder = bench.suite / "variants"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "v.toml").write_text(text)
        for name, contents in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(contents)
        read = load_variant("v", bench.suite)
        return make_arm(agent, variant="v", overlay=read.overlay)

    return make


def trial(bench, task, arm):
    return run_trial(bench.spec(task, arm.agent_spec, arm=arm), bench.around)


FILES = 'files = { "CLAUDE.md" = "plan", "docs/a.md" = "plan" }'


def test_its_files_are_there_and_are_not_the_agents_change(bench, variant, either_way):
    arm = variant("command:grep -q first CLAUDE.md docs/a.md && echo fixed > app.txt", FILES, plan="Plan first.\n")  # fmt: skip
    result = trial(bench, bench.task(), arm)
    assert (result.attempt.status, result.attempt.files_changed) == ("pass", 1)
    assert b"CLAUDE" not in result.artifacts["patch.diff"]
    assert (result.attempt.variant, result.attempt.arm_digest) == ("v", arm.digest)


def test_they_are_part_of_the_one_commit(bench, variant):
    program = 'command:git log --oneline | wc -l > "$AGENTEVAL_ANSWER"; git status --porcelain >> "$AGENTEVAL_ANSWER"'
    result = trial(bench, bench.task(), variant(program, FILES, plan="x"))
    assert result.artifacts["answer.md"].decode().split() == ["1"]


def test_an_edit_of_one_is_the_agents_change(bench, variant):
    arm = variant("command:echo fixed > app.txt; echo more >> CLAUDE.md", FILES, plan="x\n")
    result = trial(bench, bench.task(), arm)
    assert (result.attempt.status, result.attempt.files_changed) == ("pass", 2)
    assert b"+more" in result.artifacts["patch.diff"]


def test_setup_runs_on_top_of_them(bench, variant):
    task = bench.task(keys='setup = ["cp CLAUDE.md copied.md"]')
    result = trial(
        bench,
        task,
        variant("command:cmp CLAUDE.md copied.md && echo fixed > app.txt", FILES, plan="x"),
    )
    assert (result.attempt.status, result.attempt.files_changed) == ("pass", 1)


def test_a_link_of_the_projects_is_not_followed(bench, variant, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    task = bench.task()
    (bench.suite / "one/repo/real.md").write_text("project\n")
    (bench.suite / "one/repo/CLAUDE.md").symlink_to("real.md")
    (task,) = load_suite(bench.suite / "one").tasks
    result = trial(bench, task, variant("command:cat real.md CLAUDE.md", FILES, plan="laid\n"))
    assert result.artifacts["answer.md"] == b"project\nlaid\n"


def test_variables_arguments_settings_and_servers_reach_a_command(bench, variant):
    text = """
args = ["--effort", "very high", "$HOME"]
plugin_dirs = ["kit"]
env = { STYLE = "terse" }
[settings]
maxTurns = 3
[mcp.search]
command = "server"
"""
    (bench.suite / "variants/kit/skills/a").mkdir(parents=True)
    (bench.suite / "variants/kit/skills/a/SKILL.md").write_text("# A\n")
    program = bench.folder / "tell.sh"
    program.write_text(
        'printf "%s|" "$@" "$STYLE"; cat "$AGENTEVAL_SETTINGS" "$AGENTEVAL_MCP"; ls "$AGENTEVAL_PLUGIN_DIRS/skills"'
    )
    result = trial(bench, bench.task(), variant(f"command:sh {program}", text))
    args, told = result.artifacts["answer.md"].decode().rsplit("|", 1)
    assert args.split("|") == ["--effort", "very high", "$HOME", "terse"]
    assert told == '{"maxTurns": 3}{"search": {"command": "server"}}a\n'


@pytest.mark.parametrize(
    ("template", "told"),
    [
        ("printf '%s|' {args} end", "a|b c|end|"),
        ("printf '%s|' start", "start|a|b c|"),
        ("printf '%s|' ${args}x", "x|a|b c|"),  # the shell's own
    ],
)
def test_where_arguments_go(bench, variant, template, told):
    result = trial(bench, bench.task(), variant(f"command:{template}", 'args = ["a", "b c"]'))
    assert result.artifacts["answer.md"].decode() == told


def test_arguments_are_text_and_no_placeholders(bench, variant):
    arm = variant("command:printf '%s|'", 'args = ["{prompt}", "{args}", "it\'s {workspace}"]')
    result = trial(bench, bench.task(), arm)
    assert result.artifacts["answer.md"].decode() == "{prompt}|{args}|it's {workspace}|"


def test_a_variant_is_another_arm_and_its_contents_count(bench, variant):
    plain = make_arm("command:true")
    one = variant("command:true", FILES, plan="one")
    two = variant("command:true", FILES, plan="two")
    assert len({plain.digest, one.digest, two.digest}) == 3


class TestLaterOn:
    @pytest.fixture
    def ran(self, bench, variant):
        bench.task(checks='[[checks]]\nkind = "file-contains"\npath = "CLAUDE.md"\ntext = "more"\n')
        arm = variant("command:echo more >> CLAUDE.md", FILES, plan="x\n")
        loaded = load_suite(bench.suite)
        plan = make_plan("r1", loaded.name, loaded.tasks, [arm, make_arm("scripted:noop")])
        settings = Settings(bench.folder / "store", bench.sandbox, suite_path=loaded.path)
        result = run_plan(plan, settings)
        return StoreFolder(settings.store).run("r1"), result

    def test_the_run_says_what_was_handed_over(self, ran):
        folder, result = ran
        assert {row.arm: str(row.status) for row in result.attempts} == {
            "command:echo more >> CLAUDE.md+v": "pass",
            "scripted:noop+none": "fail",
        }
        told = json.loads(folder.manifest.read_text())["planned_arms"][0]["overlay"]
        assert told["files"]["CLAUDE.md"]["text"] == "x\n"

    def test_it_can_be_planned_again(self, ran):
        folder, _ = ran
        assert [arm.variant for arm in plan_of(folder).arms] == ["v", None]
        assert plan_of(folder).digest == read_manifest(folder.manifest).plan_digest

    def test_its_patches_can_be_graded_again(self, ran, bench):
        folder, _ = ran
        result = regrade_run(folder, sandbox=bench.sandbox)
        assert result.refused == []
        assert sorted(str(r.after.attempt.status) for r in result.regraded) == ["fail", "pass"]

    def test_a_plugin_that_changed_makes_it_another_arm(self, bench, variant):
        kit = bench.suite / "variants/kit"
        kit.mkdir(parents=True)
        (kit / "a.md").write_text("x")
        bench.task()
        arm = variant("command:true", 'plugin_dirs = ["kit"]')
        loaded = load_suite(bench.suite)
        plan = make_plan("r2", loaded.name, loaded.tasks, [arm])
        settings = Settings(bench.folder / "store", bench.sandbox, suite_path=loaded.path)
        run_plan(plan, settings)
        (kit / "a.md").write_text("changed")
        with pytest.raises(InvalidInput, match="is not what it was"):
            plan_of(StoreFolder(settings.store).run("r2"))
