import inspect
import pickle
import re

import pytest

from agenteval import errors
from agenteval.errors import AgentEvalError, Infrastructure, InvalidInput, TaskError

CLASSES = [
    cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, AgentEvalError)
]


@pytest.mark.parametrize("cls", CLASSES)
def test_every_error_survives_a_process_boundary(cls):
    error = cls("what happened", "here", "do this")
    error.add_note("seen by a worker")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is cls
    assert (again.what, again.where, again.fix) == ("what happened", "here", "do this")
    assert str(again) == str(error)
    assert again.__notes__ == ["seen by a worker"]


def test_the_class_of_an_infrastructure_failure_survives_too():
    again = pickle.loads(pickle.dumps(Infrastructure("what", error_class="setup_failed")))
    assert again.error_class == "setup_failed"
    assert Infrastructure("what").error_class == "sandbox_failed"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (
            ("It broke", "a.toml, key x", "write y"),
            "It broke.\nWhere: a.toml, key x\nFix: write y.",
        ),
        (("It broke", "", "write y"), "It broke.\nFix: write y."),
        (("It broke", "a.toml"), "It broke.\nWhere: a.toml"),
        (("It broke",), "It broke."),
    ],
)
def test_three_parts_are_shown_without_the_empty_ones(parts, text):
    assert str(TaskError(*parts)) == text


def test_bad_input_is_a_value_error_too():
    with pytest.raises(ValueError, match="It broke"):
        raise InvalidInput("It broke")


def test_the_tree_in_the_docstring_is_the_real_one():
    drawn = {}
    parents = [AgentEvalError.__name__]
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"^((?:│   )*)(?:├── |└── )(\w+)(?: +(.+))?$", line)
        if found:
            depth = len(found[1]) // 4
            parents[depth + 1 :] = [found[2]]
            drawn[found[2]] = parents[depth]
            assert found[3], f"{found[2]} is not explained"
    real = {cls.__name__: cls.__mro__[1].__name__ for cls in CLASSES if cls is not AgentEvalError}
    assert drawn == real


@pytest.mark.parametrize("cls", CLASSES)
def test_every_error_is_explained(cls):
    assert cls.__doc__
