"""Rendering in a real browser: saved files, a server on this machine, and everything that goes wrong with pages."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from newsextract.browser.render import Browser, RenderError, render
from newsextract.cli import main
from newsextract.errors import DataError, UsageError
from newsextract.page.nodes import Nodes
from newsextract.page.snapshot import Snapshot, SnapshotError

pytestmark = pytest.mark.crawl

Answer = tuple[int, dict[str, str], bytes]
PAGES: dict[str, Answer | Callable[[BaseHTTPRequestHandler], None]] = {}


def page(path: str, body: str, status: int = 200, **headers: str) -> None:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    PAGES[path] = (status, {"content-type": "text/html; charset=utf-8"} | named, body.encode())


class Site:
    """A server on this machine; what was asked of it is kept."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:  # http.server's name
                site.asked.append(self.path)
                answer = PAGES.get(self.path, (404, {}, b"nothing here"))
                if callable(answer):
                    answer(self)
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET  # noqa: N815  # http.server's name

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(scope="module")
def browser(rendering: None) -> Iterator[Browser]:
    with Browser(recycle=7) as opened:
        yield opened


@pytest.fixture
def site(browser: Browser) -> Iterator[Site]:
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()
    PAGES.clear()


def saved(folder: Path, html: str, name: str = "page.html") -> Path:
    path = folder / name
    path.write_text(html, "utf-8")
    return path


def said(snapshot: Snapshot) -> str:
    return snapshot.nodes.text(0)


def box(nodes: Nodes, name: str) -> list[float]:
    number = next(i for i, own in enumerate(nodes.attributes) if own.get("id") == name)
    assert nodes.geometry is not None
    return [round(float(side), 1) for side in nodes.geometry.boxes[number]]


def still_works(browser: Browser, folder: Path) -> None:
    assert said(browser.render(saved(folder, "<p>still here", "after.html"))) == "still here"


# Saved pages


def test_a_saved_page_with_its_style_sheet(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "page_files").mkdir()
    (tmp_path / "page_files/look é.css").write_text("body{margin:0} #a{width:321px;height:40px;font-size:40px}")
    html = "<!DOCTYPE html><link rel=stylesheet href='page_files/look%20%C3%A9.css'><div id=a>x</div>"
    made = browser.render(saved(tmp_path, html), screenshot=True)
    assert box(made.nodes, "a") == [0, 0, 321, 40]
    assert made.nodes.geometry is not None
    assert made.nodes.geometry.base_font_size == 40
    assert made.nodes.geometry.page_size == (1423, 900)
    assert made.viewport == (1423, 900)
    assert (made.url, made.scripts, made.note) == (None, False, None)
    assert made.screenshot is not None
    assert made.screenshot.startswith(b"\x89PNG")
    assert int.from_bytes(made.screenshot[16:20]) == 1423
    assert made.fetched_at.tzinfo is not None


def test_its_address_and_encoding(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_bytes("<meta charset=gb2312><p>新闻".encode("gb2312"))
    (tmp_path / "c.css").write_text("p{position:absolute;left:77px;top:0;margin:0}")
    path.write_bytes(path.read_bytes() + b"<link rel=stylesheet href=/news/c.css>")
    made = browser.render(path, url="https://example.org/news/1.html#x")
    assert (said(made), made.url) == ("新闻", "https://example.org/news/1.html#x")
    number = made.nodes.tags.index("p")
    assert made.nodes.geometry is not None
    assert made.nodes.geometry.boxes[number][0] == 77


@pytest.mark.parametrize("url", ["https://example.org", "HTTPS://EXAMPLE.org:443/a/../b c/ü?x=ä b", "http://bücher.example"])
def test_addresses_that_a_browser_writes_otherwise(browser: Browser, tmp_path: Path, url: str) -> None:
    (tmp_path / "c.css").write_text("p{position:absolute;left:77px;margin:0}")
    made = browser.render(saved(tmp_path, "<link rel=stylesheet href=c.css><p id=p>x"), url=url)
    assert (made.url, box(made.nodes, "p")[0]) == (url, 77)


@pytest.mark.parametrize("url", ["", "no address", "javascript:1", "http://"])
def test_what_is_no_address_of_a_file(browser: Browser, tmp_path: Path, url: str) -> None:
    assert said(browser.render(saved(tmp_path, "<p>x"), url=url)) == "x"


def test_a_saved_page_reads_its_own_folder_only(browser: Browser, site: Site, tmp_path: Path) -> None:
    sheet = "p{position:absolute;left:%dpx;margin:0}"
    (tmp_path / "secret.css").write_text(sheet % 500)
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "link.css").symlink_to(tmp_path / "secret.css")
    page("/x.css", sheet % 600)
    links = ["../secret.css", "..%2Fsecret.css", "link.css", (tmp_path / "secret.css").as_uri(), f"{site.url}/x.css"]
    links += ["//saved.invalid/%2e%2e/secret.css", str(tmp_path / "secret.css")]
    html = "".join(f"<link rel=stylesheet href='{link}'>" for link in links) + f"<img src={site.url}/i.png><p id=p>x"
    for scripts in (False, True):
        made = browser.render(saved(inner, html + f"<script>fetch('{site.url}/f')</script>"), scripts=scripts)
        assert box(made.nodes, "p")[0] == 8
    assert site.asked == []


def test_scripts_of_a_saved_page_run_on_request_only(browser: Browser, tmp_path: Path) -> None:
    path = saved(tmp_path, "<p id=p>before</p><script>p.textContent = 'after'</script><noscript>no</noscript>")
    assert said(browser.render(path)) == "before"
    made = browser.render(path, scripts=True)
    assert (said(made), made.scripts) == ("after", True)


@pytest.mark.parametrize("name", ["none", "nul\0", "."])
def test_a_file_that_cannot_be_read(browser: Browser, tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"expected a file or an http"):
        browser.render(tmp_path / name)


def test_a_file_over_the_cap(browser: Browser, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="more than 10,000,000 bytes"):
        browser.render(saved(tmp_path, "x" * 10_000_001))


@pytest.mark.parametrize("parameter", [{"timeout": 0}, {"timeout": -1}, {"settle": -1}, {"scrolls": -1}, {"scrolls": 101}])
def test_parameters_out_of_range(browser: Browser, tmp_path: Path, parameter: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="expected seconds up to 3,600"):
        browser.render(tmp_path, **parameter)  # type: ignore[arg-type]


# Addresses


def test_an_address_with_its_scripts(browser: Browser, site: Site) -> None:
    page("/", "<link rel=stylesheet href=/s.css><div id=a></div><script src=/s.js></script>")
    page("/s.css", "#a{width:99px;height:22px;display:block}", content_type="text/css")
    page("/s.js", "fetch('/late').then(r => r.text()).then(t => a.textContent = t)", content_type="text/javascript")
    page("/late", "loaded late")
    made = browser.render(site.url + "/")
    assert (said(made), made.url, made.scripts) == ("loaded late", site.url + "/", True)
    assert box(made.nodes, "a")[2:] == [99, 22]
    assert said(browser.render(site.url + "/", scripts=False)) == ""


def test_the_case_of_a_scheme_means_nothing(browser: Browser, site: Site) -> None:
    page("/", "<p>text</p>")
    made = browser.render(site.url.replace("http", "HTTP") + "/")
    assert (said(made), made.url) == ("text", site.url + "/")


def test_of_a_file_address_the_path_is_wanted(browser: Browser) -> None:
    with pytest.raises(UsageError, match=r"^file:///x/a\.html: file addresses are not read; give the path, /x/a\.html$"):
        browser.render("file:///x/a.html")


def test_what_is_posted_and_compressed_passes_the_proxy(browser: Browser, site: Site) -> None:
    def echo(handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        handler.send_response(200)
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    PAGES["/echo"] = echo
    page(
        "/",
        "<p id=p></p><script>fetch('/echo', {method: 'POST', body: 'x'.repeat(200000)}).then(r => r.text())"
        ".then(t => p.textContent = t.length)</script>",
    )
    assert said(browser.render(site.url + "/")) == "200000"


def test_media_fonts_frames_and_trackers_are_not_loaded(browser: Browser, site: Site) -> None:
    page(
        "/",
        "<style>@font-face{font-family:f;src:url(/f.woff2)} p{font-family:f}</style><p>text</p><video src=/v.mp4 autoplay>"
        "</video><audio src=/a.mp3 preload=auto></audio><iframe src=/frame></iframe><img src=/i.png>"
        "<link rel=stylesheet href=/c.css><script>new Image().src='http://www.google-analytics.com/collect'</script>",
    )
    browser.render(site.url + "/")
    assert set(site.asked) - {"/favicon.ico"} == {"/", "/i.png", "/c.css"}


@pytest.mark.parametrize(("status", "message"), [(404, "HTTP 404"), (503, "HTTP 503"), (429, "HTTP 429")])
def test_error_codes(browser: Browser, site: Site, status: int, message: str) -> None:
    page("/", "<p>sorry", status)
    with pytest.raises(RenderError, match=rf"^{site.url}/: {message}"):
        browser.render(site.url + "/")


@pytest.mark.parametrize("how", ["redirect", "refresh", "script", "image", "fetch", "worker", "popup", "frame", "socket"])
def test_another_private_server_is_never_reached(browser: Browser, site: Site, how: str) -> None:
    other = Site()
    target = f"{other.url}/secret"
    ways = {
        "refresh": f"<meta http-equiv=refresh content='0;url={target}'>",
        "script": f"<script>location = '{target}'</script>",
        "image": f"<p>page</p><img src='{target}'><link rel=stylesheet href='{target}'><link rel=preconnect href='{target}'>",
        "fetch": f"<p>page</p><script>fetch('{target}'); fetch('/away')</script>",
        "worker": f"<p>page</p><script>new Worker(URL.createObjectURL(new Blob(['fetch(\"{target}\")'])))</script>",
        "popup": f"<p>page</p><script>open('{target}')</script>",
        "frame": f"<p>page</p><iframe src='{target}'></iframe>",
        "socket": f"<p>page</p><script>new WebSocket('{target.replace('http', 'ws')}')</script>",
    }
    page("/away", "", 302, location=target)
    page("/", ways.get(how, ""))
    try:
        if how == "redirect":
            with pytest.raises(RenderError, match=r"has the private address 127\.0\.0\.1"):
                browser.render(f"{site.url}/away")
        elif how in ("refresh", "script"):
            browser.render(site.url + "/", settle=1)  # the refused page has no text
        else:
            assert said(browser.render(site.url + "/", settle=1)) == "page"
    finally:
        other.server.shutdown()
        other.server.server_close()
    assert other.asked == []


def test_names_are_checked_after_they_are_resolved(browser: Browser, site: Site) -> None:
    port = site.server.server_port
    page("/", f"<p>page</p><script>fetch('http://localhost:{port}/by-name', {{mode: 'no-cors'}})</script>")
    assert said(browser.render(site.url + "/")) == "page"
    assert "/by-name" not in site.asked
    page("/", "<p>by name")
    assert said(browser.render(f"http://localhost:{port}/")) == "by name"


def test_no_such_host(browser: Browser) -> None:
    with pytest.raises(RenderError, match=r"nowhere\.invalid is not known"):
        browser.render("https://nowhere.invalid/")


def test_nobody_listens(browser: Browser) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(RenderError, match="no connection"):
        browser.render(f"http://127.0.0.1:{port}/")


@pytest.mark.parametrize("url", ["http://x:99999/", "http://[::1/", "http://example.org:port/"])
def test_no_address(browser: Browser, url: str) -> None:
    with pytest.raises(UsageError, match="expected an address such as"):
        browser.render(url)


# What goes wrong


def test_a_server_that_never_answers(browser: Browser, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(RenderError, match=r"no answer within 1\.5 s"):
        browser.render(f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout=1.5)
    still_works(browser, tmp_path)


def test_a_page_that_never_ends_loading_is_taken_as_it_is(browser: Browser, site: Site) -> None:
    stop = threading.Event()

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/html")
        handler.end_headers()
        handler.wfile.write(b"<p>first</p>" + b" " * 2000)
        handler.wfile.flush()
        stop.wait(20)

    PAGES["/image"] = lambda handler: stop.wait(20) and None
    PAGES["/endless"] = endless
    page("/", "<p>the text</p><img src=/image>")
    try:
        for path, text in (("/", "the text"), ("/endless", "first")):
            made = browser.render(site.url + path, timeout=2)
            assert (said(made), made.note) == (text, "not loaded to the end within 2 s")
    finally:
        stop.set()


def test_a_script_that_never_ends(browser: Browser, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newsextract.browser.loading._ALIVE", 2.0)
    monkeypatch.setattr("newsextract.browser.loading.WALK_TIMEOUT", 2.0)
    page("/", "<p>text</p><script>while (true) {}</script>")
    page("/later", "<p>text</p><script>onload = () => setTimeout(() => { while (true) {} }, 10)</script>")
    for path in ("/", "/later"):
        with pytest.raises(RenderError, match="the page does not respond"):
            browser.render(site.url + path, timeout=2)
    still_works(browser, tmp_path)


def test_dialogs_pop_ups_and_downloads(browser: Browser, site: Site) -> None:
    page(
        "/",
        "<p id=p>0</p><script>alert(1); confirm(2); prompt(3); onbeforeunload = () => 'stay';"
        "for (let i = 0; i < 5; i++) window.open('/popup' + i); print();"
        "const a = document.createElement('a'); a.href = '/file.zip'; a.download = 'x'; a.click(); p.textContent = 'done'</script>",
    )
    PAGES["/file.zip"] = (200, {"content-type": "application/zip", "content-disposition": "attachment"}, b"PK" * 100)
    assert said(browser.render(site.url + "/")) == "done"
    with pytest.raises(RenderError, match="a download, not a page"):
        browser.render(site.url + "/file.zip")


def test_infinite_scroll_is_bounded(browser: Browser, site: Site) -> None:
    page(
        "/",
        "<div id=d></div><script>let n = 0; const more = () => { for (let i = 0; i < 10; i++) d.insertAdjacentHTML("
        "'beforeend', `<p style='height:100px;margin:0'>post ${n++}</p>`) }; more();"
        "addEventListener('scroll', () => { if (innerHeight + scrollY > d.scrollHeight - 300) more() })</script>",
    )
    first = browser.render(site.url + "/")
    more = browser.render(site.url + "/", scrolls=4, settle=0.1)
    assert said(first).count("post") == 10
    assert 30 <= said(more).count("post") <= 60
    assert "post 0 post 1" in said(more)
    page("/", "<p>x</p><script>setInterval(() => document.body.insertAdjacentHTML('beforeend', '<p>y</p>'), 0)</script>")
    assert said(browser.render(site.url + "/", settle=0.3)).startswith("x y y")
    page("/", "<p style='height:9e6px'>x</p><script>setInterval(() => fetch('/' + Math.random()), 20)</script>")
    start = time.monotonic()
    made = browser.render(site.url + "/", scrolls=100, settle=1, timeout=4)
    assert made.note == "not scrolled to the end within 4 s"
    assert time.monotonic() - start < 12


def test_a_button_that_loads_more_is_clicked(browser: Browser, site: Site) -> None:
    page(
        "/",
        "<button onclick=\"d.innerHTML = ''\">Close</button><div id=d><p>post 0</p></div>"
        "<button id=b onclick=\"d.insertAdjacentHTML('beforeend', `<p>post ${d.children.length}</p>`); "
        'if (d.children.length > 3) b.remove()">Load more</button><a href=/2>More posts</a>',
    )
    assert said(browser.render(site.url + "/", settle=0.1)).count("post ") == 1
    more = browser.render(site.url + "/", settle=0.1, scrolls=10)
    assert (said(more).count("post "), more.url) == (4, site.url + "/")


@pytest.mark.parametrize("before", ["", "<p>Quay News</p><div class='card-skeleton' style='height:9px'></div>"])
def test_a_page_without_text_or_with_a_skeleton_is_waited_for(browser: Browser, site: Site, before: str) -> None:
    page("/", before + "<script>setTimeout(() => document.body.innerHTML = '<p>late</p>', 900)</script>")
    assert said(browser.render(site.url + "/")) == "late"
    start = time.monotonic()
    page("/", before)
    assert browser.render(site.url + "/", settle=0.3).note is None
    assert time.monotonic() - start < 8


def test_a_page_that_goes_on_to_another_while_it_is_waited_for(browser: Browser, site: Site) -> None:
    page("/", "<div class='spinner' style='height:9px'></div><script>setTimeout(() => location = '/next', 500)</script>")
    page("/next", "<p>arrived</p>")
    assert said(browser.render(site.url + "/")) == "arrived"


def test_fifty_thousand_nodes(browser: Browser, tmp_path: Path) -> None:
    path = saved(tmp_path, "<!DOCTYPE html>" + "<div class=a><p>some <b>text</b> more</p></div>" * 8_500)
    made = browser.render(path)
    assert 50_000 < len(made.nodes) < 60_000
    assert made.nodes.visible[3:].all()
    assert made.nodes.geometry is not None
    assert made.nodes.geometry.boxes[-1][1] > 100_000


def test_a_page_over_the_caps(browser: Browser, tmp_path: Path) -> None:
    with pytest.raises(SnapshotError, match=r"the page has 20000[0-9] elements, over the cap of 200000 nodes"):
        browser.render(saved(tmp_path, "<b></b>" * 200_000))
    path = saved(tmp_path, "<script>document.write('<p>' + 'x'.repeat(11e6))</script>")
    with pytest.raises(SnapshotError, match="characters, over the cap of 10000000"):
        browser.render(path, scripts=True)
    still_works(browser, tmp_path)


@pytest.mark.parametrize(
    ("made", "said"), [("'x'.repeat(65e6)", "65,000,000 characters, over the cap"), ("[1]", "the snapshot")]
)
def test_a_page_that_replaces_what_the_walk_calls(browser: Browser, tmp_path: Path, made: str, said: str) -> None:
    """What it returns is weighed in the browser, before it fills the memory of this process."""
    path = saved(tmp_path, f"<p>x<script>JSON.stringify = () => {made}</script>")
    with pytest.raises(SnapshotError, match=said):
        browser.render(path, scripts=True)
    still_works(browser, tmp_path)


def test_a_page_whose_sides_are_no_numbers(browser: Browser, tmp_path: Path) -> None:
    script = "Object.defineProperty(document.documentElement, 'scrollWidth', {get: () => 'wide'})"
    path = saved(tmp_path, f"<p>x<script>{script}</script>")
    assert browser.render(path, scripts=True, screenshot=True).screenshot


def processes(kind: str) -> list[int]:
    """Browser processes below this one: ``renderer``, ``gpu-process``, or empty for the main ones."""
    lines = subprocess.run(
        ["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    ).stdout.splitlines()[1:]
    table = {int(pid): (int(parent), command) for pid, parent, command in (line.split(None, 2) for line in lines)}

    def ours(pid: int) -> bool:
        return pid == os.getpid() or (pid in table and ours(table[pid][0]))

    def fits(command: str) -> bool:
        return f"--type={kind}" in command if kind else "--remote-debugging" in command and "--type=" not in command

    return [pid for pid, (_, command) in table.items() if "chrom" in command and fits(command) and ours(pid)]


@pytest.mark.parametrize(
    ("kind", "message"),
    [("renderer", "the page's renderer crashed"), ("", "the browser ended")],
    ids=["renderer", "browser"],
)
def test_a_killed_process(browser: Browser, site: Site, tmp_path: Path, kind: str, message: str) -> None:
    still_works(browser, tmp_path)
    stop = threading.Event()
    seen = threading.Event()

    def slow(handler: BaseHTTPRequestHandler) -> None:
        seen.set()
        stop.wait(20)

    PAGES["/slow"] = slow
    page("/", "<p>x</p><img src=/slow>")

    def kill() -> None:
        seen.wait(20)
        for pid in processes(kind):
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(RenderError, match=message):
            browser.render(site.url + "/", timeout=20)
    finally:
        stop.set()
        killer.join()
    still_works(browser, tmp_path)


def test_a_browser_killed_between_two_pages(browser: Browser, tmp_path: Path) -> None:
    still_works(browser, tmp_path)
    for pid in processes(""):
        os.kill(pid, signal.SIGKILL)
    still_works(browser, tmp_path)


def test_a_renderer_that_crashes_of_itself(browser: Browser, site: Site, tmp_path: Path) -> None:
    stop = threading.Event()
    PAGES["/slow"] = lambda handler: stop.wait(20) and None
    page("/", "<p>x</p><img src=/slow>")

    def crash() -> None:
        time.sleep(1.0)
        opened = browser._contexts[True][0].pages[0]
        asyncio.run_coroutine_threadsafe(opened.goto("chrome://crash"), browser._loop).exception(20)

    thread = threading.Thread(target=crash)
    thread.start()
    try:
        with pytest.raises(RenderError, match="the page's renderer crashed"):
            browser.render(site.url + "/", timeout=20)
    finally:
        stop.set()
        thread.join()
    still_works(browser, tmp_path)


# The browser


def test_contexts_are_made_anew(browser: Browser, tmp_path: Path) -> None:
    seen = set()
    for _ in range(16):
        still_works(browser, tmp_path)
        seen.add(id(browser._contexts[False][0]))
    assert len(seen) >= 2
    assert len(processes("")) == 1


def test_in_other_threads_and_within_an_event_loop(browser: Browser, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two", "three")]  # they write their pages at the same time
    for folder in folders:
        folder.mkdir()
    threads = [threading.Thread(target=still_works, args=(browser, folder)) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    async def within() -> str:
        return said(browser.render(saved(tmp_path, "<p>in a loop")))

    assert asyncio.run(within()) == "in a loop"


def test_nothing_is_left_running(browser: Browser, tmp_path: Path) -> None:
    before = set(processes(""))
    opened = Browser()
    still_works(opened, tmp_path)
    assert len(processes("")) == len(before) + 1
    opened.close()
    opened.close()
    assert set(processes("")) == before
    with pytest.raises(UsageError, match="this Browser is closed"):
        opened.render(tmp_path / "after.html")


def test_a_program_that_is_no_browser(tmp_path: Path, browser: Browser) -> None:
    with Browser(Path("/bin/false")) as wrong, pytest.raises(RenderError, match="/bin/false does not start"):
        wrong.render(saved(tmp_path, "x"))


def test_without_playwright() -> None:
    code = (
        "import sys; sys.modules['playwright'] = None\n"
        "import newsextract.browser.render\n"
        "from newsextract import render\n"
        "try: render('x.html')\n"
        "except Exception as e: print(e)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert re.search(r"rendering needs the package playwright: \S*python -m pip install 'playwright>=", told)


def test_the_function_and_the_command(browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = saved(tmp_path, "<title>T</title><p>one</p><script>document.body.append(' two')</script>")
    assert said(render(path)) == "one"
    output = tmp_path / "page.snapshot"
    assert main(["snapshot", str(path), "-o", str(output), "--screenshot", "--url", "https://example.org/"]) == 0
    assert "page.snapshot: 9 nodes, 1 visible text, 1423 x 900 pixels" in capsys.readouterr().out
    made = Snapshot.load(output)
    assert (said(made), made.url, made.screenshot is not None) == ("one", "https://example.org/", True)
    assert main(["snapshot", str(path), "-o", str(output), "--scripts"]) == 0
    assert said(Snapshot.load(output)) == "one two"
    assert main(["snapshot", str(tmp_path / "none"), "-o", str(output)]) == 2
    assert main(["snapshot", str(path), "-o", str(tmp_path / "none" / "x")]) == 2
