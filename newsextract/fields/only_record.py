"""The only record of a page, which no other one can be compared with, and what a page says of how many there are.

A statement is a block of text that is no part of a record and no link: "Your search - pears - did not match any documents",
"0 results", "Keine Treffer", "没有找到相关结果". The words are in ``data/result_counts.toml``, for forty languages.

A result page with one hit has it under its only linked heading within an element for results, or where the words of the
query stand beside a link. A list of one entry may be the only row below the header of a table.

Cost: one walk over the texts of the page for a statement, about 2 ms; about 1 ms for a page without an only record.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import takewhile
from urllib.parse import unquote_plus, urlsplit

from newsextract.fields.advertisements import HEADINGS, is_advertisement, is_among_links
from newsextract.fields.hit_records import heading_link, with_records
from newsextract.fields.hits import base_of, is_number, is_view, title_node
from newsextract.fields.post_elements import ancestors, link_around, links_in
from newsextract.model_files import data_table
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.items import header_cells
from newsextract.records.leaves import line_text, text_kind, text_width
from newsextract.results import RecordPage, Region
from newsextract.urls import resolved

# --- what the page says ---------------------------------------------------------------------------

_MAX_MESSAGE = 200
"""Characters of a statement, at most."""
_MAX_HEADING = 70
"""Characters of a line above other hits, at most; advice is longer."""
_MAX_TEXTS = 12
"""Texts of a statement, at most."""
_WORD = re.compile(r"[^\W\d_]{2}")
_ALONE = re.compile(r"(?<![\d.,:/])[01](?![.,:/]?\d)")
"""A number that may count none or one."""
_INLINE = frozenset("a abbr b bdi big cite code em font i kbd mark q s small span strike strong sub sup tt u var".split())
_NO_STATEMENT = frozenset(("a", "nav", "footer", "option", "select", "textarea", "button", "label", "noscript"))


@dataclass(frozen=True, slots=True)
class Said:
    """A statement about the number of hits."""

    count: int
    """0 or 1."""
    node: int
    """Its first text."""
    is_qualified: bool = False
    """Whether only a part of the hits is missing: "no exact matches"."""


def said_count(nodes: Nodes, found: RecordPage) -> Said | None:
    """The first statement of a page, outside its records and links, that nothing or exactly one hit was found."""
    inside = sorted((root, int(nodes.ends[root])) for record in found.records for root in record.nodes)
    one: Said | None = None
    for node, text in _blocks(nodes):
        place = bisect_left(inside, (node, node)) - 1
        if place >= 0 and node < inside[place][1]:
            continue
        count = _count(text)
        if count is None or link_around(nodes, node, 0) >= 0:
            continue
        if count == 0:
            return Said(0, node, _patterns()["qualified"].search(text) is not None)
        one = one or Said(1, node)
    return one


def names_results(nodes: Nodes, first: int, last: int) -> bool:
    """Whether a text between two nodes speaks of results: "Showing results for pear instead"."""
    between = (text for node, text in _blocks(nodes) if first < node < last and len(text) <= _MAX_HEADING)
    return any(_patterns()["named"].search(text) and _count(text) != 0 for text in between)


def _blocks(nodes: Nodes) -> Iterator[tuple[int, str]]:
    """The short blocks of text of a page: the first text's number and the text, in lower case."""
    texts: list[int] = []
    around = -1
    for node in [*nodes.shown.tolist(), -1]:
        block = nodes.above[node] if node >= 0 else -2
        while block >= 0 and nodes.tags[block] in _INLINE:
            block = nodes.above[block]
        if block != around:
            if 0 < len(texts) <= _MAX_TEXTS and around >= 0 and nodes.tags[around] not in _NO_STATEMENT:
                text = line_text(nodes, texts)
                if len(text) <= _MAX_MESSAGE:
                    yield texts[0], text.lower().replace("'", "’")
            texts, around = [], block
        if len(texts) <= _MAX_TEXTS:
            texts.append(node)


def _count(text: str) -> int | None:
    """0 or 1 if a text says that so many hits were found; None for other texts."""
    patterns = _patterns()
    if _WORD.search(text) and patterns["nothing"].search(text):
        return 0 if not patterns["more"].search(text) else None
    if not any(map(str.isdigit, text)):
        return None
    span = patterns["span"].search(text)
    if span is not None:
        first, last = int(span["first"]), int(span["last"])
        return 0 if last == 0 else 1 if first == last else None
    counted = patterns["counter"].search(text) if _ALONE.search(text) else None
    return None if counted is None else int(counted["before"] or counted["after"])


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    table = data_table("fields/data/result_counts.toml")
    words = table["counted"]
    units = words["units"]
    listed = [one for language in table["nothing"].values() for one in language]
    # One for all that begin with a word: an eighth of the time.
    at_words = "|".join(one.removeprefix(r"\b") for one in listed if one.startswith(r"\b"))
    forms = {
        **{name: words[name] for name in ("qualified", "more", "named")},
        "nothing": "|".join([rf"\b(?:{at_words})", *(one for one in listed if not one.startswith(r"\b"))]),
        # "Results 21 – 21 of 21", "0 - 0 of 0"
        "span": rf"(?<![\d.,])(?P<first>\d{{1,6}})\s?(?:{words['to']})\s?(?P<last>\d{{1,6}})\s(?:\w{{1,12}}\s)?"
        rf"(?:{words['of']})\s?\d",
        # "0 results", "Treffer: 1"
        "counter": rf"(?<![\d.,:/–-])(?<![\d.,:/–-]\s)(?P<before>[01])(?!\d)\s?(?:\w{{1,14}}\s)?(?:{units})(?!\w)"
        rf"|(?<!\w)(?:{units})\s?[:：(]\s?(?P<after>[01])(?![\d.,/:]|\s?[-–—])",
    }
    return {name: re.compile(form) for name, form in forms.items()}


# --- the only record ------------------------------------------------------------------------------

_SURE_OF_ONE = 0.5
"""Confidence of a page whose only record is recognised by what is around it."""
_ANYTHING = frozenset(("p", "div", "span", "td", "dd"))
"""Elements that may stand beside each other within a hit, if they have no class."""
_MAX_WITHIN = 6
"""Elements between a hit and the one that has others like it beside it, at most."""
_MAX_ABOVE = 30
"""Elements around a heading or a text that are looked at."""
_MARK = re.compile(r"[A-Z]?[a-zé]+|[A-Z]+(?![a-z])")
_WITH = re.compile(r"\b(?:with|has|no)-[\w-]{1,40}")
"""What is elsewhere on the page ("with-sidebar")."""
_LISTS = frozenset("results hits resultados resultats résultats risultati ergebnisse suchergebnisse treffer".split())
"""Words of the class or id of a list of hits."""
_LISTED = frozenset("searchresults userresults resultlist resultslist hitlist trefferliste ergebnisliste products".split())
_RESULTS = _LISTS | {"result", "hit", "serp"}
_BESIDE = frozenset(("aside", "nav", "footer", "header"))
_OF_ARTICLE = frozenset(("header", "footer"))
_BESIDE_WORDS = frozenset(
    "sidebar side related widget facet facets filter filters recommended recent popular suggestions".split()
)
"""Words of what stands beside the results."""
_NO_HIT = frozenset(("form", "title", "head", "h1"))
_WHOLE = frozenset(("html", "body"))
_NO_BLOCK = _INLINE | _WHOLE
"""What is no block around a hit."""
_NO_TEXT = frozenset(("input", "h1", "nav", "header", "footer", "aside", "body"))
"""What a hit does not hold."""
_ECHO = 90
"""Characters of a block with words of the query from which it is more than "1 result for …"."""
_LEVELS = 4
"""Blocks around words of the query that may be the hit."""
_MAX_ROOTS = 20
_FEW = 3
_SEVERAL = 2
_LEAST = 15
"""Characters of an entry; a link to the hit alone ("Go there") has fewer."""
_MOST = 1_200
"""Characters of the only entry of a list; an article has more."""
_LONG = 40
"""Characters of a record from which on it may be a hit, not a line of one."""
_ENTRIES = frozenset(("li", "tr", "article", "dt"))
_ENTRY = frozenset("result hit item record entry document".split())
"""Words of the class or id of an entry in a list of hits."""
_NAMED = frozenset(("article", "div", "section", "li", "a"))
_NAMES = _ENTRY | frozenset("post teaser card listing episode event product job story video".split())
"""Words of the class or id of an entry in any list."""
_MAX_LOOKED_AT = 3_000
"""Elements and texts around the number of records in which the only one is looked for."""
_MENU_WORDS = _BESIDE_WORDS | set("breadcrumb breadcrumbs footer menu nav navbar pager pagination".split())
_TYPED = frozenset(("", "text", "search"))
"""Types of the inputs of a form that asks for a query; a form around results has boxes to tick."""
_MAX_HIT = 200
"""Elements and texts of a hit that is found by the query, at most."""


def only_hit(page: Page, found: RecordPage, query: Collection[str]) -> RecordPage | None:
    """The only hit of a result page, or a few alike with words of the query; None if there is no hit or several.

    :param query: its words, in lower case.
    """
    nodes = page.nodes_of(found)
    roots: dict[str, int] = {}
    for heading in sorted(node for tag in HEADINGS for node in nodes.by_tag[tag]):
        link = heading_link(nodes, heading)
        root = _result_around(nodes, heading) if link >= 0 else -1
        address = leads_elsewhere(page, nodes, link) if root >= 0 else None
        if address is not None and not (roots and is_number(nodes.text(link))):  # below the title, it is the document's
            roots.setdefault(address, root)
            if len(roots) > 1:
                return None
    note = "the only hit was found by its heading"
    if not roots and query:
        roots = _with_words(page, nodes, query)
        note = "the only hit was found by the words of the query"
        if 1 < len(roots) <= _FEW and (alike := _alike(page, nodes, roots.values())):
            return _as_few(page, found, alike, "the hits were found by the words of the query")
        if len(roots) == 1:
            roots = {goal: _whole_hit(page, nodes, root, goal) for goal, root in roots.items()}
    if len(roots) != 1:
        return None
    goal, root = next(iter(roots.items()))
    few = _beside_only(page, nodes, root, goal)
    return _as_few(page, found, few, note) if few else _as_only(page, found, root, note)


def _beside_only(page: Page, nodes: Nodes, root: int, goal: str) -> list[int]:
    """The only hit that was found, and one or two others beside it, which lack the words of the query: elements like the one
    around the hit, each with a link at the same place in it; empty without such."""
    link = next((one for one in links_in(nodes, root) if _goal(page, nodes, one) == goal), -1)
    own, node = _path_below(nodes, link, root), root
    for _ in range(_MAX_WITHIN if link >= 0 else 0):
        parent = int(nodes.parents[node])
        if parent < 0 or nodes.ends[node] - node > _MAX_HIT:
            break
        is_named = "class" in nodes.attributes[node] or nodes.tags[node] not in _ANYTHING
        alike = [one for one in nodes.children[parent] if is_named and _look(nodes, one) == _look(nodes, node)]
        placed = {one: [link for link in links_in(nodes, one) if _path_below(nodes, link, one) == own] for one in alike}
        alike = [one for one in alike if any(leads_elsewhere(page, nodes, link) for link in placed[one])]
        if len(alike) > 1:
            return alike if len(alike) <= _FEW else []
        node, own = parent, _path_below(nodes, link, parent)
    return []


def _look(nodes: Nodes, node: int) -> tuple[str, str | None]:
    """Tag and class of an element; rows and entries may have the class "odd" or "even"."""
    tag = nodes.tags[node]
    return tag, None if tag in ("tr", "li") else nodes.attributes[node].get("class")


def _path_below(nodes: Nodes, node: int, root: int) -> list[tuple[str, str | None]]:
    """Tags and classes from an element up to the one below another."""
    around = (one for one in (node, *ancestors(nodes, node, root)) if one > root)
    return [(nodes.tags[one], nodes.attributes[one].get("class")) for one in around]


def _alike(page: Page, nodes: Nodes, found: Collection[int]) -> list[int]:
    """A few hits that stand beside each other and have the same tag and class, with those between them; else none."""
    first, last = min(found), max(found)
    siblings = nodes.children[nodes.above[first]]
    alike = [one for one in siblings if first <= one <= last and _look(nodes, one) == _look(nodes, first)]
    are_few = len(alike) <= _FEW and set(found) <= set(alike)
    return alike if are_few and all(_goal(page, nodes, one) for one in alike) else []


def only_counted(page: Page, found: RecordPage, said: Said) -> RecordPage | None:
    """The only record of a page that says that it has one ("1 result", "61–61 of 61"): what has a link next to that text."""
    nodes = page.nodes_of(found)
    root = _beside_count(page, nodes, said.node)
    return _as_only(page, found, root, "the only record was found beside the number of records") if root >= 0 else None


def _beside_count(page: Page, nodes: Nodes, count: int) -> int:
    """The element with a link to another page that is closest to the text with the number of records; -1 without one."""
    for node in ancestors(nodes, count, most=_MAX_ABOVE):
        if nodes.ends[node] - node > _MAX_LOOKED_AT:
            return -1
        links = [one for one in links_in(nodes, node) if nodes.text(one) and leads_elsewhere(page, nodes, one)]
        found = [one for one in links if not is_beside(nodes, one, node)]
        if found:
            headed = [one for one in found if _in_heading(nodes, one, node)]
            return _largest(nodes, headed or found, node)
    return -1


def _largest(nodes: Nodes, links: Sequence[int], around: int) -> int:
    """The part of an element with most text around one of the links, without what holds nothing else; -1 if too large."""
    parts = {next(child for child in nodes.children[around] if child <= link < nodes.ends[child]) for link in links}
    root = max(sorted(parts), key=lambda part: len(nodes.text(part)))
    while nodes.tags[root] not in _NO_BLOCK:
        inner = [one for one in nodes.children[root] if nodes.text(one)]
        if len(inner) != 1 or not nodes.tags[inner[0]] or nodes.tags[inner[0]] in _NO_BLOCK:
            break
        root = inner[0]
    return root if nodes.ends[root] - root <= _MAX_HIT else -1


def is_beside(nodes: Nodes, node: int, stop: int) -> bool:
    """Whether an element, below another one, stands beside the results."""
    while node > stop and nodes.tags[node] != "body":
        if _stands_beside(nodes, node, _MENU_WORDS):
            return True
        is_form = stop > 0 and nodes.tags[node] == "form" and nodes.ends[node] - node <= _MAX_HIT  # not one around the page
        inside = range(node, int(nodes.ends[node])) if is_form else ()
        if any(nodes.tags[one] == "input" and nodes.attributes[one].get("type", "").lower() in _TYPED for one in inside):
            return True
        node = int(nodes.parents[node])
    return False


def _stands_beside(nodes: Nodes, node: int, named: Collection[str]) -> bool:
    """Whether an element is no part of the results: a menu, or what is called so.

    An article has a head and a foot of its own, and the class of an element around the whole page only says that there is a
    sidebar.

    :param named: words of its class or id.
    """
    if nodes.tags[node] in _BESIDE:
        return nodes.tags[node] not in _OF_ARTICLE or nodes.tags[int(nodes.parents[node])] != "article"
    return not _said(nodes, node).isdisjoint(named) and 2 * (nodes.ends[node] - node) <= len(nodes)


def _in_heading(nodes: Nodes, node: int, stop: int) -> bool:
    """Whether a link is in a heading or around one."""
    within = nodes.tags[node : int(nodes.ends[node])]
    return not HEADINGS.isdisjoint((*within, *(nodes.tags[around] for around in ancestors(nodes, node, stop))))


def few_listed(page: Page, found: RecordPage) -> RecordPage | None:
    """The hits of a page with one to three: the entries with a link of what is called a list of results.

    :returns: None where there is no such list, or where it has more entries or such of several kinds.
    """
    nodes = page.nodes_of(found)
    end = 0
    for listed in range(len(nodes)):
        if listed < end or nodes.tags[listed] in _WHOLE or _said(nodes, listed).isdisjoint(_LISTS | _LISTED):
            continue
        if is_beside(nodes, listed, 0):
            continue
        end = int(nodes.ends[listed])
        entries = [one for one in _entries(nodes, listed) if not is_beside(nodes, one, listed)]
        entries = [one for one in entries if _goal(page, nodes, one) and len(nodes.text(one)) >= _LEAST]
        entries = [one for one in entries if not is_advertisement(nodes, (one,))]
        if entries:
            kinds = {(nodes.tags[one], int(nodes.parents[one])) for one in entries}
            note = "the hits were found in a list of results"
            # An entry with many of the records that an algorithm found is a list itself.
            records = [record.nodes[0] for record in found.records if len(record.text) >= _LONG]
            held = max(sum(one < root < nodes.ends[one] for root in records) for one in entries)
            are_few = max(len(entries), held) <= _FEW and len(kinds) == 1
            return _as_few(page, found, entries, note) if are_few else None
    return None


def _entries(nodes: Nodes, listed: int) -> list[int]:
    """The outermost entries within an element."""
    entries: list[int] = []
    node = listed + 1
    while node < nodes.ends[listed] and len(entries) <= _MAX_ROOTS:
        tag = nodes.tags[node]
        is_entry = tag in _ENTRIES or (tag in ("div", "section") and not _said(nodes, node).isdisjoint(_ENTRY))
        if is_entry:
            entries.append(node)
        node = int(nodes.ends[node]) if is_entry else node + 1
    return entries


def only_entry(page: Page, found: RecordPage) -> RecordPage | None:
    """The only entry of a list by its name: the one element outside menus that is called an item, a card, a post …"""
    nodes = page.nodes_of(found)
    roots: list[int] = []
    end = 0
    for node in range(len(nodes)):
        if node < end or nodes.tags[node] not in _NAMED or nodes.ends[node] - node > _MAX_HIT or len(roots) > 1:
            continue
        if nodes.tags[node] != "article" and _said(nodes, node).isdisjoint(_NAMES):
            continue
        if _goal(page, nodes, node) is None or is_beside(nodes, node, 0):
            continue
        end = int(nodes.ends[node])
        roots += [node] if _LEAST <= len(nodes.text(node)) <= _MOST else []
    if len(roots) != 1 or _has_several(nodes, roots[0]):
        return None
    return _as_only(page, found, roots[0], "the only record was found by its name")


def _has_several(nodes: Nodes, root: int) -> bool:
    """Whether an element holds several entries by name, beside each other."""
    inside = [node for node in range(root + 1, int(nodes.ends[root])) if nodes.tags[node] in _NAMED]
    # "card-body" is a part of a "card".
    parts = tuple(f"{name}{mark}" for name in nodes.attributes[root].get("class", "").split() for mark in "-_")
    classes = {node: nodes.attributes[node].get("class", "").split() for node in inside}
    inside = [node for node in inside if not parts or not any(name.startswith(parts) for name in classes[node])]
    named = [node for node in inside if not _said(nodes, node).isdisjoint(_NAMES)]
    alike = Counter((int(nodes.parents[node]), nodes.tags[node], nodes.attributes[node].get("class")) for node in named)
    return any(count > 1 for count in alike.values())


def few_rows(page: Page, found: RecordPage, most: int = 1) -> RecordPage | None:
    """The entries of a list that is a table with a header and so few rows; None where there is no such table or several."""
    nodes = page.nodes_of(found)
    tables = []
    for table in (node for node in nodes.by_tag["table"] if nodes.ends[node] - node <= 2 * most * _MAX_HIT):
        rows = [node for node in range(table, int(nodes.ends[table])) if nodes.tags[node] == "tr"]
        if 2 <= len(rows) <= most + 1 and header_cells(nodes, table):
            lead = all(_goal(page, nodes, row) is not None for row in rows[1:])
            headed = any(nodes.tags[cell] == "th" for row in rows[1:] for cell in nodes.children[row])
            tables += [rows[1:]] if lead and (most > 1 or not headed) else []
    note = "the only record was found below the header of a table"
    return _as_few(page, found, tables[0], note) if len(tables) == 1 else None


def _as_only(page: Page, found: RecordPage, root: int, note: str) -> RecordPage | None:
    """A page with one record; None if it is one of several alike."""
    nodes = page.nodes_of(found)
    only = _as_few(page, found, (root,), note)
    record = only.records[0]
    around = replace(record, nodes=(only.regions[0].node,))
    is_several = is_among_links(nodes, around, title_node(nodes, record), _SEVERAL)
    return None if is_several else only


def _as_few(page: Page, found: RecordPage, roots: Sequence[int], note: str) -> RecordPage:
    """A page with these records."""
    node = max(int(page.nodes_of(found).parents[roots[0]]), 0)
    region = Region(node, tuple((root,) for root in roots), _SURE_OF_ONE)
    listed = with_records(page, replace(found, records=(), regions=()), region)
    return replace(listed, status="ok", reason=None, confidence=_SURE_OF_ONE, note=found.note or note)


def _with_words(page: Page, nodes: Nodes, query: Collection[str]) -> dict[str, int]:
    """The smallest elements with a link to another page around the texts that have words of the query, by where that leads.

    Left out is what stands beside the results, lines that only repeat the query, and links to other searches if there are
    several.
    """
    roots: dict[str, int] = {}
    for node in nodes.shown.tolist():
        if len(roots) > _MAX_ROOTS:
            break
        if not any(word in nodes.texts[node].lower() for word in query):
            continue
        around = [*ancestors(nodes, node, most=_MAX_ABOVE)]
        is_beside_hits = any(nodes.tags[own] in _NO_HIT or _stands_beside(nodes, own, _BESIDE_WORDS) for own in around)
        blocks = [own for own in around if nodes.tags[own] not in _NO_BLOCK] if not is_beside_hits else []
        for own in blocks[:_LEVELS]:
            if nodes.ends[own] - own > _MAX_HIT:
                break
            text = nodes.text(own).lower()
            goal = _goal(page, nodes, own) if 2 * sum(word in text for word in query) >= len(query) else None
            if goal is not None:
                roots[goal] = min(own, roots.get(goal, own))
            if goal is not None or len(text) < _ECHO:
                break
    searches = [goal for goal in roots if any(word in unquote_plus(urlsplit(goal).query).lower() for word in query)]
    return roots if len(roots) < 2 else {goal: root for goal, root in roots.items() if goal not in searches}


def _whole_hit(page: Page, nodes: Nodes, root: int, goal: str) -> int:
    """A hit with the heading above it that leads to the same page, else with the text below its title: the smallest element
    around it that has one, else the hit as it is."""
    around, found = root, -1
    for _ in range(_LEVELS):
        inside = range(around, int(nodes.ends[around]))
        links = (heading_link(nodes, node) for node in inside if nodes.tags[node] in HEADINGS)
        if any(leads_elsewhere(page, nodes, link) == goal for link in links if link >= 0):
            return around
        texts = [nodes.texts[node] for node in nodes.text_nodes(around) if link_around(nodes, node, around) < 0]
        if found < 0 and any(text_width(text) >= _LONG and text_kind(text) == "text" for text in texts):
            found = around
        around = int(nodes.parents[around])
        tags = nodes.tags[max(around, 0) : int(nodes.ends[max(around, 0)])]
        foreign = _NO_TEXT - _OF_ARTICLE if around >= 0 and nodes.tags[around] == "article" else _NO_TEXT
        if around <= 0 or len(tags) > _MAX_HIT or not foreign.isdisjoint(tags) or is_beside(nodes, around, 0):
            break
    return found if found >= 0 else root


def _goal(page: Page, nodes: Nodes, root: int) -> str | None:
    """Where the first link of an element to another page leads."""
    goals = (leads_elsewhere(page, nodes, link) for link in links_in(nodes, root))
    return next((goal for goal in goals if goal is not None), None)


def leads_elsewhere(page: Page, nodes: Nodes, link: int) -> str | None:
    """Where a link leads; None for another view of the page itself."""
    address = resolved(base_of(page), nodes.attributes[link]["href"])
    return None if address is None or is_view(address, page.url) else address


def _result_around(nodes: Nodes, heading: int) -> int:
    """The element of a hit by its heading: below the list of the results, else what is called a result; -1 outside of these
    and in what stands beside the results."""
    result = listed = -1
    below = heading
    for node in takewhile(lambda around: nodes.tags[around] != "body", ancestors(nodes, heading, most=_MAX_ABOVE)):
        said = _said(nodes, node)
        if _stands_beside(nodes, node, _BESIDE_WORDS):
            return -1
        if listed < 0 and not said.isdisjoint(_LISTS):
            listed = below
        if not said.isdisjoint(_RESULTS):
            result = node
        below = node
    return listed if listed >= 0 else result


def _said(nodes: Nodes, node: int) -> frozenset[str]:
    """Words of an element's class and id."""
    attributes = nodes.attributes[node]
    return _words(attributes.get("class", "")[:200], attributes.get("id", "")[:200])


@lru_cache(4_096)
def _words(named: str, key: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _MARK.findall(_WITH.sub("", f"{named} {key}")))
