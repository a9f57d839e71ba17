"""Other people's extractors, measured in the same run as ours: one explicit table from a name to how it is called.

Each is called as its documentation says, with the bytes of the page where it takes bytes and finds the encoding itself,
and with its own defaults, but for what the truth decides: readers' comments are not part of an article's text and are
part of a forum thread, so a switch for comments, where there is one, follows the kind of pages.

Peers are imported when one is first used, in the worker. While one works it is silent and without network, so that its
answer, like ours, comes from the page alone.
"""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, metadata, util
from typing import Any

import lxml.html

from newsextract.decoding import decode
from newsextract.errors import MissingExtra, UsageError, install_command
from newsextract.evaluation.datasets import Kind

_NO_ADDRESS = "https://page.invalid/"
"""For peers that want an address of each page."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """A peer's answer for a page."""

    text: str
    title: str | None = None
    date: str | None = None


Extract = Callable[[bytes, str | None], Extracted]
"""Bytes of a page and its address, or None."""


@dataclass(frozen=True, slots=True)
class Peer:
    """How to call another extractor."""

    package: str
    """As pip knows it."""
    module: str
    prepare: Callable[[Kind], Extract]
    """Import the package and make the function for pages of a kind."""
    how: str
    """Which of its functions with which options, for the reports."""
    install: str = ""
    """How to get what no extra of ours brings."""


def _trafilatura(kind: Kind) -> Extract:
    trafilatura: Any = import_module("trafilatura")

    def extract(body: bytes, url: str | None) -> Extracted:
        document = trafilatura.bare_extraction(body, url=url, with_metadata=True, include_comments=kind == "threads")
        if document is None:
            return Extracted("")
        return Extracted(document.text or "", document.title, document.date)

    return extract


def _readability(kind: Kind) -> Extract:
    readability: Any = import_module("readability")

    def extract(body: bytes, url: str | None) -> Extracted:
        document = readability.Document(body, url=url)
        return Extracted(_text(document.summary(html_partial=True)), document.short_title())

    return extract


def _resiliparse(kind: Kind) -> Extract:
    detect: Any = import_module("resiliparse.parse.encoding").detect_encoding
    tree: Any = import_module("resiliparse.parse.html").HTMLTree
    plain_text: Any = import_module("resiliparse.extract.html2text").extract_plain_text

    def extract(body: bytes, url: str | None) -> Extracted:
        page = tree.parse_from_bytes(body, detect(body, from_html_meta=True))
        # Descriptions of pictures are no text of the page: with them F1 is .863 instead of .876 (200 pages, folds 1-4).
        text = plain_text(page, main_content=True, alt_texts=False, comments=kind == "threads")
        return Extracted(text, page.title)

    return extract


def _newspaper4k(kind: Kind) -> Extract:
    newspaper: Any = import_module("newspaper")

    def extract(body: bytes, url: str | None) -> Extracted:
        article = newspaper.Article(url or _NO_ADDRESS, fetch_images=False)
        article.download(input_html=body)  # nothing is fetched where the page is given; bytes are decoded by its parser
        article.parse()
        date = article.publish_date
        return Extracted(article.text, article.title, date.isoformat() if date else None)

    return extract


def _justext(kind: Kind) -> Extract:
    justext: Any = import_module("justext")
    # It wants the stop words of the page's language, which is not known: those of all its languages (it has no Chinese).
    stop_words = frozenset[str]().union(*map(justext.get_stoplist, justext.get_stoplists()))

    def extract(body: bytes, url: str | None) -> Extracted:
        paragraphs = justext.justext(body, stop_words)
        return Extracted("\n".join(paragraph.text for paragraph in paragraphs if not paragraph.is_boilerplate))

    return extract


def _magic_html(kind: Kind) -> Extract:
    extractor: Any = import_module("magic_html").GeneralExtractor()
    options = {"html_type": "forum"} if kind == "threads" else {}

    def extract(body: bytes, url: str | None) -> Extracted:
        found = extractor.extract(decode(body).text, base_url=url or "", **options)
        return Extracted(_text(found["html"]), found.get("title"))

    return extract


def _gne(kind: Kind) -> Extract:
    extractor: Any = import_module("gne").GeneralNewsExtractor()

    def extract(body: bytes, url: str | None) -> Extracted:
        found = extractor.extract(decode(body).text)
        return Extracted(found["content"], found["title"], found["publish_time"])

    return extract


PEERS: dict[str, Peer] = {
    "trafilatura": Peer("trafilatura", "trafilatura", _trafilatura, "bare_extraction(bytes, with_metadata=True)"),
    "readability": Peer("readability-lxml", "readability", _readability, "Document(bytes).summary(), short_title()"),
    "resiliparse": Peer(
        "resiliparse", "resiliparse", _resiliparse, "extract_plain_text(main_content=True, alt_texts=False), <title>"
    ),
    "newspaper4k": Peer("newspaper4k", "newspaper", _newspaper4k, "Article.download(input_html=bytes), parse()"),
    "justext": Peer("justext", "justext", _justext, "justext(bytes, stop words of all languages); no title or date"),
    "magic_html": Peer(
        package="magic-html",
        module="magic_html",
        prepare=_magic_html,
        how="GeneralExtractor().extract(text decoded by newsextract)",
        install="pip install the wheel among the releases of github.com/opendatalab/magic-html",
    ),
    "gne": Peer(
        package="gne",
        module="gne",
        prepare=_gne,
        how="GeneralNewsExtractor().extract(text decoded by newsextract)",
        install="python -m pip install gne",
    ),
}


def installed(name: str) -> bool:
    """Whether a peer's package is there. Nothing is imported."""
    return util.find_spec(PEERS[name].module) is not None


def how_to_install(name: str) -> str:
    """The command, or what to do, for a peer that is not installed."""
    return PEERS[name].install or install_command("peers")


def version(name: str) -> str | None:
    """The version of a peer's package, as it says itself."""
    try:
        return metadata.version(PEERS[name].package)
    except metadata.PackageNotFoundError:
        return None


def check(name: str) -> None:
    """Refuse what cannot run.

    :raises UsageError: no such peer, or a package that no extra of ours brings is not installed.
    :raises MissingExtra: its package is not installed.
    """
    if name not in PEERS:
        raise UsageError(f"unknown peer {name!r}; known are: {', '.join(PEERS)}")
    peer = PEERS[name]
    if not installed(name) and not peer.install:
        raise MissingExtra(peer.package, "peers", f"the peer {name}")
    if not installed(name):
        raise UsageError(f"the peer {name} is not installed: {peer.install}")


@lru_cache(maxsize=32)
def load(name: str, kind: Kind) -> Extract:
    """A peer, ready to be called on any number of pages; call it under :func:`undisturbed`."""
    return PEERS[name].prepare(kind)


@contextmanager
def undisturbed() -> Iterator[None]:
    """No log lines, no warnings and no network while a peer works.

    Log lines and warnings are about its own matters (an encoding it doubts, a package it would like), thousands of them
    over a data set; what matters here, that it failed on a page, comes as an exception and is counted. An attempt to
    reach the network is such an exception.
    """
    _watch_network()
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


@lru_cache(maxsize=1)
def _watch_network() -> None:
    """Once a process: audit hooks stay for good, so this one looks whether a peer is at work."""
    sys.addaudithook(_refuse_network)


def _refuse_network(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("socket.getaddrinfo", "socket.connect") and _OFFLINE.get():
        raise PermissionError("a peer asked for the network; it is measured on the page alone")


def _text(html: str) -> str:
    """Text of an HTML fragment; texts of neighbouring elements are kept apart."""
    return "\n".join(lxml.html.fragment_fromstring(html, create_parent="div").itertext()) if html.strip() else ""
