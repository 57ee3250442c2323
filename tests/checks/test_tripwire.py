"""The tests that must fail."""

import re
import subprocess
import sys

import pytest

from agenteval.checks.tripwire import Tripwires, plant

FILES = {
    "test_plain.py": "def test_switch_day():\n    assert 1\n",
    "test_cases.py": "import unittest\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertIn(1, [1])\n",
    "test_both.py": "import pytest, unittest\nclass T(unittest.TestCase): pass\n\n\ndef test_y():\n    with pytest.raises(ValueError):\n        int('x')",
    "a.test.mjs": "import assert from 'node:assert';\nimport { test } from 'node:test';\ntest('one way', () => assert.ok(1))",
}  # fmt: skip


@pytest.fixture
def laid(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return plant(tmp_path, list(FILES))


def test_every_file_gets_one_of_each_kind_of_test_it_has(tmp_path, laid):
    added = {name: (tmp_path / name).read_text().removeprefix(text) for name, text in FILES.items()}
    kinds = {
        name: (
            len(re.findall(r"^def test_", text, re.M)),
            len(re.findall(r"^class Test", text, re.M)),
        )
        for name, text in added.items()
    }
    assert kinds == {
        "test_plain.py": (1, 0),
        "test_cases.py": (0, 1),
        "test_both.py": (1, 1),
        "a.test.mjs": (0, 0),
    }
    assert len(set(laid.names)) == 5
    for name in laid.names:
        assert sum(name in text for text in added.values()) == 1


def test_all_of_them_fail_and_the_neighbours_do_not(tmp_path, laid):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "--rootdir=."]
        + ["-c", "/dev/null", *(name for name in FILES if name.endswith(".py"))],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert "4 failed, 3 passed" in done.stdout, done.stdout


def test_no_two_gradings_have_the_same(tmp_path):
    names = set()
    for number in range(20):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "test_a.py").write_text("def test_a():\n    pass\n")
        names |= set(plant(folder, ["test_a.py"]).names)
    assert len(names) > 15


def test_they_are_named_after_their_neighbours(tmp_path):
    words = [f"word{chr(97 + n)}{chr(97 + m)}" for n in range(20) for m in range(20)]
    (tmp_path / "test_a.py").write_text("".join(f"def test_{word}(): pass\n" for word in words))
    (name,) = plant(tmp_path, ["test_a.py"]).names
    assert "word" in name


def test_a_tripwire_knows_its_results():
    wires = Tripwires(("test_a_b_c",))
    assert wires.guard("tests.test_x::test_a_b_c[1]") == "test_a_b_c"
    assert wires.guard("tests.test_x::test_a_b") is None


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "    # é".encode().decode() + "\n"])
def test_the_end_of_a_file_does_not_matter(tmp_path, ending):
    path = tmp_path / "test_a.py"
    path.write_bytes(b"def test_a():\n    pass" + ending.encode("utf-8"))
    plant(tmp_path, ["test_a.py"])
    compile(path.read_bytes(), "test_a.py", "exec")


def test_other_encodings_stay_what_they_are(tmp_path):
    path = tmp_path / "test_a.py"
    path.write_bytes("# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1"))
    plant(tmp_path, ["test_a.py"])
    scope: dict = {}
    exec(compile(path.read_bytes(), "test_a.py", "exec"), scope)
    assert scope["name"] == "é"


@pytest.mark.parametrize("name", ["_PYTHON", "_UNITTEST", "_NODE"])
def test_no_false_claim_is_empty(name):
    from agenteval.checks import false_claims

    table = getattr(false_claims, name)
    assert all("{l}" in text or "None" in text for text in table.values())
