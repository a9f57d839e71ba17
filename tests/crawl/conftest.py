"""Real crawls as processes, a server that behaves as told, and a look at what is still alive.

A crawl runs in a session of its own (setsid), so all its processes can be found in /proc, whoever their parent is.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import uuid
import venv
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from tests.crawl.launcher import Forked, environment

REPOSITORY = Path(__file__).parents[2]
SAMPLE = REPOSITORY / "tests" / "sample_site"
SCRAPY = str(Path(sys.executable).with_name("scrapy"))
LATE = {"PYTHONPATH", "CRAWL_OF_A_TEST", "NEWSEXTRACT_BROWSER"}
"""Variables that a forked crawl heeds."""
_number = itertools.count()


class Session:
    """The processes of a session, found in /proc. Zombies do not count."""

    def __init__(self, leader: int) -> None:
        self.leader = leader

    def processes(self) -> list[int]:
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                with contextlib.suppress(OSError):  # it has just ended
                    state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                    if int(session) == self.leader and state not in "ZX":
                        found.append(int(folder.name))
        return found

    def peaks(self) -> dict[int, int]:
        """Megabytes of resident memory that each process has had at most (VmHWM)."""
        found = {}
        for pid in self.processes():
            with contextlib.suppress(OSError):
                match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
                if match:
                    found[pid] = int(match[1]) // 1000
        return found

    def is_gone_within(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        while self.processes():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def kill(self) -> None:
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class Crawl:
    """A crawl that runs or has run."""

    def __init__(self, command: list[str], feed: Path, **options: Any) -> None:
        self.feed = feed
        self.rejected_feed = feed.with_suffix(".rejected.jsonl")
        self.pages_feed = feed.with_suffix(".pages.jsonl")
        number = next(_number)
        self._out, self._err = (feed.parent / f"{name}-{number}.txt" for name in ("out", "err"))
        feed.parent.mkdir(parents=True, exist_ok=True)
        self.began = time.monotonic()
        self.process: subprocess.Popen[bytes] | Forked
        with self._out.open("wb") as out, self._err.open("wb") as err:
            environ = options.get("env", environment())
            others = {name for name, _ in environ.items() ^ environment().items()}  # than ours
            if command[0] in (SCRAPY, sys.executable) and options.keys() <= {"env"} and others <= LATE:
                self.process = Forked(command, self._out, self._err, REPOSITORY, environ)
            else:
                options = {"cwd": REPOSITORY, "env": environ} | options
                self.process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True, **options)
        self.session = Session(self.process.pid)
        self.peaks: dict[int, int] = {}

    def wait(self, seconds: float = 60, *, watch_memory: bool = False) -> Crawl:
        """Until it ends; all its processes must end with it."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() > end:
                self.session.kill()
                self.process.wait()
                pytest.fail(f"the crawl did not end within {seconds} s:\n{self.err[-4000:]}")
            if watch_memory:
                self.peaks |= self.session.peaks()
            time.sleep(0.05)
        self.seconds = time.monotonic() - self.began
        assert self.session.is_gone_within(10), f"still alive: {self.session.processes()}"
        return self

    def wait_for_lines(self, count: int, feed: Path | None = None, seconds: float = 30) -> None:
        """Until the feed has so many whole lines; the crawl must still run then."""
        path, end = feed or self.feed, time.monotonic() + seconds
        while not path.exists() or path.read_bytes().count(b"\n") < count:
            assert self.process.poll() is None, f"the crawl ended before {count} lines:\n{self.err[-4000:]}"
            assert time.monotonic() < end, f"{path.name} does not reach {count} lines:\n{self.err[-4000:]}"
            time.sleep(0.005)

    def kill(self) -> None:
        """``kill -9`` of the crawl's own process; its workers must go by themselves."""
        assert self.process.poll() is None, f"nothing left to kill:\n{self.err[-4000:]}"
        self.process.kill()
        self.process.wait()

    def interrupt(self) -> None:
        """Ctrl-C: the terminal sends SIGINT to the whole process group."""
        os.killpg(self.process.pid, signal.SIGINT)

    @property
    def code(self) -> int | None:
        return self.process.returncode

    @property
    def out(self) -> str:
        return self._out.read_text("utf-8", "replace")

    @property
    def err(self) -> str:
        return self._err.read_text("utf-8", "replace")

    @property
    def records(self) -> list[dict[str, Any]]:
        return lines(self.feed)

    @property
    def rejected(self) -> list[dict[str, Any]]:
        return lines(self.rejected_feed)

    @property
    def pages(self) -> list[dict[str, Any]]:
        return lines(self.pages_feed)

    @property
    def reasons(self) -> dict[str, str]:
        """Path of each rejected page (with its query) → status of its last line."""
        return {path_of(line["url"]): line["status"] for line in self.rejected}

    def fetched_with(self, code: int) -> list[str]:
        """Addresses that answered with this code, as the log of ``LOG_LEVEL=DEBUG`` tells."""
        return re.findall(rf"Crawled \({code}\) <GET ([^>]*)>", self.err)

    def check(self, code: int | None = None) -> Crawl:
        """It ended with this code and without a traceback; if none is named, with success or, without a record, with 3."""
        if code is None:
            code = 3 if self.code == 3 and not self.records else 0
        assert self.code == code, self.err[-6000:]
        assert "Traceback" not in self.err, self.err[-6000:]
        return self


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def lines(path: Path) -> list[dict[str, Any]]:
    """All lines of a feed; each must be whole."""
    if not path.exists():
        return []
    data = path.read_bytes()
    assert not data or data.endswith(b"\n"), f"torn last line: {data[-200:]!r}"
    return [json.loads(line) for line in data.splitlines()]


StartCrawl = Callable[..., Crawl]


@pytest.fixture
def start_crawl() -> Iterator[StartCrawl]:
    """Begin ``scrapy crawl news``, or another spider; whatever still runs at the end of the test is killed."""
    started: list[Crawl] = []

    def start(feed: Path, *arguments: str, **options: Any) -> Crawl:
        crawl = _start(feed, *arguments, **options)
        started.append(crawl)
        return crawl

    yield start
    for crawl in started:
        crawl.session.kill()
        crawl.process.wait()


@pytest.fixture
def run_crawl(start_crawl: StartCrawl) -> StartCrawl:
    """The same, to its end."""

    def run(feed: Path, *arguments: str, seconds: float = 60, watch_memory: bool = False, **options: Any) -> Crawl:
        return start_crawl(feed, *arguments, **options).wait(seconds, watch_memory=watch_memory)

    return run


@pytest.fixture
def small_crawl(run_crawl: StartCrawl) -> StartCrawl:
    """A crawl to its end without worker processes: a second shorter, for tests in which those play no part."""

    def run(*arguments: Any, settings: dict[str, Any] | None = None, **options: Any) -> Crawl:
        return run_crawl(*arguments, settings={"EXTRACTION_WORKERS": 0, **(settings or {})}, **options)

    return run


def _start(
    feed: Path,
    *arguments: str,
    sites: Path | None = None,
    output: str | None = "-o",
    spider: str = "news",
    settings: dict[str, Any] | None = None,
    env: dict[str, str] | None = None,
    preexec_fn: Callable[[], None] | None = None,
    program: str | None = None,
) -> Crawl:
    """Begin a crawl.

    :param program: Python that takes the place of the ``scrapy`` command.
    """
    command = [*([sys.executable, "-c", program] if program else [SCRAPY]), "crawl", spider, *arguments]
    if output:
        command += [output, str(feed)]
    if sites:
        command += ["-s", f"SITES_FILE={sites}"]
    for name, value in (settings or {}).items():
        command += ["-s", f"{name}={value}"]
    options: dict[str, Any] = {"env": environment(**env)} if env else {}
    return Crawl(command, feed, **options, **({"preexec_fn": preexec_fn} if preexec_fn else {}))


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """One crawl of the sample site that nothing disturbs, with an archive (``warc``). Copy its feeds, never write to them."""
    feed = tmp_path_factory.mktemp("undisturbed") / "news.jsonl"
    return _start(feed, "-a", f"warc={feed.with_name('warc')}", settings={"LOG_LEVEL": "DEBUG"}).wait(120).check()


@pytest.fixture(scope="session")
def expected() -> dict[str, dict[str, Any]]:
    """The sample site's truth, by address."""
    return {line["url"]: line for line in lines(SAMPLE / "expected.jsonl")}


@pytest.fixture
def make_sites(tmp_path: Path) -> Callable[..., Path]:
    """Write a sites.toml; a site is fetched at full speed unless it says otherwise."""

    def make(*sites: dict[str, Any], name: str = "sites.toml") -> Path:
        text = ""
        for site in sites:
            table = {"delay": 0, "concurrency": 8, **site}
            text += "[[site]]\n" + "".join(
                f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in table.items() if value is not None
            )
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return make


@pytest.fixture(scope="session")
def installed_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment with nothing of this checkout but its wheel."""
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling builds the wheel")
    folder = tmp_path_factory.mktemp("wheel")
    (wheel,) = builder.WheelBuilder(str(REPOSITORY)).build(directory=str(folder), versions=["standard"])
    venv.create(folder / "fresh", with_pip=False)
    (installed,) = (folder / "fresh" / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        assert {name.partition("/")[0].partition("-")[0] for name in archive.namelist()} == {"newsextract"}
        archive.extractall(installed)
    # Scrapy and the rest; its own .pth files do not count
    (installed / "others.pth").write_text(sysconfig.get_path("purelib"))
    return folder / "fresh" / "bin" / "python"


# -- a server that behaves as told -----------------------------------------------------------------------------------------

WORDS = (
    "council harbour bridge ferry market school winter summer engine letter garden window railway teacher baker sailor "
    "fog storm tide crane lamp tunnel budget festival library museum orchard factory captain doctor farmer painter "
    "valley river island mountain forest meadow station platform ticket journey evening morning autumn spring citizen "
    "mayor vote motion report project works delay repair opening closing visitor neighbour family children street square "
    "tower clock bell bread fish butter honey coffee copper silver timber granite canal basin quay warehouse workshop"
).split()


def article(name: str, *, head: str = "", lead: str = "", tail: str = "", paragraphs: int = 6) -> str:
    """An article page. Its text depends on its name only, and no two names have similar texts."""
    dice = random.Random(name)
    sentences = [
        " ".join(dice.choices(WORDS, k=dice.randint(9, 16))).capitalize() + ", said the keeper of the books."
        for _ in range(paragraphs * 3)
    ]
    body = "".join(f"<p>{' '.join(sentences[k : k + 3])}</p>" for k in range(0, len(sentences), 3))
    links = "".join(f'<li><a href="/section/{word}/">{word}</a></li>' for word in WORDS[:8])
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{headline(name)} | The Test Courier</title>"
        f'<meta property="og:type" content="article"><meta property="og:title" content="{headline(name)}">'
        f'<meta property="article:published_time" content="2025-05-06T07:08:09+00:00">{head}</head>'
        f"<body><nav><ul>{links}</ul></nav><article><h1>{headline(name)}</h1><p class=byline>By Mara Quill</p>"
        f"{lead}{body}</article>{tail}<footer>Imprint and contact</footer></body></html>"
    )


def headline(name: str) -> str:
    dice = random.Random(f"title of {name}")
    return " ".join(["The", *dice.sample(WORDS, 5), "of", name]).capitalize()


def listing(*addresses: str) -> str:
    """A front page with a headline link and a teaser for each address."""
    items = "".join(
        f'<div class=teaser><h2><a href="{address}">{headline(address)}</a></h2><p>In short.</p></div>'
        for address in addresses
    )
    return f"<!doctype html><html lang=en><head><title>The Test Courier</title></head><body>{items}</body></html>"


class Handler(BaseHTTPRequestHandler):
    """Answers as the server's table says."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _HTTPServer

    def do_GET(self) -> None:
        owner = self.server.owner
        owner.hits.append((time.monotonic(), self.path, dict(self.headers.items())))
        answers = owner.answers.get(self.path) or owner.answers.get(urlsplit(self.path).path)
        if not answers:
            self.answer(404, b"<html><title>Not found</title><h1>Not found</h1></html>", {"Content-Type": "text/html"})
            return
        answer = answers[0] if len(answers) == 1 else answers.pop(0)
        try:
            if callable(answer):
                answer(self)
            else:
                self.answer(*answer)
        except OSError:
            self.close_connection = True  # the crawler has hung up, as it may

    def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Content-Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    owner: Server

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A crawler that hangs up is no error of the test."""


class Server:
    """A web server on loopback. ``put`` says what it answers, ``hits`` what it was asked, and when."""

    article = staticmethod(article)
    headline = staticmethod(headline)
    listing = staticmethod(listing)

    def __init__(self, host: str = "127.0.0.1") -> None:
        self.answers: dict[str, list[Any]] = {}
        self.hits: list[tuple[float, str, dict[str, str]]] = []
        self.http = _HTTPServer((host, 0), Handler)
        self.http.owner = self
        self.host, self.port = host, self.http.server_address[1]
        self.released = threading.Event()
        """Set at the end; a handler that hangs waits for it."""
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def url(self, path: str = "/") -> str:
        return f"http://{self.host}:{self.port}{path}"

    def put(
        self,
        path: str,
        body: str | bytes | Callable[[Handler], None] = b"",
        status: int = 200,
        kind: str = "text/html; charset=utf-8",
        **headers: str,
    ) -> str:
        """Answer a path; a second ``put`` is the answer to the second request, the last one stays."""
        if callable(body):
            self.answers.setdefault(path, []).append(body)
        else:
            data = body.encode() if isinstance(body, str) else body
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            self.answers.setdefault(path, []).append((status, data, {"Content-Type": kind, **named}))
        return self.url(path)

    def put_article(self, path: str, **parts: Any) -> str:
        """An article whose name is its path."""
        return self.put(path, article(path, **parts))

    def times(self, path: str) -> list[float]:
        return [at for at, asked, _ in self.hits if asked == path]

    def close(self) -> None:
        self.released.set()
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def make_server() -> Iterator[Callable[..., Server]]:
    """Servers on 127.0.0.1 or another loopback address."""
    servers: list[Server] = []

    def make(host: str = "127.0.0.1") -> Server:
        servers.append(Server(host))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture
def server(make_server: Callable[..., Server]) -> Server:
    return make_server()


# -- a forum and an engine on such a server --------------------------------------------------------------------------------


class Forum:
    """A board with threads of five posts a page, in the addresses of phpBB; it can grow."""

    PER_PAGE = 5

    def __init__(self, server: Server) -> None:
        self.server = server
        self.board = server.url("/viewforum.php?f=1")
        self.threads: dict[int, list[str]] = {}
        self.permalinks = True

    def add(self, thread: int, posts: int) -> None:
        """Append posts to a thread, or begin one, and publish all pages anew."""
        known = self.threads.setdefault(thread, [])
        known += [f"post {thread}-{len(known) + k + 1}" for k in range(posts)]
        self.publish()

    def address(self, thread: int, page: int = 1) -> str:
        start = f"start={(page - 1) * self.PER_PAGE}&" if page > 1 else ""
        return f"/viewtopic.php?{start}t={thread}"

    def page_count(self, thread: int) -> int:
        return -(-len(self.threads[thread]) // self.PER_PAGE)

    def text(self, name: str) -> str:
        dice = random.Random(name)
        sentences = [" ".join(dice.choices(WORDS, k=dice.randint(7, 14))).capitalize() for _ in range(dice.randint(2, 5))]
        return ". ".join(sentences) + "."

    def author(self, name: str) -> str:
        return f"{random.Random(name).choice(WORDS)}{len(name)}{name[-1]}"

    def expected(self) -> dict[tuple[int, int], str]:
        """Number of the thread, position → text."""
        return {(t, k): self.text(name) for t, names in self.threads.items() for k, name in enumerate(names, 1)}

    def publish(self) -> None:
        rows = "".join(
            f'<tr><td><a href="{self.address(t)}">{headline(f"thread {t}")}</a></td><td>by {self.author(names[0])}</td>'
            f"<td>{len(names) - 1} replies</td></tr>"
            for t, names in self.threads.items()
        )
        self._put("/viewforum.php?f=1", "A board", f'<table class="topics">{rows}</table>')
        for thread in self.threads:
            for page in range(1, self.page_count(thread) + 1):
                self._put(self.address(thread, page), headline(f"thread {thread}"), self._posts(thread, page))

    def _posts(self, thread: int, page: int) -> str:
        first = (page - 1) * self.PER_PAGE
        names = self.threads[thread][first : first + self.PER_PAGE]
        body = "".join(self._post(thread, first + k, name) for k, name in enumerate(names, 1))
        links = "".join(
            f'<a href="{self.address(thread, k)}">{k}</a> ' if k != page else f"<strong>{k}</strong> "
            for k in range(1, self.page_count(thread) + 1)
        )
        return f'<h1>{headline(f"thread {thread}")}</h1><div class="posts">{body}</div><div class="pagination">{links}</div>'

    def _post(self, thread: int, number: int, name: str) -> str:
        link = f'<a class="permalink" href="#p{thread}0{number}">#{number}</a>' if self.permalinks else f"<b>#{number}</b>"
        return (
            f'<div class="post" id="p{thread}0{number}"><div class="postprofile"><a class="author" href="/u/{number}">'
            f'{self.author(name)}</a><p>Member</p></div><div class="postbody"><p class="date">2025-03-{number % 28 + 1:02d} '
            f'10:0{number % 10}</p>{link}<div class="content body">{self.text(name)}</div></div></div>'
        )

    def _put(self, path: str, title: str, body: str) -> None:
        html = (
            f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{title} - The Quay Forum</title></head><body>"
            f'<nav><a href="/">Home</a> <a href="/faq">Questions</a></nav>{body}<footer>Powered by tides</footer></body></html>'
        )
        self.server.answers.pop(path, None)
        self.server.put(path, html)


@pytest.fixture
def forum(server: Server) -> Forum:
    return Forum(server)


class Engine:
    """A search engine with 23 hits for every query, ten a page (``&page=2``, or ``&from=10``)."""

    HITS, PER_PAGE = 23, 10
    counter = "page={page}"

    def __init__(self, server: Server) -> None:
        self.server = server
        self.few: dict[str, int] = {}
        """Queries that have another number of hits."""
        self.buttons = False
        """Whether a form leads to the following page."""
        self.template = server.url("/search?q={query}")
        server.put("/search", self.answer)

    def hit(self, query: str, rank: int) -> tuple[str, str, str]:
        """Title, address and snippet."""
        name = f"{query} {rank}"
        dice = random.Random(name)
        snippet = " ".join(dice.choices(WORDS, k=24)).capitalize() + "."
        return headline(name), f"https://www.{dice.choice(WORDS)}.example/{rank}/{dice.choice(WORDS)}.html", snippet

    def answer(self, handler: Handler) -> None:
        asked = dict(parse_qsl(urlsplit(handler.path).query))
        query, page = asked.get("q", ""), int(asked.get("page", 1)) + int(asked.get("from", 0)) // self.PER_PAGE
        total = self.few.get(query, self.HITS)
        ranks = range((page - 1) * self.PER_PAGE + 1, min(page * self.PER_PAGE, total) + 1)
        hits = ""
        for title, address, snippet in (self.hit(query, rank) for rank in ranks):
            hits += (
                f'<div class="hit"><h3><a class="title" href="{address}">{title}</a></h3>'
                f'<cite>{address}</cite><p class="snippet">{snippet}</p></div>'
            )
        counted = self.counter.format(page=page + 1, start=page * self.PER_PAGE)
        following = f'<a rel="next" href="?q={quote(query)}&amp;{counted}">Next</a>' if total > page * self.PER_PAGE else ""
        if following and self.buttons:
            following = (
                f'<form action="/search"><input type="hidden" name="q" value="{query}"><input type="hidden" name="from" '
                f'value="{page * self.PER_PAGE}"><input type="submit" value="Search"><input type="submit" name=">" value="&gt;"></form>'
            )
        html = (
            f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{query} - Search</title></head><body>"
            '<ul class="top"><li><a href="/about.html">About this search</a></li><li><a href="/help.html">Help for readers</a></li></ul>'
            f'<form><input name=q></form><div id="results">{hits}</div><div class="pager">{following}</div></body></html>'
        )
        handler.answer(200, html.encode(), {"Content-Type": "text/html; charset=utf-8"})


@pytest.fixture
def engine(server: Server) -> Engine:
    return Engine(server)


@pytest.fixture
def address_file(tmp_path: Path) -> Callable[..., str]:
    """The argument that names a file of addresses: ``-a urls=…`` without its ``-a``."""

    def write(*addresses: str) -> str:
        path = tmp_path / f"urls-{next(_number)}.txt"
        path.write_text("\n".join(addresses) + "\n", "utf-8")
        return f"urls={path}"

    return write


# -- crawls with a browser -------------------------------------------------------------------------------------------------


@pytest.fixture
def mark() -> dict[str, str]:
    """An environment variable by which a crawl's processes are known, whatever session they are in."""
    return {"CRAWL_OF_A_TEST": uuid.uuid4().hex}


@pytest.fixture
def browsers(mark: dict[str, str]) -> Callable[..., set[int]]:
    """The browser processes of a crawl, or those of a kind (``renderer``); no others, which may run beside it."""

    def find(kind: str = "") -> set[int]:
        marked, commands, parents = set(), dict[int, bytes](), dict[int, int]()
        for folder in Path("/proc").iterdir():
            if folder.name.isdecimal():
                with contextlib.suppress(OSError):  # it has just ended
                    pid = int(folder.name)
                    commands[pid], values = ((folder / name).read_bytes() for name in ("cmdline", "environ"))
                    parents[pid] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                    if b"--headless" in commands[pid] and mark["CRAWL_OF_A_TEST"].encode() in values:
                        marked.add(pid)
        if not kind:
            return marked

        def below(pid: int) -> bool:  # a browser's children write over their environment
            return pid in marked or (pid in parents and below(parents[pid]))

        return {pid for pid, command in commands.items() if f"--type={kind}".encode() in command and below(pid)}

    return find


@pytest.fixture
def render_crawl(
    rendering: None,
    run_crawl: StartCrawl,
    make_sites: Callable[..., Path],
    server: Server,
    mark: dict[str, str],
    tmp_path: Path,
) -> StartCrawl:
    """Crawl the made server with a browser."""

    def run(
        *arguments: str,
        settings: dict[str, Any] | None = None,
        program: str | None = None,
        seconds: float = 60,
        **keys: Any,
    ) -> Crawl:
        sites = make_sites({"name": "made", "start": [server.url("/")], "render": True, **keys})
        chosen = {"EXTRACTION_WORKERS": 1, "LOG_LEVEL": "INFO", **(settings or {})}
        options: dict[str, Any] = {"settings": chosen, "env": mark, "program": program, "seconds": seconds}
        return run_crawl(tmp_path / "news.jsonl", *arguments, sites=sites, **options)

    return run
