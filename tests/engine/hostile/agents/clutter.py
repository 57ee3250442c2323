"""Files that only tools would leave, each with work in it."""

import os

with open(".gitignore", "w") as file:
    file.write("*\n")
for path in ("__pycache__/calc.pyc", "node_modules/x.js", ".venv/bin/python", "build/out.txt"):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write("hidden work\n")
with open("app.txt", "w") as file:
    file.write("fixed\n")
