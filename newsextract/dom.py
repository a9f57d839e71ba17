"""The one tree walk: a parsed page as block elements, text blocks and text leaves, in columns.

An element of the columns is a *block element* (W3C: it makes a box of its own). Inline elements (``b``, ``span``, …)
are unwrapped: their text joins the block around them; links leave their mark on the text and in counts. So each
block element covers a contiguous range of blocks, its descendants follow it directly, and sums over any subtree are
differences of prefix sums. What makes no text (scripts, widgets, hidden fields) is left out; hidden elements and
forms are for the algorithm to judge (:meth:`Dom.attributes`), because they differ in that.

Cost: 0.9 of a plain lxml parse beside the parsing itself, 0.2 of it in the parser's bindings. No recursion.
"""

from __future__ import annotations

from selectolax.lexbor import LexborNode

from newsextract.article import Heading
from newsextract.dom_columns import Dom
from newsextract.parsing import parse

__all__ = ["INLINE", "LEFT_OUT", "LINE", "MAX_ELEMENTS", "Dom", "read_dom"]

MAX_ELEMENTS = 200_000
"""Later block elements are unwrapped like inline ones, with a blank; the largest page of the bench has 21,000."""
_HEADING_BLOCKS = 20
"""Blocks of a heading element that are read; one that holds more is no headline."""
_HEADING_LENGTH = 1_000
"""Characters of a heading that are kept, for the same reason."""

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr output q rb rp rt rtc ruby s samp
    small span strike strong sub sup time tt u var wbr label img picture source track br
    """.split()
)
LEFT_OUT = frozenset(
    """
    script style noscript template iframe frame frameset noframes object embed applet param svg math canvas audio video map
    area head title meta link base textarea select option optgroup datalist button input keygen progress meter dialog
    """.split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}

LINE = "\u2028"  # white space for str.split, and in a source it means the same: a new line
_MARK = "\0"  # an image; the parser leaves none in a text
_LINE_MARK = _MARK + LINE  # a ``br``
_OMIT, _UNWRAP, _BREAK, _IMAGE, _LINK, _BLOCK, _HEADING = range(7)
_ACTIONS = (
    dict.fromkeys(INLINE, _UNWRAP)
    | dict.fromkeys(LEFT_OUT, _OMIT)
    | dict.fromkeys(_HEADINGS, _HEADING)
    | {"a": _LINK, "br": _BREAK, "img": _IMAGE}
)
_TEXT_NUMBER = 2  # lexbor's LXB_TAG__TEXT
_KINDS: dict[int, tuple[int, str]] = {}
"""What is to be done with a node, and its tag, by lexbor's number of the tag; learnt as they are met, because to read the
tag of each costs twice as much."""
_NUMBERED = 1 << 10
"""Numbers of the tags that lexbor knows (about 200) are smaller; those of others are addresses in memory."""


def read_dom(text: str, encoded: bytes | None = None) -> Dom:
    """The columns of a page.

    :param text: decoded source, any content; never raises.
    :param encoded: the same in UTF-8, where it is at hand.
    """
    walk = _Walk()
    node = parse(text, encoded)
    if node is not None:
        walk.go(node)
    return walk.dom


class _Walk:
    """One walk through the tree, in document order."""

    def __init__(self) -> None:
        self.dom = Dom()
        self.parts: list[str] = []
        """Text of the current block so far, with a mark for each ``br`` and image."""
        self.borders: list[int] = []
        """Numbers of the parts before which a link begins or ends; only where text stands before it."""

    def go(self, root: LexborNode) -> None:
        """Fill the columns. One loop over local variables: this is where the time goes."""
        dom, parts, borders, flush, kinds, text_number = self.dom, self.parts, self.borders, self.flush, _KINDS, _TEXT_NUMBER
        tags, parents, ends, nodes = dom.tags, dom.parents, dom.ends, dom.nodes
        texts, first_blocks, end_blocks = dom.texts, dom.first_blocks, dom.end_blocks
        link_nodes, link_blocks = dom.link_nodes, dom.link_blocks
        most = MAX_ELEMENTS
        opened: list[LexborNode] = []
        actions: list[int] = []  # what leaving each open node does
        node: LexborNode = root
        element = -1
        linked = False  # whether this is in a link,
        begun = False  # whether the current block began in one,
        links = 0  # and the links and images of the block so far
        count = 0
        while True:
            count += 1
            number = node.tag_id
            action = _OMIT
            child = None
            if number == text_number:
                if text := node.text_content:
                    parts.append(text)
            else:
                try:
                    action, tag = kinds[number]
                except KeyError:
                    action, tag = _kind(node)
                if action >= _BLOCK:
                    child = node.child
                    if len(tags) >= most:
                        action = _UNWRAP
                        parts.append(" ")
                    else:
                        if parts and flush(element, begun, links):
                            begun, links = linked, 0
                        parents.append(element)
                        element = len(tags)
                        tags.append(tag)
                        nodes.append(node)
                        ends.append(0)
                        first_blocks.append(len(texts))
                        end_blocks.append(0)
                elif action == _UNWRAP:
                    child = node.child
                elif action == _LINK:
                    child = node.child
                    if linked or "href" not in node.attrs:
                        action = _UNWRAP
                    else:
                        linked = True
                        links += 1
                        link_nodes.append(node)
                        link_blocks.append(len(texts))
                        if parts:
                            borders.append(len(parts))
                        else:
                            begun = True
                elif action == _BREAK:
                    parts.append(_LINE_MARK)
                elif action == _IMAGE:
                    links += 1
                    parts.append(_MARK)
                if child is not None:
                    opened.append(node)
                    actions.append(action)
                    node = child
                    continue
            while True:  # leave the node, and all whose last child it is
                if action >= _LINK:
                    if action == _LINK:
                        linked = False
                        if parts:
                            borders.append(len(parts))
                        else:
                            begun = False
                    else:
                        if parts and flush(element, begun, links):
                            begun, links = linked, 0
                        ends[element] = len(tags)
                        end_blocks[element] = len(texts)
                        if action == _HEADING:
                            self.add_heading(element)
                        element = parents[element]
                following = node.next
                if following is not None:
                    break
                if not opened:
                    flush(element, begun, links)
                    dom.node_count = count
                    return
                node = opened.pop()
                action = actions.pop()
            node = following

    def flush(self, element: int, linked: bool, links: int) -> bool:
        """End the current block, unless nothing but images stood in it; one without text is none.

        :param linked: whether it began in a link.
        """
        parts, borders, dom = self.parts, self.borders, self.dom
        raw = parts[0] if len(parts) == 1 else "".join(parts)
        shown = raw
        if _MARK in raw:
            shown = raw.replace(_MARK, "")
            if not shown:
                return False
            raw = _leaf(raw)
        text = shown.strip()
        if text:
            if text.isprintable() and "  " not in text:  # folded already
                size = len(text) - text.count(" ")
            else:
                words = text.split()
                text = " ".join(words)
                size = len(text) - len(words) + 1
                if "\n" in shown and element >= 0 and dom.tags[element] == "pre":
                    shown = shown.replace("\n", LINE)
                if LINE in shown:
                    text = _with_lines(shown)
            if borders and borders[-1] == len(parts):
                borders.pop()  # a link that ends with the block
            if borders:
                link_count = self.add_leaves(linked, size)
            else:
                link_count = size if linked else 0
                dom.leaf_texts.append(raw)
                dom.leaf_blocks.append(len(dom.texts))
                dom.leaf_linked.append(linked)
            dom.counts.append(size - link_count)
            dom.texts.append(text)
            dom.link_counts.append(link_count)
            dom.links.append(links)
            dom.elements.append(element)
        parts.clear()
        borders.clear()
        return True

    def add_leaves(self, linked: bool, size: int) -> int:
        """The leaves of a block in which links begin or end. Returns its characters in links.

        :param size: its characters.
        """
        dom, parts, start = self.dom, self.parts, 0
        texts, in_link = dom.leaf_texts, dom.leaf_linked
        first = len(texts)
        self.borders.append(len(parts))
        for end in self.borders:
            text = parts[start] if end == start + 1 else "".join(parts[start:end])
            if _MARK in text:
                text = _leaf(text)
            if text and not text.isspace():
                texts.append(text)
                in_link.append(linked)
            start, linked = end, not linked
        block = len(dom.texts)
        if len(texts) == first + 1:
            dom.leaf_blocks.append(block)
            return size if in_link[first] else 0
        count = 0
        for text, is_link in zip(texts[first:], in_link[first:], strict=True):
            dom.leaf_blocks.append(block)
            if is_link:
                count += len(text) - text.count(" ") if text.isprintable() else len("".join(text.split()))
        return count

    def add_heading(self, element: int) -> None:
        """A heading element ends."""
        dom = self.dom
        first = dom.first_blocks[element]
        text = " ".join(text[:_HEADING_LENGTH] for text in dom.texts[first : first + _HEADING_BLOCKS])
        dom.headings.append(Heading(_HEADINGS[dom.tags[element]], text[:_HEADING_LENGTH].replace("\n", " "), first))


def _kind(node: LexborNode) -> tuple[int, str]:
    """What is to be done with a node that is no text, and its tag; kept for those that are numbered alike in every page."""
    tag = node.tag or ""
    action = _ACTIONS.get(tag, _BLOCK)
    if not node.is_element_node:
        action = _OMIT  # a comment or the doctype
    if node.tag_id < _NUMBERED:
        _KINDS[node.tag_id] = action, tag
    return action, tag


def _leaf(raw: str) -> str:
    """The text of a leaf: a break or an image parts words."""
    return raw.replace(_LINE_MARK, " ").replace(_MARK, " ")


def _with_lines(raw: str) -> str:
    """White space folded, lines kept, empty ones not."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in raw.split(LINE))))
