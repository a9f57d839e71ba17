"""The next page of a listing, and the further pages of one article.

Both rest on counters: two addresses that differ in one page number only (``/news/``, ``/news/page/2/``;
``x.html``, ``x_2.html``; ``?page=2``). An address can be read in several ways; two addresses count together
if some reading gives both the same stem. A link is believed when its text and its counter agree: "next" must
lead to the following number, and "7" to page 7. The words stand in ``data/pagers.toml``.

Cost: only links with a short text are looked at, and taken apart once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from newsextract.discovery.addresses import is_trap, normalize, registered_domain
from newsextract.discovery.references import References, host_of
from newsextract.page import Page
from newsextract.source import Link

MAX_PAGES = 50
"""Pages of one article; a longer pager is a listing's."""
MAX_TEXT = 25
"""Characters of a link text that may be a pager's."""
MAX_NUMBER = 12
_DIGIT = re.compile(r"\d")
_PAGE_NUMBER = re.compile(r"(?:page |seite |第)?(\d{1,4})(?: ?[页頁ページ])?")
_TRIM = " \t«»‹›<>→←⟩▶►❯＞≫|[]()【】…·:.…-–—\xa0"


@cache
def _words() -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    data = tomllib.loads(files(__package__).joinpath("data/pagers.toml").read_text("utf-8"))
    return frozenset(data["next"]), frozenset(data["arrows"]), frozenset(data["counted"])


@cache
def _counters() -> tuple[re.Pattern[str], re.Pattern[str]]:
    data = tomllib.loads(files(__package__).joinpath("data/pagers.toml").read_text("utf-8"))
    parameters = "|".join(re.escape(p) for p in data["parameters"])
    words = "|".join(re.escape(w) for w in data["path_words"])
    query = re.compile(rf"([?&])(?:{parameters})=(\d{{1,7}})(?=&|$)", re.I)
    # /page/2/  /page-2  /index_2.html  /x_2.html  /x-2.html  /2/  /2.html  /page2
    path = re.compile(
        rf"(?:/(?:{words})[/_-]?(\d{{1,5}})|(?<=[^/])[_-](\d{{1,3}})|/(\d{{1,3}}))(\.[a-z]{{3,5}})?(/?)$",
        re.I,
    )
    return query, path


_INDEX = re.compile(r"/(?:index|default|list)?(?:\.(?:s?html?|php|aspx?|jsp))?$", re.I)
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.I)


def readings(url: str) -> dict[str, int]:
    """Stems of an address with the page number that each gives; 1 for the address as a whole."""
    address, mark, query = url.partition("?")
    query_counter, path_counter = _counters()
    found: dict[str, int] = {}
    match = path_counter.search(address)
    if match:
        stem = address[: match.start()]
        number = int(match[1] or match[2] or match[3])
        found[_stem(stem, mark + query)] = number
    if query:
        in_query = query_counter.search(mark + query)
        if in_query:
            rest = (mark + query)[: in_query.start()] + (mark + query)[in_query.end() :]
            rest = "?" + rest[1:] if rest else ""
            found.setdefault(_stem(address, rest), int(in_query[2]))
    found.setdefault(_stem(address, mark + query), 1)
    return found


def _stem(address: str, query: str) -> str:
    address = _ENDING.sub("", _INDEX.sub("", address.rstrip("/")))
    return address.rstrip("/").partition("://")[2] + query


def step(here: str, there: str) -> tuple[int, int] | None:
    """Page numbers of two addresses that count together, or None."""
    mine, other = readings(here), readings(there)
    for stem, number in other.items():
        if stem in mine and mine[stem] != number:
            return mine[stem], number
    return None


def says_next(text: str) -> bool:
    """Whether a link text means "next page"."""
    words, arrows, counted = _words()
    folded = text.lower().strip()
    if folded.strip(_TRIM) in words or folded in arrows:
        return True
    if not _DIGIT.search(folded) or len(folded) > MAX_TEXT:
        return False
    # "Next 10 results", "next 20": what is counted says nothing.
    bare = " ".join(word for word in folded.strip(_TRIM).split() if not word.isdecimal() and word not in counted)
    return bare.strip(_TRIM) in words


def page_number(text: str) -> int | None:
    """The page number that is the whole text of a link: ``2``, ``[2]``, ``page 2``, ``第2页``."""
    if len(text) > MAX_NUMBER or not _DIGIT.search(text):
        return None
    match = _PAGE_NUMBER.fullmatch(text.lower().strip(_TRIM))
    return int(match[1]) if match else None


def _candidates(page: Page, references: References) -> Iterator[tuple[Link, str, int | None, bool]]:
    """Short links with their address, page number and whether they say "next"."""
    for link in page.source.links:
        if len(link.text) > MAX_TEXT:
            continue
        is_next = says_next(link.text) or "next" in link.rel.split()
        number = None if is_next else page_number(link.text)
        if number is None and not is_next:
            continue
        url = references.resolve(link.href)
        if url is not None and url != references.here:
            yield link, url, number, is_next


def next_page(page: Page, references: References | None = None) -> str | None:
    """Address of the following page of a listing, normalised (or as ``references`` have it), or None.

    Evidence, strongest first: ``rel=next``; a link that says "next" whose counter goes up; a link that says
    "next" to an address without a counter under the same path; the number after this page's in a numbered
    pager.
    """
    references = references or References.of(page)
    for href in page.metadata.links.get("next", ()):
        url = references.resolve(href)
        if url and url != references.here and _goes_up(references.here, url):
            return url
    weak: str | None = None
    site, today = references.site(), page.time.date()
    numbered: str | None = None
    for link, url, number, is_next in _candidates(page, references):
        if registered_domain(host_of(url)) != site or (not references.written and is_trap(url, today)):
            continue
        counted = _counted(references.here, url)
        if is_next:
            if "next" in link.rel.split() and _goes_up(references.here, url):
                return url
            if counted and counted[1] > counted[0]:
                return url
            if weak is None and counted is None and _same_path(references.here, url):
                weak = url
        elif number is not None and counted and counted[1] == counted[0] + 1 and number in (counted[1], counted[1] + 1):
            numbered = numbered or url
    return numbered or weak


def numbered_pages(page: Page, references: References) -> dict[int, str]:
    """The links of this path whose text is a page number, by that number."""
    path = references.here.partition("?")[0].rstrip("/")
    found: dict[int, str] = {}
    for link in page.source.links:
        number = page_number(link.text) if len(link.text) <= MAX_TEXT else None
        url = references.resolve(link.href) if number is not None else None
        if number is None or url is None:
            continue
        if url.partition("?")[0].rstrip("/") == path or step(references.here, url) is not None:
            found.setdefault(number, url)
    return found


def counts_alike(one: str, other: str) -> bool:
    """Whether two URLs are the same page but for how its number is written: none, or 1."""
    mine, theirs = readings(one), readings(other)
    return any(mine.get(stem) == number for stem, number in theirs.items())


def written_next_page(page: Page) -> str | None:
    """The same address as the page writes it, with all its parameters; only the fragment is dropped.

    For lists that are asked for by their address: ``?from=10`` may be tracking, or a count of hits; ``?sort=date`` a trap,
    or what the user asked for.
    """
    return next_page(page, References.of(page, written=True))


def _counted(here: str, there: str) -> tuple[int, int] | None:
    """Page numbers of two addresses, as they are or in normal form."""
    return step(here, there) or step(_plain(here), _plain(there))


def _plain(url: str) -> str:
    return normalize(url) or url


def _goes_up(here: str, there: str) -> bool:
    counted = _counted(here, there)
    return counted is None or counted[1] > counted[0]


def _same_path(here: str, there: str) -> bool:
    return "?" in there and here.partition("?")[0].rstrip("/") == there.partition("?")[0].rstrip("/")


def article_parts(page: Page, references: References | None = None) -> list[str]:
    """Addresses of the following pages of the same article, in order, normalised.

    Only addresses that share this page's stem count, so a blog's ``rel=next`` (another article) does not.
    """
    references = references or References.of(page)
    here = references.here
    found: dict[int, str] = {}
    first = 1
    candidates = [(url, number, is_next) for _, url, number, is_next in _candidates(page, references)]
    for href in page.metadata.links.get("next", ()):
        url = references.resolve(href)
        if url:
            candidates.append((url, None, True))
    for url, number, is_next in candidates:
        counted = step(here, url)
        if counted is None or counted[1] <= counted[0] or counted[1] > MAX_PAGES:
            continue  # a number that high is an article's, not a page's
        if (number == counted[1] or (is_next and counted[1] == counted[0] + 1)) and is_trap(url, page.time.date()) is None:
            first = counted[0]
            found.setdefault(counted[1], url)
    parts = []
    for number in range(first + 1, first + 1 + MAX_PAGES):
        if number not in found:
            break
        parts.append(found[number])
    return parts
