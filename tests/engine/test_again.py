"""A run on disk carried on: its plan made again from the manifest, records of another run taken over."""

import shutil

import pytest

from agenteval.agents import make_arm
from agenteval.engine import (
    Settings,
    check_classes,
    make_plan,
    manifest_for,
    plan_of,
    run_plan,
    suite_of,
    take_over,
)
from agenteval.errors import InvalidInput
from agenteval.records import INFRASTRUCTURE_CLASSES, StoreFolder, read_journal, read_manifest

FIX = "command:echo fixed > app.txt"


@pytest.fixture
def done(bench):
    """A finished run of two tasks: its plan, settings and folder."""
    for name in ("b", "a"):
        bench.task(name)
    suite = bench.loaded()
    plan = make_plan("r1", suite.name, suite.tasks[::-1], [make_arm(FIX)], repeats=2, seed=7)
    settings = Settings(bench.folder / "store", bench.sandbox, suite_path=bench.suite)
    run_plan(plan, settings)
    return plan, settings, StoreFolder(settings.store).run("r1")


def test_the_plan_of_a_run_is_made_again(done):
    plan, _, folder = done
    again = plan_of(folder)
    assert again.digest == plan.digest
    assert [task.id for task in again.tasks] == [task.id for task in plan.tasks]
    assert [s.trial_id for s in again.trials()] == [s.trial_id for s in plan.trials()]


def test_a_suite_that_was_moved_is_named(done, bench):
    _, _, folder = done
    moved = bench.folder / "elsewhere" / "suite"
    moved.parent.mkdir()
    bench.suite.rename(moved)
    manifest = read_manifest(folder.manifest)
    with pytest.raises(InvalidInput, match="is not at"):
        suite_of(manifest, folder)
    assert [task.id for task in suite_of(manifest, folder, moved).tasks] == ["b", "a"]
    shutil.rmtree(moved / "a")
    with pytest.raises(InvalidInput, match=r"\ba\b"):
        suite_of(manifest, folder, moved)


def test_a_run_that_does_not_say_how_its_agents_start_is_refused(done):
    _, _, folder = done
    manifest = read_manifest(folder.manifest)
    manifest.model_copy(update={"planned_arms": []}).write(folder.manifest)
    with pytest.raises(InvalidInput, match="does not say how its agents are started"):
        plan_of(folder)


def test_only_failures_of_the_machinery_may_be_tried_again():
    every = frozenset(INFRASTRUCTURE_CLASSES)
    assert check_classes(every) == every
    with pytest.raises(InvalidInput, match="timeout cannot be tried again"):
        check_classes(frozenset({"setup_failed", "timeout"}))


def test_only_trials_that_are_named_and_fit_are_taken_over(done):
    plan, settings, folder = done
    other = make_plan("r2", plan.suite, plan.tasks[:1], plan.arms, repeats=3, seed=1)
    target = StoreFolder(settings.store).run("r2")
    manifest = manifest_for(other, settings)
    rows = [block.attempt for block in read_journal(folder.journal).blocks]
    named = [row.trial_id for row in rows if row.repeat == 1]
    assert take_over(other, manifest, target, folder, []).trials == 0
    assert not target.path.exists()
    taken = take_over(other, manifest, target, folder, named)
    assert (taken.trials, taken.tasks) == (1, {FIX: frozenset({plan.tasks[0].id})})
    (held,) = [block.attempt for block in read_journal(target.journal).blocks]
    assert (held.run_id, held.repeat, held.reused_from, held.passed) == ("r2", 1, "r1", True)
    assert held.trial_id in {spec.trial_id for spec in other.trials()}
