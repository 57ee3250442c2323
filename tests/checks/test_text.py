"""The checks `file-contains` and `answer-contains`."""

import os
import socket

import pytest

from agenteval.checks.text import MAX_BYTES

TEXT = "First line\nport = 8080\nlast line\n"


@pytest.mark.parametrize(
    ("keys", "passed"),
    [
        ({"text": "port = 8080"}, True),
        ({"text": "PORT"}, False),
        ({"text": "PORT", "ignore_case": True}, True),
        ({"text": "p.rt"}, False),
        ({"pattern": "p.rt"}, True),
        ({"pattern": r"^port = \d+$"}, True),
        ({"pattern": r"^\d+$"}, False),
        ({"text": "port", "negate": True}, False),
        ({"text": "secret", "negate": True}, True),
    ],
)
def test_text_and_pattern(run, copy, keys, passed):
    (copy / "a.cfg").write_text(TEXT)
    on_file = run("file-contains", path="a.cfg", **keys)
    on_answer = run("answer-contains", answer=TEXT, **keys)
    assert (on_file.passed, on_answer.passed) == (passed, passed)
    assert on_file.error_class is None
    assert ("not found in a.cfg" in on_file.detail) == (passed == keys.get("negate", False))


class TestAnswer:
    @pytest.mark.parametrize("answer", ["", "  \n\t "])
    @pytest.mark.parametrize("negate", [False, True])
    def test_no_answer_fails_also_negated(self, run, answer, negate):
        verdict = run("answer-contains", text="secret", negate=negate, answer=answer)
        assert (verdict.passed, verdict.detail) == (False, "there is no final answer")


class TestFile:
    @pytest.fixture
    def outside(self, copy):
        file = copy.parent / "outside.txt"
        file.write_text("secret")
        return file

    def look(self, run, path="a.txt", *, negate=False):
        """Nothing that is no readable file inside passes, negated or not."""
        plain, negated = (
            run("file-contains", path=path, text="secret", negate=flag) for flag in (False, True)
        )
        assert (plain.passed, negated.passed) == (False, False)
        assert plain.detail == negated.detail
        return plain.detail

    def test_missing(self, run):
        assert "No such file" in self.look(run)

    def test_in_a_folder_that_is_a_file(self, run, copy):
        (copy / "a.txt").write_text("secret")
        assert "cannot be read" in self.look(run, "a.txt/deeper")

    def test_a_folder(self, run, copy):
        (copy / "a.txt").mkdir()
        self.look(run)

    @pytest.mark.parametrize(
        "how", ["absolute", "relative", "through a folder", "through another link"]
    )
    def test_a_link_that_leaves(self, run, copy, outside, how):
        path = "a.txt"
        if how == "absolute":
            (copy / "a.txt").symlink_to(outside)
        elif how == "relative":
            (copy / "a.txt").symlink_to("../outside.txt")
        elif how == "through a folder":
            (copy / "sub").symlink_to("..")
            path = "sub/outside.txt"
        else:
            (copy / "b").symlink_to(outside)
            (copy / "a.txt").symlink_to("b")
        assert "leaves the workspace" in self.look(run, path)

    def test_links_that_go_round(self, run, copy):
        (copy / "a.txt").symlink_to("b.txt")
        (copy / "b.txt").symlink_to("a.txt")
        self.look(run)

    def test_a_link_that_stays_inside_is_followed(self, run, copy):
        (copy / "real.txt").write_text("secret")
        (copy / "a.txt").symlink_to("real.txt")
        assert run("file-contains", path="a.txt", text="secret").passed

    def test_a_fifo_does_not_hang(self, run, copy):
        os.mkfifo(copy / "a.txt")
        assert "not a regular file" in self.look(run)

    def test_a_socket(self, run, copy, monkeypatch):
        monkeypatch.chdir(copy)
        with socket.socket(socket.AF_UNIX) as server:
            server.bind("a.txt")
            self.look(run)

    def test_a_device(self, run, copy):
        (copy / "a.txt").symlink_to("/dev/zero")
        self.look(run)

    def test_a_huge_file_is_not_read(self, run, copy):
        with (copy / "a.txt").open("wb") as file:
            file.truncate(1 << 40)
        assert f"larger than {MAX_BYTES >> 20} MB" in self.look(run)

    def test_bytes_that_are_no_text(self, run, copy):
        (copy / "a.txt").write_bytes(b"\xff\xfe secret \x00")
        assert run("file-contains", path="a.txt", text="secret").passed

    @pytest.mark.parametrize("name", ["ünï cödé.txt", "-rf", "a\nb.txt", "'quoted'", "*.txt"])
    def test_any_name(self, run, copy, name):
        (copy / name).write_text("secret")
        assert run("file-contains", path=name, text="secret").passed
