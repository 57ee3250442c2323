"""The pages in a real browser without a network: all drawn, nothing asked for, nothing off the side."""

from pathlib import Path

import pytest

from agenteval.reports import render

pytestmark = pytest.mark.browser

ALL_DRAWN = """() => {
    const charts = [...document.querySelectorAll('figure.chart')];
    return charts.length > 0 && charts.every(chart => chart.dataset.drawn === 'yes');
}"""
CHARTS = """() => [...document.querySelectorAll('figure.chart')].map(chart => ({
    marks: chart.querySelectorAll('svg path, svg text').length,
    width: chart.querySelector('svg').getBoundingClientRect().width,
    label: chart.getAttribute('aria-label'),
}))"""


class Visit:
    """One look at a page, with everything the browser had to say about it."""

    def __init__(self, browser, path: Path, width: int, scheme: str = "light") -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.said.append(f"uncaught: {error}"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.url = path.as_uri()
        self.page.goto(self.url)
        self.page.wait_for_function(ALL_DRAWN)

    def overhang(self) -> int:
        return self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")


@pytest.fixture(scope="module", params=["run_report", "00_start_here"])
def page(request, store, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    parameters = {"baseline": "base"} if request.param == "run_report" else {}
    return render(request.param, store=store, parameters=parameters, html=folder / "page.html").html


def test_the_page_is_whole_offline_at_every_width(page, chromium, tmp_path):
    assert page.stat().st_size < 2_500_000
    for width, scheme in ((1280, "light"), (390, "light"), (1280, "dark")):
        visit = Visit(chromium, page, width, scheme)
        visit.page.screenshot(path=tmp_path / f"{width}-{scheme}.png", full_page=True)
        charts = visit.page.evaluate(CHARTS)
        assert visit.said == []
        assert visit.asked == [visit.url]
        assert visit.overhang() <= 0
        assert len(charts) >= 3
        assert all(chart["marks"] > 10 and chart["width"] > 200 for chart in charts)
        assert all(len(chart["label"]) > 20 for chart in charts)
        assert visit.page.title().endswith("?")
        assert visit.page.locator("h1").count() == 1
        visit.context.close()


def test_pictures_stand_in_where_scripts_do_not_run(page, chromium):
    context = chromium.new_context(offline=True, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(page.as_uri())
    pictures = tab.locator("figure.chart img")
    assert pictures.count() == tab.locator("figure.chart").count() >= 3
    assert all(picture.bounding_box()["width"] > 200 for picture in pictures.all())
    context.close()


def test_text_planted_in_the_data_stays_text(page, chromium):
    visit = Visit(chromium, page, 1280)
    assert visit.page.locator("AssertionError").count() == 0
    assert visit.page.get_by_text("<AssertionError>").count() > 0
    visit.context.close()
