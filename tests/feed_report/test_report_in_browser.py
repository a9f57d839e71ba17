"""The report in a real browser, at the widths of a phone and a desk: nothing runs over, all can be done by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract.browser.loading import find_browser
from newsextract.feed_report import report
from tests.database.feed_lines import article
from tests.feed_report.test_report import LINES, REJECTED, written

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.slow
WORST = """() => {
    const channels = (color) => color.match(/[\\d.]+/g).map(Number);
    const light = (color) => {
        const [r, g, b] = channels(color).slice(0, 3).map((c) => (c /= 255) <= .03928 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const ground = (element) => {
        for (; element; element = element.parentElement) {
            const color = getComputedStyle(element).backgroundColor, parts = channels(color);
            if (parts.length < 4 || parts[3] === 1) return color;
        }
    };
    const ratios = [...document.querySelectorAll("main *, header *")].filter((element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((element) => {
        const [one, other] = [light(getComputedStyle(element).color), light(ground(element))].sort();
        return (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
    });
    return Math.min(...ratios);
}"""
"""The least contrast of text on the page, by the formula of WCAG 2."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    written(folder / "news.rejected.jsonl", list(REJECTED))
    more = [article(100 + number, title=f"Boat n{number}") for number in range(120)]
    (folder / "news.html").write_text(report(written(folder / "news.jsonl", [*LINES, *more])), "utf-8")
    return folder / "news.html"


@pytest.fixture(scope="module")
def browser(rendering: None) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=find_browser().path)
        yield opened
        opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_the_page_fits_has_contrast_and_runs_nothing_of_a_page(
    browser: Browser, path: Path, width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    fetched: list[str] = []
    told: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    page.on("console", lambda message: told.append(message.text))
    page.goto(path.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true })")
    assert page.evaluate(WORST) >= 4.5
    assert page.evaluate("[...document.querySelectorAll('input, select')].every((one) => one.labels.length === 1)")
    assert page.evaluate("window.hacked") is None
    assert (fetched, told) == ([path.as_uri()], [])
    context.close()


def test_records_are_filtered_by_keyboard(browser: Browser, path: Path) -> None:
    from playwright.sync_api import expect

    page = browser.new_page()
    page.goto(path.as_uri())
    visible = page.locator("#record-list > article:visible")
    expect(visible).to_have_count(50)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.locator("#records ~ .controls input").focus()
    page.keyboard.type("boat n11")
    expect(visible).to_have_count(11)
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    expect(visible).to_have_count(50)
    page.locator("#record-list + button").press("Enter")
    expect(visible).to_have_count(100)
    assert page.evaluate("document.activeElement.closest('article') !== null")
    page.close()
