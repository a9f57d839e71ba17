"""The hits of a page: which records are hits, and where each of them begins and ends.

An algorithm may take the part below a title for the hit, or leave out entries that hold the list of their answers. Of its
records, advertisements and boxes of links are no hits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from newsextract.fields.advertisements import HEADINGS, is_advertisement, is_among_links
from newsextract.fields.hits import HitFields, base_of, date_at, hit_fields, is_number, title_node
from newsextract.fields.post_elements import ancestors, class_names, inside, link_around, links_in
from newsextract.fields.post_fields import PostDates, post_dates
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.references import host_of
from newsextract.records.items import align
from newsextract.records.leaves import text_width
from newsextract.results import Record, RecordPage, Region, ReportDate
from newsextract.urls import registered_domain, resolved

FEW = 4
"""Hits among which at most one is built unlike the others, because it is something else."""
_DOUBTFUL = 0.5
"""Confidence below which the last hit is dropped if it alone leads to another site; as in ``newsextract.record_pages``."""
_MAX_BESIDE, _MAX_PART = 2, 200
"""Elements around a hit in which its date is looked for, and elements and texts of these, at most."""
_MAX_SITE_LINKS = 12
_MAX_AROUND = 6
"""Elements between a hit and what :func:`with_headings` takes for it, at most."""
_LEAST_TEXT = 40
"""Characters of a text of a hit that is built unlike the others, Chinese and Japanese ones counted twice."""
_IN_LIST = frozenset(("ul", "ol", "li"))


def page_hits(page: Page, found: RecordPage) -> list[HitFields]:
    """The hits of a result page's first region, in order; advertisements and boxes among them are left out."""
    nodes = page.nodes_of(found)
    records = [record for record in found.records if record.region == 0]
    told = [
        (record, hit, title_node(nodes, record))
        for record in records
        if (hit := hit_fields(page, record)).title and hit.address
    ]
    hits, titles = [(record, hit) for record, hit, _ in told], [title for *_, title in told]
    if all(hit.date is None for _, hit in hits):
        dates, starts = post_dates(page), sorted(root for record in records for root in record.nodes)
        hits = [(record, replace(hit, date=_date_around(dates, nodes, record, starts))) for record, hit in hits]
    linked = [node >= 0 and link_around(nodes, node, 0) >= 0 for node in titles]
    boxed = [is_among_links(nodes, record, node) for (record, _), node in zip(hits, titles, strict=True)]
    sold = [is_advertisement(nodes, record.nodes, node) for (record, _), node in zip(hits, titles, strict=True)]
    if FEW * linked.count(False) > len(hits):
        linked = [True] * len(hits)
    if FEW * boxed.count(True) > len(hits):
        boxed = [False] * len(hits)
    site = registered_domain(host_of(base_of(page)))
    own = [registered_domain(host_of(hit.address or "")) == site for _, hit in hits]
    unpaid = [is_own for is_own, is_sold in zip(own, sold, strict=True) if not is_sold]
    if all(sold):  # a few advertisements without the hits, or hits that only look like them
        are_sold = len(hits) <= FEW and (found.confidence < _DOUBTFUL or not any(own))
        sold = [are_sold] * len(hits)
    elif 2 * unpaid.count(True) >= len(unpaid):  # a shop's own offers are hits, paid for or not
        sold = [is_sold and not is_own for is_sold, is_own in zip(sold, own, strict=True)]
    if found.confidence < _DOUBTFUL and own[-1:] == [False] and own.count(False) == 1 < len(hits):
        linked[-1] = False  # of a site's own results, the last alone leads elsewhere: "powered by …"
    rows = zip(hits, linked, boxed, sold, strict=True)
    return [hit for (_, hit), is_linked, is_box, is_sold in rows if is_linked and not is_box and not is_sold]


def _date_around(dates: PostDates, nodes: Nodes, record: Record, starts: Sequence[int]) -> ReportDate | None:
    """The only date beside a record in the elements around it that hold no other one; None for none or several."""
    first, last = record.nodes[0], int(nodes.ends[record.nodes[-1]])
    for around in ancestors(nodes, first, 0, _MAX_BESIDE):
        if nodes.ends[around] - around > _MAX_PART or len(inside(starts, nodes, around)) > len(record.nodes):
            break
        beside = [node for node in nodes.text_nodes(around) if not first <= node < last]
        found = [date for node in beside if (date := date_at(dates, nodes, node, nodes.texts[node]))]
        if found:
            return found[0] if len({date.value for date in found}) == 1 else None
    return None


def as_one_hit(page: Page, found: RecordPage) -> RecordPage:
    """The records of a page that are the parts of its only hit (title, snippet) as one record."""
    region = found.regions[0]
    return with_records(page, replace(found, records=(), regions=()), replace(region, records=((region.node,),)))


def above_site_links(page: Page, found: RecordPage, hits: Sequence[HitFields]) -> RecordPage:
    """The only hit of a page where the links to parts of its site, below it, were taken for hits: the element around them
    that begins with a linked heading of another site, if all of them lead to parts of what that leads to."""
    if not 1 < len(hits) <= _MAX_SITE_LINKS:
        return found
    nodes = page.nodes_of(found)
    roots = sorted(root for record in found.records if record.region == 0 for root in record.nodes)
    for around in ancestors(nodes, roots[0], 0, _MAX_AROUND):
        if nodes.ends[around] - around > _MAX_PART:
            break
        headings = (node for node in range(around, roots[0]) if nodes.tags[node] in HEADINGS)
        link = next((link for node in headings if (link := heading_link(nodes, node)) >= 0), -1)
        if nodes.ends[around] >= nodes.ends[roots[-1]] and link >= 0:
            address = resolved(base_of(page), nodes.attributes[link]["href"]) or ""
            is_other = registered_domain(host_of(address)) != registered_domain(host_of(base_of(page)))
            below = (f"{address.rstrip('/')}/", f"{address}?", f"{address}#")
            if address and is_other and all((hit.address or "").startswith(below) for hit in hits):
                return as_one_hit(page, replace(found, regions=(replace(found.regions[0], node=around),)))
            break
    return found


def with_headings(page: Page, found: RecordPage) -> RecordPage:
    """The hits of a page, each with the heading above it.

    Where a title stands apart from the snippet, an algorithm may take the part below it for the hit. An element around each
    hit that holds no other one, and a heading with a link, is the hit; where the first link of each part is another search
    ("by Jane Doe"), any link to another page above it will do.
    """
    if not found.regions or len(found.regions[0].records) < 2 or any(len(own) != 1 for own in found.regions[0].records):
        return found
    nodes = page.nodes_of(found)
    roots = [roots[0] for roots in found.regions[0].records]
    if any(_heading(nodes, root) for root in roots):
        return found
    here = (page.url or "").partition("#")[0]
    # The pages within which links lead to places ("/main.c" of "/main.c#12").
    hrefs = [[href.partition("#")[0] for href in _links(nodes, root) if "#" in href] for root in roots]
    places = [frozenset(own) - {"", here} for own in hrefs]
    parts = roots
    search = all(_leads_to(page, nodes, root) is False for root in roots)
    for _ in range(_MAX_AROUND):
        roots = [int(nodes.parents[root]) for root in roots]
        if min(roots) <= 0 or len(set(roots)) < len(roots) or any(a < b < nodes.ends[a] for a, b in pairwise(sorted(roots))):
            return found
        lead_to_pages = all(own & _links(nodes, root) for own, root in zip(places, roots, strict=True))
        if lead_to_pages or all(_heading(nodes, root) for root in roots):
            break
        if search and all(_leads_to(page, nodes, root, part) for root, part in zip(roots, parts, strict=True)):
            break
    else:
        return found
    return _with_roots(page, found, roots)


def _leads_to(page: Page, nodes: Nodes, root: int, last: int | None = None) -> bool | None:
    """Whether the first link with a text in an element (before a node) leads to another path than the page's; None without
    one."""
    links = (link for link in links_in(nodes, root) if (last is None or link < last) and nodes.text(link))
    return _is_elsewhere(page, nodes, next(links, -1))


def _is_elsewhere(page: Page, nodes: Nodes, link: int) -> bool | None:
    address = resolved(base_of(page), nodes.attributes[link]["href"]) if link >= 0 else None
    return None if address is None else address.partition("?")[0] != (page.url or "").partition("?")[0]


def whole_hits(page: Page, found: RecordPage) -> RecordPage:
    """The hits of a page, each with its heading, and those among them that are built otherwise.

    An algorithm takes records that are alike; a video among other hits is not. It is beside them, has a class of theirs, a
    heading that leads to another page, as all of them have, and a text.
    """
    found = _with_articles(page, with_headings(page, found))
    records = found.regions[0].records if found.regions else ()
    roots = {own[0] for own in records if len(own) == 1}
    nodes = page.nodes_of(found)
    parents = {int(nodes.parents[root]) for root in roots}
    if len(roots) < max(FEW, len(records)) or len(parents) > 1:
        return found
    tags = {nodes.tags[root] for root in roots}
    shared = frozenset[str].intersection(*(class_names(nodes, root) for root in roots))
    if len(tags) > 1 or not shared or not all(_heading(nodes, root) for root in roots):
        return found
    beside = (one for one in nodes.children[parents.pop()] if one not in roots and nodes.tags[one] in tags)
    others = [one for one in beside if shared & class_names(nodes, one) and _is_headed_text(page, nodes, one)]
    return _with_roots(page, found, sorted(roots.union(others))) if 0 < len(others) <= len(roots) else found


def _with_articles(page: Page, found: RecordPage) -> RecordPage:
    """The articles of a page that shows its hits whole, where an algorithm took their paragraphs for records: one or more
    ``article`` elements beside each other, each with a heading that leads to another page."""
    nodes = page.nodes_of(found)
    roots = [own[0] for own in found.regions[0].records] if found.regions else []
    articles = [node for node in nodes.by_tag["article"] if _is_elsewhere(page, nodes, _first_heading(nodes, node))]
    if len({int(nodes.parents[one]) for one in articles}) != 1:
        return found
    before = [articles[max(0, bisect_left(articles, root) - 1)] for root in roots]  # the articles do not overlap
    are_inside = all(one < root < nodes.ends[one] for one, root in zip(before, roots, strict=True))
    return _with_roots(page, found, articles) if are_inside and len(set(before)) < len(before) else found


def _first_heading(nodes: Nodes, root: int) -> int:
    """The link of the first heading in an element; -1 without one."""
    heading = next((node for node in range(root, int(nodes.ends[root])) if nodes.tags[node] in HEADINGS), -1)
    return heading_link(nodes, heading) if heading >= 0 else -1


def _is_headed_text(page: Page, nodes: Nodes, root: int) -> bool:
    """Whether an element has one heading, which leads to another page, and a text that is no link."""
    headings = [node for node in range(root, int(nodes.ends[root])) if nodes.tags[node] in HEADINGS]
    link = heading_link(nodes, headings[0]) if len(headings) == 1 else -1
    texts = (node for node in nodes.text_nodes(root) if link_around(nodes, node, root) < 0)
    return bool(_is_elsewhere(page, nodes, link)) and any(text_width(nodes.texts[node]) >= _LEAST_TEXT for node in texts)


def _with_roots(page: Page, found: RecordPage, roots: Sequence[int]) -> RecordPage:
    """A page whose records of the first region are these elements."""
    node = int(page.nodes_of(found).parents[roots[0]])
    return with_records(page, found, replace(found.regions[0], node=node, records=tuple((root,) for root in roots)))


def with_records(page: Page, found: RecordPage, region: Region) -> RecordPage:
    """A page with the records of a region in place of its first one's."""
    nodes = page.nodes_of(found)
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
    parts = {entry: tuple(takewhile(lambda n: nodes.tags[n] not in _IN_LIST, nodes.children[entry])) for entry in entries}
    builds = {entry: tuple(nodes.tags[node] for node in own if nodes.tags[node]) for entry, own in parts.items()}
    known = {builds.get(root, ()) for root in inner} - {()}
    if not parts.keys() >= set(inner) or not any(builds.get(entry) in known for entry in outer):
        return found
    records = tuple(own for entry, own in parts.items() if builds[entry] in known)
    region = replace(found.regions[0], node=min(found.regions[0].node, *lists), records=records)
    return with_records(page, found, region)


def _links(nodes: Nodes, root: int) -> frozenset[str]:
    """Where the links of an element lead, as written."""
    return frozenset(nodes.attributes[link]["href"] for link in links_in(nodes, root))


def _heading(nodes: Nodes, root: int) -> bool:
    """Whether an element holds a heading with a link in it or around it, which is more than a number ("US14289B2")."""
    headings = (node for node in range(root, int(nodes.ends[root])) if nodes.tags[node] in HEADINGS)
    links = (link for heading in headings if (link := heading_link(nodes, heading)) >= 0)
    return any(not is_number(nodes.text(link)) for link in links)


def heading_link(nodes: Nodes, heading: int) -> int:
    """The link in or around a heading; -1 without one."""
    around = link_around(nodes, heading, 0)
    return around if around >= 0 else next(iter(links_in(nodes, heading)), -1)
