"""A page's source text as a sequence of text blocks, found in one pass of a tokenizer, without a tree.

This is the block splitting of Zou & Zhong (2011), §1.2.1 and Table 1: type I elements are deleted with their
content, type II tags become block boundaries. It also notes headings, which the field modules read. Beyond the paper:

* HTML5's block elements are boundaries, too;
* link text is left out of the counts but kept in the text, or articles would lose words;
* a form that holds more than half of the page's text is a container, not a widget (ASP.NET pages);
* repair: an unclosed tag ends at the next ``<``; an unclosed type I element ends at the end of its parent or at a
  tag that cannot stand inside it; a comment or script that is never closed swallows the rest only if nothing but
  that reading is possible.

Cost: linear in the length of the text, about one plain lxml parse (``benchmarks/extraction.py``). No recursion, and
no quantifier that can backtrack: hostile input costs what honest input of the same length costs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, compress

from newsextract.control_characters import without_hints
from newsextract.page.decoding import unescape
from newsextract.results import Heading, Surroundings

# --- blocks ---------------------------------------------------------------------------------------
# The one block type: a page as a sequence of text blocks, whether a tokenizer (*source*) or a tree
# (:mod:`newsextract.page.dom`) found them. What stands around a chosen run of them goes to the shared title and date
# modules.

_NEAR = 2
"""Blocks before and after an end of the main text that Zou & Zhong (§1.2.3) search for title and date."""
_CONTEXT = 14
"""Non-empty blocks before the main text that the shared title and date modules are given."""


@dataclass(eq=False)
class Blocks:
    """Lists of equal length, one entry a block, in document order."""

    texts: list[str] = field(default_factory=list)
    """Text with link text, entities resolved, white space folded; may be empty."""
    counts: list[int] = field(default_factory=list)
    """Characters outside links, white space not counted."""
    link_counts: list[int] = field(default_factory=list)
    """Characters inside links, white space not counted."""
    headings: list[Heading] = field(default_factory=list)
    """Headings h1–h6 in document order; each knows its block."""

    @cached_property
    def length(self) -> int:
        """Characters of text on the page, links included, white space not counted."""
        return sum(self.counts) + sum(self.link_counts)

    def text(self, chosen: Iterable[int]) -> str:
        """The text of some blocks, a line each."""
        return "\n".join(filter(None, (self.texts[i] for i in chosen)))

    def surroundings(self, first: int, last: int) -> Surroundings:
        """What the field modules read: blocks and headings around the main text (``first``, ``last``: its end blocks)."""
        before = [i for i in range(max(0, first - 20 * _CONTEXT), first) if self.texts[i]][-_CONTEXT:]
        near = range(first, min(last, first + _NEAR) + 1)
        after = range(max(first, last - _NEAR), min(len(self.texts), last + 5 * _NEAR + 1))
        return Surroundings(
            headings=tuple(h for h in self.headings if h.block <= first + _NEAR and h.text)[-_CONTEXT:],
            before=tuple(self.texts[i] for i in (*before, *near) if self.texts[i]),
            after=tuple(self.texts[i] for i in after if self.texts[i]),
            first=first,
        )

    def confidence(self, chosen: Sequence[int]) -> float:
        """How sure a choice of blocks can be, 0–1, by its shape alone: the share of the page's unlinked text that was
        chosen, lowered where the choice holds many links or little text."""
        count = sum(self.counts[i] for i in chosen)
        linked = sum(self.link_counts[i] for i in chosen)
        share = count / max(1, sum(self.counts))
        return round(share * count / (count + linked + 1) * count / (count + 100), 4)


# --- raw elements ---------------------------------------------------------------------------------
# Comments, scripts and other elements whose content is no text of the page and may hold ``<``.
#
# They are cut out before the tags are read (*source*), so that nothing in them is taken for a tag. Cost: one
# search through the text, jumping over what is cut out; 0.2 of a plain lxml parse.

_NAMES = "script style noscript textarea title iframe svg math xmp noframes".split()
_RAW = re.compile(rf"<(?=[!sntimxSNTIMX])(?:!--|(?i:({'|'.join(_NAMES)})(?=[\s/>])))")
"""Comments and elements whose content is no text of the page; it may hold ``<`` and is cut out before the tags are read."""
_END = {name: re.compile(rf"</(?i:{name})") for name in _NAMES}
_FOREIGN = frozenset({"svg", "math"})
"""Elements of which ``<x/>`` is the whole, unlike those of HTML."""
_SELF_CLOSED = re.compile(r"[^<>]{0,2000}/>")
_AFTER_UNCLOSED = re.compile(r"<(?=(?i:/?(?:div|p|table|tr|td|h[1-6]|head|body|article|section|main|ul|ol|li)[\s>]))")


def without_raw_elements(text: str) -> str:
    """The text without comments, scripts and the other elements whose content must not be read as tags.

    One that is never closed ends at the first ``>`` (comment) or at the next block element (others); only where
    there is none does it swallow the rest.
    """
    pieces: list[str] = []
    position = 0
    unclosed: set[str] = set()  # what is known to have no end any more: never search to the end of the text twice
    while (match := _RAW.search(text, position)) is not None:
        pieces.append(text[position : match.start()])
        name = match[1]
        if name is None:
            end = -1 if "-->" in unclosed else text.find("-->", match.end())
            position = end + 3
            if text.startswith((">", "->"), match.end()):  # <!--> and <!---> are whole comments
                position = text.find(">", match.end()) + 1
            elif end < 0:
                unclosed.add("-->")
                position = text.find(">", match.end()) + 1 or len(text)
        else:
            if name.lower() in _FOREIGN and (whole := _SELF_CLOSED.match(text, match.end())) is not None:
                position = whole.end()
                continue
            end = _raw_end(text, name.lower(), match.end(), unclosed)
            if end < 0:
                following = _AFTER_UNCLOSED.search(text, match.end())
                position = following.start() if following else len(text)
            else:
                position = end
    pieces.append(text[position:])
    return "".join(pieces)


def _raw_end(text: str, name: str, start: int, unclosed: set[str]) -> int:
    """Where the end tag of a raw element begins (it is read as an inline tag), or -1."""
    if name in unclosed:
        return -1
    match = _END[name].search(text, start)
    if match is not None:
        return match.start()
    unclosed.add(name)
    return -1


# --- source ---------------------------------------------------------------------------------------

MAX_BLOCKS = 200_000
"""Later text goes into the last block; the largest page of the bench has 13,000 blocks."""

_BOUNDARIES = """
    ul ol li dl dt dd p hr br div table tr td th head body tbody
    section article main header footer nav aside figure figcaption blockquote pre thead tfoot caption address
    details summary html hgroup center dir menu search dialog
""".split()  # Table 1, type II; from the second line on: HTML5, and what browsers lay out as blocks
_CONTAINERS = frozenset("ul ol dl div table section article main header footer nav aside figure blockquote body td".split())
_DELETED = "button select optgroup option label fieldset legend map object".split()  # Table 1, type I
_DELETED += "template canvas audio video".split()  # unknown in the paper's day, never part of the text
_FLAT = frozenset("a form button select option optgroup label legend".split())
"""Deleted elements that cannot contain themselves: a second opening tag means that the first was left unclosed."""
_SELECT = frozenset("select option optgroup".split())
_ENDS = frozenset("p li dt dd tr h1 h2 h3 h4 h5 h6".split())
"""Elements that are no containers here but end what was left unclosed in them."""
_SELECT_CONTENT = _SELECT | {"/" + name for name in _SELECT} | {"hr", "span", "/span", "b", "/b", "i", "/i"}

# What a tag does; tags that are not listed are inline.
_BOUNDARY, _OPEN, _CLOSE, _LINK, _LINK_END, _DELETE, _FORM, _FORM_END, _HEADING, _HEADING_END = range(1, 11)


def _actions() -> dict[str, int]:
    table: dict[str, int] = {}
    for name in _BOUNDARIES:
        table[name] = _OPEN if name in _CONTAINERS else _BOUNDARY
        table["/" + name] = _CLOSE if name in _CONTAINERS else _BOUNDARY
    for level in "123456":
        table["h" + level] = _HEADING
        table["/h" + level] = _HEADING_END
    table.update(dict.fromkeys(_DELETED, _DELETE))
    table.update({"a": _LINK, "/a": _LINK_END, "form": _FORM, "/form": _FORM_END})
    return table | {name.upper(): action for name, action in table.items()}


_ACTIONS = _actions()
_TABLE_1 = _ACTIONS | {"a": _DELETE, "A": _DELETE, "form": _DELETE, "FORM": _DELETE, "/form": _BOUNDARY, "/FORM": _BOUNDARY}
"""Links and forms are deleted with their content, as Table 1 prints; a stray ``</form>`` is a boundary."""

_TAG = re.compile(
    r"<([a-zA-Z/!?][^\s/><]*+)"  # name, with its slash
    # Attributes: a quote counts only behind "=", as in HTML5, or a stray one would swallow the page; a tag that is
    # not closed ends at the next "<".
    r"([^<>=]*+(?>(?:=\s*+(?>\"[^\"]*+\"|'[^']*+'|)[^<>=]*+)*))>?+"
    r"([^<]*+(?>(?:<(?![a-zA-Z/!?])[^<]*+)*))"  # the text behind it; atomic, as "(?:<…)*+" eats "<" before Python 3.11.5
)


class Source(Blocks):
    """The blocks of a page. Empty blocks stay in the sequence; counts are the paper's ``blocknum``."""


def fold(text: str) -> str:
    """Entities resolved, white space folded."""
    return " ".join((unescape(text) if "&" in text else text).split())


def scan(text: str, *, table_1: bool = False) -> Source:
    """Split a page's source text into blocks.

    :param text: decoded source, any content; never raises.
    :param table_1: delete ``<a>`` and ``<form>`` with their content, as the paper's Table 1 does. There are no links then.
    """
    clean = without_raw_elements(text)
    first = clean.find("<")
    blocks = _Blocks(clean if first < 0 else clean[:first])
    blocks.read(_TAG.findall(clean, first) if first >= 0 else [], _TABLE_1 if table_1 else _ACTIONS)
    return blocks.finish()


class _Blocks:
    """The state of one pass over the tags."""

    def __init__(self, leading_text: str) -> None:
        self.source = Source()
        self.parts: list[str] = [leading_text]
        """Text of the current block so far, as it stands in the source."""
        self.linked: list[str] = []
        """The parts of it that stand inside links."""
        self.forms: list[tuple[int, int]] = []
        """(first block, behind the last block) of each form."""

    def read(  # noqa: C901  # a call for each tag would cost more than its work
        self, tags: list[tuple[str, str, str]], actions: dict[str, int]
    ) -> None:
        """Go through (name, attributes, following text) of all tags, doing what ``actions`` gives for each name.

        One loop over local variables: this is where the time of the algorithm goes.
        """
        source, parts, linked, action_of, flush = self.source, self.parts, self.linked, actions.get, self.flush
        texts, counts, link_counts = source.texts, source.counts, source.link_counts
        depth = 0
        skipped, skip_depth, nesting = "", 0, 0  # the type I element being deleted
        inner = 0  # paragraphs and the like that are open in it
        in_link, link_depth = False, 0
        form, form_depth = -1, 0
        heading, level = -1, 0
        for name, attributes, text in tags:
            action = action_of(name, 0)
            if skipped:
                lower = name.lower()
                if lower == skipped:
                    nesting += skipped not in _FLAT
                elif lower == "/" + skipped:
                    nesting -= 1
                    if nesting == 0:
                        skipped = ""
                        if text:
                            parts.append(text)
                            if in_link:
                                linked.append(text)
                        continue
                depth += (action == _OPEN) - (action == _CLOSE)
                inner += (lower in _ENDS) - (lower[1:] in _ENDS)
                if depth >= skip_depth and inner >= 0 and (skipped not in _SELECT or lower in _SELECT_CONTENT):
                    continue
                skipped = ""  # left unclosed: its parent ends here, or this tag cannot stand inside it
                depth -= (action == _OPEN) - (action == _CLOSE)
            if action == 0:
                if text:
                    parts.append(text)
                    if in_link:
                        linked.append(text)
                continue
            if action <= _CLOSE:
                if not parts and len(texts) < MAX_BLOCKS - 1:  # two boundaries side by side: an empty block
                    texts.append("")
                    counts.append(0)
                    link_counts.append(0)
                else:
                    flush()
                if action == _OPEN:
                    depth += 1
                elif action == _CLOSE:
                    depth -= 1
                    in_link = in_link and depth >= link_depth
                    if form >= 0 and depth < form_depth:
                        self.forms.append((form, len(texts)))
                        form = -1
            elif action <= _LINK_END:
                in_link = action == _LINK and ("href" in attributes or "HREF" in attributes or "Href" in attributes)
                link_depth = depth
            elif action == _DELETE:
                skipped, skip_depth, nesting, inner = name.lower(), depth, 1, 0
                continue
            elif action >= _HEADING:
                flush()
                if action == _HEADING:
                    heading, level = len(texts), int(name[1])
                elif heading >= 0:
                    source.headings.append(Heading(level, " ".join(filter(None, texts[heading:])), heading))
                    heading = -1
            elif action == _FORM and form < 0:
                flush()
                form, form_depth = len(texts), depth
            elif action == _FORM_END and form >= 0:
                flush()
                self.forms.append((form, len(texts)))
                form = -1
            if text and (parts or not text.isspace()):  # white space at the start of a block says nothing
                parts.append(text)
                if in_link:
                    linked.append(text)
        flush(last=True)
        if form >= 0:
            self.forms.append((form, len(texts)))

    def flush(self, *, last: bool = False) -> None:
        """End the current block; the last one takes all text that is left."""
        source = self.source
        if len(source.texts) >= MAX_BLOCKS - 1 and not last:
            return
        raw = "".join(self.parts)
        self.parts.clear()
        raw = unescape(raw) if "&" in raw else raw
        words = (raw if raw.isascii() else without_hints(raw)).split()
        text = " ".join(words)
        total = len(text) - max(0, len(words) - 1)
        shown = fold("".join(self.linked)) if self.linked else ""
        linked = min(total, len(shown) - shown.count(" "))
        self.linked.clear()
        source.texts.append(text)
        source.counts.append(total - linked)
        source.link_counts.append(linked)

    def finish(self) -> Source:
        """Delete the forms that are widgets; the blocks behind them move up."""
        source = self.source
        if not self.forms:
            return source
        half = source.length / 2
        gone = bytearray(len(source.texts))
        for first, last in self.forms:
            if sum(source.counts[first:last]) + sum(source.link_counts[first:last]) <= half:
                gone[first:last] = b"\1" * (last - first)
        moved = [0, *accumulate(1 - mark for mark in gone)]  # old index → new index
        keep = gone.translate(bytes([1]) + bytes(255))
        return Source(
            list(compress(source.texts, keep)),
            list(compress(source.counts, keep)),
            list(compress(source.link_counts, keep)),
            [Heading(h.level, h.text, moved[h.block]) for h in source.headings if keep[h.block]],
        )
