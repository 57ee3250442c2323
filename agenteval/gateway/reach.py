"""The way into a sandbox without network: the gateway's socket, and a port inside that leads to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

PORT = 18080  # nobody else's in a network of its own
START = "way-in.sh"
_NAMES = {
    START: "start.sh",
    "forwarder.py": "forwarder.py",
    "forwarder.mjs": "forwarder.mjs",
    "forwarder.pl": "forwarder.pl",
}


@dataclass(frozen=True)
class Reach:
    """How an agent in a sandbox of its own network reaches the gateway.

    The sandbox needs /bin/sh and one of python3, node, socat or perl; the first one found opens a
    port on the sandbox's loopback interface, and then the agent's command takes its place.

    Attributes
    ----------
    socket
        The gateway's socket on this machine.
    port
        Port inside.
    """

    socket: Path
    port: int = PORT

    @property
    def url(self) -> str:
        """Address inside, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def files(self) -> Mapping[str, bytes]:
        """Name to contents of what has to lie in the box's `inputs`."""
        folder = resources.files("agenteval.gateway.inside")
        return {name: folder.joinpath(own).read_bytes() for name, own in _NAMES.items()}

    @property
    def read_only(self) -> tuple[Path, ...]:
        """What of this machine has to be shown inside, at its own path."""
        return (self.socket,)

    def prefix(self, inputs: str) -> tuple[str, ...]:
        """Words that go before the agent's command line.

        Parameters
        ----------
        inputs
            Where the box's `inputs` are, as seen from inside.
        """
        return ("/bin/sh", f"{inputs}/{START}", inputs, str(self.socket), str(self.port))
