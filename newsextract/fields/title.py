"""The headline of an article page.

Candidates are the headings near the start of the main text (Zou & Zhong 2011, §1.2.3), the h1 elements, JSON-LD
``headline``, ``og:title`` and its like, and the parts of ``<title>`` (*title candidates*). A linear
ranker chooses: what several sources agree on, stands right above the text and in the address's words is the
headline; what only the site's name explains is not. Weights: ``data/title_weights.toml``.

Cost: 0.16 of an lxml parse.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from newsextract.fields.article_marks import ArticleMarks
from newsextract.fields.dates import months
from newsextract.fields.title_parts import (
    MAX_TITLE,
    TITLE_WORDS,
    fold_key,
    is_site,
    leads_up,
    site_names,
    split_title,
    title_parts,
)
from newsextract.model_files import data_table
from newsextract.page.metadata import Metadata, fold, plain
from newsextract.records.leaves import text_width
from newsextract.results import Found, Surroundings

# --- title candidates -----------------------------------------------------------------------------
# Two candidates with the same letters and digits are one; it then has several sources. Places: headings near the main text,
# h1 elements, JSON-LD and meta elements, the parts of ``<title>``, and text blocks near the main text that the stated title
# repeats. A heading element that holds a kicker or a subtitle counts as the headline that the page states without it, and
# what is known about the pieces of an h1 helps where the page states both.

MAX_CANDIDATES = 60
_MAX_PIECES = 8
"""A heading element of more pieces is no headline with a kicker."""
_MAX_KICKED = 4
"""A heading element of more pieces has no kicker that a feature tells of."""
_MIN_STATED = 8
"""Letters and digits of a stated title that a heading is trimmed to."""
_BLOCK_LENGTHS = range(4, 201)
"""Characters of a text block that can be a headline."""
_BLOCK_START = 200
"""Characters of a text block that are compared with the candidates."""
_HEADINGS = 25

_DAY = re.compile(
    r"\W*(?:[^\W\d]{2,12}\.?,?\s)?(?:(?P<n>[^\W\d]{3,12})\.?\s\d{1,2}(?:st|nd|rd|th)?,?\s\d{4}"
    r"|\d{1,2}(?:st|nd|rd|th|\.)?\s(?:de\s)?(?P<m>[^\W\d]{3,12})\.?,?\s(?:de\s)?\d{4}"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{4}年\d{1,2}月\d{1,2}日)\W*"
)
"""A day and nothing else, as blogs put it above the posts of a day."""
_DIGITS = re.compile(r"\d")
_SIGNS = re.compile(r"^(?>(?:[¶§#∞⚓🔗]\ufe0f?\s)+)|(?>(?:\s*[¶∞⚓🔗]\ufe0f?|\s[#§])+)$")
"""Signs of permanent links; a ``#`` only with a blank before it ("C#")."""
_SLUG_WORD = re.compile(r"[^\W_]{3,}")
_SOCIAL = ("og:title", "twitter:title")
_WEAK_PARTS = ("title_whole", "title_run", "title_rest", "other_meta", "other_meta_cut")
"""Features of titles that are too weak to trim a heading by."""
_WHOLE = ("json_ld", "og_title", "twitter_title")
"""Features of headlines that are stated alone."""
_AGREED = frozenset(("short", "near_last", "title_run", "title_start"))
"""Features of a short headline ("Hi") that is the heading right above the text and the first part of ``<title>``."""
_AGREED_BLOCK = frozenset(("in_block", "title_start", "title_without_site"))
"""Features of a line above the text that is what ``<title>`` says. If no heading near the text is part of it, and the page
has no h1, the headline is no heading, and the first heading is one of the text."""
_WHOLE_HEADLINE = frozenset(("title_run", "in_block"))
"""Features of a line above the text that is a part of ``<title>`` between separators."""
_NO_AGREED = frozenset(("below", "refused", "site", "home", "day"))
_LEVEL_ENDS = ("/", "»", "›", ">", "→", "»", "::", "\\")
"""What stands between the levels of breadcrumbs."""
_EDGES = " :-–—|/·•,"
_NOT_TITLES = frozenset(map(fold_key, TITLE_WORDS["not_titles"]))
_WEIGHTS = {name: float(value) for name, value in data_table("fields/data/title_weights.toml").items()}
_OTHER_META = (
    "dc.title", "dcterms.title", "sailthru.title", "parsely-title", "headline", "hdl", "bt:headline", "citation_title",
    "title",
)  # fmt: skip


@dataclass(slots=True)
class TitleCandidate:
    """One possible headline."""

    text: str
    key: str
    """Letters and digits in lower case."""
    source: str
    """The strongest place it was found at, for :class:`newsextract.results.Found`."""
    features: dict[str, float] = field(default_factory=dict)


def candidates(
    metadata: Metadata,
    surroundings: Surroundings,
    url: str | None,
    hint: str | None,
    marked: Sequence[str],
    names: frozenset[str],
) -> list[TitleCandidate]:
    """All candidates with their features, the strongest source of each first found wins its spelling.

    :param marked: texts whose class or place makes them headlines, for pages that state none.
    """
    stated = list(_stated_places(metadata, names))
    spans = list(_title_spans(metadata.title, names)) if metadata.title else []
    trimmed = _trimmed(metadata, [*stated, *spans], surroundings)
    headings = [(h.level, trimmed.get(fold_key(h.text)) or fold(h.text)) for h in surroundings.headings[-_HEADINGS:]]
    near = [(level, text) for level, text in headings if text]
    titles = _page_titles(metadata, names)
    before = [
        fold_key(trimmed.get(key := fold_key(_behind_levels(t[:_BLOCK_START], titles)), key)) for t in surroundings.before
    ]
    feed = [(plain(hint), "feed", "feed")] if hint else []
    by_class = [(text, "class", "marked") for text in marked]
    places = (*_headings(metadata, near, trimmed), *stated, *feed, *_blocks(titles, surroundings, names), *by_class, *spans)
    found: dict[str, TitleCandidate] = {}
    for written, source, feature in places:
        text = without_signs(written)
        if text.endswith(".") and text[:-1] in titles:
            text = text[:-1]  # some themes draw a coloured full stop behind every headline
        key = fold_key(text)
        if not key or len(text) > MAX_TITLE:
            continue
        one = found.get(key)
        if one is None:
            if len(found) >= MAX_CANDIDATES:
                break
            one = found[key] = TitleCandidate(text, key, source)
        one.features[feature] = 1.0
    for pieces in metadata.heading_pieces[:8]:
        if 1 < len(pieces) <= _MAX_KICKED:
            for text, feature in ((" ".join(pieces), "piece_all"), (pieces[-1], "piece_last")):
                if (one := found.get(fold_key(text))) is not None:
                    one.features[feature] = 1.0
    below = {fold_key(h.text) for h in surroundings.headings if h.block > surroundings.first}
    above = {fold_key(h.text) for h in surroundings.headings if h.block <= surroundings.first}
    for key in (below - above) & found.keys():
        found[key].features["below"] = 1.0
    for text, link in zip(metadata.headings, metadata.heading_links, strict=False):
        if link and (one := found.get(fold_key(without_signs(text)))) is not None and leads_up(link, url):
            one.features["home"] = 1.0
    _describe(list(found.values()), metadata, [fold_key(text) for _, text in near], before, url, names)
    return list(found.values())


def without_signs(text: str) -> str:
    """A headline without the sign of a link to itself (¶, #) that generators put before or after it."""
    return text if text[:1].isalnum() and text[-1:].isalnum() else _SIGNS.sub("", text) or text


_Place = tuple[str, str, str]
"""Text, source, feature."""


def _headings(metadata: Metadata, near: list[tuple[int, str]], trimmed: dict[str, str]) -> Iterator[_Place]:
    """Headings near the main text, and h1 elements wherever they stand."""
    top = min((level for level, _ in near), default=0)
    for level, text in near:
        yield text, f"h{level}", f"near_h{min(level, 4)}"
        if level == top:
            yield text, f"h{level}", "near_top"
    for text in metadata.headings[:8]:
        yield trimmed.get(fold_key(text), text), "h1", "h1"
    if len(metadata.headings) == 1:
        text = metadata.headings[0]
        yield trimmed.get(fold_key(text), text), "h1", "only_h1"


def _trimmed(metadata: Metadata, stated: list[_Place], surroundings: Surroundings) -> dict[str, str]:
    """Headings whose element holds a kicker or a subtitle, too (key → headline): the page states the headline without it.
    On a page without h1 they are lower headings that end with a stated headline."""
    found = {
        whole: text
        for text, pieces in zip(metadata.headings, metadata.heading_pieces, strict=False)
        if (whole := fold_key(" ".join(pieces))) != fold_key(text)
    }
    keys: set[str] | None = None
    for pieces in metadata.heading_pieces[:8]:
        if not 1 < len(pieces) <= _MAX_PIECES:
            continue
        if keys is None:
            keys = {fold_key(text) for text, _, feature in stated if feature not in _WEAK_PARTS}
        whole = fold_key(" ".join(pieces))
        runs = [pieces[:at] for at in range(1, len(pieces))] + [pieces[at:] for at in range(1, len(pieces))]
        texts = [" ".join(run).strip(_EDGES) for run in runs]
        known = [text for text in texts if len(fold_key(text)) >= _MIN_STATED and fold_key(text) in keys]
        if known and whole not in keys:
            found[whole] = max(known, key=len)
    if not metadata.headings:
        titles = {fold_key(text): text for text, _, feature in stated if feature in _WHOLE}
        for text in {fold(heading.text) for heading in surroundings.headings[-_HEADINGS:]}:
            ends = [one for key, one in titles.items() if len(key) >= _MIN_STATED and text.endswith(f" {one}")]
            if ends and fold_key(text) not in titles:
                found[fold_key(text)] = max(ends, key=len)
    return found


def _stated_places(metadata: Metadata, names: frozenset[str]) -> Iterator[_Place]:
    """Titles from JSON-LD and meta elements, strongest sources first."""
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


def _page_titles(metadata: Metadata, names: frozenset[str]) -> dict[str, bool]:
    """The stated titles (true) and what they are without the site's name (false); none that is only that name."""
    stated = [fold(title) for title in (metadata.title, metadata.first(*_SOCIAL)) if title]
    found = {max(split_title(title, names), key=text_width): False for title in stated} | dict.fromkeys(stated, True)
    return {title: whole for title, whole in found.items() if (key := fold_key(title)) and key not in names}


def _behind_levels(line: str, titles: dict[str, bool]) -> str:
    """A line of breadcrumbs that ends with a title of the page: that title alone."""
    text = fold(line)
    for title in titles:
        if text.endswith(title) and text[: -len(title)].rstrip().endswith(_LEVEL_ENDS):
            return title
    return line


def _blocks(titles: dict[str, bool], surroundings: Surroundings, names: frozenset[str]) -> Iterator[_Place]:
    """Text blocks near the main text that are part of the stated title, or hold it: headlines that are no headings.

    The site's name is none.
    """
    keys = [fold_key(title) for title, whole in titles.items() if whole]
    for text in surroundings.before if keys else ():
        for line in text.split("\n", 3)[:3]:
            if len(line) in _BLOCK_LENGTHS:
                headline = _behind_levels(line, titles)
                key = fold_key(headline)
                if (
                    len(key) > 3
                    and key not in names
                    and any(key in title or (len(title) > 3 and title in key) for title in keys)
                ):
                    yield fold(headline), "near_text", "in_block"


def _stated(text: str, source: str, feature: str, names: frozenset[str]) -> Iterator[_Place]:
    """A title from metadata: whole, and without the site's name."""
    parts = split_title(text, names)
    longest = max(parts, key=text_width)
    yield text, source, feature
    if longest != text:
        yield longest, source, f"{feature}_cut"


def _title_spans(title: str, names: frozenset[str]) -> Iterator[_Place]:
    """``<title>`` whole, every run of its parts, and what is left without the site's name."""
    spans = title_parts(title)
    kept = [span for span in spans if not is_site(title[slice(*span)].strip(), names)]
    kept = [span for span in kept if not _is_day(title[slice(*span)].strip())] or kept
    if kept:
        run = title[kept[0][0] : kept[-1][1]].strip()
        yield run, "title", "title_without_site"
        longest = max(kept, key=lambda span: text_width(title[slice(*span)]))
        yield title[slice(*longest)].strip(), "title", "title_longest"
    yield title, "title", "title_whole"
    if len(kept) < len(spans):
        yield title, "title", "title_with_site"
    for first in range(min(len(spans), 5)):
        for last in range(first, min(len(spans), first + 5)):
            yield title[spans[first][0] : spans[last][1]].strip(), "title", "title_run"
    _, colon, rest = title.partition(": ")
    if colon and len(rest) > 10:
        yield rest.strip(), "title", "title_rest"
        for start, end in title_parts(rest)[:1]:
            yield rest[start:end].strip(), "title", "title_rest"


def _describe(
    found: list[TitleCandidate],
    metadata: Metadata,
    keys: list[str],
    before: list[str],
    url: str | None,
    names: frozenset[str],
) -> None:
    """Adds the features that compare a candidate with the page's title, headings, address and names.

    :param keys: of the headings near the main text, in order.
    :param before: keys of the blocks before and at the start of the main text.
    """
    title = fold_key(metadata.title or "")
    social = fold_key(metadata.first(*_SOCIAL) or "")
    in_title = [key for key in keys if len(key) > 3 and key in title]
    slug = _slug_words(url, metadata)
    starts = "\n".join(["", *before])  # keys have no line breaks
    title_words = frozenset(_SLUG_WORD.findall((metadata.title or "").lower()))
    for one in found:
        add, key = one.features, one.key
        if title and key in title:
            add |= {"in_title": 1.0, "title_share": len(key) / len(title)}
            places = {"title_start": title.startswith(key), "title_end": title.endswith(key)}
            add |= {name: 1.0 for name, is_there in places.items() if is_there}
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
        elif f"\n{key}" in starts:
            add["block_start"] = 1.0
        if in_title and key == max(in_title, key=len):
            add["longest_in_title"] = 1.0
        _describe_text(one, names)
        if "day" in add and add.keys() >= _WHOLE_HEADLINE and {key, *names}.issuperset(in_title):
            del add["day"]  # the entry of a diary: the head and the heading above the text state no other headline
        if keys and not (in_title or metadata.headings) and add.keys() >= _AGREED_BLOCK and not add.keys() & _NO_AGREED:
            add["agreed"] = 1.0
        mine = frozenset(_SLUG_WORD.findall(one.text.lower()))
        if mine and title_words:
            add["title_overlap"] = len(mine & title_words) / len(mine | title_words)
        if slug:
            both = len(mine & slug)
            add["slug_recall"] = both / len(slug)
            add["slug_precision"] = both / len(mine) if mine else 0.0


def _describe_text(one: TitleCandidate, names: frozenset[str]) -> None:
    """Adds the features of a candidate's own text."""
    add, key = one.features, one.key
    length, digits = text_width(one.text), len(_DIGITS.findall(key))
    add["length"] = min(1.0, math.log(1 + length) / 6)
    add["digits"] = digits / len(key)
    has = {
        "one_word": length == len(one.text) and " " not in one.text,
        "short": length < 15,
        "long": length > 130,
        "site": is_site(one.text, names),
        "refused": key in _NOT_TITLES,
        "day": digits > 0 and _is_day(one.text),
        "question": one.text[-1] in "?!？！",
    }
    add.update((name, 1.0) for name, is_true in has.items() if is_true)
    if add.keys() >= _AGREED and not add.keys() & _NO_AGREED and add["near_last"] and not key.isdecimal():
        add["agreed"] = 1.0


def _is_day(text: str) -> bool:
    match = _DAY.fullmatch(text)
    return match is not None and ((name := match["n"] or match["m"]) is None or name.lower() in months(""))


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


# --- title ----------------------------------------------------------------------------------------

OTHERS = 3
_LEAST_KEY = 4
"""Letters and digits of another headline."""
_NO_HEADLINES = frozenset(("below", "refused", "site", "day", "in_block"))
"""Features of candidates that are no headlines of their own: within the text, "Contact", a rubric, a date, a label."""
_SEPARATORS = " :-–—|/·•,»›>«‹<"


def find_title(
    metadata: Metadata,
    surroundings: Surroundings,
    url: str | None,
    hint: str | None = None,
    marks: ArticleMarks | None = None,
) -> Found | None:
    """The headline, clean text without the site's name; None when the page has no title at all: the first of
    :func:`find_titles`."""
    return next(iter(find_titles(metadata, surroundings, url, hint, marks)), None)


def find_titles(
    metadata: Metadata,
    surroundings: Surroundings,
    url: str | None,
    hint: str | None = None,
    marks: ArticleMarks | None = None,
) -> list[Found]:
    """The headline, then what it would be if that turned out to be the site's name: at most :data:`OTHERS`, best first.

    Only a run that sees many pages of a site knows that all of them have one headline (:mod:`pipelines.checks`).

    :param url: the page's address; its words and its host help to tell headline from site name.
    :param marks: those around the main text; asked where ``<title>`` has only the site's name and no
        heading is above the text.
    """
    ranked, names = ranked_titles(metadata, surroundings, url, hint, marks)
    found = [one for one, _ in ranked]
    return [_found(found[0].text, found[0].source), *_others(found, metadata, names)] if found else []


def ranked_titles(
    metadata: Metadata, surroundings: Surroundings, url: str | None, hint: str | None, marks: ArticleMarks | None
) -> tuple[list[tuple[TitleCandidate, float]], frozenset[str]]:
    """The candidates of :func:`find_titles` with their scores, best first; and the names of the site."""
    names, title = site_names(metadata, url), metadata.title or ""
    if marks is not None:
        parts = {fold_key(title[slice(*span)]) for span in title_parts(title)}
        names |= {key for key in parts - names if marks.is_home_name(key)}
    headed = any(h.block <= surroundings.first and fold_key(h.text) not in names for h in surroundings.headings)
    untitled = not headed and all(is_site(title[slice(*span)].strip(), names) for span in title_parts(title))
    marked = marks.titles if marks is not None and untitled else ()
    found = [
        (one, sum(_WEIGHTS.get(name, 0.0) * value for name, value in one.features.items()))
        for one in candidates(metadata, surroundings, url, hint, marked, names)
    ]
    return sorted(found, key=lambda one: one[1], reverse=True), names


def _others(ranked: list[TitleCandidate], metadata: Metadata, names: frozenset[str]) -> list[Found]:
    """What is left of the stated titles without the headline, then the other candidates without it."""
    best = ranked[0]
    stated = [(text, "title") for text in (metadata.title, metadata.first("og:title")) if text]
    rest = [(one.text, one.source) for one in ranked[1:] if not _NO_HEADLINES & one.features.keys()]
    others: dict[str, Found] = {}
    for place, (text, source) in enumerate((*stated, *rest)):
        whole = fold(text)
        is_named = whole.startswith(best.text) or whole.endswith(best.text)
        cut = whole.removeprefix(best.text) if whole.startswith(best.text) else whole.removesuffix(best.text)
        cut = cut.strip(_SEPARATORS) if is_named else whole
        if place < len(stated):
            if cut == whole:
                continue  # it does not name the headline
            cut = max(split_title(cut, names), key=text_width)
        key = fold_key(cut)
        if len(key) >= _LEAST_KEY and key not in fold_key(best.text) and key not in names:
            others.setdefault(key, _found(cut, source))
        if len(others) == OTHERS:
            break
    return list(others.values())


def _found(text: str, source: str) -> Found:
    return Found(text, source, text[:120])


def published_title(surroundings: Surroundings, metadata: Metadata) -> Found | None:
    """The paper's rule (§1.2.3): the heading of the highest level near the text, else ``<title>`` without site names."""
    if surroundings.headings:
        best = min(surroundings.headings, key=lambda heading: heading.level)
        return Found(best.text, f"h{best.level}", best.text[:120])
    if not metadata.title:
        return None
    text = max(split_title(metadata.title, site_names(metadata, None)), key=len)
    return Found(text, "title", metadata.title[:120])
