import json

import pytest

from errand.cli import main


@pytest.fixture
def errand(tmp_path, capsys):
    def call(*argv):
        code = main(["--db", str(tmp_path / "jobs.db"), *argv])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_add_prints_the_id(errand):
    assert errand("add", "mail", "--payload", '{"order": 1}') == (0, "1\n", "")
    assert errand("add", "mail") == (0, "2\n", "")


def test_payload_has_to_be_json(errand):
    code, _, err = errand("add", "mail", "--payload", "{order")
    assert code == 2
    assert "not JSON" in err


def test_list(errand):
    errand("add", "mail")
    _, out, _ = errand("list")
    assert out.split() == ["1", "queued", "0/3", "mail"]


def test_list_json(errand):
    errand("add", "mail", "--payload", "[1]")
    _, out, _ = errand("list", "--json")
    (job,) = json.loads(out)
    assert job["kind"] == "mail"
    assert job["payload"] == [1]


def test_requeue_what_is_not_dead(errand):
    errand("add", "mail")
    code, _, err = errand("requeue", "1")
    assert code == 1
    assert "is queued, not dead" in err
