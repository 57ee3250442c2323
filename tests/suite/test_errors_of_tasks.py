"""Every way in which a suite can be wrong, one test each; all errors have three parts."""

import os
import shutil

import pytest

from agenteval.errors import TaskError
from agenteval.suite import load_suite

CHECK = '[[checks]]\nkind = "command"\nrun = "x"\n'


@pytest.mark.parametrize(
    ("keys", "checks", "what", "key", "fix"),
    [
        ("timout_s = 3", CHECK, "`timout_s` is not a key of a task", "timout_s", "write `timeout_s`"),
        ("timeOutMs = 3", CHECK, "`timeOutMs` is not a key of a task", "timeOutMs", "write `timeoutMs`"),
        ("", CHECK + CHECK + "expct_exit = 1\n", "`expct_exit` is not a key of a command check", "checks[1].expct_exit", "write `expect_exit`"),
        ("", CHECK + "expctExit = 1\n", "`expctExit` is not a key of a command check", "checks[0].expctExit", "write `expectExit`"),
        ("", CHECK + "zzz = 1\n", "`zzz` is not a key", "checks[0].zzz", "use name, weight, kind, run"),
        ("", CHECK + '[environment]\nbuild = ["x"]\nhidden = ["a"]\n', "`hidden` is not a key of `environment`", "environment.hidden", "move it above the first line in [brackets]"),
        ("timeout_s = '5'", CHECK, "`timeout_s` is '5'", "timeout_s", "write a number"),
        ("timeoutMs = true", CHECK, "`timeoutMs` is True", "timeoutMs", "write a number"),
        ("timeoutMs = -5", CHECK, "`timeoutMs` is -5", "timeoutMs", "greater than 0"),
        ("timeout_s = inf", CHECK, "`timeout_s` is inf", "timeout_s", "finite number"),
        ("max_turns = 1.5", CHECK, "`max_turns` is 1.5", "max_turns", "write a whole number"),
        ("memory_mb = 1", CHECK, "`memory_mb` is 1", "memory_mb", "at least 16"),
        ("network = 'yes'", CHECK, "`network` is 'yes'", "network", "write true or false"),
        ("setup = 'npm ci'", CHECK, "`setup` is 'npm ci'", "setup", "write a list"),
        ("env = { A = 1 }", CHECK, "`env.A` is 1", "env.A", "write a text in quotes"),
        ("category = 'bugfx'", CHECK, "`category` is 'bugfx'", "category", "nearest: 'bugfix'"),
        ("id = 'a b'", CHECK, "`id` is 'a b'", "id", "letters, digits"),
        ("", "[[checks]]\nkind = 'judge'\nrubric = ' '", "`checks[0].rubric` is ' '", "checks[0].rubric", "not blank"),
        ("", '[[checks]]\nrun = "x"\n', "The check has no `kind`", "checks[0].kind", "set kind to command, hidden-tests, suite, lint"),
        ("", '[[checks]]\nkind = "comand"\n', "The check has the unknown kind 'comand'", "checks[0].kind", "write kind = 'command'"),
        ("", '[[checks]]\nkind = "command"\n', "The key `run` of a command check is missing", "checks[0].run", "add it"),
        ("", '[[checks]]\nkind = "answer-contains"\n', "needs exactly one of `text` and `pattern`", "checks[0]", "give one of the two"),
        ("", '[[checks]]\nkind = "answer-contains"\npattern = "("\n', "is not a regular expression", "checks[0].pattern", "mend the expression"),
        ("", '[[checks]]\nkind = "answer-contains"\ntext = ""\n', "checks nothing", "checks[0]", "write what must be found"),
        ("", '[[checks]]\nkind = "file-contains"\npath = "/etc/passwd"\ntext = "x"\n', "Path '/etc/passwd' leaves the folder", "checks[0].path", "relative path"),
        ("", '[[checks]]\nkind = "file-contains"\npath = "a/../../b"\ntext = "x"\n', "leaves the folder", "checks[0].path", "relative path"),
        ("", CHECK + 'cwd = ".."\n', "leaves the folder", "checks[0].cwd", "relative path"),
        ("hidden = ['../repo/README.md']", CHECK, "leaves the folder", "hidden", "relative path"),
        ("protected = ['/x']", CHECK, "leaves the folder", "protected", "relative path"),
        ("environment = { build = [] }", CHECK, "`environment.build` is []", "environment.build", "at least 1 entry"),
        ("environment = { build = ['x'], key = ['../a'] }", CHECK, "leaves the folder", "environment.key", "relative path"),
        ("timeout_s = 1\ntimeoutMs = 1000", CHECK, "`timeout_s` and `timeoutMs` are the same key", "timeout_s", "keep one"),
        ("", "", "The task has no checks", "checks", "add a [[checks]]"),
        ("", (CHECK + "name = 'x'\n") * 2, "2 checks have the name 'x'", "checks", "a name of its own"),
        ("id = 'two'", CHECK, "The id 'two' differs from the folder's name 'one'", "id", "rename the folder to 'two', or write id = 'one'"),
        ("prompt = 'Do it'", CHECK, "two prompts", "prompt", "keep one"),
        ("hidden = ['a']", CHECK, "The hidden file 'a' is missing", "hidden", "put it at"),
        ("image = ''", CHECK, "`image` is ''", "image", "with a letter or digit first"),
        ("image = '--privileged'", CHECK, "`image` is '--privileged'", "image", "with a letter or digit first"),
        ("environment = { network = true }", CHECK, "[environment] builds nothing", "environment.build", "add environment/Dockerfile"),
    ],
)  # fmt: skip
def test_a_key_that_is_wrong_is_named_with_its_value_and_the_way_out(
    bench, keys, checks, what, key, fix
):
    bench.task(keys=keys, checks=checks)
    error = bench.problem()
    assert what in error.what
    assert error.where.endswith(f"one/task.toml, key {key}")
    assert fix in error.fix


def test_values_that_are_carried_out_are_not_refused(bench):
    bench.task(keys="kind = 'task'\non_judge_error = 'zero'")
    assert load_suite(bench.folder).tasks[0].task.kind == "task"


@pytest.mark.parametrize(
    "git", ["https://host.example/a.git", "git@host.example:a/b.git", "ssh://host.example/a"]
)
def test_a_source_on_another_machine_is_refused(bench, git):
    folder = bench.task(keys=f'[source]\ngit = "{git}"\nrev = "{"a" * 40}"')
    shutil.rmtree(folder / "repo")
    assert "not supported by this version" in str(bench.problem())


def test_all_problems_of_a_suite_come_at_once(bench):
    bench.write("suite.toml", 'protectd = ["a"]\n')
    bench.task("one", "timout_s = 3\nmax_turns = 'x'")
    bench.task("two", 'id = "t')
    error = bench.problem()
    assert error.what == "The suite has 4 problems"
    for part in (
        "suite.toml, key protectd",
        "one/task.toml, key timout_s",
        "one/task.toml, key max_turns",
        "two/task.toml, line 1",
    ):
        assert part in error.where
    assert error.where.count("; fix: ") == 4


def test_all_problems_of_several_folders_come_at_once(bench):
    bench.task("one", checks="")
    (bench.task("two") / "prompt.md").unlink()
    shutil.rmtree(bench.task("three") / "repo")
    error = bench.problem()
    assert error.what == "The suite has 3 problems"
    for part in ("no checks", "no prompt", "not on disk"):
        assert part in error.where


@pytest.mark.parametrize(
    ("file", "text", "where", "what"),
    [
        ("one/task.toml", 'id = "one\n', "one/task.toml, line 1, column 10", "not valid TOML"),
        ("one/task.toml", "a = 1\na = 2\n", "one/task.toml, line 2", "not valid TOML"),
        ("one/task.toml", b'title = "\xff"', "one/task.toml", "not UTF-8"),
        ("suite.toml", "name = shop\n", "suite.toml, line 1", "not valid TOML"),
    ],
)
def test_a_syntax_error_has_its_line(bench, file, text, where, what):
    bench.task()
    bench.write(file, text)
    error = bench.problem()
    assert what in error.what
    assert where in error.where


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('{"title": "x",\n "tags": [1,]}', "task.json, line 2", "not valid JSON"),
        ('{"title": "x", "title": "y"}', "task.json", "'title' is given twice"),
        ("[]", "task.json", "no JSON object"),
        (r'{"prompt": "\ud800"}', "task.json", "half a character"),
    ],
)
def test_a_json_error_has_its_line(bench, text, where, what):
    (bench.task() / "task.toml").unlink()
    bench.write("one/task.json", text)
    error = bench.problem()
    assert what in error.what
    assert where in error.where


def test_two_files_of_one_task(bench):
    bench.task()
    bench.write("one/task.json", "{}")
    error = bench.problem()
    assert "Both task.toml and task.json" in error.what
    assert error.where.endswith("one")


def test_no_suite(bench):
    error = bench.problem(bench.folder / "nowhere")
    assert "does not exist" in error.what
    assert error.where.endswith("nowhere")
    file = bench.write("notes.txt", "x")
    assert "this is a file" in bench.problem(file).what


def test_an_empty_suite(bench):
    assert "The suite is empty" in bench.problem().what
    bench.write("tasks/one/task.toml", "")
    assert bench.problem().fix.endswith("tasks, which holds tasks")


def test_a_folder_that_looks_like_a_task(bench):
    bench.task()
    bench.write("two/prompt.md", "Mend it")
    error = bench.problem()
    assert "has no task.toml" in error.what
    assert error.where.endswith("two")


@pytest.mark.parametrize("prompt", ["", " \n\t\n"])
def test_an_empty_prompt(bench, prompt):
    bench.task()
    file = bench.write("one/prompt.md", prompt)
    error = bench.problem()
    assert error.what == "The prompt is empty"
    assert error.where.endswith("one/prompt.md")
    file.unlink()
    assert bench.problem().what == "The task has no prompt"
    bench.task(keys='prompt = " "')
    file.unlink()
    assert bench.problem().what == "The prompt is empty"


def test_no_starting_repository(bench):
    shutil.rmtree(bench.task() / "repo")
    error = bench.problem()
    assert error.what == "The starting repository is not on disk"
    assert error.where.endswith("one/repo")
    (bench.folder / "one" / "repo").mkdir()
    assert bench.problem().what == "The starting repository is empty"
    (bench.folder / "one" / "repo").rmdir()
    bench.write("one/repo", "a file")
    assert bench.problem().what == "repo is not a folder"


@pytest.mark.parametrize(
    ("git", "rev", "what", "key"),
    [
        ("../nowhere", "a" * 40, "not on disk: '../nowhere'", "source.git"),
        ("..", "a" * 40, "is no git repository", "source.git"),
        ("../project", "main", "may point to another commit tomorrow", "source.rev"),
    ],
)
def test_a_source_that_cannot_be_used(bench, git, rev, what, key):
    (bench.folder.parent / "project" / ".git").mkdir(parents=True)
    shutil.rmtree(bench.task(keys=f'[source]\ngit = "{git}"\nrev = "{rev}"') / "repo")
    error = bench.problem()
    assert what in error.what
    assert error.where.endswith(f"one/task.toml, key {key}")


def test_two_starting_repositories(bench):
    (bench.folder.parent / "project" / ".git").mkdir(parents=True)
    bench.task(keys=f'[source]\ngit = "../project"\nrev = "{"a" * 40}"')
    assert "two starting repositories" in bench.problem().what


def test_a_hidden_file_that_is_not_declared(bench):
    bench.task(keys='hidden = ["a"]')
    bench.write("one/hidden/a", "a")
    bench.write("one/hidden/sub/b", "b")
    error = bench.problem()
    assert error.what == "'sub/b' lies in hidden/ and is not declared"
    assert "add it to `hidden`" in error.fix
    assert "or delete the file" in error.fix


def test_no_hidden_file_is_declared_but_one_is_there(bench):
    bench.task(keys="hidden = []")
    bench.write("one/hidden/a", "a")
    assert "is not declared" in bench.problem().what


def test_a_missing_hidden_file_has_a_near_one(bench):
    bench.task(keys='hidden = ["test/hiden.py"]')
    bench.write("one/hidden/test/hidden.py", "a")
    error = bench.problem()
    assert error.what == "The suite has 2 problems"
    assert "The hidden file 'test/hiden.py' is missing" in error.where
    assert "nearest there: 'test/hidden.py'" in error.where


def test_hidden_is_a_file(bench):
    bench.task()
    bench.write("one/hidden", "a")
    assert bench.problem().what == "hidden is not a folder"


def test_a_hidden_file_that_is_a_link(bench):
    bench.task()
    bench.write("one/hidden/a", "a")
    (bench.folder / "one/hidden/b").symlink_to("a")
    error = bench.problem()
    assert "A hidden file is a symbolic link" in error.what
    assert error.where.endswith("one/hidden/b")


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../two/task.toml", "../hidden/secret", "sub/../../hidden/secret"]
)
def test_a_link_in_the_starting_repository_that_leaves_it(bench, target):
    folder = bench.task()
    bench.write("one/hidden/secret", "the answer")
    (folder / "repo/sub").mkdir()
    (folder / "repo/link").symlink_to(target)
    error = bench.problem()
    assert f"points to {target!r}" in error.what
    assert error.where.endswith("one/repo/link")


def test_a_link_that_leaves_by_way_of_another(bench):
    folder = bench.task()
    (folder / "repo/a").mkdir()
    (folder / "repo/a/up").symlink_to("..")
    (folder / "repo/b").symlink_to("a/up/../task.toml")
    assert "leaves its folder" in bench.problem().what


@pytest.mark.parametrize(
    "name", ["repo", "hidden", "prompt.md", "solution.patch", "wrong", "wrong/a.patch"]
)
def test_a_part_of_a_task_that_is_a_link_to_elsewhere(bench, new_bench, name):
    elsewhere = new_bench("elsewhere")
    elsewhere.write("a.patch", "x")
    bench.task()
    path = bench.folder / "one" / name
    path.parent.mkdir(exist_ok=True)
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)
    path.symlink_to(elsewhere.folder if "." not in name else elsewhere.folder / "a.patch")
    error = bench.problem()
    assert f"{name} is a symbolic link that leaves the task folder" in str(error)


def test_a_history_in_the_starting_repository(bench):
    bench.task()
    bench.write("one/repo/.git/HEAD", "ref: refs/heads/main")
    error = bench.problem()
    assert ".git" in error.what
    assert "[source]" in error.fix


def test_a_pipe_in_the_starting_repository(bench):
    os.mkfifo(bench.task() / "repo/pipe")
    assert "pipe" in bench.problem().what


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(bench):
    (bench.task() / "repo/README.md").chmod(0)
    assert "cannot be read" in bench.problem().what


def test_a_wrong_solution_with_another_ending(bench):
    bench.task()
    bench.write("one/wrong/half.diff", "x")
    error = bench.problem()
    assert error.what == "'half.diff' is no wrong solution"
    assert "*.patch" in error.fix


def test_ids_that_differ_in_case_only(bench):
    bench.task("one")
    bench.task("One")
    error = bench.problem()
    assert "same id but for upper and lower case: 'One' and 'one'" in error.what


def test_a_suite_with_doubled_default_checks(bench):
    bench.task()
    check = "[[defaults.checks]]\nkind = 'command'\nname = 'x'\nrun = 'x'\n"
    bench.write("suite.toml", check * 2)
    error = bench.problem()
    assert "2 checks have the name 'x'" in error.what
    assert error.where.endswith("suite.toml, key defaults.checks")


def test_a_broken_suite_file_blames_no_task_for_what_it_would_have_given(bench):
    bench.task(checks="")
    bench.write("suite.toml", "name = 3\n[[defaults.checks]]\nkind = 'command'\nrun = 'x'\n")
    error = bench.problem()
    assert error.what == "`name` is 3"


def test_where_is_relative_below_the_current_folder(bench, monkeypatch):
    bench.task(keys="timout_s = 3")
    monkeypatch.chdir(bench.folder.parent)
    with pytest.raises(TaskError) as caught:
        load_suite("shop")
    assert caught.value.where == "shop/one/task.toml, key timout_s"
