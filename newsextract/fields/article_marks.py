"""What a theme writes around an article without declaring it: author, section and picture, read from the page's tree.

Microformats (hAtom, h-entry, vcard), relations (``rel=author``, ``rel=category``), class words that generators usually
write, URLs of people's and of sections' pages, and words before a name ("by", "in", "作者") are evidence, each with a
weight. A short text near the headline or the ends of the main text with enough of it is taken. Breadcrumbs come last. The
words are in ``data/article_marks.toml``.

Cost: only elements with short texts near the article are looked at, at most :data:`_MAX_INLINE` a block.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, NamedTuple

from selectolax.lexbor import LexborNode

from newsextract.fields.authors import is_byline, is_person, split_names
from newsextract.fields.dates import YEAR, is_date
from newsextract.fields.title_parts import fold_key, leads_up
from newsextract.model_files import data_table
from newsextract.page.dom import Dom
from newsextract.page.metadata import fold
from newsextract.page.references import Addresses

_BEFORE, _INSIDE, _BEHIND = 12, 8, 14
"""Blocks before the headline, inside the text at its two ends, and behind it in which marks are looked for."""
_HEADLINE = 40
"""Blocks before the text in which the headline is looked for."""
_MAX_TEXT = 80
"""Characters of a name."""
_MAX_SHORT = 300
"""Characters of a block that can be a line of author, date and section; longer ones are prose."""
_ENDS = ".。,，;；:：…"
"""What no headline ends with."""
_FIRST_LINKS = 40
"""Links of a page among which those to its start page are looked for."""
_MAX_HEADLINE = 200
_MAX_IMAGES = 300
_MAX_INLINE, _MAX_NODES = 30, 300
"""Elements in one block, and nodes among which they are looked for."""
_MAX_DEPTH = 40
_NEAR = 3
"""Ancestors of an element whose classes are read for what it is."""
_ENOUGH = 2.5
_RELATION, _PROPERTY, _CLASS, _AROUND, _SEGMENT, _TAG_RELATION = 4.0, 4.0, 3.0, 2.0, 3.0, 1.0
"""What a relation, an itemprop, an own class word, one around it, an address, and ``rel=tag`` are worth."""
_LABEL = {"author": 2.5, "section": 2.0}
"""What a word before it is worth: "by" alone is enough, "in" is not. All weights are set by hand, on seven themes."""
_EXPLICIT = 1.0
"""What "written by" is worth beside that."""
_LINE = 0.5
"""What a line of two or three capitalised words above the text is worth beside a class around it."""
_IS_TAG, _FACE, _ASIDE = -4.0, 2.0, -1.0
"""The same of a keyword, of a picture whose text is the name next to it, and of a place in navigation or a sidebar, where
some themes put what belongs to the article."""
_SENTENCE = 60
"""Characters beside a name that make a passage of it; lines of author, date and section are shorter."""
_MAX_ASIDE = 2
"""More candidates there are a list of authors or sections."""
_MAX_DAY, _CARD, _CARD_LINKS = 40, 12, ("author", "section", "tags")
"""Characters of a line that is a day alone; blocks of a box with it, and what the links of the box lead to."""
_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*|[^\W\d_a-zA-Z]+")
_INLINE = frozenset("a span abbr b strong em i cite small time".split())
_LABEL_EDGE = " \t\n:：|·•,，-–—/"
_COUNT = re.compile(r"[-–:：(（\s]\d{1,9}\W*$")
"""How a text ends that counts what the author has: "Followers - 3"."""
_NUMBERED = re.compile(r"[(（]\d{1,9}[)）]$")
"""How a section's name ends in a list that counts its articles."""
_COLONS, _MAX_LABEL = frozenset(":："), 12
_UNSEEN = frozenset(("sr", "hidden", "reader"))
"""Class words of what is written for screen readers."""
_PAPER_FOLLOWS = ("-", "–", "—", "|")
"""Behind these in a byline comes the name of the paper: "Jane Doe - <span>The Gull</span>"."""
_MAX_CRUMBS, _MAX_PIECES = 10, 9
_WORDS = {
    group: {name: frozenset(words) for name, words in lists.items()}
    for group, lists in data_table("fields/data/article_marks.toml").items()
}
_OF_FORMS = frozenset(data_table("data/paths.toml")["trap_segments"])
"""Last segments of addresses of forms."""
_LABELS = _WORDS["author"]["labels"]
_AUTHOR_LABELS = [label for label in _LABELS if sum(other in label for other in _LABELS) == 1]  # each other one holds one
_JOINING = frozenset({"and", "und", "et", "y", "e", "en", "og", "och", "i", "и", "&", "和", "与"})
"""Texts that join names."""


class _Candidate(NamedTuple):
    """A short text that may be a name, and how much speaks for it."""

    text: str
    score: float
    block: int
    order: int
    aside: bool
    unlabelled: float
    """The score without the label."""
    before: str
    """The words just before it."""


class _Place(NamedTuple):
    """An element with a short text."""

    node: LexborNode
    block: int
    aside: bool
    """Whether it is in navigation or a sidebar."""
    attributes: dict[str, Any]
    words: frozenset[str]
    """Of its class and id."""
    near: frozenset[str]
    """Of the classes and ids of the elements next around it."""
    is_deeper: bool = False
    """Whether it is in another block within the element of the block: no place of an author."""


class ArticleMarks:
    """The marks around one article.

    :param blocks: those of the article, ascending; at least one.
    """

    def __init__(self, dom: Dom, blocks: tuple[int, ...], url: str | None) -> None:
        self.dom, self.url = dom, url or ""
        self.first, self.last = blocks[0], blocks[-1]
        self.title, self.headline = "", self.first
        self._class_words: dict[int, frozenset[str]] = {}
        self._where: dict[int, str] = {}
        self._labelled: dict[int, bool] = {}
        self._alternatives: dict[int, set[str]] = {}

    def entitle(self, title: str) -> None:
        """State the headline, before other marks than ``titles`` are read. Its block is the last one with its text before or
        at the start of the main text, else that start."""
        self.title, texts = fold_key(title), self.dom.texts
        least = len(self.title) / 2  # folding makes no text longer than that
        blocks = range(self.first, max(-1, self.first - _HEADLINE), -1)
        found = (b for b in blocks if len(texts[b]) >= least and fold_key(texts[b][: 2 * _MAX_SHORT]) == self.title)
        self.headline = next(found, self.first) if self.title else self.first

    def is_home_name(self, key: str) -> bool:
        """Whether one of the first links with this text leads from the page to the site's start or to a folder above."""
        least = len(key) / 2  # folding makes no text longer than that
        return bool(key) and any(
            len(name) >= least and fold_key(fold(name)[: _MAX_TEXT + 1]) == key and leads_up(href, self.url)
            for name, href in self._first_links
        )

    @cached_property
    def _first_links(self) -> list[tuple[str, str]]:
        """Text and title of each of the page's first links, and where it leads."""
        found: list[tuple[str, str]] = []
        for node in self.dom.link_nodes[:_FIRST_LINKS]:
            attributes = node.attributes
            names = node.text_lexbor(), attributes.get("title")
            found += [(name, attributes["href"] or "") for name in names if name]
        return found

    @cached_property
    def titles(self) -> list[str]:
        """Short texts above the main text whose class is that of a headline; without any, the one next above it."""
        dom, words, nearest = self.dom, _WORDS["title"], []
        found: list[str] = []
        for block in range(self.first, max(-1, self.first - _HEADLINE), -1):
            text, element = dom.texts[block], dom.elements[block]
            if not 3 < len(text) <= _MAX_HEADLINE or self._elsewhere(element):
                continue
            inner = (node.attributes.get("class") for node in dom.nodes[element].css("[class]")[:_NEAR])
            names = class_words(dom.hints[element], dom.hints[dom.parents[element]], *inner)
            if not names.isdisjoint(words["classes"]) and names.isdisjoint(words["not_names"]):
                found.append(text)
            elif (
                text[-1] not in _ENDS
                and 2 * dom.link_counts[block] < len(text)
                and not (YEAR.search(text) or is_byline(text))
            ):
                nearest.append(text)
        return found or nearest[:1]

    @cached_property
    def authors(self) -> list[str]:
        """Names, in the page's order; empty if nothing marks any."""
        found = [c for c in self._candidates("author") if split_names(c.text) and not _COUNT.search(c.text)]
        best = self._best(found)
        names: list[str] = []
        if best is None:
            return self.card[1]
        for c in found:
            is_next = bool(names) and c.unlabelled == best.unlabelled and c.before in {*_JOINING, names[-1].lower()}
            if (c.score == best.score or is_next) and abs(c.block - best.block) <= _NEAR:
                names.append(c.text)
        return names

    @property
    def ends(self) -> tuple[str, ...]:
        """The first and the last characters of the text, where agencies and papers write who reports."""
        return self.dom.texts[self.first][:_MAX_TEXT], self.dom.texts[self.last][-_MAX_TEXT:]

    @cached_property
    def card(self) -> tuple[str, list[str], str | None]:
        """Day, authors and section of a box in a sidebar: it has a line with a day alone, and its links lead to people,
        sections and tags. Empty if the page has none or several."""
        dom, found = self.dom, []
        for block, text in enumerate(dom.texts):
            if len(text) > _MAX_DAY or dom.link_counts[block] or not YEAR.search(text):
                continue
            at = dom.elements[block]
            at = at if self._elsewhere(at) == "side" and is_date(text) else 0
            links = range(0)
            while at > 0 and not links and dom.end_blocks[at] - dom.first_blocks[at] <= _CARD:
                ends = dom.first_blocks[at], dom.end_blocks[at]
                links = range(*(bisect_left(dom.link_blocks, end) for end in ends))
                at = dom.parents[at]
            hrefs = [dom.link_nodes[link].attributes.get("href") for link in links]
            kinds = [next((kind for kind in _CARD_LINKS if _leads_to(href, _WORDS[kind])), "") for href in hrefs]
            names = [(kind, fold(dom.link_texts[link])) for link, kind in zip(links, kinds, strict=True)]
            authors = [name for kind, name in names if kind == "author" and split_names(name)]
            if authors and all(kinds):
                found.append((text, authors, next((name for kind, name in names if kind == "section"), None)))
        return found[0] if len(found) == 1 else ("", [], None)

    @cached_property
    def section(self) -> str | None:
        """The category that links or class names around the article give, else the last level of its breadcrumbs."""
        found = [candidate for candidate in self._candidates("section") if not _NUMBERED.search(candidate.text)]
        counts = Counter(candidate.block for candidate in found)
        menus = {block for block, count in counts.items() if count > _MAX_ASIDE and self._begins_at_home(block)}
        best = self._best([candidate for candidate in found if candidate.block not in menus])
        return best.text if best is not None else self._last_crumb() or self.card[2]

    def picture(self, addresses: Addresses) -> str | None:
        """The first picture between the headline and the end of the text that is no face and no icon."""
        for image in self.dom.nodes[self.frame].css("img")[:_MAX_IMAGES]:
            element = self.element_of(image)
            if element is None or not self.headline <= self.dom.first_blocks[element] <= self.last:
                continue
            attributes, address = image.attributes, addresses.picture(image)
            described = f"{attributes.get('class') or ''} {attributes.get('alt') or ''} {address or ''}"
            if address is not None and not is_face(described) and not self._elsewhere(element):
                return address
        return None

    @cached_property
    def frame(self) -> int:
        """The innermost element that holds headline and text."""
        dom = self.dom
        element = dom.elements[self.first]
        while element > 0 and not (dom.first_blocks[element] <= self.headline and self.last < dom.end_blocks[element]):
            element = dom.parents[element]
        return element

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {node.mem_id: element for element, node in enumerate(self.dom.nodes)}

    def element_of(self, node: LexborNode) -> int | None:
        """The block element that holds a node."""
        at: LexborNode | None = node
        for _ in range(_MAX_DEPTH):
            if at is None or at.mem_id in self._numbers:
                break
            at = at.parent
        return self._numbers.get(at.mem_id) if at is not None else None

    @cached_property
    def _places(self) -> list[_Place]:
        """Elements with short texts around the article."""
        dom, found = self.dom, []
        seen: set[int] = set()
        deeper: set[int] = set()
        begins = range(max(0, self.headline - _BEFORE), min(self.first + _INSIDE, self.last + 1))
        ends = range(max(begins.stop, self.last - _INSIDE), min(len(dom.texts), self.last + 1 + _BEHIND))
        for block in (*begins, *ends):
            if len(dom.texts[block]) > _MAX_SHORT:
                continue
            element = dom.elements[block]
            where = self._elsewhere(element)
            if where == "other":
                continue
            around: list[frozenset[str]] = []
            at = element
            while at > 0 and len(around) < _NEAR and dom.end_blocks[at] - dom.first_blocks[at] <= 2 * _NEAR:
                around.append(self._element_words(at))
                at = dom.parents[at]
            node = dom.nodes[element]
            first = node.child
            bare = first is None or (first.next is None and first.is_text_node)  # as most: it holds text alone
            if element not in seen:
                seen.add(element)
                near: frozenset[str] = frozenset().union(*around[1:])
                own = around[0] if around else frozenset()
                attributes = _linked(node) if block <= self.first else node.attributes
                found.append(_Place(node, block, where == "side", attributes, own, near))
            if bare:
                continue
            above, inlines, number = frozenset().union(*around), 0, node.mem_id
            is_leaf = dom.ends[element] == element + 1
            for inner in islice(node.traverse(), _MAX_NODES):
                if inner.tag not in _INLINE or inner.mem_id in seen:
                    continue
                parent = inner.parent
                is_direct = parent is None or parent.mem_id == number
                is_deeper = not (is_leaf or is_direct) and self.element_of(inner) != element
                if is_deeper and inner.mem_id in deeper:
                    continue
                (deeper if is_deeper else seen).add(inner.mem_id)
                attributes = inner.attributes
                near = above if is_direct else above.union(*_inline_words(parent, number))
                own = class_words(attributes.get("class"), attributes.get("id")) if attributes else frozenset()
                found.append(_Place(inner, block, where == "side", attributes, own, near, is_deeper))
                inlines += 1
                if inlines == _MAX_INLINE:
                    break
        return found

    def _candidates(self, kind: str) -> list[_Candidate]:
        """Short texts for which enough speaks, in the page's order."""
        words, found, is_author = _WORDS[kind], [], kind == "author"
        aside_texts: set[str] = set()
        for order, place in enumerate(self._places):
            if not place.words.isdisjoint(words["not_names"]) or (place.is_deeper and is_author):
                continue
            is_above = self.headline < place.block <= self.first
            score = _own_score(place, words) if place.attributes else 0.0
            if not score and is_author and (is_above or "title" in place.attributes):
                score = _CLASS * self._is_shown_as_author(place)
            if not place.near.isdisjoint(words["classes"]):
                known = len(place.near.intersection(words["classes"]))
                score += _AROUND + (known > 1 or (is_author and "name" in place.words))
                score += _LINE * (score < _ENOUGH and is_author and self._is_line_above(place))
            if not score and is_author and is_above:
                is_known = "name" in place.words and self._has_face(place, fold(place.node.text()), around=True)
                score = _CLASS * (is_known or self._is_pictured(place))
            if not score and not (is_author and self._may_be_labelled(place.block)):
                continue  # for a section a label alone is not enough
            text, label = _named(place.node, words["labels"])
            if not 1 < len(text) <= _MAX_TEXT or fold_key(text) == self.title:
                continue
            said = label or self._label(place.node, place.block)
            unlabelled = score
            if said in words["labels"]:
                score += _LABEL[kind] + _EXPLICIT * (is_author and " " in said)
            elif is_author and score and is_byline(text) and not _COLONS.isdisjoint(text[:_MAX_LABEL]):
                score += _LABEL[kind]  # the label is in the same element
            if not is_author:
                score += _tag_score(place)
            elif score and self._has_face(place, text, around=False):
                score += _FACE
            in_prose = self.first <= place.block <= self.last and len(self.dom.texts[place.block]) > len(text) + _SENTENCE
            if is_author and in_prose and (score <= _SEGMENT or text[0].islower()):
                continue  # a person of whom the text tells, or "by clicking here"
            if place.aside and score >= _ENOUGH:
                aside_texts.add(text)  # also those that are too weak beside the article: a list has one label for all
            score += _ASIDE * place.aside
            if score >= _ENOUGH and not (not is_author and place.aside and _is_listed(place.node)):
                found.append(_Candidate(text, score, place.block, order, place.aside, unlabelled, said))
        return found if len(aside_texts) <= _MAX_ASIDE else [candidate for candidate in found if not candidate.aside]

    def _is_shown_as_author(self, place: _Place) -> bool:
        """Whether a title calls an element's text an author (``<a title="Author">Jane Doe</a>``), or a person's icon does,
        between the headline and the text."""
        title = (place.attributes.get("title") or "")[:_MAX_TEXT].strip(_LABEL_EDGE).lower()
        if title:
            return title in _WORDS["author"]["labels"] and title != fold(place.node.text()).lower()
        if not self.headline < place.block <= self.first:
            return False
        is_icon = _is_person(place.words) and not place.node.css_first("svg")  # whose title would be the text
        return is_icon or (_is_person(_icon_before(place.node)) and _UNSEEN.isdisjoint(place.words))

    def _is_line_above(self, place: _Place) -> bool:
        """Whether an element is a line between the headline and the text that may be the name of a person."""
        text = self.dom.texts[place.block]
        is_above = self.headline < place.block <= max(self.first, min(self.first + _NEAR, self.last - 1))
        return is_above and is_person(text) and fold(place.node.text()) == fold(text)

    def _is_pictured(self, place: _Place) -> bool:
        """Whether an element may hold a person's name, right above or before a day, and both are in a box with a picture and
        little else."""
        dom, day, name = self.dom, place.block, fold(place.node.text())
        behind = fold(dom.texts[day]).removeprefix(name)
        if not behind and day + 1 < len(dom.texts):
            day, behind = day + 1, dom.texts[day + 1]
        if len(behind) > _MAX_TEXT or not YEAR.search(behind) or not is_person(name):
            return False
        box = dom.elements[place.block]
        while box > 0 and dom.end_blocks[box] <= day:
            box = dom.parents[box]
        is_box = dom.end_blocks[box] - dom.first_blocks[box] <= _NEAR
        while is_box and dom.nodes[box].css_first("img") is None:
            box = dom.parents[box]
            is_box = box > 0 and dom.end_blocks[box] - dom.first_blocks[box] <= _NEAR
        return is_box

    def _element_words(self, element: int) -> frozenset[str]:
        """The words of an element's class and id; kept, because neighbours share their ancestors."""
        if element not in self._class_words:
            attributes = self.dom.attributes(element) if self.dom.hints[element] else {}
            self._class_words[element] = class_words(attributes.get("class"), attributes.get("id"))
        return self._class_words[element]

    def _may_be_labelled(self, block: int) -> bool:
        """Whether a label of authors occurs in a block, or at the end of the one before it."""
        if block not in self._labelled:
            before = self.dom.texts[block - 1][-2 * _MAX_TEXT :] if block else ""
            text = fold(f"{before} {self.dom.texts[block]}").lower()
            self._labelled[block] = any(label in text for label in _AUTHOR_LABELS)
        return self._labelled[block]

    def _has_face(self, place: _Place, name: str, *, around: bool) -> bool:
        """Whether a picture in the element of a block, or in those next around it, has a name as its alternative text."""
        dom, element, key = self.dom, self.dom.elements[place.block], fold_key(name)
        for _ in range(_NEAR if around else 1):
            if element not in self._alternatives:
                images = dom.nodes[element].css("img[alt]")[:_MAX_PIECES]
                self._alternatives[element] = {fold_key(image.attributes.get("alt") or "") for image in images}
            if key in self._alternatives[element]:
                return True
            element = dom.parents[element]
            if element <= 0 or dom.end_blocks[element] - dom.first_blocks[element] > 2 * _NEAR:
                break
        return False

    def _label(self, node: LexborNode, block: int) -> str:
        """The words just before an element: in its block, else the block before."""
        before = node.prev
        for _ in range(3):
            text = (before.text() or "") if before is not None else ""
            if text.strip(_LABEL_EDGE):
                return _last_words(text)
            before = before.prev if before is not None else None
        return _last_words(self.dom.texts[block - 1]) if block and len(self.dom.texts[block - 1]) <= _MAX_TEXT else ""

    def _begins_at_home(self, block: int) -> bool:
        """Whether the first link of a block leads to the start page, as that of a menu does."""
        link = bisect_left(self.dom.link_blocks, block)
        if link == len(self.dom.link_blocks) or self.dom.link_blocks[link] != block:
            return False
        return leads_up(self.dom.link_nodes[link].attributes.get("href") or "", self.url)

    def _best(self, found: list[_Candidate]) -> _Candidate | None:
        """The candidate with most evidence; of equal ones the nearest to the headline or behind it."""
        return max(found, key=lambda one: (one.score - (one.block > self.last), -one.order), default=None)

    def _last_crumb(self) -> str | None:
        """The last level of the first breadcrumbs on the page that is neither the start page nor the article."""
        words, labels = _WORDS["breadcrumbs"], self.dom.labels
        for element, hint in enumerate(self.dom.hints):
            if self.dom.first_blocks[element] > self.first:
                return None
            label = labels.get(element, "")
            if not hint and not (label and self.dom.tags[element] in ("nav", "ol", "ul")):
                continue
            label = f"{hint} {label}" if label else hint
            if "breadcrumb" not in label.lower() and class_words(label).isdisjoint(words["classes"]):
                continue
            links = self.dom.nodes[element].css("a[href]")[:_MAX_CRUMBS]
            texts = [fold(link.text() or "") for link in links]
            texts = [text for text in texts if 1 < len(text) <= _MAX_TEXT and fold_key(text) != self.title]
            texts = [text for text in texts if text.lower() not in words["refused"]]
            if links:
                return texts[-1] if texts else None
        return None

    def _elsewhere(self, element: int, steps: int = 0) -> str:
        """``other`` in something that is not the article (comments, teasers), ``side`` in navigation or a sidebar."""
        dom, words = self.dom, _WORDS["elsewhere"]
        around_text = dom.first_blocks[element] <= self.first and self.last < dom.end_blocks[element]
        if element <= 0 or around_text or steps == _MAX_DEPTH:
            return ""
        where = self._where.get(element)  # kept, because neighbours share their ancestors
        if where is None:
            tag, hints = dom.tags[element], class_words(dom.hints[element])
            if not hints.isdisjoint(words["other"]) or (tag == "footer" and not self.in_article(element)):
                where = "other"
            else:
                own = "side" if tag in words["tags"] or not hints.isdisjoint(words["side"]) else ""
                where = self._elsewhere(dom.parents[element], steps + 1) or own
            self._where[element] = where
        return where

    def in_article(self, element: int) -> bool:
        """Whether an ancestor holds the text and is marked up as an article, or is the text's own container."""
        dom = self.dom
        at = dom.parents[element]
        while at > 0:
            if dom.first_blocks[at] <= self.first and self.last < dom.end_blocks[at]:
                return dom.tags[at] in ("article", "main", "section") or "entry" in class_words(dom.hints[at])
            at = dom.parents[at]
        return False


def is_face(described: str, weak: bool = False) -> bool:
    """Whether address, class or text of a picture call it a face, an icon or the like; ``weak``: also a logo."""
    faces = _WORDS["faces"]
    found = class_words(described)
    return not found.isdisjoint(faces["refused"]) or (weak and not found.isdisjoint(faces["weak"]))


def _linked(node: LexborNode) -> dict[str, Any]:
    """The attributes of an element, with the goal of a link to a person's page if it begins that and may be the name."""
    link: LexborNode | None = node
    for _ in range(_NEAR):
        link = link.parent if link is not None and link.tag != "a" else link
    if (
        link is None
        or link.tag != "a"
        or node.tag == "a"
        or not _leads_to(href := link.attributes.get("href"), _WORDS["author"])
    ):
        return node.attributes
    is_name = is_person(name := fold(node.text())) and fold(link.text()).startswith(name)
    return {**node.attributes, "href": href} if is_name else node.attributes


def _is_listed(node: LexborNode) -> bool:
    """Whether a link is in a list item, and those next to it link to several other pages of the same folder."""
    item: LexborNode | None = node
    for _ in range(_NEAR):
        item = item.parent if item is not None and item.tag != "li" else item
    if item is None or item.tag != "li":
        return False
    links, at = [node if node.tag == "a" else item.css_first("a[href]")], item.next
    for _ in range(4 * _MAX_ASIDE):
        links += [at.css_first("a[href]")] if at is not None and at.tag == "li" else []
        at = at.next if at is not None else None
    folders = [(link.attributes.get("href") or "").rstrip("/").rpartition("/")[0] for link in links if link is not None]
    return folders.count(folders[0]) > _MAX_ASIDE if folders else False


def _named(node: LexborNode, labels: frozenset[str]) -> tuple[str, str]:
    """The name that an element holds, and the label before it; empty if it holds more than a name."""
    pieces = [piece for piece in map(fold, node.text(separator="\n").split("\n")) if piece.strip(_LABEL_EDGE)]
    label = first if len(pieces) > 1 and (first := _last_words(pieces[0])) in labels else ""
    pieces = pieces[bool(label) :]
    if len(pieces) == 1:
        return pieces[0], label
    if pieces and pieces[0].rstrip().endswith(_PAPER_FOLLOWS):
        pieces = pieces[:1]
    names, between = pieces[::2], {piece.lower() for piece in pieces[1::2]}
    if len(pieces) > _MAX_PIECES or (len(pieces) > 1 and not between <= _JOINING):
        return "", label
    return " ".join(pieces) if between else "".join(names), label


def _inline_words(node: LexborNode | None, block: int) -> Iterator[frozenset[str]]:
    """The class words of an inline element and of those around it."""
    for _ in range(_NEAR):
        if node is None or node.mem_id == block:
            return
        yield class_words(node.attributes.get("class"))
        node = node.parent


def _is_person(names: frozenset[str]) -> bool:
    """Whether class words are those of an icon that shows a person."""
    icons = _WORDS["icons"]
    return not names.isdisjoint(icons["person"]) and not names.isdisjoint(icons["classes"])


def _icon_before(node: LexborNode) -> frozenset[str]:
    """The class words of the element without text with which an element begins, or which stands just before it."""
    for at in (node.child, node.prev):
        while at is not None and at.is_text_node and not (at.text() or "").strip():
            at = at.next if at.parent is not None and at.parent.mem_id == node.mem_id else at.prev
        if at is not None and at.is_element_node and not (at.text() or "").strip():
            return class_words(at.attributes.get("class"))
    return frozenset()


def _own_score(place: _Place, words: dict[str, frozenset[str]]) -> float:
    """What an element's own attributes are worth."""
    score = _CLASS if not place.words.isdisjoint(words["classes"]) else 0.0
    if own := place.attributes:
        if (relation := own.get("rel")) and not _terms(relation).isdisjoint(words["relations"]):
            score += _RELATION
        stated = own.get("itemprop") or own.get("property")
        if stated and not _terms(stated).isdisjoint(words["properties"]):
            score += _PROPERTY
        score += _SEGMENT * _leads_to(own.get("href"), words)
    return score


def _terms(value: str) -> frozenset[str]:
    """The terms of an attribute, without the vocabulary before them: Drupal writes ``rel="schema:author"``."""
    return frozenset(term.rpartition(":")[2] for term in value.lower().split())


def _tag_score(place: _Place) -> float:
    """Keywords are no sections."""
    tags = _WORDS["tags"]
    relations = (place.attributes.get("rel") or "").lower().split()
    if "category" in relations:
        return 0.0
    is_tag = not place.words.isdisjoint(tags["classes"]) or _leads_to(place.attributes.get("href"), tags)
    only_tags = not place.near.isdisjoint(tags["classes"]) and place.near.isdisjoint(_WORDS["section"]["classes"])
    return _IS_TAG if is_tag or only_tags else _TAG_RELATION if "tag" in relations else 0.0


def _leads_to(href: str | None, words: dict[str, frozenset[str]]) -> bool:
    """Whether a link leads to a page below one of the segments, or with one of the keys in its query."""
    if not href or href.startswith("#"):
        return False
    segments, keys = _steps(href[:500])
    return not segments.isdisjoint(words["segments"]) or not keys.isdisjoint(words["keys"])


@lru_cache(maxsize=4096)
def _steps(href: str) -> tuple[frozenset[str], frozenset[str]]:
    """The folders of a reference and the keys of its query, in lower case. A folder's index stands for the folder."""
    path, _, query = href.partition("#")[0].lower().partition("?")
    inner = [segment for segment in path.split("/") if segment and not segment.startswith("index.")]
    if inner and inner[-1][0] == "@" and href[0] == "/":  # "/@jane" on the site itself, not her page elsewhere
        inner.insert(0, "@name")
    if inner and inner[-1] in _OF_FORMS:  # "/user/login"
        inner = []
    return frozenset(inner[:-1]), frozenset(pair.partition("=")[0] for pair in query.split("&"))


def _last_words(text: str) -> str:
    """What a label says: the end of a text behind its last separator, in lower case."""
    return re.split(r"[|·•,，]", fold(text[-_MAX_TEXT:]))[-1].strip(_LABEL_EDGE).lower()


@lru_cache(maxsize=20_000)
def _split(name: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(name[:500]))


def class_words(*names: str | None) -> frozenset[str]:
    """The words of class names and ids, in lower case."""
    if len(names) == 1:
        return _split(names[0] or "")
    given = [_split(name) for name in names if name]
    return given[0] if len(given) == 1 else frozenset().union(*given)
