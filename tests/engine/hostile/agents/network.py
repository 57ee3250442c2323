"""The host's loopback, names, and anything else."""

import contextlib
import os
import socket

with open("app.txt", "w") as file:
    file.write("fixed\n")
socket.setdefaulttimeout(0.3)
for host in (
    "127.0.0.1",
    "::1",
    "localhost",
    "10.0.2.2",
    "169.254.169.254",
    "1.1.1.1",
    "example.org",
):
    with contextlib.suppress(OSError), socket.create_connection((host, int(os.environ["PORT"]))):
        print("BROKEN:", host)
with contextlib.suppress(OSError):
    datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagram.sendto(b"x", ("127.0.0.1", int(os.environ["PORT"])))
with contextlib.suppress(OSError):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    print("BROKEN: raw")
with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as abstract:
    abstract.connect("\0" + os.environ["ABSTRACT"])
    print("BROKEN: abstract socket")
