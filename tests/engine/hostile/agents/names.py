"""Names that break scripts."""

import os

names = [
    "new\nline", "tab\t", "-rf", "--", "ünï cödé \U0001f600", "\u202egnp.exe", "$(touch executed)",
    "`id`", "a\\b", "x" * 255, ":(top)x", "*", "'", '"', " ", "diff --git a b",
]  # fmt: skip
for name in [*map(os.fsencode, names), b"\xff\xfe raw", b"half \xc3"]:
    with open(name, "wb") as file:
        file.write(b"named\n")
    os.mkdir(name[:200] + b".d")
    with open(name[:200] + b".d/inside", "wb") as file:
        file.write(b"inside\n")
with open("app.txt", "w") as file:
    file.write("fixed\n")
