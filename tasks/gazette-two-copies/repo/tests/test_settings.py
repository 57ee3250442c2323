from pathlib import Path

from gazette.settings import load_settings


def test_off_by_issue():
    settings = load_settings(Path(__file__).parent.parent / "gazette.toml")
    assert settings.off("weekly") == {"verify"}
    assert settings.off("special") == frozenset()
