"""The fields of a post: author, date, body and permalink of one record of a forum's thread.

Author, date and body have a module each (:mod:`.post_author`, :mod:`.post_date`, :mod:`.post_body`); the labelled columns
of the record's region support what the markup of the post says. What the record lacks is looked for around it
(:func:`.post_places.surroundings`).

Cost: about 1.3 ms a post of the bench.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from urllib.parse import urljoin, urlsplit

from newsextract.article import ReportDate
from newsextract.fields.post_author import find_author
from newsextract.fields.post_body import find_body
from newsextract.fields.post_date import PostDates
from newsextract.fields.post_places import NOWHERE, elements, nodes_of, record_around, surroundings, words
from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.record import Record

__all__ = ["PostFields", "post_fields"]


@dataclass(frozen=True, slots=True)
class PostFields:
    """One post."""

    author: str | None
    """Name as the page shows it."""
    date: ReportDate | None
    body: str
    """What the author wrote; paragraphs are lines. Empty for a post without text."""
    permalink: str | None
    """Absolute address of the post itself."""


def post_fields(page: Page, record: Record) -> PostFields:
    """The fields of one post.

    :param page: the page that the record was found in; relative dates count from its time of fetch.
    :param record: of :func:`newsextract.extract_records`, with its items.
    """
    nodes = nodes_of(page, record)
    dates = PostDates(page)
    author = find_author(nodes, record, page.url)
    date = dates.find(nodes, record)
    link = _linked(nodes, record, page.url)
    around: list[int] = []
    if author is None or date is None or link is None:
        around = surroundings(nodes, record)
    if around:
        whole = record_around(nodes, record, around[0])
        author = author or find_author(nodes, replace(whole, items=()), page.url)
        date = date or dates.find(nodes, whole, others=False)
        link = link or _linked(nodes, whole, page.url)
    body = find_body(nodes, record, author, date.evidence if date is not None else None)
    return PostFields(author, date, body, link or _named(nodes, (*around, *record.nodes), page.url))


def _linked(nodes: Nodes, record: Record, url: str | None) -> str | None:
    """The address of the best link that names the post itself."""
    lists = words()["permalink"]
    fragment_form, address_form, text_form = _forms()
    best: tuple[float, str] | None = None
    host = urlsplit(url or NOWHERE).hostname
    for node, tag, attributes, classes in elements(nodes, record.nodes):
        href = attributes.get("href", "") if tag == "a" else ""
        if not href or href.startswith(("javascript:", "mailto:", "data:")) or href == "#":
            continue
        try:
            address = urljoin(url or NOWHERE, href.strip())
            parts = urlsplit(address)
        except ValueError:
            continue  # an address that is none
        if parts.hostname != host:
            continue
        score = 3.0 if fragment_form.fullmatch(parts.fragment) else 0.0
        score += 1.5 if address_form.search(address) else 0.0
        score += 2.0 if "bookmark" in attributes.get("rel", "").lower().split() else 0.0
        score += 1.5 if not classes.isdisjoint(lists["classes"]) else 0.0
        text = nodes.text(node)
        score += 2.0 if text_form.fullmatch(text.lower()) else 0.0
        score += 1.0 if any(nodes.tags[inner] == "time" for inner in range(node + 1, int(nodes.ends[node]))) else 0.0
        if score >= 2.5 and (best is None or score > best[0]):
            best = (score, address)
    if best is not None and not best[1].startswith(NOWHERE) and best[1].startswith(("http://", "https://")):
        return best[1]
    return None


def _named(nodes: Nodes, roots: Sequence[int], url: str | None) -> str | None:
    """The page's address with the id of the first element whose id names a post."""
    fragment_form = _forms()[0]
    for root in roots:
        name = nodes.attributes[root].get("id", "")
        if url and name and fragment_form.fullmatch(name):
            return f"{url.partition('#')[0]}#{name}"
    return None


@cache
def _forms() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    lists = words()["permalink"]
    return re.compile(lists["fragments"]), re.compile(lists["addresses"]), re.compile(lists["texts"])
