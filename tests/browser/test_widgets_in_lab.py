"""The widgets in JupyterLab and a real browser: clicked, brushed, typed into, and nothing fetched.

Slow to start, so one session does it all; the browser may reach nothing but the server on loopback.
"""

import importlib.util
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from agenteval.records import bundled

pytestmark = pytest.mark.browser

CELLS = (
    "import agenteval as ae\ns = ae.open_store('store')\ne = ae.widgets.explore(s)\ne",
    "c = ae.widgets.compare_arms(s)\nc",
    "q = ae.widgets.label(s, by='ada', sample=3)\nq",
    "live = ae.run('suite', agents=['command:sleep 600'], store='store')\nw = live.watch()\nw",
    "k = ae.widgets.sql_console(s)\nk",
    "import json\nfrom pathlib import Path\n"
    "told = Path('picked.json')\n"
    "e.observe(lambda _: told.write_text(json.dumps([e.picked, len(e.selection)])), 'count')",
)
TASK = 'id = "slow"\nprompt = "Wait."\n[[checks]]\nkind = "command"\nrun = "true"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("lab")
    shutil.copytree(bundled("data") / "sample_store", place / "store")
    (place / "suite/slow/repo").mkdir(parents=True)
    (place / "suite/slow/repo/a.txt").write_text("a\n")
    (place / "suite/slow/task.toml").write_text(TASK)
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    cells = [v4.new_code_cell(source) for source in CELLS]
    notebook = v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, place / "clicks.ipynb")
    return place


@pytest.fixture(scope="module")
def lab(folder, give_up) -> Iterator[str]:
    """Address of a JupyterLab on loopback with the notebook open."""
    if importlib.util.find_spec("jupyterlab") is None:
        give_up("jupyterlab is not installed (pip install -e '.[test]')")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(8)
    command = [
        sys.executable, "-m", "jupyterlab", "--allow-root", "--no-browser", "--ip=127.0.0.1",
        f"--port={port}", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    settings = {"HOME": str(folder / "home"), "PYTHONPATH": str(Path(__file__).parents[2])}
    (folder / "home").mkdir()
    log = folder / "lab.log"
    with log.open("w") as said:
        server = subprocess.Popen(command, cwd=folder, env=os.environ | settings, stderr=said)
        try:
            _until_up(port, server, log)
            yield f"http://127.0.0.1:{port}/lab/tree/clicks.ipynb?token={token}&reset"
        finally:
            server.terminate()
            server.wait(30)


def _until_up(port: int, server: subprocess.Popen, log: Path) -> None:
    while server.poll() is None:
        with socket.socket() as probe:
            probe.settimeout(5)
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
    pytest.fail(log.read_text()[-2000:])


def test_widgets_work_in_jupyterlab_without_a_network(lab, chromium, folder, tmp_path):
    context = chromium.new_context(viewport={"width": 1300, "height": 4000})
    fetched: list[str] = []
    context.on("request", lambda request: fetched.append(request.url))
    local = re.compile(r"^(http|ws)://127\.0\.0\.1:|^data:|^blob:")
    context.route(
        lambda url: not local.match(url), lambda route: route.abort()
    )  # what is aborted is in `fetched` all the same
    page = context.new_page()
    page.set_default_timeout(120_000)
    uncaught: list[str] = []
    page.on("pageerror", lambda error: uncaught.append(str(error)))
    page.goto(lab)
    page.locator(".jp-Notebook .jp-CodeCell").first.click()
    page.keyboard.press("Escape")
    page.get_by_text("Run", exact=True).first.click()
    page.get_by_text("Run All Cells", exact=True).first.click()
    summary = page.locator(".ae-summary")
    summary.get_by_text("144 trials").wait_for()
    bars = page.locator(".jp-OutputArea .vega-embed svg").first
    bars.wait_for()

    # a filter changes the chart
    drawn = bars.inner_html()
    page.locator(".widget-select-multiple select").nth(4).select_option("fail")
    summary.get_by_text("66 trials").wait_for()
    page.wait_for_function(
        "before => document.querySelector('.jp-OutputArea .vega-embed svg')?.innerHTML !== before",
        arg=drawn,
    )

    # a brush comes back to Python
    area = page.locator(".jp-OutputArea .vega-embed svg").first
    box = area.locator(".background").first.bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, box["y"] + 40, steps=6)
    page.mouse.up()
    summary.get_by_text("brushed").wait_for()
    picked, left = json.loads((folder / "picked.json").read_text())
    assert 1 <= len(picked) <= 4
    assert 0 < left < 66

    # a row opens a trial
    page.locator("table[role=grid] tbody tr").first.click()
    reader = page.locator(".ae-reader")
    reader.get_by_text("checks passed").wait_for()
    reader.get_by_role("button", name="Measured").click()
    reader.get_by_text("ended by").wait_for()

    # a second one beside it, with the place where they part; then a link to another repeat
    others = reader.locator("select").first
    labels = others.locator("option").all_inner_texts()
    with_steps = next(label for label in labels if "chance:0.75" in label and "(sample)" in label)
    others.select_option(label=with_steps)
    reader.get_by_role("button", name="Put beside").click()
    reader.get_by_text("They part after").first.wait_for()
    reader.locator(".vega-embed svg").get_by_text("Steps of two trials").first.wait_for()
    opened = reader.locator("h3").first.inner_text()
    reader.locator(".ae-links button:not([disabled])").first.click()
    page.wait_for_function(
        "before => document.querySelector('.ae-reader h3')?.innerText !== before", arg=opened
    )

    # the label queue writes a file, by button and by key
    page.get_by_role("button", name="pass (p)").click()
    page.locator(".ae-label-progress").get_by_text("1 labelled").wait_for()
    page.locator("[role=application]").click()
    page.keyboard.press("f")
    page.locator(".ae-label-progress").get_by_text("2 labelled").wait_for()
    lines = map(json.loads, (folder / "store/labels.jsonl").read_text().splitlines())
    assert [line["passed"] for line in lines if line["annotator"] == "ada"] == [True, False]

    # the stop button stops
    progress = page.locator(".ae-progress")
    progress.get_by_text("is running").wait_for()
    page.get_by_role("button", name="Stop").click()
    progress.get_by_text("is stopped").wait_for()

    # SQL in a widget
    page.locator(".jp-OutputArea").get_by_role("button", name="Run", exact=True).click()
    page.locator(".ae-result td", has_text="scripted:chance:0.6").wait_for()

    page.screenshot(path=tmp_path / "widgets.png", full_page=True)
    assert [url for url in fetched if not local.match(url)] == []
    assert uncaught == []
    context.close()
