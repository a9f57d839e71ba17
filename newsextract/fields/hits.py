"""The fields of a search hit: title, address, snippet and date of one record of a result page.

The title is the text of the main link, without a number or score beside it. The snippet is the longest text beside it, up to
where a line of the engine's own begins ("matching: …", a URL, a size). The address is where the link leads in the
end (*redirectors*). The date stands beside the snippet or begins it; then it is cut from it.
Measured on aql, folds 1–4, true records (2,008 hits): the right address on 0.91, on 0.96 where the truth's own address is
no redirecting link; the title as in the truth on 0.84, where most of the rest is truth that joins title and site.

Cost: about 0.1 ms a hit.
"""

from __future__ import annotations

import base64
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from newsextract.fields.authors import is_byline, split_names
from newsextract.fields.dates import is_date
from newsextract.fields.post_fields import NOWHERE, PostDates, find_author, link_around, nodes_of
from newsextract.fields.title_parts import fold_key, site_names, title_parts
from newsextract.model_files import data_table
from newsextract.page.nodes import EMPHASIS, Nodes
from newsextract.page.page import Page
from newsextract.page.references import Addresses, References, host_of
from newsextract.records.items import align
from newsextract.records.leaves import line_text, text_kind, text_width
from newsextract.results import Item, Record, RecordPage, Region, ReportDate
from newsextract.urls import registered_domain

# --- redirectors ----------------------------------------------------------------------------------
# The address behind a search engine's redirecting link: /url?q=https%3A%2F%2F… → https://….
#
# The table of forms is ``data/redirectors.toml``. Links whose target only the engine knows stay as they are.
#
# Cost: 2 µs for an address that is no redirector's.

_HTTP = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class _Redirector:
    hosts: frozenset[str]
    path: re.Pattern[str]
    parameters: tuple[str, ...]
    segment: str
    coded: bool
    prefix: str


def unwrapped(address: str) -> str:
    """The address that a link leads to in the end, as far as the link says it; an absolute one stays absolute.

    :param address: absolute.
    """
    for _ in range(2):  # an advertisement's link may go through two of them
        found = _target(address)
        if found is None:
            return address
        address = found
    return address


def _target(address: str) -> str | None:
    if "?" not in address and "RU=" not in address:
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None  # no address, so nothing stands behind it
    labels = frozenset((parts.hostname or "").split("."))
    query: dict[str, list[str]] | None = None
    for one in _redirectors():
        if (one.hosts and one.hosts.isdisjoint(labels)) or not one.path.match(parts.path):
            continue
        if one.segment:
            values = [unquote(part[len(one.segment) :]) for part in parts.path.split("/") if part.startswith(one.segment)]
        else:
            query = parse_qs(parts.query, max_num_fields=100) if query is None else query
            values = [value for name in one.parameters for value in query.get(name, ())]
        for value in values:
            target = _decoded(value, one.prefix) if one.coded else value
            if target is not None and target.startswith(_HTTP):
                return target
    return None


def _decoded(value: str, prefix: str) -> str | None:
    value = value.removeprefix(prefix)
    try:
        return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode("utf-8")
    except ValueError:  # not base64, or no text behind it
        return None


@cache
def _redirectors() -> tuple[_Redirector, ...]:
    table = data_table("fields/data/redirectors.toml")["redirector"]
    return tuple(
        _Redirector(
            frozenset(one["hosts"]),
            re.compile(one["path"] if one["hosts"] else one["path"] + "$"),
            tuple(one.get("parameters", ())),
            one.get("segment", ""),
            one.get("coding") == "base64",
            one.get("prefix", ""),
        )
        for one in table
    )


# --- hits -----------------------------------------------------------------------------------------

_TITLE = 60
"""Characters from which a link is as good a title as a longer one, Chinese and Japanese ones counted twice."""
_COUNTING = 12
"""Letters beside a link that only count: "(score: 7)", "rank 3"."""
_SHORT = 15
"""Characters that a snippet has at least."""
_LONG = 40
"""Characters of a text that is longer than a title of a link below a hit, Chinese and Japanese ones counted twice."""
_MAX_DATE = 60
"""Characters of a text that is hardly more than a date."""
_LINE = 0.25
"""Share of the longest line's characters that another line of a snippet has at least."""
FEW = 4
"""Hits among which at most one is built unlike the others, because it is none."""
_DOUBTFUL = 0.5
"""Confidence below which the last hit is dropped if it alone leads to another site; as in ``newsextract.record_pages``."""
_IN_BOX = 3
"""Equal parts of a box."""
_ANYTHING = frozenset(("p", "div", "span"))
_MAX_WITHIN = 12
"""Elements between a box and a title in it, at most."""
_SOLD = frozenset(
    "ad ads advert advertisement advertisements sponsored promoted anzeige anzeigen werbung gesponsert annonce annonces"
    " publicité sponsorisé anuncio anuncios publicidad patrocinado annuncio annunci sponsorizzato advertentie advertenties"
    " gesponsord reklama sponzorováno annons annonser sponsrad mainos reklam реклама إعلان إعلانات ممول 广告 廣告 推广 広告"
    " スポンサー 광고".split()
) | {"sponsored links", "sponsored results", "gesponserte links", "liens sponsorisés", "enlaces patrocinados"}
"""What stands beside or above advertisements, casefolded."""
_MAX_SOLD = 24
_MAX_CLASS = 200
_CLASS_WORD = re.compile(r"[a-z]+")
_DIGITS = 5
"""Digits of a document's number, at least."""
_MAX_LABEL = 30
"""Characters of a label before a title."""
_LABELLED = re.compile(r"[^\W\d][\w ]{1,24}: ")
_MAX_BESIDE, _MAX_PART = 2, 200
"""Elements around a hit in which its date is looked for, and elements and texts of these, at most."""
_MAX_AROUND = 6
"""Elements between a hit and what :func:`with_headings` takes for it, at most."""
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt"))
_IN_LIST = frozenset(("ul", "ol", "li"))
_BREAKS = frozenset("br hr p div table tr td li ul ol dl dt dd h1 h2 h3 h4 h5 h6 section article footer header".split())
_AROUND_MORE = " .…»›→▼▾▽"
_BEHIND_DATE = re.compile(r"\s?(?:[-–—·•|:]|\.{3}|…)\s?")


@dataclass(frozen=True, slots=True)
class HitFields:
    """One hit."""

    title: str
    """Empty where the record has no link and no title."""
    address: str | None
    """Absolute; None where the record leads nowhere, or where the page's own address is not known."""
    snippet: str
    """May be empty."""
    date: ReportDate | None


def with_headings(page: Page, found: RecordPage) -> RecordPage:
    """The hits of a page, each with the heading above it.

    Where a title stands apart from the snippet, an algorithm may take the part below it for the hit. An element around each
    hit that holds no other one, and a heading with a link, is the hit.
    """
    if not found.regions or len(found.regions[0].records) < 2 or any(len(own) != 1 for own in found.regions[0].records):
        return found
    nodes = page.nodes_of(found)
    roots = [roots[0] for roots in found.regions[0].records]
    if any(_heading(nodes, root) for root in roots):
        return found
    here = (page.url or "").partition("#")[0]
    places = [_places(nodes, root) - {here} for root in roots]
    for _ in range(_MAX_AROUND):
        roots = [int(nodes.parents[root]) for root in roots]
        if min(roots) <= 0 or len(set(roots)) < len(roots) or any(a < b < nodes.ends[a] for a, b in pairwise(sorted(roots))):
            return found
        lead_to_pages = all(own & _links(nodes, root) for own, root in zip(places, roots, strict=True))
        if lead_to_pages or all(_heading(nodes, root) for root in roots):
            break
    else:
        return found
    region = replace(found.regions[0], node=int(nodes.parents[roots[0]]), records=tuple((root,) for root in roots))
    items = align(nodes, region, page.url)
    records = [Record(nodes.text(*own), its, 0, own) for own, its in zip(region.records, items, strict=True)]
    others = [record for record in found.records if record.region != 0]
    return replace(found, records=(*records, *others), regions=(region, *found.regions[1:]))


def with_answered(page: Page, found: RecordPage) -> RecordPage:
    """The entries of a list of threads, also those around found ones, which hold the list of their answers.

    An algorithm takes entries of one depth, because no record lies within another. An outer entry ends where the list of its
    answers begins, and is built up to there as the found ones are.
    """
    nodes = page.nodes_of(found)
    inner = [own[0] for own in found.regions[0].records if len(own) == 1] if found.regions else []
    if not inner or len(inner) < len(found.regions[0].records) or any(nodes.tags[root] != "li" for root in inner):
        return found
    outer: set[int] = set()
    for root in inner:
        node = int(nodes.parents[root])
        while node >= 0 and nodes.tags[node] in _IN_LIST and node not in outer:
            outer.add(node)
            node = int(nodes.parents[node])
    lists = [node for node in outer if nodes.tags[node] != "li" and int(nodes.parents[node]) not in outer]
    entries = [node for top in sorted(lists) for node in range(top, int(nodes.ends[top])) if nodes.tags[node] == "li"]
    parts = {entry: _before_list(nodes, entry) for entry in entries}
    builds = {entry: tuple(nodes.tags[node] for node in own if nodes.tags[node]) for entry, own in parts.items()}
    known = {builds.get(root, ()) for root in inner} - {()}
    if not parts.keys() >= set(inner) or not any(builds.get(entry) in known for entry in outer):
        return found
    region = replace(
        found.regions[0],
        node=min(found.regions[0].node, *lists),
        records=tuple(own for entry, own in parts.items() if builds[entry] in known),
    )
    items = align(nodes, region, page.url)
    records = [Record(nodes.text(*own), its, 0, own) for own, its in zip(region.records, items, strict=True)]
    others = [record for record in found.records if record.region != 0]
    return replace(found, records=(*records, *others), regions=(region, *found.regions[1:]))


def _before_list(nodes: Nodes, entry: int) -> tuple[int, ...]:
    """The children of an entry before the list within it."""
    children = nodes.children[entry]
    lists = (place for place, child in enumerate(children) if nodes.tags[child] in _IN_LIST)
    return tuple(children[: next(lists, len(children))])


def _links(nodes: Nodes, root: int) -> frozenset[str]:
    """Where the links of an element lead, as written."""
    inside = range(root, int(nodes.ends[root]))
    return frozenset(nodes.attributes[node].get("href", "") for node in inside if nodes.tags[node] == "a")


def _places(nodes: Nodes, root: int) -> frozenset[str]:
    """The pages within which links of an element lead to places ("/main.c" of "/main.c#12")."""
    return frozenset(href.partition("#")[0] for href in _links(nodes, root) if "#" in href) - {""}


def _heading(nodes: Nodes, root: int) -> bool:
    """Whether an element holds a heading with a link in it or around it."""
    headings = (node for node in range(root, int(nodes.ends[root])) if nodes.tags[node] in HEADINGS)
    return any(
        link_around(nodes, heading, 0) >= 0
        or any(
            nodes.tags[node] == "a" and "href" in nodes.attributes[node] for node in range(heading, int(nodes.ends[heading]))
        )
        for heading in headings
    )


def page_hits(page: Page, found: RecordPage) -> list[HitFields]:
    """The hits of a result page's first region, in order; advertisements and boxes among them are left out."""
    nodes = page.nodes_of(found)
    records = [record for record in found.records if record.region == 0]
    hits = [(record, hit) for record in records if (hit := hit_fields(page, record)).title and hit.address]
    if all(hit.date is None for _, hit in hits):
        dates, starts = PostDates(page), sorted(root for record in records for root in record.nodes)
        hits = [(record, replace(hit, date=_date_around(dates, nodes, record, starts))) for record, hit in hits]
    titles = [title_node(nodes, record) for record, _ in hits]
    linked = [node >= 0 and link_around(nodes, node, 0) >= 0 for node in titles]
    boxed = [is_among_links(nodes, record, node) for (record, _), node in zip(hits, titles, strict=True)]
    sold = [is_advertisement(nodes, record.nodes, node) for (record, _), node in zip(hits, titles, strict=True)]
    if FEW * linked.count(False) > len(hits):
        linked = [True] * len(hits)
    if FEW * boxed.count(True) > len(hits):
        boxed = [False] * len(hits)
    site = registered_domain(host_of(References.of(page).base))
    own = [registered_domain(host_of(hit.address or "")) == site for _, hit in hits]
    unpaid = [is_own for is_own, is_sold in zip(own, sold, strict=True) if not is_sold]
    if all(sold):  # a few advertisements without the hits, or what is called so is none
        are_sold = len(hits) <= FEW and (found.confidence < _DOUBTFUL or not any(own))
        sold = [are_sold] * len(hits)
    elif 2 * unpaid.count(True) >= len(unpaid):  # a shop's own offers are hits, paid for or not
        sold = [is_sold and not is_own for is_sold, is_own in zip(sold, own, strict=True)]
    if found.confidence < _DOUBTFUL and own[-1:] == [False] and own.count(False) == 1 < len(hits):
        linked[-1] = False  # of a site's own results, the last alone leads elsewhere: "powered by …"
    rows = zip(hits, linked, boxed, sold, strict=True)
    return [hit for (_, hit), is_linked, is_box, is_sold in rows if is_linked and not is_box and not is_sold]


def _date_around(dates: PostDates, nodes: Nodes, record: Record, starts: Sequence[int]) -> ReportDate | None:
    """The only date beside a record in the elements around it that hold no other one; None for none or several.

    :param starts: the elements of all records.
    """
    first, last = record.nodes[0], int(nodes.ends[record.nodes[-1]])
    around = first
    for _ in range(_MAX_BESIDE):
        around = int(nodes.parents[around])
        if around <= 0 or nodes.ends[around] - around > _MAX_PART:
            break
        if bisect_left(starts, nodes.ends[around]) - bisect_left(starts, around) > len(record.nodes):
            break
        beside = [node for node in nodes.text_nodes(around) if not first <= node < last]
        found = [date for node in beside if (date := date_at(dates, nodes, node, nodes.texts[node]))]
        if found:
            return found[0] if len({date.value for date in found}) == 1 else None
    return None


def as_one_hit(page: Page, found: RecordPage) -> RecordPage:
    """The records of a page that are the parts of its only hit (title, snippet) as one record."""
    region = found.regions[0]
    region = replace(region, records=((region.node,),))
    items = align(nodes := page.nodes_of(found), region, page.url)[0]
    return replace(found, records=(Record(nodes.text(region.node), items, 0, (region.node,)),), regions=(region,))


def title_node(nodes: Nodes, record: Record) -> int:
    """The first text of a hit's title; -1 where it has none."""
    title = _title(nodes, record)
    return title.nodes[0] if title is not None and title.nodes else -1


def is_among_links(nodes: Nodes, record: Record, node: int, least: int = _IN_BOX) -> bool:
    """Whether a title is one of several alike within its record: a box of videos or news between the hits.

    :param least: how many are several; fewer than three paragraphs or divisions without a class are none.
    """
    root = _root(record, node)
    for _ in range(_MAX_WITHIN):
        parent = int(nodes.parents[node])
        if node <= root:
            break
        name = nodes.attributes[node].get("class")
        if nodes.tags[node] and (name or nodes.tags[node] != "a"):
            several = _IN_BOX if not name and nodes.tags[node] in _ANYTHING else least
            alike = [n for n in nodes.children[parent] if nodes.tags[n] == nodes.tags[node]]
            alike = [n for n in alike if nodes.attributes[n].get("class") == name]
            if len(alike) >= several and len({_first_goal(nodes, n) for n in alike} - {None}) >= several:
                return True
        node = parent
    return False


def _first_goal(nodes: Nodes, root: int) -> str | None:
    """Where the first link of an element leads."""
    links = (node for node in range(root, int(nodes.ends[root])) if nodes.tags[node] == "a")
    return next((href for node in links if (href := nodes.attributes[node].get("href"))), None)


def is_advertisement(nodes: Nodes, roots: Sequence[int], title: int = -1) -> bool:
    """Whether a text of its own in a record, the heading above it, or the class of an element around it says that it was
    paid for.

    :param title: a text that says nothing.
    """
    if any(node != title and _says_sold(nodes.texts[node]) for root in roots for node in nodes.text_nodes(root)):
        return True
    node = roots[0]
    for _ in range(_MAX_AROUND):
        if node <= 0 or 2 * (nodes.ends[node] - node) > len(nodes):
            return False
        named = _CLASS_WORD.findall(nodes.attributes[node].get("class", "")[:_MAX_CLASS].lower())
        before = _before(nodes, node)
        above = nodes.text_nodes(before) if before >= 0 and nodes.tags[before] in HEADINGS else ()
        if not _SOLD.isdisjoint(named) or any(_says_sold(nodes.texts[text]) for text in above):
            return True
        node = int(nodes.parents[node])
    return False


def _before(nodes: Nodes, node: int) -> int:
    """The element right before another one in the same element, if it is a small one; -1 without such."""
    before = node - 1
    for _ in range(_MAX_WITHIN):
        if nodes.parents[before] == nodes.parents[node]:
            return before
        before = int(nodes.parents[before])
        if before <= nodes.parents[node]:
            break
    return -1


def _says_sold(text: str) -> bool:
    return len(text) <= _MAX_SOLD and text.strip(" ·•-|:").casefold() in _SOLD


def hit_fields(page: Page, record: Record) -> HitFields:
    """The fields of one hit.

    :param page: the page that the record was found in.
    :param record: of :func:`newsextract.extract_records`, with its items.
    """
    nodes = nodes_of(page, record)
    title = _title(nodes, record)
    address = _address(nodes, record, title, References.of(page).base)
    leading = [item for item in record.items if not any(map(_is_script, _goals(nodes, record, item)))]
    snippet = _snippet(leading, title)
    dates = PostDates(page)
    text, beside = _own_lines(nodes, _without_more(nodes, record, snippet, title)) if snippet is not None else ("", [])
    date, text = _leading_date(dates, text)
    if date is None and snippet is not None and snippet.nodes:
        date, text = _leading_time(dates, nodes, snippet.nodes[0], text)
    if date is None:
        lines = [line for line in map(_without_addresses, beside) if len(line) <= _MAX_DATE and any(map(str.isdigit, line))]
        date = next((parsed.report("text") for line in lines for parsed in dates.text(line)[:1]), None)
    if date is None:
        date = _beside(dates, nodes, record, title, snippet)
    return HitFields(_link_text(nodes, record, title) if title is not None else "", address, text, date)


def _title(nodes: Nodes, record: Record) -> Item | None:
    """What markup calls the title, else the item that is called so, else the first of the longest links."""
    title = _called_title(nodes, record) or _likely_title(nodes, record)
    return _whole_page(nodes, record, title) if title is not None else None


def _likely_title(nodes: Nodes, record: Record) -> Item | None:
    """The item that is called so, else the first of the longest links."""
    items = record.items
    named = next((item for item in items if item.label == "title" and not _says_sold(item.text)), None)
    if named is not None and _is_number(named.text):
        others = (item for item in items if item.label.startswith("title-") and not _is_number(item.text))
        named = next((item for item in others if len(_goals(nodes, record, item)) < 2), named)
    texts = [item for item in items if item.kind == "link" and text_kind(item.text) == "text"]
    # A title leads to one place, unlike a list of authors, and to a page.
    leading = [item for item in texts if len(_goals(nodes, record, item)) < 2]
    leading = [item for item in leading if not any(map(_is_script, _goals(nodes, record, item)))] or leading
    links = [item for item in leading if not item.static and not _is_number(item.text)]
    above = _above_text(items, named) if named is not None and named.nodes else []
    if above and named is not None and is_among_links(nodes, record, named.nodes[0]):
        return max(above, key=_title_width)  # the links below a hit lead to pages of its site
    if named is not None and (named.kind == "link" or not links or items.index(links[0]) > items.index(named)):
        return named  # else it is the title of what the hit is a part of, below the hit's own
    if not links:  # hits in one thread may all have its title
        links = [item for item in leading if len(item.text) >= _SHORT]
    first = next((item for item in links if _is_headline(nodes, record, item) or text_width(item.text) >= _LONG), None)
    if first is not None and _is_headline(nodes, record, first):
        return first
    if longest := max(links, key=_title_width, default=None):
        return longest
    pictures = (item for item in items if item.kind == "image" and not item.static and " " in item.text)
    linked = (item for item in pictures if item.nodes and link_around(nodes, item.nodes[0], 0) >= 0)
    return next(linked, None) or next((item for item in items if not item.static and item.kind != "image"), None)


def _above_text(items: Sequence[Item], named: Item) -> list[Item]:
    """The links of a record above its text, if that stands above the item that is called its title."""
    place = items.index(named)
    texts = [number for number, item in enumerate(items[:place]) if item.kind == "text" and text_width(item.text) >= _LONG]
    return [item for item in items[: texts[0]] if item.kind == "link" and text_kind(item.text) == "text"] if texts else []


def _is_headline(nodes: Nodes, record: Record, item: Item) -> bool:
    """Whether a text stands in a heading."""
    node = item.nodes[0] if item.nodes else 0
    root = _root(record, node)
    for _ in range(_MAX_WITHIN):
        if node <= root:
            return False
        node = int(nodes.parents[node])
        if nodes.tags[node] in HEADINGS:
            return True
    return False


def _title_width(item: Item) -> int:
    return min(text_width(item.text), _TITLE)


def _is_script(href: str) -> bool:
    """Whether a link leads to no page: only scripts follow it."""
    return href == "#" or href.lower().startswith("javascript:")


def _called_title(nodes: Nodes, record: Record) -> Item | None:
    """The only element of a record whose class is "title", if it is no part of a link, nor has one; None for none."""
    found = [
        node
        for root in record.nodes
        for node in range(root + 1, int(nodes.ends[root]))
        if "title" in nodes.attributes[node].get("class", "").lower().split() and nodes.text_nodes(node)
    ]
    if len(found) != 1 or link_around(nodes, found[0], _root(record, found[0])) >= 0:
        return None
    inside = range(found[0] + 1, int(nodes.ends[found[0]]))
    text = nodes.text(found[0])
    if any(nodes.tags[node] == "a" for node in inside) or text_kind(text) != "text" or " " not in text:
        return None
    return Item(text, "text", None, "title", False, tuple(nodes.text_nodes(found[0])))


def _whole_page(nodes: Nodes, record: Record, title: Item) -> Item:
    """The link to a page where the title leads to a place within it (a line of a file), else the title."""
    pages = {goal.partition("#")[0] for goal in _goals(nodes, record, title) if "#" in goal} - {""}
    links = (item for item in record.items if item.kind == "link" and pages and text_kind(item.text) != "number")
    return next((item for item in links if _goals(nodes, record, item) == pages), title)


def _goals(nodes: Nodes, record: Record, item: Item) -> set[str]:
    """The addresses that a text's links lead to, as written."""
    links = (link_around(nodes, node, _root(record, node)) for node in item.nodes)
    return {nodes.attributes[link]["href"] for link in links if link >= 0}


def _is_number(text: str) -> bool:
    """Whether a text is the number of a document ("arXiv:2401.01234", "DOI 10.1000/182"), not its title."""
    digits = sum(map(str.isdigit, text)) if text_kind(text) != "date" else 0
    return digits >= _DIGITS and 2 * digits >= sum(map(str.isalpha, text))


def _root(record: Record, node: int) -> int:
    """The root of a record that a node is in."""
    return max((root for root in record.nodes if root <= node), default=node)


def _link_text(nodes: Nodes, record: Record, title: Item) -> str:
    """The text of the link in a title; the whole title where the link is less than half of it, numbers and scores aside."""
    title = _without_label(nodes, title)
    linked = [node for node in title.nodes if link_around(nodes, node, _root(record, node)) >= 0]
    if not linked:
        return title.text
    text = line_text(nodes, linked)
    beside = "".join(nodes.texts[node] for node in title.nodes if node not in linked)
    counts = any(map(str.isdigit, beside)) and sum(map(str.isalpha, beside)) <= _COUNTING
    return text if (counts or 2 * len(text) >= len(title.text)) and text_kind(text) == "text" else title.text


def _without_label(nodes: Nodes, item: Item) -> Item:
    """A title without the label that begins it, an element of its own ("Title:")."""
    if len(item.nodes) < 2:
        return item
    first, *rest = item.nodes
    label = nodes.texts[first].strip()
    parent = int(nodes.parents[first])
    if len(label) > _MAX_LABEL or label[-1:] not in (":", "：") or nodes.ends[parent] > rest[0]:
        return item
    return replace(item, text=line_text(nodes, rest), nodes=tuple(rest))


def _without_more(nodes: Nodes, record: Record, snippet: Item, title: Item | None) -> Item:
    """A snippet without the link to the whole ("Continue reading …", "More"), or what unfolds it, at its end."""
    if title is None or not title.nodes:
        return snippet

    def goal(node: int) -> str | None:
        if nodes.texts[node].strip(_AROUND_MORE).lower() in _more():
            return ""
        link = link_around(nodes, node, _root(record, node))
        if link >= 0:
            return nodes.attributes[link]["href"].partition("#")[0]
        # One that only scripts follow.
        return "" if nodes.tags[int(nodes.parents[node])] == "a" and len(nodes.texts[node]) < _SHORT else None

    goals = ("", goal(title.nodes[0]))
    kept = list(snippet.nodes)
    while len(kept) > 1 and goal(kept[-1]) in goals and goal(kept[-1]) is not None:
        kept.pop()
    if len(kept) == len(snippet.nodes) or goal(kept[-1]) is not None:
        return snippet
    return replace(snippet, text=line_text(nodes, kept), nodes=tuple(kept))


@cache
def _more() -> frozenset[str]:
    """What unfolds a text, as in posts."""
    return frozenset(data_table("fields/data/posts.toml")["body"]["folds"])


def _own_lines(nodes: Nodes, snippet: Item) -> tuple[str, list[str]]:
    """A snippet without the lines around it that are the engine's: short or labelled ones before and after a line break; and
    these lines."""
    lines: list[list[int]] = []
    for node in snippet.nodes:
        if not lines or _is_cut(nodes, lines[-1][-1], node):
            lines.append([])
        lines[-1].append(node)
    if len(lines) < 2:
        return snippet.text, []
    texts = [line_text(nodes, line) for line in lines]
    longest = max(range(len(texts)), key=lambda number: (not _begins_with_address(texts[number]), len(texts[number])))
    least = _LINE * len(texts[longest])
    begin = end = longest
    while begin > 0 and not _is_engines(texts[begin - 1], least):
        begin -= 1
    while end + 1 < len(texts) and not _is_engines(texts[end + 1], least):
        end += 1
    own = [node for line in lines[begin : end + 1] for node in line]
    return line_text(nodes, own), texts[:begin] + texts[end + 1 :]


def _is_engines(line: str, least: float) -> bool:
    """Whether a line beside a snippet is none of the document's."""
    return len(line) < least or _LABELLED.match(line) is not None or text_kind(line) != "text" or _begins_with_address(line)


def _begins_with_address(line: str) -> bool:
    return _is_address(line.partition(" ")[0])


def _is_address(word: str) -> bool:
    """Whether a word is a URL with or without its scheme; "1.Unique" is none."""
    return text_kind(word) == "address" and ("/" in word or word.startswith("www."))


def _is_cut(nodes: Nodes, before: int, node: int) -> bool:
    """Whether a line break or a block begins between two texts."""
    return any(nodes.tags[n] in _BREAKS for n in range(before + 1, node))


def _address(nodes: Nodes, record: Record, title: Item | None, base: str) -> str | None:
    """Where the title leads, else the first link of the record that leads anywhere."""
    place = record.items.index(title) if title in record.items else 0
    starts = [
        *(title.nodes[:1] if title is not None else ()),
        *(node for item in record.items[:place] for node in item.nodes),
    ]
    starts += [_shown_address(nodes, item) for item in record.items[place:] if item.nodes]
    first = nodes.texts[title.nodes[0]] if title is not None and title.nodes[1:] else ""
    if title is not None and 0 < len(first) <= _COUNTING and any(map(str.isdigit, first)):
        starts.append(title.nodes[1])  # behind the time of day
    for start in starts:
        root = max((r for r in record.nodes if r <= start), default=start)
        # A link around the whole record counts: it is above the record's root.
        link = link_around(nodes, start, 0 if nodes.tags[root] != "a" else root)
        if link < 0 and title is not None and start == title.nodes[0]:
            link = _link_within_heading(nodes, start, root)
        if link < 0:
            continue
        href = nodes.attributes[link]["href"].strip()
        if href.startswith(("#", "javascript:", "mailto:", "data:", "tel:")):
            continue
        found = resolved(base, href)
        if found is not None:
            return found
    # A link amid the text that shows no words: "…", "[+]".
    links = [node for root in record.nodes for node in range(root, int(nodes.ends[root])) if nodes.tags[node] == "a"]
    leading = (told for node in links if (told := nodes.attributes[node].get("href", "")) and not _is_script(told))
    goals = {goal for told in leading if (goal := resolved(base, told))}
    return goals.pop() if len(goals) == 1 else None


def resolved(base: str, href: str) -> str | None:
    """The absolute address of a link in the end; None where it leads nowhere."""
    try:
        found = unwrapped(urljoin(base, href.strip()))
    except ValueError:
        return None  # not a valid URL
    return found if found.startswith(_HTTP) and not found.startswith(NOWHERE) else None


def _shown_address(nodes: Nodes, item: Item) -> int:
    """The text of an item that is the last and a URL ("URL: https://…"), else its first text."""
    return item.nodes[-1] if _is_address(nodes.texts[item.nodes[-1]].strip()) else item.nodes[0]


def _link_within_heading(nodes: Nodes, start: int, root: int) -> int:
    """A link in the same heading as a title that is not itself a link."""
    node = start
    while node > root and nodes.tags[node] not in ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "li", "tr"):
        node = int(nodes.parents[node])
    if node <= root:
        return -1
    return next(
        (n for n in range(node, int(nodes.ends[node])) if nodes.tags[n] == "a" and "href" in nodes.attributes[n]), -1
    )


def _snippet(items: Sequence[Item], title: Item | None) -> Item | None:
    """The item that is called so, else the longest text."""
    others = [item for item in items if title is None or (item is not title and item.text != title.text)]
    named = next((i for name in ("snippet", "body") for i in others if i.label == name), None)
    if named is not None:
        return named
    texts = [
        item
        for item in others
        if item.kind != "image" and not item.static and len(item.text) >= _SHORT
        and text_kind(item.text) == "text" and not item.label.startswith("author") and not is_byline(item.text)
    ]  # fmt: skip
    return max(texts, key=lambda item: (item.kind == "text", text_width(item.text)), default=None)


def _leading_date(dates: PostDates, text: str) -> tuple[ReportDate | None, str]:
    """The date that begins a snippet, and the snippet without it."""
    for parsed in dates.text(text[:_MAX_DATE])[:1]:
        behind = _BEHIND_DATE.match(text, parsed.end)
        if parsed.start == 0 and (behind is not None or parsed.end == len(text)):
            return parsed.report("snippet"), text[behind.end() if behind is not None else parsed.end :]
    return None, text


def _leading_time(dates: PostDates, nodes: Nodes, first: int, text: str) -> tuple[ReportDate | None, str]:
    """The date of the element that begins a snippet and is nothing else, and the snippet without it."""
    shown = nodes.texts[first].strip()
    parent = int(nodes.parents[first])
    alone = nodes.ends[parent] == first + 1 and parent == first - 1 and nodes.tags[parent] not in EMPHASIS
    if not alone or text_kind(shown) != "date" or not text.startswith(shown):
        return None, text
    found = date_at(dates, nodes, first, shown)
    return found, text[len(shown) :].lstrip() if found is not None else text


def _beside(dates: PostDates, nodes: Nodes, record: Record, title: Item | None, snippet: Item | None) -> ReportDate | None:
    """The date of an item of its own, one that is called so first; else the day in a line with other words ("by Jane Doe,
    3 May 2021", "12 kB | 3 May 2021"). A ``datetime`` attribute tells more than a text."""
    own = title.text if title is not None and title.text else None
    beside = [item for item in record.items if item is not snippet and item.kind != "image"]
    beside = [item for item in beside if own is None or own not in item.text]  # "Read more about …" repeats the title
    items = [item for item in beside if len(item.text) <= _MAX_DATE]
    items.sort(key=lambda item: not item.label.startswith("date"))
    for item in items:
        found = date_at(dates, nodes, item.nodes[0] if item.nodes else -1, item.text)
        if found is not None:
            return found
    lines = tuple(replace(item, text=_without_addresses(item.text)) for item in beside)
    found = dates.find(nodes, replace(record, items=lines), others=False) if lines else None
    return found if found is not None and found.precision not in ("year", "month") else None


def _without_addresses(line: str) -> str:
    """A line without the URLs in it, which may have days of their own."""
    return " ".join(word for word in line.split() if not _is_address(word))


def date_at(dates: PostDates, nodes: Nodes, node: int, text: str) -> ReportDate | None:
    """The date that a text is and nothing else; a ``datetime`` attribute around it tells more.

    :param node: of the text; -1 where it is not known.
    """
    parent = int(nodes.parents[node]) if node >= 0 else -1
    stamp = nodes.attributes[parent].get("datetime") if parent >= 0 else None
    parsed = dates.stamp(stamp) if stamp else None
    if parsed is not None:
        return parsed.report("time")
    return next((parsed.report("text") for parsed in dates.text(text)[:1]), None) if is_date(text) else None


# --- teasers --------------------------------------------------------------------------------------
# The fields of teasers: what a list page (front page, section, archive) says of the articles that it leads to.
#
# Title, address, snippet and date are found as those of a hit (:mod:`newsextract.fields.hits`), the author as that of a
# post (:mod:`newsextract.fields.post_fields`). The picture is the first that is no icon. A teaser without a date of its own
# has that of the heading that it stands under, where the list is cut by days.
#
# Cost: about that of hits; 0.3 ms a teaser of the sample site.


__all__ = ["TeaserFields", "list_title", "teaser_fields"]

_MAX_BYLINE = 120
"""Characters of a line that names the author."""
_DIVIDED = re.compile(r"\s[|·•–—/]\s")
"""Between the day, the author and the rubric on one line."""


@dataclass(frozen=True, slots=True)
class TeaserFields:
    """One teaser."""

    title: str
    """Empty where the record has no link and no title."""
    address: str | None
    """Absolute; None where the record leads nowhere, or where the page's own address is not known."""
    snippet: str
    """May be empty."""
    author: str | None
    """Name as the page shows it."""
    image: str | None
    """Absolute address of the picture."""
    date: ReportDate | None


def teaser_fields(page: Page, found: RecordPage) -> list[TeaserFields]:
    """The fields of all teasers of a page, in the order of the records.

    :param found: of :func:`newsextract.find_records`, for this page.
    """
    nodes = page.nodes_of(found)
    addresses = Addresses(References.of(page).base)
    dates = PostDates(page)
    headings = [_heading_dates(dates, nodes, region) for region in found.regions]
    teasers = []
    for record in found.records:
        hit = hit_fields(page, record)
        beside = replace(record, items=tuple(i for i in record.items if i.text not in (hit.title, hit.snippet)))
        # The day of a line with other words, such as the author's name, but not that which the article is about.
        date = hit.date or _above(headings[record.region], record) or dates.find(nodes, beside, others=False)
        author = _author(nodes, beside, hit, page.url)
        image = _image(nodes, record, addresses)
        teasers.append(TeaserFields(hit.title, hit.address, hit.snippet, author, image, date))
    return teasers


def list_title(page: Page) -> str | None:
    """What a list page is called: the part of its ``<title>`` that an h1 repeats, else the first that is not the site's
    name, else the h1; None for a page without any."""
    metadata = page.metadata
    names = site_names(metadata, page.url)
    title = metadata.title or ""
    parts = [title[start:end].strip() for start, end in title_parts(title)]
    own = [part for part in parts if fold_key(part) not in names]
    headings = [heading for heading in metadata.headings if heading]
    repeated = [part for part in own if fold_key(part) in map(fold_key, headings)]
    return next(iter([*repeated, *own, *headings, *parts]), None)


def _author(nodes: Nodes, record: Record, hit: HitFields, url: str | None) -> str | None:
    """As of a post, else what a byline names.

    :param record: without title and snippet.
    """
    author = find_author(nodes, record, url)
    if author is not None and author not in hit.title:  # else a story about people, in a section of that name
        return author
    lines = (item.text for item in record.items if len(item.text) <= _MAX_BYLINE)
    bylines = (part for line in lines for part in _DIVIDED.split(line) if is_byline(part))
    return next((", ".join(names) for text in bylines if (names := split_names(text))), None)


def _above(headings: Sequence[tuple[int, ReportDate]], record: Record) -> ReportDate | None:
    """The date of the heading that a record stands under."""
    place = bisect_left(headings, record.nodes[0], key=lambda heading: heading[0])
    return headings[place - 1][1] if place else None


def _image(nodes: Nodes, record: Record, addresses: Addresses) -> str | None:
    """The address of the first picture of a record that is no icon."""
    for root in record.nodes:
        for node in range(root, int(nodes.ends[root])):
            if nodes.tags[node] in ("img", "amp-img"):
                parent = int(nodes.parents[node])
                around = range(node - 1, parent, -1) if parent >= 0 and nodes.tags[parent] == "picture" else ()
                sets = [nodes.attributes[i].get("srcset") for i in around if nodes.tags[i] == "source"]
                address = addresses.best(nodes.attributes[node], sets)
                if address is not None:
                    return address
    return None


def _heading_dates(dates: PostDates, nodes: Nodes, region: Region) -> list[tuple[int, ReportDate]]:
    """The dates that stand between the records of a region: the number of the text, and the day that it names.

    They are headings only if one stands above the first record; else each is the last line of a teaser whose record is
    smaller, and none of the next one's business.
    """
    taken = sorted((root, int(nodes.ends[root])) for record in region.records for root in record)
    found: list[tuple[int, ReportDate]] = []
    place = 0
    for text in nodes.text_nodes(region.node):
        while place < len(taken) and text >= taken[place][1]:
            place += 1
        if place < len(taken) and text >= taken[place][0]:
            continue  # within a record
        if len(nodes.texts[text]) <= _MAX_DATE and (date := date_at(dates, nodes, text, nodes.texts[text])) is not None:
            found.append((text, date))
    return found if found and taken and found[0][0] < taken[0][0] else []
