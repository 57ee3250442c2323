"""Pages for people who hear them or hold them on paper: axe finds no serious fault, nothing is cut off."""

from base64 import b64encode

import pytest

from agenteval.records import bundled
from agenteval.reports import render

pytestmark = pytest.mark.browser

PAGES = ("run_report", "compare_report", "trial_report", "judge_report", "gallery")
ALL_DRAWN = """() => [...document.querySelectorAll('figure.chart')].every(
    chart => chart.dataset.drawn === 'yes')"""
# what a sheet would cut off: content wider or higher than the box that holds it
CUT_OFF = """() => [...document.querySelectorAll('main *')].filter(box => {
    const style = getComputedStyle(box);
    if (box.closest('svg') || style.display === 'inline') return false;
    return box.scrollWidth > box.clientWidth + 1 && style.overflowX !== 'visible'
        || box.scrollHeight > box.clientHeight + 1 && style.overflowY !== 'visible'
        || box.getBoundingClientRect().right > innerWidth + 1;
}).map(box => box.outerHTML.slice(0, 120))"""
# heads, numbers and words of a table that a line's end goes through; a hyphen or a joint may be there
TORN = r"""() => [...document.querySelectorAll('th, td')].flatMap(cell => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT), torn = [];
    for (let text; text = texts.nextNode();) for (const word of text.data.matchAll(/[^\s\/-]+/g)) {
        const range = document.createRange();
        range.setStart(text, word.index);
        range.setEnd(text, word.index + word[0].length);
        if (new Set([...range.getClientRects()].map(box => Math.round(box.top))).size > 1)
            torn.push(`${cell.tagName} ${word[0]}`);
    }
    return torn;
})"""
# the lightness, 0 to 255, of the pixel in a picture's corner, where nothing is drawn
CORNER = """async picture => {
    const image = await createImageBitmap(await (await fetch(picture)).blob());
    const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
    context.drawImage(image, 0, 0);
    return Math.max(...context.getImageData(3, 3, 1, 1).data.slice(0, 3));
}"""
# A4 less 15 mm on each side
SHEET = {"width": 680, "height": 1000}


@pytest.fixture(scope="module", params=PAGES)
def page(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    sample = bundled("data") / "sample_store"
    asked = {"baseline": "sample-before"} if request.param == "run_report" else {}
    return render(request.param, store=sample, parameters=asked, html=folder / "page.html").html


@pytest.fixture(scope="module")
def axe(give_up):
    """The script of axe-core."""
    try:
        from axe_playwright_python.base import AXE_FILE_PATH
    except ImportError:
        give_up("axe-playwright-python is not installed (pip install -e '.[test]')")
    return AXE_FILE_PATH.read_text()


def opened(chromium, page, **options):
    # the page's own policy would keep axe out
    tab = chromium.new_context(offline=True, bypass_csp=True, **options).new_page()
    tab.goto(page.as_uri())
    tab.wait_for_function(ALL_DRAWN, timeout=120_000)
    return tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(page, chromium, axe, scheme):
    tab = opened(chromium, page, color_scheme=scheme)
    tab.evaluate(axe)
    found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert len(found["passes"]) > 10
    assert [
        (fault["impact"], fault["id"], fault["nodes"][0]["html"][:200])
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical", "moderate")
    ] == []
    tab.context.close()


def test_on_paper_nothing_is_cut_off_or_torn(page, chromium, tmp_path):
    tab = opened(chromium, page, viewport=SHEET)
    tab.emulate_media(media="print")
    tab.screenshot(path=tmp_path / "print.png", full_page=True)
    assert tab.evaluate(CUT_OFF) == []
    assert tab.evaluate(TORN) == []
    torn = "[...document.querySelectorAll('figure.chart, tr')].filter(box => getComputedStyle(box).breakInside !== 'avoid').length"
    assert tab.evaluate(torn) == 0
    assert tab.pdf(format="A4").startswith(b"%PDF")
    tab.context.close()


def test_charts_are_dark_on_a_dark_screen_and_white_on_paper(page, chromium):
    tab = opened(chromium, page, color_scheme="dark")

    def corner():
        drawn = tab.locator("figure.chart svg").first.screenshot(scale="css")
        return tab.evaluate(CORNER, f"data:image/png;base64,{b64encode(drawn).decode()}")

    assert corner() < 60
    tab.emulate_media(media="print", color_scheme="dark")
    assert corner() == 255
    tab.emulate_media(media="screen", color_scheme="light")
    assert corner() == 255
    tab.context.close()
