"""The body of a post: what its author wrote, and beside it what is quoted and the signature; no panel and no buttons.

The body is the element that markup calls so (itemprop, class names of forum software), else the largest element around the
longest text that holds none of the post's other data: no author, date or button. Lines are those of the page: block
elements and line breaks end them. Quotations and signature are told from the author's own words by *post quotes*.

Measured on the forum pages of the bench, folds 1–4, true records (169 posts): token F1 0.95 against the given body, which on
some sites has author and date in it.

Cost: one pass over the record, and one over the body.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate, groupby

from newsextract.fields.post_fields import (
    body_rank,
    class_words,
    clean_name,
    elements,
    is_posted,
    is_quotation,
    link_around,
    own_items,
    properties,
    words,
)
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import Leaf, Paths, has_word, joined, read_leaves, text_kind
from newsextract.results import Item, Record

# --- post quotes ----------------------------------------------------------------------------------
# What a post's author wrote, what is quoted from others, and the signature: the lines of its body told apart.
#
# A quotation is an element that markup calls so, or lines that begin with ``>``, as mail sets them. Its first line or the
# line before it says whose it is ("Jane wrote:") and belongs to neither. A signature follows ``--`` (RFC 3676 §4.3) or a
# line of underscores, or its element is called so.

MAX_SIGNATURE = 500
"""Characters below ``--`` or a line of underscores that are a signature; more is a part of the text."""
_MAX_HEAD = 250
"""Characters of lines that may say whose a quotation is."""
_MAX_NAME_LINE = 40
_QUOTED = re.compile(r"\s{0,3}[>＞]")
_QUOTE_MARKS = re.compile(r"\s{0,3}(?:[>＞]\s?){1,20}")
_RULE = re.compile(r"_{6,}")
_DIVIDER = re.compile(r"_{6,}|--\s{0,2}|-{6,}[^-]{0,40}-{6,}")
_DASHES = re.compile(r"--\s{0,2}")
_CLOCK = re.compile(
    r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:\s?(?:[+-]\d{4}|[A-Z]{3,4}))?,?\s?(?:\([A-Z]{3,4}\),?\s)?"
)
_MAX_EDIT = 160
"""Characters of a line that says when a post was changed."""
_MAX_EDIT_WORDS = 16
_NUMBER = re.compile(r"\d+")
_SAYING = re.compile(r"写道|寫道|发表于|發表於|書きました|작성|post|quot|repl|cita|zitat|цитата", re.IGNORECASE)
"""What a line has that says whose a quotation is, if it does not end with a colon."""
_WRAPPED = (50, 110)
"""Characters of a line in preformatted text that was broken to fit a column, not by its author."""
_WIDE = "\u2e80"


@dataclass(frozen=True, slots=True)
class Quote:
    """What a post repeats of another one."""

    author: str | None
    """Whose it is, where the post says so."""
    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a body as a reader sees it."""

    text: str
    quotation: int = -1
    """The quotation element around it; -1 for none. Of those within another one, only those with an author of their own."""
    is_signature: bool = False
    is_emphasized: bool = False
    """Whether all of it is bold or a link, as a name is above a quotation."""
    preformatted: bool = False
    is_linked: bool = False
    """Whether all of its words are the text of links that are no written-out URLs."""


@dataclass(frozen=True, slots=True)
class PostText:
    """The text of a post, its parts told apart."""

    own: str
    """Paragraphs are lines."""
    quotes: tuple[Quote, ...] = ()
    signature: str | None = None
    is_linked: bool = False
    """Whether all of its own words are the text of links: a title that leads to another page, or a menu."""


def told_apart(lines: Sequence[Line], heads: dict[int, str]) -> PostText:
    """Own words, quotations and signature.

    :param lines: of the body, in order; empty ones divide the paragraphs of preformatted text.
    :param heads: what elements at the start of a quotation say of whose it is, by quotation; not among the lines.
    """
    own: list[Line] = []
    quotes: list[Quote] = []
    signed = [line.text for line in lines if line.is_signature]
    for kind, group in _groups([line for line in lines if not line.is_signature]):
        if kind is None:
            own += group
            continue
        texts = [_QUOTE_MARKS.sub("", line.text, count=1) if kind == "marks" else line.text for line in group]
        if not any(map(has_word, texts)):
            continue  # a switch that hides the next one
        author, is_said = _said(heads.get(group[0].quotation, ""))
        if not is_said and len(texts) > 1:
            found = whose(texts[0])
            is_name = kind == "element" and group[0].is_emphasized and not group[1].is_emphasized
            if found is None and is_name and len(texts[0]) <= _MAX_NAME_LINE:
                found = _name(texts[0].rstrip(" :："))
            if found is not None:
                author, is_said = found or None, True
                del texts[0]
        if not is_said:
            author = _taken_off(own)
        text = "\n".join(_paragraphs(texts, group[0].preformatted or kind == "marks"))
        if text:
            quotes.append(Quote(author, text))
    below = _signed_off(own)
    signed += [line.text for line in own[below:] if not _DIVIDER.fullmatch(line.text)]
    kept = own[:below]
    while kept and kept[-1].is_linked and _are_buttons(kept[-1].text):
        kept.pop()
    written = [number for number, line in enumerate(kept) if line.text]
    for number in written[:1] + written[-1:] if len(written) > 1 else ():
        if _is_edit(kept[number].text):
            kept[number] = Line("")
    texts = [
        text
        for is_pre, group in groupby(kept, key=lambda line: line.preformatted)
        for text in _paragraphs([line.text for line in group], is_pre)
    ]
    # What is no more than an emoji is not linked, either.
    is_linked = all(line.is_linked for line in kept if line.text) and any(map(has_word, texts))
    return PostText("\n".join(texts), tuple(quotes), "\n".join(filter(None, signed)) or None, is_linked)


def _are_buttons(text: str) -> bool:
    """Whether a line of links is the buttons below a post ("Reply Quote")."""
    buttons = words()["author"]["refused"]
    return len(text) <= _MAX_NAME_LINE and (text.lower() in buttons or all(word in buttons for word in text.lower().split()))


def _is_edit(text: str) -> bool:
    """Whether a line only says when the post was changed."""
    text = text.strip(" ()[]*_~.。")
    if len(text) > _MAX_EDIT or not 2 <= len(_NUMBER.findall(text)) <= 10 or any(mark in text for mark in "!?！？"):
        return False
    begins, follows = _edits()
    begin = begins.match(text)
    if begin is not None and follows.match(text, begin.end()):
        return len(text.split()) <= _MAX_EDIT_WORDS
    return any(text.startswith(first) and text.endswith(last) for first, last in words()["body"]["edits_around"])


@cache
def _edits() -> tuple[re.Pattern[str], re.Pattern[str]]:
    body = words()["body"]
    return re.compile(body["edits"], re.IGNORECASE), re.compile(body["edits_follow"], re.IGNORECASE)


def _groups(lines: Sequence[Line]) -> Iterator[tuple[str | None, list[Line]]]:
    """Lines that belong together: those of one quotation element, those with ``>`` in front, and all others."""
    group: list[Line] = []
    kind: tuple[str, int] | None = None
    for line in lines:
        its: tuple[str, int] | None
        if line.quotation >= 0:
            its = ("element", line.quotation)
        elif _QUOTED.match(line.text):
            its = ("marks", -1)
        else:
            its = None
        if its != kind and group:
            yield kind[0] if kind else None, group
            group = []
        kind = its
        group.append(line)
    if group:
        yield kind[0] if kind else None, group


def whose(text: str) -> str | None:
    """The name in a line that only says whose a quotation is; empty if it names nobody, None if it says no such thing."""
    text = " ".join(text[: 2 * _MAX_HEAD].split())
    if not 1 < len(text) <= _MAX_HEAD or not (text.endswith((":", "：")) or _SAYING.search(text)):
        return None
    for pattern in _head_lines():
        match = pattern.fullmatch(text)
        if match is not None:
            return _name(match["name"]) or ""
    return None


def _said(head: str) -> tuple[str | None, bool]:
    """The author that the head of a quotation names, and whether there is a head at all."""
    if not head:
        return None, False
    before, colon, behind = head.partition(":")
    # "Quote: Originally posted by …"; "Jane wrote: Mon Mar 5"
    found = whose(head) or whose(behind) or (whose(before + colon) if behind.strip() else None)
    return (found or _name(head.rstrip(" :：")), True)


def _name(text: str) -> str | None:
    """A name without the day before it, and quotation marks."""
    clocks = list(_CLOCK.finditer(text))
    if clocks:
        text = text[clocks[-1].end() :].lstrip(")] ") or text[: clocks[-1].start()]
    elif re.match(r"(?:on|am|le|el|op|il|den|em)\s", text, re.IGNORECASE) and "," in text:
        text = text.rpartition(",")[2]
    return clean_name(text.strip(" \"'“”„«»*_,@↑"))


def _taken_off(own: list[Line]) -> str | None:
    """The name in the last of the lines before a quotation, which is removed, if it says whose that is."""
    while own and not own[-1].text:
        own.pop()
    if not own:
        return None
    last = own[-1]
    for count in (1, 2):  # mail breaks a long one
        if count <= len(own):
            found = whose(" ".join(line.text for line in own[-count:]))
            if found is not None:
                del own[-count:]
                return found or None
    if last.is_emphasized and len(last.text) <= _MAX_NAME_LINE and (name := _name(last.text.rstrip(" :："))) is not None:
        own.pop()
        return name
    return None


def _signed_off(own: Sequence[Line]) -> int:
    """The number of the line at which the signature begins; that of lines if there is none."""
    for number in range(len(own) - 1, 0, -1):
        if _RULE.fullmatch(own[number].text) or _DASHES.fullmatch(own[number].text):
            if sum(len(line.text) for line in own[number + 1 :]) > MAX_SIGNATURE:
                return len(own)
            return number
    return len(own)


def _paragraphs(texts: Sequence[str], preformatted: bool) -> list[str]:
    """Lines that are not empty; those of preformatted text that were broken to fit a column are joined."""
    if not preformatted:
        return [text for text in texts if text]
    found: list[str] = []
    for has_text, group in groupby(texts, key=bool):
        lines = list(group)
        if not has_text:
            continue
        if all(_WRAPPED[0] <= len(line) <= _WRAPPED[1] and max(line) < _WIDE for line in lines[:-1]):
            found.append(" ".join(lines))
        else:
            found += lines
    return found


@cache
def _head_lines() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in words()["quote"]["lines"])


# --- post body ------------------------------------------------------------------------------------

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
_CAPTION_LEVELS = 3
"""Elements around code beside which its caption is looked for."""
_SHORT = 40
"""Characters beside an author or a date of a text that is no more than these."""
_MAX_TEXTS = 6
"""Text nodes of a line that says whose a quotation is."""
_EMPHASIS = frozenset(("b", "strong", "em", "i", "a", "cite"))
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_HEADING_LEVELS = 4
"""Elements around a text within which a heading is looked for."""
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
    nodes: Nodes, record: Record, author: str | None = None, date: str | None = None, title: str | None = None
) -> PostText:
    """The text, its parts told apart; empty when there is none.

    :param author: the post's author; texts that are hardly more are not the body's.
    :param date: how the post's date is written; likewise.
    :param title: of the page; a line that repeats the thread's title is not the body's.
    """
    own = own_items(nodes, record)
    # Items are told apart as objects: to compare their values costs items squared.
    unquoted = {id(item) for item in own}
    known = [text for text in (author, date) if text]
    titles = {id(item) for item in own if title and is_title(item.text, title)}
    longest = max(
        (
            item
            for item in own
            if item.kind != "image"
            and item.nodes
            and id(item) not in titles
            and not _is_foreign(nodes, item, known, date, title)
        ),
        key=lambda item: (item.label == "body", len(item.text)),
        default=None,
    )
    heads = [item.nodes[0] for item in own if item.nodes and item is not longest and _is_beside(nodes, item, known)]
    marked = _marked(nodes, record, longest, heads)
    if marked is not None:
        return read_text(nodes, [marked])
    if longest is None:
        return PostText("")
    quoted = {id(item) for item in own_items(nodes, record, quotations=True)} - unquoted
    foreign = [
        item
        for item in record.items
        if id(item) in titles
        or (id(item) not in quoted and (id(item) not in unquoted or _is_foreign(nodes, item, known, date, title)))
    ]
    within = set(longest.nodes)
    others = sorted(node for item in foreign for node in item.nodes if node not in within)
    roots = _with_siblings(nodes, record, _around(nodes, record, longest, others), others)
    return read_text(nodes, roots, frozenset(others))


def read_text(nodes: Nodes, roots: Sequence[int], without: frozenset[int] = frozenset()) -> PostText:
    """Visible text of subtrees, a line for each line of the page, its parts told apart; notes and buttons are left out.

    :param without: text nodes that are left out.
    """
    shown = sorted({node for root in roots for node in nodes.text_nodes(root)})
    dropped = without | _controls(nodes, roots)
    quotations = _quotations(nodes, roots, shown, dropped)
    signed = _signed(nodes, roots, quotations)
    dropped |= quotations.said
    lines: list[Line] = []
    leaves = [leaf for leaf in read_leaves(nodes, roots, Paths()) if not leaf.image and leaf.node not in dropped]
    around: list[int] = []  # the quotations that a line is within
    starts = deque(sorted(quotations.heads))
    for _, group in groupby(leaves, key=lambda leaf: leaf.run):
        run = list(group)
        first = run[0].node
        while starts and starts[0] <= first:
            around.append(starts.popleft())
        while around and first >= nodes.ends[around[-1]]:
            around.pop()
        quotation = around[-1] if around else -1
        is_bold = all(any(nodes.tags[holder] in _EMPHASIS for holder in leaf.holders) for leaf in run)
        if any(leaf.node in nodes.preformatted for leaf in run):
            written = "".join(nodes.preformatted.get(leaf.node, leaf.text) for leaf in run)
            texts = [" ".join(line.split()) for line in written.split("\n")]
            lines += [Line(text, quotation, first in signed, preformatted=True) for text in texts]
        else:
            is_linked = all(_is_linked(nodes, leaf) for leaf in run)
            text = joined([leaf.text for leaf in run])
            lines.append(Line(text, quotation, first in signed, is_bold, is_linked=is_linked))
    # The words around a quotation within another one belong together.
    quoted = groupby(lines, key=lambda line: line.quotation >= 0)
    lines = [line for _, group in quoted for line in sorted(group, key=lambda line: line.quotation)]
    folds = words()["body"]["folds"]
    while len(lines) > 1 and lines[-1].text.strip(" .…»›→▼▾").lower() in folds:
        lines.pop()
    return told_apart(lines, quotations.heads)


@dataclass(slots=True)
class _Quotations:
    """The quotations in a body."""

    heads: dict[int, str] = field(default_factory=dict)
    """What elements say of whose each one is; empty if they say nothing. Of those within another one, only those that say
    whose they are."""
    said: set[int] = field(default_factory=set)
    """The texts that do."""


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
                or (nodes.tags[node] == "div" and "onclick" in attributes and end == node + 2)
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


def _signed(nodes: Nodes, roots: Sequence[int], quotations: _Quotations) -> set[int]:
    """What is in elements that are called signatures, and not quoted."""
    signatures = words()["body"]["signatures"]
    found: set[int] = set()
    for root in roots:
        quoted = root
        for node in range(root, int(nodes.ends[root])):
            if node in quotations.heads:
                quoted = max(quoted, int(nodes.ends[node]))
                continue
            names = class_words(nodes.attributes[node].get("class", ""))
            if root < node and quoted <= node and not names.isdisjoint(signatures):
                found.update(range(node, int(nodes.ends[node])))
    return found


def _quotations(nodes: Nodes, roots: Sequence[int], shown: Sequence[int], dropped: Set[int]) -> _Quotations:
    """The outermost quotations, and those within them that elements say whose they are.

    :param shown: visible text nodes, ascending.
    :param dropped: what is no part of the text.
    """
    begun = _said_quotations(nodes, roots, shown)
    found = _Quotations()
    above: dict[int, str] = {}
    for root in roots:
        walked = quoted = root  # quoted: where the outermost quotation ends
        for node in range(root, int(nodes.ends[root])):
            if node in dropped or not (is_quotation(nodes.tags[node], nodes.attributes[node]) or node in begun):
                continue
            end = int(nodes.ends[node])
            said: list[int] = []
            # The start of a quotation within the start of another one has been looked at.
            if node >= walked and (below := _said_below(nodes, node, shown)) >= 0:
                texts = nodes.text_nodes(node)
                above[below] = joined([nodes.texts[i] for i in texts])
                found.said.update(texts)
                walked = end
                continue
            if node >= walked:
                said, walked = _attribution(nodes, node, shown)
                found.said.update(said)
            head = above.get(node) or (joined([nodes.texts[i] for i in said]) if said else "")
            if node >= quoted or head:
                found.heads[node] = head
                quoted = max(quoted, end)
    return found


def _said_below(nodes: Nodes, node: int, shown: Sequence[int]) -> int:
    """The quotation right below one that is no more than the line that says whose that is; -1 for none."""
    end = int(nodes.ends[node])
    first, behind = bisect_left(shown, node), bisect_left(shown, end)
    is_line = nodes.tags[node] not in _PARAGRAPHS and 0 < behind - first <= _MAX_TEXTS and behind < len(shown)
    if not is_line or whose(joined([nodes.texts[i] for i in shown[first:behind]])) is None:
        return -1
    below = [other for other in range(end, min(shown[behind], end + _MAX_AROUND)) if nodes.ends[other] > shown[behind]]
    return next((other for other in below if is_quotation(nodes.tags[other], nodes.attributes[other])), -1)


def _said_quotations(nodes: Nodes, roots: Sequence[int], shown: Sequence[int]) -> set[int]:
    """Elements that begin with a line such as "Originally posted by Jane" or "Quote:", and hold what is quoted.

    :param shown: visible text nodes, ascending.
    """
    lists = words()["quote"]
    begins, captions = tuple(lists["begins"]), frozenset(lists["captions"])
    found: set[int] = set()
    whole = roots if len(roots) == 1 else ()
    for place, first in enumerate(shown):
        if not nodes.texts[first][:_MAX_NAME_LINE].lstrip().lower().startswith(begins):
            continue
        node = first
        for _ in range(_QUOTE_LEVELS):
            node = int(nodes.parents[node])
            if node in whole or node < 0 or bisect_left(shown, node) < place:
                break
            texts = shown[place : min(bisect_left(shown, nodes.ends[node]), place + _MAX_TEXTS + 1)]
            line = _first_line(nodes, texts)
            if len(texts) > _MAX_TEXTS or line != joined([nodes.texts[i] for i in texts]):
                is_all = place == 0 and nodes.ends[node] > shown[-1]
                is_said = line.lower() in captions or whose(line)
                # What is quoted may stand beside the line that says whose it is, in an element that is called so.
                if (
                    is_said
                    and not is_all
                    and not _holds_quotation(nodes, first, min(int(nodes.ends[node]), first + _MAX_AROUND))
                ):
                    found.add(node)
                break
    return found


def _holds_quotation(nodes: Nodes, start: int, end: int) -> bool:
    """Whether an element between two nodes is called a quotation."""
    return any(nodes.tags[node] and is_quotation(nodes.tags[node], nodes.attributes[node]) for node in range(start, end))


def _first_line(nodes: Nodes, texts: Sequence[int]) -> str:
    """The texts up to the first line break or block."""
    line = [texts[0]]
    for node in texts[1:]:
        if any(nodes.tags[between] in _BREAKS for between in range(line[-1] + 1, node)):
            break
        line.append(node)
    return joined([nodes.texts[i] for i in line])


def _caption(nodes: Nodes, code: int, root: int) -> range:
    """The nodes of the caption ("Code: Select all") right before a code box; empty if it has no caption."""
    node = code
    for _ in range(_CAPTION_LEVELS):
        parent = int(nodes.parents[node])
        if node == root or parent < 0:
            break
        before = _sibling_before(nodes, node)
        if before >= 0:
            texts = nodes.text_nodes(before)[: _MAX_TEXTS + 1]
            text = joined([nodes.texts[i] for i in texts]) if len(texts) <= _MAX_TEXTS else ""
            is_caption = bool(nodes.tags[before]) and _captions().fullmatch(text) is not None
            return range(before, int(nodes.ends[before])) if is_caption else range(0)
        node = parent
    return range(0)


def _sibling_before(nodes: Nodes, node: int) -> int:
    """The last sibling before a node that has text; -1 if there is none."""
    parent, before = int(nodes.parents[node]), node - 1
    while before > parent:
        while int(nodes.parents[before]) != parent:
            before = int(nodes.parents[before])
        if nodes.text_nodes(before):
            return before
        before -= 1
    return -1


@cache
def _captions() -> re.Pattern[str]:
    return re.compile(words()["body"]["code"], re.IGNORECASE)


def _is_linked(nodes: Nodes, leaf: Leaf) -> bool:
    """Whether a text is nothing but the words of a link, or says nothing; a link that shows its URL was written."""
    if leaf.link < 0:
        return not has_word(leaf.text)
    return "://" not in leaf.text and not leaf.text.startswith("www.")


def _attribution(nodes: Nodes, quotation: int, shown: Sequence[int]) -> tuple[list[int], int]:
    """Text nodes at the start of a quotation that say whose it is, in elements of their own; and where its text begins.

    :param shown: visible text nodes, ascending.
    """
    found: list[int] = []
    end = int(nodes.ends[quotation])
    node = quotation + 1
    first = 0  # of the texts from the node on
    while node < end:
        first = bisect_left(shown, node, first)
        behind = bisect_left(shown, int(nodes.ends[node]), first)
        text = joined([nodes.texts[i] for i in shown[first:behind]]) if 0 < behind - first <= _MAX_TEXTS else ""
        is_cited = nodes.tags[node] == "cite" and 0 < len(text) <= _MAX_HEAD
        is_head = is_cited or (nodes.tags[node] and nodes.tags[node] not in _PARAGRAPHS and _heads().fullmatch(text))
        if is_head and behind < bisect_left(shown, end):  # what is quoted comes behind it
            found += shown[first:behind]
            node = int(nodes.ends[node])
        elif behind > first and (not nodes.tags[node] or _is_inner(nodes, node, behind - first, quotation, bool(found))):
            break  # what is quoted
        else:
            node += 1
    return found, node


def _is_inner(nodes: Nodes, node: int, count: int, around: int, is_said: bool) -> bool:
    """Whether an element is a quotation within another one, which has words of its own or has said whose it is.

    :param count: of its texts.
    """
    return is_quotation(nodes.tags[node], nodes.attributes[node]) and (is_said or count < len(nodes.text_nodes(around)))


@cache
def _heads() -> re.Pattern[str]:
    """A short text with a colon at its end, or one that says in words whose the quotation is."""
    return re.compile(words()["quote"]["heads"], re.IGNORECASE)


def _marked(nodes: Nodes, record: Record, longest: Item | None, heads: Sequence[int]) -> int | None:
    """The element that markup calls the body: of the surest name, else the smallest with most of the text of the largest.

    :param heads: text nodes around author and date; an element with one of them is the body only if its name is listed.
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

    others = sorted(heads)

    def is_whole(node: int) -> bool:
        """Whether an element holds author or date, too."""
        return bisect_left(others, nodes.ends[node]) > bisect_right(others, node)

    for node, _, attributes, _ in elements(nodes, record.nodes):
        if node in roots or not (attributes.keys() & _MARKS):
            continue
        if not properties(attributes).isdisjoint(lists["properties"]):
            sure.append((-1, -length(node), node))
        elif (rank := body_rank(attributes.get("class", ""))) is not None:
            if rank < listed or not is_whole(node):
                sure.append((rank, -length(node), node))
        elif any(name in lists["weak_classes"] for name in attributes.get("class", "").lower().split()):
            likely.append((length(node), node))

    sure = [one for one in sure if not is_whole(one[2])] or sure
    likely = [one for one in likely if not is_whole(one[1])]
    sure = [one for one in sure if one[1]]
    if longest is not None and (longest.label == "body" or len(longest.text) > _SURE):
        # An element that does not hold the longest text is the body of something else.
        at = longest.nodes[0]
        sure = [one for one in sure if one[2] < at < nodes.ends[one[2]]]
        likely = [one for one in likely if one[1] < at < nodes.ends[one[1]]]
    if sure:
        body = min(sure)[2]
        end = nodes.ends[body]
        # phpBB's "postbody" has a head and, below it, the "content".
        inner = [node for _, node in likely if body < node < end]
        return inner[0] if inner and all(node < nodes.ends[inner[0]] for node in inner) else body
    most = max((length for length, _ in likely), default=0)
    return min((one for one in likely if one[0] >= _PART * most), default=(0, None))[1]


def _is_foreign(nodes: Nodes, item: Item, known: Sequence[str], date: str | None, title: str | None = None) -> bool:
    """Whether an item is no part of the body: a button, a field, a heading or a short text around author or date."""
    if item.kind == "image" or (item.static and item.nodes and _is_code(nodes, item.nodes[0])):
        return False  # posts may repeat lines of code
    if (title and _is_caption(item.text, known, title)) or (
        date and date in item.text and is_posted(item.text.partition(date)[0])
    ):
        return True
    if (
        item.label == "body" and not item.static and not _is_liked(item.text)
    ):  # it may be a number or hold a name ("+1 -- Jane"), but is no line of a day
        return text_kind(item.text) == "date" or (
            date is not None and date in item.text and len(item.text) - len(date) < _SHORT
        )
    if item.static or item.label.partition("-")[0] in _FIELDS or text_kind(item.text) in ("date", "number"):
        return True
    if item.nodes and any(text in item.text for text in known) and _is_heading(nodes, item.nodes[0]):
        return True
    return _is_beside(nodes, item, known) or _is_liked(item.text)


def _is_code(nodes: Nodes, node: int) -> bool:
    """Whether a text is in a code box."""
    parent = int(nodes.parents[node])
    return nodes.tags[parent] in _CODE or nodes.tags[int(nodes.parents[parent])] == "pre"


def _is_liked(text: str) -> bool:
    """Whether a line says who likes a post."""
    lists, text = words()["body"], text[: _MAX_LIKED + 1].lower().rstrip(" .!")
    return len(text) <= _MAX_LIKED and (text.endswith(tuple(lists["liked"])) or text.startswith(tuple(lists["thanked"])))


def is_title(text: str, title: str) -> bool:
    """Whether a line is the thread's title, alone or after "Re:"."""
    match = _ANSWER.match(text)
    text = text[match.end() :] if match is not None else text
    start = title.find(text) if len(text) + sum(character >= _WIDE for character in text) >= _LEAST_TITLE else -1
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
    for _ in range(_HEADING_LEVELS):
        node = int(nodes.parents[node])
        if node < 0 or nodes.tags[node] in _HEADINGS:
            return node >= 0
    return False


def _around(nodes: Nodes, record: Record, longest: Item, others: Sequence[int]) -> int:
    """The largest element around the longest text that holds nothing foreign.

    :param others: text nodes that are foreign, ascending.
    """
    node = longest.nodes[0]
    roots = frozenset(record.nodes)
    first, last = min(longest.nodes), max(longest.nodes)
    while node not in roots:
        parent = int(nodes.parents[node])
        if node <= first and last < nodes.ends[node] and _holds_any(nodes, parent, others):
            break
        node = parent
    return node


def _with_siblings(nodes: Nodes, record: Record, node: int, others: Sequence[int]) -> list[int]:
    """An element with the paragraphs, quotations and lists beside it that hold nothing foreign."""
    if node in record.nodes:
        # A post of several elements begins behind its head and goes on to its end.
        whole = sorted(record.nodes)
        first = whole.index(node)
        while first > 0 and not _holds_any(nodes, whole[first - 1], others) and not _is_menu(nodes, whole[first - 1]):
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
    return nodes.tags[node] in _PARAGRAPHS and not _holds_any(nodes, node, others)


def _holds_any(nodes: Nodes, node: int, others: Sequence[int]) -> bool:
    """Whether any of some text nodes, ascending, stands in a subtree."""
    place = bisect_left(others, node)
    return place < len(others) and others[place] < nodes.ends[node]
