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

import numpy as np

from newsextract.article import ReportDate
from newsextract.fields.post_author import find_author
from newsextract.fields.post_body import find_body, read_text
from newsextract.fields.post_date import PostDates
from newsextract.fields.post_places import NOWHERE, elements, elements_around, nodes_of, record_around, surroundings, words
from newsextract.fields.post_quotes import MAX_SIGNATURE, Quote
from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.record import Record

__all__ = ["PostFields", "Quote", "post_fields"]

_MAX_SAID = 40
"""Characters before a link that may say that it leads to the post that is answered."""


@dataclass(frozen=True, slots=True)
class PostFields:
    """One post."""

    author: str | None
    """Name as the page shows it."""
    date: ReportDate | None
    body: str
    """What the author wrote, without quotations and signature; paragraphs are lines. Empty for a post without words of its
    own."""
    permalink: str | None
    """Absolute address of the post itself."""
    quotes: tuple[Quote, ...] = ()
    """What it quotes, in order."""
    signature: str | None = None
    is_linked: bool = False
    """Whether all of its words are the text of links: more likely a title or a menu than a post."""
    reply_to: str | None = None
    """Absolute address of the post that it answers, where the page links to that as such."""


def post_fields(page: Page, record: Record, area: int | None = None) -> PostFields:
    """The fields of one post.

    :param page: the page that the record was found in; relative dates count from its time of fetch.
    :param record: of :func:`newsextract.extract_records`, with its items.
    :param area: the largest element around it that holds no other post; None: what is like the record tells it.
    """
    nodes = nodes_of(page, record)
    dates = PostDates(page)
    author = find_author(nodes, record, page.url)
    date = dates.find(nodes, record)
    link = _linked(nodes, record, page.url)
    around: list[int] = []
    if author is None or date is None or link is None:
        around = surroundings(nodes, record) if area is None else elements_around(nodes, record, area)
    if around:
        whole = record_around(nodes, record, around[0])
        author = author or find_author(nodes, replace(whole, items=()), page.url)
        date = date or dates.find(nodes, whole, others=False)
        link = link or _linked(nodes, whole, page.url)
    body = find_body(nodes, record, author, date.evidence if date is not None else None)
    return PostFields(
        author,
        date,
        body.own,
        link or _named(nodes, (*around, *record.nodes), page.url),
        body.quotes,
        body.signature or _signature(nodes, record, around),
        body.is_linked,
        _answered(nodes, record, around, page.url),
    )


def _signature(nodes: Nodes, record: Record, around: Sequence[int]) -> str | None:
    """The text of the element that markup calls the signature, beside the body."""
    for root in (*record.nodes, *around[:1]):
        for node, _, _, classes in elements(nodes, [root]):
            if not classes.isdisjoint(words()["body"]["signatures"]):
                text = read_text(nodes, [node]).own
                if 0 < len(text) <= MAX_SIGNATURE:
                    return text
    return None


def _answered(nodes: Nodes, record: Record, around: Sequence[int], url: str | None) -> str | None:
    """Where a link leads that stands after "in reply to" or the like."""
    said = words()["quote"]["replies"]
    for root in (*record.nodes, *around[:1]):
        for node in range(root, int(nodes.ends[root])):
            href = nodes.attributes[node].get("href", "") if nodes.tags[node] == "a" else ""
            if not href or href.startswith(("javascript:", "mailto:", "data:")) or href == "#":
                continue
            place = int(np.searchsorted(nodes.shown, node))
            shown = [i for i in nodes.shown[max(0, place - 2) : place].tolist() if i > nodes.parents[node]]
            before = " ".join(nodes.texts[i] for i in shown)[-_MAX_SAID:]
            within = nodes.text(node)[:_MAX_SAID]
            # "Reply to this post" is a button: what is named after it counts, or the link's own words where they say "in".
            if _ends_with(before, said) or (" to " in within.lower() and within.lower().startswith("in repl")):
                try:
                    return urljoin(url or NOWHERE, href.strip())
                except ValueError:
                    continue  # not a valid URL
    return None


def _ends_with(text: str, said: Sequence[str]) -> bool:
    return text.lower().rstrip(" :：([<").endswith(tuple(said))


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
            continue  # not a valid URL
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
