"""Who is measured (our algorithms in their presets, and the peers that are installed), and how they are run over pages.

What cannot take part (needs a rendered page, a package is missing, it does not load) is told, never left out silently.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from importlib import import_module, metadata, util
from pathlib import Path
from time import process_time
from typing import Any, Literal

import lxml.html

import newsextract
from newsextract import algorithms
from newsextract.errors import DataError, MissingExtra, NewsextractError, UnknownAlgorithm, UsageError, install_command
from newsextract.extraction import extract, find_records
from newsextract.lab.datasets import FOLDS, TEST_FOLD, Kind, PredictedRecord, Prediction, TruthPage, read
from newsextract.page.decoding import decode
from newsextract.page.page import Page
from newsextract.page.snapshot import Snapshot
from newsextract.workers import Stopped, Workers

# --- peers ----------------------------------------------------------------------------------------
# Other people's extractors, measured in the same run as ours: one explicit table from a name to how it is called.
#
# Each is called as documented, with the bytes of the page where it takes them, and with its defaults, except a switch for
# comments, which follows the kind of pages: comments are not part of an article's text, but of a forum thread.
#
# Peers are imported in the worker, at first use. They are silent and have no network: like ours, they see only the page.

_NO_ADDRESS = "https://page.invalid/"
"""For peers that want an address of each page."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A peer's answer for a page."""

    text: str
    title: str | None = None
    date: str | None = None


@dataclass(frozen=True, slots=True)
class Peer:
    """How to call another extractor."""

    package: str
    """As pip knows it."""
    module: str
    extract: Callable[[bytes, str | None, Kind], Extracted]
    """From the bytes of a page, its address or None, and the kind of pages; imports the package."""
    how: str
    """Which of its functions with which options, for the reports."""
    install: str = ""
    """How to get what no extra of ours brings."""


def _trafilatura(body: bytes, url: str | None, kind: Kind) -> Extracted:
    extract = import_module("trafilatura").bare_extraction
    found = extract(body, url=url, with_metadata=True, include_comments=kind == "threads")
    return Extracted("") if found is None else Extracted(found.text or "", found.title, found.date)


def _readability(body: bytes, url: str | None, kind: Kind) -> Extracted:
    document = import_module("readability").Document(body, url=url)
    return Extracted(_text(document.summary(html_partial=True)), document.short_title())


def _resiliparse(body: bytes, url: str | None, kind: Kind) -> Extracted:
    encoding = import_module("resiliparse.parse.encoding").detect_encoding(body, from_html_meta=True)
    page = import_module("resiliparse.parse.html").HTMLTree.parse_from_bytes(body, encoding)
    # Descriptions of pictures are no text of the page: with them F1 is .863 instead of .876 (200 pages, folds 1-4).
    plain_text = import_module("resiliparse.extract.html2text").extract_plain_text
    return Extracted(plain_text(page, main_content=True, alt_texts=False, comments=kind == "threads"), page.title)


def _newspaper4k(body: bytes, url: str | None, kind: Kind) -> Extracted:
    article = import_module("newspaper").Article(url or _NO_ADDRESS, fetch_images=False)
    article.download(input_html=body)  # nothing is fetched where the page is given; bytes are decoded by its parser
    article.parse()
    date = article.publish_date
    return Extracted(article.text, article.title, date.isoformat() if date else None)


@cache
def _stop_words() -> frozenset[str]:
    """jusText wants those of the page's language, which is not known: those of all its languages (it has no Chinese)."""
    justext = import_module("justext")
    return frozenset[str]().union(*map(justext.get_stoplist, justext.get_stoplists()))


def _justext(body: bytes, url: str | None, kind: Kind) -> Extracted:
    paragraphs = import_module("justext").justext(body, _stop_words())
    return Extracted("\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate))


@cache
def _extractor(module: str, name: str) -> Any:
    return getattr(import_module(module), name)()


def _magic_html(body: bytes, url: str | None, kind: Kind) -> Extracted:
    options = {"html_type": "forum"} if kind == "threads" else {}
    found = _extractor("magic_html", "GeneralExtractor").extract(decode(body).text, base_url=url or "", **options)
    return Extracted(_text(found["html"]), found.get("title"))


def _gne(body: bytes, url: str | None, kind: Kind) -> Extracted:
    found = _extractor("gne", "GeneralNewsExtractor").extract(decode(body).text)
    return Extracted(found["content"], found["title"], found["publish_time"])


PEERS: dict[str, Peer] = {
    "trafilatura": Peer("trafilatura", "trafilatura", _trafilatura, "bare_extraction(bytes, with_metadata=True)"),
    "readability": Peer("readability-lxml", "readability", _readability, "Document(bytes).summary(), short_title()"),
    "resiliparse": Peer(
        "resiliparse", "resiliparse", _resiliparse, "extract_plain_text(main_content=True, alt_texts=False), <title>"
    ),
    "newspaper4k": Peer("newspaper4k", "newspaper", _newspaper4k, "Article.download(input_html=bytes), parse()"),
    "justext": Peer("justext", "justext", _justext, "justext(bytes, stop words of all languages); no title or date"),
    "magic_html": Peer(
        "magic-html", "magic_html", _magic_html, "GeneralExtractor().extract(text decoded by newsextract)",
        "pip install the wheel among the releases of github.com/opendatalab/magic-html",
    ),
    "gne": Peer(
        "gne", "gne", _gne, "GeneralNewsExtractor().extract(text decoded by newsextract)", "python -m pip install gne"
    ),
}  # fmt: skip


def installed(name: str) -> bool:
    """Whether a peer's package is there. Nothing is imported."""
    return util.find_spec(PEERS[name].module) is not None


@contextmanager
def undisturbed() -> Iterator[None]:
    """No log lines, no warnings and no network while a peer works.

    Log lines and warnings are its own matters (a doubtful encoding, a missing package), thousands of them. A failure is an
    exception and is counted, an attempt to reach the network, too.
    """
    _watch_network(_refuse_network)
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    token = _OFFLINE.set(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        _OFFLINE.reset(token)
        logging.disable(level)


_OFFLINE: ContextVar[bool] = ContextVar("newsextract_peer_offline", default=False)
_watch_network = cache(sys.addaudithook)
"""Once a process: audit hooks stay for good, so ours looks whether a peer is at work."""


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.getaddrinfo", "socket.connect") and _OFFLINE.get():
        raise PermissionError("a peer asked for the network; it is measured on the page alone")


def _text(html: str) -> str:
    """Text of an HTML fragment; texts of neighbouring elements are kept apart."""
    return "\n".join(lxml.html.fragment_fromstring(html, create_parent="div").itertext()) if html.strip() else ""


# --- contenders -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contender:
    """One extractor that can be run over pages."""

    name: str
    """As it is shown: ``NAME`` or ``NAME:PRESET`` of an algorithm, a peer's name."""
    origin: Literal["algorithm", "peer"]
    key: str
    """Its name in the registry of algorithms or in the table of peers."""
    params: Mapping[str, Any] | None = None
    """Parameters of an algorithm, ``preset`` among them; None for its default preset."""
    about: str = ""
    """The paper, or how the peer is called."""
    version: str | None = None
    trained_on: tuple[int, ...] = ()
    """Folds whose pages its shipped model or thresholds were fitted on; on these its figures flatter."""

    @property
    def note(self) -> str | None:
        """What to bear in mind when reading its figures; None: nothing."""
        if not self.trained_on:
            return None
        folds = ", ".join(map(str, self.trained_on))
        honest = f"only fold {TEST_FOLD} tells" if TEST_FOLD not in self.trained_on else "no fold of this data set tells"
        return f"{self.name} was fitted on folds {folds} of {FOLDS}: there its figures flatter, and {honest} how good it is"


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was asked for in general and does not take part."""

    name: str
    reason: str
    broken: bool = False
    """It should have worked: something is wrong with it."""


def algorithm(name: str, values: Mapping[str, Any] | None = None, kind: algorithms.Kind = "article") -> Contender:
    """One of our algorithms, given as ``NAME`` or ``NAME:PRESET``; a caller's mistake is raised early.

    :param values: single parameters that replace those of the preset.
    :param kind: what it finds.
    :raises ParameterError: no such preset or parameter.
    """
    key, colon, preset = name.partition(":")
    known = algorithms.names(kind)
    if key not in known:
        raise UnknownAlgorithm(key, known)
    params = {**({"preset": preset} if colon else {}), **(values or {})} or None
    (algorithms.make if kind == "article" else algorithms.make_records)(key, params)
    entry = algorithms.spec(key)
    folds = entry.trained_on.get(preset or "default", ())
    return Contender(name, "algorithm", key, params, entry.reference, newsextract.__version__, folds)


def peer(name: str) -> Contender:
    """A peer by its name."""
    if name not in PEERS:
        raise UsageError(f"unknown peer {name!r}; choose from: {', '.join(PEERS)}")
    one = PEERS[name]
    if not installed(name) and one.install:
        raise UsageError(f"the peer {name} is not installed: {one.install}")
    if not installed(name):
        raise MissingExtra(one.package, "peers", f"the peer {name}")
    try:
        version = metadata.version(one.package)
    except metadata.PackageNotFoundError:
        version = None
    return Contender(name, "peer", name, about=one.how, version=version)


def all_algorithms(kind: algorithms.Kind = "article") -> tuple[list[Contender], list[Skipped]]:
    """Every registered algorithm of a kind in every preset, and those that cannot run here."""
    found: list[Contender] = []
    skipped: list[Skipped] = []
    for key in algorithms.names(kind):
        entry = algorithms.spec(key)
        if entry.needs_snapshot:
            skipped.append(Skipped(key, "needs rendered pages, and the data sets hold none"))
            continue
        for preset in entry.presets:
            name = key if preset == "default" else f"{key}:{preset}"
            try:
                found.append(algorithm(name, kind=kind))
            except MissingExtra as error:
                skipped.append(Skipped(name, str(error)))
            except Exception as error:  # noqa: BLE001  # reason: one algorithm that does not load must not stop the others
                skipped.append(Skipped(name, f"does not load: {type(error).__name__}: {error}", broken=True))
    return found, skipped


def all_peers() -> tuple[list[Contender], list[Skipped]]:
    """Every peer that is installed, and the others."""
    absent = {name: one.install or install_command("peers") for name, one in PEERS.items() if not installed(name)}
    skipped = [Skipped(name, f"not installed; {how}") for name, how in absent.items()]
    return [peer(name) for name in PEERS if name not in absent], skipped


def told(skipped: Sequence[Skipped]) -> list[str]:
    """A line for each reason, with all that are left out for it."""
    names: dict[str, list[str]] = {}
    for one in skipped:
        names.setdefault(one.reason, []).append(one.name)
    return [f"left out: {', '.join(those)}: {reason}" for reason, those in names.items()]


# --- runner ---------------------------------------------------------------------------------------
# A contender over the pages of a data set, in this process or in several, and what it costs.
#
# Cost is CPU time (``process_time``), and beside each extraction a plain ``lxml.html.fromstring`` of the same
# bytes is timed in the same process: the ratio of the two holds on other machines, seconds do not.
#
# Workers get pages without their truth; their number does not matter for the result. A page whose extraction raises, or that
# kills its worker, is a prediction with status ``failed`` and the reason.
#
# Pages of records may be read from a folder of snapshots (``<id>.snapshot``): what the browser saw of them. Loading a
# snapshot is not timed: making one is the browser's cost, and a crawl has it in memory.

FETCHED_AT = datetime(2026, 11, 1, tzinfo=UTC)
"""The time of fetch of every page, later than all; fixed, so that "3 hours ago" stays the same day."""
TIMEOUT, MEMORY = 600.0, 8_000
"""Of a worker: seconds of CPU time for a page, and megabytes."""
BODY_TIMED_EVERY = 5
"""The body alone is timed, in a run of its own, on every fifth page: enough for a mean."""
_REASON_LENGTH = 200
_WARM_UP = b"<html><head><title>One</title></head><body><p>A sentence, and another one.</p></body></html>"
_RECORD_WARM_UP = b"<ul>" + b"<li><h3><a href=/1>One of them</a></h3><p>A sentence, and another.</p></li>" * 5 + b"</ul>"

Progress = Callable[[int, int], None]
"""Told the pages done and the pages in all."""


@dataclass(frozen=True, slots=True)
class _Task:
    page: TruthPage
    """Without its truth: a worker gets nothing that it could not know."""
    time_body: bool
    snapshot: Path | None


def run(
    pages: Sequence[TruthPage],
    contender: Contender,
    kind: Kind = "articles",
    *,
    workers: int = 0,
    snapshots: Path | None = None,
    progress: Progress | None = None,
) -> Iterator[Prediction]:
    """Extract the pages; predictions come in the order of the pages.

    :param pages: of one or more data sets.
    :param kind: of the pages; peers are told.
    :param workers: number of processes; 0: none but this one.
    :param snapshots: of pages of records: the folder of ``<id>.snapshot``; a page without one is read from its source.
    :raises DataError: a page file is missing, or there is a folder of snapshots without any of these pages.
    """
    files = [snapshots / f"{page.id}.snapshot" if snapshots is not None else None for page in pages]
    drawn = [file if file is not None and file.is_file() else None for file in files]
    if snapshots is not None and not any(drawn):
        raise DataError(f"{snapshots} holds no snapshot of any of the pages; expected <id>.snapshot")
    bare = (replace(page, title=None, date=None, text=None, with_=None, without=None, kind="", records=()) for page in pages)
    tasks = [
        _Task(page, number % BODY_TIMED_EVERY == 0 and kind != "records", snapshot)
        for number, (page, snapshot) in enumerate(zip(bare, drawn, strict=True))
    ]
    predictions = (_in_workers if workers else _in_turn)(tasks, contender, kind, workers)
    for done, prediction in enumerate(predictions, 1):
        yield prediction
        if progress is not None:
            progress(done, len(tasks))


def _in_turn(tasks: Sequence[_Task], contender: Contender, kind: Kind, workers: int) -> Iterator[Prediction]:
    _warm_up(contender, kind)
    yield from (_predict(task, contender, kind) for task in tasks)


def _in_workers(tasks: Sequence[_Task], contender: Contender, kind: Kind, workers: int) -> Iterator[Prediction]:
    due = deque(task.page.id for task in tasks)
    ready: dict[str, Prediction] = {}
    with Workers[_Task, Prediction | NewsextractError](
        workers, _answer, contender, kind, timeout=TIMEOUT, memory=MEMORY
    ) as pool:
        for task, found in pool.run(tasks):
            if isinstance(found, NewsextractError):
                raise found
            if isinstance(found, Stopped):
                found = Prediction(id=task.page.id, status="failed", reason=str(found))
            ready[task.page.id] = found
            while due and due[0] in ready:
                yield ready.pop(due.popleft())


_warm: list[Contender] = []
"""Of a worker: what it has loaded."""


def _answer(task: _Task, contender: Contender, kind: Kind) -> Prediction | NewsextractError:
    """In a worker: the prediction, or what is wrong with all pages."""
    try:
        if not _warm:
            _warm_up(contender, kind)
            _warm.append(contender)
        return _predict(task, contender, kind)
    except NewsextractError as error:
        return error


def _warm_up(contender: Contender, kind: Kind) -> None:
    """Load what is loaded lazily, so that no page is charged for it."""
    body = _RECORD_WARM_UP if kind == "records" else _WARM_UP
    _extract("", _page(body, None), body, contender, kind)
    parse_seconds(body)


def _predict(task: _Task, contender: Contender, kind: Kind) -> Prediction:
    body, url = read(task.page), task.page.url
    page = _page(body, url) if task.snapshot is None else Page.from_snapshot(Snapshot.load(task.snapshot))
    found = _extract(task.page.id, page, body, contender, kind)
    seconds = None
    if task.time_body and contender.origin == "algorithm":
        choose, page = algorithms.make(contender.key, contender.params), _page(body, url)  # of which nothing is known yet
        start = process_time()
        with suppress(Exception):  # reason: the defect is recorded by _extract; here only the time counts
            choose(page)
        seconds = process_time() - start
    return replace(found, body_seconds=seconds, lxml_seconds=parse_seconds(body))


def _extract(page_id: str, page: Page, body: bytes, contender: Contender, kind: Kind) -> Prediction:
    with undisturbed() if contender.origin == "peer" else nullcontext():
        start = process_time()
        try:
            if contender.origin == "peer":
                given = PEERS[contender.key].extract(body, page.url, kind)
                status = "ok" if given.text.strip() else "empty"
                found = Prediction(id=page_id, text=given.text, title=given.title, date=given.date, status=status)
            elif kind == "records":
                found = predicted_records(page_id, page, contender.key, contender.params)
            else:
                found = predicted(page_id, page, contender.key, contender.params)
        except NewsextractError:
            raise  # reason: the caller's mistake or a missing part, the same on every page
        except Exception as error:  # noqa: BLE001  # reason: a defect on one page is counted and must not end the measurement
            records = () if kind == "records" else None
            reason = f"{type(error).__name__}: {error}"[:_REASON_LENGTH]
            found = Prediction(id=page_id, status="failed", reason=reason, records=records)
        seconds = process_time() - start
    rendered = page.snapshot is not None if kind == "records" else None
    return replace(found, extract_seconds=seconds, rendered=rendered)


def predicted(page_id: str, page: Page, algorithm: str, params: Mapping[str, Any] | None = None) -> Prediction:
    """What an algorithm finds on a page, without its cost."""
    article = extract(page, algorithm=algorithm, params=params)
    return Prediction(id=page_id, **{name: getattr(article, name) for name in _OF_ARTICLES})


def predicted_records(page_id: str, page: Page, algorithm: str, params: Mapping[str, Any] | None = None) -> Prediction:
    """The records that an algorithm finds on a page, without their cost."""
    found = find_records(page, None, algorithm, params)
    records = tuple(PredictedRecord(r.text, tuple((item.label, item.text) for item in r.items)) for r in found.records)
    status, reason = found.status, found.reason
    return Prediction(id=page_id, records=records, status=status, confidence=found.confidence, reason=reason)


_OF_ARTICLES = "text title date authors language status confidence reason kind is_article".split()
"""Fields that a prediction has of an article."""


def _page(body: bytes, url: str | None) -> Page:
    return Page(body, url=url, fetched_at=FETCHED_AT)


def parse_seconds(body: bytes) -> float:
    """CPU seconds of a plain lxml parse of the same bytes."""
    start = process_time()
    try:
        tree = lxml.html.fromstring(body)
    except Exception:  # noqa: BLE001  # reason: an empty or hostile page; the time until lxml gave up is its cost
        return process_time() - start
    seconds = process_time() - start
    del tree  # freeing the tree is not parsing it
    return seconds
