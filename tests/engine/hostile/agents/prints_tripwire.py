"""The module under test looks for the test that must fail, and prints its failure instead."""

with open("calc.py", "w") as file:
    file.write(
        "import os, pathlib, sys\n"
        "for path in pathlib.Path().rglob('*.py'):\n"
        "    for line in path.read_text().splitlines():\n"
        "        if line.startswith('def test'):\n"
        "            print('FAILED', path, line)\n"
        "sys.stdout.flush()\n"
        "os._exit(1)\n"
    )
