"""Agents that reach for what is not theirs: files, processes, the network, the engine's own pipes.

Every secret of the yard holds a token; `unleash` looks for it in all that is kept of the agent.
"""

import socket

import pytest

PASSED = ("pass", True, "agent", None)


def test_reading_above_the_workspace_finds_neither_suite_nor_store_nor_home(yard):
    end = yard.unleash("reads_above.sh")
    assert end.outcome == PASSED
    assert b"canary" not in end.patch


def test_the_trial_beside_it_is_not_seen_either(yard):
    end = yard.unleash("reads_above.sh", concurrency=2)
    assert end.outcome == PASSED
    assert b"canary" not in end.patch


def test_proc_tells_nothing_of_processes_outside(yard):
    end = yard.unleash("reads_proc.py", concurrency=2)
    assert end.outcome == PASSED
    assert b"pytest" not in end.patch
    assert b"root:" not in end.patch


def test_nothing_that_needs_a_privilege_works(yard):
    end = yard.unleash("escapes.sh")
    assert end.outcome == PASSED
    assert end.stdout == b""


def test_namespaces_of_its_own_open_no_way_out(yard):
    end = yard.unleash("unshares.sh")
    assert end.row.passed is True
    assert b"BROKEN" not in end.stdout


@pytest.fixture
def listeners(token):
    """A TCP port and an abstract socket of the host; nobody may connect to them."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{token}")
        abstract.listen()
        for listener in (tcp, abstract):
            listener.setblocking(False)
        yield tcp, abstract


def test_neither_the_hosts_loopback_nor_names_nor_abstract_sockets_are_reached(
    yard, listeners, token
):
    port = str(listeners[0].getsockname()[1])
    end = yard.unleash("network.py", env={"PORT": port, "ABSTRACT": token})
    assert end.outcome == PASSED
    assert end.stdout == b""
    for listener in listeners:
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_no_descriptor_is_inherited(yard):
    end = yard.unleash("inherited_descriptors.py")
    assert end.outcome == PASSED
    assert end.stdout == b""


def test_saying_what_the_sandbox_says_is_just_output(yard):
    end = yard.unleash("forges_status.sh")
    assert end.outcome == ("error", False, "crash", "crash")
    assert end.row.exit_code == 3
    assert b'"exit-code": 0' in end.stdout


def test_terminal_escapes_are_kept_and_never_shown_raw(yard, capsys):
    from agenteval.cli.output import print_table, say

    end = yard.unleash("terminal_escapes.sh")
    assert end.row.error_class == "crash"
    assert b"\x1b]0;owned" in end.stdout
    print_table([{"message": end.row.error_message}], ["message"])
    say(end.row.error_message)
    shown = "".join(capsys.readouterr())
    assert "gone" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
