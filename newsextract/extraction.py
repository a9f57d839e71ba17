"""Turn a page into an :class:`~newsextract.results.Article` (:func:`extract`) or into records (:func:`extract_records`).

Crawl, command line, evaluation and Spark pass pages to these functions and store the results. The functions read nothing but
the page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from newsextract import algorithms
from newsextract.algorithms.combined.furniture import dialogs
from newsextract.algorithms.record_shape import Shape, agree, find_shape, learn_shape
from newsextract.control_characters import cleaned
from newsextract.fields.article_marks import ArticleMarks
from newsextract.fields.authors import authors_by_source, find_authors
from newsextract.fields.date_evidence import DateCandidate, DatePlaces
from newsextract.fields.meta_lines import meta_lines
from newsextract.fields.page_facts import (
    access,
    canonical_url,
    find_language,
    foreign_lines,
    image,
    reservation,
    section,
    with_own_article,
)
from newsextract.fields.report_date import find_date
from newsextract.fields.selected import with_selected_fields
from newsextract.fields.thread_text import (
    are_comments,
    are_thread,
    can_compare,
    may_be_thread,
    menu_blocks,
    text_blocks,
    with_heads,
)
from newsextract.fields.title import find_titles, ranked_titles
from newsextract.page.dom import Dom, passages
from newsextract.page.metadata import Metadata
from newsextract.page.nodes import MAX_NODES, Nodes
from newsextract.page.notices import MOST_TEXT, find_challenge, find_notice
from newsextract.page.page import MAX_BYTES, Page
from newsextract.page.snapshot import Snapshot
from newsextract.records.items import align
from newsextract.results import Article, Body, Found, Record, RecordPage, RecordSet, Status, Surroundings

if TYPE_CHECKING:
    from newsextract.discovery.kinds import PageKind

# --- extraction -----------------------------------------------------------------------------------

_HEADLINE_LINES = 6
"""Lines at the beginning of a text that are compared with the title."""
_LEAST_POSTS = 2
"""Posts with a name and a day from which on the text of a thread is theirs."""
_SURELY_ARTICLE = 0.985
"""Probability of an article from which on a page is one, whatever is below it: a short post above its comments."""
_THREAD, _POSTS = 0.9, 0.65
"""Confidence of the kind if only the posts show it, and of their text: .63 of 83 modern threads have an F1 over .9."""
_LISTS, _MORE = ("listing", "collection"), 2.5
"""Kinds of pages whose entries are text, too, if they hold so many times what is chosen. Word F1 of listings .51 → .66,
collections .56 → .67, where the network has not seen the source; docs/measurements/combined.md."""
_WIDE_TAGS = (b"<\0", b"\0<")
"""Tags in UTF-16."""


def extract(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
) -> Article:
    """Extract the article of a page.

    :param page: a :class:`Page`, a :class:`Snapshot` of a rendered page, its bytes, or its decoded text.
    :param url: the URL, if ``page`` is bytes or text.
    :param algorithm: a registered name; None: the default.
    :param params: parameters of the algorithm, including ``preset``; None: its default preset. ``fields`` has CSS selectors
        of single fields (:mod:`newsextract.fields.selected`).
    :param evidence: also return the scores of the blocks, and the candidates of title, date and authors.
    :returns: always an article; ``status`` and ``reason`` tell why its text is empty or doubtful.
    :raises UnknownAlgorithm: the algorithm is not registered.
    :raises ParameterError: a parameter is unknown or has an invalid value.
    :raises MissingExtra: the page's text needs a package that is not installed (Chinese words in the value filter).
    """
    page = as_page(page, url)
    name = algorithm or algorithms.DEFAULT
    choose = algorithms.make(name, params)
    if (refused := _unreadable(page)) is not None:
        return failure(page, name, *refused)
    body = choose(page, evidence=evidence)
    # A wall shows little: of most pages only the headers are searched for one.
    if (refused := _challenged(page, page.body if len(body.text) <= MOST_TEXT else b"")) is not None:
        return failure(page, name, *refused)
    article = _article(page, name, of_records(page, body))
    if params and algorithms.FIELDS in params:
        article = with_selected_fields(article, page, params[algorithms.FIELDS])
    if (notice := find_notice(page)) is not None:
        reason = "; ".join(filter(None, (notice.reason, article.reason)))
        article = replace(article, status=notice.status, reason=reason, is_article=False)
    made: Article = cleaned(article)
    return made if made.title != "" else replace(made, title=None)


def of_records(page: Page, body: Body) -> Body:
    """The body with the text of a page's posts or entries, if these are its text; otherwise the body as it is."""
    kind = body.kind
    if kind is None:
        return body
    dom = page.dom
    is_list = kind.kind in _LISTS or (kind.kind is None and kind.leads_on)
    # All of the page's text is as much as its entries can have.
    is_list = is_list and bool(dom.sizes.sum() > _MORE * dom.sizes[[*(body.blocks or ())]].sum())
    has_posts = kind.kind == "forum" or ((not body.blocks or kind.article < _SURELY_ARTICLE) and may_be_thread(dom))
    has_posts = has_posts and not page.hints.source
    if not (is_list or has_posts) or not can_compare(dom.texts):
        return body
    if has_posts:
        found = find_records(page, alone=False)
        thread = _as_thread(page, body, kind, found)
        texts = [record.text for record in found.records if record.region == 0]
    else:
        thread, texts = None, _entry_texts(page)
    return thread or (_with_entries(page, body, kind, texts) if is_list else body)


def _entry_texts(page: Page) -> list[str]:
    """The texts of the records in the main region of a page, without their data items."""
    from newsextract.fields.teasers import inner_entries  # here: most pages are no lists

    found = algorithms.make_records(algorithms.DEFAULT_RECORDS, None)(page, evidence=False)
    nodes = page.nodes_of(found)
    made = [record.text for record in found.made if record.region == 0]
    if made or not found.regions:
        return made
    entries = [(entry,) for entry in inner_entries(page, nodes, found.regions[0])]
    return [nodes.text(*roots) for roots in entries or found.regions[0].records]


def _with_entries(page: Page, body: Body, kind: PageKind, texts: Sequence[str]) -> Body:
    """The body of a list and the text of its entries, if the body has hardly any of it."""
    dom, own = page.dom, body.blocks or ()
    consent = dialogs(dom, declared=False).nonzero()[0].tolist()
    entries = text_blocks(dom, texts, menu_blocks(dom).union(consent))
    if dom.sizes[entries].sum() <= _MORE * dom.sizes[[*own]].sum() or are_comments(page, entries, kind.article):
        return body
    if not own:
        body = replace(body, doubtful=True, reason="no text but that of entries")
    return _with_blocks(page, body, sorted({*own, *entries}), "the entries of the list")


def _as_thread(page: Page, body: Body, kind: PageKind, found: RecordPage) -> Body | None:
    """The body with the text of a thread's posts; None for other pages."""
    from newsextract.fields.posts import thread_posts  # here: most pages are no threads

    read = thread_posts(page, found)
    told = sum(bool(post.author and post.date and post.body) for post in read.posts)
    blocks = text_blocks(page.dom, [post.body for post in read.posts]) if told >= _LEAST_POSTS else []
    is_called = kind.kind == "forum"
    # Comments below a link are all that such a page has.
    is_thread = read.are_sure and (not body.blocks or are_thread(page, read.posts, blocks, kind.article))
    if not blocks or not (is_called or is_thread):
        return None
    if not is_called:
        reason = f"{told} posts with a name and a day each"
        kind = replace(kind, kind="forum", confidence=_THREAD, is_article=False, leads_on=False, reasons=(reason,))
    body = replace(body, kind=kind, confidence=_POSTS, doubtful=False, reason=None)
    heads = [(post.author, post.date.value) for post in read.posts if post.author and post.date]
    made = _with_blocks(page, body, with_heads(page.dom, blocks, heads), "the posts of the thread")
    return replace(made, surroundings=page.dom.surroundings(blocks[0], blocks[-1]))  # a head may be the title of a blog


def _with_blocks(page: Page, body: Body, blocks: Sequence[int], rule: str) -> Body:
    """The body with the text of other blocks."""
    evidence = body.evidence
    if evidence is not None and body.kind is not None:
        own = set(blocks)
        shown = [
            {**block, "main": block["index"] in own, "why": f"{'in' if block['index'] in own else 'not in'} {rule}"}
            for block in evidence["blocks"]
        ]
        rivals = [{**rival, "taken": False} for rival in evidence.get("rivals", ())]
        kind = {**evidence.get("kind", {}), "kind": body.kind.kind, "reasons": list(body.kind.reasons)}
        evidence = {**evidence, "rule": rule, "kind": kind, "rivals": rivals, "blocks": shown}
    surroundings = page.dom.surroundings(blocks[0], blocks[-1])
    text = page.dom.text(blocks)
    return replace(body, text=text, surroundings=surroundings, evidence=evidence, blocks=tuple(blocks))


def as_page(page: Page | Snapshot | bytes | str, url: str | None = None) -> Page:
    """Convert any accepted form of a page to a :class:`Page`.

    :param url: the URL, if ``page`` is bytes or text.
    """
    if isinstance(page, Snapshot):
        return Page.from_snapshot(page)
    if isinstance(page, str):
        return Page.from_text(page, url)
    if isinstance(page, bytes):
        return Page.from_saved(page, url)
    if not isinstance(page, Page):
        what = f"a page is a Page, a Snapshot, bytes or str, not {type(page).__name__}"
        raise TypeError(f"{what}; read files first, for example with Path(name).read_bytes()")
    return page


def failure(page: Page, algorithm: str, status: Status, reason: str) -> Article:
    """Make the article of a page from which nothing could be extracted."""
    return Article(
        url=page.url,
        canonical_url=None,
        title=None,
        date=None,
        text="",
        authors=(),
        language=None,
        section=None,
        image=None,
        algorithm=algorithm,
        confidence=0.0,
        status=status,
        reason=reason,
    )


def refusal(page: Page) -> tuple[Status, str] | None:
    """Return why a page is not extracted at all, or None."""
    return _unreadable(page) or _challenged(page, page.body)


def _unreadable(page: Page) -> tuple[Status, str] | None:
    if len(page.body) > MAX_BYTES:
        return "too_large", f"the page has {len(page.body):,} bytes; the limit is {MAX_BYTES:,}"
    if not page.body or page.body.isspace():
        return "empty", "the page has no content"
    sample = page.body[:2048]
    if sample.startswith((b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b")):
        return "not_html", f"the content is not a web page (begins with {page.body[:8]!r})"
    if _looks_binary(sample):
        return "not_html", f"the content is binary (begins with {page.body[:8]!r})"
    if _names_a_page(page.body):
        return "not_html", "the content is the URL or the name of a page; fetch or read the page first"
    if _is_json(page.body):
        return "not_html", "the content is JSON"
    return None


def _challenged(page: Page, body: bytes) -> tuple[Status, str] | None:
    challenge = find_challenge(body, page.headers)
    return ("challenged", f"the site asks for a proof that its visitor is human: {challenge}") if challenge else None


def _names_a_page(body: bytes) -> bool:
    """Whether the body is one word that names a page: a caller's mistake."""
    word = body.strip() if len(body) < 4096 else b""
    is_name = word.startswith((b"http://", b"https://")) or word.endswith((b".html", b".htm"))
    return is_name and b"<" not in word and len(word.split()) == 1


def _is_json(body: bytes) -> bool:
    """Whether the body is a JSON object or array, as an API answers."""
    text = body.removeprefix(b"\xef\xbb\xbf").strip()
    if (text[:1], text[-1:]) not in ((b"{", b"}"), (b"[", b"]")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _looks_binary(sample: bytes) -> bool:
    """Whether too many bytes are control characters. In random bytes, a tenth are; some of the others are ``<``."""
    if sample.startswith((b"\xfe\xff", b"\xff\xfe")) or sum(map(sample.count, _WIDE_TAGS)) > 2:
        return False
    control = len(sample) - len(sample.translate(None, bytes(range(9)) + bytes(range(14, 27)) + bytes(range(28, 32))))
    return control > len(sample) // (16 if b"<" in sample else 50)


def _status(text: str, body: Body, is_article: bool | None) -> Status:
    if not text:
        return "empty"
    return "not_article" if is_article is False else "doubtful" if body.doubtful else "ok"


def _article(page: Page, name: str, body: Body) -> Article:
    metadata, hints = with_own_article(page.metadata, page.url), page.hints
    language = find_language(metadata, body.text, hints.language)
    title, date, text, blocks = body.title, body.date, body.text, body.blocks
    others: list[Found] = []
    dates: list[DateCandidate] | None = None if body.evidence is None else []
    told = body.evidence
    marks = ArticleMarks(page.dom, body.blocks, page.url) if body.blocks else None
    if title is None and not body.own_fields:
        others = find_titles(metadata, body.surroundings, page.url, hints.title, marks)
        title = others.pop(0) if others else None
    if marks is not None and title is not None:
        marks.entitle(title.value)
    places = DatePlaces(marks, page.time) if marks is not None else None
    if not body.own_fields:
        date = date or find_date(
            metadata,
            body.surroundings,
            url=page.url,
            language=language,
            fetched_at=page.time if page.fetched_at else None,
            hint=hints.date,
            hint_source=hints.source,
            seen=dates,
            is_elsewhere=places.is_elsewhere if places is not None else None,
            marks=marks,
        )
    if told is not None and not body.own_fields:
        told = {**told, "fields": _field_evidence(page, metadata, body.surroundings, marks, dates or [])}
    is_elsewhere = places.is_line_elsewhere if places is not None else None
    authors, rubric = find_authors(metadata, body.surroundings, marks, is_elsewhere), section(metadata, marks)
    is_article = body.kind.is_article if body.kind is not None else None
    readable = access(metadata, text, body.surroundings)
    # Truths of other kinds have headlines and dates of cards and posts; a page that a feed or a sitemap names is an article.
    if not body.own_fields and (is_article is not False or hints.source):
        known = [*authors, rubric] if rubric else [*authors]
        repeated = _headline_lines(text, title.value) if title else frozenset()
        day, foreign = date.value if date else None, foreign_lines(text)
        lines = meta_lines(
            text,
            known,
            language=language,
            fetched_at=page.time,
            headlines=repeated | foreign,
            day=day,
            title=title.value if title else None,
            url=page.url,
        )
        with_meta = repeated | lines | foreign
        repeated = with_meta if len(with_meta) <= text.count("\n") else repeated  # some text must remain
        if repeated:
            text = "\n".join(line for i, line in enumerate(text.split("\n")) if i not in repeated)
            blocks = _other_blocks(page.dom, blocks, repeated) if blocks else blocks
    text = cleaned(text)
    emptied = "its text is control characters alone" if body.text and not text else None
    return Article(
        url=page.url,
        canonical_url=canonical_url(metadata, page.url),
        title=title.value if title else None,
        date=date.value if date else None,
        text=text,
        authors=authors,
        language=language,
        section=rubric,
        image=image(metadata, page.url, marks),
        algorithm=name,
        confidence=body.confidence,
        status=_status(text, body, is_article),
        reason="; ".join(filter(None, (body.reason, emptied, body.kind.doubt if body.kind and text else None, page.note)))
        or None,
        kind=body.kind.kind if body.kind is not None else None,
        kind_confidence=body.kind.confidence if body.kind is not None else 0.0,
        is_article=is_article,
        access=readable.value if readable else None,
        reserved=reservation(metadata, page.headers),
        title_source=title,
        other_titles=tuple(others),
        date_source=date,
        access_source=readable,
        evidence=told,
        blocks=blocks,
    )


_CANDIDATES = 20
"""Maximum number of candidates of a field in the evidence."""


def _field_evidence(
    page: Page,
    metadata: Metadata,
    surroundings: Surroundings,
    marks: ArticleMarks | None,
    dates: list[DateCandidate],
) -> dict[str, list[dict[str, Any]]]:
    """Return the candidates of title, date and authors with their ranks and evidence, best first.

    :param metadata: the page's, with its own article first.
    """
    titles, _ = ranked_titles(metadata, surroundings, page.url, page.hints.title, marks)
    return {
        "title": [
            {"value": one.text[:200], "source": one.source, "score": round(score, 3)} for one, score in titles[:_CANDIDATES]
        ],
        "date": [
            {"value": one.parsed.value, "source": one.source, "rank": one.rank, "evidence": one.parsed.evidence[:120]}
            for one in dates[:_CANDIDATES]
        ],
        "authors": [
            {"value": ", ".join(names), "source": source, "evidence": "; ".join(values)[:120]}
            for source, values, names in authors_by_source(metadata, surroundings, marks)
            if values
        ][:_CANDIDATES],
    }


def _headline_lines(text: str, title: str) -> frozenset[int]:
    """Find the lines near the beginning of a text that only repeat the title, which has a field of its own.

    On folds 1-4 of the benchmark set, comparing six lines instead of one gives `combined` .003 more F1.
    """
    lines, wanted = text.split("\n", _HEADLINE_LINES)[:_HEADLINE_LINES], letters(title)
    if not wanted:
        return frozenset()
    found = {i for i, line in enumerate(lines) if len(line) <= 2 * len(title) and letters(line) == wanted}
    return frozenset(found) if len(found) < len(lines) else frozenset()


def _other_blocks(dom: Dom, blocks: tuple[int, ...], repeated: frozenset[int]) -> tuple[int, ...]:
    """Drop the blocks whose lines are all repeated ones."""
    kept: list[int] = []
    line = 0
    for text, members in passages(dom, blocks):
        lines = range(line, line := line + text.count("\n") + 1)
        if not repeated.issuperset(lines):
            kept += members
    return tuple(kept)


def letters(line: str) -> str:
    """Reduce a headline to its letters and digits in lower case, to compare two spellings."""
    return "".join(c for c in line.lower() if c.isalnum())


# --- records --------------------------------------------------------------------------------------
# Pages with many records: from a page to its records with their data items.
#
# The algorithm decides which nodes form which record (:class:`~newsextract.results.RecordSet`). The code here makes texts
# and data items of them, in the same way for all algorithms. It reads nothing but the page and starts no browser: a rendered
# page is a :class:`~newsextract.page.snapshot.Snapshot`, made by :func:`newsextract.render` or loaded from a file.

BY_SHAPE = "records found by the shape of those on an earlier page"
"""Note of a page whose records were found by the template of an earlier page instead of the algorithm."""


def extract_records(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
) -> RecordPage:
    """Extract the data records of a page, in reading order, those of the main data region first.

    :param page: a :class:`Page`, a :class:`Snapshot` of a rendered page, its bytes, or its decoded text.
    :param url: the URL, if ``page`` is bytes or text.
    :param algorithm: a registered name; None: the default.
    :param params: parameters of the algorithm, including ``preset``; None: its default preset, which reads the rendered page
        if there is one, and the source otherwise.
    :param evidence: also return the scores.
    :returns: always a :class:`RecordPage`; iterate over it to get the records. If there are none, ``status`` and ``reason``
        tell why.
    :raises UnknownAlgorithm: the algorithm is not registered.
    :raises ParameterError: a parameter is unknown or has an invalid value.
    """
    return find_records(page, url, algorithm, params, evidence=evidence)


def find_records(
    page: Page | Snapshot | bytes | str,
    url: str | None = None,
    algorithm: str | None = None,
    params: Mapping[str, Any] | None = None,
    *,
    evidence: bool = False,
    shape: Shape | None = None,
    alone: bool = True,
) -> RecordPage:
    """Extract the data records of a page like :func:`extract_records`, also with the template of an earlier page.

    :param shape: the template of the records on an earlier page of the same thread, list or query (:func:`shape_of`). If the
        algorithm finds no records, or others than those that match the template, the matching ones are returned, if there
        are any; ``note`` reports this.
    :param alone: whether the rows of a table or linked titles are records where the algorithm finds none; ``note`` reports
        this.
    """
    from newsextract.fields.teasers import linked_titles, rows_alone, with_entries  # here: they read records

    page = as_page(page, url)
    algorithm = algorithm or algorithms.DEFAULT_RECORDS
    choose = algorithms.make_records(algorithm, params)
    refused = refusal(page)
    if refused is not None:
        return RecordPage(page.url, algorithm, refused[0], reason=refused[1])
    found = choose(page, evidence=evidence)
    nodes = page.nodes_of(found)
    notes = _notes(page, nodes)
    if shape is not None and (shaped := _by_shape(nodes, found, shape)) is not None:
        if not (found.regions and agree(nodes, found.regions[0], shaped.regions[0])):
            notes.append(BY_SHAPE)
        found = shaped
    records: list[Record] = list(found.made)
    for number, region in enumerate(found.regions):
        for roots, items in zip(region.records, align(nodes, region, page.url), strict=True):
            records.append(Record(nodes.text(*roots), items, number, roots))
    read = RecordPage(
        page.url,
        algorithm,
        found.status,
        cleaned(tuple(records)),
        found.confidence,
        found.reason,
        found.evidence,
        found.regions,
        found.rendered,
        found.written,
        "; ".join(notes) or None,
    )
    if found.made:
        return read
    if alone and read.status == "empty":
        return cleaned(rows_alone(page, read) or linked_titles(page, read)) or read
    return with_entries(page, read)


def shape_of(page: Page, found: RecordPage) -> Shape | None:
    """Learn the template of the records in a page's main region, for :func:`find_records` on later pages of the same list.

    :param found: the records of this page.
    :returns: None if the records have no usable template.
    """
    return learn_shape(page.nodes_of(found), found.regions[0], found.confidence) if found.regions else None


def _by_shape(nodes: Nodes, found: RecordSet, shape: Shape) -> RecordSet | None:
    """Return the records that match a template, to replace those that the algorithm found; None: keep the latter.

    If both agree and are equally many, the result with the higher confidence has the better boundaries of records.
    """
    if found.made or found.status not in ("ok", "empty"):
        return None
    region = find_shape(nodes, shape)
    if region is None:
        return None
    if found.regions and agree(nodes, found.regions[0], region):
        same = len(region.records) == len(found.regions[0].records)
        if not same or region.score <= found.confidence:
            return None
    return replace(found, regions=(region,), status="ok", confidence=region.score, reason=None)


def _notes(page: Page, nodes: Nodes) -> list[str]:
    """Return notes about the nodes that were read, for readers of the record."""
    notes = [note for note in (page.note, page.snapshot.note if page.snapshot is not None else None) if note]
    if len(nodes) >= MAX_NODES:  # a snapshot over the cap is refused
        notes.append(f"only the first {MAX_NODES:,} nodes of the source were read")
    return notes
