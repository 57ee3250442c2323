"""What runs before and after prove."""

from agenteval.engine.authoring import Observed, conclude


def run(hidden=None, suite=None):
    names = {"p": "passed", "f": "failed", "s": "skipped", "e": "error"}
    read = lambda text: None if text is None else {k: names[v] for k, v in (p.split("=") for p in text.split())}  # noqa: E731  # fmt: skip
    return Observed(read(hidden), read(suite))


def test_tests_are_told_apart_by_what_they_do_before_and_after():
    before = [run("a=f b=p c=f d=p")] * 2
    after = [run("a=p b=p c=f d=s new=p")] * 2
    found = conclude(before, after)
    assert found.fail_to_pass == ("a", "new")
    assert found.pass_to_pass == ("b",)
    assert found.hidden == ("a", "b", "new")
    assert found.dropped == {
        "c": "failed with the reference too",
        "d": "skipped with the reference too",
    }
    assert found.steady


def test_flaky_tests_are_dropped_on_either_side():
    found = conclude([run("a=f b=p c=f"), run("a=f b=f c=f")], [run("a=p b=p c=p"), run("a=p b=p c=f")])  # fmt: skip
    assert found.fail_to_pass == ("a",)
    assert found.pass_to_pass == ()
    assert found.dropped["b"] == "flaky: passes 1 of 2 times without the reference"
    assert found.dropped["c"] == "flaky: passes 1 of 2 times with the reference"


def test_a_run_without_results_passes_nothing():
    found = conclude([run()], [run("a=p")])
    assert (found.fail_to_pass, found.ran_before) == (("a",), False)
    assert conclude([run("a=f")], [run("a=p")]).ran_before
    assert conclude([run("a=f")], [run()]).hidden == ()


def test_tests_with_other_names_each_time_are_unsteady():
    assert not conclude([run()], [run("a1=p"), run("a2=p")]).steady


def test_of_the_projects_own_tests_only_those_that_always_pass_count():
    before, after = [run("a=f", "x=p y=p z=f")], [run("a=p", "x=p y=f z=p w=p")]
    assert conclude(before, after).suite == ("x",)
    assert conclude([run("a=f")], [run("a=p", "x=p")]).suite == ()


def test_others_are_those_that_the_hidden_tests_do_not_give():
    found = conclude([run("a=f b=p", "b=p x=p")], [run("a=p b=p", "b=p x=p")])
    assert (found.suite, found.others) == (("b", "x"), ("x",))
