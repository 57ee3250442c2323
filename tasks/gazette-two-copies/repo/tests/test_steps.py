from gazette.model import Copy
from gazette.steps.dedupe import dedupe
from gazette.steps.households import households
from gazette.steps.normalise import normalised


def test_normalised():
    assert normalised(" Ann+gazette@X.example ") == "ann@x.example"


def test_dedupe():
    copies = [Copy("A", "a@x.example"), Copy("A", "a@x.example"), Copy("P", ""), Copy("Q", "")]
    assert [copy.name for copy in dedupe(copies, None)] == ["A", "P", "Q"]


def test_households():
    copies = [Copy("A", "a@x", "1", True), Copy("B", "b@x", "1", True), Copy("C", "c@x", "1", False)]
    assert [copy.name for copy in households(copies, None)] == ["A", "C"]
