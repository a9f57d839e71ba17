"""The fields of teasers: what a list page (front page, section, archive) says of the articles that it leads to.

Title, address, snippet and date are found as those of a hit (:mod:`newsextract.fields.hits`), the author as that of a
post (:mod:`newsextract.fields.post_fields`). The picture is the first that is no icon. A teaser without a date of its own
has that of the heading that it stands under, where the list is cut by days.

Before that, the records of an algorithm are completed: by the entries of lists that it does not tell.

Cost: about that of hits; 0.3 ms a teaser of the sample site.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from newsextract.fields.advertisements import HEADINGS
from newsextract.fields.authors import is_byline, split_names
from newsextract.fields.dates import is_date
from newsextract.fields.hit_records import with_records
from newsextract.fields.hits import HitFields, base_of, date_at, hit_fields
from newsextract.fields.only_record import is_beside, leads_elsewhere
from newsextract.fields.post_elements import ancestors, grown, links_in, look
from newsextract.fields.post_fields import PostDates, find_author, post_dates
from newsextract.fields.title_parts import fold_key, site_names, title_parts
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.references import Addresses
from newsextract.records.leaves import INLINE, MAX_DATE, text_width
from newsextract.results import Record, RecordPage, Region, ReportDate

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
    addresses = Addresses(base_of(page))
    dates = post_dates(page)
    headings = [_heading_dates(dates, nodes, region) for region in found.regions]
    teasers = []
    for record in found.records:
        hit = hit_fields(page, record)
        beside = replace(record, items=tuple(i for i in record.items if i.text not in (hit.title, hit.snippet)))
        # The day of a line with other words, such as the author's name, but not that which the article is about.
        above = bisect_left(headings[record.region], record.nodes[0], key=lambda heading: heading[0])
        heading_date = headings[record.region][above - 1][1] if above else None
        date = hit.date or heading_date or dates.find(nodes, beside, others=False)
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
    """As of a post, else what a byline of a record without title and snippet names."""
    author = find_author(nodes, record, url)
    if author is not None and author not in hit.title:  # else a story about people, in a section of that name
        return author
    lines = (item.text for item in record.items if len(item.text) <= _MAX_BYLINE)
    bylines = (part for line in lines for part in _DIVIDED.split(line) if is_byline(part))
    return next((", ".join(names) for text in bylines if (names := split_names(text))), None)


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
        if len(nodes.texts[text]) <= MAX_DATE and (date := date_at(dates, nodes, text, nodes.texts[text])) is not None:
            found.append((text, date))
    return found if found and taken and found[0][0] < taken[0][0] else []


# --- list entries ---------------------------------------------------------------------------------
# Entries of lists that an algorithm does not tell: an algorithm compares the parts of a page, and takes the larger ones.
#
# * Lists cut by days or headings: groups of entries are alike, too. Records that begin with a date or a heading and hold
#   nothing else but linked entries of one kind give way to these entries, and rows below a row of a single cell to the rows.
# * Sections of a home page, each with a large story and links to others: the links follow the story.
# * Lists of nothing but linked titles, which menus are, too: where there are no records, the links outside of menus that
#   stand alike and are long enough to be titles are the entries, or the rows of the only table with a header.

_LEAST_TITLE = 12
"""Characters of an entry's link, Chinese and Japanese ones counted twice; names of authors and buttons are shorter."""
_LEAST_SHARE = 0.9
"""Share of the entries that have such a link, and one that leads elsewhere than all others."""
_BEFORE_LINK = 20
"""Characters before the link of an entry: its time of day, a label."""
_MAX_LEVELS = 12
"""Elements around an entry, within its day."""
_USUAL_TITLE = 20
"""Mean of these characters of linked titles; entries of menus have fewer."""
_LEAST_LINKS = 3
_LINKS_ALONE = 0.3
"""Confidence of a page whose records are links alone."""
_LEVELS = 4
"""Elements, from a link outwards, whose tags and classes linked titles of one kind share."""
_LISTS = frozenset(("ul", "ol", "table"))
_WHOLES = frozenset(("body", "html", "main", "ul", "ol", "table", "tbody", "dl"))


def with_entries(page: Page, found: RecordPage) -> RecordPage:
    """The records of a page, days and other groups of several entries each replaced by the entries."""
    entries = inner_entries(page, page.nodes_of(found), found.regions[0]) if found.regions else []
    return _of_entries(page, found, entries) if entries else found


def inner_entries(page: Page, nodes: Nodes, region: Region) -> list[int]:
    """The entries that are within the records of a region, if these are days or other groups of several; none elsewhere."""
    if len(region.records) < 2:
        return []
    paths = [path for roots in region.records if (path := _path(nodes, roots))]
    if 2 * len(paths) < len(region.records) or len(set(paths)) > 1:
        return []
    path = paths[0]
    entries: list[int] = []
    for roots in region.records:
        own = _of_path(nodes, roots, path)
        if roots is region.records[-1]:  # it may hold what follows the list, too
            roots = tuple(root for root in roots if own and root <= own[-1])
        if not own or not _is_group(nodes, roots, own):
            return []
        entries += own
    return entries if _are_teasers(nodes, entries) else []


def with_linked_titles(page: Page, found: RecordPage) -> RecordPage:
    """The records of a page, each followed by the linked titles in its section, if most sections have such."""
    nodes = page.nodes_of(found)
    region = found.regions[0] if found.regions else None
    if region is None or any(len(roots) > 1 for roots in region.records):
        return found
    stories = [roots[0] for roots in region.records]
    sections = [int(nodes.parents[story]) for story in stories]
    if len(set(sections)) < len(sections) or any(nodes.ends[one] > other for one, other in pairwise(sections)):
        return found
    links = [
        [link for link in _links(nodes, section) if link >= nodes.ends[story] and _width(nodes, link) >= _LEAST_TITLE]
        for story, section in zip(stories, sections, strict=True)
    ]
    looks = Counter(look for own in links for look in {_look(nodes, link) for link in own})
    look, count = looks.most_common(1)[0] if looks else ((), 0)
    alike = [[link for link in own if _look(nodes, link) == look] for own in links]
    if 2 * count <= len(sections) or not _are_titles(page, nodes, [link for own in alike for link in own]):
        return found
    entries = [root for story, own in zip(stories, alike, strict=True) for root in (story, *_roots(nodes, own))]
    return _of_entries(page, found, entries)


def linked_titles(page: Page, found: RecordPage) -> RecordPage | None:
    """The linked titles of a page without records as its records; None for an article, and for a page without such."""
    nodes = page.nodes_of(found)
    groups: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for link in _links(nodes, 0):
        if _width(nodes, link) >= _LEAST_TITLE and not is_beside(nodes, link, 0):
            groups[_look(nodes, link)].append(link)
    links = max(groups.values(), key=lambda group: sum(len(nodes.text(link)) for link in group), default=[])
    if len(links) < _LEAST_LINKS or not _are_titles(page, nodes, links) or page.kind.kind == "article":
        return None
    return _alone(page, found, _roots(nodes, links), "the records are links alone")


def rows_alone(page: Page, found: RecordPage) -> RecordPage | None:
    """The rows of the only table with a header as the records of a page without any; None without such."""
    nodes = page.nodes_of(found)
    tables: dict[int, list[int]] = defaultdict(list)
    for row in nodes.by_tag["tr"]:
        for table in [around for around in ancestors(nodes, row) if nodes.tags[around] == "table"][:1]:
            tables[table].append(row)
    listed = []
    for table, rows in tables.items():
        own = {row: _cells(nodes, row) for row in rows}
        heads = [row for row in rows if len(own[row]) > 1 and all(nodes.tags[cell] == "th" for cell in own[row])]
        cells = [row for row in rows if row not in heads[:1] and len(own[row]) > 1]
        if heads[:1] == rows[:1] and len(cells) >= _LEAST_LINKS and not is_beside(nodes, table, 0):
            listed.append(cells)
    if len(listed) != 1:
        return None
    return _alone(page, found, listed[0], "the records are rows alone")


def _alone(page: Page, found: RecordPage, entries: Sequence[int], note: str) -> RecordPage:
    listed = _of_entries(page, found, entries)
    return replace(listed, status="ok", reason=None, confidence=_LINKS_ALONE, note=found.note or note)


def _cells(nodes: Nodes, row: int) -> list[int]:
    """The cells of a row that have a text."""
    return [cell for cell in nodes.children[row] if nodes.tags[cell] in ("td", "th") and nodes.count_texts(cell)]


def _of_entries(page: Page, found: RecordPage, entries: Sequence[int]) -> RecordPage:
    """A page with these elements as the records of its first region."""
    records = tuple((entry,) for entry in entries)
    region = replace(found.regions[0], records=records) if found.regions else Region(0, records, _LINKS_ALONE)
    return with_records(page, found, region)


def _look(nodes: Nodes, link: int) -> tuple[str, ...]:
    """What linked titles of one kind share: the tags and classes of the link and the elements around it."""
    around = takewhile(lambda node: nodes.tags[node] != "body", (link, *ancestors(nodes, link, most=_LEVELS - 1)))
    return tuple(part for node in around for part in look(nodes, node))


def _are_titles(page: Page, nodes: Nodes, links: Sequence[int]) -> bool:
    """Whether links are as long as titles on the average, and nearly all lead to pages of their own."""
    goals = {leads_elsewhere(page, nodes, link) for link in links} - {None}
    is_wide = sum(_width(nodes, link) for link in links) >= _USUAL_TITLE * len(links)
    return is_wide and len(goals) >= _LEAST_SHARE * len(links)


def _roots(nodes: Nodes, links: Sequence[int]) -> list[int]:
    """The largest elements around links that hold no other of them; of several with one goal, the first link's."""
    roots = []
    for place, link in enumerate(links):
        before, behind = links[place - 1] if place else -1, links[place + 1] if place + 1 < len(links) else len(nodes)
        roots.append(grown(nodes, link, before, behind, _WHOLES))
    return roots


def _path(nodes: Nodes, roots: Sequence[int]) -> tuple[str, ...]:
    """The tags from a record's roots to elements with links that are several and alike; empty without such."""
    path: tuple[str, ...] = ()
    parts = list(roots)
    for _ in range(_MAX_LEVELS):
        linked = [part for part in parts if _links(nodes, part) and not is_date(nodes.text(part))]
        tags = {nodes.tags[part] for part in linked}
        is_apart = all("br" in nodes.tags[int(nodes.ends[one]) : other] for one, other in pairwise(linked))
        if len(tags) != 1 or (not tags.isdisjoint(INLINE) and not is_apart):
            break
        path += tuple(tags)
        if len(linked) > 1:
            return path
        parts = [child for child in nodes.children[linked[0]] if nodes.tags[child]]
    return ()


def _of_path(nodes: Nodes, roots: Sequence[int], path: tuple[str, ...]) -> list[int]:
    """The elements with links on a path of tags from a record's roots."""
    parts = list(roots)
    for number, tag in enumerate(path):
        if number:
            parts = [child for part in parts for child in nodes.children[part]]
        parts = [part for part in parts if nodes.tags[part] == tag and _links(nodes, part)]
    return [part for part in parts if not is_date(nodes.text(part))]


def _is_group(nodes: Nodes, roots: Sequence[int], entries: Sequence[int]) -> bool:
    """Whether a record is a list, or a date or heading that is no link above entries, and nothing else."""
    held = {text for entry in entries for text in nodes.text_nodes(entry)}
    others = [text for root in roots for text in nodes.text_nodes(root) if text not in held]
    above = " ".join(nodes.texts[text] for text in others)
    if not others:
        return all(nodes.tags[root] in _LISTS for root in roots)
    if others[-1] > entries[0] or len(above) > MAX_DATE:
        return False
    return is_date(above) or all(_is_heading(nodes, text) for text in others)


def _is_heading(nodes: Nodes, text: int) -> bool:
    """Whether a text is in a heading, and in no link."""
    node = next(around for around in ancestors(nodes, text) if nodes.tags[around] not in INLINE - {"a"})
    return nodes.tags[node] in HEADINGS | {"th"}


def _are_teasers(nodes: Nodes, entries: Sequence[int]) -> bool:
    """Whether nearly all entries begin with a link of several words, of its own, to a page of its own."""
    goals: set[str] = set()
    titles: set[str] = set()
    for entry in entries:
        link = _links(nodes, entry)[0]
        before = "".join(nodes.texts[text] for text in nodes.text_nodes(entry) if text < link)
        if _width(nodes, link) >= _LEAST_TITLE and len(before) <= _BEFORE_LINK:
            goals.add(nodes.attributes[link]["href"].partition("#")[0])
            titles.add(nodes.text(link))
    return min(len(goals), len(titles)) >= _LEAST_SHARE * len(entries)


def _width(nodes: Nodes, link: int) -> int:
    """Characters of a link's text, Chinese and Japanese ones counted twice."""
    return text_width(nodes.text(link))


def _links(nodes: Nodes, root: int) -> list[int]:
    """The links of an element that have a text."""
    return [link for link in links_in(nodes, root) if nodes.count_texts(link)]
