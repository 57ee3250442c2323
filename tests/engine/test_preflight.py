"""What is refused when a run is planned: unmetered arms, and variants that do not hand over."""

import pytest

from agenteval.agents import make_arm
from agenteval.engine import check_arms, make_plan, validate
from agenteval.errors import InvalidInput
from agenteval.records import CHECK_KINDS, LaidFile, MeteredCheck, Overlay

CHECK = '[[checks]]\nkind = "command"\nname = "fixed"\nrun = "grep -q fixed app.txt"\n'
METERED = {
    "tool-used": 'tool = "Bash"',
    "tool-not-used": 'tool = "Bash"',
    "max-turns": "max = 3",
    "max-tool-calls": "max = 3",
    "max-cost-usd": "max = 1",
    "max-tokens": "max = 9",
    "used": 'names = ["review"]',
}
LOADS = '[[checks]]\nkind = "loads"\nname = "asks"\nnames = ["review"]\n'


def metered(kind):
    return f'{CHECK}[[checks]]\nkind = "{kind}"\nname = "bounded"\n{METERED[kind]}\n'


def test_every_metered_kind_but_the_engines_clock_is_tested_here():
    kinds = {kind for kind, model in CHECK_KINDS.items() if issubclass(model, MeteredCheck)}
    assert kinds - {"max-duration-s"} == set(METERED)


@pytest.mark.parametrize("kind", METERED)
@pytest.mark.parametrize("agent", ["scripted:chance:0.5", "command:true"])
def test_an_arm_that_nobody_meters_is_refused_when_the_run_is_planned(plain_bench, kind, agent):
    task = plain_bench.task(checks=metered(kind))
    with pytest.raises(InvalidInput) as caught:
        make_plan("r", "s", [task], [make_arm(agent)])
    assert f"nobody meters the arm {agent}" in caught.value.what
    assert caught.value.where == f"task one, check bounded, arm {agent}"
    assert caught.value.fix


def test_the_engines_clock_meters_every_arm(plain_bench):
    task = plain_bench.task(
        checks=CHECK + '[[checks]]\nkind = "max-duration-s"\nmax = 0.000001\nname = "quick"\n'
    )
    make_plan("r", "s", [task], [make_arm("scripted:noop")])
    result = plain_bench.shell(task, "echo fixed > app.txt")
    assert [(check.name, check.passed) for check in result.checks] == [
        ("fixed", True),
        ("quick", False),
    ]


@pytest.mark.parametrize("kind", METERED)
def test_what_an_agent_says_of_itself_feeds_no_check(plain_bench, kind):
    """The chance agent tells of turns, calls, tokens and dollars; all of it is reported only."""
    task = plain_bench.task(checks=metered(kind), solution={"app.txt": "fixed\n"})
    result = plain_bench.trial(task, "scripted:chance:1.0")
    row = result.attempt
    assert (row.turns, row.output_tokens, row.reported_cost_usd) != (None, None, None)
    assert row.cost_source == "reported"
    (_, check) = result.checks
    assert (check.passed, check.error_class) == (None, "check_no_verdict")
    assert (row.status, row.passed, row.error_class) == ("error", False, "check_no_verdict")


def test_validate_leaves_out_what_no_scripted_solution_can_show(plain_bench):
    task = plain_bench.task(checks=metered("max-turns"), solution={"app.txt": "fixed\n"})
    findings = validate((task,), sandbox=plain_bench.sandbox, repeat=1)
    assert [(f.solution, f.ok) for f in findings] == [
        ("untouched", True),
        ("noop", True),
        ("reference", True),
    ]


def arm(variant=None, **parts):
    return make_arm("command:true", variant=variant, overlay=Overlay(**parts) if parts else None)


class TestLoads:
    def test_a_variant_that_hands_it_over(self, plain_bench):
        task = plain_bench.task(checks=CHECK + LOADS)
        check_arms([task], [arm("with", hands=["review", "deploy"])])

    def test_a_variant_that_does_not_is_refused_unopened(self, plain_bench):
        task = plain_bench.task(checks=CHECK + LOADS)
        with pytest.raises(InvalidInput) as caught:
            make_plan("r", "s", [task], [arm("with", hands=["deploy"])])
        assert "hands over no review" in caught.value.what
        assert "it hands over deploy" in caught.value.what
        assert caught.value.where == "task one, check asks, arm command:true+with"

    @pytest.mark.parametrize("control", [arm(), arm("quiet", env={"A": "b"})])
    def test_the_control_which_loads_nothing_is_exempt(self, plain_bench, control):
        task = plain_bench.task(checks=CHECK + LOADS)
        check_arms([task], [control])

    @pytest.mark.parametrize(
        ("script", "passed"), [("echo fixed > app.txt", True), ("true", False)]
    )
    def test_the_control_is_scored_on_the_tree(self, plain_bench, script, passed):
        task = plain_bench.task(checks=CHECK + LOADS)
        result = plain_bench.shell(task, script)
        assert result.attempt.passed is passed
        assert [check.passed for check in result.checks] == [passed, True]

    def test_it_is_never_read_back_out_of_what_the_agent_wrote(self, plain_bench):
        task = plain_bench.task(checks=CHECK + LOADS)
        told = arm("with", hands=["deploy"])
        script = "command:echo fixed > app.txt; mkdir -p skills/review; echo review > skills/review/SKILL.md"
        spec = plain_bench.spec(
            task, script, arm=make_arm(script, variant="with", overlay=told.overlay)
        )
        from agenteval.engine import run_trial

        result = run_trial(spec, plain_bench.around)
        assert [check.passed for check in result.checks] == [True, False]


def test_an_agent_that_would_not_apply_a_part_of_its_variant_is_refused(plain_bench):
    task = plain_bench.task()
    quiet = make_arm("scripted:noop", variant="v", overlay=Overlay(args=["-x"], settings={"a": 1}))
    with pytest.raises(InvalidInput, match="does not apply `args`, `settings` of the variant v"):
        make_plan("r", "s", [task], [quiet])
    files = {"CLAUDE.md": LaidFile(text="x")}
    laid = make_arm("scripted:noop", variant="v", overlay=Overlay(env={"A": "b"}, files=files))
    make_plan("r", "s", [task], [laid])
