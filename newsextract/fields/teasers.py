"""The fields of teasers: what a list page (front page, section, archive) says of the articles that it leads to.

Title, address, snippet and date are found as those of a hit (:mod:`newsextract.fields.hits`), the author as that of a
post (:mod:`newsextract.fields.post_fields`). The picture is the first that is no icon. A teaser without a date of its own
has that of the heading that it stands under, where the list is cut by days.

Cost: about that of hits; 0.3 ms a teaser of the sample site.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

from newsextract.fields.authors import is_byline, split_names
from newsextract.fields.hits import HitFields, date_at, hit_fields
from newsextract.fields.post_dates import PostDates, post_dates
from newsextract.fields.post_fields import find_author
from newsextract.fields.title_parts import fold_key, site_names, title_parts
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.page.references import Addresses, References
from newsextract.records.leaves import MAX_DATE
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
    addresses = Addresses(References.of(page).base)
    dates = post_dates(page)
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
        if len(nodes.texts[text]) <= MAX_DATE and (date := date_at(dates, nodes, text, nodes.texts[text])) is not None:
            found.append((text, date))
    return found if found and taken and found[0][0] < taken[0][0] else []
