"""The fields of a search hit: title, address, snippet and date of one record of a result page.

The title is the text of the main link, without a number or score beside it. The snippet is the longest text beside it, up to
where a line of the engine's own begins ("matching: …", a URL, a size). The address is where the link leads in the
end (:mod:`newsextract.urls`). The date stands beside the snippet or begins it; then it is cut from it.

Cost: about 0.1 ms a hit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile
from urllib.parse import parse_qs

from newsextract.fields.advertisements import HEADINGS, MAX_WITHIN, is_among_links, root_of, says_sold
from newsextract.fields.authors import is_byline
from newsextract.fields.dates import is_date
from newsextract.fields.post_elements import ancestors, link_around, links_in, nodes_of, words
from newsextract.fields.post_fields import PostDates, post_dates
from newsextract.model_files import data_table
from newsextract.page.nodes import EMPHASIS, Nodes
from newsextract.page.page import Page
from newsextract.page.references import References
from newsextract.records.leaves import MAX_DATE, line_text, text_kind, text_width
from newsextract.results import Item, Record, ReportDate
from newsextract.urls import resolved

_TITLE = 60
"""Characters from which a link is as good a title as a longer one, Chinese and Japanese ones counted twice."""
_COUNTING = 12
"""Letters beside a link that only count: "(score: 7)", "rank 3"."""
_SHORT = 15
"""Characters that a snippet has at least."""
_LONG = 40
"""Characters of a text that is longer than a title of a link below a hit, Chinese and Japanese ones counted twice."""
_LINE = 0.25
"""Share of the longest line's characters that another line of a snippet has at least."""
_DIGITS = 5
"""Digits of a document's number, at least."""
_FEW_WORDS = 3
"""Words from which on a text is more than a document's number: "District Court, judgment of 06.01.2021 - 1 K 861/20"."""
_MAX_LABEL = 30
"""Characters of a label before a title."""
_BRACKETS = frozenset(("[]", "【】", "［］"))
_LABEL_CLASS = re.compile(r"(?:^|[\s_-])(?:label|badge|prefix|flair|chip|pill)(?:$|[\s_-])", re.IGNORECASE)
_PATH = frozenset(("/", "»", "›", ">", "→", "::", "＞"))
"""What stands between the links of a path."""
_AROUND_LABEL = " ·•|-–—:!()"
_LABELS = frozenset(data_table("fields/data/title_labels.toml")["labels"])
_PUBLISHED = frozenset(data_table("fields/data/date_sources.toml")["published_words"]) - {"date"}
"""What says that the day below it is that of publication."""
_LABELLED = re.compile(r"[^\W\d][\w ]{1,24}: ")
_FRONT = ("index.", "default.", "main.", "doku.")
"""Beginnings of the file name of a page that is all pages of a site."""
_ACTIONS = frozenset("action act do func cmd op route option task mod module controller area".split())
"""Parameters that choose what such a page does."""
_BREAKS = frozenset("br hr p div table tr td li ul ol dl dt dd h1 h2 h3 h4 h5 h6 section article footer header".split())
_AROUND_MORE = " .…»›→▼▾▽"
_BEHIND_DATE = re.compile(r"\s?(?:[-–—·•|:]|\.{3}|…)\s?")


@dataclass(frozen=True, slots=True)
class HitFields:
    """One hit."""

    title: str
    """Empty where the record has no link and no title."""
    address: str | None
    """Absolute; None where the record leads nowhere, or where the page's own address is not known."""
    snippet: str
    """May be empty."""
    date: ReportDate | None


@lru_cache(maxsize=2)
def base_of(page: Page) -> str:
    """What the relative URLs of a page are resolved against."""
    return References.of(page).base


def title_node(nodes: Nodes, record: Record) -> int:
    """The first text of a hit's title; -1 where it has none."""
    title = _title(nodes, record)
    return _without_label(nodes, title).nodes[0] if title is not None and title.nodes else -1


def hit_fields(page: Page, record: Record) -> HitFields:
    """The fields of one hit.

    :param page: the page that the record was found in.
    :param record: of :func:`newsextract.extract_records`, with its items.
    """
    nodes = nodes_of(page, record)
    title = _title(nodes, record)
    address = _address(page, nodes, record, title)
    unfolding = [item for item in record.items if any(map(_is_script, _goals(nodes, record, item)))]
    # A text may end in a link that unfolds it; what is nothing but such a link is no snippet.
    leading = [item for item in record.items if item not in unfolding or item.kind == "text"]
    snippet = _snippet(leading, title)
    dates = post_dates(page)
    text, beside = _own_lines(nodes, _without_more(nodes, record, snippet, title)) if snippet is not None else ("", [])
    date, text = _leading_date(dates, text)
    if date is None and snippet is not None and snippet.nodes:
        date, text = _leading_time(dates, nodes, snippet.nodes[0], text)
    if date is None:
        lines = [line for line in map(_without_addresses, beside) if len(line) <= MAX_DATE and any(map(str.isdigit, line))]
        date = next((parsed.report("text") for line in lines for parsed in dates.text(line)[:1]), None)
    if date is None:
        date = _beside(dates, nodes, record, title, snippet)
    return HitFields(_link_text(nodes, record, title) if title is not None else "", address, text, date)


@lru_cache(maxsize=2)  # :func:`title_node` and :func:`hit_fields` ask one after the other
def _title(nodes: Nodes, record: Record) -> Item | None:
    """What markup calls the title, else the item that is called so, else the first of the longest links."""
    title = _called_title(nodes, record) or _pictured_title(nodes, record) or _likely_title(nodes, record)
    return _linked_part(nodes, record, _whole_page(nodes, record, title)) if title is not None else None


def _pictured_title(nodes: Nodes, record: Record) -> Item | None:
    """The description of a linked picture that a text repeats below it, if that is no link."""
    below = {item.text for item in record.items if item.kind == "text" and not item.static}
    pictures = (item for item in record.items if item.kind == "image" and item.nodes and item.text in below)
    return next((item for item in pictures if " " in item.text and link_around(nodes, item.nodes[0], 0) >= 0), None)


def _before_link(nodes: Nodes, record: Record, line: Item) -> str:
    """The text of a line before its first link; empty without one."""
    before = list(takewhile(lambda node: link_around(nodes, node, root_of(record, node)) < 0, line.nodes))
    return line_text(nodes, before) if 0 < len(before) < len(line.nodes) else ""


def _linked_part(nodes: Nodes, record: Record, title: Item) -> Item:
    """The longest link in a line that begins with other words and leads to several pages, or begins with a day; the last one
    of a path ("Forum / Topic")."""
    before = _before_link(nodes, record, title)
    is_dated = is_date(before)
    if len(_goals(nodes, record, title)) < 2 and not is_dated:
        return title
    texts: dict[int, list[int]] = {}
    beside: list[str] = []
    for node in title.nodes:
        link = link_around(nodes, node, root_of(record, node))
        if link >= 0:
            texts.setdefault(link, []).append(node)
        else:
            beside.append(nodes.texts[node])
    parts = [(line_text(nodes, own), tuple(own)) for own in texts.values()]
    is_path = len(beside) == len(parts) - 1 and _PATH.issuperset(beside)
    if not before and not is_path:
        return title
    text, own = parts[-1] if is_path else max(parts, key=lambda part: text_width(part[0]))
    return replace(title, text=text, nodes=own)


def _likely_title(nodes: Nodes, record: Record) -> Item | None:
    """The item that is called so, else the first of the longest links."""
    items = record.items
    called = (item for item in items if item.label == "title" and not item.text.endswith((":", "：")))
    named = next((item for item in called if not says_sold(item.text)), None)
    texts = [item for item in items if item.kind == "link" and text_kind(item.text) == "text"]
    # A title leads to one place, unlike a list of authors, and to a page.
    leading = [item for item in texts if len(_goals(nodes, record, item)) < 2]
    leading = [item for item in leading if not any(map(_is_script, _goals(nodes, record, item)))] or leading
    links = [item for item in leading if not item.static and not is_number(item.text)]
    if named is not None and named.nodes:
        before = enumerate(items[: items.index(named)])
        text = next((n for n, item in before if item.kind == "text" and text_width(item.text) >= _LONG), 0)
        above = [item for item in items[:text] if item.kind == "link" and text_kind(item.text) == "text"]
        if above and is_among_links(nodes, record, named.nodes[0]):
            return max(above, key=_title_width)  # the links below a hit lead to pages of its site
    if named is not None and (named.kind == "link" or not links or items.index(links[0]) > items.index(named)):
        return named  # else it is the title of what the hit is a part of, below the hit's own
    if not links:  # hits in one thread may all have its title
        links = [item for item in leading if len(item.text) >= _SHORT]
    first = next((item for item in links if _is_headline(nodes, record, item) or text_width(item.text) >= _LONG), None)
    if first is not None and _is_headline(nodes, record, first):
        return first
    if longest := max(links, key=_title_width, default=None):
        # "Document: A-12" may be below a title in bold that is no link.
        end = items.index(longest) if nodes.texts[longest.nodes[0]].endswith((":", "：")) else 0
        bold = (item for item in items[:end] if item.kind == "text" and not item.static and item.nodes)
        return next((item for item in bold if nodes.tags[int(nodes.parents[item.nodes[0]])] in EMPHASIS), longest)
    pictures = (item for item in items if item.kind == "image" and not item.static and " " in item.text)
    linked = (item for item in pictures if item.nodes and link_around(nodes, item.nodes[0], 0) >= 0)
    return next(linked, None) or next((item for item in items if not item.static and item.kind != "image"), None)


def _is_headline(nodes: Nodes, record: Record, item: Item) -> bool:
    """Whether a text is in a heading."""
    node = item.nodes[0] if item.nodes else 0
    around = ancestors(nodes, node, root_of(record, node) - 1, MAX_WITHIN)
    return any(nodes.tags[element] in HEADINGS for element in around)


def _title_width(item: Item) -> int:
    return min(text_width(item.text), _TITLE)


def _is_script(href: str) -> bool:
    """Whether a link leads to no page: only scripts follow it."""
    return href == "#" or href.lower().startswith("javascript:")


def _called_title(nodes: Nodes, record: Record) -> Item | None:
    """The only element of a record whose class is "title", if it is no part of a link, nor has one; None for none."""
    inside = (node for root in record.nodes for node in range(root + 1, int(nodes.ends[root])))
    called = (node for node in inside if "title" in nodes.attributes[node].get("class", "").lower().split())
    found = [node for node in called if nodes.count_texts(node)]
    if len(found) != 1 or link_around(nodes, found[0], root_of(record, found[0])) >= 0 or links_in(nodes, found[0]):
        return None
    text = nodes.text(found[0])
    if text_kind(text) != "text" or " " not in text:
        return None
    return Item(text, "text", None, "title", False, tuple(nodes.text_nodes(found[0])))


def _whole_page(nodes: Nodes, record: Record, title: Item) -> Item:
    """The link to a page where the title leads to a place within it (a line of a file), else the title."""
    pages = {goal.partition("#")[0] for goal in _goals(nodes, record, title) if "#" in goal} - {""}
    links = (item for item in record.items if item.kind == "link" and pages and text_kind(item.text) != "number")
    return next((item for item in links if _goals(nodes, record, item) == pages), title)


def _goals(nodes: Nodes, record: Record, item: Item) -> set[str]:
    """The addresses that a text's links lead to, as written."""
    links = (link_around(nodes, node, root_of(record, node)) for node in item.nodes)
    return {nodes.attributes[link]["href"] for link in links if link >= 0}


def is_number(text: str) -> bool:
    """Whether a text is the number of a document ("arXiv:2401.01234", "DOI 10.1000/182"), not its title."""
    digits = sum(map(str.isdigit, text)) if text_kind(text) != "date" else 0
    words = [word for word in text.split() if len(word) > 2 and word.rstrip(",.:;").isalpha()]
    return digits >= _DIGITS and 2 * digits >= sum(map(str.isalpha, text)) and len(words) < _FEW_WORDS


def _link_text(nodes: Nodes, record: Record, title: Item) -> str:
    """The text of the link in a title; the whole title where the link is less than half of it, numbers and scores aside."""
    title = _without_label(nodes, title)
    linked = [node for node in title.nodes if link_around(nodes, node, root_of(record, node)) >= 0]
    if not linked:
        return title.text
    text = line_text(nodes, linked)
    beside = "".join(nodes.texts[node] for node in title.nodes if node not in linked)
    counts = any(map(str.isdigit, beside)) and sum(map(str.isalpha, beside)) <= _COUNTING
    return text if (counts or 2 * len(text) >= len(title.text)) and text_kind(text) == "text" else title.text


def _without_label(nodes: Nodes, item: Item) -> Item:
    """A title without the labels that begin or end it, elements of their own ("Title:", "[PDF]", "New")."""
    kept = item.nodes
    while len(kept) > 1 and _is_label(nodes, item.nodes, kept[0]):
        kept = kept[1:]
    while len(kept) > 1 and _is_label(nodes, item.nodes, kept[-1]):
        kept = kept[:-1]
    return item if len(kept) == len(item.nodes) else replace(item, text=line_text(nodes, kept), nodes=kept)


def _is_label(nodes: Nodes, title: Sequence[int], node: int) -> bool:
    """Whether a text at the start or end of a title is a label in an element of its own.

    Words that were searched for have elements of their own, too, but also in others of the same kind.
    """
    parent = int(nodes.parents[node])
    label = nodes.texts[node].strip()
    if len(label) > _MAX_LABEL or any(parent < other < nodes.ends[parent] for other in title if other != node):
        return False
    if label[-1:] in (":", "："):
        return node == title[0]
    if label[0] + label[-1] in _BRACKETS:
        return text_kind(label) == "text"
    is_named = _LABEL_CLASS.search(nodes.attributes[parent].get("class", "")) is not None
    is_named = is_named and 2 * len(label) < sum(len(nodes.texts[other]) for other in title)
    is_known = label.strip(_AROUND_LABEL).casefold() in _LABELS
    if nodes.tags[parent] in EMPHASIS or not (is_named or is_known):
        return False
    look = nodes.tags[parent], nodes.attributes[parent].get("class")
    around = (int(nodes.parents[other]) for other in title if other != node)
    return all((nodes.tags[other], nodes.attributes[other].get("class")) != look for other in around)


def _without_more(nodes: Nodes, record: Record, snippet: Item, title: Item | None) -> Item:
    """A snippet without the link to the whole ("Continue reading …", "More"), or what unfolds it, at its end."""

    def goal(node: int) -> str | None:
        if nodes.texts[node].strip(_AROUND_MORE).lower() in words()["body"]["folds"]:
            return ""
        link = link_around(nodes, node, root_of(record, node))
        href = nodes.attributes[link]["href"] if link >= 0 else None
        return href if href is None else "" if _is_script(href) else href.partition("#")[0]

    goals = {"", *map(goal, title.nodes[:1] if title is not None else ())} - {None}
    kept = list(snippet.nodes)
    while len(kept) > 1 and goal(kept[-1]) in goals:
        kept.pop()
    if len(kept) == len(snippet.nodes) or goal(kept[-1]) is not None:
        return snippet
    return replace(snippet, text=line_text(nodes, kept), nodes=tuple(kept))


def _own_lines(nodes: Nodes, snippet: Item) -> tuple[str, list[str]]:
    """A snippet without the lines around it that are the engine's: short or labelled ones before and after a line break; and
    these lines."""
    lines: list[list[int]] = []
    for node in snippet.nodes:
        if not lines or not _BREAKS.isdisjoint(nodes.tags[lines[-1][-1] + 1 : node]):
            lines.append([])
        lines[-1].append(node)
    if len(lines) < 2:
        return snippet.text, []
    texts = [line_text(nodes, line) for line in lines]
    longest = max(range(len(texts)), key=lambda n: (not _is_address(texts[n].partition(" ")[0]), len(texts[n])))
    least = _LINE * len(texts[longest])
    begin = end = longest
    while begin > 0 and not _is_engines(texts[begin - 1], least):
        begin -= 1
    while end + 1 < len(texts) and not _is_engines(texts[end + 1], least):
        end += 1
    own = [node for line in lines[begin : end + 1] for node in line]
    return line_text(nodes, own), texts[:begin] + texts[end + 1 :]


def _is_engines(line: str, least: float) -> bool:
    """Whether a line beside a snippet is none of the document's."""
    is_short = len(line) < least or text_kind(line) != "text"
    return is_short or _LABELLED.match(line) is not None or _is_address(line.partition(" ")[0])


def _is_address(word: str) -> bool:
    """Whether a word is a URL with or without its scheme; "1.Unique" is none."""
    return text_kind(word) == "address" and ("/" in word or word.startswith("www."))


def _address(page: Page, nodes: Nodes, record: Record, title: Item | None) -> str | None:
    """Where the title leads, else the first link of the record that leads anywhere, rather to another page than to another
    view of this one ("More like this")."""
    items = [item for item in record.items if item.nodes]
    place = items.index(title) if title in items else 0
    own = title.nodes if title is not None else ()
    first = nodes.texts[own[0]] if own[1:] else ""
    is_label = first.endswith((":", "："))
    starts = [
        *own[is_label : is_label + 1],
        *(item.nodes[0] for item in items if title is not None and item.text == title.text),
        *(node for item in items[:place] for node in item.nodes),
        # Of "URL: https://…" the last text, of "Document: A-12" what is behind the label.
        *(item.nodes[-1] if _is_address(nodes.texts[item.nodes[-1]].strip()) else item.nodes[0] for item in items[place:]),
        *(item.nodes[1] for item in items[place:] if item.nodes[1:] and nodes.texts[item.nodes[0]].endswith((":", "："))),
        *(own[1:2] if 0 < len(first) <= _COUNTING and any(map(str.isdigit, first)) else ()),  # behind the time of day
    ]
    view: str | None = None
    for start in starts:
        root = root_of(record, start)
        # A link around the whole record counts: it is above the record's root.
        link = link_around(nodes, start, 0 if nodes.tags[root] != "a" else root)
        if link < 0 and start == next(iter(own), -1):
            link = _link_within_heading(nodes, start, root)
        if link < 0:
            continue
        href = nodes.attributes[link]["href"].strip()
        if href.startswith(("#", "javascript:", "mailto:", "data:", "tel:")):
            continue
        found = resolved(base_of(page), href)
        if found is not None and (start in own or "?" not in found or not is_view(found, page.url)):
            return found
        view = view or found
    if view is not None:
        return view
    # A link amid the text that shows no words: "…", "[+]".
    hrefs = [nodes.attributes[node]["href"] for root in record.nodes for node in links_in(nodes, root)]
    goals = {goal for href in hrefs if not _is_script(href) and (goal := resolved(base_of(page), href))}
    return goals.pop() if len(goals) == 1 else None


def is_view(address: str, here: str | None) -> bool:
    """Whether a URL is that of another view of a page: the same path, and a parameter of the same name."""
    path, _, asked = address.partition("#")[0].partition("?")
    own, _, given = (here or "").partition("#")[0].partition("?")
    if path != own or not asked:
        return path == own
    # Many systems have one path for all their pages: "/?s=pears" leads to "/?p=12", "?do=search&s=pears" to "?do=show&p=12".
    mine, theirs = parse_qs(given), parse_qs(asked)
    actions = {name for name in _ACTIONS & mine.keys() & theirs.keys() if mine[name] != theirs[name]}
    is_common = path.endswith("/") or path.rpartition("/")[2].startswith(_FRONT) or bool(actions)
    return not (is_common and mine.keys() & theirs.keys() <= actions)


def _link_within_heading(nodes: Nodes, start: int, root: int) -> int:
    """A link in the same heading as a title that is not itself a link."""
    node = start
    while node > root and nodes.tags[node] not in HEADINGS | {"li", "tr"}:
        node = int(nodes.parents[node])
    return next(iter(links_in(nodes, node)), -1) if node > root else -1


def _snippet(items: Sequence[Item], title: Item | None) -> Item | None:
    """The item that is called so, else the longest text."""
    others = [item for item in items if title is None or (item is not title and item.text != title.text)]
    named = next((i for name in ("snippet", "body") for i in others if i.label == name), None)
    if named is not None:
        return named
    texts = [
        item
        for item in others
        if item.kind != "image" and not item.static and len(item.text) >= _SHORT
        and text_kind(item.text) == "text" and not item.label.startswith("author") and not is_byline(item.text)
    ]  # fmt: skip
    return max(texts, key=lambda item: (item.kind == "text", text_width(item.text)), default=None)


def _leading_date(dates: PostDates, text: str) -> tuple[ReportDate | None, str]:
    """The date that begins a snippet, and the snippet without it."""
    for parsed in dates.text(text[:MAX_DATE])[:1]:
        behind = _BEHIND_DATE.match(text, parsed.end)
        if parsed.start == 0 and (behind is not None or parsed.end == len(text)):
            return parsed.report("snippet"), text[behind.end() if behind is not None else parsed.end :]
    return None, text


def _leading_time(dates: PostDates, nodes: Nodes, first: int, text: str) -> tuple[ReportDate | None, str]:
    """The date of the element that begins a snippet and is nothing else, and the snippet without it."""
    shown = nodes.texts[first].strip()
    parent = int(nodes.parents[first])
    alone = nodes.ends[parent] == first + 1 and parent == first - 1 and nodes.tags[parent] not in EMPHASIS
    if not alone or text_kind(shown) != "date" or not text.startswith(shown):
        return None, text
    found = date_at(dates, nodes, first, shown)
    return found, text[len(shown) :].lstrip() if found is not None else text


def _beside(dates: PostDates, nodes: Nodes, record: Record, title: Item | None, snippet: Item | None) -> ReportDate | None:
    """The date of an item of its own, one below a label of publication or that is called so first; else the day in a line
    with other words ("by Jane Doe, 3 May 2021", "12 kB | 3 May 2021"). A ``datetime`` attribute tells more than a text."""
    own = title.text if title is not None and title.text else None
    for line in record.items:
        if title is not None and title.nodes and title is not line and title.nodes[0] in line.nodes:
            found = date_at(dates, nodes, line.nodes[0], _before_link(nodes, record, line))
            if found is not None:
                return found
    beside = [item for item in record.items if item is not snippet and item.kind != "image"]
    beside = [item for item in beside if own is None or own not in item.text]  # "Read more about …" repeats the title
    items = [item for item in beside if len(item.text) <= MAX_DATE]
    labelled = pairwise(record.items)
    published = {id(item) for label, item in labelled if label.text.strip(_AROUND_LABEL).casefold() in _PUBLISHED}
    items.sort(key=lambda item: (id(item) not in published, not item.label.startswith("date")))
    told = (date_at(dates, nodes, item.nodes[0] if item.nodes else -1, item.text) for item in items)
    if (found := next(filter(None, told), None)) is not None:
        return found
    lines = tuple(replace(item, text=_without_addresses(item.text)) for item in beside)
    found = dates.find(nodes, replace(record, items=lines), others=False) if lines else None
    return found if found is not None and found.precision not in ("year", "month") else None


def _without_addresses(line: str) -> str:
    """A line without the URLs in it, which may have days of their own."""
    return " ".join(word for word in line.split() if not _is_address(word))


def date_at(dates: PostDates, nodes: Nodes, node: int, text: str) -> ReportDate | None:
    """The date that a text is and nothing else; a ``datetime`` attribute around it tells more.

    :param node: of the text; -1 where it is not known.
    """
    parent = int(nodes.parents[node]) if node >= 0 else -1
    stamp = nodes.attributes[parent].get("datetime") if parent >= 0 else None
    parsed = dates.stamp(stamp) if stamp else None
    if parsed is not None:
        return parsed.report("time")
    return next((parsed.report("text") for parsed in dates.text(text)[:1]), None) if is_date(text) else None
