"""The tests that were written: green on right code, red on each planted fault."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "mutation"))

from mutants import MUTANTS, planted  # noqa: E402

RIGHT = (ROOT / "mutation" / "right.py.txt").read_text(encoding="utf-8")
REWRITTEN = (ROOT / "mutation" / "rewritten.py.txt").read_text(encoding="utf-8")
SOURCES = {"right": RIGHT, "rewritten": REWRITTEN, **dict(planted(RIGHT))}


# pytest is loaded once; every variant is a fork of that process, in a folder of its own.
DRIVER = """
import json, os, signal, sys
from pathlib import Path
import pytest

codes = {}
for number, folder in enumerate(json.loads(sys.argv[1])):
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        os.chdir(folder)
        sys.path.insert(0, folder)
        said = os.open("said.txt", os.O_CREAT | os.O_WRONLY)
        os.dup2(said, 1)
        os.dup2(said, 2)
        files = sorted(map(str, Path("tests").glob("test_allocate*.py")))
        code = pytest.main(["-q", "-x", "--assert=plain", "-p", "no:cacheprovider", *files]) if files else 5
        os._exit(int(code))
    codes[folder] = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(json.dumps(codes))
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Exit code of pytest over the written tests, and what it said, by variant."""
    base = tmp_path_factory.mktemp("mutants")
    left_out = shutil.ignore_patterns("mutation", ".git", "__pycache__", "test_hidden_*")
    folders = {}
    for name, source in SOURCES.items():
        folder = folders[name] = str(shutil.copytree(ROOT, base / name, ignore=left_out))
        (Path(folder) / "hemicycle" / "allocate.py").write_text(source, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-c", DRIVER, json.dumps(list(folders.values()))],
        capture_output=True,
        text=True,
        cwd=base,
    )
    assert done.returncode == 0, done.stderr
    codes = json.loads(done.stdout.splitlines()[-1])
    said = {name: (Path(folder) / "said.txt").read_text() for name, folder in folders.items()}
    return {name: (codes[folder], said[name][-1500:]) for name, folder in folders.items()}


@pytest.mark.parametrize("name", ["right", "rewritten"])
def test_green_on_right_code(outcomes, name):
    code, said = outcomes[name]
    assert code == 0, said


@pytest.mark.parametrize("name", [name for name, *_ in MUTANTS])
def test_red_on_a_fault(outcomes, name):
    assert outcomes["right"][0] == 0, "not green on the right code"
    code, said = outcomes[name]
    assert code == 1, said
