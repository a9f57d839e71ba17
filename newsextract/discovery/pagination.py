"""Where a list goes on: the next page of a listing or of search results, and the further pages of one article."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, takewhile
from urllib.parse import unquote_plus, urlencode

from newsextract.model_files import alternatives, data_table
from newsextract.page.decoding import unescape
from newsextract.page.dom import Link
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.references import References, host_of
from newsextract.urls import is_trap, normalize, registered_domain

# --- pagination -----------------------------------------------------------------------------------
# Two addresses count together if they differ in one page number only (``/news/``, ``/news/page/2/``; ``x.html``,
# ``x_2.html``; ``?page=2``), in some reading of both. A link is believed when its text and its counter agree: "next" must
# lead to the following number, and "7" to page 7. The words stand in ``data/pagers.toml``.

MAX_PAGES = 50
"""Pages of one article; a longer pager is a listing's."""
MAX_TEXT = 25
"""Characters of a link text that may be a pager's."""
MAX_NUMBER = 12
_DIGIT = re.compile(r"\d")
_PAGE_NUMBER = re.compile(
    r"(?:(?>(?:[^\W\d_]{1,15} ){0,4})(?<=page |eite |gina |rona |sida |side )|第)?(\d{1,4})(?: ?[页頁ページ])?"
)
"""``2``, "Page 2", "Weiterlesen auf Seite 2"; páginas, strony, sidor and sider count likewise."""
_TRIM = " \t«»‹›<>→←⟩▶►❯＞≫|[]()【】…·:.…-–—\xa0"


_SCRIPTED = tuple(
    re.compile(rf"""({name})\s{{0,3}}=\s{{0,3}}(?:"([^"<>]{{2,500}})"|'([^'<>]{{2,500}})')""")
    for name in (r"data-[\w-]{1,40}", "hx-get")
)
MAX_SCRIPTED = 500
"""Attributes of a page that are looked at."""
_ONE_LETTER = re.compile(r"[?&/]p[=/:_-]?\d+/?$")
"""``?p=2``: as often an article as a page of a list."""
_BUTTON = re.compile(
    r"<(?:button\b[^<>]{0,500}|a\s[^<>]{0,300}href\s?=\s?[\"']?(?:#|javascript:)[^<>]{0,300})>\s{0,50}"
    r"(?:<span\b[^<>]{0,200}>\s{0,50})?([^<>]{2,40})<",
    re.IGNORECASE,
)
_LOAD_MORE_WORDS = (b"loadmore", b"load-more", b"load_more")
_LOAD_MORE = re.compile(r"<(?:div|span|p|li)\s[^<>]{0,200}?\bload[-_]?more\b", re.IGNORECASE)
_LOAD_MORE_NAME = re.compile(r"\b(?:js-)?(?:load|show|view)[-_]?more\b", re.IGNORECASE)
_PLACE = re.compile(r"\s*(?:[/?]|\.\.?/|https?://)[^\s<>{}]{1,500}\s*$")
"""A value that is written like the address of a page, not of a template."""
_PAGES_BY_SCRIPT = re.compile(
    r"createPageHTML\(\s{0,3}(?:['\"]\w{1,40}['\"]\s{0,3},\s{0,3})?(\d{1,5})\s{0,3},\s{0,3}(\d{1,5})\s{0,3},"
    r"\s{0,3}['\"]([\w-]{1,60})['\"]\s{0,3},\s{0,3}['\"](\w{1,10})['\"]"
)
"""The pager of much software of Chinese authorities (TRS WCM): number of pages, this page, name and ending of the files."""


_PAGERS = data_table("discovery/data/pagers.toml")
_QUERY_COUNTER = re.compile(rf"([?&])(?:{alternatives(_PAGERS['parameters'])})=(\d{{1,7}})(?=&|$)", re.I)
_NEXT = frozenset(_PAGERS["next"])
_MORE = tuple(word for word in _PAGERS["next"] if " " in word or not word.isascii())
_PAGE_PARAMETER = re.compile(r"[?&](?:page|paged|pg|page_?no|seite|pagina)=(\d{1,4})(?=&|$)", re.IGNORECASE)
_PATH_COUNTER = re.compile(
    rf"(?:/(?:{alternatives(_PAGERS['path_words'])})[/:_-]?(\d{{1,5}})|(?<=[^/])[_,-](\d{{1,3}})|/(\d{{1,3}}))"
    r"(\.[a-z]{3,5})?(/?)$",
    re.I,
)
"""/page/2/  /page-2  /index_2.html  /x_2.html  /x-2.html  /x,2.html  /2/  /2.html  /page2  /page:2"""
_INDEX = re.compile(r"/(?:index|default|list)?(?:\.(?:s?html?|php|aspx?|jsp))?$", re.I)
_ENDING = re.compile(r"\.(?:s?html?|php|aspx?|jsp)$", re.I)


@lru_cache(maxsize=1_000)
def readings(url: str) -> Mapping[str, int]:
    """Stems of an address with the page number that each gives; 1 for the address as a whole."""
    address, mark, query = url.partition("?")
    query = mark + query
    found: dict[str, int] = {}
    if in_path := _PATH_COUNTER.search(address):
        found[_stem(address[: in_path.start()], query)] = int(in_path[1] or in_path[2] or in_path[3])
    if in_query := _QUERY_COUNTER.search(query):
        rest = query[: in_query.start()] + query[in_query.end() :]
        found.setdefault(_stem(address, "?" + rest[1:] if rest else ""), int(in_query[2]))
    found.setdefault(_stem(address, query), 1)
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


@lru_cache(maxsize=10_000)
def says_next(text: str) -> bool:
    """Whether a link text means "next page"."""
    folded = text.lower().strip()
    if folded.strip(_TRIM) in _NEXT or folded in _PAGERS["arrows"]:
        return True
    if not _DIGIT.search(folded) or len(folded) > MAX_TEXT:
        return False
    # "Next 10 results", "next 20": what is counted says nothing.
    own = (word for word in folded.strip(_TRIM).split() if not word.isdecimal() and word not in _PAGERS["counted"])
    return " ".join(own).strip(_TRIM) in _NEXT


@lru_cache(maxsize=10_000)
def page_number(text: str) -> int | None:
    """The page number that is the whole text of a link: ``2``, ``[2]``, ``page 2``, ``第2页``."""
    if len(text) > (MAX_TEXT if " " in text else MAX_NUMBER) or not _DIGIT.search(text):
        return None
    match = _PAGE_NUMBER.fullmatch(text.lower().strip(_TRIM))
    return int(match[1]) if match else None


@lru_cache(maxsize=1)  # the next page, the parts of an article and the rows of numbers are looked for among them
def _candidates(page: Page, references: References) -> list[tuple[Link, str, int | None, bool]]:
    """Links without a text, and those that have a page number or say "next", with their address."""
    found: list[tuple[Link, str, int | None, bool]] = []
    for link in page.dom.all_links:
        if len(link.text) > MAX_TEXT:
            continue
        is_next = says_next(link.text) or ("next" in link.rel and "next" in link.rel.split())
        number = None if is_next else page_number(link.text)
        if number is None and not is_next and link.text:
            continue
        url = references.resolve(link.href)
        if url is not None and url != references.here:
            found.append((link, url, number, is_next))
    return found


def next_page(page: Page, references: References | None = None) -> str | None:
    """Address of the following page of a listing, normalised (or as ``references`` have it), or None.

    Evidence, strongest first: ``rel=next``; a link that says "next" whose counter goes up; a link that says "next" to an
    address without a counter under the same path; the number after this page's in a numbered pager.
    """
    references = references or References.of(page)
    for href in page.metadata.links.get("next", ()):
        url = references.resolve(href)
        if url and url != references.here and _goes_up(references.here, url):
            return url
    weak: str | None = None
    numbered = icon = None
    for link, url, number, is_next in _candidates(page, references):
        if not _may_lead_on(page, references, url):
            continue
        counted = _counted(references.here, url)
        if is_next:
            if "next" in link.rel.split() and _goes_up(references.here, url):
                return url
            if counted and counted[1] > counted[0]:
                return url
            is_view = "?" in url and references.here.partition("?")[0].rstrip("/") == url.partition("?")[0].rstrip("/")
            if weak is None and counted is None and is_view:
                weak = url
        elif number == 2 and counts_alike(references.here, url) and adds_counter(references.here, url):
            numbered = url  # pages count from 0
        elif number is not None and counted and counted[1] == counted[0] + 1 and number in (counted[1], counted[1] + 1):
            numbered = numbered or url
        elif not link.text and counted and counted[1] == counted[0] + 1 and _has_page_word(url):
            icon = icon or url
    if (known := numbered or weak or icon) is not None:
        return known
    here, pages = numbered_run(page, references, may_count=True)
    return pages.get(here + 1) or _next_count(page, references) or _loaded_by_button(page, references)


def _next_count(page: Page, references: References) -> str | None:
    """The address of this page with the next number, in a link with any short text ("Load more recipes"), or in an attribute
    from which a script loads it."""
    here = references.here
    if (script := _PAGES_BY_SCRIPT.search(page.text)) is not None and int(script[2]) + 1 < int(script[1]):
        return references.resolve(f"{script[3]}_{int(script[2]) + 1}.{script[4]}")
    hrefs = {link.href: "" for link in page.dom.all_links if len(link.text) <= MAX_TEXT}
    for pattern in _SCRIPTED:
        for match in islice(pattern.finditer(page.text), MAX_SCRIPTED):
            hrefs.setdefault(unescape(match[2] or match[3]), match[1])
    following = [str(number + 1) for number in readings(here).values()]
    for href, name in hrefs.items():
        url = references.resolve(href) if any(number in href for number in following) else None
        if url is None or not _has_page_word(url) or _ONE_LETTER.search(url):
            continue
        counted = _counted(here, url)
        is_second = "next" in name and set(readings(here).values()) == {1} and 2 in readings(url).values()
        if is_second or (counted and counted[1] == counted[0] + 1):
            return url if is_own(references, url) else None
    return None


def is_own(references: References, url: str) -> bool:
    """Whether a URL is of the page's site."""
    return registered_domain(host_of(url)) == references.site()


def _loaded_by_button(page: Page, references: References) -> str | None:
    """The address of the next part of a list, in an attribute of the element that says "load more"."""
    if not has_more_button(page):
        return None
    nodes = page.nodes
    for number, attributes in enumerate(nodes.attributes):
        named = (value for name, value in attributes.items() if name.startswith("data-") or name == "hx-get")
        for value in filter(_PLACE.match, named):
            names = f"{attributes.get('class', '')} {attributes.get('id', '')}"
            if _LOAD_MORE_NAME.search(names) or any(map(_says_more, _labels(nodes, number))):
                url = references.resolve(value.strip())
                return url if url and url != references.here and is_own(references, url) else None
    return None


def has_more_button(page: Page) -> bool:
    """Whether something that is no link says "load more", alone or with what is loaded: "Load more stories"."""
    written = page.text.encode("utf-8", "replace").lower()  # of ASCII alone: a tenth of the time of the pattern
    if any(map(written.count, _LOAD_MORE_WORDS)) and _LOAD_MORE.search(page.text) is not None:
        return True
    return any(_says_more(said[1]) for said in islice(_BUTTON.finditer(page.text), MAX_SCRIPTED))


def _says_more(label: str) -> bool:
    text = label.lower().strip(_TRIM)
    return text.startswith(_MORE) and (text in _NEXT or any(text.startswith(f"{phrase} ") for phrase in _MORE))


def counted_up(url: str) -> str | None:
    """The URL with its named page number raised by one: how scripts ask for the next part of a list; None without one."""
    address, mark, query = url.partition("?")
    query = mark + query
    found = _PAGE_PARAMETER.search(query)
    return normalize(f"{address}{query[: found.start(1)]}{int(found[1]) + 1}{query[found.end(1) :]}") if found else None


def _has_page_word(url: str) -> bool:
    """Whether an address counts pages by name: ``/page/2/``, ``?page=2``; ``/2/`` may be an article."""
    address, mark, query = url.partition("?")
    match = _PATH_COUNTER.search(address)
    return _QUERY_COUNTER.search(mark + query) is not None or (match is not None and match[1] is not None)


def numbered_pages(page: Page, references: References) -> dict[int, str]:
    """The links of this path whose text is a page number, by that number."""
    path = references.here.partition("?")[0].rstrip("/")
    found: dict[int, str] = {}
    for link in page.dom.all_links:
        number = page_number(link.text) if len(link.text) <= MAX_TEXT else None
        url = references.resolve(link.href) if number is not None else None
        if number is None or url is None:
            continue
        if url.partition("?")[0].rstrip("/") == path or step(references.here, url) or adds_counter(url, references.here):
            found.setdefault(number, url)
    return found


def counts_alike(one: str, other: str) -> bool:
    """Whether two URLs are the same page but for how its number is written: none, or 1."""
    mine, theirs = readings(one), readings(other)
    return any(mine.get(stem) == number for stem, number in theirs.items())


def written_next_page(page: Page) -> str | None:
    """The same address as the page writes it, without the fragment only. For lists that are asked for by their address:
    ``?from=10`` may be tracking, or a count of hits; ``?sort=date`` a trap, or what the user asked for."""
    return next_page(page, References.of(page, written=True))


def _counted(here: str, there: str) -> tuple[int, int] | None:
    """Page numbers of two addresses, as they are or in normal form."""
    return step(here, there) or step(normalize(here) or here, normalize(there) or there)


def _goes_up(here: str, there: str) -> bool:
    counted = _counted(here, there)
    return counted is None or counted[1] > counted[0]


def article_parts(page: Page, references: References | None = None) -> list[str]:
    """Addresses of the following pages of the same article, in order, normalised: those that share this page's stem, as a
    blog's ``rel=next`` (another article) does not."""
    references = references or References.of(page)
    here = references.here
    found: dict[int, str] = {}
    first = 1
    candidates = [(url, number, is_next) for _, url, number, is_next in _candidates(page, references)]
    declared = filter(None, map(references.resolve, page.metadata.links.get("next", ())))
    for url, number, is_next in (*candidates, *((url, None, True) for url in declared)):
        counted = step(here, url)
        if counted is None or counted[1] <= counted[0] or counted[1] > MAX_PAGES:
            continue  # a number that high is an article's, not a page's
        is_following = number == counted[1] or (is_next and counted[1] == counted[0] + 1)
        if is_following and is_trap(url, page.time.date(), references.here) is None:
            first = counted[0]
            found.setdefault(counted[1], url)
    if not found:
        first, found = numbered_run(page, references)
    numbers = takewhile(found.__contains__, range(first + 1, first + 1 + MAX_PAGES))
    return [found[number] for number in numbers]


# --- runs of numbers ------------------------------------------------------------------------------
# Pagers that count by any name: ``?ipg=2``, ``x-p2.html``, ``x;page=2``; or that count entries: ``t7p15-x``, ``x?st=20``.
#
# Their row of numbers tells them: it ascends, all but one of the numbers are links, and the URL of each link is that of the
# others with another number, which is the link's text, or grows with it. The one that is no link, or leads here, is this
# page's. Its URL has that number at this place, or is page 1 and has nothing there. A calendar has days without a link, or
# more numbers.

MAX_RUN = 20
"""Numbers of a pager; a month has more days."""
MAX_RUN_NUMBER = 999
MAX_ENTRIES = 200
"""Entries of a page whose pager has two numbers."""
_COUNTER = re.compile(r"[/;,.!~_-]{1,2}(?:[a-z]{1,8}[=:/_-]?)?2/?", re.IGNORECASE)
_INSERTED = re.compile(r"[?&/;,.!~_-]{0,2}(?:[a-z]{1,12}[=:/_-]?)?\d{1,7}[&/_-]?", re.IGNORECASE)
"""A counter anywhere in a URL."""
_LAST_NUMBER = re.compile(r"(?<!\d)(\d{1,3})\W{0,3}$")
_DIGITS = re.compile(r"(\d{1,9})")
_NAMED = re.compile(r"[a-z](?:=|/)$", re.IGNORECASE)
"""Before a counter that has a name: ``?start=6``, ``/start/6``."""
_IDENTITY = re.compile(r"(?:id|nr|day|date|month|year)=$", re.IGNORECASE)
"""Before a number that is no page's."""


def numbered_run(page: Page, references: References, *, may_count: bool = False) -> tuple[int, dict[int, str]]:
    """The number of this page and the URLs of others in its row of numbers; empty if it has no pager.

    :param may_count: whether the URLs may count entries, as those of threads and lists, not of articles.
    """
    here = references.here
    for own, others in _rows(page, references, may_count):
        if own + 1 not in others or not _may_lead_on(page, references, others[own + 1]):
            continue
        if _is_pager(here, own, others) or (may_count and _is_count(here, own, others)):
            return own, others
    return 1, {}


def first_of_run(page: Page, references: References) -> str | None:
    """The URL of page 1 in the row of numbers of a later page, also of the last; None on others."""
    for own, others in _rows(page, references, may_count=True):
        later = {**others, own: references.here}
        first = later.pop(1, None)
        if own > 1 and first is not None and 2 in later and (_is_pager(first, 1, later) or _is_count(first, 1, later)):
            return first
    return None


def _rows(page: Page, references: References, may_count: bool) -> Iterator[tuple[int, dict[int, str]]]:
    """The rows of numbers that may be pagers: the number of this page, and the URLs of others."""
    numbers = {url: number for _, url, number, _ in _candidates(page, references) if number is not None}
    here = references.here
    if not any(_follows(here, url, n) or (may_count and _place(here, url) is not None) for url, n in numbers.items()):
        return
    for run in _runs(page, references):
        others = {number: url for number, url in run if url is not None and url != here}
        own = [number for number, _ in run if number not in others]
        row = [number for number, _ in run]
        if len(own) == 1 and len(row) <= MAX_RUN and row == sorted(set(row)):
            yield own[0], others


def _may_lead_on(page: Page, references: References, url: str) -> bool:
    """Whether a link to the following page may be followed."""
    return is_own(references, url) and (references.written or not is_trap(url, page.time.date(), references.here))


def _is_pager(here: str, own: int, others: Mapping[int, str]) -> bool:
    """Whether the URLs in a row of numbers differ in their numbers only. Page 1 may have another URL."""
    following = others[own + 1]
    rest = [(number, url) for number, url in others.items() if url != following and not number == 1 < own]
    return _follows(here, following, own + 1) and all(_differs(following, url, own + 1, number) for number, url in rest)


def _is_count(here: str, own: int, others: Mapping[int, str]) -> bool:
    """Whether URLs have one number that counts pages, or the entries before the page, from 0 or 1; page 1 may lack it."""
    following = _DIGITS.split(others[own + 1])
    place = _place(here, others[own + 1])
    if place is None or _IDENTITY.search(following[place - 1]):
        return False
    later = {number: _DIGITS.split(url) for number, url in {**others, own: here}.items()}
    for number, parts in list(later.items()):
        if [*parts[:place], "", *parts[place + 1 :]] != [*following[:place], "", *following[place + 1 :]]:
            if number > 1:
                return False
            del later[number]  # the first page
    (first, start), *rest = sorted((number, int(parts[place])) for number, parts in later.items())
    if not rest:  # one later page does not show how many entries a page has: round numbers and named counters are believed
        is_named = _NAMED.search(following[place - 1]) is not None
        return start == first or (start % 5 == 0 < start) or (is_named and first == 2 and start <= MAX_ENTRIES)
    size = (rest[0][1] - start) // (rest[0][0] - first)
    return start - (first - 1) * size in (0, 1) and all(n == start + (k - first) * size for k, n in rest) and size > 0


def _place(here: str, there: str) -> int | None:
    """Which part of a URL is the only number in which it differs from this page's, or which this one lacks."""
    mine, theirs = _DIGITS.split(here), _DIGITS.split(there)
    if len(mine) != len(theirs):
        return _inserted(here, there)
    places = [place for place, (one, other) in enumerate(zip(mine, theirs, strict=True)) if one != other]
    return places[0] if len(places) == 1 and places[0] % 2 else None


def _inserted(here: str, there: str) -> int | None:
    """Which part of a URL is the number of a counter without which it is this page's."""
    end, more = 0, len(there) - len(here)
    for place, part in enumerate(_DIGITS.split(there)):
        end += len(part)
        for stop in (end, end + 1) if place % 2 and more > 0 else ():
            start = max(0, stop - more)
            if there[:start] + there[stop:] == here and _INSERTED.fullmatch(there, start, stop):
                return place
    return None


def adds_counter(here: str, there: str) -> bool:
    """Whether a URL is this page's with an additional counter: ``x?page=2``, ``t7p15-x``."""
    return _inserted(here, there) is not None


def _runs(page: Page, references: References) -> Iterator[list[tuple[int, str | None]]]:
    """Rows of numbers with their URLs, in document order; a text may end with the first one ("Page: 1")."""
    nodes = page.nodes
    run: list[tuple[int, str | None]] = []
    for node in nodes.shown.tolist():
        text = nodes.texts[node]
        number = page_number(text)
        if number is not None and number <= MAX_RUN_NUMBER:
            href = _href_around(nodes, node)
            run.append((number, references.resolve(href) or references.here if href is not None else None))
        elif any(map(str.isalnum, text)):
            yield run
            last = _LAST_NUMBER.search(text[-MAX_TEXT:])
            run = [(int(last[1]), None)] if last else []
    yield run


def _href_around(nodes: Nodes, node: int) -> str | None:
    for _ in range(5):
        node = int(nodes.parents[node])
        if node < 0 or nodes.tags[node] == "a":
            return nodes.attributes[node].get("href") if node >= 0 else None
    return None


def _follows(here: str, there: str, number: int) -> bool:
    """Whether a URL is this page's with ``number`` instead of the number before it, or with 2 where page 1 has none."""
    if number != 2 or _differs(here, there, 1, 2):
        return _differs(here, there, number - 1, number)
    address, _, query = here.partition("?")
    other, _, asked = there.partition("?")
    if address == other:
        mine, theirs = set(filter(None, query.split("&"))), set(asked.split("&"))
        names = [pair.partition("=")[0] for pair in theirs - mine if _DIGIT.search(pair.partition("=")[2])]
        return mine <= theirs and len(names) == 1 and f"{names[0]}=2" in theirs and not _IDENTITY.search(f"{names[0]}=")
    ending = _ENDING.search(address)
    if query != asked or (ending is not None and not other.endswith(ending[0])):
        return False
    stem, longer = (_ENDING.sub("", one).rstrip("/") for one in (address, other))
    return longer.startswith(stem) and _COUNTER.fullmatch(longer[len(stem) :]) is not None


def _differs(one: str, other: str, number: int, another: int) -> bool:
    """Whether two URLs differ in a single number, which is the one or the other, and identifies no article or day."""
    mine, theirs = _DIGITS.split(one), _DIGITS.split(other)
    places = [place for place, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]]
    if len(mine) != len(theirs) or len(places) != 1:
        return False
    (place,) = places
    return (mine[place], theirs[place]) == (str(number), str(another)) and not _IDENTITY.search(mine[place - 1])


# --- result pages ---------------------------------------------------------------------------------
# Engines count by any name (``whence=20``, ``TOPDOC=10``), add parameters of their own, show pictures instead of words, or
# have a form whose buttons name the pages. What tells their next page is the query: its URL still asks for it. Among the
# URLs that do, evidence is, strongest first: a label that says "next" where a number of the URL goes up; a label with the
# number of the next page; a label that says "next" on a button.

MAX_LABEL = 40
"""Characters of a label that may be a pager's."""
MAX_CONTROLS = 300
"""Controls of one form that are read."""
MAX_FORM = 2_000
"""Characters of the URL of a form."""
MAX_CANDIDATES = 500
_NUMBER = re.compile(r"\d{1,7}")
_STEPS = re.compile(r"[/&;?#]|(?<=\w)[._-](?=\d)")
_NEXT_CLASS = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Control:
    """A link or button that may lead to another result page."""

    url: str
    says_next: bool
    number: int | None
    is_button: bool


def next_results(page: Page, query: str, number: int) -> str | None:
    """URL of the following result page as the page writes it, or None.

    :param query: that was asked for.
    :param number: of this result page, 1 for the first.
    """
    references = References.of(page, written=True)
    folded = " ".join(query.split()).casefold()
    # What this page was asked for may be more than the query: "site:example.org tide tables".
    wanted = {folded, *(value for value in _said(references.here) if folded and folded in value)}
    here = references.here
    asking = (
        control
        for control in _controls(page.nodes, references, may_post=bool(folded))
        if not wanted.isdisjoint(_said(control.url)) and control.url != here
    )
    controls = list(islice(asking, MAX_CANDIDATES))
    following = [control.url for control in controls if control.says_next]
    # A number that this page's URL does not have goes up from the first page's 0 or 1.
    rising = (url for url in following if any(old < new > 1 for old, new in _counted_pages(here, url)))
    numbered = [control.url for control in controls if control.number == number + 1][:1]
    buttons = (control.url for control in controls if control.says_next and control.is_button)
    told = next((url for url in chain(rising, numbered, buttons) if not _falls(here, url)), None)
    if told is not None:
        return told
    other = written_next_page(page)
    if other is None and number == 1:  # pages may be counted from 0: the second is 1
        other = next((url for url in following if [old for old, _ in _counted_pages(here, url)] == [-1]), None)
    return None if other is None or _falls(here, other) else other


def _said(url: str) -> set[str]:
    """The values of a URL's parameters and the parts of its path, decoded and folded."""
    path, _, parameters = url.partition("?")
    values = [part.partition("=")[2] for part in re.split("[&;]", parameters)]
    return {" ".join(unquote_plus(value).split()).casefold() for value in (*values, *path.split("/")[3:])}


def _counted_pages(here: str, there: str) -> list[tuple[int, int]]:
    """Numbers of two URLs where they differ: this page's (-1 for none), the other's of the same parameter or place in the
    path."""
    mine, other = _values(here), _values(there)
    changed = [(mine.get(name, ""), value) for name, value in other.items() if mine.get(name) != value]
    return [(int(old) if _NUMBER.fullmatch(old) else -1, int(new)) for old, new in changed if _NUMBER.fullmatch(new)]


def _values(url: str) -> dict[str, str]:
    """The parameters of a URL, and the parts of its path by their place."""
    path, _, parameters = url.partition("?")
    values = {f"/{place}": part for place, part in enumerate(_STEPS.split(path))}
    for part in re.split("[&;]", parameters):
        name, _, value = part.partition("=")
        values[name] = value
    return values


def _falls(here: str, there: str) -> bool:
    """Whether a number of a URL goes down."""
    return any(old > new for old, new in _counted_pages(here, there))


def _controls(nodes: Nodes, references: References, *, may_post: bool) -> Iterator[_Control]:
    """Links and buttons with a label of a pager that lead to the same site, in document order.

    :param may_post: whether the forms that are sent with POST count.
    """
    for node, tag in enumerate(nodes.tags):
        if tag == "a" and "href" in nodes.attributes[node]:
            labels = _labels(nodes, node)
            told = _told(nodes, node, labels)
            url = references.resolve(nodes.attributes[node]["href"].strip()) if told else None
            if told and url is not None and is_own(references, url):
                yield _Control(url, *told, is_button=False)
        elif tag == "form" and (may_post or nodes.attributes[node].get("method", "get").strip().lower() != "post"):
            yield from _buttons(nodes, node, references)


def _told(nodes: Nodes, node: int, labels: list[str]) -> tuple[bool, int | None] | None:
    """(whether a control says "next", its page number); None where it says neither."""
    number = next((found for label in labels if (found := page_number(label)) is not None), None)
    is_next = any(map(says_next, labels)) or "next" in nodes.attributes[node].get("rel", "").lower().split()
    if not labels and not is_next:  # an icon: only its class says what it is
        inside = range(node, min(int(nodes.ends[node]), node + 4))
        is_next = any(_NEXT_CLASS.search(nodes.attributes[n].get("class", "")) for n in inside)
    return (is_next, number) if is_next or number is not None else None


def _labels(nodes: Nodes, node: int) -> list[str]:
    """What a link or button says: its text, else its pictures' words, and its titles."""
    inside = range(node, min(int(nodes.ends[node]), node + 20))
    texts = [nodes.texts[n] for n in inside if nodes.texts[n]]
    words = [" ".join(texts)]
    if not texts:
        words += [nodes.attributes[n].get(name, "") for n in inside if nodes.tags[n] == "img" for name in ("alt", "title")]
    words += [nodes.attributes[node].get(name, "") for name in ("title", "aria-label")]
    return [word.strip() for word in words if word.strip() and len(word) <= MAX_LABEL]


def _buttons(nodes: Nodes, form: int, references: References) -> Iterator[_Control]:
    """The buttons of a form, each with the URL that it asks for: the action and all that the form would send. Many engines
    answer what they send with POST also as a URL. Where one does not, the search ends with the same hits."""
    action = nodes.attributes[form].get("action", "").strip() or references.here
    target = references.resolve(action)
    if target is None or not is_own(references, target):
        return
    sent: list[tuple[str, str]] = []
    buttons: list[tuple[int, str, str]] = []
    inside = (n for n in range(form, int(nodes.ends[form])) if nodes.tags[n] in ("input", "button", "select", "textarea"))
    for control in islice(inside, MAX_CONTROLS):
        attributes, tag = nodes.attributes[control], nodes.tags[control]
        kind = attributes.get("type", "submit" if tag == "button" else "text").lower()
        name, value = attributes.get("name", ""), attributes.get("value", "")
        if "disabled" in attributes:
            continue
        if kind in ("submit", "image") and tag in ("input", "button"):
            buttons.append((control, name, value))
        elif name and kind not in ("button", "reset", "file", "password"):
            if kind in ("checkbox", "radio") and "checked" not in attributes:
                continue
            sent.append((name, _value(nodes, control)))
    for control, name, value in buttons:
        alternative = nodes.attributes[control].get("alt", "")
        labels = [label.strip() for label in (value, alternative, name) if label.strip() and len(label) <= MAX_LABEL]
        told = _told(nodes, control, [*_labels(nodes, control), *labels])
        if told:
            image = nodes.attributes[control].get("type", "").lower() == "image"
            own = [(f"{name}.x", "1"), (f"{name}.y", "1")] if image and name else [(name, value)] if name else []
            url = f"{target.partition('?')[0]}?{urlencode([*sent, *own])}"
            if len(url) <= MAX_FORM:  # the state of a whole page is no question
                yield _Control(url, *told, is_button=True)


def _value(nodes: Nodes, control: int) -> str:
    """What a form sends of a control; of a list the value of the chosen option, else of the first."""
    if nodes.tags[control] == "textarea":
        return nodes.text(control)
    if nodes.tags[control] == "select":
        options = [n for n in range(control, int(nodes.ends[control])) if nodes.tags[n] == "option"]
        chosen = [n for n in options if "selected" in nodes.attributes[n]] or options
        return nodes.attributes[chosen[0]].get("value", nodes.text(chosen[0])) if chosen else ""
    is_box = nodes.attributes[control].get("type", "").lower() in ("checkbox", "radio")
    return nodes.attributes[control].get("value", "on" if is_box else "")
