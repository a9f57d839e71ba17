"""axe-core's checks of every kind of page that newsextract makes: light and dark, on a phone and on a desk."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from newsextract import Page
from newsextract.browser.loading import find_browser
from newsextract.feed_report import report as feed_report
from newsextract.inspection import report
from newsextract.inspection.views import compared, proof_page
from tests.feed_report.test_report import LINES, REJECTED, written
from tests.inspection.test_article_report import PAGE, URL
from tests.inspection.test_report import HITS, wide

if TYPE_CHECKING:
    from playwright.sync_api import Browser

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright",
    reason="axe-core is missing: pip install axe-playwright-python -c requirements-dev.lock",
)
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
WIDTHS = (400, 1400)
PAGES = ("report", "records", "article", "source", "proof", "docs/index", "docs/guides/nothing")
LEFT_OUT: tuple[list[str], list[str]] = ([], ["landmark-unique"])
"""Rules that are not asked for: of our own pages none; of the documents those that their theme's own menus break."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, each as a file."""
    made = tmp_path_factory.mktemp("pages")
    written(made / "news.rejected.jsonl", list(REJECTED))
    page = Page.from_text(PAGE, URL)
    record = {
        "url": URL,
        "title": "The wall that holds the sea",
        "date": "2025-06-07",
        "text": "a",
        "authors": ["Mara Quill"],
    }
    refused = [{"url": f"{URL}?2", "status": "listing", "reason": "a list"}]
    pages = {
        "report": feed_report(written(made / "news.jsonl", list(LINES))),
        "records": report(wide(HITS), "mdr").html,
        "article": report(wide(PAGE), "combined").html,
        "source": report(page, "combined").html,
        "proof": proof_page("ledger.example", [("software", "none")], [compared(record, page)], refused, "[[site]]", "why"),
    }
    for name, html in pages.items():
        (made / f"{name}.html").write_text(html, "utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-d", str(made / "docs")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def chromium(rendering: None) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser().path)
        yield browser
        browser.close()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(chromium: Browser, folder: Path, name: str, scheme: str, width: int) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto((folder / f"{name}.html").as_uri())
    for row in page.locator("#tree .row:visible").all()[:3]:
        row.click()
    if width == max(WIDTHS):
        for tab in page.locator("#views button").all()[-1:]:
            tab.click()
    page.wait_for_timeout(300)
    options = {"resultTypes": ["violations"], "rules": {rule: {"enabled": False} for rule in LEFT_OUT[name[:4] == "docs"]}}
    found = axe.Axe().run(page, options=options).response["violations"]
    context.close()
    assert [(one["id"], [node["html"][:160] for node in one["nodes"][:5]]) for one in found] == []
