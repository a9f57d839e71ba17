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
from newsextract.fields.metadata import Metadata
from newsextract.fields.title_candidates import Candidate, candidates
from newsextract.fields.title_parts import site_names, split_title

__all__ = ["find_title", "published_title"]


def find_title(metadata: Metadata, surroundings: Surroundings, url: str | None, hint: str | None = None) -> Found | None:
    """The headline, clean text without the site's name; None when the page has no title at all.

    :param url: the page's address; its words and its host help to tell headline from site name.
    :param hint: the title that the feed gave.
    """
    best = max(candidates(metadata, surroundings, url, hint), key=_score, default=None)
    return Found(best.text, best.source, best.text[:120]) if best is not None else None


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
