"""The gallery in a real browser without a network: every chart drawn, no complaint, no overhang."""

import pytest

from agenteval.reports import render

pytestmark = pytest.mark.browser

ALL_DRAWN = """() => {
    const charts = [...document.querySelectorAll('figure.chart')];
    return charts.length > 0 && charts.every(chart => chart.dataset.drawn === 'yes');
}"""
BOXES = """() => [...document.querySelectorAll('figure.chart svg')].map(svg => {
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(text => text.getBoundingClientRect());
    return {
        marks: svg.querySelectorAll('path, text').length,
        cut: texts.filter(t => t.width && (t.left < box.left - 1 || t.right > box.right + 1
            || t.top < box.top - 1 || t.bottom > box.bottom + 1)).length,
        title: svg.querySelector('text')?.textContent,
    };
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return render("gallery", html=tmp_path_factory.mktemp("gallery") / "gallery.html").html


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light")])
def test_every_chart_is_drawn_whole(page, chromium, tmp_path, width, scheme):
    context = chromium.new_context(
        viewport={"width": width, "height": 900}, offline=True, color_scheme=scheme
    )
    tab, said, asked = context.new_page(), [], []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri())
    tab.wait_for_function(ALL_DRAWN, timeout=120_000)
    tab.screenshot(path=tmp_path / f"gallery-{width}-{scheme}.png", full_page=True)
    boxes = tab.evaluate(BOXES)
    assert said == []
    assert asked == [page.as_uri()]
    assert tab.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
    assert len(boxes) == 27
    assert all(box["marks"] > 8 for box in boxes)
    assert [box["title"] for box in boxes if box["cut"]] == []
    context.close()
