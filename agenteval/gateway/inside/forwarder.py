"""Runs inside a sandbox, by any Python 3: a port there leads to a unix socket, then a command starts.

    python3 -I -S forwarder.py SOCKET PORT COMMAND...

The port is open before the command starts. The command takes this process's place, so signals and
its exit code are its own; what forwards is nobody's child, and goes when the sandbox goes.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import sys

MOST_WAITING = 1 << 18
PIECE = 1 << 16


def main(arguments: list[str]) -> None:
    """Listen, fork what forwards, become the command."""
    path, port, command = arguments[0], int(arguments[1]), arguments[2:]
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(128)
    middle = os.fork()
    if middle == 0:
        if os.fork() == 0:
            forward(alone(listener), path)
        os._exit(0)
    os.waitpid(middle, 0)
    listener.close()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, a command need not
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(126 if isinstance(error, PermissionError) else 127)


def alone(listener: socket.socket) -> socket.socket:
    """Keep nothing open but the listener, and outlive polite signals to the command's group."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    null = os.open(os.devnull, os.O_RDWR)
    kept = os.dup(listener.fileno())
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.dup2(kept, 3)
    os.closerange(4, 4096)
    return socket.socket(fileno=3)


def forward(listener: socket.socket, path: str) -> None:
    """Join each connection with one to the socket, for ever."""
    listener.settimeout(0)
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ, None)
    while True:
        for key, _ in selector.select():
            if key.data is None:
                accept(listener, path, selector)
            else:
                key.data.move()


def accept(listener: socket.socket, path: str, selector: selectors.BaseSelector) -> None:
    """Take a connection; the port is closed to it where the socket is."""
    try:
        near, _ = listener.accept()
    except OSError:
        return
    far = socket.socket(socket.AF_UNIX)
    try:
        far.connect(path)
    except OSError:
        near.close()
        far.close()
        return
    near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    Pair(near, far, selector)


class Pair:
    """Two connections, each of which gets what the other says."""

    def __init__(
        self, near: socket.socket, far: socket.socket, selector: selectors.BaseSelector
    ) -> None:
        self.ends, self.selector = (near, far), selector
        self.waiting = {near: bytearray(), far: bytearray()}
        self.open = {near: True, far: True}
        self.over = False
        for end in self.ends:
            end.settimeout(0)
            selector.register(end, selectors.EVENT_READ, self)

    def move(self) -> None:
        """Read and write what can be, then say what to wait for."""
        if self.over:  # both ends had something to say, and the first one ended it
            return
        near, far = self.ends
        try:
            self.pump(near, far)
            self.pump(far, near)
        except OSError:
            self.close()
            return
        if not (self.open[near] or self.open[far] or self.waiting[near] or self.waiting[far]):
            self.close()
            return
        for end, other in ((near, far), (far, near)):
            reads = self.open[end] and len(self.waiting[other]) < MOST_WAITING
            events = (selectors.EVENT_READ if reads else 0) | (
                selectors.EVENT_WRITE if self.waiting[end] else 0
            )
            self.watch(end, events)

    def pump(self, source: socket.socket, target: socket.socket) -> None:
        """Take what the source says, and give the target what waits for it."""
        waiting = self.waiting[target]
        if self.open[source] and len(waiting) < MOST_WAITING:
            piece = None
            with contextlib.suppress(BlockingIOError):
                piece = source.recv(PIECE)
            if piece == b"":
                self.open[source] = False
            elif piece:
                waiting += piece
        if waiting:
            with contextlib.suppress(BlockingIOError):
                del waiting[: target.send(waiting)]
        if not waiting and not self.open[source]:
            target.shutdown(socket.SHUT_WR)

    def watch(self, end: socket.socket, events: int) -> None:
        """Wait for these events, or none, on one end."""
        known = end in self.selector.get_map()
        if events and known:
            self.selector.modify(end, events, self)
        elif events:
            self.selector.register(end, events, self)
        elif known:
            self.selector.unregister(end)

    def close(self) -> None:
        """End both connections."""
        self.over = True
        for end in self.ends:
            self.watch(end, 0)
            end.close()


if __name__ == "__main__":
    main(sys.argv[1:])
