"""Tries to reach a network that is not there are counted, by the kernel and not by the command."""

import os

import pytest

from agenteval.sandbox import Box, Bubblewrap, Command, Plain, bwrap_works, run_in

STREAM = "import socket; socket.socket(socket.{family}, socket.{kind}).connect(({address!r}, 80))"


@pytest.fixture
def tries(tmp_path):
    """Run Python code in bubblewrap and give the number of packets that found no route."""
    problem = bwrap_works()
    if problem is not None and os.environ.get("CI") != "true":
        pytest.skip(f"bubblewrap: {problem}")
    assert problem is None, problem

    def run(code: str, *, network: bool = False) -> int | None:
        box = Box(*(tmp_path / name for name in ("w", "h", "t", "i")), network=network)
        box.create()
        done = run_in(Bubblewrap(), box, Command(["python3", "-c", code]))
        return done.network_tries

    return run


def test_quiet_commands_have_none(tries):
    assert tries("print(1)") == 0


def test_connections_datagrams_and_names_are_counted(tries):
    connect = STREAM.format(family="AF_INET", kind="SOCK_STREAM", address="192.0.2.1")
    assert tries(connect) == 1
    send = """
import contextlib, socket
with contextlib.suppress(OSError):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 9))
"""
    assert tries(send) == 1
    assert tries(STREAM.format(family="AF_INET6", kind="SOCK_STREAM", address="2001:db8::1")) == 1


def test_its_own_loopback_is_nothing_outside(tries):
    code = """
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
"""
    assert tries(code) == 0


def test_a_try_in_a_process_that_is_left_behind_counts_too(tries):
    code = """
import os, socket, time
tried, told = os.pipe()
if os.fork() == 0:
    os.setsid()
    try:
        socket.socket().connect(("192.0.2.1", 80))
    except OSError:
        os.write(told, b"x")
    time.sleep(60)
os.read(tried, 1)
"""
    assert tries(code) == 1


def test_unknown_where_nothing_counts(tries, tmp_path):
    assert tries("print(1)", network=True) is None
    box = Box(*(tmp_path / name for name in ("w", "h", "t", "i")))
    box.create()
    assert run_in(Plain(), box, Command(["true"])).network_tries is None
