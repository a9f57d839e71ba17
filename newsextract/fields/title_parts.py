"""The parts of a page's title and the names of its site: what in ``<title>`` and og:title is not the headline.

Site names are learned from the page (og:site_name, publisher, domain); words of rubrics and separators stand in
``data/titles.toml``.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from newsextract.model_files import alternatives, data_table
from newsextract.page.metadata import Metadata

MAX_TITLE = 400
"""Longer texts are no headlines."""

TITLE_WORDS = data_table("fields/data/titles.toml")
_FOLD = re.compile(r"[\W_]+")
_ASCII_FOLD = {code: chr(code).lower() if chr(code).isalnum() else None for code in range(128)}
_BARE_HYPHEN = r"(?<=[\u3040-\u30ff\u3400-\u9fff”》）！？])-(?=[\u3040-\u30ff\u3400-\u9fff])"
"""Chinese titles put the site's name behind a hyphen without blanks; in other scripts such a hyphen joins words."""
_SEPARATOR = re.compile(f"{alternatives(TITLE_WORDS['separators'])}|{_BARE_HYPHEN}")
_LATIN, _CJK = (alternatives(TITLE_WORDS["site_words"], wide=wide) for wide in (False, True))
_SITE_WORDS = re.compile(rf"\b(?:{_LATIN})\b|(?:{_CJK})$", re.IGNORECASE)


@lru_cache(maxsize=512)  # a page's headline stands at ten places, and each is compared with the others
def fold_key(text: str) -> str:
    """Letters and digits in lower case: what two spellings of one headline share."""
    if text.isascii():
        return text.translate(_ASCII_FOLD)  # the same, in half the time
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


@lru_cache(maxsize=64)  # a page's title is taken apart seven times
def title_parts(text: str) -> tuple[tuple[int, int], ...]:
    """Spans of the parts of a title between separators, in order."""
    spans: list[tuple[int, int]] = []
    at = 0
    for match in [*_SEPARATOR.finditer(text[:MAX_TITLE]), None]:
        end = match.start() if match else min(len(text), MAX_TITLE)
        if text[at:end].strip():
            spans.append((at, end))
        at = match.end() if match else end
        if len(spans) >= 8:
            break
    return tuple(spans)


def split_title(text: str, names: frozenset[str]) -> list[str]:
    """Parts of a title with the site's names and rubrics left out, in order; the whole text where none is left."""
    parts = [text[start:end].strip() for start, end in title_parts(text)]
    return [part for part in parts if not is_site(part, names)] or [text.strip()]


@lru_cache(maxsize=512)
def is_site(part: str, names: frozenset[str]) -> bool:
    """Whether a part of a title names the site or a rubric."""
    key = fold_key(part)
    if not key or key in names:
        return True
    if any(len(name) > 4 and name in key and len(key) < len(name) + 12 for name in names):
        return True
    short = len(part.split()) <= 4 and len(part) < 40
    return short and bool(_SITE_WORDS.search(part.strip()))


def leads_up(link: str, url: str | None) -> bool:
    """Whether a link leads from the page to the site or the folder that it is in: then its text is that one's name."""
    try:
        here, there = urlsplit(url or ""), urlsplit(urljoin(url or "", link))
    except ValueError:
        return False
    if link.startswith("#") or there.query or there.netloc not in ("", here.netloc):
        return False
    folder = re.sub(r"/index\.\w+$", "", there.path).rstrip("/") + "/"
    return (
        folder == "/" if not here.path.strip("/") and not url else here.path != there.path and here.path.startswith(folder)
    )


@lru_cache(maxsize=64)  # title, authors and date ask for the same page's
def _host(url: str | None) -> str:
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""
