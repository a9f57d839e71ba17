"""What is shown among the hits of a result page without being one: advertisements, and boxes of links (videos, news).

An advertisement says so: in a text of its own, in the heading above it, or in the class of an element around it. The links
of a box are alike: they have the same tag and class beside each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsextract.fields.post_elements import links_in
from newsextract.page.nodes import Nodes
from newsextract.results import Record

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
_MAX_AROUND = 6
"""Elements around a hit whose classes are read, at most."""
_IN_BOX = 3
"""Equal parts of a box."""
_ANYTHING = frozenset(("p", "div", "span"))
MAX_WITHIN = 12
"""Elements between a box and a title in it, at most."""
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6", "dt"))


def is_advertisement(nodes: Nodes, roots: Sequence[int], title: int = -1) -> bool:
    """Whether a text of its own in a record, the heading above it, or the class of an element around it says that it was
    paid for.

    :param title: a text that says nothing.
    """
    if any(node != title and says_sold(nodes.texts[node]) for root in roots for node in nodes.text_nodes(root)):
        return True
    node = roots[0]
    for _ in range(_MAX_AROUND):
        if node <= 0 or 2 * (nodes.ends[node] - node) > len(nodes):
            return False
        named = _CLASS_WORD.findall(nodes.attributes[node].get("class", "")[:_MAX_CLASS].lower())
        before = _before(nodes, node)
        above = nodes.text_nodes(before) if before >= 0 and nodes.tags[before] in HEADINGS else ()
        if not _SOLD.isdisjoint(named) or any(says_sold(nodes.texts[text]) for text in above):
            return True
        node = int(nodes.parents[node])
    return False


def says_sold(text: str) -> bool:
    """Whether a text says that what it stands beside was paid for: "Sponsored"."""
    return len(text) <= _MAX_SOLD and text.strip(" ·•-|:").casefold() in _SOLD


def _before(nodes: Nodes, node: int) -> int:
    """The element right before another one in the same element, if it is a small one; -1 without such."""
    before = node - 1
    for _ in range(MAX_WITHIN):
        if nodes.parents[before] == nodes.parents[node]:
            return before
        before = int(nodes.parents[before])
        if before <= nodes.parents[node]:
            break
    return -1


def is_among_links(nodes: Nodes, record: Record, node: int, least: int = _IN_BOX) -> bool:
    """Whether a title is one of several alike within its record: a box of videos or news between the hits.

    :param least: how many are several; fewer than three paragraphs or divisions without a class are none.
    """
    root = root_of(record, node)
    for _ in range(MAX_WITHIN):
        parent = int(nodes.parents[node])
        if node <= root:
            break
        name = nodes.attributes[node].get("class")
        if nodes.tags[node] and (name or nodes.tags[node] != "a"):
            several = _IN_BOX if not name and nodes.tags[node] in _ANYTHING else least
            alike = [n for n in nodes.children[parent] if nodes.tags[n] == nodes.tags[node]]
            alike = [n for n in alike if nodes.attributes[n].get("class") == name]
            hrefs = ((nodes.attributes[link]["href"] for link in links_in(nodes, one)) for one in alike)
            if len(alike) >= several and len({next(filter(None, own), None) for own in hrefs} - {None}) >= several:
                return True
        node = parent
    return False


def root_of(record: Record, node: int) -> int:
    """The root of a record that a node is in."""
    return max((root for root in record.nodes if root <= node), default=node)
