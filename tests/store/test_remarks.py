"""Tags on trials and looks at the holdout: what people add, durably and one at a time."""

import json
import threading

import pytest

from agenteval.errors import InvalidInput, StoreError
from agenteval.records import RunManifest, read_manifest
from agenteval.store import Store, seal
from agenteval.store.ledger import append_line, held_ledger


@pytest.fixture
def opened(build):
    run = build.filled()
    attempt = build.attempt()
    build.events(run, attempt)
    return Store(build.path)


def trial_of(opened, task="cart", arm="base"):
    trials = opened.trials(task=task, arm=arm)
    return opened.trial(trials["trial_id"].iloc[0])


def lines(opened, name="tags.jsonl"):
    return [json.loads(line) for line in (opened.path / name).read_text().splitlines()]


def test_a_tag_is_a_line_and_a_row(opened):
    trial = trial_of(opened)
    trial.tag("stopped before  testing", step=2)
    [line] = lines(opened)
    assert line["text"] == "stopped before testing"
    assert (line["step"], line["trial_id"], line["run_id"]) == (2, trial.id, "r1")
    tags = trial.tags
    assert tags[["text", "step"]].values.tolist() == [["stopped before testing", 2]]
    assert opened.tags().equals(tags)
    assert trial_of(opened, "search").tags.empty


def test_the_schema_is_the_same_without_any_tag(opened):
    before = opened.tags().dtypes
    trial_of(opened).tag("slow")
    assert opened.tags().dtypes.equals(before)
    assert list(before.index) == ["at", "run_id", "trial_id", "text", "step"]


def test_the_same_again_changes_nothing_and_it_can_be_taken_back(opened):
    trial = trial_of(opened)
    trial.tag("slow")
    trial.tag("slow")
    assert len(lines(opened)) == 1
    trial.tag("slow", undo=True)
    assert trial.tags.empty
    assert len(lines(opened)) == 2
    trial.tag("slow")
    assert len(trial.tags) == 1


def test_tags_can_be_filtered(opened):
    trial_of(opened).tag("a")
    trial_of(opened, arm="v2").tag("b")
    assert opened.tags(opened.trials(arm="v2"))["text"].tolist() == ["b"]
    assert opened.tags(run="r1")["text"].tolist() == ["a", "b"]
    assert opened.tags(run="other").empty


@pytest.mark.parametrize("text", ["", "   "])
def test_an_empty_tag_is_refused(opened, text):
    with pytest.raises(InvalidInput):
        trial_of(opened).tag(text)
    assert not (opened.path / "tags.jsonl").exists()


def test_a_step_has_to_be_there(opened):
    with pytest.raises(InvalidInput, match="steps run from 1 to 3"):
        trial_of(opened).tag("x", step=99)
    with pytest.raises(InvalidInput, match="kept none"):
        trial_of(opened, "search").tag("x", step=1)


def test_there_has_to_be_a_tag_to_take_back(opened):
    with pytest.raises(InvalidInput, match="no such tag"):
        trial_of(opened).tag("x", undo=True)


def test_a_torn_last_line_was_never_promised(opened):
    trial_of(opened).tag("whole")
    path = opened.path / "tags.jsonl"
    with path.open("ab") as file:
        file.write(b'{"schema_version": 1, "at": "20')
    assert opened.tags()["text"].tolist() == ["whole"]
    trial_of(opened).tag("after")
    assert opened.tags()["text"].tolist() == ["whole", "after"]
    assert len(lines(opened)) == 2


def test_a_broken_line_is_named(opened):
    trial_of(opened).tag("whole")
    with (opened.path / "tags.jsonl").open("ab") as file:
        file.write(b'{"schema_version": 1, "who": "me"}\n')
    with pytest.raises(StoreError, match="tags.jsonl:2"):
        opened.tags()


def test_writers_take_turns(tmp_path):
    path = tmp_path / "ledger.jsonl"
    start = threading.Barrier(8)

    def write(number):
        start.wait()
        for part in range(20):
            with held_ledger(path, "note") as file:
                append_line(file, json.dumps({"n": number, "part": part}).encode())

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(seen) == 160
    for number in range(8):
        assert [row["part"] for row in seen if row["n"] == number] == list(range(20))


def test_a_ledger_that_cannot_be_written_says_so(tmp_path):
    (tmp_path / "ledger.jsonl").mkdir()
    with (
        pytest.raises(StoreError, match="The tag cannot be written"),
        held_ledger(tmp_path / "ledger.jsonl", "tag"),
    ):
        pass


@pytest.fixture
def held_out(build):
    """A run whose task `search` is of the holdout."""
    run = build.run()
    for task in ("cart", "search"):
        split = "holdout" if task == "search" else "dev"
        for arm in ("base", "v2"):
            build.write(run, build.attempt(task=task, arm=arm, split=split))
    return Store(build.path)


def test_every_look_at_the_holdout_is_counted(held_out):
    assert held_out.looks().empty
    first = held_out.holdout()
    assert first["task_id"].unique().tolist() == ["search"]
    assert first.attrs["holdout_looks"] == 1
    assert held_out.holdout(arm="v2").attrs["holdout_looks"] == 2
    looks = held_out.looks()
    assert looks[["tasks", "trials"]].values.tolist() == [[1, 2], [1, 1]]
    assert looks["runs"].tolist() == [["r1"], ["r1"]]


def test_looking_at_nothing_is_no_look(held_out):
    assert held_out.holdout(arm="nobody").empty
    assert held_out.looks().empty


def test_counting_does_not_depend_on_sealing(held_out):
    held_out.holdout()
    seal(held_out.path)
    assert held_out.holdout().attrs["holdout_looks"] == 2
    assert isinstance(read_manifest(held_out.run_folder("r1") / "run.json"), RunManifest)
