"""A page's source text parsed into a tree by lexbor, a parser that follows the HTML standard, through selectolax.

Why this parser: 0.4 of a plain lxml parse, and no cut at a depth (libxml2 silently drops what lies deeper than 253
elements). What would make the standard's tree construction expensive is mended first (*defusing*).
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from selectolax.lexbor import LexborHTMLParser, LexborNode

from newsextract.page.shells import has_fallback, is_shell, shown_noscript, with_shadows, without_noscript

# --- tag sets -------------------------------------------------------------------------------------
# Elements by how the tree construction of the HTML standard treats them, as *defusing* follows it.

VOID = frozenset(
    b"area base basefont bgsound br col embed frame hr image img input keygen link meta param source track wbr".split()
)
CLOSED = frozenset(  # by the next of their kind, or there is only one
    b"p li dd dt tr td th tbody thead tfoot colgroup caption html head body a nobr option".split()
)
OPAQUE = frozenset(  # with other rules inside, and no text of the page
    b"script style title textarea iframe noframes noembed xmp svg math select template object applet button".split()
)
SPECIAL = frozenset(
    b"address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form frameset"
    b" h1 h2 h3 h4 h5 h6 header hgroup listing main marquee menu nav noscript ol optgroup pre search section summary table"
    b" ul".split()
)
SCOPES = (b"table", b"marquee")
"""What is open outside cannot be closed inside."""
ITEMS = {b"li": 1, b"dd": 2, b"dt": 2}
"""One that follows one of the other kind nests in it."""
RUBY = frozenset((b"rb", b"rp", b"rt", b"rtc"))
"""The next closes them, but in ``ruby`` only."""
LISTS = frozenset((b"ul", b"ol", b"dl", b"menu", b"dir"))
HEADINGS = frozenset((b"h1", b"h2", b"h3", b"h4", b"h5", b"h6"))
RAW = frozenset((b"--", b"script", b"style", b"title", b"textarea", b"iframe", b"noframes", b"noembed", b"xmp"))
"""Left open, it holds all the rest of the page."""


# --- defusing -------------------------------------------------------------------------------------
# Page sources that would cost a parser far more than their length warrants, mended before they are parsed.
#
# The tree construction of the HTML standard costs the square of the input in four cases, and the parser's tables of names in
# a fifth. Honest pages show none of them and pass unchanged; of others the text stays and some tags go:
#
# * elements nested without end: start tags deeper than :data:`MAX_DEPTH` go;
# * formatting elements (``b``, ``font``, …) left open, which are opened again in each block: all of them go;
# * tags with endless attributes: they keep the first :data:`MAX_ATTRIBUTES`;
# * endless ``body`` and ``html`` tags, whose attributes all join the first;
# * endless names (``<x1>``, ``<x2>`` …, ``<p a1>``, ``<p a2>`` …): after the first :data:`MAX_NAMES`, tags with others go,
#   and attributes from the first with another on.
#
# A ``title`` that is left open, which makes the whole page its text, is closed at the next tag that no title holds.
#
# The depth is estimated from the tags, rather too high than too low: an end tag counts only where the parser, too,
# would accept it, and what is no text anyway (comments, scripts, drawings) is not looked into; where it hides many tags,
# it goes as well. A source made to deceive this estimate costs more than it should: that is for the limits of the worker.
#
# Measured without it (lexbor in selectolax 1.0): 100,000 nested ``<div>`` 22 s, 3,000 open ``<b>`` 1.7 GB, 40,000 attributes
# 5 s, 4.7 MB of elements that all have names of their own 32 s; with it no megabyte of ``tests/test_parsing.py`` takes over
# a second. None of 1,724 pages of the bench is changed. Cost: 0.2 of a plain lxml parse, most of it one regular expression
# over pages of over 1,500 tags; pages with over 10,000 start tags (4 in 1,000) are read once more in Python, which takes
# about as long as to parse them. Two cases are known that are not mended: a tag of endless attributes of which some hold
# ``>`` in quotes, every 4 kB or more often, and over 10,000 rows with attributes in a table with text between them (0.9 GB
# for 1 MB).

FEW_TAGS = 1_500
"""Formatting elements are looked at from here on: fewer tags make at most half a million copies of them."""
MANY_TAGS = 10_000
"""Start tags and comments from which on nesting is looked at: 10,000 nested elements cost 0.2 s."""
MAX_DEPTH = 1_000
"""Elements nested deeper lose their tags and keep their text. The deepest page of the bench has 90."""
MAX_COPIES = 300_000_000
"""Bytes that copies of formatting elements may take at most. The largest bound on the bench is 240 MB."""
MAX_ATTRIBUTES = 1_000
MAX_BODIES = 20
MAX_HIDDEN = 2_000
"""Tags in what is not looked into."""
MAX_NAMES = 5_000
"""Different names of elements, and of attributes. A page of the bench has at most a few hundred."""
_FEW_BYTES = 250_000
"""Names are looked at from here on: what is shorter cannot hold enough of them to cost much."""
_SAMPLED, _WINDOW = 8, 2_048
"""One of how many windows of so many bytes is read to estimate how many different words a source has."""
_MANY_WORDS = 3_000
"""Different words in these windows from which on all names are looked at. 20,000 names, which cost .04 s, give fewer."""
MAX_COMMENTS = 5_000
"""Text that stands directly in a table is copied at each of them: 60,000 cost 3 GB."""
MAX_ODD = 100
"""Formatting tags that are looked at more closely, because they hold quotes or ``<`` in odd places."""
_NODE_BYTES = 100
"""About what a copied element takes, beside its attributes."""

_ATTRIBUTE = (
    rb"[ \t\n\r\f/]*+=?[^ \t\n\r\f/>=]++"
    rb"""(?:[ \t\n\r\f]*+=[ \t\n\r\f]*+(?:"[^"]*+"|'[^']*+'|[^ \t\n\r\f>"'][^ \t\n\r\f>]*+)?)?"""
)
"""As the standard's tokenizer reads it."""
_ANY_TAG = re.compile(rb"<(?:(!--)|(/?)([a-zA-Z][^ \t\n\r\f/>]*+)((?>%s)*+)[ \t\n\r\f/]*+>?+|[!?/][^>]*+>?+)" % _ATTRIBUTE)
_WORD_ENDS = bytes.maketrans(b"/>=", b"   ")
_NAME = re.compile(rb"</?+([a-zA-Z][^ \t\n\r\f/>]*+)")
_NAMED_TAG = re.compile(_NAME.pattern + rb"[^>]*+>?+")
_ATTRIBUTE_NAME = re.compile(
    rb"(?!(?<=[ \t\n\r\f/])[ \t\n\r\f/])" + _ATTRIBUTE.replace(rb"=?[^ \t\n\r\f/>=]++", rb"(=?[^ \t\n\r\f/>=]++)", 1)
)
_ATTRIBUTES = re.compile(rb"(?>%s){%d}" % (_ATTRIBUTE, MAX_ATTRIBUTES))
_LONG = 4_000
_LONG_TAG = re.compile(rb"<[a-zA-Z/][^>]{%d}" % _LONG)
_BODY = re.compile(rb"<[bBhH][oOtT][dDmM][yYlL][ \t\n\r\f/>]")
"""body or html, and some that do not exist."""
_FORMATTING = re.compile(  # the names, and some that do not exist: faster than a list of them
    rb"<[bisutecfnBISUTECFN](?i:|t|m|ig|ode|ont|obr|mall|trike|trong)(?=[\s/>])[^<>]*+>?+"
)
_FIRST, _SECOND = (
    np.isin(np.arange(256), np.frombuffer(those, dtype=np.uint8))
    for those in (b"bisutecfnBISUTECFN", b"\t\n\v\f\r />tmioTMIO")
)
"""Whether a byte may be the first behind the ``<`` of such a tag, and the second."""
_PLAIN = re.compile(rb"""<[a-zA-Z]+(?:\s+[a-zA-Z_:-]+(?:=(?:"[^"]*"|'[^']*'|[^\s"'=`>]+))?)*\s*/?>""")
_FORMATTING_TAG = re.compile(rb"</?(?i:[bisu]|tt|em|big|code|font|nobr|small|strike|strong)(?=[\s/>])[^>]*+>?+")
_COMMENT_END = re.compile(rb"--!?>")
_TITLE = re.compile(rb"<[tT][iI][tT][lL][eE](?=[\s/>])")
_TITLE_END = re.compile(rb"</[tT][iI][tT][lL][eE](?=[\s/>])")
_MAX_TITLE = 2_000
"""Bytes in which the end tag of a title is looked for; the longest title of the bench has 448."""
_BEHIND_TITLE = re.compile(
    rb"<(?i:/head|meta|link|script|style|/?(?:body|div|p|h[1-6]|header|nav|main|article|section|table|ul|ol|form))(?=[\s/>])"
)
"""What follows a title that is left open."""

_OPEN, _CLOSE, _SLASH = b"<>/"

_NOTHING = b"</z>"
"""Put where a tag was: the parser ignores it, and what stands around it does not join to a new tag."""


def defused(source: bytes, bodies: int | None = None) -> bytes:
    """The UTF-8 source without what would make parsing cost more than its length warrants.

    :param bodies: how many ``body`` and ``html`` tags the source has at most; None: to be counted.
    """
    source = _with_few_names(_with_closed_title(source))
    codes = np.frombuffer(source, dtype=np.uint8)
    signs = np.flatnonzero(codes[:-2] == _OPEN)
    tags = len(signs)
    if (tags > FEW_TAGS or tags * len(source) > MAX_COPIES) and _copies(source, codes, signs) > MAX_COPIES:
        source = _FORMATTING_TAG.sub(_NOTHING, source)
    many = tags > MANY_TAGS and _begun(codes, signs) > MANY_TAGS
    return _Mender(source, nesting=many).mended() if many or _is_flooded(source, bodies) else source


def _begun(codes: NDArray[np.uint8], signs: NDArray[np.intp]) -> int:
    """How many tags and comments begin, end tags left out; ``</1`` begins a comment.

    :param signs: where there is a ``<``.
    """
    is_end = (codes[signs + 1] == _SLASH) & (((codes[signs + 2] | 32) - ord("a")) < 26)
    return len(signs) - int(np.count_nonzero(is_end))


def _with_few_names(source: bytes) -> bytes:
    """The source without tags and attributes whose names come after too many other ones.

    The parser looks names up in tables of a fixed size, so each costs more the more there are.
    """
    if len(source) < _FEW_BYTES or _sampled_words(source) <= _MANY_WORDS:
        return source
    elements = _first(_NAME.findall(source))
    if elements is not None:
        source = _NAMED_TAG.sub(lambda tag: tag[0] if tag[1].lower() in elements else b" ", source)
    written = dict.fromkeys(tag[4] for tag in _ANY_TAG.finditer(source) if tag[4])
    attributes = _first(name for text in written for name in _ATTRIBUTE_NAME.findall(text))
    if attributes is None:
        return source
    pieces, position = [], 0
    for tag in _ANY_TAG.finditer(source):
        for number, one in enumerate(_ATTRIBUTE_NAME.finditer(tag[4] or b"")):
            if number == MAX_ATTRIBUTES or one[1].lower() not in attributes:
                pieces.append(source[position : tag.start(4) + one.start()])
                position = tag.end(4)
                break
    return b"".join((*pieces, source[position:]))


def _sampled_words(source: bytes) -> int:
    """How many different words one of eight windows of the source holds; a name is a word, with what stands before it.

    Which one depends on the whole source, so a page cannot keep its names out of them.
    """
    rows = len(source) // (_SAMPLED * _WINDOW)
    codes = np.frombuffer(source, dtype=np.uint8, count=rows * _SAMPLED * _WINDOW)
    windows = np.random.default_rng(zlib.crc32(source)).integers(_SAMPLED, size=rows)
    sample = codes.reshape(rows, _SAMPLED, _WINDOW)[np.arange(rows), windows].tobytes()
    return len(set(sample.translate(_WORD_ENDS).split()))


def _first(names: Iterable[bytes]) -> frozenset[bytes] | None:
    """The first :data:`MAX_NAMES` different names, in lower case; None if there are no more."""
    written = dict.fromkeys(names)
    found = dict.fromkeys(name.lower() for name in written) if len(written) > MAX_NAMES else ()
    return frozenset(islice(found, MAX_NAMES)) if len(found) > MAX_NAMES else None


def _with_closed_title(source: bytes) -> bytes:
    """The source with an end tag for its first title, where that is left open."""
    title = _TITLE.search(source)
    if title is None or _TITLE_END.search(source, title.end(), title.end() + _MAX_TITLE) is not None:
        return source
    following = _BEHIND_TITLE.search(source, title.end())
    return source if following is None else b"</title>".join((source[: following.start()], source[following.start() :]))


def _copies(source: bytes, codes: NDArray[np.uint8], signs: NDArray[np.intp]) -> int:
    """Bytes that copies of formatting elements may take at most, no matter where they are closed.

    The parser opens at most three equal ones again, once a tag. Of tags that are hard to compare each counts by itself.

    :param signs: where there is a ``<``.
    """
    # Few begin so: faster than a search through the source.
    begins: list[int] = signs[_FIRST[codes[signs + 1]] & _SECOND[codes[signs + 2]]].tolist()
    found = {match.group() for match in map(partial(_FORMATTING.match, source), begins) if match}
    odd = {tag for tag in found if not _PLAIN.fullmatch(tag)}
    most = 3 * sum(len(tag) + _NODE_BYTES for tag in found - odd)
    if odd:
        matches = map(partial(_FORMATTING.match, source), begins)
        starts = [match.start() for match in matches if match and match.group() in odd]
        if len(starts) > MAX_ODD:
            most += len(source)
        else:
            most += sum(
                match.end() - match.start() + _NODE_BYTES for match in map(partial(_ANY_TAG.match, source), starts) if match
            )
    return most * len(signs)


def _is_flooded(source: bytes, bodies: int | None = None) -> bool:
    """Whether a tag has too many attributes, or there are too many bodies."""
    if (bodies is None or bodies > MAX_BODIES) and sum(1 for _ in _BODY.finditer(source)) > MAX_BODIES:
        return True
    for position, end in _long_gaps(source):
        while match := _LONG_TAG.search(source, position, end):
            tag = _ANY_TAG.match(source, match.start())
            if tag is not None and _ATTRIBUTES.match(tag[4] or b""):
                return True
            position = (tag or match).end()
    return False


def _long_gaps(source: bytes) -> Iterator[tuple[int, int]]:
    """Where over :data:`_LONG` bytes lie between two ``>``: each such gap fills one of the windows of half that size."""
    step = _LONG // 2
    windows = len(source) // step
    is_close = np.frombuffer(source, dtype=np.uint8, count=windows * step) == _CLOSE
    end = 0
    for window in np.flatnonzero(~is_close.reshape(windows, step).any(axis=1)).tolist():
        if window * step < end:
            continue
        start = source.rfind(b">", 0, window * step) + 1
        end = source.find(b">", window * step)
        end = len(source) if end < 0 else end
        if end - start > _LONG:
            yield start, end


class _Mender:
    """One pass over the tags of a suspicious source, with an estimate of what is open."""

    def __init__(self, source: bytes, *, nesting: bool) -> None:
        self.source = source
        self.nesting = nesting
        """Whether tags are many enough for nesting to matter; else only attributes and bodies do."""
        self.cuts: list[tuple[int, int, bytes]] = []
        """(start, end, what comes there) of what goes."""
        self.opaque: list[tuple[int, int, bytes]] = []
        """The same of elements that are not looked into."""
        self.comments: list[tuple[int, int, bytes]] = []
        self.comment_count = 0
        """Of comments."""
        self.hidden = 0
        self.bodies = 0
        self.unclosed: set[bytes] = set()
        """Names of which no end tag follows."""
        self.scopes: list[tuple[bytes, dict[bytes, list[int]]]] = [(b"", defaultdict(list))]
        """For the page and each open table: for each name, how many special elements were open where it was opened."""
        self.items = [0]
        """The kind of the last list item, for the page and each open list."""
        self.depth = self.specials = self.nested_items = 0

    def mended(self) -> bytes:
        """The source without what makes it expensive; the source itself if there is nothing of that."""
        position = 0
        while (match := _ANY_TAG.search(self.source, position)) is not None:
            comment, slash, name, attributes = match.groups()
            position = match.end()
            if comment:
                position = self.skip(match.start(), match.start() + 2, b"--")
                self.comment_count += 1
            elif name is None:
                _cut(self.comments, *match.span(), _NOTHING)
                self.comment_count += 1
            else:
                position = self.read(match, bool(slash), name.lower(), attributes)
        if self.hidden > MAX_HIDDEN:
            self.cuts += self.opaque
        if self.hidden > MAX_HIDDEN or self.comment_count > MAX_COMMENTS:
            self.cuts += self.comments
        if not self.cuts:
            return self.source
        pieces: list[bytes] = []
        position = 0
        for start, end, instead in sorted(self.cuts):
            pieces += self.source[position:start], instead
            position = max(position, end)
        return b"".join((*pieces, self.source[position:]))

    def read(self, match: re.Match[bytes], is_end: bool, name: bytes, attributes: bytes) -> int:
        """One tag. Returns where to go on."""
        start, end = match.span()
        if len(attributes) > 2 * MAX_ATTRIBUTES and (kept := _ATTRIBUTES.match(attributes)) is not None:
            self.cuts.append((match.start(4) + kept.end(), match.end(4), b""))
        if name in (OPAQUE if self.nesting else RAW):
            return end if is_end else self.skip(start, end, name)
        if not self.nesting:
            goes = not is_end and self.is_body_too_many(name)
        elif is_end:
            self.close(name)
            return end
        else:
            goes = self.is_body_too_many(name) or self.is_too_deep(name)
        if goes:
            _cut(self.cuts, start, end, _NOTHING + b" ")  # words around a block element do not join
        return end

    def skip(self, start: int, end: int, name: bytes) -> int:
        """A comment or an element that is not looked into. Returns where to go on."""
        source = self.source
        last = None if name in self.unclosed else _end_of(name).search(source, end)
        if last is None:
            self.unclosed.add(name)
            if name not in RAW:  # its rules hold for the rest of the page
                self.hidden += MAX_HIDDEN + 1
                _cut(self.opaque, start, end, _NOTHING)
            return max(end, start + 4)
        self.hidden += source.count(b"<", end, last.start())
        if name != b"--" and (_start_of(name).search(source, end, last.start()) or _is_flooded(source[end : last.start()])):
            self.hidden += MAX_HIDDEN + 1  # it may not end here, or not be what it seems
        whole = _ANY_TAG.match(source, last.start())
        end = last.end() if whole is None else whole.end()
        _cut(self.comments if name == b"--" else self.opaque, start, end, _NOTHING)
        return end

    def close(self, name: bytes) -> None:
        """An end tag; it counts if the parser accepts it."""
        scope, names = self.scopes[-1]
        if name in SCOPES:
            if name == scope:
                self.scopes.pop()
                for inner, counts in names.items():
                    self.scopes[-1][1][inner] += counts
                self.depth -= 1
                self.specials -= 1
            return
        special = name in SPECIAL
        opened = names.get(b"h1" if name in HEADINGS else name)
        if opened and (special or opened[-1] >= self.specials):
            opened.pop()
            self.depth -= 1
            self.specials -= special
            if name in LISTS:
                self.items.pop()

    def is_too_deep(self, name: bytes) -> bool:
        """A start tag: counted as open, unless it is too deep."""
        if name in CLOSED:
            kind = ITEMS.get(name)
            if kind is not None:
                self.nested_items += self.items[-1] not in (0, kind)
                self.items[-1] = kind
            return kind is not None and self.nested_items > MAX_DEPTH
        if name in VOID or (name in RUBY and self.scopes[-1][1].get(b"ruby")):
            return False
        if self.depth >= MAX_DEPTH:
            return True
        self.scopes[-1][1][b"h1" if name in HEADINGS else name].append(self.specials)
        self.depth += 1
        self.specials += name in SPECIAL
        if name in SCOPES:
            self.scopes.append((name, defaultdict(list)))
        elif name in LISTS:
            self.items.append(0)
        return False

    def is_body_too_many(self, name: bytes) -> bool:
        """Whether this is a start tag of body or html after too many of them."""
        self.bodies += name in (b"body", b"html")
        return self.bodies > MAX_BODIES and name in (b"body", b"html")


def _cut(cuts: list[tuple[int, int, bytes]], start: int, end: int, instead: bytes) -> None:
    """Add a cut, or lengthen the last."""
    if cuts and cuts[-1][1] == start:
        start = cuts.pop()[0]
    cuts.append((start, end, instead))


@lru_cache
def _end_of(name: bytes) -> re.Pattern[bytes]:
    return _COMMENT_END if name == b"--" else re.compile(rb"</%s(?=[ \t\n\r\f/>])" % re.escape(name), re.IGNORECASE)


@lru_cache
def _start_of(name: bytes) -> re.Pattern[bytes]:
    return re.compile(rb"<%s(?=[ \t\n\r\f/>])" % re.escape(name), re.IGNORECASE)


# --- parsing --------------------------------------------------------------------------------------

_NAMED = re.compile(rb"<[nNbBhHtT][oOtTeE][sSdDmM][cCyYlLpP]")
"""The first letters of noscript, body, html and template, and some more that do not exist: searched faster than a list of
them."""


def parse(text: str, encoded: bytes | None = None) -> LexborNode | None:
    """The document element of a source text; None where the text makes no tree. Never raises for any text.

    :param encoded: the text in UTF-8, where it is at hand.
    """
    source = text.encode("utf-8", "replace") if encoded is None else encoded
    named = [match.start() for match in _NAMED.finditer(source)]
    if any(source[start + 1] in b"tT" for start in named) and (shown := with_shadows(source)) is not source:
        source, named = shown, [match.start() for match in _NAMED.finditer(shown)]
    shown = without_noscript(source, named)
    # What is left out may lie between two halves of a tag.
    bodies = sum(source[start + 1] in b"bBhH" for start in named) if shown is source else None
    root = LexborHTMLParser(defused(shown, bodies)).root
    if root is None or not has_fallback(source, named) or not is_shell(root):
        return root
    return LexborHTMLParser(defused(shown_noscript(source), bodies)).root
