"""Whatever descriptor was left open: written to, told to end, listed."""

import contextlib
import os

with open("app.txt", "w") as file:
    file.write("fixed\n")
for number in range(3, 1024):
    with contextlib.suppress(OSError):
        link = os.readlink(f"/proc/self/fd/{number}")
        os.write(number, b'{"exit-code": 0}\n0\n')
        print("BROKEN:", number, link)
