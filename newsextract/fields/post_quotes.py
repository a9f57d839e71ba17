"""What a post's author wrote, what is quoted from others, and the signature: the lines of its body told apart; and the
links to itself and to the post that it answers.

A quotation is an element that markup calls so (:mod:`.post_text` finds these), or lines that begin with ``>``, as mail sets
them. Its first line or the line before it says whose it is ("Jane wrote:") and belongs to neither. A signature follows
``--`` (RFC 3676 §4.3) or a line of underscores, or its element is called so.

Cost: one pass over the lines, and a few operations a link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from urllib.parse import urljoin, urlsplit

import numpy as np

from newsextract.fields.post_elements import WIDE, elements, inside, is_quotation, post_elements, words
from newsextract.fields.post_fields import clean_name
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import has_word, text_kind
from newsextract.results import Record
from newsextract.urls import NOWHERE

MAX_SIGNATURE = 500
"""Characters below ``--`` or a line of underscores that are a signature; more is a part of the text."""
MAX_HEAD = 250
"""Characters of lines that may say whose a quotation is."""
MAX_NAME_LINE = 40
"""Characters of a line that may be no more than a name."""
_QUOTED = re.compile(r"\s{0,3}[>＞]")
_QUOTE_MARKS = re.compile(r"\s{0,3}(?:[>＞]\s?){1,20}")
_RULE = re.compile(r"_{6,}|--\s{0,2}")
DIVIDER = re.compile(r"_{6,}|--\s{0,2}|-{6,}[^-]{0,40}-{6,}")
_CLOCK = re.compile(
    r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?(?:\s?(?:[+-]\d{4}|[A-Z]{3,4}))?,?\s?(?:\([A-Z]{3,4}\),?\s)?"
)
_DAY_BEHIND = re.compile(r",\s(?:on\s|am\s|le\s|el\s)?\d{1,4}\D.{0,30}$")
"""The day behind a name: "Jane, on 4 May 2012 -"."""
_MAX_EDIT = 160
"""Characters of a line that says when a post was changed."""
_MAX_EDIT_WORDS = 16
_NUMBER = re.compile(r"\d+")
_EDIT, _EDIT_FOLLOWS = (re.compile(words()["body"][name], re.IGNORECASE) for name in ("edits", "edits_follow"))
_HEAD_LINES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in words()["quote"]["lines"])
_SAYING = re.compile(r"写道|寫道|发表于|發表於|書きました|작성|post|quot|repl|cita|zitat|цитата|كتبت|نوشته", re.IGNORECASE)
"""What a line has that says whose a quotation is, if it does not end with a colon."""
_WRAPPED = (50, 110)
"""Characters of a line in preformatted text that was broken to fit a column, not by its author."""
_LEAST_REPEATED = 12
"""Characters of a line that repeats another post, below the name of its author."""


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
    is_rule: bool = False
    """No text, but a line across the page that software draws."""


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
    signed = [line.text for line in lines if line.is_signature and not DIVIDER.fullmatch(line.text)]
    for kind, group in _groups([line for line in lines if not line.is_signature]):
        if kind is None:
            own += group
            continue
        is_marked = kind == "marks" or group[0].preformatted
        texts = [_QUOTE_MARKS.sub("", line.text, count=1) if is_marked else line.text for line in group]
        if len(texts) > 1 and texts[0].lower() in words()["quote"]["captions"]:
            texts, group = texts[1:], group[1:]
        if not any(map(has_word, texts)):
            continue  # a switch that hides the next one
        author, is_said = _said(heads.get(group[0].quotation, ""))
        if not is_said and len(texts) > 1:
            found = whose(texts[0])
            is_name = kind == "element" and group[0].is_emphasized and not group[1].is_emphasized
            if found is None and is_name and len(texts[0]) <= MAX_NAME_LINE:
                found = _name(texts[0].rstrip(" :："))
            if found is not None:
                author, is_said = found or None, True
                del texts[0]
        if not is_said:
            author = _taken_off(own)
        text = "\n".join(_paragraphs(texts, group[0].preformatted or kind == "marks"))
        if text:
            quotes.append(Quote(author, text))
    buttons = words()["author"]["refused"]  # "Reply Quote"
    while own and own[-1].is_linked and len(text := own[-1].text.lower()) <= MAX_NAME_LINE:
        # The day below a button may be the link to the post.
        is_day = len(own) > 1 and text_kind(own[-1].text) == "date" and own[-2].is_linked and own[-2].text.lower() in buttons
        if text not in buttons and not all(word in buttons for word in text.split()) and not is_day:
            break
        own.pop()
    below = _signed_off(own)
    signed += [line.text for line in own[below:] if not DIVIDER.fullmatch(line.text)]
    kept = own[:below]
    written = [number for number, line in enumerate(kept) if line.text]
    for number in written[:1] + written[-1:] if len(written) > 1 else ():
        if is_edit(kept[number].text):
            kept[number] = Line("")
    texts = [
        text
        for is_pre, group in groupby(kept, key=lambda line: line.preformatted)
        for text in _paragraphs([line.text for line in group], is_pre)
    ]
    # What is no more than an emoji is not linked, either.
    is_linked = all(line.is_linked for line in kept if line.text) and any(map(has_word, texts))
    return PostText("\n".join(texts), tuple(quotes), "\n".join(filter(None, signed)) or None, is_linked)


def repeated_above(text: str, above: Sequence[tuple[str | None, str]]) -> tuple[Quote, str] | None:
    """The quotation that a text begins with although no element marks it, and what follows.

    It is the name of another post's author, a colon, and lines of that post. None where a text begins otherwise, or has no
    words of its own.

    :param above: authors and texts of the posts before, the next one first.
    """
    name, *lines = text.split("\n")
    own = [said for author, said in above if name[-1:] in (":", "：") and author == name[:-1].strip()]
    said = next((said for said in own if lines and len(lines[0]) >= _LEAST_REPEATED and lines[0] in said), "")
    end = next((number for number, line in enumerate(lines) if line not in said), len(lines))
    rest = "\n".join(lines[end:])
    return (Quote(name[:-1].strip(), "\n".join(lines[:end])), rest) if said and has_word(rest) else None


def is_edit(text: str) -> bool:
    """Whether a line only says when the post was changed."""
    text = text.strip(" ()[]*_~.。")
    if len(text) > _MAX_EDIT or not 2 <= len(_NUMBER.findall(text)) <= 10 or any(mark in text for mark in "!?！？"):
        return False
    begin = _EDIT.match(text)
    if begin is not None and _EDIT_FOLLOWS.match(text, begin.end()):
        return len(text.split()) <= _MAX_EDIT_WORDS
    return any(text.startswith(first) and text.endswith(last) for first, last in words()["body"]["edits_around"])


def _groups(lines: Sequence[Line]) -> Iterator[tuple[str | None, list[Line]]]:
    """Lines that belong together: those of one quotation element, those with ``>`` in front, and all others."""

    def kind(line: Line) -> tuple[str | None, int]:
        return "element" if line.quotation >= 0 else "marks" if _QUOTED.match(line.text) else None, line.quotation

    for (name, _), group in groupby(lines, kind):
        yield name, list(group)


def whose(text: str) -> str | None:
    """The name in a line that only says whose a quotation is; empty if it names nobody, None if it says no such thing."""
    text = " ".join(text[: 2 * MAX_HEAD].split())
    text = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    caption, colon, behind = text.partition(":")
    if behind and caption.lower() + colon in words()["quote"]["captions"]:  # "Quote: Originally posted by …"
        text = behind.strip()
    if not 1 < len(text) <= MAX_HEAD or not (text.endswith((":", "：")) or _SAYING.search(text)):
        return None
    match = next(filter(None, (pattern.fullmatch(text) for pattern in _HEAD_LINES)), None)
    return None if match is None else _name(match["name"]) or ""


def _said(head: str) -> tuple[str | None, bool]:
    """The author that the head of a quotation names, and whether there is a head at all."""
    if not head:
        return None, False
    before, colon, behind = head.partition(":")
    # "Jane wrote: Mon Mar 5"
    found = whose(head) or (whose(before + colon) if behind.strip() else None)
    return (found or _name(head.rstrip(" :：")), True)


def _name(text: str) -> str | None:
    """A name without the day before it, and quotation marks."""
    clocks = list(_CLOCK.finditer(text))
    if clocks:
        text = text[clocks[-1].end() :].strip(")], ") or _DAY_BEHIND.sub("", text[: clocks[-1].start()])
    elif re.match(r"(?:on|in|am|le|el|op|il|den|em)\s", text, re.IGNORECASE) and "," in text:
        text = text.rpartition(",")[2]
    return clean_name(text.strip(" \"'“”„«»*_,@↑"))


def _taken_off(own: list[Line]) -> str | None:
    """The name in the last of the lines before a quotation, which is removed, if it says whose that is."""
    while own and not own[-1].text:
        own.pop()
    if not own:
        return None
    last = own[-1]
    for count in range(1, min(2, len(own)) + 1):  # mail breaks a long one
        found = whose(" ".join(line.text for line in own[-count:]))
        if found is not None:
            del own[-count:]
            return found or None
    if last.is_emphasized and len(last.text) <= MAX_NAME_LINE and (name := _name(last.text.rstrip(" :："))) is not None:
        own.pop()
        return name
    return None


def _signed_off(own: Sequence[Line]) -> int:
    """The number of the line at which the signature begins; without a signature the number of lines."""
    rules = (number for number in range(len(own) - 1, 0, -1) if own[number].is_rule or _RULE.fullmatch(own[number].text))
    last = next(rules, len(own))
    return last if sum(len(line.text) for line in own[last + 1 :]) <= MAX_SIGNATURE else len(own)


def _paragraphs(texts: Sequence[str], preformatted: bool) -> list[str]:
    """Lines that are not empty; those of preformatted text that were broken to fit a column are joined."""
    if not preformatted:
        return [text for text in texts if text]
    found: list[str] = []
    for lines in (list(group) for has_text, group in groupby(texts, key=bool) if has_text):
        is_broken = all(_WRAPPED[0] <= len(line) <= _WRAPPED[1] and max(line) < WIDE for line in lines[:-1])
        found += [" ".join(lines)] if is_broken else lines
    return found


# --- post links -----------------------------------------------------------------------------------
# The links of a post: its own address, and that of the post that it answers.

_FRAGMENT, _ADDRESS, LINK_TEXT = (re.compile(words()["permalink"][name]) for name in ("fragments", "addresses", "texts"))
"""Forms of fragments and of addresses of posts, and of the words of links to them."""
_NUMBERED = re.compile(r"[\W_]\d+/?$")
"""A URL that ends with a number."""
_MAX_SAID = 40
"""Characters before a link that may say that it leads to the post that is answered."""


def answered(nodes: Nodes, record: Record, around: Sequence[int], url: str | None) -> str | None:
    """Where a link leads that stands after "in reply to" or the like, else that to the post whose words it quotes first."""
    page = post_elements(nodes)
    for root in (*record.nodes, *around[:1]):
        for node in inside(page.links, nodes, root):
            if (address := _leads_to(nodes, node, url)) and _is_answered(nodes, node):
                return address
    quoting = (node for node, *_ in elements(nodes, record.nodes, page.quotations, quotations=True))
    return next((_quoted(nodes, node, url) for node in quoting), None)


def _quoted(nodes: Nodes, quotation: int, url: str | None) -> str | None:
    """Where the link to a post leads that is in or behind the line that says whose a quotation is."""
    before = ""
    is_said = False
    for node in range(quotation + 1, int(nodes.ends[quotation])):
        if not nodes.tags[node]:
            before = f"{before} {nodes.texts[node]}".strip()
            if len(before) > MAX_HEAD or (is_said and whose(before) is None and has_word(nodes.texts[node])):
                break
        elif is_said and is_quotation(nodes.tags[node], nodes.attributes[node]):
            break  # one within it
        elif address := _leads_to(nodes, node, url):
            within = nodes.text(node)[:MAX_HEAD]
            is_form = _FRAGMENT.fullmatch(urlsplit(address).fragment) or _ADDRESS.search(address)
            if (is_said or whose(within) is not None) and (is_form or _NUMBERED.search(address)):
                return address
        is_said = is_said or whose(before) is not None
    return None


def _leads_to(nodes: Nodes, node: int, url: str | None) -> str | None:
    """The absolute URL of a link; None for another element or a script's."""
    href = nodes.attributes[node].get("href", "") if nodes.tags[node] == "a" else ""
    return _joined(href, url) if href else None


@lru_cache(maxsize=1_024)
def _joined(href: str, url: str | None) -> str | None:
    if href.startswith(("javascript:", "mailto:", "data:")) or href == "#":
        return None
    try:
        return urljoin(url or NOWHERE, href.strip())
    except ValueError:
        return None  # not a valid URL


def _is_answered(nodes: Nodes, link: int) -> bool:
    """Whether the words before or in a link say that it leads to the post that is answered."""
    place = int(np.searchsorted(nodes.shown, link))
    shown = [i for i in nodes.shown[max(0, place - 2) : place].tolist() if i > nodes.parents[link]]
    before = " ".join(nodes.texts[i] for i in shown)[-_MAX_SAID:]
    within = nodes.text(link)[:_MAX_SAID].lower()
    lists = words()["quote"]
    # "Reply to this post" is a button: what is named after it counts.
    if within in lists["parents"]:
        return True
    titles = (nodes.attributes[node].get("title", "") for node in range(link, int(nodes.ends[link])))
    return any(text.lower().rstrip(" :：([<").endswith(tuple(lists["replies"])) for text in (before, *titles))


def linked(nodes: Nodes, roots: Sequence[int], url: str | None) -> str | None:
    """The address of the best link that names the post itself."""
    lists = words()["permalink"]
    best: tuple[float, str] | None = None
    host = urlsplit(url or NOWHERE).hostname
    for node, _, attributes, classes in elements(nodes, roots, post_elements(nodes).links):
        address = _leads_to(nodes, node, url)
        parts = urlsplit(address or NOWHERE)
        if address is None or parts.hostname != host:
            continue
        text = nodes.text(node)
        if text.lower() in lists["others"]:
            continue
        score = 3.0 if _FRAGMENT.fullmatch(parts.fragment) else 0.0
        score += 1.5 if _ADDRESS.search(address) else 0.0
        score += 2.0 if "bookmark" in attributes.get("rel", "").lower().split() else 0.0
        score += 1.5 if not classes.isdisjoint(lists["classes"]) else 0.0
        score += 1.5 if text_kind(text) == "date" else 0.0  # it leads to the post
        score += 1.0 if _NUMBERED.search(address) else 0.0
        score += 2.0 if LINK_TEXT.fullmatch(text.lower()) else 0.0
        score += 1.0 if "time" in nodes.tags[node + 1 : int(nodes.ends[node])] else 0.0
        if score >= 2.5 and (best is None or score > best[0]) and not _is_answered(nodes, node):
            best = (score, address)
    if best is not None and not best[1].startswith(NOWHERE) and best[1].startswith(("http://", "https://")):
        return best[1]
    return None


def named_place(nodes: Nodes, roots: Sequence[int], url: str | None) -> str | None:
    """The page's address with the id of the first element whose id names a post."""
    names = (nodes.attributes[root].get("id", "") for root in roots)
    name = next((name for name in names if name and _FRAGMENT.fullmatch(name)), None)
    return f"{url.partition('#')[0]}#{name}" if url and name else None
