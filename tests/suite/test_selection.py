import pytest

from agenteval.errors import InvalidInput
from agenteval.suite import load_suite, select_tasks


@pytest.fixture
def suite(bench):
    for name, keys in {
        "cart-rounding": 'tags = ["demo", "money"]\ncategory = "bugfix"\nlanguage = "python"',
        "cart-totals": 'tags = ["money"]\ncategory = "feature"\nlanguage = "python"\ndifficulty = "hard"',
        "search-index": 'tags = ["demo"]\ncategory = "bugfix"\nlanguage = "javascript"',
        "vault": 'tags = ["demo"]\ncategory = "debug"\nsplit = "holdout"',
    }.items():
        bench.task(name, keys)
    return load_suite(bench.folder)


@pytest.mark.parametrize(
    ("tasks", "ids"),
    [
        (None, "cart-rounding cart-totals search-index"),
        ("", "cart-rounding cart-totals search-index"),
        ("*", "cart-rounding cart-totals search-index"),
        ("cart-*", "cart-rounding cart-totals"),
        ("search-index,cart-totals", "cart-totals search-index"),
        (" search-index , cart-totals ,", "cart-totals search-index"),
        ("tag:demo", "cart-rounding search-index"),
        ("tag:demo,tag:money", "cart-rounding cart-totals search-index"),
        ("tag:demo,category:bugfix,language:python", "cart-rounding"),
        ("cart-*,category:feature", "cart-totals"),
        ("difficulty:hard", "cart-totals"),
        ("kind:task,split:dev", "cart-rounding cart-totals search-index"),
        ("split:holdout", "vault"),
        ("split:*", "cart-rounding cart-totals search-index vault"),
        ("vault", "vault"),
        ("vault,cart-totals", "cart-totals vault"),
    ],
)
def test_selected(suite, tasks, ids):
    assert [task.id for task in select_tasks(suite, tasks)] == ids.split()


def test_holdout_on_request(suite):
    assert [task.id for task in select_tasks(suite, "tag:demo", holdout=True)] == [
        "cart-rounding",
        "search-index",
        "vault",
    ]


@pytest.mark.parametrize(
    ("tasks", "what", "fix"),
    [
        ("cart-roundin", "No task matches 'cart-roundin'", "nearest ids: cart-rounding"),
        ("Search*", "No task matches", "nearest ids: search-index"),
        ("tag:nothing", "No task matches", "choose among cart-rounding, cart-totals"),
        ("vaul*", "holdout split", "split:holdout"),
        (
            "tags:demo",
            "the keys are category, difficulty, kind, language, split or tag",
            "write tag:demo",
        ),
        ("zzz:demo", "selects no tasks", "write an id"),
        ("tag:", "selects no tasks", "write tag:VALUE"),
    ],
)
def test_nothing_selected(suite, tasks, what, fix):
    with pytest.raises(InvalidInput) as caught:
        select_tasks(suite, tasks)
    assert what in caught.value.what
    assert fix in caught.value.fix
    assert caught.value.where
