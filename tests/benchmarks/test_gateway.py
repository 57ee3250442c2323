"""What the gateway costs: time that it adds to a request, its processor time, its memory.

Not part of the default run: `pytest tests/benchmarks -n 0`. Provider, gateway and client are a
process each. Everything is printed; only bounds that hold on a busy machine are asserted.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

LOAD = Path(__file__).with_name("gateway_load.py")
TRIALS, EACH, ROUNDS, ASKED = 200, 3, 3, 300


class Part:
    """One process of the benchmark."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(LOAD), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.first = self.read()

    def read(self) -> dict:
        line = self.process.stdout.readline()
        assert line, "a process of the benchmark ended"
        return json.loads(line)

    def ask(self, line: str) -> dict:
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.read()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(120)


@pytest.fixture
def part() -> Iterator[Callable[..., Part]]:
    parts: list[Part] = []

    def start(*arguments: str) -> Part:
        parts.append(Part(*arguments))
        return parts[-1]

    yield start
    for each in reversed(parts):
        each.end()


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def printed(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}", end="")

    return printed


def test_added_latency(part, say, tmp_path):
    """One request at a time, direct and through the gateway in turn; goal: 3 ms at the median."""
    direct = part("provider").first["url"]
    through = part("gateway", direct, "1", str(tmp_path)).first["urls"][0]
    client = part("client")
    for stream in (False, True):
        asked = {"what": "latency", "stream": stream, "rounds": ASKED, "direct": direct, "gateway": through}  # fmt: skip
        seen = client.ask(json.dumps(asked))
        name = "stream of 42 chunks" if stream else "one document"
        for at, what in enumerate(("first byte", "last byte")):
            plain, gateway = seen["direct"][at], seen["gateway"][at]
            say(f"{name:20} {what:10} direct {plain:5.2f} ms, gateway {gateway:5.2f} ms: +{gateway - plain:.2f} ms")  # fmt: skip
            assert gateway - plain < 30


def test_two_hundred_trials_at_once(part, say, tmp_path):
    """Streams of 0.8 s; goals: no error, under 400 MB, under 2 ms of its processor time a request."""
    provider = part("provider")
    gateway = part("gateway", provider.first["url"], str(TRIALS), str(tmp_path))
    client, used = part("client"), []
    for number in range(ROUNDS):
        before = gateway.ask("cpu")
        asked = {"what": "flood", "urls": gateway.first["urls"], "each": EACH}
        seen = client.ask(json.dumps(asked))
        after = gateway.ask("cpu")
        assert (seen["failed"], seen["wrong"]) == ([], 0)
        user, system = (
            (after[name] - before[name]) / (TRIALS * EACH) * 1000 for name in ("user_s", "system_s")
        )
        used.append(user + system)
        say(f"round {number + 1}: {TRIALS} trials x {EACH} streams in {seen['wall_s']:.1f} s, {used[-1]:.2f} ms of processor a request ({user:.2f} its own code, {system:.2f} the system's), peak {after['peak_mb']:.0f} MB")  # fmt: skip
    ended = gateway.ask("end")
    assert (ended["requests"], ended["turns"], ended["errors"]) == (
        *[TRIALS * EACH * ROUNDS] * 2,
        0,
    )
    assert ended["output_tokens"] == 400 * TRIALS * EACH * ROUNDS
    say(f"median {statistics.median(used):.2f} ms of processor a request")
    assert after["peak_mb"] < 400
