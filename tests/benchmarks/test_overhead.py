"""What the engine costs beside the agent's own time, and how long a start takes.

Not part of the default run: `pytest tests/benchmarks -n 0`. Everything is printed; only bounds that
hold on a busy machine are asserted.
"""

import os
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
TASK = 'id = "one"\n[[checks]]\nkind = "command"\nrun = "grep -q broken app.txt"\n'
# The same by hand: copy, one commit, agent, diff, a copy to grade, check, a line of record.
SHELL = """
set -e
for i in $(seq "$2"); do
  rm -rf "$3/work" "$3/grade"
  cp -r "$1/one/repo" "$3/work"
  cd "$3/work"
  git init -q .; git add -A; git -c user.name=a -c user.email=a commit -q -m start
  sh -c true
  git add -A; git diff --cached --binary HEAD > "$3/patch"
  cp -r "$1/one/repo" "$3/grade"
  cd "$3/grade"
  if [ -s "$3/patch" ]; then git apply "$3/patch"; fi
  if grep -q broken app.txt; then verdict=pass; else verdict=fail; fi
  echo "{\\"trial\\": $i, \\"status\\": \\"$verdict\\"}" >> "$3/results.jsonl"; sync "$3/results.jsonl"
done
"""


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def printed(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}", end="")

    return printed


def per_trial_ms(action: Callable[[], None]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) / TRIALS * 1000


def test_overhead_of_a_trial(tmp_path: Path, say):
    """Agent `true`, one trivial check, a repository of twenty files; all in turn, medians."""
    repo = tmp_path / "suite/one/repo"
    (repo / "src").mkdir(parents=True)
    (repo / "app.txt").write_text("broken\n")
    for number in range(19):
        (repo / f"src/module_{number}.py").write_text(f"value = {number}\n" * 30)
    (tmp_path / "suite/one/task.toml").write_text(TASK)
    (tmp_path / "suite/one/prompt.md").write_text("Nothing to do.")
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
        env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        arguments = [str(tmp_path / "suite"), str(TRIALS), str(tmp_path / "by-hand")]
        (tmp_path / "by-hand").mkdir(exist_ok=True)
        subprocess.run(["sh", "-c", SHELL, "sh", *arguments], check=True, env=env)

    isolated = choose_sandbox("auto").name
    cases: dict[str, Callable[[], None]] = {
        "shell loop": shell,
        f"{isolated}, one at a time": lambda: engine("auto", 1),
        f"{isolated}, two workers": lambda: engine("auto", 2),
        "plain, one at a time": lambda: engine("plain", 1),
        "plain, two workers": lambda: engine("plain", 2),
    }
    seen: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, case in cases.items():
            seen[name].append(per_trial_ms(case))
    medians = {name: statistics.median(values) for name, values in seen.items()}
    for name, value in medians.items():
        ratio = value / medians["shell loop"]
        say(
            f"{name:22} {value:6.1f} ms a trial  {ratio:4.2f} x the shell loop  (best {min(seen[name]):.1f})"
        )
    assert medians[f"{isolated}, one at a time"] < 12 * medians["shell loop"]


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
