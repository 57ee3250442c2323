"""quarantine.toml beside the tasks: strict, dated, with a reason."""

import pytest

from agenteval.errors import TaskError
from agenteval.suite import load_suite

ENTRY = '[[task]]\nid = "one"\nsince = 2026-01-31\nreason = "flaky"\n'
TASK = '[[checks]]\nkind = "command"\nrun = "true"\n'


@pytest.fixture
def suite(tmp_path):
    for name in ("one", "two"):
        (tmp_path / "shop" / name / "repo").mkdir(parents=True)
        (tmp_path / "shop" / name / "repo/a.txt").write_text("a")
        (tmp_path / "shop" / name / "prompt.md").write_text("Do it.")
        (tmp_path / "shop" / name / "task.toml").write_text(TASK)
    return tmp_path / "shop"


def aside(suite, **options):
    return {task.id: task.quarantined for task in load_suite(suite, **options).tasks}


def test_the_reason_is_told_with_its_day(suite):
    assert aside(suite) == {"one": None, "two": None}
    (suite / "quarantine.toml").write_text(ENTRY)
    told = "quarantined since 2026-01-31: flaky"
    assert aside(suite) == {"one": told, "two": None}
    assert aside(suite, tasks="two") == {"two": None}
    assert aside(suite / "one") == {"one": told}


def test_entries_for_another_suite_are_left_to_it(suite):
    (suite / "quarantine.toml").write_text(
        ENTRY + 'suite = "shop"\n' + ENTRY.replace('"one"', '"three"') + 'suite = "other"\n'
    )
    assert aside(suite)["one"] is not None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (ENTRY.replace("reason", "reson"), "reson"),
        (ENTRY.replace("since = 2026-01-31\n", ""), "since"),
        (ENTRY.replace('"one"', '"ome"'), "'ome' that the suite does not have"),
        (ENTRY + ENTRY, "twice"),
        ("[[task", "not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_its_file(suite, text, says):
    (suite / "quarantine.toml").write_text(text)
    with pytest.raises(TaskError, match=says) as error:
        load_suite(suite, tasks="two")
    assert "quarantine.toml" in str(error.value)
