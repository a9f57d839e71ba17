"""What the search engines know: the newspaper's articles, the forums' threads and the pages of ``source/search/web.txt``.

A small ranking (words in the title count six times) makes the hits, so that pages and truth come from one place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from pathlib import Path
from urllib.parse import urlsplit

from forum_layout import Layout
from site_source import BASE, Article

TITLE_WEIGHT = 6
MOST_OF_A_WORD = 5


@dataclass(frozen=True)
class Document:
    """A page that an engine may find."""

    title: str
    address: str
    date: str | None
    text: str
    lang: str

    @property
    def host(self) -> str:
        """Its host name."""
        return urlsplit(self.address).hostname or ""


@dataclass(frozen=True)
class Hit:
    """One hit, as a result page shows it."""

    rank: int
    """From 1, over all pages of the query."""
    document: Document
    title: str
    snippet: str
    date: str | None
    """The day, where the page tells it."""


def documents(articles: Sequence[Article], layouts: Sequence[Layout], web: Path) -> list[Document]:
    """Everything that can be found."""
    found = [
        Document(item.title, BASE + item.url, item.moment.date().isoformat(), item.text().replace("\n\n", " "), item.lang)
        for item in articles
        if not item.get("duplicate_of") and item.encoding != "big5"
    ]
    for layout in layouts:
        forum = layout.forum
        for thread in forum.threads:
            text = " ".join(post.whole().replace("\n\n", " ") for post in thread.posts)
            day = thread.posts[0].moment.date().isoformat()
            found.append(
                Document(f"{thread.title} - {forum.name}", forum.base + layout.thread_path(thread), day, text, forum.lang)
            )
    for line in web.read_text("utf-8").splitlines():
        title, address, day, text = line.split(" | ")
        found.append(
            Document(title, address, None if day == "-" else day, text, "zh" if re.search(r"[一-鿿]", title) else "en")
        )
    return found


def words(query: str) -> re.Pattern[str]:
    """Matches any word of a query; English ones only at the beginning of a word."""
    parts = [re.escape(word) for word in query.lower().split() if word != "&"]
    return re.compile("|".join(part if ord(part[0]) > 0x2E7F else rf"\b{part}" for part in parts), re.IGNORECASE)


def search(everything: Sequence[Document], query: str, most: int, *, title_limit: int, snippet_limit: int) -> list[Hit]:
    """The best documents for a query.

    :param title_limit: longer titles are cut; East Asian characters count double.
    :param snippet_limit: about as many characters has a snippet; East Asian characters count double.
    """
    pattern = words(query)
    ranked = []
    for document in everything:
        in_title = [found.lower() for found in pattern.findall(document.title)]
        in_text = [found.lower() for found in pattern.findall(document.text)]
        if in_title or in_text:
            score = TITLE_WEIGHT * len(set(in_title)) + sum(
                min(in_text.count(word), MOST_OF_A_WORD) for word in set(in_text)
            )
            ranked.append((-len({*in_title, *in_text}), -score, document.address, document))
    ranked.sort(key=lambda row: row[:3])
    return [
        Hit(rank, document, cut(document.title, title_limit), snippet(document.text, pattern, snippet_limit), document.date)
        for rank, (_, _, _, document) in enumerate(ranked[:most], 1)
    ]


def cut(text: str, limit: int) -> str:
    """The beginning of a text, with an ellipsis where something is left out."""
    widths = list(accumulate(2 if ord(letter) > 0x2E7F else 1 for letter in text))
    if not widths or widths[-1] <= limit:
        return text
    text = text[: bisect_right(widths, limit - 1)]
    if ord(text[-1]) < 0x2E7F and " " in text:
        text = text.rsplit(" ", 1)[0]
    return text.rstrip(" ,.;:，。；：") + "…"


def snippet(text: str, pattern: re.Pattern[str], limit: int) -> str:
    """A piece of the text around the first match, from the beginning of its sentence."""
    match = pattern.search(text)
    start = 0
    if match:
        ends = [end.end() for end in re.finditer(r"[.!?] |[。！？]", text[: match.start()])]
        start = ends[-1] if ends else 0
    return cut(text[start:].strip(), limit)


def marked(text: str, pattern: re.Pattern[str], tag: str, attributes: str = "") -> str:
    """A text in HTML with the matches in an element."""
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [escape(text[end : match.start()]), f"<{tag}{attributes}>{escape(match.group())}</{tag}>"]
        end = match.end()
    return "".join(parts) + escape(text[end:])
