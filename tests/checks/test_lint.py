"""The check `lint`."""

import shlex

import pytest

from agenteval.checks.lint import command_of, findings_in
from agenteval.records import LintCheck

# prints what it was given, and one finding for each file that holds "bad"
LINTER = """for f in {files}; do echo "saw $f" >&2; grep -n bad "$f" | sed "s|^|$f:|"; done; ! grep -q bad {files}"""
BEFORE = {"old.py": "bad\n", "edited.py": "good\n", "gone.py": "bad\n"}


def test_only_what_was_added_or_changed_is_given_to_it(run, patched, sandbox):
    work = patched(BEFORE, {"edited.py": "better\n", "new.py": "fine\n", "gone.py": None})
    verdict = run("lint", run=LINTER, work=work, sandbox=sandbox)
    assert (verdict.passed, verdict.findings) == (True, 0)
    assert verdict.output.count(b"saw ") == 2
    assert b"old.py" not in verdict.output
    assert b"gone.py" not in verdict.output


def test_findings_are_counted_and_fail_nothing(run, patched):
    work = patched(BEFORE, {"edited.py": "bad\nbad\n", "new.py": "bad\n"})
    verdict = run("lint", run=LINTER, work=work)
    assert (verdict.passed, verdict.findings) == (True, 3)
    assert "3 findings in 2 files" in verdict.detail


def test_findings_fail_where_that_is_asked_for(run, patched):
    work = patched(BEFORE, {"edited.py": "bad\n"})
    verdict = run("lint", run=LINTER, failing=True, work=work)
    assert (verdict.passed, verdict.findings) == (False, 1)


def test_only_files_that_match_the_expression(run, patched):
    work = patched(BEFORE, {"edited.py": "good again\n", "new.txt": "bad\n"})
    verdict = run("lint", run=LINTER, files=r"\.py$", failing=True, work=work)
    assert (verdict.passed, verdict.findings) == (True, 0)
    none = run("lint", run=LINTER, files=r"\.go$", failing=True, work=work)
    assert (none.passed, none.findings, none.output) == (True, 0, None)


def test_links_are_not_followed(run, patched, copy):
    work = patched({"a.txt": "x\n"}, {"b.py": "bad\n"})
    (copy / "b.py").unlink()
    (copy / "b.py").symlink_to("a.txt")
    assert run("lint", run=LINTER, work=work).findings == 0


@pytest.mark.parametrize("run_", ["exit 127", "no-such-linter"])
def test_a_linter_that_does_not_run_is_unknown_not_clean(run, patched, run_):
    work = patched(BEFORE, {"edited.py": "bad\n"})
    quiet = run("lint", run=run_, work=work)
    assert (quiet.passed, quiet.findings) == (True, None)
    strict = run("lint", run=run_, failing=True, work=work)
    assert (strict.passed, strict.error_class) == (None, "check_no_verdict")


def test_a_linter_that_never_ends(run, patched):
    work = patched(BEFORE, {"edited.py": "bad\n"})
    verdict = run("lint", run="sleep 600 #", timeout_s=0.3, failing=True, work=work)
    assert (verdict.passed, verdict.error_class, verdict.findings) == (None, "check_timeout", None)


@pytest.mark.parametrize("name", ["a b.py", "$(touch x).py", "-rf", "it's.py", "a;b.py", "a\nb"])
def test_names_are_words_whatever_they_hold(name):
    for run_ in ("lint", "lint {files} --strict"):
        words = shlex.split(command_of(LintCheck(run=run_), [name]))
        assert words[1] == (f"./{name}" if name.startswith("-") else name)
        assert words[0] == "lint"


def test_names_are_relative_to_the_folder_it_runs_in():
    check = LintCheck(run="lint", cwd="web")
    assert command_of(check, ["web/a.ts", "b.ts"]) == "lint a.ts ../b.ts"


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("src/a.py:3:1: E501 too long\nsrc/a.py:9:1: F401 unused\nFound 2 errors.", 2),
        ("E501 too long\n --> src/a.py:3:1\n  |\n3 | x\n", 1),
        ("\nsrc/a.py\n  3:1  error  no-var\n  9:2  warning  semi\n\n2 problems", 2),
        ("[warn] src/a.py\n[warn] Code style issues found", 1),
        ("src/a.py(3,1): error TS2322", 1),
        ("something is wrong", 1),
        ("", 1),
    ],
)
def test_findings_are_counted_in_the_shapes_that_linters_have(output, found):
    assert findings_in(output, ["src/a.py"]) == found
