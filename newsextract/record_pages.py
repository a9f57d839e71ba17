"""A page of a thread → its posts; a result page → its hits; a list page → its teasers.

:func:`extract_posts`, :func:`extract_hits` and :func:`extract_teasers` are for users of the library. A crawl knows more (the
site's rules, earlier pages) and calls ``read_…_page`` in a worker; the spider makes the feed lines (*page records*).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from newsextract import Page
from newsextract.control_characters import cleaned
from newsextract.discovery import Rules, belongs, matches
from newsextract.discovery.links import read_links, text_length
from newsextract.discovery.pagination import next_results, step, written_next_page
from newsextract.discovery.threads import ForumPage, next_in_forum, read_forum_page
from newsextract.feed.record_lines import RESERVED, Hit, Limits, Post, Teaser
from newsextract.fields.page_facts import reservation
from newsextract.fields.title import find_title
from newsextract.page.references import host_of
from newsextract.results import Status, Surroundings
from newsextract.urls import normalize, record_id

if TYPE_CHECKING:
    from newsextract.fields.hits import HitFields
    from newsextract.fields.only_record import Said
    from newsextract.fields.posts import PostFields
    from newsextract.fields.teasers import TeaserFields
    from newsextract.page.nodes import Nodes
    from newsextract.page.snapshot import Snapshot
    from newsextract.results import RecordPage

# --- record pages ---------------------------------------------------------------------------------

_ANSWER = re.compile(r"^(?:(?:re|aw|antw|sv|回复|回覆|答复)\s?(?:\[\d+\])?\s?[:：]\s*)+", re.IGNORECASE)
"""What mail puts before the subject of an answer."""
_TITLE_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
DOUBTFUL = 0.5
"""Confidence below which the hits of a page without any of the engine's shape are none. In the lab, what is found on pages
without hits has 0.17 at most, and the shape of one page fits all others of its engine."""
HARDLY = 0.3
"""Confidence below which records without any word of the query are no hits: menus, categories, other sites of the owner."""
_FEW_ROWS = 3
"""Rows below the header of a table up to which they are the hits of a page without any others."""
_LEAST_COMPARED = 3
"""From so many entries on, a table with a single row elsewhere on the page is not taken as the list."""


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """What the algorithm said of a page."""

    status: Status
    reason: str | None
    confidence: float
    fetched_at: str
    note: str | None = None
    reserved: str | None = None
    """See :attr:`newsextract.results.Article.reserved`."""


def is_sure(site: Limits, found: FoundRecords) -> bool:
    """Whether the algorithm is as sure of a page's records as the site demands, and the page reserves no use."""
    return found.confidence >= site.min_confidence and not (site.obey_reservations and found.reserved)


def why_none(site: Limits, found: FoundRecords, what: str) -> tuple[str, str]:
    """(status, reason) of the rejection of a page without records.

    :param what: the reason if the algorithm gives none.
    """
    if site.obey_reservations and found.reserved:
        return RESERVED, f"the page reserves its use: {found.reserved}"
    if found.status == "ok" and not is_sure(site, found):
        return "empty", f"{what}: the confidence is {found.confidence:.2f}, below min_confidence = {site.min_confidence:g}"
    status = found.status if found.status in ("not_html", "too_large", "challenged", "failed") else "empty"
    return status, found.reason or what


class _Read:
    """What the three kinds of pages have in common."""

    __slots__ = ()
    found: FoundRecords | None

    @property
    def status(self) -> Status:
        """``ok`` where records were found; else why there are none."""
        found = self.found
        if found is None:
            return "empty"
        return "empty" if found.status == "ok" and not any(True for _ in self) else found.status

    @property
    def reason(self) -> str | None:
        """Why there are no records, for people."""
        if self.found is None:
            return "the page is a board, which lists threads"
        return self.found.reason or (None if self.status == "ok" else "no record has a title and an absolute URL")

    @property
    def confidence(self) -> float:
        """0–1: how sure the algorithm is of the records."""
        return self.found.confidence if self.found else 0.0

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class ThreadPage(_Read):
    """What was read of a forum's page; iterating over it gives the posts."""

    forum: ForumPage
    title: str | None = None
    posts: tuple[PostFields, ...] = ()
    found: FoundRecords | None = None
    """None for a board, and for a later page of a thread that is to be read from its first page on."""
    shape: str | None = None
    """What the posts look like, for the thread's later pages; as on the pages before, if that was known. Of a board: the
    order of the numbers in dates, for its threads."""
    is_later: bool = False
    """Whether it is a later page of the thread that the page before it was of."""

    @property
    def next_page(self) -> str | None:
        """URL of the thread's next page, or of the board's."""
        return self.forum.next_page

    def __iter__(self) -> Iterator[PostFields]:
        return iter(self.posts)


@dataclass(frozen=True, slots=True)
class ResultPage(_Read):
    """What was read of a result page; iterating over it gives the hits."""

    hits: tuple[HitFields, ...]
    next_page: str | None
    found: FoundRecords
    shape: str | None = None
    """See :attr:`ThreadPage.shape`."""

    def __iter__(self) -> Iterator[HitFields]:
        return iter(self.hits)


@dataclass(frozen=True, slots=True)
class ListPage(_Read):
    """What was read of a list page; iterating over it gives the teasers."""

    teasers: tuple[TeaserFields, ...]
    """Each URL once."""
    next_page: str | None
    lists: tuple[str, ...]
    """Other lists that it leads to, by the site's ``follow``; normalised."""
    title: str | None
    found: FoundRecords
    shape: str | None = None
    """See :attr:`ThreadPage.shape`."""

    def __iter__(self) -> Iterator[TeaserFields]:
        return iter(self.teasers)


@dataclass(frozen=True, slots=True)
class Thread:
    """What all posts of a thread share."""

    id: str
    url: str
    """Of its first page, after redirects."""
    title: str | None


@dataclass(frozen=True, slots=True)
class TeaserList:
    """What all teasers of a list share."""

    url: str
    """Of its first page, as it was asked for."""
    title: str | None


def read_thread_page(
    page: Page,
    rules: Rules,
    algorithm: str,
    params: Mapping[str, Any],
    is_thread: bool,
    shape: str | None = None,
    thread_title: str | None = None,
    number: int = 1,
) -> ThreadPage:
    """Tell board from thread; of a thread read the posts. Runs in a worker.

    :param is_thread: the page before it was of this thread: nothing is to be told.
    :param shape: what the posts look like on the pages before; of a first page, what its board tells.
    :param thread_title: of the pages before; a page with another title is of another thread.
    :param number: of the page within its thread.
    """
    from newsextract.algorithms.record_shape import read_shape, with_order  # here: crawls of news have no use for them
    from newsextract.fields.post_fields import shown_order
    from newsextract.fields.posts import thread_posts

    order = read_shape(shape).month_first if shape is not None else None
    page = page if order is None else replace(page, month_first=order)
    title = find_title(page.metadata, Surroundings(), page.url)
    name = _whole_title(page, title.value) if title else None
    name = (_ANSWER.sub("", name) or name) if name else None
    if is_thread and not same_title(name, thread_title):
        is_thread, shape, number = False, None, 1
    if is_thread:
        forum = ForumPage("thread", next_page=next_in_forum(page, number=number))
    else:
        forum = read_forum_page(page, rules)
        if forum.kind == "thread":
            forum = replace(forum, next_page=next_in_forum(page, number=number))
    # What a board shows is for all its threads, what a page of a thread shows for its later pages.
    own = shown_order(page, alone=not is_thread and forum.kind == "board")
    order = order if own is None else own
    if (forum.kind == "board" and forum.is_sure) or (forum.first_page and forum.kind == "thread" and number == 1):
        return ThreadPage(forum, shape=with_order(None, order))
    records, shape = _records(page, algorithm, params, shape)
    found = thread_posts(page, records, is_later=is_thread and number > 1)
    if not forum.is_sure:
        forum = replace(forum, kind="thread" if found.are_sure else "board")
        if forum.kind == "board":
            return ThreadPage(forum, shape=with_order(None, order))
        following = next_in_forum(page, number=number)
        forum = ForumPage("thread", next_page=following, first_page=forum.first_page)
        if forum.first_page:
            return ThreadPage(forum, shape=with_order(None, order))
    if found.posts and records.status == "empty":
        records = replace(records, status="ok", reason=None)  # an only message is like nothing else on its page
    return ThreadPage(forum, name, found.posts, _found(page, records), with_order(shape, order), is_thread)


def _whole_title(page: Page, title: str) -> str:
    """A title, or the line of the page that begins like the page's ``<title>`` and ends within or behind the title, or that
    is most of the title between its separators ("Issue 7: The ladder is gone - Tracker").

    "Sale: two anchors" alone does not tell whether "Sale" is a part of the site.
    """
    whole = " ".join((page.metadata.title or "").split())
    start = whole.find(title)
    lines = {" ".join(text.split()) for text in page.dom.leaf_texts}
    longer = [line for line in lines if len(line) > start > 0 and whole.startswith(line)]
    if not longer and start >= 0 and title not in lines:
        longer = [line for line in lines if 2 * text_length(line) > text_length(title) and _is_part(line, title)]
    return max(longer, key=len, default=title)


def _is_part(line: str, title: str) -> bool:
    """Whether a line is a title without a label before it and a site's name behind it."""
    before, found, behind = title.partition(line)
    is_labelled = before[-1:] in ("", " ", "：") and before.rstrip()[-1:] in ("", ":", "：", "]")
    return bool(found) and is_labelled and (not behind or (behind[0] == " " and not behind[1:2].isalnum()))


def same_title(one: str | None, other: str | None) -> bool:
    """Whether two titles may be those of pages of one thread, which differ in a number or a site's name; one that is not
    known says nothing."""
    if not one or not other:
        return True
    mine, theirs = (frozenset(_TITLE_WORD.findall(title.lower())) for title in (one, other))
    return 2 * len(mine & theirs) >= min(len(mine), len(theirs))


def _records(
    page: Page,
    algorithm: str,
    params: Mapping[str, Any],
    shape: str | None,
    whole: Callable[[Page, RecordPage], RecordPage] | None = None,
) -> tuple[RecordPage, str | None]:
    """The records of a page and their shape: that of the pages before, or else its own.

    :param whole: completes the records.
    """
    from newsextract.algorithms.record_shape import read_shape  # see above
    from newsextract.extraction import find_records, shape_of

    known = None if shape is None else read_shape(shape)
    known = known if known is not None and known.kinds else None
    found = find_records(page, None, algorithm, params, shape=known, alone=False)
    if whole is not None:
        found = whole(page, found)
    if known is not None:
        return found, shape
    own = shape_of(page, found)
    return found, None if own is None else str(own)


def _has_shape(page: Page, records: RecordPage, shape: str) -> bool:
    """Whether something on a page looks like the records of other pages."""
    from newsextract.algorithms.record_shape import (
        find_shape,
        read_shape,  # see above
    )

    nodes = page.nodes_of(records)
    return find_shape(nodes, read_shape(shape)) is not None


def _found(page: Page, records: RecordPage) -> FoundRecords:
    fetched_at = page.time.isoformat(timespec="seconds")
    reserved = reservation(page.metadata, page.headers)
    return FoundRecords(records.status, records.reason, records.confidence, fetched_at, records.note, reserved)


def read_result_page(
    page: Page, algorithm: str, params: Mapping[str, Any], query: str, number: int, shape: str | None = None
) -> ResultPage:
    """Read the hits of a result page. Runs in a worker.

    :param query: that was asked for.
    :param number: of the page, 1 for the first.
    :param shape: what the hits look like on the pages before.
    """
    from newsextract.fields.hit_records import above_site_links, as_one_hit, page_hits, whole_hits  # see above
    from newsextract.fields.only_record import (
        few_listed,
        few_rows,
        is_beside,
        only_counted,
        only_entry,
        only_hit,
        said_count,
    )
    from newsextract.fields.teasers import linked_titles
    from newsextract.results import RecordPage

    records, known = _records(page, algorithm, params, shape, whole_hits)
    if shape is not None and records.records and records.confidence < DOUBTFUL and not _has_shape(page, records, shape):
        reason = f"nothing on it looks like the hits of the engine's other pages; {records.confidence:.2f} for others"
        records = RecordPage(
            page.url, records.algorithm, "empty", reason=reason, rendered=records.rendered, note=records.note
        )
    hits = page_hits(page, records)
    if (above := above_site_links(page, records, hits)) is not records:
        records, hits = above, page_hits(page, above)
    nodes = page.nodes_of(records)
    said = said_count(nodes, records)
    nothing = said if said is not None and said.count == 0 else None
    is_doubtful = (records.confidence < DOUBTFUL or not hits) and not _are_of_query(hits, query, page.url)
    alone = None
    if (shape is None or not records.records) and nothing is None and query and records.confidence < DOUBTFUL:
        alone = only_hit(page, records, _words_of(query))
        # What looks like records may be the parts of the only one.
        is_doubtful = is_doubtful or (alone is not None and _are_parts(nodes, records, alone))
        is_doubtful = is_doubtful or all(is_beside(nodes, own, 0) for record in records.records for own in record.nodes)
    if (shape is None or not records.records) and is_doubtful and nothing is None:
        if alone is not None and not _are_of_query(page_hits(page, alone), query, page.url):
            alone = None
        if shape is None:  # where the hits of the engine are known, only the words of the query tell another
            alone = alone or (only_counted(page, records, said) if said is not None else None)
            alone = alone or few_listed(page, records) or few_rows(page, records, _FEW_ROWS) or only_entry(page, records)
            if alone is None and query and not records.records:
                links = linked_titles(page, records)
                alone = links if links is not None and _are_of_query(page_hits(page, links), query, page.url) else None
        if alone is not None and (one := page_hits(page, alone)):
            records, hits = alone, one
    may_be_hits = not query or _are_of_query(hits, query, page.url)
    if nothing is not None and (not records.records or (hits and _are_others(nodes, records, nothing, may_be_hits))):
        records, hits = _without_hits(page, records, "the page says that nothing was found")
    elif hits and query and records.confidence < HARDLY and nothing is None and not _have_words(records, hits, query):
        reason = f"nothing on it has a word of the query; {records.confidence:.2f} for others"
        records, hits = _without_hits(page, records, reason)
    is_one = hits and shape is None and len({hit.address for hit in hits}) == 1
    if is_one and records.confidence < DOUBTFUL and not all(hit.snippet for hit in hits):
        records = as_one_hit(page, records)
        hits = page_hits(page, records)
    return ResultPage(tuple(hits), next_results(page, query, number), _found(page, records), known)


def _are_others(nodes: Nodes, records: RecordPage, said: Said, may_be_hits: bool) -> bool:
    """Whether the records of a page that says that nothing was found are none of its hits: neither what it shows instead
    ("Showing results for pear") nor, where they are sure, of the query."""
    from newsextract.fields.only_record import names_results  # see above

    first = min(root for record in records.records for root in record.nodes)
    if said.is_qualified or names_results(nodes, said.node, first):
        return False
    return records.confidence < DOUBTFUL or (not may_be_hits and said.node < first)


def _are_parts(nodes: Nodes, records: RecordPage, alone: RecordPage) -> bool:
    """Whether records lie within the only one."""
    whole = alone.records[0].nodes[0]
    return all(whole <= root < nodes.ends[whole] for record in records.records for root in record.nodes)


def _are_of_query(hits: Sequence[HitFields], query: str, url: str | None) -> bool:
    """Whether most hits have a word of the query and are no other searches."""
    from newsextract.fields.hits import is_view  # see above

    words = _words_of(query)
    texts = [f"{hit.title} {hit.snippet}".lower() for hit in hits if not is_view(hit.address or "", url)]
    return 2 * sum(any(word in text for word in words) for text in texts) > len(hits)


def _without_hits(page: Page, records: RecordPage, reason: str) -> tuple[RecordPage, list[HitFields]]:
    """A page whose records are no hits."""
    from newsextract.results import RecordPage  # see above

    return RecordPage(page.url, records.algorithm, "empty", reason=reason, rendered=records.rendered), []


def _have_words(records: RecordPage, hits: Sequence[HitFields], query: str) -> bool:
    """Whether hits have snippets, or a record of the main region has a word of the query."""
    words = _words_of(query)
    texts = [record.text.lower() for record in records.records if record.region == 0]
    return not words or any(hit.snippet for hit in hits) or any(word in text for text in texts for word in words)


def _words_of(query: str) -> set[str]:
    return set(_TITLE_WORD.findall(query.lower()))


def read_list_page(
    page: Page, rules: Rules, algorithm: str, params: Mapping[str, Any], shape: str | None = None
) -> ListPage:
    """Read the teasers of a list page, and what it leads to. Runs in a worker.

    :param rules: the site's; ``allow`` and ``deny`` select teasers by their URLs, ``follow`` selects other lists.
    :param shape: what the teasers look like on the pages before.
    """
    from newsextract.fields.hit_records import with_answered, with_headings
    from newsextract.fields.only_record import few_rows, only_entry, said_count
    from newsextract.fields.teasers import (  # see above
        linked_titles,
        list_title,
        rows_alone,
        teaser_fields,
        with_linked_titles,
    )

    is_first = shape is None
    records, shape = _records(page, algorithm, params, shape, with_headings)
    records = with_linked_titles(page, with_answered(page, records))
    if is_first and records.confidence < DOUBTFUL and len(records.records) < _LEAST_COMPARED:
        alone = few_rows(page, records)
        if alone is None and ((said := said_count(page.nodes_of(records), records)) is None or said.count > 0):
            links = any(item.kind == "link" for record in records.records for item in record.items)
            alone = only_entry(page, records)
            alone = alone or (None if links else linked_titles(page, records) or rows_alone(page, records))
        records, shape = (records, shape) if alone is None else (alone, None)
    teasers: dict[str, TeaserFields] = {}
    for teaser in teaser_fields(page, records):
        address = normalize(teaser.address or "") or ""
        is_denied = matches(rules.deny, address) or (rules.allow and not matches(rules.allow, address))
        if address and teaser.title and not is_denied:
            teasers.setdefault(record_id(address), teaser)
    lists = tuple(other_lists(page, rules)) if rules.follow else ()
    return ListPage(tuple(teasers.values()), written_next_page(page), lists, list_title(page), _found(page, records), shape)


def other_lists(page: Page, rules: Rules) -> Iterator[str]:
    """Links to lists of the site; other pages of the same list, which differ in their number alone, are none."""
    here = normalize(page.url or "") or ""
    for link in read_links(page):
        chosen = matches(rules.follow, link.url) and not matches(rules.deny, link.url)
        if chosen and belongs(host_of(link.url), rules.domains) and step(here, link.url) is None:
            yield link.url


# --- for users of the library ---------------------------------------------------------------------


def extract_posts(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> ThreadPage:
    """Extract the posts of a page of a thread, or the threads that a board leads to (``forum``).

    :param page: a :class:`Page`, what a browser saw of it, its bytes, or its decoded text.
    :param url: the URL, when ``page`` is bytes or text.
    :param algorithm: a registered name of a record algorithm; None for the default.
    :param params: parameters of the algorithm, ``preset`` among them.
    :returns: always a :class:`ThreadPage`; ``status`` and ``reason`` say why it has no posts.
    :raises UnknownAlgorithm: the name is not registered.
    :raises ParameterError: a parameter is unknown or has a bad value.
    """
    page, name, refused = _opened(page, url, algorithm, params)
    if refused is not None:
        return ThreadPage(ForumPage("thread"), found=refused)
    forum = read_forum_page(page, Rules())
    if forum.kind == "board" and forum.is_sure:
        return ThreadPage(forum)
    number = 2 if forum.first_page else 1
    read = read_thread_page(page, Rules(), name, params or {}, is_thread=page.url is not None, number=number)
    found: ThreadPage = cleaned(read)
    return replace(found, forum=replace(found.forum, first_page=forum.first_page))


def extract_hits(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    query: str = "",
    number: int = 1,
) -> ResultPage:
    """Extract the hits of a page of search results. Parameters and errors: see :func:`extract_posts`.

    :param query: that was asked for; tells links to further pages of results from others.
    :param number: of the page, 1 for the first.
    """
    page, name, refused = _opened(page, url, algorithm, params)
    if refused is not None:
        return ResultPage((), None, refused)
    found: ResultPage = cleaned(read_result_page(page, name, params or {}, query, number))
    return found


def extract_teasers(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
) -> ListPage:
    """Extract the teasers of a front page, a section or another list, each URL once. Parameters and errors: see
    :func:`extract_posts`."""
    page, name, refused = _opened(page, url, algorithm, params)
    if refused is not None:
        return ListPage((), None, (), None, refused)
    found: ListPage = cleaned(read_list_page(page, Rules(), name, params or {}))
    return found


def _opened(
    page: Page | Snapshot | bytes | str, url: str | None, algorithm: str | None, params: Mapping[str, Any] | None
) -> tuple[Page, str, FoundRecords | None]:
    """The page, the name of the algorithm, which is known, and what is said of a page that is not even looked at."""
    from newsextract import algorithms  # see above
    from newsextract.extraction import as_page, refusal

    name = algorithm or algorithms.DEFAULT_RECORDS
    algorithms.make_records(name, params)
    page = as_page(page, url)
    refused = refusal(page)
    return page, name, FoundRecords(*refused, 0.0, page.time.isoformat(timespec="seconds")) if refused else None


# --- page records ---------------------------------------------------------------------------------
# Identity: of a post its thread and permalink, or thread, position and text where there is no permalink of its own; of a hit
# engine, query, run and rank; of a teaser the list and the URL that it links to, because its place on the list changes
# and its words may.

_NUMBERED = re.compile(r"\d")


def posts_of(read: ThreadPage, thread: Thread, site: str, url: str, number: int, first: int, algorithm: str) -> list[Post]:
    """The posts of a page, in order, those of a whole thread with the newest first from the oldest on; a permalink that
    several of them have is dropped."""
    from newsextract.fields.posts import oldest_first  # here: crawls of news have no use for it

    assert read.found is not None  # only boards have none
    is_whole = number == 1 and read.forum.next_page is None
    times = Counter(post.permalink for post in read.posts)
    own = {record_id(url), record_id(thread.url)}
    posts = []
    for position, fields in enumerate(oldest_first(read.posts) if is_whole else read.posts, first):
        permalink = fields.permalink if fields.permalink and times[fields.permalink] == 1 else None
        if permalink and "#" not in permalink and record_id(permalink) in own:
            permalink = None  # it leads to the thread, whatever post is meant
        key = _permalink_key(permalink) if permalink else f"{position} {fields.body}"
        posts.append(
            Post(
                id=record_id(f"post {thread.id} {key}"),
                url=url,
                permalink=permalink,
                thread_id=thread.id,
                thread_title=thread.title,
                thread_url=thread.url,
                site=site,
                page=number,
                position=position,
                author=fields.author,
                date=fields.date.value if fields.date else None,
                date_precision=fields.date.precision if fields.date else None,
                text=fields.body,
                quotes=[{"author": quote.author, "text": quote.text} for quote in fields.quotes],
                signature=fields.signature,
                reply_to=fields.reply_to,
                fetched_at=read.found.fetched_at,
                algorithm=algorithm,
                confidence=read.found.confidence,
            )
        )
    return posts


def _permalink_key(permalink: str) -> str:
    """What names a post within its thread: a numbered fragment is the same whatever page of the thread it was seen on."""
    address, _, fragment = permalink.partition("#")
    return f"#{fragment}" if _NUMBERED.search(fragment) else f"{normalize(address) or address}#{fragment}"


def hits_of(
    read: ResultPage, site: str, query: str, run: str, url: str, number: int, first: int, algorithm: str
) -> list[Hit]:
    """The hits of a page, in order."""
    return [
        Hit(
            id=record_id(f"hit {site} {run} {rank} {query}"),
            url=url,
            engine=site,
            query=query,
            run=run,
            page=number,
            rank=rank,
            title=fields.title or "",
            address=fields.address or "",
            snippet=fields.snippet or None,
            date=fields.date.value if fields.date else None,
            date_precision=fields.date.precision if fields.date else None,
            fetched_at=read.found.fetched_at,
            algorithm=algorithm,
            confidence=read.found.confidence,
        )
        for rank, fields in enumerate(read.hits, first)
    ]


def teasers_of(
    read: ListPage, teased: TeaserList, site: str, url: str, number: int, first: int, algorithm: str
) -> list[Teaser]:
    """The teasers of a page, in order."""
    return [
        Teaser(
            id=record_id(f"teaser {record_id(teased.url)} {record_id(fields.address or '')}"),
            url=url,
            list_url=teased.url,
            list_title=teased.title,
            site=site,
            page=number,
            position=position,
            title=fields.title,
            address=fields.address or "",
            snippet=fields.snippet or None,
            author=fields.author,
            image=fields.image,
            date=fields.date.value if fields.date else None,
            date_precision=fields.date.precision if fields.date else None,
            fetched_at=read.found.fetched_at,
            algorithm=algorithm,
            confidence=read.found.confidence,
        )
        for position, fields in enumerate(read.teasers, first)
    ]
