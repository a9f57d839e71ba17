"""The headline of an article page.

Candidates are the headings near the start of the main text (Zou & Zhong 2011, §1.2.3), the h1 elements, JSON-LD
``headline``, ``og:title`` and its like, and the parts of ``<title>`` (:mod:`newsextract.fields.title_candidates`). A linear
ranker chooses: what several sources agree on, stands right above the text and in the address's words is the
headline; what only the site's name explains is not. Weights: ``data/title_weights.toml``.

Cost: 0.16 of an lxml parse; no regular expression over the page.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from newsextract.article import Found, Surroundings
from newsextract.fields.article_marks import ArticleMarks
from newsextract.fields.markup import fold
from newsextract.fields.metadata import Metadata
from newsextract.fields.title_candidates import Candidate, candidates
from newsextract.fields.title_parts import fold_key, is_site, site_names, split_title, title_parts

__all__ = ["find_title", "find_titles", "published_title"]

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

    Only a run that sees many pages of a site knows that all of them have one headline (:mod:`pipelines.consistency`).

    :param url: the page's address; its words and its host help to tell headline from site name.
    :param hint: the title that the feed gave.
    :param marks: those around the main text; asked where ``<title>`` has only the site's name and no
        heading is above the text.
    """
    names, title = site_names(metadata, url), metadata.title or ""
    if marks is not None and len(title_parts(title)) == 1 and marks.is_home_name(fold_key(title)):
        names |= {fold_key(title)}
    headed = any(h.block <= surroundings.first and fold_key(h.text) not in names for h in surroundings.headings)
    untitled = not headed and all(is_site(title[slice(*span)].strip(), names) for span in title_parts(title))
    marked = marks.titles if marks is not None and untitled else ()
    found = sorted(candidates(metadata, surroundings, url, hint, marked, names), key=_score, reverse=True)
    return [_found(found[0].text, found[0].source), *_others(found, metadata, names)] if found else []


def _others(ranked: list[Candidate], metadata: Metadata, names: frozenset[str]) -> list[Found]:
    """What is left of the stated titles without the headline, then the other candidates without it."""
    best = ranked[0]
    stated = [(text, "title") for text in (metadata.title, metadata.first("og:title")) if text]
    rest = [(one.text, one.source) for one in ranked[1:] if not _NO_HEADLINES & one.features.keys()]
    others: dict[str, Found] = {}
    for place, (text, source) in enumerate((*stated, *rest)):
        cut = _without(fold(text), best.text)
        if place < len(stated):
            if cut == fold(text):
                continue  # it does not name the headline
            cut = max(split_title(cut, names), key=len)
        key = fold_key(cut)
        if len(key) >= _LEAST_KEY and key not in fold_key(best.text) and key not in names:
            others.setdefault(key, _found(cut, source))
        if len(others) == OTHERS:
            break
    return list(others.values())


def _without(text: str, name: str) -> str:
    """A stated title without the name that it begins or ends with."""
    if text.startswith(name):
        return text[len(name) :].strip(_SEPARATORS)
    return text[: -len(name)].strip(_SEPARATORS) if text.endswith(name) else text


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


def _score(candidate: Candidate) -> float:
    weights = _weights()
    return sum(weights.get(name, 0.0) * value for name, value in candidate.features.items())


@cache
def _weights() -> dict[str, float]:
    text = (files("newsextract.fields.data") / "title_weights.toml").read_text("utf-8")
    return {name: float(value) for name, value in tomllib.loads(text).items()}
