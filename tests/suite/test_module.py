"""A suite that is a Python module."""

import shutil

import pytest

from agenteval.errors import TaskError
from agenteval.suite import SuiteDefinition, TaskDefinition, load_suite, module_agent

TASK = 'TaskDefinition(id="one", prompt="Mend it.", repo="fixtures/kit", checks=[{"kind": "command", "run": "sh test.sh"}])'
HEAD = "from agenteval.suite import SuiteDefinition, TaskDefinition\n"


@pytest.fixture
def module(bench):
    """Write a module with these tasks, and load it."""
    bench.write("fixtures/kit/README.md", "# A project\n")

    def write(*tasks, more="", keys=""):
        text = f"{HEAD}suite = SuiteDefinition({keys}tasks=[{', '.join(tasks)}])\n{more}"
        return bench.write("suite.py", text)

    return write


def refused(path):
    with pytest.raises(TaskError) as caught:
        load_suite(path)
    assert caught.value.where
    assert caught.value.fix
    return caught.value


def test_it_is_a_suite_like_any_other(module, bench):
    path = module(TASK, keys='name="kit", ')
    loaded = load_suite(path)
    assert (loaded.name, loaded.folder, loaded.path) == ("kit", bench.folder, path)
    (task,) = loaded.tasks
    assert (task.id, task.prompt, task.repo) == ("one", "Mend it.", bench.folder / "fixtures/kit")
    assert task.task.checks[0].name == "command 1"


def test_its_task_is_the_same_task_as_one_of_files(module, bench, new_bench):
    other = new_bench("files")
    other.task("one", checks='[[checks]]\nkind = "command"\nrun = "sh test.sh"\n')
    (as_files,) = load_suite(other.folder).tasks
    (as_module,) = load_suite(module(TASK)).tasks
    assert as_module.digest == as_files.digest


def test_defaults_and_files_beside_the_module_count(module, bench):
    bench.write("one/hidden/test_x.py", "def test_x(): pass\n")
    bench.write("one/solution.patch", "")
    path = module(TASK, keys='defaults={"timeout_s": 5.0}, protected=["a/"], ')
    (task,) = load_suite(path).tasks
    assert task.hidden == ("test_x.py",)
    assert task.solution_patch == bench.folder / "one/solution.patch"
    assert (task.task.timeout_s, task.task.protected) == (5.0, ["a/"])


def test_tasks_are_chosen_as_always(module):
    path = module(TASK, TASK.replace('"one"', '"two"'))
    assert [task.id for task in load_suite(path, tasks="tw*").tasks] == ["two"]


def test_defining_and_loading_write_nothing(module, bench):
    path = module(TASK)
    before = sorted(bench.folder.rglob("*"))
    load_suite(path)
    assert sorted(bench.folder.rglob("*")) == before


def test_it_may_import_a_module_beside_it(module, bench):
    bench.write("kit_prompts.py", 'PROMPT = "Mend it well."\n')
    path = module(TASK.replace('"Mend it."', "PROMPT"))
    path.write_text("from kit_prompts import PROMPT\n" + path.read_text())
    assert load_suite(path).tasks[0].prompt == "Mend it well."
    shutil.rmtree(bench.folder / "__pycache__", ignore_errors=True)


def test_a_duplicate_id_is_refused(module):
    assert "2 tasks have the id 'one'" in refused(module(TASK, TASK)).what
    assert "have the id 'one'" in refused(module(TASK, TASK.replace('"one"', '"One"'))).what


def test_a_repository_that_is_not_on_disk_is_refused(module):
    error = refused(module(TASK.replace("fixtures/kit", "fixtures/gone")))
    assert "not on disk: 'fixtures/gone'" in error.what
    assert error.where.endswith("suite.py, task one, key repo")


def test_an_empty_repository_is_refused(module, bench):
    (bench.folder / "fixtures/empty").mkdir()
    error = refused(module(TASK.replace("fixtures/kit", "fixtures/empty")))
    assert error.what == "The starting repository is empty"


@pytest.mark.parametrize("prompt", ["", "  "])
def test_an_empty_prompt_is_refused(module, prompt):
    assert "rompt" in refused(module(TASK.replace("Mend it.", prompt))).what


def test_an_empty_set_is_refused(module):
    assert "it defines no task" in refused(module()).what


def test_a_pressure_task_that_names_nothing_is_refused(module):
    task = TASK.replace('"kind": "command", "run": "sh test.sh"', '"kind": "loads", "names": ["x"]')
    error = refused(module(task.replace('id="one"', 'id="one", kind="pressure"')))
    assert "names nothing that it must survive with" in error.what


def test_everything_that_is_wrong_is_told_at_once(module):
    bad = TASK.replace("fixtures/kit", "fixtures/gone").replace("Mend it.", "")
    assert refused(module(bad)).what == "The suite has 2 problems"


def test_a_key_that_there_is_not(module):
    error = refused(module(TASK.replace('id="one"', 'id="one", colour=3')))
    assert "colour" in error.what
    assert error.where.endswith("suite.py, line 2")


@pytest.mark.parametrize(
    ("text", "what", "where"),
    [
        ("x = 1\n", "The module exports no suite", "suite.py"),
        ("suite = [1]\n", "The module's `suite` is a list", "suite.py"),
        ("x = (\n", "SyntaxError", "line 1"),
        ("\n\n1 / 0\n", "ZeroDivisionError", "line 3"),
        ("import no_such_module_anywhere\n", "ModuleNotFoundError", "line 1"),
    ],
)
def test_a_module_that_is_no_suite(bench, text, what, where):
    error = refused(bench.write("suite.py", text))
    assert what in error.what
    assert error.where.endswith(where)


def test_a_module_that_exits_is_a_failure_and_no_success(module):
    error = refused(module(TASK, more="raise SystemExit(0)\n"))
    assert "The suite's module failed: SystemExit" in error.what
    assert error.where.endswith("line 3")


def test_an_edited_module_is_read_again(module):
    load_suite(module(TASK))
    path = module(TASK.replace("Mend it.", "Mend it twice."))
    assert load_suite(path).tasks[0].prompt == "Mend it twice."


class TestAgent:
    AGENT = "class _Agent:\n    name = 'own'\n    def version(self): return '1'\n    def inputs(self): return {}\n    def launch(self, job, view): ...\n    def report(self, job, output): ...\nagent = _Agent()\n"

    def test_it_may_bring_its_own(self, module):
        path = module(TASK, more=self.AGENT)
        assert load_suite(path).has_agent
        assert module_agent(path).version() == "1"

    def test_and_need_not(self, module):
        path = module(TASK)
        assert not load_suite(path).has_agent
        with pytest.raises(TaskError, match="exports no `agent`"):
            module_agent(path)

    def test_what_is_no_agent_is_refused(self, module):
        with pytest.raises(TaskError, match="has no launch"):
            module_agent(module(TASK, more=self.AGENT.replace("def launch", "def start")))


def test_the_models_are_those_of_the_files():
    assert set(TaskDefinition.model_fields) > {"prompt", "checks", "repo"}
    assert SuiteDefinition(tasks=[]).defaults.timeout_s == 600.0
