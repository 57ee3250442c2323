"""Trial tables written as letters, so that every expected number can be worked out by hand."""

from collections.abc import Callable

import pandas as pd
import pytest

LETTERS = {
    "P": ("pass", True, None),
    "F": ("fail", False, None),
    "T": ("error", False, "timeout"),
    "I": ("error", None, "setup_failed"),
    "S": ("skipped", None, "cancelled"),
}


def trials(outcomes: dict[str, dict[str, str]], **columns: object) -> pd.DataFrame:
    """Make a trial table from {arm: {task: letters}}; a task may be written `suite/task`."""
    rows = []
    for arm, tasks in outcomes.items():
        for name, letters in tasks.items():
            suite, _, task = name.rpartition("/")
            for repeat, letter in enumerate(letters, start=1):
                status, passed, error_class = LETTERS[letter]
                rows.append(
                    {
                        "run_id": "r1",
                        "trial_id": f"{arm}-{name}-{repeat}",
                        "suite": suite or "s",
                        "task_id": task,
                        "arm": arm,
                        "repeat": repeat,
                        "status": status,
                        "passed": passed,
                        "error_class": error_class,
                    }
                )
    table = pd.DataFrame(rows)
    table["passed"] = table["passed"].astype("boolean")
    table["error_class"] = table["error_class"].astype("str")
    return table.assign(**columns)


@pytest.fixture(scope="session")
def trials_of() -> Callable[..., pd.DataFrame]:
    """Hand out `trials`."""
    return trials
