"""What of a prompt gives the answer away."""

import pytest

from agenteval.suite.authoring import find_clues, marked, names_in

PATCH = """\
diff --git a/shelf/reader.py b/shelf/reader.py
--- a/shelf/reader.py
+++ b/shelf/reader.py
@@ -3,4 +3,5 @@ def read_shelf(path):
     lines = path.read_text()
+    if not lines.strip(): return []
+    check_header(lines)
     return parse(lines)
"""


def texts(prompt, **options):
    return [(clue.kind, clue.text) for clue in find_clues(prompt, PATCH, **options)]


def test_files_names_and_lines_of_the_fix_are_found():
    assert texts("In shelf/reader.py, read_shelf fails") == [
        ("file", "shelf/reader.py"),
        ("name", "read_shelf"),
    ]
    assert texts("see reader.py") == [("file", "reader.py")]
    assert texts("import shelf.reader") == [("file", "shelf.reader")]
    assert texts("it should `if not lines.strip(): return []`") == [
        ("line", "if not lines.strip(): return []")
    ]


def test_a_word_is_no_name():
    assert texts("When I read lines that are empty, parse fails and I check the path") == []
    assert texts("`lines` is empty, lines() too") == [("name", "lines"), ("name", "lines")]


def test_names_that_hidden_tests_need_must_be_told():
    assert texts("add check_header") == [("name", "check_header")]
    assert texts("add check_header", needed=["check_header"]) == []


def test_a_longer_word_holds_no_clue():
    assert texts("myreader.py and read_shelfish are others") == []


def test_marking_keeps_all_else():
    prompt = "In shelf/reader.py read_shelf() fails.\n"
    text = marked(prompt, find_clues(prompt, PATCH))
    assert text == "In [[shelf/reader.py]] [[read_shelf]]() fails.\n"
    assert text.replace("[[", "").replace("]]", "") == prompt


def test_names_are_of_three_letters_or_more():
    assert names_in("a = read_it(xs, $el)") == {"read_it", "$el"}


FIX = """\
diff --git a/CHANGES.md b/CHANGES.md
--- a/CHANGES.md
+++ b/CHANGES.md
@@ -1 +1,2 @@
+- `up(5) == 6` holds now
diff --git a/bits.py b/bits.py
--- a/bits.py
+++ b/bits.py
@@ -1,4 +1,4 @@
 def up(n):
-    if val > 2 ** len_: return n
+    # not `n > 8`
+    return n + 1 if n > 4 else n
+    raise ValueError("n must be larger, see above")
"""


@pytest.mark.parametrize(
    ("prompt", "found"),
    [
        ("use `n + 1 if n > 4 else n` there", ["n + 1 if n > 4 else n"]),
        ("the guard used 'val > 2 ** len_' and lets 8 through. Use '>='.", ["val > 2 ** len_"]),
        ('say "n > 4" or ``n  >  4``', ["n > 4", "n  >  4"]),
        ("it says \"n must be larger, see above\", and that's not 'n > 4'", ["n > 4"]),
        ("`n > 8` and `up(5) == 6` are only written about", []),
        ("`an > 4` is other code, as is `n > 40`", []),
        ("n > 4 without marks is prose", []),
        ("`return` what `if` and `raise` do with `ValueError`, `else`", []),
    ],
)
def test_pieces_of_the_fix_are_found_where_they_are_quoted(prompt, found):
    assert [(clue.kind, clue.text) for clue in find_clues(prompt, FIX)] == [
        ("code", text) for text in found
    ]


def test_words_of_the_language_and_very_common_ones_are_no_clues():
    patch = FIX + "+    value = self.lookup_table[name]\n"
    assert [clue.text for clue in find_clues("`return` `self` a `value` of `lookup_table`", patch)] == ["lookup_table"]  # fmt: skip


def test_a_builtins_name_is_one_where_the_fix_defines_it():
    assert find_clues("`format` it", FIX + "+    return format(n)\n") == []
    assert [clue.text for clue in find_clues("`format` it", FIX + "+def format(n):\n")] == [
        "format"
    ]
