"""A second name for files of others, whose contents then seem to be its own."""

import contextlib
import glob
import os

with open("app.txt", "w") as file:
    file.write("fixed\n")
places = [*glob.glob("/etc/*"), *glob.glob("/usr/bin/*")[:20], "/agent/prompt.md"]
places += [f"{os.environ[name]}/canary.txt" for name in ("OUTSIDE", "OPERATOR")]
for number, place in enumerate(places):
    with contextlib.suppress(OSError):
        os.link(place, f"linked-{number}")
os.link("app.txt", "own-link.txt")
