"""A folder in which a test builds a suite."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agenteval.errors import TaskError
from agenteval.suite import load_suite

CHECK = '[[checks]]\nkind = "command"\nrun = "sh test.sh"\n'


class Bench:
    """Files of one suite; `task` writes one that loads, and the test then spoils it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, path: str, text: str | bytes) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def task(self, name: str = "one", keys: str = "", *, checks: str = CHECK) -> Path:
        self.write(f"{name}/task.toml", keys + "\n" + checks)
        self.write(f"{name}/prompt.md", "Mend it.\n")
        self.write(f"{name}/repo/README.md", "# A project\n")
        return self.folder / name

    def problem(self, path: Path | None = None) -> TaskError:
        """The error that loading gives; it must have all three parts."""
        with pytest.raises(TaskError) as caught:
            load_suite(path or self.folder)
        assert caught.value.what
        assert caught.value.where
        assert caught.value.fix
        return caught.value


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "shop")


@pytest.fixture
def new_bench(tmp_path: Path) -> Callable[[str], Bench]:
    return lambda name: Bench(tmp_path / name)
