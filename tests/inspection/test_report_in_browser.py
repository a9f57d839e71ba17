"""The report in a real browser: what it shows, and that nothing of a hostile page runs in it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from newsextract.browser.loading import find_browser
from newsextract.cli import main
from tests.made_snapshots import made_snapshot

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

pytestmark = pytest.mark.crawl

EVIL = "</script><script>window.hacked=1</script><img src=http://evil.example/x onerror=window.hacked=1>"
WRITTEN = EVIL.replace("<", "&lt;")
HOSTILE = f"""<!DOCTYPE html><title>{WRITTEN}</title>
<style>#all div {{ border: 1px solid; padding: 8px }} h1 {{ height: 90px }}</style>
<h1 id='x"><script>window.hacked=1</script>' onclick="window.hacked=1">{WRITTEN}</h1><div id=all>""" + "".join(
    f"""<div class='hit "onmouseover=window.hacked=1 <b>' onmouseover="window.hacked=1">
    <h3><a href="javascript:window.hacked=1">Boat {n} \u2028 of &lt;img src=x onerror=window.hacked=1></a></h3>
    <p style="background:url(http://evil.example/y)">It lies at pier {n}; ${{window.hacked=1}} `'" {WRITTEN}</p>
    <img src="data:image/png;base64,x" alt="&lt;svg onload=window.hacked=1>"></div>"""
    for n in range(5)
)


@pytest.fixture(scope="module")
def browser_path(rendering: None) -> Path:
    return find_browser().path


@pytest.fixture
def server(hostile: Path) -> Iterator[tuple[str, list[str]]]:
    """A server on this machine with the report and a page without a policy, and what was asked of it."""
    asked: list[str] = []
    pages = {"/report": hostile.read_bytes(), "/free": b"<title>free</title>"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # http.server's name
            asked.append(self.path)
            body = pages.get(self.path, b"")
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}", asked
    made.shutdown()
    made.server_close()


@pytest.fixture(scope="module")
def hostile(browser_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a hostile page, made by the command before the browser for reading it starts."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "page.html").write_text(HOSTILE, "utf-8")
    url = 'https://evil.example/"><script>window.hacked=1</script>'
    arguments = ["inspect", str(folder / "page.html"), "--url", url, "--algorithm", "mdr", "-o", str(folder / "report.html")]
    assert main(arguments) == 0
    return folder / "report.html"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a snapshot without a picture."""
    folder = tmp_path_factory.mktemp("bare")
    items = "".join(f"<li><a href=/{n}>Boat {n} is for sale</a><p>At pier {n}, for a while.</p></li>" for n in range(5))
    made_snapshot(f"<h1>Boats</h1><ul>{items}</ul>", "https://boats.example/").save(folder / "page.snapshot")
    path = folder / "report.html"
    assert main(["inspect", str(folder / "page.snapshot"), "--algorithm", "mdr", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def browser(browser_path: Path, hostile: Path) -> Iterator[Browser]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=browser_path)
        yield opened
        opened.close()


class Looked:
    """A report in the browser, and all that it did."""

    def __init__(self, browser: Browser, path: Path, **options: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1400, "height": 900}, **options)
        self.page: Page = self.context.new_page()
        self.asked: list[str] = []
        self.told: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.told.append(message.text))
        self.page.on("pageerror", lambda error: self.told.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("#tree .row")

    def _dialog(self, dialog: Dialog) -> None:
        self.told.append("dialog")
        dialog.dismiss()

    def settled(self) -> Page:
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self.page

    def details(self) -> str:
        return self.settled().inner_text("#details")


@pytest.fixture
def seen(browser: Browser, hostile: Path) -> Iterator[Looked]:
    looked = Looked(browser, hostile)
    yield looked
    looked.context.close()


def test_nothing_of_a_hostile_page_runs_and_nothing_is_fetched(seen: Looked, hostile: Path) -> None:
    page = seen.page
    page.click("#open-all")
    page.check("#layer-dropped")
    for row in page.locator("#tree .row:visible").all():
        row.click()
        seen.settled()
    for view in page.locator("#views button").all():
        view.click()
        for tab in page.locator("#tabs button").all():
            tab.click()
            for line in page.locator("#table tbody tr button").all():
                line.click()
                seen.settled()
    assert page.evaluate("window.hacked") is None
    assert EVIL in page.inner_text("body")  # it is shown, as text
    assert page.locator("#tree img, #details img, #table img, #table a, #details a, iframe, object, embed").count() == 0
    assert page.locator("script").count() == 2
    assert seen.asked[0] == hostile.as_uri()
    assert all(url.startswith("data:image/png;base64,") for url in seen.asked[1:])
    assert seen.told == []  # no error, no dialog, and the policy had nothing to forbid


_ATTEMPTS = """(server) => {
    document.addEventListener("securitypolicyviolation", (e) => (window.forbidden ??= []).push(e.violatedDirective));
    const div = document.createElement("div");
    div.innerHTML = `<img src="${server}/image"><img src="x:" onerror="window.hacked=1"><p style="color:red">x</p>`
        + `<a id="bad" href="javascript:window.hacked=1">x</a><iframe src="${server}/frame"></iframe>`;
    document.body.append(div);
    const script = document.createElement("script");
    script.textContent = "window.hacked=1";
    document.body.append(script);
    fetch(`${server}/fetch`).catch(() => 0);
    document.getElementById("bad").click();
}"""


def test_the_policy_forbids_what_would_run_or_fetch(seen: Looked, server: tuple[str, list[str]]) -> None:
    address, asked = server
    page = seen.page
    page.goto(f"{address}/report")
    page.evaluate(_ATTEMPTS, address)
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") is None
    forbidden = set(page.evaluate("window.forbidden"))
    assert forbidden >= {"img-src", "script-src-elem", "script-src-attr", "style-src-attr", "frame-src", "connect-src"}
    assert set(asked) <= {"/report", "/favicon.ico"}  # the latter is the browser's own
    # The same attempts where there is no policy.
    page.goto(f"{address}/free")
    page.evaluate(_ATTEMPTS, address)
    page.wait_for_timeout(300)
    assert page.evaluate("window.hacked") == 1
    assert set(asked) >= {"/image", "/frame", "/fetch"}


def test_picture_tree_and_table_are_linked_both_ways(seen: Looked) -> None:
    page = seen.page
    assert page.inner_text("#outcome").startswith("5 records by mdr, default")
    assert page.locator("#overlay .records rect").count() == 5
    # From the picture: the heading of the first record.
    first = page.locator("#overlay .records rect").first.bounding_box()
    assert first is not None
    page.mouse.move(first["x"] + 40, first["y"] + first["height"] / 5)
    told = seen.details()
    assert "Kept: none of the rules" in told
    assert "in this record" in told
    names = page.evaluate("JSON.parse(document.getElementById('data').textContent).blocks.names")
    assert [name for name in names if name not in told] == []
    assert len(names) == 34
    assert page.locator("#tree .row.hover").count() == 1
    assert page.locator("#table tr.hover").get_attribute("data-target") == "record 0"
    # From the tree: the pointer's box is that of the block.
    page.locator("#tree .row:visible", has_text="Boat 3").last.hover()
    seen.settled()
    box = page.locator("#overlay .pointer rect").first.bounding_box()
    fourth = page.locator("#overlay .records rect").nth(3).bounding_box()
    assert box is not None
    assert fourth is not None
    assert fourth["y"] - 2 <= box["y"] <= fourth["y"] + fourth["height"]
    # From the table.
    page.locator("#table tbody tr").nth(2).locator("button").click()
    assert seen.details().startswith("Record 3")
    assert page.locator("#tree .row.chosen .badge.record").inner_text() == "3"
    page.locator("#name").hover()
    page.locator("#tree .row.chosen").focus()
    page.keyboard.press("Escape")
    assert seen.details().startswith("Point at the page")


def test_why_something_was_dropped(seen: Looked) -> None:
    page = seen.page
    assert page.locator("#tree .row.dropped:visible").count() == 0
    page.check("#layer-dropped")
    page.click("#open-all")
    page.locator("#tree .row.dropped:visible").first.click()
    assert "Dropped. R" in seen.details()


def test_by_keyboard_alone(seen: Looked) -> None:
    page = seen.page
    page.locator("#tree .row").first.focus()
    for key in ("ArrowDown", "ArrowDown", "End", "Home", "ArrowDown"):
        page.keyboard.press(key)
    focused = "document.activeElement.classList.contains('row') && Number(document.activeElement.ariaLevel)"
    assert page.evaluate(focused) == 2
    assert "Kept" in seen.details()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(focused) == 1
    page.keyboard.press("ArrowLeft")
    assert page.locator("#tree .row:visible").count() == 1
    page.keyboard.press("ArrowRight")
    assert page.locator("#tree .row:visible").count() > 1
    page.locator("#views button").first.focus()
    page.keyboard.press("ArrowRight")
    assert "the paper's layers" in page.inner_text("#outcome")
    assert page.evaluate("document.activeElement.ariaSelected") == "true"
    before = page.locator("#lower").bounding_box()
    page.locator("#divider").focus()
    page.keyboard.press("ArrowUp")
    after = page.locator("#lower").bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] > before["height"]


def test_layers_and_size(seen: Looked) -> None:
    page = seen.page
    assert page.locator("#overlay .blocks").is_visible()
    page.uncheck("#layer-blocks")
    assert not page.locator("#overlay .blocks").is_visible()
    record = page.locator("#overlay .records rect").first
    before = record.bounding_box()
    page.click("#larger")
    after = record.bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] == pytest.approx(1.25 * before["width"], rel=0.01)
    picture = page.locator("#picture").bounding_box()
    sheet = page.locator("#sheet").bounding_box()
    assert picture is not None
    assert sheet is not None
    assert picture["width"] == pytest.approx(sheet["width"], abs=1)
    # With blocks away a record is what the pointer finds.
    page.click("#fit")
    box = record.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert seen.details().startswith("Record 1")


def test_a_snapshot_without_picture_shows_texts_at_their_places(browser: Browser, bare: Path) -> None:
    looked = Looked(browser, bare)
    page = looked.page
    assert page.locator("#picture").count() == 0
    assert page.locator("#texts div").first.inner_text() == "Boats"
    text = page.locator("#texts div", has_text="Boat 3 is for sale").bounding_box()
    record = page.locator("#overlay .records rect").nth(3).bounding_box()
    assert text is not None
    assert record is not None
    assert text["x"] == pytest.approx(record["x"], abs=2)
    assert looked.told == []
    looked.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_read(browser: Browser, bare: Path, scheme: str) -> None:
    looked = Looked(browser, bare, color_scheme=scheme)
    page = looked.page
    page.locator("#tree .row").first.click()
    looked.settled()
    contrast = page.evaluate("""() => {
        const numbers = (color) => color.match(/[\\d.]+/g).slice(0, 3).map((n) => {
            const part = Number(n) / 255;
            return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        const light = (color) => { const [r, g, b] = numbers(color); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const back = light(getComputedStyle(document.body).backgroundColor);
        const all = ["body", "#outcome", ".snippet", ".address", ".passes, .fails", "#table th", ".badge.record"];
        return all.map((name) => {
            const front = light(getComputedStyle(document.querySelector(name)).color);
            return [name, (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05)];
        });
    }""")
    assert [name for name, ratio in contrast if ratio < 4.5] == []
    looked.context.close()
