"""Pages whose text stands where no reader of the tree looks: in ``noscript``, in shadow roots, in the data of scripts.

* Some applications serve their whole text in ``noscript``, for crawlers, and draw the page by scripts (much forum software
  of today does). Such a page is read as a browser without scripts reads it; of 83 modern forum pages 17 have no other text.
* A ``template`` with ``shadowrootmode`` is drawn by browsers in place of its parent's content (declarative shadow DOM, HTML
  standard §4.12.3). Its content counts as elements of the parent. 3 of 1,338 modern pages have such templates.
* Some applications send their text as data only, such as the state of Next.js or Nuxt. If a page shows hardly more than
  menus, the longest prose in strings of its scripts is taken. Two articles of the benches have their text there alone.

Cost: nothing that can be measured on pages with text of their own; less than a plain lxml parse on others.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

from selectolax.lexbor import LexborNode

from newsextract.page.decoding import unescape

SHELL = 500
"""Characters of text from which on a page has text of its own."""

# --- noscript -------------------------------------------------------------------------------------

_NOSCRIPT = re.compile(rb"<noscript(?=[\s/>])", re.IGNORECASE)
_NOSCRIPT_END = re.compile(rb"</noscript(?=[\s/>])", re.IGNORECASE)
_LONGEST_NOSCRIPT = 5_000
_LEAST_FALLBACK = 200
"""Bytes of a ``noscript`` that may hold a page's text; shorter ones are pictures, counters, requests to turn scripts on."""
_PARTS = {"a": 3, "h1": 2, "h2": 2, "h3": 2, "h4": 2}
"""Links, or headings of one level, by which even little text is a page's: a young forum, a short thread. A request to turn
scripts on has fewer."""
_NOSCRIPT_NAME = re.compile(rb"(</?)noscript(?=[\s/>])", re.IGNORECASE)
_MORE = 4
"""How many times as much text as the rest of the page the ``noscript`` elements must hold."""
_UNREAD = frozenset(("head", "script", "style", "template", "iframe", "svg", "textarea", "select"))
_TEXT_NUMBER = 2  # lexbor's LXB_TAG__TEXT
_TAG = re.compile(rb"<(/?)([a-z][^\s/>]*+)")
_VOID = frozenset((b"img", b"br", b"hr", b"input", b"link", b"meta", b"source", b"embed", b"param", b"wbr", b"area", b"col"))


def has_fallback(source: bytes, named: list[int]) -> bool:
    """Whether a ``noscript`` is long enough to hold the page's text.

    :param named: where start tags may be.
    """
    end = -1
    for start in named:
        if _NOSCRIPT.match(source, start) is None:
            continue
        if end < start:
            found = _NOSCRIPT_END.search(source, start)
            if found is None:
                return False
            end = found.start()
        if end - start >= _LEAST_FALLBACK:
            return True
    return False


def is_shell(root: LexborNode) -> bool:
    """Whether a page has hardly any text outside of ``noscript``, and a lot within."""
    outside = within = 0
    parts: Counter[str] = Counter()  # of the fallback
    fallback = -1  # how many elements are open around the outermost noscript; -1: none is
    opened: list[LexborNode] = []
    node: LexborNode | None = root
    while node is not None:
        if node.tag_id == _TEXT_NUMBER:
            size = len((node.text_content or "").strip())
            if fallback >= 0:
                within += size
            elif (outside := outside + size) >= SHELL:
                return False
        elif node.tag not in _UNREAD and (child := node.child) is not None:
            if fallback < 0 and node.tag == "noscript":
                fallback = len(opened)
            elif fallback >= 0:
                parts[node.tag or ""] += 1
            opened.append(node)
            node = child
            continue
        following = node.next
        while following is None and opened:
            following = opened.pop().next
            if len(opened) <= fallback:
                fallback = -1
        node = following
    is_page = within >= SHELL or any(parts[tag] >= least for tag, least in _PARTS.items())
    return is_page and within >= max(1, _MORE * outside)


def without_noscript(source: bytes, named: list[int]) -> bytes:
    """The source without short ``noscript`` elements in which an element is left open.

    The parser runs no scripts and reads their content as elements; one left open there (``<noscript><div></noscript>``)
    keeps the ``noscript`` open, and the rest of the page is lost in it. What may begin in a comment or script is left alone.

    :param named: where their start tags may be.
    """
    pieces: list[bytes] = []
    kept = 0  # up to here, what stays is in the pieces,
    position = 0  # and up to here, the source is read
    for offset in named:
        start = _NOSCRIPT.match(source, offset) if offset >= position else None
        if start is None:
            continue
        end = _NOSCRIPT_END.search(source, start.end())
        if end is None:
            break
        content = source[offset : end.start()]
        position = end.end()
        if len(content) <= _LONGEST_NOSCRIPT and _leaves_open(content):
            pieces.append(source[kept:offset])
            kept = position = source.find(b">", position) + 1 or len(source)
    return b"".join((*pieces, source[kept:])) if pieces else source


def _leaves_open(content: bytes) -> bool:
    """Whether elements are left open in the content of a ``noscript``, its start tag included."""
    lower = content.lower()
    if b"-->" in lower or b"</script" in lower:
        return False
    open_now = Counter(name for slash, name in _TAG.findall(lower) if not slash and name not in _VOID)
    open_now.subtract(name for slash, name in _TAG.findall(lower) if slash)
    del open_now[b"noscript"]
    return any(count > 0 for count in open_now.values())


def shown_noscript(source: bytes) -> bytes:
    """The source as a browser without scripts reads it."""
    return _NOSCRIPT_NAME.sub(rb"\1div", source)


# --- shadow roots ---------------------------------------------------------------------------------

_SHADOW = b"shadowrootmode"
_PLACES = re.compile(rb"<(?:!--|script(?=[\s/>])|style(?=[\s/>])|(/?)template(?=[\s/>])([^>]*+)>)", re.IGNORECASE)
_ENDS = {b"!": re.compile(rb"-->"), b"s": re.compile(rb"</(?:script|style)(?=[\s/>])", re.IGNORECASE)}


def with_shadows(source: bytes) -> bytes:
    """The source with ``div`` elements in place of the templates that are shadow roots."""
    if _SHADOW not in source and b"shadowRootMode" not in source:
        return source
    pieces: list[bytes] = []
    opened: list[bool] = []  # for each open template whether it is a shadow root
    kept = position = 0
    while (place := _PLACES.search(source, position)) is not None:
        position = place.end()
        if place[2] is None:
            end = _ENDS[source[place.start() + 1 : place.start() + 2].lower()].search(source, position)
            if end is None:
                break
            position = end.end()
            continue
        if not place[1]:
            opened.append(_SHADOW in place[2].lower())
            is_shadow = opened[-1]
        else:
            is_shadow = opened.pop() if opened else False
        if is_shadow:
            pieces += source[kept : place.start()], b"</div>" if place[1] else b"<div>"
            kept = position
    return b"".join((*pieces, source[kept:]))


# --- data of scripts ------------------------------------------------------------------------------

_SCRIPT = re.compile(r"<script(?=[\s/>])[^>]*+>", re.IGNORECASE)
_SCRIPT_END = re.compile(r"</script(?=[\s/>])", re.IGNORECASE)
_TITLE = re.compile(r"<title(?=[\s>])[^<>]*+>([^<]++)|<meta\s[^<>]*+>", re.IGNORECASE)
_CONTENT = re.compile(r"content=[\"']([^\"']++)", re.IGNORECASE)
_STRING = re.compile(r'"((?>(?:[^"\\]++|\\.)*))(?:"|\\?\Z)', re.DOTALL)
_DATA = re.compile(r'\s*+[\[{]\s*+["\[{]')
_MARKUP = re.compile(
    r"</?(?:p|br|div|h[1-6]|li|ul|ol|blockquote|figure|section|span|em|strong|a)(?=[\s/>])[^<>]*+>", re.IGNORECASE
)
_SENTENCE = re.compile(r"[.!?…؟।][\"'”’»)\]]*+(?:\s|$)|[。！？]")
_CODE = re.compile(r"[{}<>=;\\|]|\b(?:function|return|const|var)\b")
_STREAM = re.compile(r"\s*+self\.__next_f\.push\(")
_TEXT_ROW = re.compile(rb"[0-9a-f]{1,6}:T([0-9a-f]{1,7}),")
"""A text in the stream of React's server components: number of the row, bytes of the text in UTF-8."""
_NEXT_TEXT_ROW = re.compile(rb"(?<=\n)" + _TEXT_ROW.pattern)
_MENU, _PARAGRAPH = 3_000, 80
"""Characters that menus and footers may have, and those of a block from which on it counts as a paragraph."""
_LEAST_NAME, _LONGEST_NAME, _LEAST_STRING = 8, 300, 60
"""Characters of strings that may be the title, and of those that may be a paragraph."""
_KEY = re.compile(r'"(\w+)"\s*:\s*$')
_LONGEST_KEY = 40
_NEAR = 3_000
"""Characters of data between two paragraphs of one text: names, marks and addresses of links."""
_MAX_DATA = 4_000_000
"""Characters of scripts that are read."""
_MAX_RIVALS = 2
"""If more other texts are at least half as long as the longest, the page is a list of texts, and none of them is its own."""
_NESTED = 2
"""How often data are written as strings of other data."""


def is_menu(blocks: Sequence[int]) -> bool:
    """Whether a page shows hardly more than menus.

    :param blocks: characters of each block.
    """
    return sum(blocks) < _MENU and sum(size for size in blocks if size >= _PARAGRAPH) < SHELL


def text_in_scripts(source: str) -> str | None:
    """The text in the scripts of a page that shows no text, as HTML; None if they have no text either.

    It is taken only from data that have the page's title, too: those of a consent dialog or of translations do not.
    """
    titles = [title for title in map(_folded, _titles(source)) if len(title) >= _LEAST_NAME]
    sizes: dict[str, int] = {}
    for data, texts in _scripts(source):
        names: set[str] = set()
        _read(data, _NESTED, texts, names)
        if not titles or any(_is_title(name, title) for name in names for title in titles):
            sizes |= {text: size for text in texts if (size := _size(text)) >= SHELL}
    if not sizes:
        return None
    longest = max(sizes, key=sizes.__getitem__)
    start = _plain(longest)[:_LEAST_STRING]
    rivals = [text for text, size in sizes.items() if 2 * size >= sizes[longest] and start not in _plain(text)]
    return f"<article>{longest}</article>" if len(rivals) <= _MAX_RIVALS else None


def _titles(source: str) -> Iterator[str]:
    """What ``title`` and ``og:title`` say; pages have their metadata within the first hundred elements."""
    for match in islice(_TITLE.finditer(source), 100):
        if match[1]:
            yield unescape(match[1])
        elif "og:title" in match[0] and (content := _CONTENT.search(match[0])) is not None:
            yield unescape(content[1])


def _is_title(name: str, title: str) -> bool:
    """Whether a string is the title; a title may have the site's name besides."""
    return title in name or (name in title and 2 * len(name) >= len(title))


def _scripts(source: str) -> Iterator[tuple[str, list[str]]]:
    """The data of scripts, and texts that are known to be such. A stream that arrives in pieces is put together."""
    position = size = 0
    stream: list[str] = []
    while size < _MAX_DATA and (start := _SCRIPT.search(source, position)) is not None:
        end = _SCRIPT_END.search(source, start.end())
        position = len(source) if end is None else end.start()
        content = source[start.end() : min(position, start.end() + _MAX_DATA)]
        size += len(content)
        if _STREAM.match(content):
            stream += map(_decoded, _STRING.findall(content))
        elif len(content) >= SHELL:
            yield content, []
    if stream:
        written = "".join(stream).encode("utf-8", "replace")
        texts = []
        position = 0
        rest: list[bytes] = []
        while (row := _TEXT_ROW.match(written, position) or _NEXT_TEXT_ROW.search(written, position)) is not None:
            rest.append(written[position : row.start()])
            position = row.end() + int(row[1], 16)
            texts.append(written[row.end() : position].decode("utf-8", "replace"))
        rest.append(written[position:])
        yield b"\n".join(rest).decode("utf-8", "replace"), texts


def _read(data: str, levels: int, texts: list[str], names: set[str]) -> None:
    """Collect possible texts as HTML (strings of markup or of several lines, paragraphs in a row) and possible titles.

    Paragraphs of one text have the same key or none; translations have keys of their own.
    """
    paragraphs: list[str] = []
    last = 0
    key = ""
    for match in _STRING.finditer(data):
        length = match.end() - match.start()
        if length < _LEAST_NAME:
            continue
        text = _decoded(match[1])
        if length <= _LONGEST_NAME:
            names.add(_folded(text))
        if length < _LEAST_STRING:
            continue
        if _DATA.match(text):
            if levels > 1:
                _read(text, levels - 1, texts, names)
            continue
        if _MARKUP.search(text):
            texts.append(text)
        elif "\n" in text:
            texts.append("".join(f"<p>{escape(line)}</p>" for line in text.splitlines() if line.strip()))
        elif _is_prose(text):
            named = _KEY.search(data, max(0, match.start() - _LONGEST_KEY), match.start())
            here = named[1] if named is not None else ""
            if match.start() - last > _NEAR or here != key:
                texts.append("".join(paragraphs))
                paragraphs = []
                key = here
            paragraphs.append(f"<p>{escape(text)}</p>")
            last = match.end()
    texts.append("".join(paragraphs))
    names.discard("")


def _decoded(written: str) -> str:
    """A string's value; empty if JSON has no such string."""
    if "\\" not in written:
        return written
    try:
        return str(json.loads(f'"{written}"', strict=False)).encode("utf-8", "replace").decode()
    except ValueError:
        return ""


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _plain(text: str) -> str:
    return " ".join(unescape(_MARKUP.sub(" ", text)).split())


def _size(text: str) -> int:
    """Characters of prose; 0 where the text is code or a list of names."""
    plain = _plain(text)
    return len(plain) if len(plain) >= SHELL and _is_prose(plain) else 0


def _is_prose(text: str) -> bool:
    """Whether a text is made of sentences."""
    return len(_SENTENCE.findall(text)) * 400 >= len(text) and len(_CODE.findall(text)) * 100 <= len(text)
