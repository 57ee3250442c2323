import pytest

from gazette.model import GazetteError
from gazette.pipeline import order


def test_everything_on():
    assert [step.name for step in order()] == [
        "normalise",
        "language",
        "optout",
        "bounce",
        "verify",
        "dedupe",
        "households",
        "postal",
        "sponsors",
    ]


def test_off():
    assert "verify" not in {step.name for step in order({"verify"})}


def test_no_such_step():
    with pytest.raises(GazetteError):
        order({"clean"})
