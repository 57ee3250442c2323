"""Test ids of pytest's command line, as the ids that JUnit files have."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

_ENDING = ".py"


def is_pytest_id(test: str) -> bool:
    """Whether a test is named as in `pytest tests/test_a.py::TestB::test_c[1]`.

    >>> is_pytest_id("tests/test_a.py::test_b"), is_pytest_id("test_b (a.tests.Case)")
    (True, False)
    """
    file, separator, name = test.partition("::")
    return bool(separator and name) and file.endswith(_ENDING) and " " not in file


def junit_id(test: str) -> str:
    """The id that a recorded check knows a test by.

    >>> junit_id("tests/test_a.py::TestB::test_c[x::y]")
    'tests.test_a.TestB::test_c[x::y]'
    """
    file, _, rest = test.partition("::")
    head, bracket, parameters = rest.partition("[")
    *classes, name = head.split("::")
    module = file.removesuffix(_ENDING).removeprefix("./").replace("/", ".")
    return f"{'.'.join([module, *classes])}::{name}{bracket}{parameters}"


def by_file(tests: Iterable[str]) -> dict[str, list[str]]:
    """File to the recorded ids of its tests."""
    found: dict[str, list[str]] = {}
    for test in tests:
        found.setdefault(test.partition("::")[0].removeprefix("./"), []).append(junit_id(test))
    return found


def recorded_text(recorded: Mapping[str, Iterable[str]]) -> bytes:
    """tests.json of a task: check name to ids."""
    ordered = {name: sorted(set(ids)) for name, ids in sorted(recorded.items())}
    return json.dumps(ordered, indent=1, ensure_ascii=False).encode() + b"\n"
