"""What the engine costs beside the agent's own time, and how long a start takes.

Not part of the default run: `pytest tests/benchmarks -n 0`. Everything is printed; only bounds that
hold on a busy machine are asserted.
"""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agenteval.agents import make_arm
from agenteval.engine import Settings, make_plan, run_plan
from agenteval.sandbox import choose_sandbox
from agenteval.suite import load_suite

TRIALS, ROUNDS = 20, 5
STARTS = 7
TASK = 'id = "one"\n[[checks]]\nkind = "command"\nrun = "sh check.sh"\n'
# The same by hand: clone, agent, diff, hidden test in a second clone, a line made by jq.
SHELL = """
set -e
for i in $(seq "$2"); do
  cd "$3"; rm -rf work grade
  git clone -q "$3/origin" "$3/work"
  cd "$3/work"
  sh -c true
  git add -A; git diff --cached --binary HEAD > "$3/patch"
  git clone -q "$3/origin" "$3/grade"
  cd "$3/grade"
  if [ -s "$3/patch" ]; then git apply "$3/patch"; fi
  cp "$1/one/hidden/check.sh" .
  if sh check.sh; then verdict=pass; else verdict=fail; fi
  jq -nc --arg verdict "$verdict" --argjson trial "$i" '{trial: $trial, status: $verdict}' >> "$3/results.jsonl"
  sync "$3/results.jsonl"
done
"""


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def printed(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}", end="")

    return printed


def used_s() -> float:
    """Processor time of this process and of all that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def per_trial_ms(action: Callable[[], None]) -> tuple[float, float]:
    """Wall clock and processor time of a trial."""
    started, used = time.perf_counter(), used_s()
    action()
    return (time.perf_counter() - started) / TRIALS * 1000, (used_s() - used) / TRIALS * 1000


def test_overhead_of_a_trial(tmp_path: Path, say):
    """Agent `true`, one hidden test, a repository of twenty files; all in turn, medians.

    Goals on an idle machine of two cores: isolated, 80 ms one at a time and 45 ms with two workers.
    """
    if shutil.which("jq") is None:
        pytest.skip("the shell loop needs jq")
    repo = tmp_path / "suite/one/repo"
    (repo / "src").mkdir(parents=True)
    (repo / "app.txt").write_text("broken\n")
    for number in range(19):
        (repo / f"src/module_{number}.py").write_text(f"value = {number}\n" * 30)
    (tmp_path / "suite/one/task.toml").write_text(TASK)
    (tmp_path / "suite/one/prompt.md").write_text("Nothing to do.")
    (tmp_path / "suite/one/hidden").mkdir()
    (tmp_path / "suite/one/hidden/check.sh").write_text("grep -q broken app.txt\n")
    by_hand, env = tmp_path / "by-hand", {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    shutil.copytree(repo, by_hand / "origin")
    commit = "git init -q; git add -A; git -c user.name=a -c user.email=a commit -q -m start"
    subprocess.run(["sh", "-c", commit], check=True, env=env, cwd=by_hand / "origin")
    suite, arm, counter = (
        load_suite(tmp_path / "suite"),
        make_arm("command:true"),
        iter(range(1000)),
    )

    def engine(mode: str, concurrency: int) -> None:
        plan = make_plan(f"r{next(counter)}", suite.name, suite.tasks, [arm], repeats=TRIALS)
        settings = Settings(tmp_path / "store", choose_sandbox(mode), concurrency=concurrency)
        result = run_plan(plan, settings)
        assert {row.status for row in result.attempts} == {"pass"}

    def shell() -> None:
        arguments = [str(tmp_path / "suite"), str(TRIALS), str(by_hand)]
        subprocess.run(["sh", "-c", SHELL, "sh", *arguments], check=True, env=env)

    isolated = choose_sandbox("auto").name
    cases: dict[str, Callable[[], None]] = {
        "shell loop": shell,
        f"{isolated}, one at a time": lambda: engine("auto", 1),
        f"{isolated}, two workers": lambda: engine("auto", 2),
        "plain, one at a time": lambda: engine("plain", 1),
        "plain, two workers": lambda: engine("plain", 2),
    }
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, case in cases.items():
            seen[name].append(per_trial_ms(case))
    medians = {name: statistics.median(wall for wall, _ in pairs) for name, pairs in seen.items()}
    for name, value in medians.items():
        ratio, used = value / medians["shell loop"], statistics.median(cpu for _, cpu in seen[name])
        say(
            f"{name:22} {value:6.1f} ms a trial  {ratio:4.2f} x the shell loop  (best {min(seen[name])[0]:.1f}, processor {used:.1f})"
        )
    assert medians[f"{isolated}, one at a time"] < 6 * medians["shell loop"]


def start_ms(*arguments: str) -> list[float]:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    times = []
    for _ in range(STARTS):
        started = time.perf_counter()
        subprocess.run([sys.executable, *arguments], env=env, check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - started) * 1000)
    return times


def test_start(say):
    """Cold processes, in turn; goals: the import under 60 ms, --help under 300 ms."""
    cases = {
        "python -c pass": ("-c", "pass"),
        "import agenteval": ("-c", "import agenteval"),
        "agenteval --help": ("-m", "agenteval", "--help"),
    }
    medians = {name: statistics.median(start_ms(*arguments)) for name, arguments in cases.items()}
    bare = medians["python -c pass"]
    for name, value in medians.items():
        say(f"{name:22} {value:6.1f} ms  (+{value - bare:.1f} over python itself)")
    assert medians["import agenteval"] < 4 * bare
    assert medians["agenteval --help"] < 25 * bare
