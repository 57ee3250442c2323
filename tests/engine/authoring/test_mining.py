"""The best commits of a history made into tasks, with a reason for each that was passed over."""

from agenteval.engine.authoring import Wanted, mine, rank

FIX = "def read(text):\n    return text.split('\\n') if text else []\n"
TEST = "from shelf import read\n\n\ndef test_two():\n    assert read('') == []\n"


def test_commits_are_ranked_and_the_others_have_a_reason(workshop, repository, fixed):
    repository.commit("Only source", shelf_py="x = 1\n")
    found = rank(workshop().history.commits())
    assert [c.change.subject for c in found][0] == "fix: read('') gives a line"
    assert {c.change.subject: c.reason for c in found} == {
        "fix: read('') gives a line": None,
        "Only source": "it changes no tests",
        "Begin": "it has no parent to start from",
    }


def test_what_is_taken_back_is_no_task(workshop, repository, fixed):
    text = f'Revert "fix: read"\n\nThis reverts commit {fixed}.'
    repository.commit(text, shelf_py="x = 1\n", tests__test_shelf_py="x = 1\n")
    found = rank(workshop().history.commits())
    reasons = {candidate.change.sha: candidate.reason for candidate in found}
    assert reasons[fixed] == "was taken back by a later commit"
    assert [c.reason for c in found if c.change.subject.startswith("Revert")] == [
        "takes another commit back"
    ]


def test_one_that_is_taken_back_by_its_title_alone_is_no_task_either(workshop, repository, fixed):
    title = "fix: read('') gives a line"
    repository.commit(f'Revert "{title}" (#12)', shelf_py="x = 1\n", tests__test_shelf_py="x = 1\n")
    again = repository.commit(title, shelf_py=FIX, tests__test_shelf_py=TEST)
    order = repository.commit("Reverted order is kept", shelf_py=FIX + "x = 1\n", tests__test_shelf_py=TEST + "\n")  # fmt: skip
    reasons = {c.change.sha: c.reason for c in rank(workshop().history.commits())}
    assert reasons[fixed] == "was taken back by a later commit"
    assert (reasons[again], reasons[order]) == (None, None)
    assert "takes another commit back" in reasons.values()


def test_as_many_as_asked_for_are_made(workshop, repository, fixed):
    fake = repository.commit("Mend", shelf_py=FIX + "\n\n# same\n", tests__test_shelf_py=TEST)  # fmt: skip
    last = repository.commit("Mend more", shelf_py=FIX + "LIMIT = 3\n", tests__test_limit_py="import shelf\n\n\ndef test_it():\n    assert shelf.LIMIT == 3\n")  # fmt: skip
    shop = workshop()
    seen = []
    found = mine(
        *(rank(shop.history.commits()), shop.history, shop.suite, Wanted(repeat=1)),
        most=5,
        sandbox=shop.sandbox,
        scratch=shop.scratch,
        on_candidate=seen.append,
    )
    made = {c.change.sha: c.drafted.folder.name for c in found if c.drafted}
    assert made == {fixed: "read-gives-a-line", last: "mend-more"}
    reasons = {c.change.sha: c.reason for c in found}
    assert "no test of it fails before and passes after" in reasons[fake]
    assert {c.change.sha for c in seen} == {fixed, fake, last}


def test_no_more_are_tried_than_needed(workshop, fixed, repository):
    repository.commit("Mend a little more of what reading empty files gives", shelf_py=FIX, tests__test_x_py="def test_x():\n    assert 1\n")  # fmt: skip
    shop = workshop()
    found = mine(
        *(rank(shop.history.commits()), shop.history, shop.suite, Wanted(repeat=1)),
        most=1,
        sandbox=shop.sandbox,
        scratch=shop.scratch,
    )
    assert sum(c.drafted is not None for c in found) == 1
