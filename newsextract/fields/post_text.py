"""The body of a post: what its author wrote, and beside it what is quoted and the signature; no panel and no buttons.

The body is the element that markup calls so (itemprop, class names of forum software), else the largest element around the
longest text that holds none of the post's other data: no author, date or button. Lines are those of the page: block
elements and line breaks end them. Which elements are quotations and signatures is found here; :mod:`.post_quotes` tells
their lines from the author's own words.

Cost: one pass over the record, and one over the body.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Sequence, Set
from itertools import accumulate, groupby

from newsextract.fields.mail_messages import SUBJECTS
from newsextract.fields.post_elements import (
    HEADINGS,
    ancestors,
    body_rank,
    class_words,
    elements,
    inside,
    is_quotation,
    link_around,
    own_items,
    post_elements,
    properties,
    siblings_before,
    words,
)
from newsextract.fields.post_fields import is_count, is_posted
from newsextract.fields.post_quotes import MAX_HEAD, MAX_NAME_LINE, Line, PostText, is_edit, told_apart, whose
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import Leaf, Paths, has_word, leaves_text, line_text, read_leaves, text_kind, text_width
from newsextract.results import Item, Record

_MARKS = frozenset(("class", "itemprop"))
_PART = 0.5
"""Share of the longest marked element's text that a more exact one must have."""
_FIELDS = frozenset(("author", "date", "votes", "views", "comments", "signature", "rating"))
"""Labels of columns that are no part of the body."""
_PARAGRAPHS = frozenset(("p", "blockquote", "ul", "ol", "pre", "br"))
_CODE = frozenset(("pre", "code"))
_BREAKS = frozenset("br p div table tr td blockquote section ul ol li h4 h5 h6".split())
_QUOTE_LEVELS = 6
"""Elements around the head of a quotation that are looked at."""
_MAX_AROUND = 200
"""Elements behind the head of a quotation that are looked at."""
_MAX_LIKED = 300
"""Characters of a line that says who likes a post."""
_HEAD = re.compile(words()["quote"]["heads"], re.IGNORECASE)
"""A short text with a colon at its end, or one that says in words whose the quotation is."""
_CAPTION = re.compile(words()["body"]["code"], re.IGNORECASE)
_SHORT = 40
"""Characters beside an author or a date of a text that is no more than these."""
_MAX_TEXTS = 6
"""Text nodes of a line that says whose a quotation is."""
_DRAWN = frozenset(("noshade", "size", "width"))
"""Attributes of a line across the page that no author writes."""
_EMPHASIS = frozenset(("b", "strong", "em", "i", "a", "cite"))
_LEVELS = 4
"""Elements around a text or code of which one may be a heading, or have a caption before it."""
_ANSWER = re.compile(r"\s{0,3}(?:re|aw|antw|sv|回复|回覆|答复)\s?(?:\[\d+\]|\^\d+)?\s?[:：]\s{0,3}", re.IGNORECASE)
_LEAST_TITLE = 8
"""Characters of a thread's title, Chinese and Japanese ones counted twice."""
_TITLE_ENDS = re.compile(r"\s[-–—|·•»:]\s|:\s")
"""What stands between a thread's title and the site's name."""
_BETWEEN = frozenset("-–—|·•:：»>/()[]【】_")
"""What stands between the parts of a page's title."""
_SURE = 80
"""Characters of a text that must be in the body, whatever its column is called."""


def find_body(
    nodes: Nodes,
    record: Record,
    author: str | None = None,
    date: str | None = None,
    title: str | None = None,
    beside: Set[str] = frozenset(),
) -> PostText:
    """The text, its parts told apart; empty when there is none.

    :param author: the post's author; texts that are hardly more are not the body's.
    :param date: how the post's date is written; likewise.
    :param title: of the page; a line that repeats the thread's title is not the body's.
    :param beside: labels of items that are not the body's.
    """
    own = own_items(nodes, record)
    known = [text for text in (author, date) if text]
    # Items are told apart as objects: to compare their values costs items squared.
    titles = {id(item) for item in own if title and is_title(item.text, title)}
    foreign = titles | {id(item) for item in own if item.label in beside or _is_foreign(nodes, item, known, date, title)}
    written = [item for item in own if item.kind != "image" and item.nodes and id(item) not in foreign]
    longest = max(written, key=lambda item: (item.label == "body", len(item.text)), default=None)
    # The day may have been read from an attribute.
    first = longest.nodes[0] if longest is not None else 0
    others = [item for item in own if item.nodes and item is not longest]
    heads = sorted(
        item.nodes[0]
        for item in others
        if _is_beside(nodes, item, known) or (item.nodes[0] < first and text_kind(item.text) == "date")
    )
    # Where something else is written, what all posts repeat is a note.
    notes = frozenset(node for item in own if item.static and id(item) in foreign for node in item.nodes if written)
    marked = _marked(nodes, record, longest, heads, notes)
    if marked is not None:
        captions = [item.nodes for item in own if id(item) in titles and item.nodes and _is_heading(nodes, item.nodes[0])]
        linked = [own for own in captions if link_around(nodes, own[0], 0) >= 0]
        return read_text(nodes, [marked], frozenset(node for own in linked for node in own))
    if longest is None:
        return PostText("")
    kept = {id(item) for item in own_items(nodes, record, quotations=True)} - foreign
    without = sorted(node for item in record.items if id(item) not in kept for node in item.nodes)
    roots = _with_siblings(nodes, record, _around(nodes, record, longest, without), without)
    return read_text(nodes, roots, frozenset(without))


def read_text(nodes: Nodes, roots: Sequence[int], without: frozenset[int] = frozenset()) -> PostText:
    """Visible text of subtrees, a line for each line of the page, its parts told apart; notes and buttons are left out.

    :param without: text nodes that are left out.
    """
    shown = sorted({node for root in roots for node in nodes.text_nodes(root)})
    dropped = without | _controls(nodes, roots)
    heads, said = _quotations(nodes, roots, shown, dropped)
    signed = _signed(nodes, roots, heads)
    dropped |= said
    lines: list[Line] = []
    leaves = [leaf for leaf in read_leaves(nodes, roots, Paths()) if not leaf.image and leaf.node not in dropped]
    around: list[int] = []  # the quotations that a line is within
    starts = deque(sorted(heads))
    within: dict[int, int] = {}  # the quotation that each text is in
    for leaf in leaves:
        while starts and starts[0] <= leaf.node:
            around.append(starts.popleft())
        while around and leaf.node >= nodes.ends[around[-1]]:
            around.pop()
        within[leaf.node] = around[-1] if around else -1
    rules = _rules(nodes, roots)
    # Preformatted text has the lines behind a quotation in the same element.
    for _, group in groupby(
        leaves, key=lambda leaf: (leaf.run, within[leaf.node] if leaf.node in nodes.preformatted else None)
    ):
        run = list(group)
        first = run[0].node
        quotation = within[first]
        if rules and rules[0] < first:
            rules = rules[bisect_left(rules, first) :]
            lines.append(Line("", is_rule=True))
        is_bold = all(any(nodes.tags[holder] in _EMPHASIS for holder in leaf.holders) for leaf in run)
        if any(leaf.node in nodes.preformatted for leaf in run):
            written = "".join(nodes.preformatted.get(leaf.node, leaf.text) for leaf in run)
            texts = [" ".join(line.split()) for line in written.split("\n")]
            lines += [Line(text, quotation, first in signed, preformatted=True) for text in texts]
        else:
            is_linked = all(map(_is_linked, run))
            text = leaves_text(run)
            lines.append(Line(text, quotation, first in signed, is_bold, is_linked=is_linked))
    # The words around a quotation within another one belong together.
    quoted = groupby(lines, key=lambda line: line.quotation >= 0)
    lines = [line for _, group in quoted for line in sorted(group, key=lambda line: line.quotation)]
    folds = words()["body"]["folds"]
    while len(lines) > 1 and lines[-1].text.strip(" .…»›→▼▾").lower() in folds:
        lines.pop()
    return told_apart(lines, heads)


def _controls(nodes: Nodes, roots: Sequence[int]) -> set[int]:
    """What no author wrote: notes, buttons, captions of code."""
    removed = words()["body"]["removed"]
    found: set[int] = set()
    for root in roots:
        node = root
        while node < nodes.ends[root]:
            attributes = nodes.attributes[node]
            end = int(nodes.ends[node])
            is_control = (
                nodes.tags[node] in ("button", "form", "nav", "footer")
                or attributes.get("role") == "button"
                or (nodes.tags[node] in ("div", "em") and "onclick" in attributes and end == node + 2)
                or ("class" in attributes and not class_words(attributes["class"]).isdisjoint(removed))
            )
            if is_control and node != root:
                found.update(range(node, end))
                node = end
                continue
            if nodes.tags[node] in _CODE:
                found.update(_caption(nodes, node, root))
            node += 1
    return found


def _signed(nodes: Nodes, roots: Sequence[int], quotations: Collection[int]) -> set[int]:
    """What is in elements that are called signatures, and not quoted."""
    found: set[int] = set()
    page = post_elements(nodes)
    for root in roots:
        quoted = root
        for node in sorted({*inside(page.signatures, nodes, root), *quotations}):
            if node in quotations:
                if node >= root:
                    quoted = max(quoted, page.ends[node])
            elif root < node and quoted <= node:
                found.update(range(node, page.ends[node]))
    return found


def _rules(nodes: Nodes, roots: Sequence[int]) -> list[int]:
    """The lines that software draws, above a signature for one; those that an author sets have no width or shade."""
    found = [node for root in roots for node in inside(nodes.by_tag["hr"], nodes, root)]
    return [node for node in found if not _DRAWN.isdisjoint(nodes.attributes[node])]


def _quotations(
    nodes: Nodes, roots: Sequence[int], shown: Sequence[int], dropped: Set[int]
) -> tuple[dict[int, str], set[int]]:
    """The outermost quotations and those within them that elements say whose they are, each with what they say; and the
    texts that do.

    :param shown: visible text nodes, ascending.
    """
    begun = _said_quotations(nodes, roots, shown)
    page = post_elements(nodes)
    heads: dict[int, str] = {}
    told: set[int] = set()
    above: dict[int, str] = {}
    for root in roots:
        walked = quoted = root  # quoted: where the outermost quotation ends
        for node in sorted(
            {*inside(page.quotations, nodes, root), *(node for node in begun if root <= node < page.ends[root])}
        ):
            if node in dropped:
                continue
            end = int(nodes.ends[node])
            said: list[int] = []
            # The start of a quotation within the start of another one has been looked at.
            if node >= walked and (below := _said_below(nodes, node, shown)) >= 0:
                texts = nodes.text_nodes(node)
                above[below] = line_text(nodes, texts)
                told.update(texts)
                walked = end
                continue
            if node >= walked:
                said, walked = _attribution(nodes, node, shown)
                told.update(said)
            head = above.get(node) or (line_text(nodes, said) if said else "")
            if node >= quoted or head:
                heads[node] = head
                quoted = max(quoted, end)
    return heads, told


def _said_below(nodes: Nodes, node: int, shown: Sequence[int]) -> int:
    """The quotation right below one that is no more than the line that says whose that is; -1 for none."""
    end = int(nodes.ends[node])
    first, behind = bisect_left(shown, node), bisect_left(shown, end)
    is_line = nodes.tags[node] not in _PARAGRAPHS and 0 < behind - first <= _MAX_TEXTS and behind < len(shown)
    if not is_line or whose(line_text(nodes, shown[first:behind])) is None:
        return -1
    below = [other for other in range(end, min(shown[behind], end + _MAX_AROUND)) if nodes.ends[other] > shown[behind]]
    return next((other for other in below if is_quotation(nodes.tags[other], nodes.attributes[other])), -1)


def _said_quotations(nodes: Nodes, roots: Sequence[int], shown: Sequence[int]) -> set[int]:
    """Elements that begin with a line such as "Originally posted by Jane" or "Quote:", and hold what is quoted."""
    lists = words()["quote"]
    begins, captions = tuple(lists["begins"]), frozenset(lists["captions"])
    found: set[int] = set()
    quotations = post_elements(nodes).quotations
    whole = roots if len(roots) == 1 else ()
    for place, first in enumerate(shown):
        if not nodes.texts[first][:MAX_NAME_LINE].lstrip().lower().startswith(begins):
            continue
        node = first
        for _ in range(_QUOTE_LEVELS):
            node = int(nodes.parents[node])
            if node in whole or bisect_left(shown, node) < place:
                break
            texts = shown[place : min(bisect_left(shown, nodes.ends[node]), place + _MAX_TEXTS + 1)]
            line = _first_line(nodes, texts)
            if line != line_text(nodes, texts):
                is_all = place == 0 and nodes.ends[node] > shown[-1]
                is_said = line.lower() in captions or whose(line)
                # What is quoted may stand beside the line that says whose it is, in an element that is called so.
                around = bisect_left(quotations, first), bisect_left(quotations, min(nodes.ends[node], first + _MAX_AROUND))
                if is_said and not is_all and around[0] == around[1]:
                    found.add(node)
                break
    return found


def _first_line(nodes: Nodes, texts: Sequence[int]) -> str:
    """The texts up to the first line break or block."""
    line = [texts[0]]
    for node in texts[1:]:
        if not _BREAKS.isdisjoint(nodes.tags[line[-1] + 1 : node]):
            break
        line.append(node)
    return line_text(nodes, line)


def _caption(nodes: Nodes, code: int, root: int) -> range:
    """The nodes of the caption ("Code: Select all") right before a code box; empty if it has no caption."""
    node = code
    for _ in range(_LEVELS):
        if node == root:
            break
        before = next((one for one in reversed(siblings_before(nodes, node)) if nodes.text_nodes(one)), -1)
        if before >= 0:
            texts = nodes.text_nodes(before)[: _MAX_TEXTS + 1]
            text = line_text(nodes, texts) if len(texts) <= _MAX_TEXTS else ""
            is_caption = bool(nodes.tags[before]) and _CAPTION.fullmatch(text) is not None
            return range(before, int(nodes.ends[before])) if is_caption else range(0)
        node = int(nodes.parents[node])
    return range(0)


def _is_linked(leaf: Leaf) -> bool:
    """Whether a text is nothing but the words of a link, or says nothing; a link that shows its URL was written."""
    if leaf.link < 0:
        return not has_word(leaf.text)
    return "://" not in leaf.text and not leaf.text.startswith("www.")


def _attribution(nodes: Nodes, quotation: int, shown: Sequence[int]) -> tuple[list[int], int]:
    """Text nodes at the start of a quotation that say whose it is, in elements of their own; and where its text begins."""
    found: list[int] = []
    end = int(nodes.ends[quotation])
    node = quotation + 1
    first = 0  # of the texts from the node on
    while node < end:
        first = bisect_left(shown, node, first)
        behind = bisect_left(shown, int(nodes.ends[node]), first)
        text = line_text(nodes, shown[first:behind]) if 0 < behind - first <= _MAX_TEXTS else ""
        is_cited = nodes.tags[node] == "cite" and 0 < len(text) <= MAX_HEAD
        is_head = is_cited or (
            nodes.tags[node]
            and nodes.tags[node] not in _PARAGRAPHS
            and (_HEAD.fullmatch(text) or (0 < len(text) <= MAX_NAME_LINE and _is_above_all(nodes, node, quotation)))
        )
        if is_head and behind < bisect_left(shown, end):  # what is quoted comes behind it
            found += shown[first:behind]
            node = int(nodes.ends[node])
        elif behind > first and (
            not nodes.tags[node]
            or (
                (found or behind - first < nodes.count_texts(quotation))
                and is_quotation(nodes.tags[node], nodes.attributes[node])
            )
        ):
            break  # what is quoted, or a quotation within it, which has words of its own or has said whose it is
        else:
            node += 1
    return found, node


def _is_above_all(nodes: Nodes, node: int, quotation: int) -> bool:
    """Whether the rest of a quotation is one element that is called so, too: what is above it says whose it is."""
    after, end = int(nodes.ends[node]), int(nodes.ends[quotation])
    is_rest = nodes.tags[quotation] != "blockquote" and after < end == int(nodes.ends[after])
    return is_rest and is_quotation(nodes.tags[after], nodes.attributes[after])


def _marked(nodes: Nodes, record: Record, longest: Item | None, heads: Sequence[int], notes: frozenset[int]) -> int | None:
    """The element that markup calls the body: of the surest name, else the smallest with most of the text of the largest.

    :param heads: text nodes around author and date, ascending; an element that has one is the body only if its name is
        listed.
    """
    lists = words()["body"]
    listed = len(lists["classes"])
    sure: list[tuple[int, int, int]] = []
    likely: list[tuple[int, int]] = []
    roots = frozenset(record.nodes)
    shown = sorted({node for root in roots for node in nodes.text_nodes(root)})
    lengths = list(accumulate((len(nodes.texts[node]) for node in shown), initial=0))

    def length(node: int) -> int:
        """Characters of an element's text."""
        return lengths[bisect_left(shown, nodes.ends[node])] - lengths[bisect_left(shown, node)]

    for node, _, attributes, _ in elements(nodes, record.nodes):
        if node in roots or not (attributes.keys() & _MARKS):
            continue
        if not properties(attributes).isdisjoint(lists["properties"]):
            sure.append((-1, -length(node), node))
        elif (rank := body_rank(attributes.get("class", ""))) is not None:
            if rank < listed or not inside(heads, nodes, node):
                sure.append((rank, -length(node), node))
        elif any(name in lists["weak_classes"] for name in attributes.get("class", "").lower().split()):
            likely.append((length(node), node))
    sure = [one for one in sure if not inside(heads, nodes, one[2])] or sure
    likely = [one for one in likely if not inside(heads, nodes, one[1])]
    sure = [one for one in sure if one[1] and not notes.issuperset(nodes.text_nodes(one[2]))]
    if longest is not None and (longest.label == "body" or len(longest.text) > _SURE):
        # An element that does not hold the longest text is the body of something else.
        at = longest.nodes[0]
        sure = [one for one in sure if one[2] < at < nodes.ends[one[2]]]
        likely = [one for one in likely if one[1] < at < nodes.ends[one[1]]]
    if sure:
        body = min(sure)[2]
        # phpBB's "postbody" has a head and, below it, the "content".
        inner = [node for _, node in likely if body < node < nodes.ends[body]]
        return inner[0] if inner and inner[-1] < nodes.ends[inner[0]] else body
    most = max((length for length, _ in likely), default=0)
    return min((one for one in likely if one[0] >= _PART * most), default=(0, None))[1]


def _is_foreign(nodes: Nodes, item: Item, known: Sequence[str], date: str | None, title: str | None = None) -> bool:
    """Whether an item is no part of the body: a button, a field, a heading or a short text around author or date."""
    if is_edit(item.text) or item.text.rstrip(" :：").lower() in words()["body"]["captions"]:
        return True
    if item.text.startswith("@") and " " not in item.text:
        return True  # an account
    around = [int(nodes.parents[node]) for node in item.nodes[:1]] if item.static else []
    is_code = any(nodes.tags[node] in _CODE or nodes.tags[int(nodes.parents[node])] == "pre" for node in around)
    if item.kind == "image" or is_code:
        return False  # posts may repeat lines of code
    if (title and _is_caption(item.text, known, title)) or (
        date and date in item.text and is_posted(item.text.partition(date)[0])
    ):
        return True
    if item.label == "body" and not item.static:
        # It may be a number or hold a name ("+1 -- Jane"), but is no line of a day.
        is_dated = date is not None and date in item.text and len(item.text) - len(date) < _SHORT
        return is_dated or text_kind(item.text) == "date"
    if item.static or item.label.partition("-")[0] in _FIELDS or text_kind(item.text) in ("date", "number"):
        return True
    if item.nodes and any(text in item.text for text in known) and _is_heading(nodes, item.nodes[0]):
        return True
    return _is_beside(nodes, item, known) or _is_liked(item.text) or is_count(item.text)


def _is_liked(text: str) -> bool:
    """Whether a line says who likes a post."""
    lists, text = words()["body"], text[: _MAX_LIKED + 1].lower().rstrip(" .!")
    return len(text) <= _MAX_LIKED and (text.endswith(tuple(lists["liked"])) or text.startswith(tuple(lists["thanked"])))


def is_title(text: str, title: str) -> bool:
    """Whether a line is the thread's title, alone or after "Re:" or "Subject:"."""
    word, _, rest = text.partition(" ")
    if rest and word.rstrip(":：").lower() in SUBJECTS and _stands_in(rest, title):
        return True
    return _stands_in(text, title)


def _stands_in(text: str, title: str) -> bool:
    match = _ANSWER.match(text)
    text = text[match.end() :] if match is not None else text
    start = title.find(text) if text_width(text) >= _LEAST_TITLE else -1
    if start < 0:
        return False
    before, behind = title[:start].rstrip(), title[start + len(text) :].lstrip()
    return (not before or before[-1] in _BETWEEN) and (not behind or behind[0] in _BETWEEN)


def _is_beside(nodes: Nodes, item: Item, known: Sequence[str]) -> bool:
    """Whether an item is hardly more than author or date."""
    named = [text for text in known if text in item.text]
    if not named:
        return False
    dates = [nodes.texts[node] for node in item.nodes if text_kind(nodes.texts[node]) == "date"]
    dates = [text for text in dates if not any(text in other for other in named)]
    return len(item.text) - sum(map(len, [*named, *dates])) < _SHORT


def _is_caption(text: str, known: Sequence[str], title: str) -> bool:
    """Whether a line is hardly more than a name and the thread's title: "Jane replied to the topic: Sails"."""
    if len(text) > len(title) + 2 * _SHORT or not any(name in text for name in known):
        return False
    part = max((part.strip() for part in _TITLE_ENDS.split(title)), key=len)
    beside = len(text) - len(part) - max(len(name) for name in known if name in text)
    return len(part) >= _LEAST_TITLE and part in text and beside < _SHORT


def _is_heading(nodes: Nodes, node: int) -> bool:
    """Whether a text stands in a heading."""
    return any(nodes.tags[around] in HEADINGS for around in ancestors(nodes, node, most=_LEVELS))


def _around(nodes: Nodes, record: Record, longest: Item, others: Sequence[int]) -> int:
    """The largest element around the longest text that holds none of the foreign texts, ascending."""
    node = longest.nodes[0]
    roots = frozenset(record.nodes)
    first, last = min(longest.nodes), max(longest.nodes)
    while node not in roots:
        parent = int(nodes.parents[node])
        if node <= first and last < nodes.ends[node] and inside(others, nodes, parent):
            break
        node = parent
    return node


def _with_siblings(nodes: Nodes, record: Record, node: int, others: Sequence[int]) -> list[int]:
    """An element with the paragraphs, quotations and lists beside it that hold nothing foreign."""
    if node in record.nodes:
        # A post of several elements begins behind its head and goes on to its end.
        whole = sorted(record.nodes)
        first = whole.index(node)
        while first > 0 and not inside(others, nodes, whole[first - 1]):
            first -= 1
        return [root for root in whole[first:] if root == node or not _is_menu(nodes, root)]
    siblings = nodes.children[int(nodes.parents[node])]
    first = last = siblings.index(node)
    while first > 0 and _is_paragraph(nodes, siblings[first - 1], others):
        first -= 1
    while last + 1 < len(siblings) and _is_paragraph(nodes, siblings[last + 1], others):
        last += 1
    return siblings[first : last + 1]


def _is_menu(nodes: Nodes, node: int) -> bool:
    """Whether half of the texts of an element are links."""
    texts = nodes.text_nodes(node)
    return bool(texts) and 2 * sum(link_around(nodes, text, node) >= 0 for text in texts) >= len(texts)


def _is_paragraph(nodes: Nodes, node: int, others: Sequence[int]) -> bool:
    is_kind = nodes.tags[node] in _PARAGRAPHS or is_quotation(nodes.tags[node], nodes.attributes[node])
    return is_kind and not inside(others, nodes, node)
