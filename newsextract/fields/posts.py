"""The posts of a thread's page: author, date, body and permalink of each.

A record that an algorithm found is mostly a post; :mod:`.post_areas` mends those that are not, and finds what is missing.
Author and date are found by :mod:`.post_fields`, the body by :mod:`.post_text`; the labelled columns
of the record's region support what the markup of the post says. What the record lacks is looked for around it
(:func:`newsextract.fields.post_elements.surroundings`).

Cost: about .5 ms a post of the bench.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from itertools import takewhile
from urllib.parse import urljoin, urlsplit

from newsextract.discovery.threads import thread_address
from newsextract.fields.mail_messages import MailMessage, mail_messages
from newsextract.fields.page_facts import absolute
from newsextract.fields.post_areas import PostAreas
from newsextract.fields.post_elements import (
    DIGITS,
    elements,
    inside,
    is_quotation,
    lists_comments,
    nodes_of,
    post_elements,
    record_around,
    surroundings,
    words,
)
from newsextract.fields.post_fields import (
    SURE_AUTHOR,
    best_author,
    clean_name,
    find_author,
    has_day,
    has_no_year,
    is_count,
    is_imprint,
    links_to_profile,
    post_dates,
)
from newsextract.fields.post_heads import headed_posts, signed_lines, spoken_lines
from newsextract.fields.post_lines import at_places_of_others, is_prose
from newsextract.fields.post_quotes import (
    DIVIDER,
    LINK_TEXT,
    MAX_SIGNATURE,
    Quote,
    answered,
    linked,
    named_place,
    repeated_above,
)
from newsextract.fields.post_text import find_body, read_text
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.leaves import text_kind, text_width
from newsextract.results import Record, RecordPage, ReportDate
from newsextract.urls import NOWHERE, normalize

# --- posts ----------------------------------------------------------------------------------------

_ANSWERING = re.compile(
    r"(?:(?:reply|replying|in reply)(?: to)?|回[复覆]|antwort(?: an)?|réponse à)\s?@[^\n]{1,40}[:：]\n|[:：]\s",
    re.IGNORECASE,
)
"""A line above a post's text that only names whom it answers, or the colon behind its author's name."""
_EVENT = re.compile("|".join(words()["event"]["lines"]))
_MAX_EVENTS = 8
"""Lines of a post that only says what was changed."""
_MAX_EVENT = 200
"""Characters of such a line."""
_START = 20
"""Characters of a line that tell it from others: a post's text may be divided into more lines."""
_MAX_NAMES = 4
"""Words of a name before it."""
_MINUTE = len("2026-01-31T10:30")


@dataclass(frozen=True, slots=True)
class PostFields:
    """One post."""

    author: str | None
    """Name as the page shows it."""
    date: ReportDate | None
    body: str
    """What the author wrote, without quotations and signature; paragraphs are lines. Empty for a post without words of its
    own."""
    permalink: str | None
    """Absolute address of the post itself."""
    quotes: tuple[Quote, ...] = ()
    """What it quotes, in order."""
    signature: str | None = None
    is_linked: bool = False
    """Whether all of its words are the text of links: more likely a title or a menu than a post."""
    reply_to: str | None = None
    """Absolute address of the post that it answers, where the page links to that as such."""

    @property
    def first_line(self) -> str:
        """Of its body."""
        return self.body.partition("\n")[0]


def post_fields(page: Page, record: Record, area: int | None = None, beside: Set[str] = frozenset()) -> PostFields:
    """The fields of one post.

    :param page: the page that the record was found in; relative dates count from its time of fetch.
    :param record: of :func:`newsextract.extract_records`, with its items.
    :param area: the largest element around it that holds no other post; None where that is not known.
    :param beside: labels of items that are not of the text (:func:`_columns_beside`).
    """
    nodes = nodes_of(page, record)
    dates = post_dates(page)
    named = best_author(nodes, record, page.url)
    # The day around a record is the post's rather than one that a sentence in it tells.
    date = dates.find(nodes, record, others=False, told=False)
    link = linked(nodes, record.nodes, page.url)
    around: list[int] = []
    is_sure = named is not None and named[0] >= SURE_AUTHOR
    if not is_sure or date is None or link is None:
        around = surroundings(nodes, record, area)
    # The names and days of comments are not looked for around the list that holds them.
    inner = [node for node in around if lists_comments(nodes, node)][-1:]
    wholes = [*inner, *around[:1]]
    # A link to a profile may be that of somebody who likes the post: names that markup calls so are better.
    for node in () if is_sure else (wholes if named is None else around[::-1]):
        there = best_author(nodes, Record("", (), record.region, (node,)), page.url)
        if there is not None and (named is None or there[0] >= SURE_AUTHOR):
            named = there
            break
    for node in wholes:
        link = link or linked(nodes, [node], page.url)
    if date is None:
        held = [record, *(record_around(nodes, record, node) for node in wholes)]
        days = (dates.find(nodes, whole, others=False, told=told) for told in (False, True) for whole in held)
        date = next(filter(None, days), None) or dates.find(nodes, record, members=False)
    author = named[1] if named is not None else None
    body = find_body(nodes, record, author, date.evidence if date is not None else None, page.metadata.title, beside)
    answering = _ANSWERING.match(body.own)
    return PostFields(
        author,
        date,
        _without_events(body.own[answering.end() :] if answering is not None else body.own),
        link or named_place(nodes, (*around, *record.nodes), page.url),
        body.quotes,
        body.signature or _signature(nodes, record, around, page.url),
        body.is_linked,
        answered(nodes, record, around, page.url),
    )


def _signature(nodes: Nodes, record: Record, around: Sequence[int], url: str | None) -> str | None:
    """The text of an element outside the body that is called a signature, unless it links to a profile."""
    for root in (*record.nodes, *around[:1]):
        for node, *_ in elements(nodes, [root], post_elements(nodes).signatures):
            if not links_to_profile(nodes, node, url):
                text = "\n".join(line for line in read_text(nodes, [node]).own.split("\n") if not DIVIDER.fullmatch(line))
                if 0 < len(text) <= MAX_SIGNATURE:
                    return text
    return None


# --- thread posts ---------------------------------------------------------------------------------
# A post is the smallest area that holds a name, a date and text. A record algorithm compares the parts of a page, so it
# misses the post that is built unlike the others (an opening post above the list of replies) or stands alone (an archive
# with one message a page), and there it finds menus and paragraphs instead. So records that mostly have neither name nor
# date are no posts, and an area is looked for around the page's longest text.

LONG = 2
"""Lengths of the median post from which on a record without author and permalink is a post."""
_NAMED = 0.5
"""Least share of the records that have an author or a date for all of them to be posts."""
_LEAST_TITLE = 8
"""Characters of a link that may be a thread's title, Chinese and Japanese ones counted twice."""
_LEADING = 0.6
"""Share of the records that have such a link where they are rows of a board."""
_HELD = 0.8
"""Least share of the posts whose text posts told by their heads must have, to take their place."""
_LEAST_QUOTATIONS, _QUOTED = 3, 0.8
"""Quotations of a page, and their share of its texts with a sentence, from which on they are the posts themselves."""
_MAX_BESIDE, _LEAST_BESIDE, _BESIDE = 60, 3, 0.9
"""Characters of an item above a text, and least number and share of the posts that have it if it is not of the text."""
_MAX_COUNTER, _LEAST_COUNTERS, _COUNTERS = 30, 3, 0.8
"""Characters of a line that is a counter or a rank, and least number and share of the posts that have it."""


@dataclass(frozen=True, slots=True)
class PagePosts:
    """What was read of a page as posts."""

    posts: tuple[PostFields, ...]
    """In order."""
    are_sure: bool
    """Whether they are posts although nothing else says so of the page: they have names, days and words of their own, and do
    not lead to a page each, as the rows of a board do."""


def thread_posts(page: Page, found: RecordPage, *, is_later: bool = False) -> PagePosts:
    """The posts of a page.

    :param is_later: the page is not the first one of its thread: an opening post above the list has been there, too.
    """
    page = _with_plain_texts(page, found.records)
    if messages := mail_messages(page, page.nodes):
        return PagePosts(tuple(_sent(message, page.url, len(messages) == 1) for message in messages), are_sure=True)
    areas, read = _compared_posts(page, found, is_later)
    first = min((record.nodes[0] for record in found.records if record.nodes), default=0) if is_later else 0
    found_posts = _headed(page, areas, read, first) or read
    dates = post_dates(page)
    told = [post for post in found_posts.posts if _is_told(post)]
    spoken, signed = spoken_lines(areas, dates), signed_lines(areas, dates)
    # Comments below posts are signed, too; then the posts have other authors.
    others = {post.author for post in told if not any(text in post.body for _, _, text in signed)}
    if others <= {name for name, _, _ in signed}:
        spoken = max(spoken, signed, key=len)
    if len(spoken) > len(told):
        found_posts = PagePosts(tuple(PostFields(name, date, text, None) for name, date, text in spoken), are_sure=True)
    found_posts = replace(found_posts, posts=tuple(_without_counters(found_posts.posts)))
    posts = found_posts.posts
    # Narrow screens are shown the head of a post once more, above its picture.
    posts = tuple(post for post, after in zip(posts, [*posts[1:], None], strict=False) if not _is_head_of(post, after))
    return replace(found_posts, posts=_with_years(_with_quotes(posts), is_known=dates.relative))


def oldest_first(posts: Sequence[PostFields]) -> tuple[PostFields, ...]:
    """The posts of a whole thread in the order in which they were written, if the page has the newest first."""
    days = [post.date.value for post in posts if post.date is not None and has_day(post.date)]
    is_turned = len(days) == len(posts) > 1 and days[0] > days[-1] and days == sorted(days, reverse=True)
    return tuple(posts[::-1] if is_turned else posts)


def _with_plain_texts(page: Page, records: Sequence[Record]) -> Page:
    """A page with nearly all prose of it, or of most records, in quotations, with these as plain elements: old boards set
    every post so."""
    nodes = page.nodes
    if page.snapshot is not None or len(nodes.by_tag["blockquote"]) < _LEAST_QUOTATIONS:
        return page
    quoted: set[int] = set()
    tags = list(nodes.tags)
    for node in nodes.by_tag["blockquote"]:
        if node not in quoted and is_quotation("blockquote", nodes.attributes[node]):
            quoted.update(range(node, int(nodes.ends[node])))
            tags[node] = "div"
    prose = [node for node in nodes.shown.tolist() if is_prose(nodes.texts[node])]
    parts = [[n for root in record.nodes for n in inside(prose, nodes, root)] for record in records if record.region == 0]
    parts = [part for part in parts if part]
    are_whole = len(parts) >= _LEAST_QUOTATIONS and sum(map(quoted.issuperset, parts)) >= _QUOTED * len(parts)
    if not are_whole and sum(node in quoted for node in prose) < _QUOTED * len(prose):
        return page
    plain = copy(page)
    plain.__dict__["nodes"] = replace(nodes, tags=tags)  # read once and kept
    return plain


def _without_counters(posts: Sequence[PostFields]) -> list[PostFields]:
    """Posts without the first and last lines that nearly all have, numbers and ranks aside: "3 votes", "Junior Member"."""
    refused = words()["author"]["refused"]

    def key(line: str) -> str:
        word = line.lower().strip()
        is_counter = DIGITS.search(word) is not None and word[-1] not in ".!?…"  # no sentence
        return "rank" if word in refused else DIGITS.sub("", word).rstrip("s") if is_counter else ""

    bodies = [post.body.split("\n") for post in posts]
    for place in (0, 0, -1):
        keys = [key(lines[place]) if len(lines) > 1 and len(lines[place]) <= _MAX_COUNTER else "" for lines in bodies]
        common, count = Counter(filter(None, keys)).most_common(1)[0] if any(keys) else ("", 0)
        if count >= max(_LEAST_COUNTERS, _COUNTERS * len(posts)):
            cut = slice(1, None) if place == 0 else slice(None, -1)
            bodies = [lines[cut] if own == common else lines for lines, own in zip(bodies, keys, strict=True)]
    return [replace(post, body="\n".join(lines)) for post, lines in zip(posts, bodies, strict=True)]


def _with_quotes(posts: Sequence[PostFields]) -> list[PostFields]:
    """Posts with what they begin with as a quotation where that is the name of another above, and its words."""
    above: list[tuple[str | None, str]] = []
    found: list[PostFields] = []
    for post in posts:
        repeated = repeated_above(post.body, above) if not post.quotes else None
        found.append(post if repeated is None else replace(post, quotes=repeated[:1], body=repeated[1]))
        above.insert(0, (post.author, post.body))
    return found


def _with_years(posts: Sequence[PostFields], *, is_known: bool) -> tuple[PostFields, ...]:
    """Posts; of a day without a year the first year in which it is not before the first post that has one.

    :param is_known: the time of fetch is known: where no post has a year, such a day is the last before it, else none.
    """
    days = [post.date for post in posts if post.date is not None]
    first = next((date.value[:10] for date in days if has_day(date) and not has_no_year(date)), None)

    def with_year(date: ReportDate) -> ReportDate | None:
        value = f"{int((first or date.value)[:4]) + (date.value[5:10] < (first or '')[5:]):04d}{date.value[4:]}"
        return replace(date, value=min(value, date.value)) if first or is_known else None

    return tuple(
        replace(post, date=with_year(post.date)) if post.date is not None and has_no_year(post.date) else post
        for post in posts
    )


def _compared_posts(page: Page, found: RecordPage, is_later: bool) -> tuple[PostAreas, PagePosts]:
    """The posts by the records that an algorithm found, else the one around the longest text."""
    records = [record for record in found.records if record.region == 0]
    areas = PostAreas(page, nodes_of(page, records[0]) if records else page.nodes)
    records = areas.with_others(areas.completed(records))
    within = areas.of(records)
    fields = [post_fields(page, record, area) for record, area in zip(records, within, strict=True)]
    if beside := _columns_beside(records, areas.with_names(records, within, fields)):
        fields = [post_fields(page, record, area, beside) for record, area in zip(records, within, strict=True)]
    fields = at_places_of_others(areas.nodes, records, within, areas.with_names(records, within, fields))
    fields = _without_told_days(fields)
    listed = written_by_somebody(
        [post for post, record in zip(fields, records, strict=True) if not _is_event(_with_words(areas.nodes, post, record))]
    )
    are_named = sum(bool(post.author or post.date) for post in listed) >= _NAMED * len(listed)
    # The index of an archive has names alone.
    are_named = are_named and any(
        post.quotes or is_prose(post.body) or (post.author is not None and post.body not in post.author) for post in listed
    )
    of_post = {id(post): record for post, record in zip(fields, records, strict=True)}
    rows = are_named and _lead_elsewhere(page, areas.nodes, [(of_post[id(post)], post.author) for post in listed])
    # Rows of links beside the only post are other threads.
    are_others = rows and (
        all(post.is_linked for post in listed) or thread_address(normalize(page.url or "") or "") is not None
    )
    if listed and are_named and ((any(post.date for post in listed) and not are_others) or not areas.beside(records)):
        told = [post for post in listed if _is_told(post)]
        are_sure = 2 * len(told) >= len(listed) and not rows
        named = [of_post[id(post)].nodes for post in listed if post.author or post.date]
        opening = None if is_later else areas.opening([roots for roots in named if roots])
        first = post_fields(page, opening) if opening is not None else None
        if opening is not None and first is not None and _is_told(first) and not _is_head(first, listed[0]):
            # Its text may be among the records, without the name and the date above it.
            held = {node for root in opening.nodes for node in range(root, int(areas.nodes.ends[root]))}
            listed = (first, *(post for post in listed if held.isdisjoint(of_post[id(post)].nodes)))
        return areas, PagePosts(listed, are_sure)
    here = (page.url or "").partition("#")[0]
    # What leads elsewhere is the message's place in an index.
    alone = tuple(
        post if (post.permalink or "").partition("#")[0] == here else replace(post, permalink=None)
        for post in (post_fields(page, record) for record in areas.alone())
    )
    return areas, PagePosts(alone, any(map(_is_told, alone)))


def _columns_beside(records: Sequence[Record], fields: Sequence[PostFields]) -> frozenset[str]:
    """Labels of columns that are not of the posts' texts: short ones above them in nearly all posts, and those that are the
    same in all posts of an author (panels, signatures)."""
    above: Counter[str] = Counter()
    told: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    times: Counter[tuple[str, str]] = Counter()
    for record, post in zip(records, fields, strict=True):
        items = [item for item in record.items if item.kind != "image"]
        head = list(takewhile(lambda item: item.label != "body", items))
        above.update(item.label for item in head if len(head) < len(items) and len(item.text) <= _MAX_BESIDE)
        for item in items if post.author else ():
            told[item.label][post.author or ""].add(item.text)
            times[item.label, post.author or ""] += 1
    short = {label for label, count in above.items() if count >= max(_LEAST_BESIDE, _BESIDE * len(records))}
    repeated = {
        label
        for label, texts in told.items()
        if label != "body" and len({*map(frozenset, texts.values())}) > 1
        and all(len(own) == 1 for own in texts.values()) and any(times[label, author] > 1 for author in texts)
    }  # fmt: skip
    return frozenset(short | repeated)


def _headed(page: Page, areas: PostAreas, read: PagePosts, first: int) -> PagePosts | None:
    """The posts by their heads, where these are more than those that were read and hold their texts; None elsewhere.

    :param first: the node before which there are none.
    """
    told = [post for post in read.posts if _is_told(post)]
    if len(told) > 1 and len({post.body for post in told}) == 1:
        told = []  # a note below each of them
    groups = headed_posts(areas, post_dates(page), len(told) if len(told) > 1 else 0)
    found: list[tuple[Record, PostFields]] = []
    looks = Counter(headed.look for group in groups for headed in group)
    # A question and its answer, where nothing else tells posts.
    are_several = not told and sum(group[0].is_named and group[0].area is not None for group in groups) > 1
    for group in groups:
        within = [headed.area for headed in group]
        authors = [find_author(areas.nodes, headed.record, page.url) for headed in group]
        records = [headed.named(author) for headed, author in zip(group, authors, strict=True)]
        fields = [post_fields(page, record, area) for record, area in zip(records, within, strict=True)]
        fields = [replace(post, date=one.day or post.date) for post, one in zip(fields, group, strict=True)]
        fields = at_places_of_others(areas.nodes, records, within, areas.with_names(records, within, fields))
        # What is built like nothing else on the page is a post if it has a sentence, or is called one.
        has_name = authors[0] is not None or (are_several and group[0].is_named)
        is_alone = len(groups) == 1 or (has_name and within[0] is not None)
        is_like = looks[group[0].look] > 1 and (fields[0].author or "") not in fields[0].body
        is_kind = len(fields) > 1 or is_like or areas.is_called(records[0]) or (is_alone and _has_sentence(fields[0]))
        pairs = list(zip(records, fields, strict=True))
        are_rows = _lead_elsewhere(page, areas.nodes, [(record, post.author) for record, post in pairs])
        if is_kind and not are_rows and 2 * sum(map(_is_told, fields)) >= len(fields):
            kept = ((record, post) for record, post in pairs if _is_told(post) or _is_silent(post))
            found += [(record, post) for record, post in kept if record.nodes[0] >= first]
    found.sort(key=lambda pair: pair[0].nodes[0])
    # Few posts have no text (a picture).
    if 0 < 2 * sum(map(_is_silent, read.posts)) < len(told):
        told = [post for post in read.posts if _is_told(post) or _is_silent(post)]
    posts = [_whole(post, told) for _, post in found]
    lines = {line: number for number, post in reversed(list(enumerate(posts))) for line in post.body.split("\n")}
    named = {(post.author, post.date): number for number, post in reversed(list(enumerate(posts)))}
    places = [_place(post, lines) if post.body else named.get((post.author, post.date)) for post in told]
    held = sum(place is not None for place in places)
    if len(told) == len(posts) == 1 and (told[0].author, told[0].date) == (posts[0].author, posts[0].date):
        return PagePosts(tuple(posts), read.are_sure)  # its text is that below its head, not a longer one above
    # The first may be an article above its comments, built otherwise.
    above = places[:1] == [None] and any(map(_has_sentence, posts))
    # Of a question and its answer that are built otherwise only one was read.
    is_other = above and len(told) == 1 and places == [named.get((told[0].author, told[0].date))]
    is_answered = is_other and all(areas.is_called(record) for record, _ in found)
    if not told and 2 * len(found) < sum(post.author is not None and _has_sentence(post) for post in read.posts):
        return None  # of posts without days one or the other tells of one
    if len(found) + is_answered <= len(told) - above or held < _HELD * (len(told) - above):
        bodies = Counter(post.body for post in posts)
        alike = {post.body: post for post in posts if post.body and bodies[post.body] == 1}
        return replace(read, posts=tuple(post if _is_told(post) else alike.get(post.body, post) for post in read.posts))
    # Posts that have no head of their own stay before those that follow them.
    starts = {line.text[:_START]: line.node for line in reversed(areas.lines)}
    *before, last = [starts.get(post.first_line[:_START], len(areas.nodes)) for post in [*posts, *told[-1:]]]
    following = sum(start < last for start in before) if told else len(posts)
    for post, place in zip(reversed(told), reversed(places), strict=True):
        if place is None:
            posts.insert(following, post)
        else:
            following = place
            posts[place] = posts[place] if post.body else post
    size = sum(len(line.text) for line in areas.lines if not line.linked)
    return PagePosts(tuple(posts), read.are_sure or 2 * sum(len(post.body) for post in posts) > size)


def _whole(post: PostFields, known: Sequence[PostFields]) -> PostFields:
    """A post, or the same one as it was read otherwise if that has more than twice its text."""
    moment = (post.author, post.date.value if post.date else "")
    same = (one for one in known if moment == (one.author, one.date.value if one.date else "") and post.body in one.body)
    return next((one for one in same if len(one.body) > 2 * len(post.body) > 0), post)


def _place(post: PostFields, lines: Mapping[str, int]) -> int | None:
    """Where the first line of a post is among the posts by lines; None if most of its text is not there."""
    own = post.body.split("\n")
    held = [line for line in own if line in lines]
    return lines[held[0]] if held and 2 * sum(map(len, held)) >= sum(map(len, own)) else None


def _sent(message: MailMessage, url: str | None, is_alone: bool) -> PostFields:
    """The post that a message is.

    :param is_alone: no other stands on the page: its URL is the page's.
    """
    named = next((href for text, href in message.links if LINK_TEXT.fullmatch(text.lower())), None)
    link = url if is_alone else absolute(named, url)
    text, reply = message.text, absolute(message.reply_to, url)
    return PostFields(message.author, message.date, text.own, link, text.quotes, text.signature, text.is_linked, reply)


def _without_told_days(posts: Sequence[PostFields]) -> list[PostFields]:
    """Posts of a page that shows no days: one that a few of them tell is not when they were written."""
    dated = [(post.date, [post.body, *(quote.text for quote in post.quotes)]) for post in posts if post.date is not None]
    told = sum(any(date.evidence in text for text in texts) for date, texts in dated)
    are_shown = len(dated) > told or 2 * told >= len(posts)
    return list(posts) if are_shown else [replace(post, date=None) for post in posts]


def _is_told(post: PostFields) -> bool:
    """Whether a post has all that a post has."""
    is_dated = post.date is not None and has_day(post.date)
    own = post.body.replace(post.author or NOWHERE, "").strip(" ()·•|,:–—-\n")
    is_written = bool(own) and not (post.is_linked or own.isdigit() or is_count(own))
    return is_dated and post.author is not None and (is_written or bool(post.quotes))


def _is_event(post: PostFields) -> bool:
    """Whether a post only says what its author changed ("closed this"), as trackers do between comments."""
    lines = (post.body or post.author or "").replace(":\n", ": ").split("\n")
    if post.date is None or post.quotes or len(lines) > _MAX_EVENTS or not all(lines):
        return False
    name, day = post.author or "", post.date.evidence
    for line in lines:
        is_behind = bool(name) and line.startswith(name) and line != name
        said = line.removesuffix(day).removeprefix(name if is_behind else "").strip(" .·,").lower()
        # Another name than the one that was told may be within the line.
        parts = [] if is_behind or said.startswith(("i ", "we ")) else said.split(" ", _MAX_NAMES)
        starts = [said, *(" ".join(parts[k:]) for k in range(1, len(parts)))]
        if len(said) > _MAX_EVENT or not any(map(_EVENT.fullmatch, starts)):
            return False
    return True


def _is_head_of(post: PostFields, after: PostFields | None) -> bool:
    """Whether a post of one line has the name and the second of the longer one behind it, or is a figure ("Posts: 12") and
    has its name and moment."""
    is_figure = post.author is not None and post.body.rpartition(": ")[2].isdigit()
    if after is None or post.date is None or not (is_figure or post.date.precision == "second") or "\n" in post.body:
        return False
    is_same = (post.author, post.date.value) == (after.author, after.date.value if after.date is not None else "")
    return is_same and len(post.body) < len(after.body)


def _without_events(text: str) -> str:
    """A text without the lines above it that say what its author changed in a report."""
    event, _, rest = text.partition("\n")
    while rest and len(event) <= _MAX_EVENT and _EVENT.fullmatch(event.lower()):
        text = rest
        event, _, rest = text.partition("\n")
    return text


def _with_words(nodes: Nodes, post: PostFields, record: Record) -> PostFields:
    """A post without a body with the words of its record, if they are few."""
    inside = [n for root in record.nodes for n in range(root, int(nodes.ends[root]))] if not post.body else []
    texts = [nodes.texts[n] for n in inside if nodes.texts[n] and text_kind(nodes.texts[n]) != "date"]
    return replace(post, body=" ".join(" ".join(texts).split())) if 0 < len(texts) <= _MAX_EVENTS else post


def _is_silent(post: PostFields) -> bool:
    """Whether a post has a name and a day, but no words."""
    return not post.body and not post.quotes and post.author is not None and post.date is not None


def _has_sentence(post: PostFields) -> bool:
    """Whether a post has a line that is long enough for a sentence and does not name its author."""
    lines = post.body.split("\n")
    return not is_imprint(post.body) and any(is_prose(line) and (post.author or "") not in line for line in lines)


def _is_head(post: PostFields, first: PostFields) -> bool:
    """Whether a post is the lines above a thread that say who began it, and when: it has author and minute of the first."""
    moments = [found.date.value[:_MINUTE] if found.date is not None else "" for found in (post, first)]
    return post.author == first.author and moments[0] == moments[1] and "T" in moments[0]


def _lead_elsewhere(page: Page, nodes: Nodes, records: Sequence[tuple[Record, str | None]]) -> bool:
    """Whether most records have a link of their own words to a page of its own.

    :param records: each with its author, whose page does not count.
    """
    if len(records) < 2:
        return False
    url = page.url or NOWHERE
    host, here = urlsplit(url).hostname, _document(url)
    profiles = words()["author"]["profiles"]
    leads: set[tuple[str, str]] = set()
    for record, author in records:
        for node, _, attributes, _ in elements(nodes, record.nodes, post_elements(nodes).links):
            href = attributes["href"]
            text = nodes.text(node)
            if (author and author in (text, clean_name(text))) or any(form in href.lower() for form in profiles):
                continue
            if text_width(text) < _LEAST_TITLE or text_kind(text) != "text":
                continue
            try:
                there = urljoin(url, href.strip())
                is_own = urlsplit(there).hostname == host and (_document(there) != here or _is_other_thread(url, there))
            except ValueError:
                continue  # not a valid URL
            if is_own:
                leads.add((DIGITS.sub("", text), there))
                break
    texts, places = {text for text, _ in leads}, {there for _, there in leads}
    return min(len(texts), len(places)) >= _LEADING * len(records)


def _is_other_thread(here: str, there: str) -> bool:
    """Whether two addresses are those of threads, and not of the same."""
    mine, other = (thread_address(normalize(url) or url) for url in (here, there))
    return mine is not None and other is not None and mine.key != other.key


def _document(url: str) -> str:
    """A URL without query and fragment."""
    return url.partition("#")[0].partition("?")[0].rstrip("/")


def written_by_somebody(records: Sequence[PostFields]) -> tuple[PostFields, ...]:
    """The records that are posts. Where most of a page's have an author, one with neither author nor date is a title, a
    pager or a signature, unless it is long: a first post may differ from the replies. Where most have both, one that lacks
    either and has no sentence is a table of figures."""
    told = [post for post in records if post.body or post.quotes or (post.author and post.date)]
    if not all(post.is_linked for post in told):
        told = [post for post in told if not post.is_linked]
    lengths = sorted(len(post.body) for post in told if post.author)
    if 2 * len(lengths) < len(told):
        return tuple(told)
    long = LONG * lengths[len(lengths) // 2] if lengths else 0
    told = [post for post in told if post.author or post.date or len(post.body) > long]
    if 2 * sum(bool(post.author and post.date) for post in told) < len(told):
        return tuple(told)
    return tuple(post for post in told if (post.author and post.date) or is_prose(post.body))
