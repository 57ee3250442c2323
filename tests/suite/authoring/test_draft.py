"""From a commit's message to prompt, labels and id; and writing them as TOML."""

import tomllib

import pytest

from agenteval.suite.authoring import (
    CommitChange,
    FileChange,
    category_of,
    difficulty_of,
    prompt_of,
    split_change,
    task_id_of,
    task_toml,
)


def commit(subject, body="", files=()):
    return CommitChange("abcdef0123" * 4, ("p",), "2024-01-01T00:00:00Z", subject, body, files)


def test_a_prompt_is_what_the_message_says_without_its_trappings():
    made = commit(
        "fix(reader): empty files are read as one line (#12)",
        "Reading an empty file gave [''].\n\n\n\nFixes #12\nSigned-off-by: Ada <ada@example.org>\n",
    )
    assert prompt_of(made) == (
        "Empty files are read as one line.\n\nReading an empty file gave [''].\n"
    )


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Calling up(5) gave 5; up(7) gave 7.", "Calling up(5) gave 5; up(7) gave 7."),
        ("up(5) should give 6, fixes #46, and up(4) too.", "up(5) should give 6, and up(4) too."),
        ("There is no cutoff at 2011 (gh-12), nor later (#7).", "There is no cutoff at 2011, nor later."),
        ("Fixes the case where five came back, reported as #12", "Fixes the case where five came back, reported as #12"),
        ("It came back.\n\nFixes: #12, #13\nCloses gh-4.\nSee also https://example.org/1", "It came back."),
        ("It fixes gh-12, and up(4) too; closes GH-4.", "It fixes gh-12, and up(4) too."),
        ("It came back. Fixes #12. Not now (fixes #3, closes #4).", "It came back. Not now."),
        ("Fixes #12: up(5) came back.", "up(5) came back."),
        ("fixed #5, #6 and #7 in one go", "fixed #5, #6 and #7 in one go"),
        ("This fixes #12. And more.", "This fixes #12. And more."),
        ("* fixes #5\n* up(7) too", "* up(7) too"),
        ("It came back.\nRefs pallets/shelf#3\nCo-authored-by: Ada <ada@example.org>", "It came back."),
    ],
)  # fmt: skip
def test_only_references_are_taken_out_of_a_message(said, kept):
    assert prompt_of(commit("Mend it", said)) == f"Mend it.\n\n{kept}\n"


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("Fix #12", "Fix #12."),
        ("Fix #12: empty files", "Empty files."),
        ("no cutoff at 2011, fixes #46", "No cutoff at 2011."),
        ("Halve it (shop/shelf#5)", "Halve it."),
        ("halve(5) is 2 (#5) (#6)", "halve(5) is 2."),
    ],
)
def test_a_subject_is_never_empty_nor_left_with_odd_marks(subject, title):
    assert prompt_of(commit(subject)) == f"{title}\n"
    assert task_id_of(commit(subject)) != "commit"


def test_a_word_with_a_colon_that_is_no_kind_stays():
    assert prompt_of(commit("strutils: add ellipsize")) == "strutils: add ellipsize.\n"


def test_an_issue_is_nearer_to_what_people_type():
    assert prompt_of(commit("fix: x"), "It crashes on empty files\n\n") == (
        "It crashes on empty files\n"
    )


@pytest.mark.parametrize(
    ("subject", "category"),
    [
        ("Fix reading", "bugfix"),
        ("feat(cli): a flag", "feature"),
        ("Add a flag", "feature"),
        ("refactor: names", "refactor"),
        ("Reading of empty files", "bugfix"),
    ],
)
def test_category_by_the_first_words(subject, category):
    assert category_of(commit(subject), split_change([])) == category


def test_many_files_are_a_multi_file_task():
    files = [FileChange(f"a{n}.py", "modified", 1, 1) for n in range(5)]
    assert category_of(commit("Reading"), split_change(files)) == "multi-file"


@pytest.mark.parametrize(
    ("sizes", "difficulty"),
    [([4], "easy"), ([40], "medium"), ([4, 4], "medium"), ([90], "hard"), ([1] * 5, "hard")],
)
def test_difficulty_by_size(sizes, difficulty):
    files = [FileChange(f"a{n}.py", "modified", size, 0) for n, size in enumerate(sizes)]
    assert difficulty_of(split_change(files)) == difficulty


def test_ids_are_words_of_the_subject_and_never_taken():
    made = commit("fix(reader): Empty files, read (#12)")
    assert task_id_of(made) == "empty-files-read"
    assert task_id_of(made, ["Empty-Files-Read"]) == "empty-files-read-abcdef0"
    assert task_id_of(commit("???")) == "commit"


def test_toml_holds_what_was_given_whatever_is_in_it():
    nasty = 'a "b" \\ \x7f \n é'
    text = task_toml(
        {"id": "x", "title": nasty, "tags": [], "memory_mb": 7},
        [{"kind": "command", "run": nasty, "weight": 1.5}],
        tables={"env": {"A": "b"}, "environment": {}},
        comments={"title": "a guess"},
    )
    assert tomllib.loads(text) == {
        "id": "x",
        "title": nasty,
        "memory_mb": 7,
        "env": {"A": "b"},
        "checks": [{"kind": "command", "run": nasty, "weight": 1.5}],
    }
    assert "# a guess" in text
