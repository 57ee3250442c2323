import unittest

from deckle.settings import Settings
from deckle.words import findings


class Words(unittest.TestCase):
    def test_banned(self):
        self.assertEqual(list(findings("A very\nVery day", Settings())), [(1, '"very" (banned)'), (2, '"very" (banned)')])

    def test_ignored(self):
        self.assertEqual(list(findings("A very day", Settings(ignore=("Very",)))), [])

    def test_long_paragraph(self):
        text = "one two\nthree\n\nfour"
        self.assertEqual(
            list(findings(text, Settings(max_words=2))),
            [(1, "3 words in one paragraph (at most 2)")],
        )

    def test_quotes(self):
        self.assertEqual(list(findings("„Ja“", Settings(locale="de"))), [])
        self.assertEqual(len(list(findings("«oui»", Settings()))), 2)
