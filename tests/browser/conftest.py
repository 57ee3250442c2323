"""Chromium without a network, and a store to report on."""

import importlib.util
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
MADE_STORE = Path(__file__).parents[1] / "reports" / "made_store.py"


def unavailable(reason: str) -> None:
    """Skip on a laptop, fail in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def give_up() -> Callable[[str], None]:
    """Call with a reason why a test cannot be run here."""
    return unavailable


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """A headless browser."""
    if not CHROMIUM.exists():
        unavailable("Chromium is not installed (apt-get install chromium)")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        unavailable("playwright is not installed (pip install -e '.[test]')")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of four arms, with every outcome."""
    spec = importlib.util.spec_from_file_location("made_store", MADE_STORE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build(tmp_path_factory.mktemp("store"))
