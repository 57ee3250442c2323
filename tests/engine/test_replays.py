"""Recordings are looked for before anything runs: none, several, and beside those of other runs."""

from dataclasses import replace

import pytest

from agenteval.engine import (
    ModelAccess,
    Settings,
    Shard,
    check_recordings,
    check_trials,
    make_plan,
)
from agenteval.engine.model_source import ModelSource
from agenteval.errors import InvalidInput
from agenteval.gateway import read_recording
from agenteval.gateway.recording import Recorder
from agenteval.records import Arm, StoreFolder
from agenteval.sandbox import Plain


def keep(folder, task="one", name="a", repeat=1, trial="x", attempt=1):
    path = folder / task / f"{name}-{repeat}-{trial}-{attempt}.jsonl.zst"
    Recorder(path, model="p/m", secrets={}, places={}).close()
    return path


@pytest.fixture
def kept(tmp_path):
    (tmp_path / "kept").mkdir()
    return tmp_path / "kept"


@pytest.fixture
def plan(bench, kept):
    """One task, one agent `a`, two repeats, played from the folder."""
    task = bench.task()
    arm = Arm(agent_spec="command:a", model=f"replay:{kept}")
    return make_plan("r", "s", [task], [arm], repeats=2)


def settings(tmp_path, **parts):
    return Settings(tmp_path / "store", Plain(), **parts)


def check(plan, tmp_path, **parts):
    return check_recordings(plan, settings(tmp_path, **parts))


def test_one_recording_a_trial_of_which_the_last_attempt_plays(plan, kept, tmp_path):
    keep(kept, name="command", repeat=1, attempt=2)
    keep(kept, name="command", repeat=2, trial="y", attempt=9)
    last = keep(kept, name="command", repeat=2, trial="y", attempt=10)
    keep(kept, name="command+v", repeat=1, trial="z")
    keep(kept, task="other", name="command", repeat=1, trial="z")
    assert check(plan, tmp_path) == []
    (spec,) = [spec for spec in plan.trials() if spec.repeat == 2]
    assert ModelSource("replay", str(kept)).recording(spec) == last
    assert ModelSource("replay", str(last)).recording(spec) == last


def test_a_trial_without_one(plan, kept, tmp_path):
    keep(kept, name="command", repeat=1)
    with pytest.raises(InvalidInput, match="no recording of task one, command, repeat 2") as caught:
        check(plan, tmp_path)
    assert str(kept / "one") in caught.value.where


def test_a_trial_with_several_names_the_files(plan, kept, tmp_path):
    keep(kept, name="command", repeat=1)
    files = [keep(kept, name="command", repeat=2, trial=trial) for trial in ("y", "z")]
    with pytest.raises(InvalidInput, match="recordings of 2 trials of task one, command, repeat 2") as caught:  # fmt: skip
        check(plan, tmp_path)
    assert all(str(file) in caught.value.what for file in files)
    assert caught.value.where == f"--model replay:{kept}"
    assert caught.value.fix == "name one file, or record into an empty folder"


def test_one_file_plays_every_trial_if_it_can_be_read(plan, kept, tmp_path):
    file = keep(kept)
    arms = (Arm(agent_spec="command:a", model=f"replay:{file}"),)
    assert read_recording(file).model == "p/m"
    check(replace(plan, arms=arms), tmp_path)
    file.write_bytes(b"no recording")
    with pytest.raises(InvalidInput, match="cannot be read"):
        check(replace(plan, arms=arms), tmp_path)


def test_a_part_of_a_run_needs_its_own_recordings_alone(plan, kept, tmp_path):
    (mine,) = Shard(1, 2).of(plan, plan.trials())
    keep(kept, name="command", repeat=mine.repeat)
    check(plan, tmp_path, shard=Shard(1, 2))
    with pytest.raises(InvalidInput, match="no recording"):
        check(plan, tmp_path, shard=Shard(2, 2))


def test_what_is_carried_on_needs_no_recordings_of_what_it_has(plan, kept, tmp_path):
    file = StoreFolder(settings(tmp_path).store).run("r").journal
    file.parent.mkdir(parents=True)
    file.touch()
    check(plan, tmp_path)
    with pytest.raises(InvalidInput, match="no recording"):
        check_trials(plan.trials(), ModelAccess())


class TestRecorded:
    def test_into_an_empty_folder_or_on_with_the_same_run(self, plan, kept, tmp_path):
        asked = replace(plan, arms=(Arm(agent_spec="command:a", model="p/m"),))
        access = ModelAccess(record=kept / "new")
        assert check(asked, tmp_path, models=access) == []
        for spec in asked.trials():
            keep(kept / "new", name="command", repeat=spec.repeat, trial=spec.trial_id)
        assert check(asked, tmp_path, models=access) == []

    def test_beside_another_runs_is_refused(self, plan, kept, tmp_path):
        asked = replace(plan, arms=(Arm(agent_spec="command:a", model="p/m"),))
        file = keep(kept, name="command", repeat=2)
        with pytest.raises(InvalidInput, match="holds recordings of task one, command, repeat 2 already") as caught:  # fmt: skip
            check(asked, tmp_path, models=ModelAccess(record=kept))
        assert str(file) in caught.value.what
        assert caught.value.where == f"--record {kept}"
        assert "empty folder" in caught.value.fix

    def test_others_may_lie_there(self, plan, kept, tmp_path):
        asked = replace(plan, arms=(Arm(agent_spec="command:a", model="p/m", variant="v"),))
        keep(kept, name="command")
        keep(kept, name="command+v", repeat=3)
        keep(kept, task="two", name="command+v")
        (kept / "one/notes.txt").write_text("x")
        assert check(asked, tmp_path, models=ModelAccess(record=kept)) == []

    def test_arms_of_one_name_are_told(self, plan, kept, tmp_path):
        arms = tuple(Arm(agent_spec="command:a", model=model) for model in ("p/m", "p/n"))
        (note,) = check(replace(plan, arms=arms), tmp_path, models=ModelAccess(record=kept))
        assert "recordings of command:a@p/m and command:a@p/n are all named command" in note
        assert "Fix: record each in a run and a folder of its own" in note
