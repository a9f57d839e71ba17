"""The links of a page: resolved, normalised, scored, told apart from links to archives; and links in the data of scripts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache
from html import escape
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from selectolax.lexbor import LexborNode

from newsextract.discovery.pagination import is_own, step
from newsextract.model_files import data_table
from newsextract.page.page import Page
from newsextract.page.references import References, host_of
from newsextract.urls import is_trap, normalize, unwrapped

# --- scores ---------------------------------------------------------------------------------------
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A Japanese, Chinese or Korean character."""
_DATE = re.compile(r"/(?:19|20)\d\d(?:[/_-]?(?:0[1-9]|1[0-2])(?!\d\d\d)|[/_-][1-9][/_-])")
_PAGE_ENDINGS = (".html", ".htm", ".shtml")
_NUMBER = re.compile(r"\d{5,}")
_ID = re.compile(r"\b(?:id|aid|articleid|newsid|nid|story|storyid|tid)=\d{3,}", re.I)


def text_length(text: str) -> int:
    """Length of a text in characters, a Chinese, Japanese or Korean one counting three."""
    return len(text) if text.isascii() else len(text) + 2 * len(CJK.findall(text))


def address_score(url: str) -> float:
    """0–1: how much an address in normal form looks like an article's."""
    address, _, query = url.partition("?")
    start = address.find("/", 8)
    if start < 0:
        return 0.0
    end = len(address) - (address[-1] == "/")
    last = address[max(start, address.rfind("/", 0, end)) : end]
    score = 0.4 if _DATE.search(address, start) else 0.0
    if last.count("-") >= 3 or last.count("_") >= 3:
        score += 0.4
    if _NUMBER.search(last):
        score += 0.3
    if last.endswith(_PAGE_ENDINGS):
        score += 0.1
    if query and _ID.search(query):
        score += 0.4
    return min(1.0, score)


def text_score(text: str) -> float:
    """0–0.5: how much an anchor text looks like a headline. The name of a section is shorter."""
    length = text_length(text)
    return 0.5 if length >= 40 else 0.4 if length >= 25 else 0.1 if length >= 15 else 0.0


# --- links ----------------------------------------------------------------------------------------
# Each address is given once, with the longest text of its anchors, and a score that says how much it looks like a link to an
# article, from its address (a date, a long slug, a number) and its text (a headline is longer than the name of a section).
#
# Cost: about 8 µs a distinct address, a third of that for one that was seen before on another page.

MAX_LINKS = 5_000
"""Distinct references of one page that are looked at."""
MAX_TEXT = 300
"""Characters kept of an anchor text."""
ARCHIVE_RELS = frozenset(("tag", "category", "author", "archives"))
"""Link types of what leads to a list (HTML Living Standard, microformats, WordPress)."""
PERMALINK = "bookmark"
"""Link type of the address of an entry. Drupal calls its "read more" links ``tag``, and those of the titles so."""
_OTHER_URLS = frozenset(("shortlink", "trackback"))
"""Link types of further URLs of a page that has a URL of its own: a short one, that of its trackbacks."""
_TELLING = ARCHIVE_RELS | {PERMALINK}
MAX_DELAY = 30
"""Seconds; a page that refreshes later than this is shown, not a redirect."""
_FEED_TYPES = re.compile(r"^application/(?:(?:rss|atom|rdf)\+xml|feed\+json)\b", re.IGNORECASE)
_COMMENTS = re.compile(r"/comments?(?:[/._-]|$)", re.IGNORECASE)
MAX_NEIGHBOURS = 6
_PREVIOUS = re.compile(
    r"\W{0,3}(?:prev(?:ious)?\b|older\b|earlier\b|vorherige|ältere|précédent|anterior|precedente|vorige|[上前]一?[期周日頁页])",
    re.IGNORECASE,
)
_NEIGHBOUR = re.compile(r"(?<![^\s_-])(?:prev(?:ious)?|next)(?![^\s_-])", re.IGNORECASE)
"""In link types and names of elements, at links to the article before or after."""
_LABEL = re.compile(
    r"^\W{0,3}(?:prev(?:ious)?\b|next\b|older\b|newer\b|[上下前后後]一?[篇条條章]|[前次]の(?:記事|投稿)|(?:이전|다음)\s?글"
    r"|vorherige|nächste|précédent|suivant|anterior|siguiente|próxim|precedente|successiv|vorige|volgende)",
    re.IGNORECASE | re.MULTILINE,
)
"""How a text begins before or in such a link."""
_LEAST_TITLE = 15
"""Characters of a title beside an arrow; a step of a breadcrumb trail has fewer."""
_MOST_ABOVE = 6
"""Elements around a link that are compared with those around the links before and behind it."""
_REFRESH = re.compile(r"\s{0,20}(\d{1,6})(?:\.\d*)?\s{0,20}[;,]\s{0,20}(?:url\s{0,20}=\s{0,20})?(.{1,2000})", re.I | re.S)


class FoundLink(NamedTuple):
    """A link to another address."""

    url: str
    """Absolute, normalised."""
    text: str
    """The best of its anchor texts; may be empty (a picture)."""
    rel: str
    """Link types, lower case, separated by blanks."""
    score: float
    """0–1: how much it looks like a link to an article."""
    next_page: bool = False
    """Whether it is the next page of the listing."""
    is_heading: bool = False
    """Whether it is a heading of the page, such as that of a teaser; not that of an archive."""

    @property
    def to_archive(self) -> bool:
        """Whether the page says that the link leads to the pages of a tag, a category, an author or a time, and nowhere
        that it is the address of an entry (Drupal 7 marks "Read more" as a tag)."""
        types = self.rel.split()
        return not self.is_heading and PERMALINK not in types and not ARCHIVE_RELS.isdisjoint(types)

    @property
    def nofollow(self) -> bool:
        """Whether the page asks crawlers not to follow the link (HTML Living Standard, link types)."""
        return "nofollow" in self.rel


def read_links(page: Page, base_url: str | None = None) -> list[FoundLink]:
    """Links of a page to other http(s) addresses, traps left out, in document order.

    :param base_url: the page's address, if it is not ``page.url``. A ``<base href>`` is resolved against it.
    """
    return found_links(page, References.of(page, base_url))


def found_links(
    page: Page, references: References, admit: Callable[[str], bool] | None = None, following: str | None = None
) -> list[FoundLink]:
    """The same for references made already; ``admit`` chooses hosts, ``following`` is the listing's next page."""
    resolve = references.resolve
    urls: dict[str, str | None] = {}
    best: dict[str, tuple[str, str]] = {}
    hosts: dict[str, bool] = {}
    for link in page.dom.all_links:
        href = link.href
        if link.rel and not _OTHER_URLS.isdisjoint(link.rel.split()):
            continue
        if href in urls:
            url = urls[href]
        elif len(urls) < MAX_LINKS:
            # A host that was refused once is refused as it stands: no need to take the address apart.
            refused = href.startswith("http") and hosts.get("".join(href.split("/", 3)[2:3])) is False
            url = None if refused else resolve(href)
            if url is not None and "?" in url and (target := unwrapped(url)) != url:  # "/go?url=…"
                url = normalize(target)
            if url is not None and admit is not None:
                host = host_of(url)
                if host not in hosts:
                    hosts[host] = admit(host)
                url = url if hosts[host] else None
            urls[href] = url
        else:
            break
        if url is None:
            continue
        known = best.get(url)
        if known is not None and link.rel and not _TELLING.isdisjoint(link.rel.split()) and link.rel not in known[1]:
            known = best[url] = known[0], f"{known[1]} {link.rel}".strip()
        if known is None:
            best[url] = (link.text, link.rel)
        elif link.text != known[0] and text_length(link.text) > text_length(known[0]):
            best[url] = (link.text, known[1])
    best.pop(references.here, None)
    today = page.time.date()
    headings = {heading.text for heading in page.dom.headings}
    headed = {
        urls[link.href]
        for link in page.dom.all_links
        if link.text in headings and link.href in urls and ARCHIVE_RELS.isdisjoint(link.rel.split())
    }
    found = []
    for url, (text, rel) in best.items():
        score = judged_address(url, today)
        if score is None and is_trap(url, today, references.here) is None:
            score = 0.6 * address_score(url)
        if score is not None:
            total = min(1.0, score + text_score(text))
            found.append(FoundLink(url, text[:MAX_TEXT], rel, total, url == following, url in headed))
    return found


@lru_cache(maxsize=20_000)
def judged_address(url: str, today: date) -> float | None:
    """What the address adds to a link's score; None for a trap. Kept: pages of one site share most of their links."""
    return None if is_trap(url, today) else 0.6 * address_score(url)


def meta_refresh(page: Page, references: References | None = None) -> str | None:
    """Where a ``<meta http-equiv=refresh>`` leads within :data:`MAX_DELAY` seconds, or the frame of which a page without a
    text of its own consists; normalised; None if nowhere else.

    One inside ``<noscript>`` is for browsers without scripts, often a page that complains; it does not count.
    """
    references = references or References.of(page)
    for content in page.metadata.meta.get("refresh", ()):
        match = _REFRESH.fullmatch(content[:3000])
        if match and int(match[1]) <= MAX_DELAY and not _in_noscript(page.text):
            url = references.resolve(match[2].strip(" \t\r\n'\""))
            if url and url != references.here:
                return url
    return None if page.dom.texts else _only_frame(page, references)


def _only_frame(page: Page, references: References) -> str | None:
    """The document in the only frame of a page, if it is of the same site."""
    nodes = page.nodes
    frames = [*nodes.by_tag["iframe"], *nodes.by_tag["frame"]]
    url = references.resolve(nodes.attributes[frames[0]].get("src", "")) if len(frames) == 1 else None
    return url if url and url != references.here and is_own(references, url) else None


def neighbours(page: Page, references: References) -> list[str]:
    """Articles before and after this one: by the type of a link, a name of its elements, or a word in or before it."""
    named = [href for name in ("prev", "previous", "next") for href in page.metadata.links.get(name, ())]
    links, texts = page.dom.link_nodes, page.dom.link_texts
    above = [[], *map(_above, links), []]
    for place, (link, text) in enumerate(zip(links, texts, strict=True), 1):
        if len(named) >= MAX_NEIGHBOURS:
            break
        href = link.attributes["href"]
        if href and _is_neighbour(link, " ".join(text.split()), {*above[place - 1], *above[place + 1]}):
            named.append(href)
    today, found = page.time.date(), dict[str, None]()
    for href in named:
        url = references.resolve(href)
        is_other = url is not None and not references.here.startswith(url)  # as a breadcrumb is
        if url is None or not is_other or judged_address(url, today) is None or archive_group(url) is not None:
            continue
        if page.kind.is_article or step(references.here, url) is None:  # else a pager
            found[url] = None
    return list(found)


def _above(link: LexborNode) -> list[int]:
    """The elements around a link, the innermost first."""
    found: list[int] = []
    element = link.parent
    while element is not None and len(found) < _MOST_ABOVE:
        found.append(element.mem_id)
        element = element.parent
    return found


def _is_neighbour(link: LexborNode, text: str, shared: Collection[int]) -> bool:
    """Whether a link leads to the article before or after this one.

    :param shared: elements that hold other links, too.
    """
    names, labels = [link.attributes.get("rel") or ""], [text]
    element: LexborNode | None = link
    for _ in range(3):  # the link, and what stands around it alone
        if element is None or element.mem_id in shared:
            break
        attributes = element.attributes
        names += (attributes.get("class") or "")[:100], (attributes.get("id") or "")[:100]
        before = element.prev
        while before is not None and (before.is_comment_node or before.is_empty_text_node):
            before = before.prev
        if before is not None and before.is_text_node:
            labels.append(" ".join((before.text_content or "").split())[:100])
        element = element.parent
    is_arrowed = len(text) >= _LEAST_TITLE and (text[0] in "←«‹" or text[-1] in "→»›")
    return is_arrowed or _LABEL.search("\n".join(labels)) is not None or _NEIGHBOUR.search(" ".join(names)) is not None


def says_previous(text: str) -> bool:
    """Whether the text of a link says that it leads back in time: "Previous edition"."""
    return _PREVIOUS.match(text) is not None


def declared_feeds(page: Page, references: References) -> list[str]:
    """Feeds that the head of a page names, those of comments last; each once."""
    found: dict[str, None] = {}
    for tag, attributes in zip(page.nodes.tags, page.nodes.attributes, strict=True):
        if tag == "link" and "alternate" in attributes.get("rel", "").lower().split():
            url = references.resolve(attributes.get("href", "")) if _FEED_TYPES.match(attributes.get("type", "")) else None
            if url is not None:
                found.setdefault(url)
    return sorted(found, key=is_comments_feed)


def is_comments_feed(url: str) -> bool:
    """Whether the address of a feed says that it holds comments."""
    return _COMMENTS.search(urlsplit(url).path) is not None


def _in_noscript(text: str) -> bool:
    match = re.search(r"http-equiv\s{0,5}=\s{0,5}[\"']?refresh", text[:500_000], re.I)
    before = text[max(0, match.start() - 3000) : match.start()].lower() if match else ""
    return before.rfind("<noscript") > before.rfind("</noscript")


# --- archive addresses ----------------------------------------------------------------------------
# Pages of a tag, a category, an author, a day, a later page of a list: blog software writes their URLs in a few ways
# (``data/archives.toml``). It is evidence beside what the page itself shows, never the only reason to reject a page.

PAGES = "#pages"
"""End of the group of later pages of a list that is no archive."""
_LISTS = {name: frozenset(words) for name, words in data_table("discovery/data/archives.toml").items()}
_DATE_ONLY = re.compile(
    r"/(?:19|20)\d\d(?:/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12]\d|3[01]))?|[_-]?(?:0[1-9]|1[0-2]))?"
    r"(?:(?:/index\d{0,4})?\.(?:[sx]?html?|php)|/index\d{0,4})?/?$"
)
"""A year, month or day that ends a path: ``/2025/04/``, ``/2025/04.html``, ``/2025-04``."""
_DAY = re.compile(r"/(?:19|20)\d\d/\d\d?/\d\d?/?$")
_DIGITS = re.compile(r"\d{1,4}")
_NAME_WORDS = 2
"""Of a tag or an author in one segment with what it is: ``/tag-harbour.html``, ``/author-jane-doe-2.html``."""
_INDEX = re.compile(r"index[_-]?\d{0,4}")
_WORDS = re.compile(r"[a-z]+")
_STEPS = re.compile("[/:]")
"""Between segments; some software writes ``/tag:harbour``."""


def _segments(path: str) -> list[str]:
    """The segments of a path in lower case, without endings of files and without its index."""
    found = [unquote(segment).lower().partition(".")[0] for segment in _STEPS.split(path) if segment]
    return found[:-1] if found and _INDEX.fullmatch(found[-1]) else found


@lru_cache(maxsize=20_000)
def archive_group(url: str) -> str | None:
    """What a normalised address that is written like that of an archive belongs to; None for other addresses.

    It is the same for all tags of a site, for all its authors, for all its months."""
    lists = _LISTS
    address, _, query = url.partition("?")
    host, _, path = address.partition("://")[2].partition("/")
    for pair in query.lower().split("&") if query else ():
        name, _, value = pair.partition("=")
        if name in lists["parameters"] or (name in lists["page_parameters"] and _DIGITS.fullmatch(value)):
            return f"{host}/{path}?{name}"
    segments = _segments(path)
    if not segments:
        return None
    for place in (len(segments) - 1, len(segments) - 2):
        if place >= 0 and segments[place] in lists["groups"]:
            return "/".join([host, *segments[: place + 1]])
    if len(segments) > 1 and segments[-1] in lists["beside"]:
        return f"{host}/#{segments[-1]}"
    word, _, name = segments[-1].partition("-")
    words = [part for part in name.split("-") if not part.isdigit()]
    if name and (word in lists["groups"] or word in lists["all"]) and len(words) <= _NAME_WORDS:
        return "/".join([host, *segments[:-1], word])
    if segments[-1] in lists["all"]:
        return "/".join([host, *segments])
    if len(segments) > 1 and _DIGITS.fullmatch(segments[-1]) and segments[-2] in lists["page_words"]:
        within = next((i for i, segment in enumerate(segments) if segment in lists["groups"] or segment in lists["all"]), -2)
        return "/".join([host, *segments[: within + 1]]) + PAGES * (within == -2)
    dated = _DATE_ONLY.search("/" + path.lower())
    return f"{host}/{path[: dated.start()]}#days" if dated else None


def lists_a_day(url: str) -> bool:
    """Whether a normalised address is that of all articles of one day: ``/2025/04/01/``."""
    return _DAY.search(url) is not None


@lru_cache(maxsize=20_000)
def is_fixed_page(url: str) -> bool:
    """Whether a normalised address is written like that of a page about its site ("about us", imprint, privacy), at most one
    segment deep: ``/about/``, ``/en/privacy-policy.html``."""
    segments = _segments(url.partition("?")[0].partition("://")[2].partition("/")[2])
    return 0 < len(segments) <= 2 and segments[-1] in _LISTS["fixed"]


def lists_among(urls: Sequence[str]) -> set[str]:
    """Of the sitemaps of one index those of archives, or of fixed pages ("about us") beside another one of dated articles.

    Examples: ``wp-sitemap-taxonomies-category-1.xml``, ``author-sitemap.xml``; ``page-sitemap.xml`` beside
    ``post-sitemap.xml``. Nothing where that would be all of them: what a name says is a hint, and no more.
    """
    dated, fixed = _LISTS["dated_words"], _LISTS["fixed_words"]
    words = {url: _WORDS.findall(urlsplit(url).path.rpartition("/")[2].lower()) for url in urls}
    found = {url for url, own in words.items() if not _LISTS["sitemap_words"].isdisjoint(own)}
    # WordPress writes "posts-post" and "posts-page": the last word that tells counts.
    telling = {url: [word for word in own if word in dated | fixed][-1:] for url, own in words.items() if url not in found}
    if any(dated.issuperset(word) for word in telling.values() if word):
        found |= {url for url, word in telling.items() if word and dated.isdisjoint(word)}
    return found if len(found) < len(words) else set()


# --- script data ----------------------------------------------------------------------------------
# Links that are only in the data of a page's scripts (``__NEXT_DATA__`` and other JSON): scripts would draw them.
#
# A string is a link if it is an absolute URL of the page's own host, or a path that begins with ``/``; pictures, files,
# interfaces and route templates are none. The headline in the same object is its text.

FEW_LINKS = 10
"""Links of a page to its own site from which on they are the ones to follow."""
_MOST_LINKS = 500
_MAX_DATA = 4_000_000
"""Characters of scripts that are read."""
_SCRIPT = re.compile(r"<script\s[^<>]{0,500}\btype\s{0,3}=\s{0,3}[\"']?application/(?:ld\+)?json\b[^<>]{0,500}>", re.I)
_PATH = re.compile(r"(?:/(?!/)|https?://)[^\s<>{}\[\]|\\^`\"*]{2,1000}")
_HEADLINES = ("headline", "title", "name", "label", "text")
_OTHER_KEYS = re.compile(
    r"image|img|icon|logo|src|api|endpoint|thumb|asset|avatar|photo|picture|poster|video|audio|prefix|base|^page$|@|context|sameas",
    re.IGNORECASE,
)
"""Keys of addresses that are no pages: pictures, interfaces, routes, vocabularies."""
_OTHER_PATHS = re.compile(
    r"/(?:_next|_nuxt|_api|api|apis|graphql|ajax|rest|static|assets?|images?|img|fonts?|build|dist|cdn-cgi)(?:[/?]|$)"
)


def script_links(page: Page, references: References) -> list[FoundLink]:
    """Links in the JSON of a page's scripts to other pages of its host, in document order, each once."""
    own, today = host_of(references.here).removeprefix("www."), page.time.date()
    found: dict[str, FoundLink] = {}
    for written, text in _strings(page.text):
        url = references.resolve(written)
        if url is None or url == references.here or host_of(url).removeprefix("www.") != own:
            continue
        score = None if _OTHER_PATHS.search(url.lower()) else judged_address(url, today)
        if score is not None and (url not in found or len(text) > len(found[url].text)):
            found[url] = FoundLink(url, text, "", min(1.0, score + text_score(text)))
        if len(found) >= _MOST_LINKS:
            break
    return list(found.values())


def _strings(source: str) -> Iterator[tuple[str, str]]:
    """Strings that are written like the address of a page, with the headline beside each, or an empty text."""
    position = size = 0
    while size < _MAX_DATA and (start := _SCRIPT.search(source, position)) is not None:
        end = source.find("</script", start.end())
        position = len(source) if end < 0 else end
        size += position - start.end()
        try:
            data = json.loads(source[start.end() : position]) if size < _MAX_DATA else None
        except (ValueError, RecursionError):
            continue
        yield from _addresses(_all_strings(data))


def _addresses(strings: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    for key, value, text in strings:
        if not _OTHER_KEYS.search(key) and _PATH.fullmatch(value):
            yield value, text


def _all_strings(data: Any) -> Iterator[tuple[str, str, str]]:
    """The strings in data, in order, each with its key and the headline beside it, or an empty text."""
    waiting: list[tuple[str, Any, str]] = [("", data, "")]
    while waiting:
        key, value, text = waiting.pop()
        if isinstance(value, str):
            yield key, value, text
        elif isinstance(value, dict):
            named = [value.get(name) for name in _HEADLINES]
            text = next((" ".join(one.split())[:MAX_TEXT] for one in named if isinstance(one, str) and one.strip()), "")
            waiting += [(str(name), inner, text) for name, inner in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(key, inner, text) for inner in reversed(value)]


_NEXT_KEY = re.compile(r"(?:next|more)(?:_?(?:page|url|link|href|path))*|(?:url|link|href)_?(?:next|more)", re.IGNORECASE)
_NEXT_PLACE = re.compile(r"(?:[?/]|https?://)[^\s<>]{1,2000}")


def data_page(page: Page) -> Page | None:
    """The page that a script would make of JSON that it asks for (``{"html": "<article>…", "next": "/more?page=3"}``): the
    markup in it, links with their headlines, and a link to the next part; None if it is no JSON."""
    try:
        data = json.loads(page.text) if page.text.lstrip()[:1] in ("{", "[") else None
    except (ValueError, RecursionError):
        data = None
    if data is None:
        return None
    strings = [*_all_strings(data)]
    parts = [value for _, value, _ in strings if "<a " in value]
    links = () if parts else _addresses(strings)
    parts += [f'<h2><a href="{escape(url)}">{escape(text)}</a></h2>' for url, text in links]
    following = [value for key, value, _ in strings if _NEXT_KEY.fullmatch(key) and _NEXT_PLACE.fullmatch(value)]
    parts += [f'<a rel="next" href="{escape(url)}"></a>' for url in following[:1]]
    return replace(
        page, body="\n".join(parts).encode("utf-8", "replace"), headers={"content-type": "text/html; charset=utf-8"}
    )
