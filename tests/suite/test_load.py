import shutil
from pathlib import Path

import pytest

from agenteval.errors import InvalidInput, TaskError
from agenteval.records import AnswerContainsCheck, CommandCheck, FileContainsCheck
from agenteval.suite import LoadedTask, Wrong, load_suite


def test_everything_of_a_task_is_found(bench):
    folder = bench.task(keys='title = "Mend"\ncategory = "debug"')
    bench.write("one/hidden/test/a.sh", "exit 0")
    bench.write("one/hidden/b.txt", "b")
    patch = bench.write("one/solution.patch", "diff")
    answer = bench.write("one/solution.answer.md", "42")
    bench.write("one/wrong/README.md", "why they are wrong")
    wrong = bench.write("one/wrong/half.patch", "diff")
    wrong_answer = bench.write("one/wrong/half.answer.md", "41")
    other = bench.write("one/wrong/other.answer.md", "40")

    suite = load_suite(bench.folder)

    assert (suite.name, suite.folder) == ("shop", bench.folder)
    (task,) = suite.tasks
    assert isinstance(task, LoadedTask)
    assert (task.id, task.task.title, task.task.category) == ("one", "Mend", "debug")
    assert task.folder == folder
    assert task.prompt == task.task.prompt == "Mend it."
    assert task.repo == folder / "repo"
    assert task.source is None
    assert task.hidden == ("b.txt", "test/a.sh")
    assert (task.solution_patch, task.solution_answer) == (patch, answer)
    assert task.wrong == (Wrong("half", wrong, wrong_answer), Wrong("other", None, other))
    assert len(task.digest) == 16


def test_a_bare_task_has_none_of_the_rest(bench):
    bench.task()
    (task,) = load_suite(bench.folder).tasks
    assert (task.hidden, task.wrong) == ((), ())
    assert (task.solution_patch, task.solution_answer, task.source) == (None, None, None)


def test_tasks_come_by_id_and_other_folders_are_no_tasks(bench):
    for name in ("b", "a", "c"):
        bench.task(name)
    bench.write("shared/notes.txt", "no task")
    bench.write(".git/task.toml", "no task either")
    suite = load_suite(bench.folder)
    assert [task.id for task in suite.tasks] == ["a", "b", "c"]
    assert suite.task("b").folder == bench.folder / "b"
    with pytest.raises(KeyError):
        suite.task("z")


@pytest.mark.parametrize("given", ["one", "one/task.toml"])
def test_one_task_by_its_path_takes_the_suite_beside_it(bench, given):
    bench.task("one")
    bench.task("two", "nonsense = 1")  # never read
    bench.write("suite.toml", 'name = "Shop"\n[defaults]\ntimeout_s = 7\n')
    suite = load_suite(bench.folder / given)
    assert suite.name == "Shop"
    assert suite.folder == bench.folder
    assert [(task.id, task.task.timeout_s) for task in suite.tasks] == [("one", 7)]


def test_a_relative_path_is_kept_as_an_absolute_one(bench, monkeypatch):
    bench.task()
    monkeypatch.chdir(bench.folder)
    suite = load_suite(".")
    assert suite.name == "shop"
    assert suite.tasks[0].folder == bench.folder / "one"
    assert load_suite("suite.toml" if Path("suite.toml").exists() else ".").folder == bench.folder


def test_defaults_of_the_suite_lie_under_the_tasks_keys(bench):
    bench.write(
        "suite.toml",
        """
        protected = ["ci/**"]
        [defaults]
        timeout_s = 30
        language = "python"
        tags = ["suite"]
        protected = ["docs/**"]
        env = { A = "suite", B = "suite" }
        [[defaults.checks]]
        kind = "command"
        name = "lint"
        run = "lint"
        [[defaults.checks]]
        kind = "command"
        name = "tests"
        run = "suite's tests"
        """,
    )
    own = """
        language = "shell"
        tags = ["own"]
        env = { B = "task", C = "task" }
        [[checks]]
        kind = "command"
        name = "tests"
        run = "own tests"
        [[checks]]
        kind = "answer-contains"
        text = "42"
        """
    bench.task("own", own, checks="")
    bench.task("plain", 'protected = ["a"]')
    plain, task = (
        load_suite(bench.folder).task("plain").task,
        load_suite(bench.folder).task("own").task,
    )
    assert (task.timeout_s, task.language, task.tags) == (30, "shell", ["own"])
    assert task.env == {"A": "suite", "B": "task", "C": "task"}
    assert [(check.name, getattr(check, "run", None)) for check in task.checks] == [
        ("lint", "lint"),
        ("tests", "own tests"),
        ("answer-contains 3", None),
    ]
    assert task.protected == ["docs/**", "ci/**"]
    assert plain.protected == ["a", "ci/**"]
    assert [check.name for check in plain.checks] == ["lint", "tests", "command 3"]


def test_checks_without_a_name_get_different_ones(bench):
    check = '[[checks]]\nkind = "file-contains"\npath = "{}/a.txt"\ntext = "x"\n'
    named = '[[checks]]\nkind = "file-contains"\npath = "c.txt"\nname = "file-contains a.txt 3"\ntext = "x"\n'
    bench.task(checks=check.format("x") + named + check.format("y") + check.format("z"))
    names = [check.name for check in load_suite(bench.folder).tasks[0].task.checks]
    assert len(set(names)) == 4
    assert names[:2] == ["file-contains a.txt", "file-contains a.txt 3"]


def test_the_published_json_format_loads_unchanged(bench):
    """The keys and spellings of a task.json as another project documents them."""
    bench.write(
        "pagination-off-by-one/task.json",
        """{
          "id": "pagination-off-by-one",
          "title": "Fix off-by-one errors in pagination",
          "prompt": "Users report that page 1 skips the first results ... Fix it.",
          "category": "bugfix",
          "difficulty": "easy",
          "language": "typescript",
          "requires": ["python3"],
          "timeoutMs": 600000,
          "maxCostUsd": 1,
          "setup": ["npm ci"],
          "checks": [
            { "kind": "command", "run": "node --test test/*.test.ts", "expectExit": 0 },
            { "kind": "file-contains", "path": "src/a.ts", "pattern": "ceil", "negate": false },
            { "kind": "answer-contains", "pattern": "token[ -]?bucket" }
          ],
          "hidden": ["test/hidden.test.ts"]
        }""",
    )
    bench.write("pagination-off-by-one/repo/src/a.ts", "export {}")
    bench.write("pagination-off-by-one/hidden/test/hidden.test.ts", "test()")
    (task,) = load_suite(bench.folder).tasks
    assert (task.task.timeout_s, task.task.max_cost_usd) == (600, 1)
    assert [type(check) for check in task.task.checks] == [
        CommandCheck,
        FileContainsCheck,
        AnswerContainsCheck,
    ]
    assert task.hidden == ("test/hidden.test.ts",)


def test_json_and_toml_of_the_same_task_are_the_same_task(bench, new_bench):
    bench.task(
        keys='timeout_s = 1.5\nenv = { nodeEnv = "test" }',
        checks='[[checks]]\nkind = "command"\nrun = "x"\nexpect_exit = 3\ntimeout_s = 2\n',
    )
    other = new_bench("other")
    other.write(
        "one/task.json",
        '{"$schema": "x", "timeoutMs": 1500, "env": {"nodeEnv": "test"}, "prompt": "Mend it.",'
        ' "checks": [{"kind": "command", "run": "x", "expectExit": 3, "timeoutMs": 2000}]}',
    )
    other.write("one/repo/README.md", "# A project\n")
    (one,), (two,) = load_suite(bench.folder).tasks, load_suite(other.folder).tasks
    assert one.task == two.task
    assert one.digest == two.digest
    assert one.task.env == {"nodeEnv": "test"}


def test_declared_folders_of_hidden_files_count_whole(bench):
    bench.task(keys='hidden = ["test", "./a.txt"]')
    for name in ("test/x", "test/y/z", "a.txt"):
        bench.write(f"one/hidden/{name}", name)
    assert load_suite(bench.folder).tasks[0].hidden == ("a.txt", "test/x", "test/y/z")


def test_a_source_is_resolved_from_the_suites_folder(bench):
    (bench.folder.parent / "project" / ".git").mkdir(parents=True)
    folder = bench.task(keys=f'[source]\ngit = "../project"\nrev = "{"a" * 40}"')
    shutil.rmtree(folder / "repo")
    (task,) = load_suite(bench.folder).tasks
    assert task.repo is None
    assert task.source is not None
    assert task.source.resolve() == bench.folder.parent / "project"


def test_a_link_inside_the_starting_repository_is_fine(bench):
    folder = bench.task()
    (folder / "repo" / "sub").mkdir()
    (folder / "repo" / "sub" / "LINK.md").symlink_to("../README.md")
    (folder / "repo" / "dangling").symlink_to("not/there")
    assert load_suite(bench.folder).tasks[0].repo == folder / "repo"


def test_ids_narrow_what_is_read_at_all(bench):
    bench.task("good")
    bench.task("unfinished", "nonsense = 1")
    assert [task.id for task in load_suite(bench.folder, tasks="go*").tasks] == ["good"]
    with pytest.raises(TaskError, match="nonsense"):
        load_suite(bench.folder, tasks="tag:x")
    with pytest.raises(InvalidInput, match="nearest ids: good"):
        load_suite(bench.folder, tasks="goood")


def test_the_holdout_split_is_loaded_but_not_selected_by_chance(bench):
    bench.task("kept-back", 'split = "holdout"')
    bench.task("plain")
    assert [task.id for task in load_suite(bench.folder).tasks] == ["kept-back", "plain"]
    assert [task.id for task in load_suite(bench.folder, tasks="*").tasks] == ["plain"]
    assert [task.id for task in load_suite(bench.folder / "kept-back", tasks="*").tasks] == [
        "kept-back"
    ]


def test_an_optional_judge_is_left_out_where_none_is_named(bench):
    judge = '[[checks]]\nkind = "judge"\noptional = true\nrubric = "Good."\n'
    bench.task(checks='[[checks]]\nkind = "file-exists"\npath = "a"\n' + judge)
    (bare,) = load_suite(bench.folder).tasks
    (judged,) = load_suite(bench.folder, judge={"model": "local/m"}).tasks
    assert [check.kind for check in bare.task.checks] == ["file-exists"]
    assert [check.kind for check in judged.task.checks] == ["file-exists", "judge"]
    assert bare.digest != judged.digest
