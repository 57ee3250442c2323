import shutil
from pathlib import Path

import pytest

from beanrow.cli import main

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def folder(tmp_path):
    shutil.copy(DATA / "members.csv", tmp_path)
    return tmp_path


@pytest.fixture
def beanrow(folder, capsys):
    def call(*arguments):
        code = main(["--data", str(folder), "--today", "2025-03-05", *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
