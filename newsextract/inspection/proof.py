"""Records beside what their pages show, as values for a terminal and as one HTML file to look at.

What a page shows is read without the extraction: its heading, the first text on it that has the record's day, and what
follows the heading. Each block of the page is marked if its text is in the record.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from newsextract.fields.dates import parse_dates
from newsextract.inspection.views import head
from newsextract.page.page import Page

_LONG_ENOUGH = 12
"""Characters from which on a block is kept if its text is anywhere in a record; shorter ones must be a line of it."""
_SHOWN = 400
"""Characters of a text that are shown."""
_MOST_BLOCKS = 400
"""Of one page."""
_STAMP = 300
"""Characters of the blocks that are searched for dates."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is said of a page."""

    title: str
    date: str
    text: str


@dataclass(frozen=True, slots=True)
class Compared:
    """A record and its page."""

    url: str
    record: Side
    by: str
    """Its authors, or what else it has."""
    page: Side
    blocks: tuple[tuple[str, bool], ...] = ()
    """Texts of the page, and whether each is in the record."""


def compared(record: Mapping[str, Any], page: Page | None) -> Compared:
    """Put a line of a feed beside its page.

    :param page: None: it is not known.
    """
    title = str(record.get("title") or record.get("thread_title") or "")
    text = str(record.get("text") or record.get("snippet") or "")
    authors = record.get("authors") or ([record["author"]] if record.get("author") else [])
    by = ", ".join(map(str, authors)) or str(record.get("address") or "")
    mine = Side(title, str(record.get("date") or ""), text[:_SHOWN])
    if page is None:
        return Compared(str(record["url"]), mine, by, Side("", "", ""))
    texts = [shown for shown in page.dom.texts if shown]
    lines = {_folded(line) for line in (*text.split("\n"), title)}
    whole = _folded(text)
    marks = [_folded(shown) in lines or (len(_folded(shown)) >= _LONG_ENOUGH and _folded(shown) in whole) for shown in texts]
    heading = next(iter(page.metadata.headings), None) or page.metadata.title or ""
    theirs = Side(heading, _date_on(page, texts, mine.date, record.get("language")), _text_on(texts, heading, record, whole))
    return Compared(str(record["url"]), mine, by, theirs, tuple(zip(texts, marks, strict=True))[:_MOST_BLOCKS])


def _date_on(page: Page, texts: Sequence[str], date: str, language: str | None) -> str:
    """The first text of a page that has the day of a record."""
    day = date[:10]
    if not day:
        return ""
    for text in texts:
        if len(text) <= _STAMP and any(
            found.value.startswith(day) for found in parse_dates(text, language=language, fetched_at=page.time)
        ):
            return text
    return ""


def _text_on(texts: Sequence[str], heading: str, record: Mapping[str, Any], whole: str) -> str:
    """What a page shows below its heading, or where one of its many records begins."""
    if "authors" in record:
        wanted = _folded(heading)
        after = [place for place, text in enumerate(texts) if wanted and _folded(text) == wanted]
        first = after[-1] + 1 if after else 0
    else:
        first = next((place for place, text in enumerate(texts) if whole[:20] and whole[:20] in _folded(text)), len(texts))
    return " / ".join(texts[first : first + 12])[:_SHOWN]


def _folded(text: str) -> str:
    return "".join(text.split())


# --- the file -------------------------------------------------------------------------------------


def proof_page(
    title: str,
    facts: Iterable[tuple[str, str]],
    shown: Sequence[Compared],
    refused: Iterable[Mapping[str, Any]],
    toml: str,
    why: str = "",
) -> str:
    """A page of proof: what a site is, records side by side with their pages, rejections, and the table of the site.

    :param facts: names and values.
    :param refused: lines of the rejected feed.
    :param why: what is missing, and the key that mends it.
    """
    parts = [
        head(f"{title} – newsextract try", "proof"),
        f"<body><main>\n<h1>{_e(title)}</h1>\n{_listed(facts)}",
        f'<p class="why">{_e(why)}</p>\n' if why else "",
        f"<h2>{len(shown)} record{'s'[: len(shown) != 1]}, and what the pages show</h2>\n" if shown else "",
        *map(_article, shown),
        "<h2>The table of the site, for sites.toml</h2>\n",
        f'<pre tabindex="0" aria-label="Table of the site">{_e(toml)}</pre>\n',
    ]
    rows = [f"<tr><td>{_link(r['url'])}</td><td>{_e(r['status'])}: {_e(r['reason'])}</td></tr>\n" for r in refused]
    if rows:
        parts.append(f"<h2>Pages without a record</h2>\n<table><thead><tr><th>page<th>reason</thead><tbody>{''.join(rows)}")
        parts.append("</tbody></table>\n")
    return "".join([*parts, "</main></body></html>\n"])


def _article(one: Compared) -> str:
    kept = sum(mark for _, mark in one.blocks)
    return (
        f"<article><h3>{_e(one.record.title or one.url)}</h3><p class=soft>{_link(one.url)}</p>\n<div class=sides>"
        f"<section><h4>the record</h4>{_listed(_fields(one.record, one.by))}</section>\n"
        f"<section><h4>the page shows</h4>{_listed(_fields(one.page, ''))}</section></div>\n"
        f"<details><summary>All text of the page: {kept} of {len(one.blocks)} parts are in the record</summary>"
        f"{marked_blocks((text, mark, '') for text, mark in one.blocks)}</details></article>\n"
    )


def marked_blocks(blocks: Iterable[tuple[str, bool, str]]) -> str:
    """Texts of a page as a list: each with whether it is kept, and what was judged of it."""
    items = []
    for text, is_kept, judged in blocks:
        note = f"<span class=judged>{_e(judged)}</span>" if judged else ""
        items.append(f"<li{' class=kept' if is_kept else ''}>{note}{_e(text)}</li>\n")
    return f'<ul class="blocks">{"".join(items)}</ul>'


def _fields(side: Side, by: str) -> Iterator[tuple[str, str]]:
    yield "title", side.title or "–"
    yield "date", side.date or "–"
    if by:
        yield "by", by
    yield "text", side.text or "–"


def _listed(facts: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{_e(name)}</dt><dd>{_e(value)}</dd>' for name, value in facts)}</dl>\n"


def _link(url: object) -> str:
    address = str(url)
    shown = _e(address)
    return f'<a href="{shown}" rel="noreferrer">{shown}</a>' if address.startswith(("http://", "https://")) else shown


def _e(text: object) -> str:
    return escape(str(text).encode("utf-8", "replace").decode())
