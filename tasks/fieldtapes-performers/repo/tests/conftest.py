import pytest

from fieldtapes.cli import main


@pytest.fixture
def tapes(tmp_path, capsys):
    def call(*arguments):
        code = main(["--db", str(tmp_path / "tapes.db"), *map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call
