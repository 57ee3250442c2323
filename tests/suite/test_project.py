import pytest

from agenteval.errors import InvalidInput
from agenteval.suite import detect_project

PYTEST = '[tool.pytest.ini_options]\ntestpaths = ["checks"]\n'

CASES = {
    "python, no dependencies": (
        {"pyproject.toml": f'[project]\nname = "a"\n{PYTEST}[tool.ruff]\n', "checks/test_a.py": ""},
        ("python", "", "python3 -m pytest", "python3 -m ruff check .", ("checks/**",), ()),
    ),
    "python, extras": (
        {
            "pyproject.toml": '[project]\nname = "a"\ndependencies = ["httpx"]\n[project.optional-dependencies]\ntest = ["pytest", "x"]\n',
            "src/a/__init__.py": "",
            "tests/test_a.py": "",
        },
        (
            "python",
            "python3 -m venv .venv && .venv/bin/pip install '.[test]'",
            "PYTHONPATH=src .venv/bin/python -m pytest",
            "",
            ("tests/**",),
            ("pyproject.toml",),
        ),
    ),
    "python, requirements": (
        {
            "requirements.txt": "flask\n",
            "test-requirements.txt": "x\n",
            "tests/conftest.py": "",
            "setup.cfg": "[flake8]\n[mypy]\n",
        },
        (
            "python",
            "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt -r test-requirements.txt pytest",
            ".venv/bin/python -m pytest",
            ".venv/bin/python -m flake8 && .venv/bin/python -m mypy .",
            ("tests/**",),
            ("setup.cfg", "requirements.txt", "test-requirements.txt"),
        ),
    ),
    "python, dependency groups": (
        {
            "pyproject.toml": '[project]\nname = "a"\n[dependency-groups]\ndev = ["pytest>=8", {include-group = "x"}]\n[tool.black]\n',
            "test_a.py": "",
        },
        (
            "python",
            "python3 -m venv .venv && .venv/bin/pip install 'pytest>=8'",
            ".venv/bin/python -m pytest",
            ".venv/bin/python -m black --check .",
            ("**/test_*.py",),
            ("pyproject.toml",),
        ),
    ),
    "python, uv": (
        {"pyproject.toml": PYTEST, "uv.lock": ""},
        (
            "python",
            "uv sync --frozen",
            ".venv/bin/python -m pytest",
            "",
            (),
            ("uv.lock", "pyproject.toml"),
        ),
    ),
    "python, poetry": (
        {
            "pyproject.toml": '[tool.poetry.dependencies]\npython = "^3"\n[tool.poetry.group.dev.dependencies]\npytest = "*"\n',
            "poetry.lock": "",
        },
        (
            "python",
            "POETRY_VIRTUALENVS_IN_PROJECT=1 poetry install",
            ".venv/bin/python -m pytest",
            "",
            (),
            ("poetry.lock", "pyproject.toml"),
        ),
    ),
    "python, unittest": (
        {"setup.py": "", "tests/test_a.py": "import unittest\n"},
        ("python", "", "python3 -m unittest discover -s tests", "", ("tests/**",), ()),
    ),
    "python, unittest in a package": (
        {"a.py": "", "tests/__init__.py": "", "tests/test_a.py": "import unittest\n"},
        ("python", "", "python3 -m unittest discover -s tests -t .", "", ("tests/**",), ()),
    ),
    "python, tests of an unknown kind": (
        {"a.py": "", "test_a.py": "def test_a(): pass\n"},
        ("python", "", "python3 -m pytest", "", ("**/test_*.py",), ()),
    ),
    "python, tox": ({"setup.py": "", "tox.ini": "[tox]\n"}, ("python", "", "tox", "", (), ())),
    "python, nox": ({"setup.py": "", "noxfile.py": ""}, ("python", "", "nox", "", (), ())),
    "node, npm": (
        {
            "package.json": '{"scripts": {"test": "node --test", "lint": "eslint ."}, "devDependencies": {"eslint": "1"}}',
            "package-lock.json": "{}",
            "test/a.test.js": "",
        },
        ("javascript", "npm ci", "npm test", "npm run lint", ("test/**",), ("package-lock.json",)),
    ),
    "node, nothing to install": (
        {
            "package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}',
            "src/a.test.js": "",
            "build.py": "",
        },
        ("javascript", "", "node --test", "", ("**/*.test.*",), ()),
    ),
    "typescript, pnpm, vitest": (
        {
            "package.json": '{"devDependencies": {"typescript": "5", "vitest": "3", "@biomejs/biome": "2"}}',
            "pnpm-lock.yaml": "",
        },
        (
            "typescript",
            "pnpm install --frozen-lockfile",
            "npx vitest run",
            "npx biome check .",
            (),
            ("pnpm-lock.yaml",),
        ),
    ),
    "node, yarn, jest": (
        {
            "package.json": '{"devDependencies": {"jest": "3"}, "scripts": {"test": "jest"}}',
            "yarn.lock": "",
            "__tests__/a.js": "",
        },
        (
            "javascript",
            "yarn install --frozen-lockfile",
            "yarn test",
            "",
            ("__tests__/**",),
            ("yarn.lock",),
        ),
    ),
    "node, new yarn": (
        {"package.json": '{"dependencies": {"a": "3"}}', "yarn.lock": "", ".yarnrc.yml": ""},
        ("javascript", "yarn install --immutable", "", "", (), ("yarn.lock",)),
    ),
    "node, no lockfile": (
        {"package.json": '{"dependencies": {"a": "3"}}', "tsconfig.json": "{}"},
        ("typescript", "npm install", "", "", (), ("package.json",)),
    ),
    "go": (
        {"go.mod": "module a\nrequire b v1.0.0\n", "go.sum": ""},
        (
            "go",
            "GOFLAGS=-modcacherw go mod vendor",
            "go test ./...",
            "go vet ./...",
            ("**/*_test.go",),
            ("go.mod", "go.sum"),
        ),
    ),
    "go, linter": (
        {"go.mod": "module a\n", ".golangci.yml": ""},
        ("go", "", "go test ./...", "golangci-lint run", ("**/*_test.go",), ()),
    ),
    "rust": (
        {"Cargo.toml": '[package]\nname = "a"\n'},
        ("rust", "", "cargo test", "cargo clippy -- -D warnings", ("tests/**",), ()),
    ),
    "make": (
        {"Makefile": "VERSION := 1\ninstall: a\n\ttrue\ncheck:\n\ttrue\nlint:\n\ttrue\n"},
        ("", "make install", "make check", "make lint", (), ("Makefile",)),
    ),
    "make fills gaps": (
        {"package.json": "{}", "Makefile": "test:\n\ttrue\nsetup:\n\ttrue\n"},
        ("javascript", "", "make test", "", (), ()),
    ),
    "unknown": ({"notes.txt": ""}, ("", "", "", "", (), ())),
}


@pytest.mark.parametrize("name", CASES)
def test_detected(tmp_path, name):
    files, expected = CASES[name]
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    project = detect_project(tmp_path)
    assert project.folder == tmp_path
    assert (
        project.language,
        project.setup,
        project.test,
        project.lint,
        project.tests,
        project.keys,
    ) == expected
    told = {line.partition(":")[0] for line in project.evidence}
    for part in ("setup", "test", "lint"):
        assert (part in told) == bool(getattr(project, part)), project.evidence
    assert project.evidence


def test_what_cannot_be_parsed_is_named_and_survived(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project\n")
    (tmp_path / "setup.cfg").write_text("no section\n")
    (tmp_path / "package.json").write_text("{")
    (tmp_path / "Cargo.toml").write_text("[")
    evidence = "\n".join(detect_project(tmp_path).evidence)
    assert "pyproject.toml is not valid TOML" in evidence
    assert "setup.cfg cannot be parsed" in evidence
    assert "also there, not used: javascript: package.json" in evidence
    assert "also there, not used: rust" in evidence


def test_no_folder(tmp_path):
    with pytest.raises(InvalidInput, match="not a folder"):
        detect_project(tmp_path / "nowhere")
