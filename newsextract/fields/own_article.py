"""Which of several articles in a page's JSON-LD is about the page: related stories have objects of their own.

An article is the page's if it states the page's URL, or its headline. URLs count for more, because the headlines of a page
and of its object may differ. Where nothing tells them apart, the order of the page stays.

Cost: nothing for pages with fewer than two articles in JSON-LD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from newsextract.fields.title_parts import fold_key
from newsextract.page.metadata import Metadata, plain
from newsextract.urls import normalize

_ARTICLE = re.compile(r"article|posting|report|review|recipe|interview|story|analysis", re.IGNORECASE)
_MIN_HEADLINE = 6
"""Letters and digits of a headline that is looked for at the ends of ``<title>``."""
_BEFORE_HOST = re.compile(r"^https?://(?:www\.)?")


def with_own_article(metadata: Metadata, url: str | None) -> Metadata:
    """The metadata with the page's own article first in JSON-LD, and without articles that are about other pages.

    :param url: the page's.
    """
    articles = [item for item in metadata.json_ld if _ARTICLE.search(str(item.get("@type", "")))]
    if len(articles) < 2:
        return metadata
    base = url or metadata.canonical or ""
    stated = (url, metadata.canonical, metadata.first("og:url"))
    here = {key for address in stated if (key := _key(address, base))}
    titles = {fold_key(title) for title in (*metadata.headings, metadata.first("og:title", "twitter:title")) if title}
    ranks: dict[int, tuple[bool, bool]] = {}
    others: set[int] = set()
    for item in articles:
        addresses = {key for address in _addresses(item) if (key := _key(address, base))}
        headline = fold_key(plain(str(item.get("headline") or item.get("name") or "")))
        ranks[id(item)] = rank = (not here.isdisjoint(addresses), _is_title(headline, metadata.title, titles))
        if not any(rank) and (addresses or headline):
            others.add(id(item))
    if not any(map(any, ranks.values())) or len(set(ranks.values())) == 1:
        return metadata
    own = sorted((item for item in articles if any(ranks[id(item)])), key=lambda item: ranks[id(item)], reverse=True)
    rest = [item for item in metadata.json_ld if not any(ranks.get(id(item), ())) and id(item) not in others]
    return replace(metadata, json_ld=(*own, *rest))


def _addresses(item: Mapping[str, Any]) -> Iterator[str]:
    """The URLs of the page that an object is about; its ``@id`` only where it states no other."""
    found = False
    for name in ("url", "mainEntityOfPage", "@id"):
        value = item.get(name)
        given = value.get("@id") or value.get("url") if isinstance(value, Mapping) else value
        if isinstance(given, str) and given and not given.startswith("#") and not (found and name == "@id"):
            found = True
            yield given


def _key(address: str | None, base: str) -> str:
    """A URL without what differs between spellings of one: scheme, ``www.``, trackers, fragment, the last slash."""
    try:
        joined = urljoin(base, address or "")
    except ValueError:
        return ""  # not a URL
    return _BEFORE_HOST.sub("", (address and normalize(joined)) or "").rstrip("/")


def _is_title(headline: str, title: str | None, titles: set[str]) -> bool:
    """Whether a headline is one of the page's titles, or begins or ends ``<title>``, beside the site's name."""
    if len(headline) < _MIN_HEADLINE:
        return headline in titles and bool(headline)
    key = fold_key(title or "")
    return headline in titles or key.startswith(headline) or key.endswith(headline)
