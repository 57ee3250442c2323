import contextlib
import io
import os
import unittest
from pathlib import Path

from deckle.cli import main

MANUSCRIPTS = Path(__file__).parent.parent / "manuscripts"


class CommandLine(unittest.TestCase):
    def setUp(self):
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(MANUSCRIPTS)

    def call(self, *args):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = main(list(args))
        return code, out.getvalue()

    def test_config(self):
        self.assertEqual(
            self.call("config"),
            (0, "ignore = suddenly\nlocale = en\nmax_words = 60\nstrict = no\n"),
        )

    def test_check(self):
        self.assertEqual(self.call("check", "orchard.txt"), (0, 'orchard.txt:3: "very" (banned)\n'))
