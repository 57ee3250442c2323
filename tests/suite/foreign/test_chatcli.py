"""ChatCLI's YAML suites: cases with checks of one kind each, defaults, fixtures and inline files."""

import pytest

from agenteval.errors import ForeignFormatError
from agenteval.suite import load_suite
from agenteval.suite.foreign import ImportedTasks
from agenteval.suite.foreign.writing import place, stage, staged_beside

SUITE = """\
name: starter
description: What everybody should manage.
judge: {provider: local, model: tiny}
defaults:
  timeout: 1m30s
  trials: 3
  env: {MODE: plain, LEVEL: "1"}
  setup: ["true"]
  policy: [{pattern: "@coder exec", action: allow}]
  checks:
    - {not_regex: "as an AI model", ignore_case: true}
cases:
  - id: mend-sum
    description: Mend a sum
    tags: [shell]
    mode: coder
    prompt: The sum in sum.sh is wrong, please mend it.
    fixture: fixtures/sum
    files: {notes.txt: "be quick\\n"}
    env: {LEVEL: "2"}
    setup: [test -f notes.txt]
    pass_policy: majority
    checks:
      - {name: adds, command: {run: "sh sum.sh 2 3; echo done >&2", contains: "5\\ndone", timeout: 20s}, weight: 3}
      - {file_contains: {path: sum.sh, text: "+"}}
      - {file_regex: {path: sum.sh, text: "^echo"}}
      - {file_exists: notes.txt}
      - {file_absent: sum.bak}
      - {max_duration: 60}
  - id: say-json
    prompt: Say the capital of France as JSON with the key city.
    checks:
      - {json: {require_keys: [city]}}
      - {contains: paris, ignore_case: true, weight: 0}
      - {not_contains: London}
      - {regex: "^\\\\{.*\\\\}$"}
  - id: judged
    prompt: Explain the moon.
    skip: no judge here
    checks:
      - {judge: {rubric: It is right., reference: A rock., threshold: 0.5, samples: 3}}
      - {equals: "A rock."}
      - {tool_called: "@coder read"}
      - {tool_not_called: "@coder write"}
      - {max_turns: 4}
      - {max_cost_usd: 0.5}
"""
WRONG, RIGHT = "echo $(($1 - $2))\n", "echo $(($1 + $2))\n"


def chat(made, folder, text=SUITE, name="core.yaml"):
    made.write(
        folder, {name: text, "fixtures/sum/sum.sh": WRONG, "fixtures/more.yaml": "not: a suite\n"}
    )
    return folder


def test_cases_are_real_tests_once_they_have_a_reference(tmp_path, convert, come_to, made):
    """The format has none, so it is written here, as its author would."""
    done = convert("chatcli", chat(made, tmp_path / "theirs"))
    assert [task.task_id for task in done.tasks] == ["mend-sum", "say-json", "judged"]
    mend, say, _ = done.folders
    made.repository(tmp_path / "work", {"sum.sh": WRONG, "notes.txt": "be quick\n"})
    made.write(mend, {"solution.patch": made.difference(tmp_path / "work", {"sum.sh": RIGHT})})
    made.write(mend, {"solution.answer.md": "It adds now.\n"})
    made.write(say, {"solution.answer.md": '{"city": "Paris"}\n'})
    for name in ("mend-sum", "say-json"):
        assert come_to(name) == {"untouched": "fail", "noop": "fail", "reference": "pass"}


def test_every_kind_of_check_and_the_defaults_come_over(tmp_path, convert, made):
    convert("chatcli", chat(made, tmp_path / "theirs"))
    suite = load_suite(tmp_path / "evals")
    mend, say, judged = (suite.task(name).task for name in ("mend-sum", "say-json", "judged"))
    assert (mend.env, mend.setup, mend.timeout_s, mend.pass_policy) == ({"MODE": "plain", "LEVEL": "2"}, ["true", "test -f notes.txt"], 90, "majority")  # fmt: skip
    assert (mend.title, mend.tags, mend.category) == ("Mend a sum", ["shell", "mode-coder"], "feature")  # fmt: skip
    kinds = [check.kind for check in mend.checks]
    assert kinds == ["command", "file-contains", "file-matches", "file-exists", "file-absent", "max-duration-s", "answer-matches"]  # fmt: skip
    command, default = mend.checks[0], mend.checks[-1]
    assert (command.name, command.weight, command.timeout_s) == ("adds", 3, 20)
    assert command.run.endswith("2>&1")
    assert (default.negate, default.ignore_case, default.pattern) == (True, True, "as an AI model")
    assert mend.checks[2].pattern == r"\Aecho"
    json_, contains, absent, regex, _ = say.checks
    assert (json_.require_keys, contains.ignore_case, contains.weight) == (["city"], True, 1)
    assert (absent.negate, regex.pattern) == (True, r"\A\{.*\}\s*\Z")
    assert (judged.skip, judged.category) == ("no judge here", "explain")
    judge, equals, used, unused, turns, cost, _ = judged.checks
    assert (judge.model, judge.threshold, judge.samples, judge.reference) == ("local/tiny", 0.5, 3, "A rock.")  # fmt: skip
    assert (equals.text, used.tool, unused.tool) == ("A rock.", "@coder read", "@coder write")
    assert (turns.max, cost.max) == (4, 0.5)


def test_what_does_not_carry_over_is_listed(tmp_path, convert, made):
    mend, say, judged = convert("chatcli", chat(made, tmp_path / "theirs"), dry_run=True).tasks
    told = {(note.key, note.what) for note in mend.notes}
    assert told >= {("mode", "changed"), ("trials", "dropped"), ("policy", "dropped"), ("suite description", "dropped"), ("checks[0].command", "changed"), ("checks[2].file_regex", "changed")}  # fmt: skip
    assert "--repeat 3" in next(note.why for note in mend.notes if note.key == "trials")
    assert ("fixture", "changed") in {(note.key, note.what) for note in say.notes}
    changed = {note.key for note in judged.notes if note.what == "changed"}
    assert {"checks[0].judge", "checks[2].tool_called", "checks[4].max_turns"} <= changed
    assert not (tmp_path / "evals").exists()


def test_scalars_are_what_their_fields_make_of_them(tmp_path, convert, made):
    text = SUITE.replace(
        "{not_contains: London}",
        "{not_contains: no}\n      - {contains: 0042}\n      - {contains: true}",
    )
    text = text.replace('LEVEL: "2"', "LEVEL: 2").replace("files: {", "files: &more {", 1)
    convert("chatcli", chat(made, tmp_path / "theirs", text + "    files: {<<: *more}\n"))
    suite = load_suite(tmp_path / "evals")
    assert [check.text for check in suite.task("say-json").task.checks[2:5]] == ["no", "0042", "true"]  # fmt: skip
    assert suite.task("mend-sum").task.env["LEVEL"] == "2"
    assert (tmp_path / "evals/judged/repo/notes.txt").read_text() == "be quick\n"


def test_two_suites_may_use_the_same_ids(tmp_path, convert, made):
    theirs = chat(made, tmp_path / "theirs")
    chat(made, theirs, SUITE.replace("name: starter\n", ""), "other.yml")
    names = [task.task_id for task in convert("chatcli", theirs).tasks]
    assert names[0] == "starter-mend-sum"
    assert names[-1] == "other-judged"
    assert len(load_suite(tmp_path / "evals").tasks) == 6


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("    tags: [shell]", "    tagz: [shell]", "tagz"),
        ("cases:", "cases: []\nother:", "cases"),
        ("timeout: 1m30s", "timeout: soon", "timeout"),
        ("trials: 3", "trials: 21", "defaults.trials"),
        ("id: say-json", "id: mend-sum", "id"),
        ("id: say-json", "id: a/b", "id"),
        ("fixture: fixtures/sum", "fixture: ../sum", "fixture"),
        ("fixture: fixtures/sum", "fixture: fixtures/gone", "fixture"),
        ("notes.txt: \"be", "../notes.txt: \"be", "files"),
        ("{not_contains: London}", "{not_contains: London, contains: Paris}", "checks[2]"),
        ("{not_contains: London}", "{name: nothing}", "checks[2]"),
        ("{not_contains: London}", "{has: London}", "checks[2].has"),
        ("{not_contains: London}", "{not_contains: London, weight: -1}", "checks[2].weight"),
        ("{not_contains: London}", "{regex: '(', name: x}", "checks[2].regex"),
        ("samples: 3", "samples: 6", "checks[0].judge.samples"),
        ("mode: coder", "mode: coder\n    mode: chat", "(file)"),
        ("mode: coder", "mode: [", "(file)"),
        ("file_exists: notes.txt", "file_exists: /etc/passwd", "(task)"),
    ],
)  # fmt: skip
def test_a_malformed_suite_is_named(tmp_path, convert, old, new, field, made):
    theirs = chat(made, tmp_path / "theirs", SUITE.replace(old, new, 1))
    with pytest.raises(ForeignFormatError) as caught:
        convert("chatcli", theirs)
    assert f"field {field}" in caught.value.where, caught.value.where
    assert "core.yaml" in caught.value.where
    assert not (tmp_path / "evals").exists()


@pytest.mark.parametrize(
    ("bad", "field"),
    [("{has: London}", "checks[2].has"), ("{file_exists: ../x}", "(task)")],
)
def test_the_good_ones_may_be_kept(tmp_path, convert, made, bad, field):
    text = SUITE.replace("{not_contains: London}", bad)
    done = convert("chatcli", chat(made, tmp_path / "theirs", text), skip_bad=True)
    assert isinstance(done, ImportedTasks)
    assert [path.name for path in done.folders] == ["mend-sum", "judged"]
    ((where, _),) = done.skipped
    assert f"case say-json, field {field}" in where
    assert load_suite(tmp_path / "evals").tasks[0].id == "judged"


def test_nothing_is_written_through_a_link(tmp_path, convert, made):
    theirs = chat(made, tmp_path / "theirs", SUITE.replace("notes.txt: ", "out/notes.txt: "))
    (theirs / "fixtures/sum/out").symlink_to(tmp_path)
    with pytest.raises(ForeignFormatError, match="through a link"):
        convert("chatcli", theirs)
    assert not (tmp_path / "notes.txt").exists()


def test_when_one_cannot_be_placed_none_is(tmp_path, convert, made):
    done = convert("chatcli", chat(made, tmp_path / "theirs"), dry_run=True)
    with staged_beside(tmp_path / "mine") as staging:
        stage(done.tasks[0], staging)
        with pytest.raises(FileNotFoundError):
            place(done.tasks[:2], staging, tmp_path / "mine")
        assert (staging / "mend-sum/task.toml").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["theirs"]
