"""The report of an article: its blocks, rivals and fields, over a drawn page and over the source."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from newsextract import Page, algorithms, extract
from newsextract.cli import main
from newsextract.inspection import report
from tests.inspection.test_report import data_of
from tests.made_snapshots import made_snapshot

if TYPE_CHECKING:
    from tests.inspection.test_report_in_browser import Looked

TEXT = [
    "The wall that holds the sea has stood for a hundred and forty years, and nobody has ever called it finished.",
    "Divers who inspected the outer third of it in April found that eleven of its foundation blocks have shifted.",
    "The port authority says that there is no danger, and has asked three firms what the next repair would cost.",
]
PAGE = (
    "<html lang=en><head><title>The wall that holds the sea | Harbour Ledger</title>"
    '<meta name=author content="Mara Quill"><meta property="article:published_time" content="2025-06-07T06:00:00Z"></head>'
    "<body><nav><a href=/>Home</a> <a href=/latest>Latest</a></nav><h1>The wall that holds the sea</h1><p>By Mara Quill</p>"
    f"<p>7 June 2025</p>{''.join(f'<p>{line}</p>' for line in TEXT)}"
    "<p>Read more: <a href=/2>Dredging begins</a></p><div hidden>Accept cookies</div><footer>© Harbour Ledger</footer></body></html>"
)
URL = "https://ledger.example/wall.html"


def shown(page: Page, algorithm: str = "combined") -> dict[str, Any]:
    return data_of(report(page, algorithm).html)


def test_the_rows_are_the_blocks_of_the_page_and_the_kept_ones_the_text() -> None:
    page = Page.from_text(PAGE, URL)
    data = shown(page)
    rows = data["blocks"]["rows"]
    assert [row["text"] for row in rows] == page.dom.texts
    lines = extract(page).text.split("\n")
    assert lines[-3:] == TEXT
    assert [row["text"] for row in rows if row["kept"]] == lines
    assert all(row["fate"].startswith(("In the text", "Left out")[not row["kept"]]) for row in rows)
    assert [record["text"] for record in data["views"][0]["records"]] == lines
    fates = {row["text"]: row["fate"] for row in rows}
    assert "title" in fates["The wall that holds the sea"]  # chosen, but the record has it as a field
    assert "promotion" in fates["Read more: Dredging begins"]  # although its probability is high
    assert len(data["page"]["texts"]) == len(rows)
    assert data["page"]["height"] > rows[-1]["box"][1]


def test_every_rival_is_a_view_except_the_one_that_is_the_text() -> None:
    data = shown(Page.from_text(PAGE, URL))
    rivals = next(table for table in data["tables"] if table["title"] == "Rivals")
    assert sum(row["taken"] for row in rivals["rows"]) == 1
    assert len(data["views"]) == len(rivals["rows"])
    assert data["views"][-1]["name"] == "text_density"
    assert shown(Page.from_text(PAGE, URL), "text_density")["views"][1]["name"] == "combined"


def test_fields_have_their_place_and_lead_to_their_block() -> None:
    data = shown(Page.from_text(PAGE, URL))
    rows = data["tables"][0]["rows"]
    taken = {row["cells"][0]: row for row in rows if row["taken"]}
    assert taken["title"]["cells"][1:3] == ["The wall that holds the sea", "h1"]
    assert taken["date"]["cells"][1:3] == ["2025-06-07T06:00:00+00:00", "meta:article:published_time"]
    assert taken["authors"]["cells"][1:3] == ["Mara Quill", "meta:author"]
    heading = data["blocks"]["rows"][taken["title"]["block"]]
    assert heading["text"] == "The wall that holds the sea"
    visible = [row for row in rows if not row["taken"] and "7 June 2025" in row["cells"][3]]
    assert [data["blocks"]["rows"][row["block"]]["text"] for row in visible] == ["7 June 2025"]


def test_blocks_have_the_boxes_of_what_a_browser_drew() -> None:
    snapshot = made_snapshot(PAGE, URL)
    data = shown(Page.from_snapshot(snapshot))
    nodes = snapshot.nodes
    for row in data["blocks"]["rows"]:
        assert row["box"] is not None
        drawn = round((row["box"][1]) / 20.25)  # a line a node
        assert row["text"].startswith(nodes.texts[drawn])


@pytest.mark.parametrize("name", [name for name in algorithms.names("article") if name in algorithms.ALGORITHMS])
@pytest.mark.parametrize("html", [PAGE, "", "<p>", "%PDF-1.4", "<table>" + "<tr><td>a<td>b" * 20])
def test_every_algorithm_for_articles_can_be_shown(name: str, html: str) -> None:
    data = shown(Page.from_text(html, URL), name)
    assert data["views"][0]["name"] == f"{name}, default"
    found = extract(Page.from_text(html, URL), None, name)
    assert data["views"][0]["status"] == found.status
    assert bool(data["views"][0]["total"]) == bool(found.text)


def test_the_command_reads_standard_input_and_refuses_records_without_a_browser(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    made = tmp_path / "report.html"
    arguments = ["inspect", str(tmp_path / "page.html"), "-o", str(made), "--no-render"]
    assert main([*arguments, "--algorithm", "combined"]) == 0
    assert "3 in the text" in capsys.readouterr().out
    made.unlink()
    assert main(arguments) == 2
    assert not made.exists()


def test_a_page_without_an_article_has_a_note_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, made = tmp_path / "page.html", tmp_path / "report.html"
    page.write_bytes(b"%PDF-1.4 <p>x")
    assert main(["inspect", str(page), "--algorithm", "combined", "--no-render", "-o", str(made)]) == 0
    assert "not_html" in capsys.readouterr().err


@pytest.mark.crawl
def test_in_a_browser_by_pointer_and_keyboard(rendering: None, tmp_path: Path) -> None:
    from playwright.sync_api import sync_playwright

    from newsextract.browser.loading import find_browser
    from tests.inspection.test_report_in_browser import Looked

    (tmp_path / "page.html").write_text(PAGE)
    made = tmp_path / "report.html"
    assert main(["inspect", str(tmp_path / "page.html"), "--algorithm", "combined", "--url", URL, "-o", str(made)]) == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser().path)
        looked = Looked(browser, made)
        _look(looked)
        assert looked.told == []
        assert all(url.startswith(("file:", "data:")) for url in looked.asked)
        browser.close()


def _look(looked: Looked) -> None:
    page = looked.page
    assert page.locator("#overlay .records rect").count() == 3
    page.locator("#tree .row").first.focus()
    page.keyboard.press("ArrowDown")
    assert looked.details().startswith("h1 ")
    page.locator("#table tr.taken button").first.click()  # the title leads to its block
    assert page.locator("#tree .row.chosen .snippet").inner_text() == "The wall that holds the sea"
    page.uncheck("#layer-dropped")
    assert looked.settled().locator("#tree .row:visible").count() == 3
    page.locator("#views button").first.focus()
    page.keyboard.press("ArrowRight")
    assert "network for articles" in page.inner_text("#outcome")
