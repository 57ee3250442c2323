"""The shape that was asked for: no circle, nothing hidden, nothing copied."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "toolcrib"

KIOSK = {
    "toolcrib.loans": ["Refused", "checkout", "days_late", "give_back", "is_overdue", "open_loans"],
    "toolcrib.members": ["find", "standing", "tier"],
    "toolcrib.fees": ["balance", "fee_for"],
    "toolcrib.notices": ["overdue_notice", "overdue_notices", "receipt"],
}
FUNCTIONS = sorted(name for names in KIOSK.values() for name in names if name != "Refused")


def _module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {
    _module_name(path): (path, ast.parse(path.read_text(encoding="utf-8")))
    for path in sorted(PACKAGE.rglob("*.py"))
}


def _targets(module, node):
    """The package's own modules that one import statement names."""
    if isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    else:
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            if TREES[module][0].name != "__init__.py":
                parts = parts[:-1]
            parts = parts[: len(parts) - (node.level - 1)]
            base = ".".join([*parts, base] if base else parts)
        named = []
        for alias in node.names:
            whole = f"{base}.{alias.name}"
            named.append(whole if whole in TREES else base)
    return {name for name in named if name in TREES}


def _imports(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]


GRAPH = {
    module: set().union(*(_targets(module, node) for node in _imports(tree)), set())
    for module, (_, tree) in TREES.items()
}


def test_no_import_of_our_own_inside_a_function():
    found = []
    for module, (_, tree) in TREES.items():
        for scope in ast.walk(tree):
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                found += [
                    f"{module}:{node.lineno}"
                    for node in _imports(scope)
                    if _targets(module, node)
                ]
    assert found == []


def test_nothing_hides_an_import():
    found = []
    for module, (_, tree) in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names]
                names.append(getattr(node, "module", None) or "")
                if any(name.split(".")[0] == "importlib" for name in names):
                    found.append(f"{module}:{node.lineno} importlib")
            elif isinstance(node, ast.Name) and node.id == "__import__":
                found.append(f"{module}:{node.lineno} __import__")
            elif isinstance(node, ast.Attribute) and node.attr == "modules":
                if isinstance(node.value, ast.Name) and node.value.id == "sys":
                    found.append(f"{module}:{node.lineno} sys.modules")
        found += [
            f"{module}:{node.lineno} __getattr__"
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name == "__getattr__"
        ]
    assert found == []


def test_no_circle_among_the_modules():
    left = {module: set(targets) - {module} for module, targets in GRAPH.items()}
    while True:
        free = [module for module, targets in left.items() if not targets & left.keys()]
        if not free:
            break
        for module in free:
            del left[module]
    assert sorted(left) == [], "these import each other in a circle, or import such a circle"


def test_no_module_imports_itself():
    assert [module for module, targets in GRAPH.items() if module in targets] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_definition_each(name):
    homes = [
        module
        for module, (_, tree) in TREES.items()
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    assert len(homes) == 1, homes


def test_the_grace_rule_is_read_in_one_function():
    readers = []
    for module, (_, tree) in TREES.items():
        if module == "toolcrib.settings":
            continue
        for scope in ast.walk(tree):
            if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) and any(
                getattr(node, "attr", None) == "GRACE_DAYS"
                or getattr(node, "id", None) == "GRACE_DAYS"
                for node in ast.walk(scope)
            ):
                readers.append(f"{module}.{scope.name}")
    assert len(readers) == 1, readers


def test_the_main_functions_stay_where_they_are():
    from toolcrib import fees, loans, members, notices

    at_home = {
        loans.checkout: "loans",
        loans.give_back: "loans",
        members.standing: "members",
        fees.fee_for: "fees",
        fees.balance: "fees",
        notices.receipt: "notices",
    }
    for function, home in at_home.items():
        assert function.__module__ == f"toolcrib.{home}"


def test_every_module_can_be_the_first_import():
    first = [f"from {module} import {', '.join(names)}" for module, names in KIOSK.items()]
    program = (
        "import sys\n"
        "for line in sys.argv[1:]:\n"
        "    for name in [n for n in sys.modules if n.split('.')[0] == 'toolcrib']:\n"
        "        del sys.modules[name]\n"
        "    exec(line, {})\n"
    )
    modules = [f"import {module}" for module in TREES if not module.endswith("__main__")]
    done = subprocess.run(
        [sys.executable, "-B", "-W", "error", "-c", program, *first, *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
