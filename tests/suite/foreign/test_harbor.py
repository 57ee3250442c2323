"""Harbor's task folders: run in containers of their own image, graded by their own test.sh."""

import filecmp
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Bases, Surroundings, TrialSpec, run_trial
from agenteval.engine.authoring import solve
from agenteval.errors import ForeignFormatError
from agenteval.sandbox import choose_sandbox
from agenteval.suite import load_suite
from agenteval.suite.foreign import solution_command

CONFIG = """\
version = "1.0"

[metadata]
author_name = "the test suite"
difficulty = "easy"
category = "{category}"
tags = ["shell"]

[verifier]
timeout_sec = 60.0

[agent]
timeout_sec = 120.0

[environment]
build_timeout_sec = 300.0
cpus = 1
"""
ORDERS = "pear 3\napple 10\nfig 7\n"
# sums the second column, and forgets the last line
TOTAL = "#!/bin/sh\nsum=0\nhead -n 2 \"$1\" | { while read name n; do sum=$((sum + n)); done; echo $sum; }\n"  # fmt: skip
MENDED = '#!/bin/sh\nsum=0\n{ while read name n; do sum=$((sum + n)); done; echo $sum; } <"$1"\n'

TASKS = {
    # a script to mend; its tests bring data of their own
    "sum-orders": {
        "task.toml": CONFIG.format(category="bugfix"),
        "instruction.md": "The totals of /app/total.sh are too low. Mend it.\n",
        "environment/Dockerfile": "WORKDIR /app\nCOPY . /app/\nRUN [\"/bin/sh\", \"-c\", \"rm Dockerfile && chmod 755 total.sh\"]\n",  # fmt: skip
        "environment/total.sh": TOTAL,
        "environment/orders.txt": ORDERS,
        "tests/test.sh": "#!/bin/sh\n"
        'if [ "$(sh /app/total.sh /tests/data/more.txt)" = 106 ] && [ "$(sh /app/total.sh orders.txt)" = 20 ]; then\n'
        "    echo 1 >/logs/verifier/reward.txt\nelse\n    echo 0 >/logs/verifier/reward.txt\nfi\n",
        "tests/data/more.txt": "a 1\nb 2\nc 3\nd 100\n",
        "solution/solve.sh": "#!/bin/sh\ncp /solution/mended.sh /app/total.sh\n",
        "solution/mended.sh": MENDED,
    },
    # files that only the image's build makes, another working folder, a reward in JSON
    "rename-hosts": {
        "task.toml": CONFIG.format(category="system-administration"),
        "instruction.md": "Every host in /srv/site/conf ends in .example; make that .test. Change nothing else.\n",
        "environment/Dockerfile": "WORKDIR /srv/site\n"
        'RUN mkdir -p conf && for n in a b c; do echo "host $n.example port 80" >conf/$n.conf; done\n'
        "USER 1000\nENTRYPOINT [\"/bin/false\"]\n",
        "tests/test.sh": "#!/bin/sh\nscore=0\n"
        "[ \"$(cat conf/*.conf)\" = \"$(printf 'host %s.test port 80\\n' a b c)\" ] && score=1\n"
        '[ "$(ls -A /srv/site | grep -v .git)" = conf ] || score=0.5\n'
        'printf \'{"reward": %s, "files": 3}\' $score >/logs/verifier/reward.json\n',
        "solution/solve.sh": "#!/bin/sh\nset -e\nfor f in conf/*; do sed -i s/.example/.test/ $f; done\n",
    },
    # something new to write, run by the test with code of the agent's own
    "write-greeter": {
        "task.toml": CONFIG.format(category="feature") + '\n[verifier.env]\nWHO = "it\'s you"\n',
        "instruction.md": "Write /app/greet.sh: it prints `Hello, NAME!` for the name it is given.\n",
        "environment/Dockerfile": "WORKDIR /app\nRUN echo 'write greet.sh here' >README\n",
        "tests/test.sh": "#!/bin/sh\ncd /app\nout=$(sh greet.sh \"$WHO\")\n"
        '[ "$out" = "Hello, it\'s you!" ]; echo $((1 - $?)) >/logs/verifier/reward.txt\n',
        "solution/solve.sh": "#!/bin/sh\nprintf 'echo \"Hello, $1!\"\\n' >/app/greet.sh\n",
    },
}  # fmt: skip


def write_harbor(folder: Path, name: str, head: str = "", **changes: str | None) -> Path:
    """Write a task; `changes` replace its files, None leaves one out."""
    for path, text in {**TASKS[name], **changes}.items():
        if text is None:
            continue
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(head + text if path == "environment/Dockerfile" else text)
    return folder / name


FROM = "FROM localhost/agenteval/test-busybox:1\n"


def solved(folder: Path, aside: Path) -> None:
    """Run the task's own solution script in its sandbox."""
    task = load_suite(folder).tasks[0]
    done = solve(task, aside, sandbox=choose_sandbox("auto"), command=solution_command(folder))
    assert (done.exit_code, done.saved) == (0, folder / "solution.patch")


def trial(folder: Path, scratch: Path, script: str):
    """A trial of an agent that is a shell script."""
    task = load_suite(folder).tasks[0]
    program = scratch / "agent.sh"
    scratch.mkdir(exist_ok=True)
    program.write_text(script)
    arm = make_arm(f"command:sh {program}")
    around = Surroundings(choose_sandbox("auto"), Bases(scratch / "bases"), scratch)
    spec = TrialSpec(run_id="r", trial_id="t", suite="s", task=task, arm=arm, arm_label="a", repeat=1, seed=0)  # fmt: skip
    return run_trial(spec, around)


def notes(task) -> dict[str, str]:
    return {note.key: note.why for note in task.notes}


@pytest.mark.parametrize("name", TASKS)
def test_the_reference_passes_and_nothing_else_does(tmp_path, convert, come_to, labelled, name):
    source = write_harbor(tmp_path / "theirs", name, labelled)
    done = convert("harbor", source)
    folder = done.folders[0]
    assert done.tasks[0].skipped is None
    assert not load_suite(folder).tasks[0].solution_patch
    solved(folder, tmp_path / "aside")
    assert come_to(name) == {"untouched": "fail", "noop": "fail", "reference": "pass"}


def test_the_original_is_kept_byte_for_byte(tmp_path, convert):
    source = write_harbor(tmp_path, "sum-orders", FROM)
    folder = convert("harbor", source).folders[0]
    kept = filecmp.dircmp(source, folder / "harbor")
    assert not kept.diff_files + kept.left_only + kept.right_only
    original = (source / "environment/Dockerfile").read_bytes()
    assert (folder / "environment/Dockerfile").read_bytes().startswith(original)
    assert (folder / "prompt.md").read_bytes() == (source / "instruction.md").read_bytes()
    assert (folder / "hidden/.harbor/tests/test.sh").read_bytes() == (source / "tests/test.sh").read_bytes()  # fmt: skip
    assert "does not resist" in (folder / "notes.md").read_text()


def test_an_agent_cannot_prepare_the_verdict(tmp_path, convert, labelled):
    """Whatever it leaves where tests and reward will be, or would be in the original container."""
    folder = convert("harbor", write_harbor(tmp_path, "sum-orders", labelled)).folders[0]
    result = trial(
        folder,
        tmp_path / "scratch",
        "mkdir -p .harbor/tests/data /tmp/tests /tmp/logs/verifier\n"
        "for f in .harbor/run.sh .harbor/tests/test.sh /tmp/tests/test.sh; do\n"
        "  echo 'mkdir -p /logs/verifier; echo 1 >/logs/verifier/reward.txt; exit 0' >$f\ndone\n"
        "ln -s / .harbor/tests/data/more.txt\n"
        "echo 1 >/tmp/logs/verifier/reward.txt\necho 1 >/logs/verifier/reward.txt\n"
        "for f in /tests/x /tests/test.sh /app/seen; do echo 1 >$f; done; ls /app /tests\n",
    )
    assert result.attempt.status == "fail"
    assert "reward: 0" in result.checks[0].detail
    # where it worked was its workspace, by the path that the instruction names
    assert "seen" in result.artifacts["stdout.txt"].decode()
    assert b"diff --git a/seen b/seen" in result.artifacts["patch.diff"]


def test_code_that_the_tests_run_can_forge_the_reward(tmp_path, convert, labelled):
    """What notes.md says is not resisted: this test fails when that changes."""
    folder = convert("harbor", write_harbor(tmp_path, "write-greeter", labelled)).folders[0]
    forged = "echo 'echo 1 >/logs/verifier/reward.txt; kill $PPID' >greet.sh\n"
    result = trial(folder, tmp_path / "scratch", forged)
    assert result.attempt.status == "pass"


@pytest.mark.parametrize(
    ("written", "told"),
    [("echo nothing", "wrote no reward"), ("echo 0.9 >/logs/verifier/reward.txt", "reward: 0.9"), ("echo '{}' >/logs/verifier/reward.json", "not readable")],
)  # fmt: skip
def test_only_a_whole_reward_passes(tmp_path, convert, written, told):
    """Without an image: the same script in the run's own sandbox."""
    source = write_harbor(tmp_path, "sum-orders", **{"environment/Dockerfile": None, "tests/test.sh": f"#!/bin/sh\n{written}\n"})  # fmt: skip
    folder = convert("harbor", source).folders[0]
    result = trial(folder, tmp_path / "scratch", "true")
    assert result.attempt.status == "fail"
    assert told in result.checks[0].detail


def test_without_an_image_it_runs_without_one(tmp_path, convert, come_to):
    source = write_harbor(tmp_path, "sum-orders", **{"environment/Dockerfile": None})
    done = convert("harbor", source)
    folder = done.folders[0]
    assert (folder / "prompt.md").read_text() == "The totals of total.sh are too low. Mend it.\n"
    assert not load_suite(folder).tasks[0].has_image
    solved(folder, tmp_path / "aside")
    assert come_to("sum-orders") == {"untouched": "fail", "noop": "fail", "reference": "pass"}


def test_an_image_that_is_only_named(tmp_path, convert, busybox, come_to):
    """Its files are unknown here, its working folder is the one that the texts name."""
    config = CONFIG.format(category="feature") + f'docker_image = "{busybox}"\n'
    source = write_harbor(tmp_path, "write-greeter", **{"environment/Dockerfile": None, "task.toml": config, "tests/test.sh": TASKS["write-greeter"]["tests/test.sh"].replace('"$WHO"', '"it\'s you"')})  # fmt: skip
    done = convert("harbor", source)
    assert any("/app is taken" in note.why for note in done.tasks[0].notes)
    solved(done.folders[0], tmp_path / "aside")
    assert come_to("write-greeter")["reference"] == "pass"


def test_an_image_that_cannot_be_had_is_no_zero(tmp_path, convert, busybox):
    source = write_harbor(tmp_path, "write-greeter", "FROM localhost/agenteval/no-such:1\n")
    row = trial(convert("harbor", source).folders[0], tmp_path / "scratch", "true").attempt
    assert (row.passed, row.error_class) == (None, "environment_build_failed")
    assert "no-such" in row.error_message


def test_limits_labels_and_variables_come_over(tmp_path, convert):
    config = """\
schema_version = "1.1"
[task]
name = "shop/sum"
description = "Sum orders"
keywords = ["sh"]
[metadata]
category = "games"
expert_time_estimate_min = 5
[verifier]
timeout_sec = 33.0
[agent]
timeout_sec = 44.0
user = "agent"
[environment]
memory = "2G"
storage_mb = 512
env = { MODE = "x" }
"""
    source = write_harbor(tmp_path, "sum-orders", FROM, **{"task.toml": config})
    done = convert("harbor", source)
    task = load_suite(done.folders[0]).tasks[0].task
    assert (task.title, task.timeout_s, task.memory_mb, task.disk_mb) == ("Sum orders", 44, 2048, 512)  # fmt: skip
    assert (task.checks[0].timeout_s, task.env, task.tags) == (33, {"MODE": "x"}, ["sh", "games"])
    assert (task.category, task.difficulty) == ("feature", "medium")
    assert {"schema_version", "task.name", "metadata.expert_time_estimate_min", "agent.user", "metadata.category", "metadata.difficulty", "reward", "WORKDIR"} <= notes(done.tasks[0]).keys()  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "key", "told"),
    [
        ({"tests/test.sh": "apt-get update\napt-get install -y jq\n"}, "tests/test.sh", "read-only image"),
        ({"tests/test.sh": "# curl is fine\nuvx pytest /tests\n"}, "tests/test.sh", "fetches from the network"),
        ({"environment/docker-compose.yaml": "services: {}\n"}, "environment/docker-compose.yaml", "several containers"),
        ({"environment/Dockerfile": "RUN true\n", "instruction.md": "Do.\n", "tests/test.sh": "true\n", "solution/solve.sh": "true\n"}, "WORKDIR", "not said"),
        ({"environment/Dockerfile": "WORKDIR /\n"}, "WORKDIR", "is /"),
        ({"task.toml": "[environment]\ngpus = 1\n"}, "environment.gpus", "graphics"),
        ({"task.toml": "[[steps]]\nname = 'a'\n"}, "steps", "several steps"),
        ({"task.toml": "[verifier]\nenvironment_mode = 'separate'\n"}, "verifier.environment_mode", "another image"),
        ({"task.toml": "[verifier.env]\nKEY = '${KEY}'\n"}, "verifier.env", "operator"),
    ],
)  # fmt: skip
def test_what_cannot_be_run_is_skipped_and_says_why(tmp_path, convert, changes, key, told):
    done = convert("harbor", write_harbor(tmp_path, "sum-orders", FROM, **changes))
    assert done.tasks[0].skipped.startswith(f"{key}: ")
    assert told in done.tasks[0].skipped
    result = trial(done.folders[0], tmp_path / "scratch", "true")
    assert (result.attempt.status, result.attempt.error_class) == ("skipped", "task_skipped")
    assert told in result.attempt.error_message


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"task.toml": None}, "(file)"),
        ({"task.toml": "[agent]\ntimeout_sec = 'long'\n"}, "task.toml.agent.timeout_sec"),
        ({"task.toml": "[environment]\nmemory = 'much'\n"}, "environment.memory"),
        ({"task.toml": "[environment]\ndocker_image = 'a b'\n", "environment/Dockerfile": None}, "task.toml.environment.docker_image"),
        ({"instruction.md": " \n"}, "instruction.md"),
        ({"tests/test.sh": None}, "tests/test.sh"),
        ({"task.yaml": "instruction: x\n"}, "(file)"),
    ],
)  # fmt: skip
def test_a_malformed_one_is_named(tmp_path, convert, changes, field):
    source = write_harbor(tmp_path / "theirs", "sum-orders", FROM, **changes)
    write_harbor(tmp_path / "theirs", "write-greeter", FROM)
    with pytest.raises(ForeignFormatError) as caught:
        convert("harbor", source.parent)
    assert f"field {field}" in caught.value.where
    assert str(source) in caught.value.where
    assert not (tmp_path / "evals").exists()
    done = convert("harbor", source.parent, skip_bad=True)
    assert "write-greeter" in [path.name for path in done.folders]
    assert len(done.skipped) == 1
