"""What is shown among the hits of a result page without being one: advertisements, and boxes of links (videos, news).

An advertisement says so: in a text of its own, in the heading above it, or in the class of an element around it. The links
of a box are alike: they have the same tag and class beside each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from newsextract.fields.post_elements import ancestors, links_in, siblings_before
from newsextract.model_files import data_table
from newsextract.page.nodes import Nodes
from newsextract.results import Record

_SOLD = frozenset(data_table("fields/data/title_labels.toml")["sold"])
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
    for node in (roots[0], *ancestors(nodes, roots[0], 0, _MAX_AROUND - 1)):
        if 2 * (nodes.ends[node] - node) > len(nodes):
            return False
        named = _CLASS_WORD.findall(nodes.attributes[node].get("class", "")[:_MAX_CLASS].lower())
        headings = (one for one in siblings_before(nodes, node)[-1:] if nodes.tags[one] in HEADINGS)
        above = (nodes.texts[text] for heading in headings for text in nodes.text_nodes(heading))
        if not _SOLD.isdisjoint(named) or any(map(says_sold, above)):
            return True
    return False


def says_sold(text: str) -> bool:
    """Whether a text says that what it stands beside was paid for: "Sponsored"."""
    return len(text) <= _MAX_SOLD and text.strip(" ·•-|:").casefold() in _SOLD


def is_among_links(nodes: Nodes, record: Record, node: int, least: int = _IN_BOX) -> bool:
    """Whether a title is one of several alike within its record: a box of videos or news between the hits.

    :param least: how many are several; fewer than three paragraphs or divisions without a class are none.
    """
    root = root_of(record, node)
    for one in (node, *ancestors(nodes, node, root, MAX_WITHIN - 1)) if node >= 0 else ():
        name = nodes.attributes[one].get("class")
        if one > root and nodes.tags[one] and (name or nodes.tags[one] != "a"):
            several = _IN_BOX if not name and nodes.tags[one] in _ANYTHING else least
            alike = [n for n in nodes.children[nodes.above[one]] if nodes.tags[n] == nodes.tags[one]]
            alike = [n for n in alike if nodes.attributes[n].get("class") == name]
            firsts = (next(iter(links_in(nodes, one)), -1) for one in alike)
            if len(alike) >= several and len({nodes.attributes[link]["href"] for link in firsts if link >= 0}) >= several:
                return True
    return False


def root_of(record: Record, node: int) -> int:
    """The root of a record that a node is in."""
    return max((root for root in record.nodes if root <= node), default=node)
