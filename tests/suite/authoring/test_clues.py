"""What of a prompt gives the answer away."""

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
