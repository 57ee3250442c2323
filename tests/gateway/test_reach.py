"""An agent in a sandbox whose only way out is the gateway: every forwarder, in the real sandboxes."""

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from agenteval.gateway import Reach
from agenteval.sandbox import (
    Bounds,
    Box,
    Bubblewrap,
    Command,
    Container,
    bwrap_works,
    containers_work,
    run_in,
)
from agenteval.sandbox.programs import interpreter_prefixes
from agenteval.sandbox.runtime import PROBE_IMAGE

AGENT = """
import http.client, json, sys
path, size = sys.argv[1], int(sys.argv[2])
for number in range(3):
    line = http.client.HTTPConnection("127.0.0.1", int(sys.argv[3]), timeout=60)
    body = {"model": "asked", "stream": True, "messages": [{"role": "user", "content": "x" * size}], "tools": []}
    line.request("POST", path + "/v1/messages", json.dumps(body))
    answer = line.getresponse()
    print(answer.status, len(answer.read()), flush=True)
try:
    http.client.HTTPConnection("127.0.0.1", int(sys.argv[4]), timeout=5).connect()
    print("and the host's network")
except OSError:
    print("and nothing else")
sys.exit(7)
"""
PROGRAMS = ("python3", "node", "socat", "perl")


@pytest.fixture
def box(tmp_path: Path) -> Box:
    folder = tmp_path / "box"
    box = Box(folder / "work", folder / "home", folder / "tmp", folder / "inputs")
    box.create()
    return box


@pytest.fixture
def bwrap() -> Bubblewrap:
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    assert problem is None, problem
    return Bubblewrap()


def lay(box: Box, files) -> None:
    for name, data in files.items():
        (box.inputs / name).write_bytes(data)


def shown(box: Box, reach: Reach, *more: Path) -> Box:
    """The box with what of the host has to be seen."""
    from dataclasses import replace

    return replace(box, read_only=(*box.read_only, *reach.read_only, *more))


def agent(talk, reach: Reach, sandbox, box: Box, size: int = 10):
    """Run the little agent in the box; the way in goes before its own words."""
    lay(box, {**reach.files, "agent.py": AGENT.encode()})
    inputs = sandbox.view(box).inputs
    words = [
        "python3",
        f"{inputs}/agent.py",
        talk.session.path,
        str(size),
        str(reach.port),
        str(talk.gateway.port),
    ]
    return run_in(
        sandbox, box, Command([*reach.prefix(inputs), *words]), bounds=Bounds(timeout_s=120)
    )


def test_bubblewrap(talk, provider, bwrap, box):
    reach = Reach(talk.gateway.socket)
    text = "words " * 50_000
    provider.will(*[provider.says(text)] * 3)
    done = agent(talk, reach, bwrap, shown(box, reach), size=2 << 20)
    lines = done.stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["200"] * 3, done.stderr
    assert int(lines[0].split()[1]) > len(text)
    assert lines[3] == "and nothing else"
    assert done.exit_code == 7
    assert done.stderr == b""
    assert talk.session.close().turns == 3


def test_container(talk, box):
    problem = containers_work()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem
    reach = Reach(talk.gateway.socket)
    programs = [path for path in interpreter_prefixes() if path.exists()]
    done = agent(talk, reach, Container(PROBE_IMAGE), shown(box, reach, Path("/usr"), *programs))
    assert done.stdout.decode().splitlines()[3] == "and nothing else", done.stderr
    assert done.exit_code == 7
    assert talk.session.close().turns == 3


def only(tmp_path: Path, program: str, *needed: str) -> dict[str, str]:
    """An environment whose PATH holds one program of the four, and a few others."""
    found = shutil.which(program) if program != "python3" else sys.executable
    if found is None:
        assert os.environ.get("CI") != "true" or program == "socat", f"{program} is missing"
        pytest.skip(f"{program} is not installed")
    folder = tmp_path / f"only-{program}"
    folder.mkdir()
    for name in needed:
        (folder / name).symlink_to(shutil.which(name))
    (folder / program).write_text(f'#!/bin/sh\nexec {found} "$@"\n')
    (folder / program).chmod(0o755)
    return {"PATH": str(folder)}


@pytest.fixture
def reach(talk, tmp_path: Path) -> tuple[Reach, Path]:
    """A way in on this machine's own loopback interface, and the folder of its files."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    reach = Reach(talk.gateway.socket, port)
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    for name, data in reach.files.items():
        (inputs / name).write_bytes(data)
    (inputs / "agent.py").write_text(AGENT)
    return reach, inputs


@pytest.fixture
def start(reach, tmp_path: Path):
    """Start a command behind a way in; what forwards is ended with the test."""
    way, inputs = reach
    started = []

    def run(program: str, *words: str, needed=("sh", "sleep", "cat")):
        env = only(tmp_path, program, *needed)
        process = subprocess.Popen(
            [*way.prefix(str(inputs)), *words], env=env, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                words = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(way.socket).encode() in words:
                os.kill(int(entry.name), signal.SIGKILL)


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_program_opens_the_way(talk, reach, start, provider, program):
    way, inputs = reach
    text = "words " * 20_000
    provider.will(*[provider.says(text)] * 3)
    process = start(
        program,
        sys.executable,
        str(inputs / "agent.py"),
        talk.session.path,
        "300000",
        str(way.port),
        "9",
    )
    out, err = process.communicate(timeout=120)
    lines = out.decode().splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["200"] * 3, err
    assert int(lines[0].split()[1]) > len(text)
    assert process.returncode == 7
    assert err == b""
    assert len(provider.seen[0].json["messages"][0]["content"]) == 300_000


@pytest.mark.parametrize("program", PROGRAMS)
def test_connections_at_once_through_each(talk, reach, start, provider, program):
    way, _ = reach
    process = start(program, "sh", "-c", "echo open; exec cat", needed=("sh", "sleep", "cat"))
    assert process.stdout.readline() == b"open\n"
    import http.client
    import json

    gate = threading.Barrier(4)

    async def waits(request, seen):
        await provider.loop.run_in_executor(None, gate.wait, provider.wait_s)
        return await provider.says("ok")(request, seen)

    provider.will(*[waits] * 3)
    lines = [http.client.HTTPConnection("127.0.0.1", way.port, timeout=60) for _ in range(3)]
    for line in lines:
        line.request("POST", f"{talk.session.path}/v1/messages", json.dumps(talk.message()))
    gate.wait(provider.wait_s)
    assert [line.getresponse().status for line in lines] == [200] * 3
    for line in lines:
        line.close()


@pytest.mark.parametrize("program", PROGRAMS)
def test_signals_reach_the_command_itself(start, program):
    words = "trap 'echo ended; exit 9' TERM; echo $$; while :; do sleep 0.05; done"
    process = start(program, "sh", "-c", words)
    assert int(process.stdout.readline()) == process.pid
    process.terminate()
    assert process.stdout.readline() == b"ended\n"
    assert process.wait(60) == 9


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_command_killed_by_a_signal_is_seen_as_that(start, program):
    process = start(program, "sh", "-c", "echo on; exec sleep 600")
    assert process.stdout.readline() == b"on\n"
    process.kill()
    assert process.wait(60) == -signal.SIGKILL


def test_a_command_that_is_not_there(start):
    process = start("python3", "no-such-program")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 127
    assert b"no-such-program" in err


def test_pipes_break_for_the_command_as_they_do_elsewhere(start):
    """Python ignores SIGPIPE, and what it starts must not."""
    process = start("python3", "sh", "-c", "trap - PIPE; kill -PIPE $$; echo ignored")
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (-signal.SIGPIPE, b"")


def test_without_any_of_the_programs_it_says_so(reach, tmp_path):
    way, inputs = reach
    done = subprocess.run(
        [*way.prefix(str(inputs)), "true"], env={"PATH": str(tmp_path)}, capture_output=True, timeout=60
    )  # fmt: skip
    assert done.returncode == 125
    assert b"needs python3, node, socat or perl" in done.stderr
