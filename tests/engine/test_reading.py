"""Variants of instruction files that an agent's program does not read, and those that it does."""

import subprocess
from dataclasses import replace

import pytest

from agenteval.agents import AGENTS
from agenteval.engine import Settings, check_variants, make_plan, run_plan, variant_notes
from agenteval.engine.reading import READS
from agenteval.errors import InvalidInput
from agenteval.records import Arm, LaidFile, Overlay, Source, StoreFolder
from agenteval.sandbox import Plain


def arm(agent, variant=None, *paths, text="Plan first.", **parts):
    files = {path: LaidFile(text=text) for path in paths}
    overlay = Overlay(files=files, **parts) if variant else None
    inputs = {"variant": overlay.digest} if overlay else {}
    return Arm(agent_spec=agent, variant=variant, overlay=overlay, inputs=inputs)


def two(agent, *paths):
    return [arm(agent, "old", *paths, text="a"), arm(agent, "new", *paths, text="b")]


def test_the_table_names_agents_that_there_are():
    assert set(READS) <= set(AGENTS)


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("claude-code", ".claude/CLAUDE.md"),
        ("claude-code", "sub/CLAUDE.md"),
        ("codex", "AGENTS.md"),
        ("codex@0.1:image", ".codex/config.toml"),
        ("gemini", "GEMINI.md"),
        ("opencode", ".claude/skills/review/SKILL.md"),
        ("aider", ".aider.conf.yml"),
        ("codex", "docs/plan.md"),  # nobody's instructions: a part of the work
        ("mini-swe-agent", "src/app.py"),
        ("command:./a", "CLAUDE.md"),  # nobody knows what such an agent reads
        ("module:own.py", ".claude/CLAUDE.md"),
        ("scripted:noop", "AGENTS.md"),
    ],
)
def test_what_an_agent_reads_or_may_read_is_not_spoken_of(bench, agent, path):
    tasks = [bench.task()]
    check_variants(tasks, two(agent, path))
    assert variant_notes(tasks, two(agent, path)) == []


@pytest.mark.parametrize(
    ("agent", "path"),
    [
        ("codex", ".claude/CLAUDE.md"),
        ("codex@0.1", "CLAUDE.md"),
        ("gemini", "AGENTS.md"),
        ("claude-code", ".cursor/rules/one.mdc"),
        ("opencode", ".claude/settings.json"),
        ("aider", "AGENTS.md"),
        ("mini-swe-agent", "AGENTS.md"),
    ],
)
def test_arms_that_differ_by_nothing_the_agent_reads_are_refused(bench, agent, path):
    tasks, arms = [bench.task()], two(agent, path)
    with pytest.raises(InvalidInput) as caught:
        check_variants(tasks, arms)
    name = agent.partition("@")[0]
    assert (
        f"The arms of {name} differ only by variants of which none gives it anything"
        in caught.value.what
    )
    assert f"old holds {path}; new holds {path}" in caught.value.what
    assert caught.value.where == f"--agent {agent} --variant old --variant new"
    assert "name an agent that reads it" in caught.value.fix
    with pytest.raises(InvalidInput):  # the arm without a variant is no third thing
        check_variants(tasks, [arm(agent), arms[0]])


def test_one_arm_or_one_variant_that_gives_something_is_only_spoken_of(bench):
    tasks = [bench.task()]
    useless = arm("codex", "old", ".claude/CLAUDE.md", ".claude/a", ".claude/b", ".claude/c")
    for others in ([], [arm("claude-code")], [arm("codex", "new", "AGENTS.md")]):
        check_variants(tasks, [useless, *others])
        (note,) = variant_notes(tasks, [useless, *others])
        assert note.startswith("the variant old gives codex nothing: it holds .claude/CLAUDE.md, ")
        assert " and 1 more, and codex reads AGENTS.md, AGENTS.override.md, " in note
        assert "Fix: lay the text at a path that codex reads, " in note


def test_of_two_agents_the_one_that_reads_nothing_is_enough(bench):
    arms = [*two("claude-code", "CLAUDE.md"), *two("gemini", "CLAUDE.md")]
    with pytest.raises(InvalidInput, match="The arms of gemini"):
        check_variants([bench.task()], arms)


@pytest.mark.parametrize("parts", [{"env": {"A": "b"}}, {"args": ["-x"]}, {"settings": {"a": 1}}, {"faults": {"500": 0.5}}])  # fmt: skip
def test_what_works_for_every_agent_is_something(bench, parts):
    given = Overlay.model_validate({"files": {"CLAUDE.md": {"text": "x"}}, **parts})
    arms = [arm("codex"), Arm(agent_spec="codex", variant="v", overlay=given)]
    check_variants([bench.task()], arms)
    assert variant_notes([bench.task()], arms) == []


def test_two_empty_variants_are_a_comparison_of_an_agent_with_itself(bench):
    check_variants([bench.task()], [arm("codex", "a"), arm("codex", "b")])


def told_in_a_prompt(bench):
    return replace(bench.task(), prompt="Do as CLAUDE.md says.")


def told_by_a_file(bench):
    return bench.task(repo={"app.txt": "broken\n", "AGENTS.md": "Read CLAUDE.md first.\n"})


def linked(bench):
    task = bench.task()
    (task.repo / "AGENTS.md").symlink_to("CLAUDE.md")
    return task


def linked_in_setup(bench):
    task = bench.task()
    told = task.task.model_copy(update={"setup": ["ln -s CLAUDE.md AGENTS.md"]})
    return replace(task, task=told)


def linked_in_a_commit(bench):
    folder = bench.folder / "project"
    folder.mkdir()
    (folder / "AGENTS.md").symlink_to("CLAUDE.md")
    own = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], [*own, "commit", "-qm", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True)
    told = bench.task().task.model_copy(update={"source": Source(git=str(folder), rev="HEAD")})
    return replace(bench.task("two"), task=told, repo=None, source=folder)


def somewhere_else(bench):
    return replace(bench.task(), repo=None, source=None)


@pytest.mark.parametrize(
    "told", [told_in_a_prompt, told_by_a_file, linked, linked_in_setup, linked_in_a_commit, somewhere_else]
)  # fmt: skip
def test_a_task_may_tell_its_agent_of_the_file(bench, told):
    check_variants([told(bench)], two("codex", "CLAUDE.md"))


def test_a_task_that_speaks_of_other_files_does_not(bench):
    task = bench.task(repo={"app.txt": "broken\n", "AGENTS.md": "Be brief.\n"})
    with pytest.raises(InvalidInput):
        check_variants([task], two("codex", "CLAUDE.md"))


def test_nothing_is_written_then(bench, tmp_path):
    arms = [
        one.model_copy(update={"model": "scripted:reference"}) for one in two("codex", "CLAUDE.md")
    ]
    plan = make_plan("r", "s", [bench.task()], arms)
    with pytest.raises(InvalidInput, match="none gives it anything"):
        run_plan(plan, Settings(tmp_path / "store", Plain()))
    assert not StoreFolder(tmp_path / "store").path.exists()
