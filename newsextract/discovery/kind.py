"""Article, listing, or something else? Told from evidence, not by the address alone.

A logistic model over the features of :mod:`newsextract.discovery.evidence`. What is no article is a listing if it
has headline-like links, unless it looks like a forum thread, a log-in or an error page. Weights, means and the
texts for people stand in ``data/kind.json``. The weights of content are fitted by ``benchmarks/page_kind.py``, on
content alone. The others are set by hand, because the bench cannot teach them: its negatives are search pages and
threads, most of them told by their addresses, without JSON-LD; hardly one is a newspaper's own listing.

Measured by that script: on folds 1-4, cross-validated, 1.7 % of 1,463 article pages called something else and 91 % of
349 other pages told (search pages 96-99 %, forum threads 41 %); on fold 0 2.5 % of 366 and 92 % of 120. Some of the lost
articles have no text in their source. A thread whose address and software say nothing passes for an article about every
second time.

Cost: about 0.2 of an lxml parse, the links' text included.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from newsextract.discovery.evidence import evidence
from newsextract.page import Page

LEAST_HEADLINES = 4
"""Headline-like links that make a page without an article a listing."""
LEAST_TEXT = 40
"""Characters, links included, below which a page is empty: a redirect, a frame set, an application's
shell."""
REASONS = 3
DOUBTFUL = 0.7
"""Least confidence that a page is an article where nothing but a link vouches for it. On the bench's folds 1–4 this costs
2 % more articles than 0.5 and turns away 3 % more of the other pages; on the sample site all articles have 0.9 or more."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a page is."""

    kind: Literal["article", "listing", "other"]
    """``article``: one news article. ``listing``: teasers or results that lead to others. ``other``: forum
    thread, log-in, error page, home of an application."""
    confidence: float
    """0.5–1: the model's probability that the page is, or is not, an article."""
    reasons: tuple[str, ...]
    """The evidence that weighed most, strongest first, for people."""

    @property
    def told(self) -> str:
        """All of it in words, as rejections have it."""
        return f"{self.kind} ({self.confidence:.2f}): {', '.join(self.reasons)}"


@cache
def model() -> Mapping[str, Any]:
    """The weights: ``bias``, and by feature ``weight``, ``mean`` (over the bench), ``fitted``, ``text`` and
    (said of low values) ``low``."""
    found: dict[str, Any] = json.loads(files(__package__).joinpath("data/kind.json").read_text("utf-8"))
    return found


def page_kind(page: Page) -> Kind:
    """Tell what a page is; never raises."""
    return judged(evidence(page))


def other_than_article(page: Page) -> str | None:
    """What a page is if it is no article, and what tells, in words; None for an article."""
    found = page_kind(page)
    if found.kind == "article":
        return None
    what = "a listing" if found.kind == "listing" else "a thread, a log-in, an error or an empty page"
    return f"the page looks like {what} rather than an article: {', '.join(found.reasons)}"


def judged(found: Mapping[str, float]) -> Kind:
    """The kind that the evidence (see :func:`newsextract.discovery.evidence.evidence`) speaks for."""
    if found["characters"] < LEAST_TEXT and not found["says_article"]:
        return Kind("other", 0.9, ("hardly any text",))
    weights = model()["features"]
    logit = model()["bias"] + sum(weights[name]["weight"] * found[name] for name in weights)
    probability = 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
    is_article = probability >= 0.5
    pulls = {
        name: (1 if is_article else -1) * weights[name]["weight"] * (found[name] - weights[name]["mean"]) for name in weights
    }
    said = {name: _said(weights[name], found[name]) for name in weights}
    strongest = sorted((name for name in pulls if pulls[name] > 0.1 and said[name]), key=lambda name: -pulls[name])
    reasons = tuple(said[name] for name in strongest[:REASONS])
    if is_article:
        return Kind("article", round(probability, 3), reasons)
    return Kind("listing" if _is_listing(found) else "other", round(1 - probability, 3), reasons)


def _said(feature: Mapping[str, Any], value: float) -> str:
    """A feature in words; empty where its absence says nothing."""
    low = value <= min(0.5, feature["mean"])
    text: str = feature.get("low", "") if low else feature["text"]
    return f"{text} ({value:.1f})" if text and value not in (0.0, 1.0) else text


def _is_listing(found: Mapping[str, float]) -> bool:
    if found["error_title"] or found["login_title"] or found["thread_address"] or found["thread_software"]:
        return False
    return found["headline_count"] >= LEAST_HEADLINES or found["search_address"] > 0 or found["search_title"] > 0
