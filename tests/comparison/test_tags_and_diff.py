"""Tags by arm, and two trials' steps side by side."""

import pandas as pd
import pytest

from agenteval.comparison import diff, tag_counts
from agenteval.errors import InvalidInput, NotEnoughData


@pytest.fixture(scope="module")
def table(trials_of):
    return trials_of({"a": {"x": "FFP", "y": "FI"}, "b": {"x": "PF", "y": "PP"}, "c": {"x": "P"}})


def tags_of(*rows):
    return pd.DataFrame(rows, columns=["run_id", "trial_id", "text", "step"])


TAGS = tags_of(
    ("r1", "a-x-1", "no tests", 3), ("r1", "a-x-1", "no tests", 9), ("r1", "a-x-2", "no tests", None),
    ("r1", "a-y-1", "gave up", None), ("r1", "b-x-2", "no tests", None),
    ("r1", "b-y-1", "nice", None), ("r9", "a-x-1", "elsewhere", None),
)  # fmt: skip


def test_tags_are_counted_by_arm_once_a_trial(table):
    found = tag_counts(table, TAGS).table.set_index(["text", "arm"])
    assert found.loc[("no tests", "a"), ["tagged", "tagged_failed", "tasks"]].tolist() == [2, 2, 1]
    assert found.loc[("no tests", "a"), ["failed", "looked_at"]].tolist() == [3, 3]
    assert found.loc[("no tests", "a"), "share_of_failed"] == pytest.approx(2 / 3)
    assert found.loc[("no tests", "b"), "share_of_failed"] == 1.0
    assert found.loc[("nice", "b"), ["tagged", "tagged_failed"]].tolist() == [1, 0]
    assert "elsewhere" not in found.index.get_level_values("text")
    assert found.index[0] == ("no tests", "a")


def test_arms_that_nobody_looked_at_are_named(table):
    assert tag_counts(table, TAGS).notes == ("Nobody tagged a trial of c.",)


def test_no_tags_make_an_empty_table_of_the_same_schema(table):
    empty = tag_counts(table, TAGS.iloc[:0])
    assert empty.table.empty
    assert empty.table.dtypes.equals(tag_counts(table, TAGS).table.dtypes)
    assert "Nobody tagged a trial of a, b, c." in str(empty)


def test_tags_by_another_column(table):
    found = tag_counts(table.assign(model=["m", "n"] * 5), TAGS, by="model").table
    assert found["tagged"].sum() == 5


@pytest.mark.parametrize("column", ["run_id", "trial_id"])
def test_a_missing_column_is_named(table, column):
    with pytest.raises(InvalidInput, match=column):
        tag_counts(table, TAGS.drop(columns=column))


def steps(*rows):
    frame = pd.DataFrame(rows, columns=["kind", "tool", "command", "text", "exit_code"])
    return frame.assign(seq=range(1, len(rows) + 1))


CALL, RESULT, SAY = "tool_call", "tool_result", "message"
FIRST = steps(
    (SAY, None, None, "I will look around.", None),
    (CALL, "bash", "ls", None, None),
    (RESULT, "bash", None, "a b c", 0),
    (CALL, "bash", "pytest -q", None, None),
    (RESULT, "bash", None, "1 failed", 1),
    (CALL, "bash", "git diff", None, None),
)
SECOND = steps(
    (SAY, None, None, "I will look around.", None),
    (CALL, "bash", "ls", None, None),
    (RESULT, "bash", None, "c b a in 3 ms", 0),
    (CALL, "bash", "sed -i s/a/b/ x", None, None),
    (RESULT, "bash", None, "", 0),
    (CALL, "bash", "pytest -q", None, None),
    (RESULT, "bash", None, "1 failed", 1),
    (CALL, "bash", "git diff", None, None),
)


def test_the_first_divergence_is_marked_and_the_rest_aligned():
    found = diff(FIRST, SECOND)
    assert found.divergence["row"] == 3
    assert (found.divergence["step_a"], found.divergence["step_b"]) == (
        "bash pytest -q",
        "bash sed -i s/a/b/ x",
    ) or found.divergence["change"] == "only b"
    assert found.table["diverges"].sum() == 1
    assert found.table["change"].tolist()[:3] == ["same"] * 3
    assert (found.table["change"] == "same").sum() == 6
    assert found.table["seq_a"].dropna().tolist() == list(range(1, 7))
    assert found.table["seq_b"].dropna().tolist() == list(range(1, 9))
    assert "They part after 3 same steps" in found.verdict


def test_the_same_trial_twice_never_parts():
    found = diff(FIRST, FIRST)
    assert found.divergence is None
    assert found.verdict == "The 6 steps are the same."


def test_a_repeated_beginning_does_not_move_the_parting():
    """The longest match is the second `x y`; the agents part after the first `x`."""
    a = steps(*[(CALL, "bash", c, None, None) for c in "xy"])
    b = steps(*[(CALL, "bash", c, None, None) for c in "xzxy"])
    assert diff(a, b).divergence["row"] == 1


def test_times_temporary_paths_and_addresses_do_not_part_trials():
    a = steps((CALL, "bash", "cat /tmp/x1/log", None, None), (SAY, None, None, "took 3 ms", None))
    b = steps((CALL, "bash", "cat /tmp/y2/log", None, None), (SAY, None, None, "took 5 ms", None))
    assert diff(a, b).divergence is None


def test_a_command_that_failed_in_one_of_them_parts_them():
    failed = SECOND.assign(exit_code=[None, None, 2, *[None] * 5])
    assert diff(SECOND, failed).divergence["row"] == 2


def test_one_trial_that_ended_earlier():
    found = diff(FIRST, FIRST.iloc[:4])
    assert found.divergence["change"] == "only a"
    assert "b had ended" in found.verdict


def test_swapping_the_trials_swaps_the_sides():
    there, back = diff(FIRST, SECOND), diff(SECOND, FIRST)
    assert there.divergence["row"] == back.divergence["row"]
    assert (there.table["change"] == "same").sum() == (back.table["change"] == "same").sum()


def test_text_and_html_escape_what_agents_wrote():
    evil = steps((SAY, None, None, "<script>alert(1)</script>", None))
    found = diff(FIRST, evil)
    assert "<script" not in found._repr_html_()
    assert "->" in str(found)


def test_long_trials_are_shown_around_the_parting():
    long = steps(*[(CALL, "bash", f"step {i}", None, None) for i in range(200)])
    other = long.assign(command=[f"step {i}" if i != 150 else "else" for i in range(200)])
    text = str(diff(long, other))
    assert "Steps 143 to 166 of 200" in text
    assert len(text.splitlines()) < 40


def test_what_has_no_steps_is_refused():
    with pytest.raises(InvalidInput, match="has no steps"):
        diff(3, FIRST)
    with pytest.raises(InvalidInput, match="no column 'seq'"):
        diff(FIRST.drop(columns="seq"), FIRST)
    with pytest.raises(NotEnoughData, match="neither trial"):
        diff(FIRST.iloc[:0], FIRST.iloc[:0])


def test_what_each_did_next_is_said_where_it_is_aligned_further_on():
    def said(*texts):
        kinds = ["message" if text.endswith(".") else "tool_call" for text in texts]
        return pd.DataFrame({"seq": range(1, len(texts) + 1), "kind": kinds, "text": texts})

    found = diff(said("Begin.", "grep b", "End."), said("Begin.", "grep a", "grep b", "End."))
    assert found.verdict == "They part after 1 same step: a did grep b, b did grep a."
    assert (found.next_step("a"), found.next_step("b")) == (2, 2)
    ended = diff(said("Begin.", "End."), said("Begin."))
    assert ended.verdict == "They part after 1 same step: a said End, b had ended."
    assert (ended.next_step("a"), ended.next_step("b")) == (2, None)
    assert diff(said("Begin."), said("Begin.")).next_step("a") is None
