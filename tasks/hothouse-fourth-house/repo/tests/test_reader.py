from hothouse.loader import load
from hothouse.plan import plan


def put(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def test_drop_ins_in_one_order(tmp_path):
    put(tmp_path, "vendor/units/a@.unit", "[Run]\nMax=1\nAt=01:00\nCommand=x %i\n")
    put(tmp_path, "site/units/a@.unit.d/90-all.conf", "[Run]\nMax=9\n")
    put(tmp_path, "site/units/a@7.unit.d/50-own.conf", "[Run]\nMax=5\nAt=05:00\n")
    unit = load(tmp_path, "a@7.unit")
    assert unit.settings == {"Max": "9", "At": ["01:00", "05:00"], "Command": "x 7"}


def test_the_same_name(tmp_path):
    put(tmp_path, "vendor/units/a@.unit", "[Run]\nMax=1\n")
    put(tmp_path, "vendor/units/a@.unit.d/10.conf", "[Run]\nMax=2\nNight=open\n")
    put(tmp_path, "site/units/a@.unit.d/10.conf", "[Run]\nMax=3\n")
    assert load(tmp_path, "a@7.unit").settings == {"Max": "3"}


def test_masked(tmp_path):
    put(tmp_path, "vendor/units/default.target", "[Unit]\nWants=a@1.unit a@2.unit\n")
    put(tmp_path, "vendor/units/a@.unit", "[Run]\nCommand=x\nAt=\n")
    put(tmp_path, "site/units/a@2.unit", "")
    assert plan(tmp_path) == [("always", "a@1.unit", "x")]
