"""Deeper than a path can name."""

import os

with open("app.txt", "w") as file:
    file.write("fixed\n")
for _ in range(3000):
    os.mkdir("deep")
    os.chdir("deep")
with open("bottom.txt", "w") as file:
    file.write("down here\n")
