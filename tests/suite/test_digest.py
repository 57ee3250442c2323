import os
import shutil

import pytest

from agenteval.suite import load_suite

KEYS = 'timeout_s = 5\nenv = { A = "1" }\n'
CHECKS = '[[checks]]\nkind = "file-contains"\npath = "a"\ntext = "x"\n'


def fill(bench, keys=KEYS, checks=CHECKS):
    bench.task(keys=keys, checks=checks)
    bench.write("one/repo/run.sh", "#!/bin/sh\n")
    bench.write("one/hidden/test.sh", "exit 0\n")
    link = bench.folder / "one/repo/link"
    link.unlink(missing_ok=True)
    link.symlink_to("run.sh")


def digest(bench):
    return load_suite(bench.folder / "one").tasks[0].digest


def test_the_value_is_pinned(bench):
    """It may change only with a note under "Numbers change": results would no longer pair."""
    fill(bench)
    assert digest(bench) == "8f0d7fcc860f75ce"


def change(text, old, new):
    assert old in text
    return text.replace(old, new)


DECIDES = {
    "prompt": lambda b: b.write("one/prompt.md", "Mend it well.\n"),
    "contents": lambda b: b.write("one/repo/README.md", "# Another\n"),
    "new file": lambda b: b.write("one/repo/new", ""),
    "renamed file": lambda b: (b.folder / "one/repo/README.md").rename(
        b.folder / "one/repo/READ.md"
    ),
    "executable": lambda b: (b.folder / "one/repo/run.sh").chmod(0o755),
    "link": lambda b: (
        (b.folder / "one/repo/link").unlink(),
        (b.folder / "one/repo/link").symlink_to("README.md"),
    ),
    "link for file": lambda b: (
        (b.folder / "one/repo/link").unlink(),
        b.write("one/repo/link", "run.sh"),
    ),
    "hidden contents": lambda b: b.write("one/hidden/test.sh", "exit 1\n"),
    "hidden file": lambda b: b.write("one/hidden/b", ""),
    "limit": lambda b: fill(b, change(KEYS, "5", "6")),
    "variable": lambda b: fill(b, change(KEYS, '"1"', '"2"')),
    "check": lambda b: fill(b, checks=change(CHECKS, '"x"', '"y"')),
    "check's kind": lambda b: fill(
        b, checks='[[checks]]\nkind = "answer-contains"\nname = "file-contains a"\ntext = "x"\n'
    ),
    "check's weight": lambda b: fill(b, checks=CHECKS + "weight = 2\n"),
    "setup": lambda b: fill(b, KEYS + 'setup = ["x"]'),
    "image": lambda b: fill(b, KEYS + 'image = "debian:12"'),
    "Dockerfile": lambda b: b.write("one/environment/Dockerfile", "FROM debian:12\n"),
    "suite's default": lambda b: b.write("suite.toml", "[defaults]\nmax_turns = 5\n"),
    "suite's protected": lambda b: b.write("suite.toml", 'protected = ["ci/**"]\n'),
}


@pytest.mark.parametrize("name", DECIDES)
def test_what_decides_the_outcome_changes_it(bench, name):
    fill(bench)
    before = digest(bench)
    DECIDES[name](bench)
    assert digest(bench) != before


DECIDES_NOTHING = {
    "title": lambda b: fill(b, KEYS + 'title = "New"'),
    "tags": lambda b: fill(b, KEYS + 'tags = ["a"]'),
    "labels": lambda b: fill(
        b, KEYS + 'category = "debug"\ndifficulty = "hard"\nlanguage = "c"\nsplit = "holdout"'
    ),
    "default spelled out": lambda b: fill(b, KEYS + "network = false"),
    "order of keys": lambda b: fill(b, 'env = { A = "1" }\ntimeoutMs = 5000\n'),
    "notes": lambda b: b.write("one/notes.md", "x"),
    "solution": lambda b: b.write("one/solution.patch", "x"),
    "answer": lambda b: b.write("one/solution.answer.md", "x"),
    "wrong": lambda b: b.write("one/wrong/a.patch", "x"),
    "time": lambda b: os.utime(b.folder / "one/repo/README.md", (1, 1)),
    "group's mode": lambda b: (b.folder / "one/repo/README.md").chmod(0o600),
    "empty folder": lambda b: (b.folder / "one/repo/empty").mkdir(),
    "caches": lambda b: [
        b.write(f"one/repo/{name}", "x")
        for name in ("__pycache__/a.pyc", "b.pyc", ".pytest_cache/x")
    ],
    "other task": lambda b: b.task("two"),
    "suite's name": lambda b: b.write("suite.toml", 'name = "x"\n'),
    "prompt's last line end": lambda b: b.write("one/prompt.md", "Mend it.\n\n"),
}


@pytest.mark.parametrize("name", DECIDES_NOTHING)
def test_what_decides_nothing_leaves_it(bench, name):
    fill(bench)
    before = digest(bench)
    DECIDES_NOTHING[name](bench)
    assert digest(bench) == before


def test_it_does_not_depend_on_where_the_suite_lies(bench, new_bench):
    fill(bench)
    moved = new_bench("deep/down/elsewhere")
    shutil.copytree(bench.folder, moved.folder, symlinks=True, dirs_exist_ok=True)
    assert digest(moved) == digest(bench)


def test_a_starting_commit_counts_and_its_place_does_not(bench, new_bench):
    sources = {}
    for place, rev in (("near", "a" * 40), ("far", "a" * 40), ("near", "b" * 40)):
        (bench.folder.parent / place / ".git").mkdir(parents=True, exist_ok=True)
        case = new_bench(f"suite-{place}-{rev[0]}")
        shutil.rmtree(case.task(keys=f'[source]\ngit = "../{place}"\nrev = "{rev}"') / "repo")
        sources[place, rev[0]] = digest(case)
    assert sources["near", "a"] == sources["far", "a"] != sources["near", "b"]
