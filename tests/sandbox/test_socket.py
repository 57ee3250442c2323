"""The only way out: a unix socket of the host, shown inside; what a model gateway will listen on."""

import os
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from agenteval.sandbox import Bounds, Command, Container, containers_work, run_in
from agenteval.sandbox.programs import interpreter_prefixes
from agenteval.sandbox.runtime import PROBE_IMAGE

CLIENT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as line:
    line.connect(sys.argv[1])
    line.sendall(b"ask")
    print(line.recv(100).decode())
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[2])), timeout=5)
    print("and the host's network")
except OSError:
    print("and nothing else")
"""


@pytest.fixture
def gateway() -> Iterator[Path]:
    """Path of a socket that answers each question once."""
    # a path may have 107 bytes at most
    with tempfile.TemporaryDirectory(prefix="gw-") as folder, socket.socket(socket.AF_UNIX) as line:
        path = Path(folder, "gateway.sock")
        line.bind(str(path))
        line.listen()

        def serve() -> None:
            while True:
                try:
                    asked, _ = line.accept()
                except OSError:
                    return
                with asked:
                    asked.sendall(b"answer to " + asked.recv(100))

        thread = threading.Thread(target=serve)
        thread.start()
        yield path
        line.shutdown(socket.SHUT_RDWR)
        thread.join()


@pytest.fixture
def port() -> Iterator[int]:
    """A TCP server of the host, which must stay out of reach."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def ask(sandbox, box, gateway, port) -> str:
    command = Command(["python3", "-c", CLIENT, str(gateway), str(port)])
    done = run_in(sandbox, box, command, bounds=Bounds(timeout_s=300))
    assert done.stderr == b""
    return done.stdout.decode()


def test_bubblewrap(bwrap, make_box, gateway, port):
    box = make_box(read_only=(gateway,))
    assert ask(bwrap, box, gateway, port) == "answer to ask\nand nothing else\n"


def test_container(make_box, gateway, port):
    problem = containers_work()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(problem)
    assert problem is None, problem
    # an image of nothing, with the system's own programs shown in it
    programs = [path for path in interpreter_prefixes() if path.exists()]
    box = make_box(read_only=(Path("/usr"), *programs, gateway))
    assert ask(Container(PROBE_IMAGE), box, gateway, port) == "answer to ask\nand nothing else\n"


def test_what_is_not_shown_cannot_be_reached(bwrap, make_box, gateway, port):
    command = Command(["python3", "-c", CLIENT, str(gateway), str(port)])
    done = run_in(bwrap, make_box(), command, bounds=Bounds(timeout_s=300))
    assert done.exit_code == 1
    assert b"FileNotFoundError" in done.stderr
