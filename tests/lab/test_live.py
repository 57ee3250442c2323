"""Runs in the background: watched, waited for, stopped from anywhere, resumed."""

import os
import signal
import subprocess
import sys

import pytest

import agenteval as ae
from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan
from agenteval.errors import InvalidInput, RunLocked
from agenteval.lab import start, watch
from agenteval.sandbox import choose_sandbox
from agenteval.suite import load_suite

SLOW = "command:sh -c 'echo x > started; sleep 600'"


def settings(tmp_path, **other):
    return Settings(tmp_path / "store", choose_sandbox("auto"), **other)


def test_a_suite_is_run_and_watched_to_its_end(evals, tmp_path):
    live = ae.run(
        evals, agents=["scripted:reference", "scripted:noop"], tasks="t0[0-3]", repeats=2,
        store=tmp_path / "store",
    )  # fmt: skip
    seen = live.watch(interval_s=0.05)
    assert live.wait(300).interrupted is False
    assert seen.wait(60)
    assert (seen.phase, seen.done, seen.planned, seen.error) == ("complete", 16, 16, "")
    assert live.trials.groupby("arm")["passed"].sum().to_dict() == {
        "scripted:noop": 0, "scripted:reference": 8,
    }  # fmt: skip
    assert "done" in repr(live)


def test_as_the_last_line_of_a_cell_a_run_shows_its_progress(evals, tmp_path, capsys):
    live = ae.run(
        evals, agents="scripted:noop", tasks="t00", store=tmp_path / "store", progress=True
    )
    assert capsys.readouterr().out.startswith("<LiveRun "), "outside of a notebook it is a line"
    live.wait(300)
    bundle = live._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert live._repr_mimebundle_() == bundle, "looking twice is one widget"
    assert live.run_id in bundle["text/html"]


def test_what_a_plan_recommends_is_run_with_the_arms_of_its_pilot(evals, tmp_path):
    agents = ["scripted:chance:0.3", "scripted:chance:0.7", "scripted:noop"]
    pilot = ae.run(evals, agents=agents, store=tmp_path / "store", tasks="t00,t01,t02,t03")
    pilot.wait(300)
    study = ae.plan(
        pilot.trials, effect=0.9, baseline=agents[0], candidate=agents[1], repeats=[2],
        max_cost_usd=1000,
    )  # fmt: skip
    assert (study.runs, study.sides) == ((pilot.run_id,), tuple(agents[:2]))
    live = ae.run(study, store=tmp_path / "store")
    live.wait(300)
    trials = live.trials
    assert set(trials["arm"]) == set(agents[:2])
    assert trials["repeat"].max() == 2
    assert trials["task_id"].nunique() == min(4, study.recommended["tasks"])
    budget = ae.widgets.look_at(ae.open_store(tmp_path / "store"), live.run_id, written=False)
    assert budget.budget_usd == 1000


def test_the_button_stops_it_and_the_same_plan_resumes(evals, tmp_path):
    suite = load_suite(evals, tasks="t00,t01")
    plan = make_plan("r1", suite.name, suite.tasks, [make_arm(SLOW)])
    live = start(plan, settings(tmp_path, concurrency=1, grace_s=0.1))
    seen = live.watch(interval_s=0.05)
    seen.button.click()
    assert seen.error == ""
    assert live.wait(120).interrupted is True
    assert seen.wait(60)
    assert seen.phase == "stopped"
    assert seen.done == 0
    again = start(plan, settings(tmp_path, concurrency=1, grace_s=0.1))
    again.stop()
    assert again.wait(120).held_before == 0


def test_a_run_of_another_process_is_watched_and_stopped(evals, tmp_path):
    command = [
        sys.executable, "-m", "agenteval", "run", str(evals), "--agent", SLOW, "--store",
        str(tmp_path / "store"), "--run-id", "far", "--tasks", "t00", "--grace", "0.1",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env={**os.environ})
    try:
        for line in process.stderr:
            if b"planned" in line:  # said once the journal is held
                break
        seen = watch("far", tmp_path / "store")
        assert seen.phase == "running"
        suite = load_suite(evals, tasks="t00")
        plan = make_plan("far", suite.name, suite.tasks, [make_arm(SLOW)])
        with pytest.raises(RunLocked, match="another process"):
            start(plan, settings(tmp_path))
        seen.button.click()
        assert seen.error == ""
        process.stderr.read()
        assert process.wait() == 130
        assert seen.wait(60)
        assert seen.phase == "stopped"
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.stderr.close()
        process.wait()


def test_what_cannot_be_run_is_said(evals, tmp_path):
    with pytest.raises(InvalidInput, match="no arm to run"):
        ae.run(evals, store=tmp_path / "store")
    store = tmp_path / "store"
    ae.run(evals, agents="scripted:noop", tasks="t00", store=store).wait(300)
    assumed = ae.plan(effect=0.1)
    with pytest.raises(InvalidInput, match="without trials"):
        ae.run(assumed, store=store)
    suite = load_suite(evals)
    plan = make_plan("r", suite.name, suite.tasks, [make_arm("scripted:noop")])
    with pytest.raises(InvalidInput, match="finished plan"):
        ae.run(plan, repeats=3, store=store)
    slow = make_plan("r2", suite.name, suite.tasks[:1], [make_arm(SLOW)])
    live = start(slow, settings(tmp_path, grace_s=0.1))
    with pytest.raises(InvalidInput, match="not done after"):
        live.wait(0)
    live.stop()
    live.wait(120)
