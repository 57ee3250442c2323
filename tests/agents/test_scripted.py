"""The agent that is built in."""

import statistics
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agenteval.agents import Job, make_agent, make_arm, solution_files
from agenteval.agents.scripted import solve_probability
from agenteval.errors import InvalidInput
from agenteval.records import Arm, AttemptRow
from agenteval.sandbox import View

VIEW = View("/workspace", "/home/agent", "/tmp", "/agent")


def chosen(spec: str, task, repeat: int = 1, seed: int = 0) -> bytes:
    """The patch an agent would apply; empty for doing nothing."""
    launch = make_agent(spec).launch(Job(task, repeat, seed, Arm(agent_spec=spec)), VIEW)
    return launch.files.get("change.patch", b"")


def carried_a_change(agent, task, repeat: int) -> bool:
    """Whether the agent lays a patch in."""
    return agent.choice(Job(task, repeat, 0, Arm(agent_spec="x"))) != "noop"


def test_reference_applies_the_solution(make_task, carry_out):
    carried = carry_out(make_agent("scripted:reference"), make_task())
    assert (carried.text, carried.report.finished, carried.report.stop_reason) == (
        "fixed\n",
        True,
        "end_turn",
    )
    assert [event["tool_kind"] for event in carried.report.events] == ["shell"]


def test_reference_gives_the_answer_of_a_question(make_task, carry_out):
    task = make_task(solution_dot_answer_dot_md="It is 42.\n", solution_dot_patch=None)
    carried = carry_out(make_agent("scripted:reference"), task)
    assert (carried.report.answer, carried.text) == ("It is 42.\n", "broken\n")


def test_noop_does_nothing_and_ends(make_task, carry_out):
    carried = carry_out(make_agent("scripted:noop"), make_task())
    assert (carried.text, carried.report.answer, carried.report.finished) == ("broken\n", "", True)


def test_wrong_applies_the_named_one(make_task, carry_out):
    assert carry_out(make_agent("scripted:wrong:half"), make_task()).text == "half\n"


def test_a_patch_that_does_not_apply_is_a_crash(make_task, carry_out):
    task = make_task(
        solution_dot_patch="diff --git a/app.txt b/app.txt\n--- a/app.txt\n+++ b/app.txt\n@@ -1 +1 @@\n-other\n+fixed\n"
    )
    carried = carry_out(make_agent("scripted:reference"), task)
    assert (carried.output.exit_code, carried.report.finished, carried.report.stop_reason) == (
        1,
        False,
        None,
    )


def test_launching_touches_nothing(make_task, tmp_path):
    task = make_task()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for spec in (
        "scripted:reference",
        "scripted:noop",
        "scripted:wrong:half",
        "scripted:chance:0.5",
        "command:run {prompt}",
    ):
        make_agent(spec).launch(Job(task, 1, 0, Arm(agent_spec=spec)), VIEW)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    "spec",
    [
        "scripted:",
        "scripted",
        "scripted:refrence",
        "scripted:reference:x",
        "scripted:wrong",
        "scripted:wrong:",
        "scripted:chance",
        "scripted:chance:",
        "scripted:chance:1.5",
        "scripted:chance:-0.1",
        "scripted:chance:nan",
        "scripted:chance:high",
        "nobody",
        "nobody:x",
    ],
)
def test_bad_specs_are_three_part_errors(spec):
    with pytest.raises(InvalidInput) as caught:
        make_agent(spec)
    assert caught.value.what
    assert caught.value.where.startswith("--agent ")
    assert caught.value.fix


@pytest.mark.parametrize(
    ("spec", "names"), [("scripted:wrong:other", "half"), ("scripted:wrong:half.patch", "half")]
)
def test_a_wrong_solution_that_is_not_there_names_those_that_are(make_task, spec, names):
    with pytest.raises(InvalidInput) as caught:
        chosen(spec, make_task())
    assert names in caught.value.fix


def test_a_task_without_reference_says_so(make_task):
    with pytest.raises(InvalidInput, match="no reference solution"):
        chosen("scripted:reference", make_task(solution_dot_patch=None))


class TestChance:
    def test_the_same_seed_makes_the_same_choices(self, make_task):
        task = make_task()
        choices = [chosen("scripted:chance:0.5", task, repeat) for repeat in range(1, 41)]
        assert choices == [chosen("scripted:chance:0.5", task, repeat) for repeat in range(1, 41)]
        assert choices != [
            chosen("scripted:chance:0.5", task, repeat, seed=1) for repeat in range(1, 41)
        ]

    def test_it_solves_fails_and_does_nothing(self, make_task):
        task = make_task()
        seen = {chosen("scripted:chance:0.5", task, repeat) for repeat in range(1, 60)}
        assert {len(patch) > 0 for patch in seen} == {True, False}
        assert any(b"+fixed" in patch for patch in seen)
        assert any(b"+half" in patch for patch in seen)

    def test_certainty_at_both_ends(self, make_task):
        task = make_task()
        for repeat in range(1, 30):
            assert b"+fixed" in chosen("scripted:chance:1", task, repeat)
            assert b"+fixed" not in chosen("scripted:chance:0", task, repeat)

    @given(st.floats(0, 1), st.floats(0, 1), st.text(min_size=1))
    def test_more_skill_is_never_less_likely_to_solve(self, a, b, task_id):
        low, high = sorted((a, b))
        less, more = (solve_probability(skill, task_id) for skill in (low, high))
        assert 0 <= less <= more + 1e-15
        assert more <= 1

    def test_tasks_differ_and_a_task_is_equally_hard_for_all(self):
        chances = [solve_probability(0.5, f"task-{n}") for n in range(300)]
        assert statistics.stdev(chances) > 0.15
        assert statistics.mean(chances) == pytest.approx(0.5, abs=0.05)
        hardest = min(range(300), key=chances.__getitem__)
        assert hardest == min(range(300), key=lambda n: solve_probability(0.8, f"task-{n}"))

    def test_how_often_it_solves_is_what_it_says(self, make_task):
        task = make_task("some-task")
        solved = statistics.mean(
            b"+fixed" in chosen("scripted:chance:0.6", task, repeat) for repeat in range(1, 1001)
        )
        assert solved == pytest.approx(solve_probability(0.6, "some-task"), abs=0.05)

    def test_its_transcript_is_said_to_be_simulated_and_fits_its_usage(self, make_task, carry_out):
        task, agent = make_task(), make_agent("scripted:chance:0.5")
        seen = set()
        for repeat in range(1, 13):
            report = carry_out(agent, task, repeat).report
            events, usage = report.events, report.usage
            calls = [event for event in events if event["kind"] == "tool_call"]
            results = [event for event in events if event["kind"] == "tool_result"]
            assert "Simulated" in events[0]["text"]
            assert max(event["turn"] for event in events) == usage["turns"]
            assert len(calls) == len(results) == usage["tool_calls"]
            assert sum(not result["ok"] for result in results) == usage["tool_errors"]
            assert all(events[r["parent"] - 1]["kind"] == "tool_call" for r in results)
            exits = [(r["exit_code"]) for r in results if r.get("text", "").endswith("passed")]
            assert exits in ([], [0], [1], [1, 0])
            edited = [call["path"] for call in calls if call["tool_kind"] == "edit"]
            assert edited == (["app.txt"] if carried_a_change(agent, task, repeat) else [])
            seen |= {call["tool_kind"] for call in calls} | {tuple(exits)}
        assert seen >= {"read", "search", "shell", "edit", (1, 0)}

    def test_its_steps_begin_alike_and_part(self, make_task, carry_out):
        task, agent = make_task(), make_agent("scripted:chance:0.5")
        first, again, other = (carry_out(agent, task, n).report.events for n in (1, 1, 2))
        assert first == again != other
        assert first[:4] == other[:4]

    def test_its_usage_fits_the_columns(self, make_task, carry_out):
        usage = carry_out(make_agent("scripted:chance:1"), make_task()).report.usage
        assert usage["turns"] >= 2
        assert usage["reported_cost_usd"] > 0
        assert set(usage) <= set(AttemptRow.model_fields)


def test_an_arm_of_scripted_agents_has_no_inputs():
    arm = make_arm("scripted:noop", model=None)
    assert (arm.agent, arm.inputs, arm.files, arm.agent_version) == ("scripted", {}, (), None)
    assert arm.digest != make_arm("scripted:reference").digest


def test_the_script_runs_where_paths_have_blanks(make_task, carry_out):
    carried = carry_out(make_agent("scripted:reference"), make_task())
    assert " " in str(carried.workspace)
    assert Path(carried.workspace, "app.txt").read_text() == "fixed\n"


def test_what_a_solution_is_made_of(make_task):
    task = make_task()
    files = solution_files(task, "reference")
    assert files["change.patch"].startswith(b"diff --git")
    assert solution_files(task, "noop") == {}
    with pytest.raises(InvalidInput, match="no wrong solution"):
        solution_files(task, "nobody-wrote-it")
