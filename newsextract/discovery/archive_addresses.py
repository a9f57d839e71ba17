"""Addresses of archives: pages of a tag, a category, an author, a day, a later page of a list.

Blog software writes them in a few ways (``data/archives.toml``). It is evidence beside what the page itself shows
(:mod:`newsextract.kinds`), never the only reason to reject a page.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from urllib.parse import unquote, urlsplit

PAGES = "#pages"
"""End of the group of later pages of a list that is no archive."""
_DATE_ONLY = re.compile(r"(?:^|/)(?:19|20)\d\d(?:/(?:0?[1-9]|1[0-2])(?:/(?:0?[1-9]|[12]\d|3[01]))?)?(?:/index\.x?html?)?/?$")
_DIGITS = re.compile(r"\d{1,4}")
_WORDS = re.compile(r"[a-z]+")


@cache
def _lists() -> dict[str, frozenset[str]]:
    data = tomllib.loads(files(__package__).joinpath("data/archives.toml").read_text("utf-8"))
    return {name: frozenset(words) for name, words in data.items()}


@lru_cache(maxsize=20_000)
def archive_group(url: str) -> str | None:
    """What an address that is written like that of an archive belongs to; None for other addresses.

    It is the same for all tags of a site, for all its authors, for all its months.

    :param url: normalised.
    """
    lists = _lists()
    address, _, query = url.partition("?")
    host, _, path = address.partition("://")[2].partition("/")
    for pair in query.lower().split("&") if query else ():
        name, _, value = pair.partition("=")
        if name in lists["parameters"] or (name in lists["page_parameters"] and _DIGITS.fullmatch(value)):
            return f"{host}/{path}?{name}"
    segments = [unquote(segment).lower().partition(".")[0] for segment in path.split("/") if segment]
    if not segments:
        return None
    for place in (len(segments) - 1, len(segments) - 2):
        if place >= 0 and segments[place] in lists["groups"]:
            return "/".join([host, *segments[: place + 1]])
    if segments[-1] in lists["all"]:
        return "/".join([host, *segments])
    if len(segments) > 1 and _DIGITS.fullmatch(segments[-1]) and segments[-2] in lists["page_words"]:
        within = next((i for i, segment in enumerate(segments) if segment in lists["groups"] or segment in lists["all"]), -2)
        return "/".join([host, *segments[: within + 1]]) + PAGES * (within == -2)
    dated = _DATE_ONLY.search("/" + path.lower())
    return f"{host}/{path[: dated.start()]}#days" if dated else None


def lists_among(urls: Sequence[str]) -> set[str]:
    """Of the sitemaps of one index those of archives, or of fixed pages ("about us") beside another one of dated articles.

    Examples: ``wp-sitemap-taxonomies-category-1.xml``, ``author-sitemap.xml``; ``page-sitemap.xml`` beside
    ``post-sitemap.xml``. Nothing where that would be all of them: what a name says is a hint, and no more.
    """
    lists = _lists()
    words = {url: frozenset(_WORDS.findall(urlsplit(url).path.rpartition("/")[2].lower())) for url in urls}
    found = {url for url, own in words.items() if lists["sitemap_words"] & own}
    rest = [url for url in words if url not in found]
    # WordPress writes "posts-post" and "posts-page": the last word that tells counts.
    subjects = {url: _last_of(url, lists["dated_words"], lists["fixed_words"]) for url in rest}
    if "dated" in subjects.values():
        found |= {url for url, subject in subjects.items() if subject == "fixed"}
    return found if len(found) < len(words) else set()


def _last_of(url: str, dated: frozenset[str], fixed: frozenset[str]) -> str | None:
    for word in reversed(_WORDS.findall(urlsplit(url).path.rpartition("/")[2].lower())):
        if word in dated:
            return "dated"
        if word in fixed:
            return "fixed"
    return None
