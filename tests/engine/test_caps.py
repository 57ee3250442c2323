"""Limits of an experiment hold below those of its tasks, and make other tasks of them."""

from agenteval.engine import with_caps


def test_the_lower_limit_holds_and_the_digests_say_so(bench):
    task = bench.task(keys="timeout_s = 60\nmax_turns = 5")
    (same,) = with_caps([task], {"timeout_s": 100, "max_turns": 5})
    assert same is task
    (capped,) = with_caps([task], {"timeout_s": 30, "max_cost_usd": 0.5})
    assert (capped.task.timeout_s, capped.task.max_turns, capped.task.max_cost_usd) == (30, 5, 0.5)
    assert capped.digest != task.digest
    assert capped.given_digest != task.given_digest
    (again,) = with_caps([task], {"max_cost_usd": 0.5, "timeout_s": 30})
    assert again.digest == capped.digest, "the order in which limits are named is no difference"
