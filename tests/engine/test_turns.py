"""The stop gate: an agent that says it is done is sent back while a command is red."""

import pytest

GATE = 'stop_gate = {{ run = "grep -q fixed app.txt || {{ echo app.txt is still broken; exit 1; }}", max_blocks = {} }}'
# does a bit more in each turn, and keeps what it was asked
SLOW = """
count=$(cat "$HOME/turns" 2>/dev/null || echo 0); count=$((count + 1)); echo $count > "$HOME/turns"
cp "$AGENTEVAL_PROMPT_FILE" "$HOME/prompt-$count"
echo "turn $count" >> log.txt
echo "answer $count" > "$AGENTEVAL_ANSWER"
if [ $count -ge {after} ]; then echo fixed > app.txt; fi
"""


def gated(bench, blocks=3, **keys):
    return bench.task(keys=GATE.format(blocks), **keys)


def test_a_green_gate_is_a_first_try(bench):
    result = bench.shell(gated(bench), SLOW.format(after=1))
    assert (result.attempt.status, result.attempt.stop_blocks) == ("pass", 0)
    assert b"+turn 1\n" in result.artifacts["patch.diff"]
    assert b"turn 2" not in result.artifacts["patch.diff"]


def test_a_red_gate_gives_one_more_turn_each_time(bench):
    result = bench.shell(gated(bench), SLOW.format(after=3))
    assert (result.attempt.status, result.attempt.stop_blocks) == ("pass", 2)
    assert b"+turn 3\n" in result.artifacts["patch.diff"]
    assert result.artifacts["answer.md"] == b"answer 3\n"
    assert result.artifacts["stop_gate/1.txt"] == b"app.txt is still broken\n"
    assert sorted(name for name in result.artifacts if name.startswith("stop_gate")) == [
        "stop_gate/1.txt",
        "stop_gate/2.txt",
        "stop_gate/3.txt",
    ]


def test_up_to_the_cap_and_then_the_agents_word_holds(bench):
    result = bench.shell(gated(bench, 2), SLOW.format(after=9))
    assert (result.attempt.status, result.attempt.stop_blocks) == ("fail", 2)
    assert b"+turn 3\n" in result.artifacts["patch.diff"]
    assert b"turn 4" not in result.artifacts["patch.diff"]


def test_without_a_gate_the_count_is_unknown(bench):
    assert bench.shell(bench.task(), "echo fixed > app.txt").attempt.stop_blocks is None


def test_the_next_turn_is_asked_with_the_gates_output_and_the_prompt(bench):
    told = 'cat "$AGENTEVAL_PROMPT_FILE"; ' + SLOW.format(after=2)
    result = bench.shell(gated(bench), told)
    first, _, second = result.artifacts["stdout.txt"].decode().partition("You said that")
    assert first.strip() == "Fix it."
    assert "app.txt is still broken" in second
    assert "exit code 1" in second
    assert second.strip().endswith("Fix it.")


def test_what_the_gate_says_is_no_score(bench):
    """The agent can turn the gate green; the checks look at a copy of their own."""
    task = bench.task(keys='stop_gate = { run = "sh gate.sh" }', repo={"app.txt": "broken\n", "gate.sh": "exit 1\n"})  # fmt: skip
    result = bench.shell(task, "echo exit 0 > gate.sh")
    assert (result.attempt.status, result.attempt.stop_blocks) == ("fail", 0)


def test_an_agent_cannot_set_the_count(bench):
    script = 'echo \'{"usage": {"stop_blocks": 0}}\'; echo stop_blocks=0; ' + SLOW.format(after=2)
    assert bench.shell(gated(bench), script).attempt.stop_blocks == 1


def test_an_agent_that_crashed_is_not_sent_back(bench):
    result = bench.shell(gated(bench), "exit 3")
    assert (result.attempt.ended_by, result.attempt.stop_blocks) == ("crash", 0)
    assert not [name for name in result.artifacts if name.startswith("stop_gate")]


def test_the_wall_clock_holds_for_all_turns_together(bench):
    keys = GATE.format(50) + "\ntimeout_s = 1.5"
    result = bench.shell(bench.task(keys=keys), "sleep 0.4")
    assert result.attempt.ended_by == "timeout"
    assert 1 <= result.attempt.stop_blocks <= 4


def test_the_limit_on_output_holds_for_all_turns_together(bench):
    keys = GATE.format(50) + "\nmax_output_bytes = 5000"
    result = bench.shell(bench.task(keys=keys), "head -c 2000 /dev/zero | tr '\\0' x")
    assert result.attempt.ended_by == "output_limit"
    assert 2 <= result.attempt.stop_blocks <= 3


def test_the_gates_own_time_is_not_the_agents(bench):
    keys = 'timeout_s = 60.0\nstop_gate = { run = "sleep 600", max_blocks = 1, timeout_s = 1.0 }'
    task = bench.task(keys=keys)
    result = bench.shell(task, "echo fixed > app.txt")
    assert (result.attempt.status, result.attempt.stop_blocks) == ("pass", 1)
    assert result.attempt.agent_s < result.attempt.duration_s - 0.9


def test_the_gate_is_sandboxed_like_the_agent(isolated):
    keys = 'stop_gate = { run = "echo x > /usr/gate || exit 0; exit 1" }'
    result = isolated.shell(isolated.task(keys=keys), "echo fixed > app.txt")
    assert (result.attempt.status, result.attempt.stop_blocks) == ("pass", 0)


def test_the_gate_gets_no_variable_of_the_operators(bench):
    from dataclasses import replace

    bench.around = replace(bench.around, passed={"OPERATORS_OWN": "not-a-short-value-2718"})
    keys = 'stop_gate = { run = "test -z $OPERATORS_OWN" }'
    result = bench.shell(bench.task(keys=keys), 'test -n "$OPERATORS_OWN" && echo fixed > app.txt')
    assert (result.attempt.status, result.attempt.stop_blocks) == ("pass", 0)


def test_a_scripted_agent_does_its_work_once(bench):
    task = gated(bench, 2, solution={"app.txt": "not yet\n"})
    result = bench.trial(task, "scripted:reference")
    assert (result.attempt.ended_by, result.attempt.stop_blocks) == ("agent", 2)
    assert (result.attempt.turns, result.attempt.tool_calls) == (3, 3)


@pytest.mark.parametrize("after", [1, 2])
def test_the_engine_measures_all_turns(bench, after):
    checks = '[[checks]]\nkind = "max-duration-s"\nmax = 60\n'
    result = bench.shell(gated(bench, checks=checks), SLOW.format(after=after))
    (check,) = result.checks
    assert check.passed is True
    assert check.detail.startswith("duration_s 0.")
