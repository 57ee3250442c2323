"""`regrade`, `grade`, `void`: graded again, graded without an agent, left out; and how that is told."""

import json
import shutil

import pytest

RUN = ("run", "--agent", "scripted:reference", "--agent", "scripted:noop", "--agent", "scripted:wrong:other", "--run-id", "first")  # fmt: skip
STRICT, LENIENT = "cmp app.txt expected.txt", "! grep -q helo app.txt"


def loosen(suite, task="greeting"):
    path = suite / task / "task.toml"
    path.write_text(path.read_text().replace(STRICT, LENIENT))


def trial_of(cli, arm, task="greeting"):
    rows = cli("sql", "select * from trials where arm = $arm and task_id = $task", "-p", f"arm={arm}", "-p", f"task={task}", "--json").json  # fmt: skip
    assert len(rows) == 1
    return rows[0]


class TestRegrade:
    @pytest.fixture
    def ran(self, cli, suite):
        assert cli(*RUN).code == 0
        return suite

    def test_it_shows_what_changed_and_readers_see_it_at_once(self, cli, ran):
        loosen(ran)
        look = cli("regrade", "first", "--dry-run", "--json")
        assert (look.code, look.json["written"], len(look.json["changed"])) == (0, False, 1)
        (checks,) = [each["checks"] for each in look.json["checks_changed"]]
        assert checks == {"greeting": ["failed", "passed"]}
        assert trial_of(cli, "scripted:wrong:other")["grading"] == 1
        done = cli("regrade", "first")
        assert done.code == 0
        assert "scripted:wrong:other" in done.out
        assert "greeting: failed -> passed" in done.out
        assert "run first: 6 stored results graded again; 1 trial counts otherwise" in done.out
        assert "greeting: how it is graded changed since the run" in done.err
        row = trial_of(cli, "scripted:wrong:other")
        assert (row["status"], row["grading"], row["attempts"]) == ("pass", 2, 1)
        assert cli("sql", "select count(*) n from checks", "--json").json == [{"n": 6}]
        shown = cli("show", row["trial_id"])
        assert "grading       2" in shown.out
        status = cli("status", "--json").json
        assert (status["regraded"], status["done"], status["state"]) == (6, 6, "complete")
        assert "outcome from a regrade: 6 trials" in cli("status").out
        assert cli("validate", "--tasks", "farewell", "--repeat", 1).code == 0

    def test_twice_the_same_says_so(self, cli, ran):
        before = cli("sql", "select trial_id, status, score from trials order by trial_id", "--json").json  # fmt: skip
        for _ in range(2):
            done = cli("regrade", "first")
            assert (done.code, done.err.count("note:")) == (0, 0)
            assert done.out.rstrip().endswith("6 stored results graded again; no verdict changed")
        after = cli("sql", "select trial_id, status, score from trials order by trial_id", "--json").json  # fmt: skip
        assert after == before
        board = cli(*RUN, "--json").json
        assert (board["held_before"], board["written"]) == (6, 0)

    def test_rates_before_and_after_by_arm(self, cli, ran):
        loosen(ran)
        arms = {arm["arm"]: arm for arm in cli("regrade", "first", "--json").json["arms"]}
        wrong = arms["scripted:wrong:other"]
        assert (wrong["rate_before"], wrong["rate_after"]) == (0.0, 0.5)
        assert (wrong["trials_before"], wrong["trials_after"]) == (2, 2)
        assert arms["scripted:reference"]["rate_after"] == 1.0

    def test_a_check_that_disagrees_with_itself(self, cli, suite, tmp_path):
        (tmp_path / "n").write_text("0")
        path = suite / "greeting/task.toml"
        flaky = f"n=$(cat {tmp_path}/n); echo $((n+1)) > {tmp_path}/n; test $((n % 2)) = 0"
        path.write_text(path.read_text().replace(STRICT, flaky))
        cli("run", "--agent", "scripted:noop", "--run-id", "first", "--no-sandbox")
        done = cli("regrade", "first", "--times", 4, "--no-sandbox", "--concurrency", 1)
        assert done.code == 1
        assert "2 x passed, 2 x failed" in done.out.replace("2 x failed, 2 x passed", "2 x passed, 2 x failed")  # fmt: skip
        report = cli("regrade", "first", "--times", 2, "--no-sandbox", "--concurrency", 1, "--json")
        assert report.code == 1
        (unsteady,) = report.json["unsteady"]
        assert (unsteady["task_id"], unsteady["check"]) == ("greeting", "greeting")
        assert unsteady["verdicts"] == {"passed": 1, "failed": 1}
        assert trial_of(cli, "scripted:noop")["grading"] == 1
        assert trial_of(cli, "scripted:noop", "farewell")["grading"] == 3

    def test_work_that_is_gone_is_named(self, cli, ran):
        row = trial_of(cli, "scripted:noop")
        patch = f".agenteval/store/runs/first/artifacts/{row['trial_id']}/attempt-1/patch.diff"
        __import__("pathlib").Path(patch).unlink()
        done = cli("regrade", "first")
        assert done.code == 1
        assert (
            f"{row['trial_id']} (greeting, scripted:noop, repeat 1): its patch is not" in done.err
        )
        assert "5 stored results" in done.out

    def test_nothing_to_grade(self, cli, suite):
        for task in ("greeting", "farewell"):
            path = suite / task / "task.toml"
            path.write_text(path.read_text().replace("[[checks]]", 'setup = ["exit 3"]\n[[checks]]'))  # fmt: skip
        cli("run", "--agent", "scripted:noop", "--run-id", "first", "--retries", 0)
        done = cli("regrade", "first")
        assert done.code == 2
        assert "2 trials not graded again: it has no work: setup_failed" in done.err

    def test_mistakes(self, cli, ran, tmp_path):
        for arguments, says in (
            (("regrade", "fist"), "no run 'fist'"),
            (("regrade", "first", "--tasks", "none"), "No task matches"),
            (("regrade", "first", "--times", 0), "at least 1"),
            (("regrade", "first", "--suite", tmp_path / "nowhere"), "nowhere"),
        ):
            done = cli(*arguments)
            assert done.code == 2, arguments
            assert says in done.err
            assert done.err.startswith("error: ")

    def test_what_people_left_out_stays_so(self, cli, ran):
        row = trial_of(cli, "scripted:wrong:other")
        cli("void", row["trial_id"], "--reason", "x")
        loosen(ran)
        arms = {arm["arm"]: arm for arm in cli("regrade", "first", "--json").json["arms"]}
        assert arms["scripted:wrong:other"]["left_out_after"] == 1
        assert trial_of(cli, "scripted:wrong:other")["error_class"] == "voided"
        cli("void", row["trial_id"], "--undo")
        assert trial_of(cli, "scripted:wrong:other")["status"] == "pass"

    def test_outcomes_of_the_holdout_are_not_shown(self, cli, suite):
        path = suite / "greeting/task.toml"
        path.write_text(path.read_text().replace("[[checks]]", 'split = "holdout"\n[[checks]]'))
        cli("run", "--agent", "scripted:wrong:other", "--run-id", "first", "--tasks", "greeting,farewell")  # fmt: skip
        loosen(suite)
        done = cli("regrade", "first")
        assert done.code == 0
        assert "1 trial of holdout tasks graded again too, and not shown" in done.err
        assert "greeting: failed -> passed" not in done.out


class TestGrade:
    def test_a_fixed_copy_passes_and_the_start_does_not(self, cli, suite, tmp_path):
        mine = tmp_path / "mine"
        shutil.copytree(suite / "greeting/repo", mine)
        done = cli("grade", "greeting", mine)
        assert (done.code, "FAIL" in done.out) == (1, True)
        assert "unchanged" in done.err
        (mine / "app.txt").write_text("hello world\n")
        done = cli("grade", suite / "greeting", mine)
        assert done.code == 0
        assert "pass, score 1: 1 file changed, +1 -1" in done.out
        found = cli("grade", "greeting", mine, "--json").json
        assert (found["status"], found["files_changed"]) == ("pass", ["app.txt"])
        assert [check["name"] for check in found["checks"]] == ["greeting"]
        assert sorted(path.name for path in mine.iterdir()) == ["app.txt"]
        assert not (tmp_path / ".agenteval").exists()

    def test_the_answer_comes_from_a_file(self, cli, suite, tmp_path):
        (suite / "greeting/task.toml").write_text(
            'prompt = "Say it."\n[[checks]]\nkind = "answer-contains"\ntext = "forty-two"\n'
        )
        (tmp_path / "said.md").write_text("It is forty-two.")
        tree = suite / "greeting/repo"
        assert cli("grade", "greeting", tree, "--answer", "said.md").code == 0
        assert cli("grade", "greeting", tree).code == 1

    def test_mistakes(self, cli, suite, tmp_path):
        for arguments, says in (
            (("grade", "greeting", tmp_path / "nowhere"), "no folder to grade"),
            (("grade", "greting", tmp_path), "No task matches"),
            (("grade", "greeting", tmp_path, "--answer", "none.md"), "cannot be read"),
        ):
            done = cli(*arguments)
            assert (done.code, done.err[:7]) == (2, "error: "), arguments
            assert says in done.err


class TestVoid:
    @pytest.fixture
    def ran(self, cli, suite):
        cli(*RUN)

    def test_a_trial_a_run_and_a_task(self, cli, ran):
        row = trial_of(cli, "scripted:reference")
        done = cli("void", row["trial_id"][:8], "--reason", "the fixture server was down")
        assert done.code == 0
        assert "1 trial left out" in done.out
        shown = cli("show", row["trial_id"]).out
        assert "the fixture server was down" in shown
        assert "what came out pass, left out by people" in shown
        status = cli("status")
        assert "left out of the rate: 1 voided" in status.out
        assert cli("status", "--json").json["state"] == "complete"
        assert "voided" in cli("sql", "select error_class from trials", "--json").out

        done = cli("void", "first", "--reason", "wrong model", "--json").json
        assert (done["run_id"], done["trial_id"], done["left_out"]) == ("first", None, 6)
        done = cli("void", "first", "--undo")
        assert "5 trials of it count again" in done.out
        assert "1 trial of it stay left out" in done.err

        done = cli("void", "--task", "farewell", "--reason", "fails at midnight")
        assert "task farewell: 3 trials left out" in done.out
        facts = cli("status", "--json").json
        assert (facts["voided"], facts["quarantined"], facts["state"]) == (1, 3, "complete")
        board = json.loads(cli(*RUN, "--json").out)["scoreboard"]
        assert {arm["left_out_why"] for arm in board} == {"quarantined 1", "voided 1, quarantined 1", "quarantined 1, voided 1"} & {arm["left_out_why"] for arm in board}  # fmt: skip
        assert sum(arm["left_out"] for arm in board) == 4
        assert cli("void", "--task", "farewell", "--undo").code == 0
        assert cli("status", "--json").json["quarantined"] == 0

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("first",), "needs a reason"),
            (("first", "--reason", " "), "needs a reason"),
            (("--reason", "x"), "name a run or a trial"),
            (("first", "--task", "greeting", "--reason", "x"), "name a run or a trial"),
            (("first", "--suite", "evals", "--reason", "x"), "--task"),
            (("nothing", "--reason", "x"), "no run or trial 'nothing'"),
            (("--task", "nothing", "--reason", "x"), "no trials of a task 'nothing'"),
            (("first", "--undo"), "nothing to take back"),
        ],
    )
    def test_mistakes(self, cli, ran, arguments, says):
        done = cli("void", *arguments)
        assert (done.code, done.err[:7]) == (2, "error: ")
        assert says in done.err


def test_a_quarantined_task_is_said_before_anything_is_spent(cli, suite):
    (suite / "quarantine.toml").write_text(
        '[[task]]\nid = "greeting"\nsince = 2026-01-31\nreason = "fails at midnight"\n'
    )
    done = cli(*RUN)
    assert done.code == 0
    assert "greeting is not run: quarantined since 2026-01-31: fails at midnight" in done.err
    status = cli("status", "--json").json
    assert (status["quarantined"], status["state"], status["done"]) == (3, "complete", 6)
    (suite / "quarantine.toml").unlink()
    assert cli("status", "--json").json["state"] == "complete"
    again = cli(*RUN, "--json").json
    assert again["written"] == 3
    assert cli("status", "--json").json["quarantined"] == 0
    assert cli("try", "greeting", "--agent", "scripted:reference").code == 0
