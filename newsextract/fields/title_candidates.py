"""Candidates for the headline and what is known about each: the features of the title ranker.

Two candidates with the same letters and digits are one; it then has several sources. Site names are learned from
the page (og:site_name, publisher, domain) and from agreement: a part of ``<title>`` that is also a heading near the text.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import unquote, urlsplit

from newsextract.article import Surroundings
from newsextract.fields.markup import plain
from newsextract.fields.metadata import Metadata

MAX_TITLE = 400
"""Longer texts are no headlines."""
MAX_CANDIDATES = 60

_FOLD = re.compile(r"[\W_]+")
_DIGITS = re.compile(r"\d")
_SLUG_WORD = re.compile(r"[^\W_]{3,}")
_SOCIAL = ("og:title", "twitter:title")
_OTHER_META = (
    "dc.title", "dcterms.title", "sailthru.title", "parsely-title", "headline", "hdl", "bt:headline", "citation_title",
    "title",
)  # fmt: skip


@dataclass(slots=True)
class Candidate:
    """One possible headline."""

    text: str
    key: str
    """Letters and digits in lower case."""
    source: str
    """The strongest place it was found at, for :class:`newsextract.article.Found`."""
    features: dict[str, float] = field(default_factory=dict)


def fold_key(text: str) -> str:
    """Letters and digits in lower case: what two spellings of one headline share."""
    return _FOLD.sub("", text).lower()


def site_names(metadata: Metadata, url: str | None) -> frozenset[str]:
    """Folded names of the site: og:site_name, publisher, the domain's labels."""
    names = [*metadata.meta.get("og:site_name", ()), *metadata.meta.get("application-name", ())]
    for item in metadata.json_ld[:20]:
        publisher = item.get("publisher")
        if isinstance(publisher, dict) and isinstance(publisher.get("name"), str):
            names.append(publisher["name"])
    host = _host(url) or _host(metadata.canonical) or _host(metadata.first("og:url"))
    host = host.removeprefix("www.")
    names += [host, *(label for label in host.split(".")[:-1] if len(label) > 3)]
    return frozenset(key for key in map(fold_key, names) if len(key) > 1)


def title_parts(text: str) -> list[tuple[int, int]]:
    """Spans of the parts of a title between separators, in order."""
    spans: list[tuple[int, int]] = []
    at = 0
    for match in [*_separator().finditer(text[:MAX_TITLE]), None]:
        end = match.start() if match else min(len(text), MAX_TITLE)
        if text[at:end].strip():
            spans.append((at, end))
        at = match.end() if match else end
        if len(spans) >= 8:
            break
    return spans


def split_title(text: str, names: frozenset[str]) -> list[str]:
    """Parts of a title with the site's names and rubrics left out, in order; the whole text where none is left."""
    parts = [text[start:end].strip() for start, end in title_parts(text)]
    return [part for part in parts if not is_site(part, names)] or [text.strip()]


def is_site(part: str, names: frozenset[str]) -> bool:
    """Whether a part of a title names the site or a rubric."""
    key = fold_key(part)
    if not key or key in names:
        return True
    if any(len(name) > 4 and name in key and len(key) < len(name) + 12 for name in names):
        return True
    short = len(part.split()) <= 4 and len(part) < 40
    return short and bool(_site_words().search(part.strip()))


def candidates(metadata: Metadata, surroundings: Surroundings, url: str | None, hint: str | None) -> list[Candidate]:
    """All candidates with their features, the strongest source of each first found wins its spelling."""
    names = site_names(metadata, url)
    found: dict[str, Candidate] = {}
    for text, source, feature in _places(metadata, surroundings, hint, names):
        key = fold_key(text)
        if not key or len(text) > MAX_TITLE:
            continue
        one = found.get(key)
        if one is None:
            if len(found) >= MAX_CANDIDATES:
                break
            one = found[key] = Candidate(text, key, source)
        one.features[feature] = 1.0
    _describe(list(found.values()), metadata, surroundings, url, names)
    return list(found.values())


def _places(
    metadata: Metadata, surroundings: Surroundings, hint: str | None, names: frozenset[str]
) -> Iterator[tuple[str, str, str]]:
    """(text, source, feature), strongest sources first."""
    headings = [h for h in surroundings.headings if h.text][-25:]
    top = min((h.level for h in headings), default=0)
    for heading in headings:
        yield heading.text, f"h{heading.level}", f"near_h{min(heading.level, 4)}"
        if heading.level == top:
            yield heading.text, f"h{heading.level}", "near_top"
    for text in metadata.headings[:8]:
        yield text, "h1", "h1"
    if len(metadata.headings) == 1:
        yield metadata.headings[0], "h1", "only_h1"
    for item in metadata.json_ld[:20]:
        headline = item.get("headline")
        if isinstance(headline, str) and headline.strip():
            yield from _stated(plain(headline), "json-ld", "json_ld", names)
            break
    for group, feature in ((_SOCIAL, ""), (_OTHER_META, "other_meta")):
        for name in group:
            value = metadata.first(name)
            if value:
                yield from _stated(plain(value), f"meta:{name}", feature or name.replace(":", "_"), names)
    if hint:
        yield plain(hint), "feed", "feed"
    if metadata.title:
        yield from _title_spans(metadata.title, names)


def _stated(text: str, source: str, feature: str, names: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """A title from metadata: whole, and without the site's name."""
    parts = split_title(text, names)
    longest = max(parts, key=len)
    yield text, source, feature
    if longest != text:
        yield longest, source, f"{feature}_cut"


def _title_spans(title: str, names: frozenset[str]) -> Iterator[tuple[str, str, str]]:
    """``<title>`` whole, every run of its parts, and what is left without the site's name."""
    spans = title_parts(title)
    kept = [span for span in spans if not is_site(title[slice(*span)].strip(), names)]
    if kept:
        run = title[kept[0][0] : kept[-1][1]].strip()
        yield run, "title", "title_without_site"
        longest = max(kept, key=lambda span: span[1] - span[0])
        yield title[slice(*longest)].strip(), "title", "title_longest"
    yield title, "title", "title_whole"
    for first in range(min(len(spans), 5)):
        for last in range(first, min(len(spans), first + 5)):
            yield title[spans[first][0] : spans[last][1]].strip(), "title", "title_run"
    _, colon, rest = title.partition(": ")
    if colon and len(rest) > 10:
        yield rest.strip(), "title", "title_rest"
        for start, end in title_parts(rest)[:1]:
            yield rest[start:end].strip(), "title", "title_rest"


def _describe(
    found: list[Candidate], metadata: Metadata, surroundings: Surroundings, url: str | None, names: frozenset[str]
) -> None:
    """Adds the features that compare a candidate with the page's title, headings, address and names."""
    title = fold_key(metadata.title or "")
    social = fold_key(metadata.first(*_SOCIAL) or "")
    keys = [fold_key(h.text) for h in surroundings.headings][-25:]
    in_title = [key for key in keys if len(key) > 3 and key in title]
    before = [fold_key(text) for text in surroundings.before if len(text) <= MAX_TITLE]
    slug = _slug_words(url, metadata)
    title_words = frozenset(_SLUG_WORD.findall((metadata.title or "").lower()))
    for one in found:
        add, key = one.features, one.key
        if title and key in title:
            add["in_title"] = 1.0
            add["title_share"] = len(key) / len(title)
            if title.startswith(key):
                add["title_start"] = 1.0
            if title.endswith(key):
                add["title_end"] = 1.0
        if social and key in social:
            add["social_share"] = len(key) / len(social)
        if keys and key in keys:
            position = len(keys) - 1 - keys[::-1].index(key)
            add["near_position"] = (position + 1) / len(keys)
            add["near_last"] = 1.0 if position == len(keys) - 1 else 0.0
            add["near_repeated"] = min(2.0, keys.count(key) - 1.0)
            if in_title and key == in_title[-1]:
                add["last_in_title"] = 1.0
        if key in before:
            add["block"] = 1.0
            add["block_position"] = (len(before) - before[::-1].index(key)) / len(before)
        elif any(text.startswith(key) for text in before):
            add["block_start"] = 1.0
        if in_title and key == max(in_title, key=len):
            add["longest_in_title"] = 1.0
        add["length"] = min(1.0, math.log(1 + len(one.text)) / 6)
        words = len(one.text.split())
        add["one_word"] = 1.0 if words == 1 else 0.0
        add["short"] = 1.0 if len(one.text) < 15 else 0.0
        add["long"] = 1.0 if len(one.text) > 130 else 0.0
        add["site"] = 1.0 if is_site(one.text, names) else 0.0
        add["refused"] = 1.0 if key in _not_titles() else 0.0
        add["digits"] = len(_DIGITS.findall(key)) / len(key)
        add["question"] = 1.0 if one.text[-1] in "?!？！" else 0.0
        mine = frozenset(_SLUG_WORD.findall(one.text.lower()))
        if mine and title_words:
            add["title_overlap"] = len(mine & title_words) / len(mine | title_words)
        if slug:
            both = len(mine & slug)
            add["slug_recall"] = both / len(slug)
            add["slug_precision"] = both / len(mine) if mine else 0.0


def _slug_words(url: str | None, metadata: Metadata) -> frozenset[str]:
    """Words of the address's last path segments, when it has some."""
    for address in (url, metadata.canonical, metadata.first("og:url")):
        try:
            path = unquote(urlsplit(address or "").path)[:500]
        except ValueError:
            continue
        segments = path.lower().rstrip("/").split("/")
        words = max(([w for w in _SLUG_WORD.findall(s) if not w.isdigit()] for s in segments[-2:]), key=len)
        if len(words) >= 3:
            return frozenset(words)
    return frozenset()


def _host(url: str | None) -> str:
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""


@cache
def _words() -> dict[str, Any]:
    return tomllib.loads((files("newsextract.fields.data") / "titles.toml").read_text("utf-8"))


@cache
def _separator() -> re.Pattern[str]:
    return re.compile("|".join(re.escape(s) for s in sorted(_words()["separators"], key=len, reverse=True)))


@cache
def _not_titles() -> frozenset[str]:
    return frozenset(map(fold_key, _words()["not_titles"]))


@cache
def _site_words() -> re.Pattern[str]:
    words = _words()["site_words"]
    latin = "|".join(re.escape(w) for w in words if w[0] < "\u2e80")
    cjk = "|".join(re.escape(w) for w in words if w[0] >= "\u2e80")
    return re.compile(rf"\b(?:{latin})\b|(?:{cjk})$", re.IGNORECASE)
