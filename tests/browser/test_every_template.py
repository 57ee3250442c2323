"""Every template as a page: whole without a network, at a desk and on a telephone."""

from pathlib import Path

import pytest

from agenteval.records import bundled
from agenteval.reports import render

pytestmark = pytest.mark.browser
NAMES = (
    "compare_report", "history_report", "judge_report", "suite_report", "trial_report",
    "experiment_report", "02_planning_an_experiment", "05_widgets",
)  # fmt: skip
ALL_DRAWN = """() => [...document.querySelectorAll('figure.chart')]
    .every(chart => chart.dataset.drawn === 'yes')"""


@pytest.mark.parametrize("name", NAMES)
def test_it_is_whole_offline_at_every_width(name, chromium, tmp_path):
    own = None if name[0] == "0" else bundled("data") / "sample_store"
    path: Path = render(name, store=own, html=tmp_path / "page.html").html
    assert path.stat().st_size < 2_500_000
    for width in (1280, 390):
        context = chromium.new_context(viewport={"width": width, "height": 900}, offline=True)
        page = context.new_page()
        said, asked = [], []
        page.on("console", lambda message, said=said: said.append(message.text))
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_function(ALL_DRAWN)
        page.screenshot(path=tmp_path / f"{width}.png", full_page=True)
        assert said == []
        assert [url for url in asked if not url.startswith("data:")] == [path.as_uri()]
        wider = "document.documentElement.scrollWidth - window.innerWidth"
        assert page.evaluate(wider) <= 0
        assert page.locator("h1").count() == 1
        assert page.locator("img:not([alt])").count() == 0
        context.close()
