import pytest

from agenteval.records import cached_text


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_text_is_made_once(own_cache):
    made = []

    def make() -> str:
        made.append(1)
        return f"text {len(made)}"

    assert [cached_text("a.txt", make) for _ in range(3)] == ["text 1"] * 3
    assert cached_text("b.txt", make) == "text 2"
    assert len(made) == 2


def test_without_a_place_for_it_the_text_is_made_each_time(own_cache):
    own_cache.write_text("no folder")
    made = []

    def make() -> str:
        made.append(1)
        return "text"

    assert [cached_text("a.txt", make) for _ in range(2)] == ["text"] * 2
    assert len(made) == 2
