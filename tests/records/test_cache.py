"""A text that is made once."""

from agenteval.records import cached_text


def test_it_is_made_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []

    def make():
        made.append(1)
        return "text €"

    assert [cached_text("a.js", make) for _ in range(3)] == ["text €"] * 3
    assert made == [1]
    assert (tmp_path / "agenteval" / "a.js").read_text("utf-8") == "text €"


def test_a_cache_that_cannot_be_used_costs_only_time(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (tmp_path / "file").write_text("no folder")
    assert cached_text("a.js", lambda: "made") == "made"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "agenteval").mkdir()
    (tmp_path / "agenteval" / "b.js").write_bytes(b"\xff\xfe")
    assert cached_text("b.js", lambda: "again") == "again"
    assert cached_text("b.js", lambda: "never") == "again"
