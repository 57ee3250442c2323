import tempfile
import unittest
from pathlib import Path
from unittest import mock

from deckle.settings import Settings, SettingsError, load


class FromFilesAndEnvironment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ini(self, text):
        (self.folder / "deckle.ini").write_text("[deckle]\n" + text, encoding="utf-8")

    def test_built_in(self):
        self.assertEqual(load(self.folder), Settings(120, False, (), "en"))

    def test_ini(self):
        self.ini("max_words = 60\nlocale = de\nignore = very,suddenly\n")
        self.assertEqual(load(self.folder), Settings(60, False, ("very", "suddenly"), "de"))

    def test_environment(self):
        with mock.patch.dict("os.environ", {"DECKLE_MAX_WORDS": "7", "DECKLE_FONTS": "/fonts"}):
            self.assertEqual(load(self.folder).max_words, 7)

    def test_what_is_no_number(self):
        self.ini("max_words = sixty\n")
        with self.assertRaises(SettingsError):
            load(self.folder)
