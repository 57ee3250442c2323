import pytest


@pytest.fixture
def folder(tmp_path):
    """A data folder with three singers; evenings are added by `evening`."""
    (tmp_path / "rehearsals").mkdir()
    (tmp_path / "singers.csv").write_text(
        "code,name,voice,joined\n"
        "zoe,Zoe Abara,alto,2025-01-01\n"
        "max,Max Brandt,bass,2025-01-01\n"
        "ida,Ida Castell,alto,2025-03-13\n"
    )
    return tmp_path


@pytest.fixture
def evening(folder):
    def write(day, present="", excused="", name=None):
        text = f"date: {day}\npresent: {present}\nexcused: {excused}\n"
        (folder / "rehearsals" / f"{name or day}.txt").write_text(text)

    return write
