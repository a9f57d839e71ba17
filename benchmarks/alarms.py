"""How many redesigns a crawl's alarms find, and how many ordinary runs give a false one: ``python -m benchmarks.alarms``.

What is real: the articles of the sample site are extracted and judged as a crawl does it, as they are and after each of the
redesigns below. What is simulated: the runs. A run draws its articles from one template's pages, some of them more often
than others, so that runs differ as a newsroom's days do; the number of new articles changes with the day of the week, with
the season and by chance; some pages are rejected. Histories have 5 to 30 runs. Sites with 10 to 200 articles a run are to be
found in the first run after the redesign; for small ones, with 1 to 9, it is told how many are found within five.

A redesign that changes the outcome of fewer than a tenth of the pages is one that the extraction copes with: it is listed
and not counted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import lxml.html
import numpy as np
from lxml.html import HtmlElement

from newsextract import Page
from newsextract.alarms import OWN, Counted, RunFigures, alarms
from newsextract.discovery import Rules, is_article
from newsextract.feed.record_lines import COVERED, RecordSource, judge, news_record
from newsextract.sites import Site

ROOT = Path(__file__).parents[1] / "tests" / "sample_site"
TEMPLATES = {"english": "/en/2025/", "blog": "/en/blog/", "chinese": "/zh/"}
SITE = Site(name="sample", start=["http://www.harbour-ledger.example/"])
NOTE = "Subscribers read on. Log in or choose a subscription to see the rest of this article."
Redesign = Callable[[HtmlElement], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a page gives: a record, or the status of its rejection."""

    status: str
    length: int = 0
    confidence: float = 0.0
    fields: tuple[str, ...] = ()
    text: str = ""


# --- redesigns ------------------------------------------------------------------------------------


def _drop(path: str) -> Redesign:
    def change(tree: HtmlElement) -> None:
        for element in tree.xpath(path):
            element.drop_tree()

    return change


def drawn_by_scripts(tree: HtmlElement) -> None:
    """The body is an empty element that a script fills."""
    for element in tree.xpath("//body/*"):
        element.drop_tree()
    tree.find("body").append(lxml.html.fragment_fromstring("<div id='app'>Loading …</div>"))


def cut_by_a_paywall(tree: HtmlElement) -> None:
    """Only the first paragraph of the text is in the source."""
    paragraphs = [element for element in tree.xpath("//p") if len(element.text_content()) > 40]
    for element in paragraphs[1:]:
        element.drop_tree()
    if paragraphs:
        paragraphs[0].addnext(lxml.html.fragment_fromstring(f"<p>{NOTE}</p>"))


def without_metadata(tree: HtmlElement) -> None:
    """No meta elements, no JSON-LD, no dates in the text or its attributes."""
    _drop("//meta[@name or @property or @itemprop] | //script | //time | //*[contains(@class, 'date')]")(tree)
    _drop("//*[contains(@class, 'byline') or contains(@class, 'meta') or contains(@class, 'author')]")(tree)
    for element in tree.xpath("//@itemprop/.. | //@datetime/.."):
        element.attrib.pop("itemprop", None)
        element.attrib.pop("datetime", None)


def without_headings(tree: HtmlElement) -> None:
    """The headline is a picture."""
    _drop("//h1 | //h2 | //title | //script | //meta[contains(@property, 'title') or contains(@name, 'title')]")(tree)


def _emptied(tree: HtmlElement) -> HtmlElement:
    """The body of a page of which nothing is left, its metadata neither."""
    _drop("//head/meta[not(@charset)] | //head/link | //head/script | //body/*")(tree)
    for title in tree.xpath("//head/title"):
        title.text = "The Harbour Ledger"
    return tree.find("body")


def lists_of_teasers(tree: HtmlElement) -> None:
    """Old URLs answer with a list of teasers."""
    teaser = (
        "<article><h2><a href='/a/{0}'>A headline of story {0} is here</a></h2><p>In short, story {0} says it.</p></article>"
    )
    body = _emptied(tree)
    body.append(lxml.html.fragment_fromstring(f"<main>{''.join(teaser.format(n) for n in range(25))}</main>"))


def a_consent_page(tree: HtmlElement) -> None:
    """Every URL answers with a question about cookies."""
    body = _emptied(tree)
    words = "We and our partners use cookies. Accept all, or choose what you allow. You can change this later. " * 3
    body.append(lxml.html.fragment_fromstring(f"<main><h1>Your privacy</h1><p>{words}</p><button>Accept</button></main>"))


def without_authors(tree: HtmlElement) -> None:
    """Nobody signs."""
    classes = " or ".join(f"contains(@class, '{word}')" for word in ("byline", "author", "source"))
    _drop(f"//script | //*[@rel='author'] | //meta[contains(@name, 'author')] | //*[{classes}]")(tree)


REDESIGNS: dict[str, Redesign | None] = {
    "drawn by scripts": drawn_by_scripts,
    "cut by a paywall": cut_by_a_paywall,
    "no metadata, dates, bylines": without_metadata,
    "headlines are pictures": without_headings,
    "old URLs lead to lists": lists_of_teasers,
    "a consent page": a_consent_page,
    "no author named": without_authors,
    "blocked": None,
    "no links to articles": None,
}


def outcome(body: bytes, url: str) -> Outcome:
    """What a crawl makes of a page."""
    page = Page(body, url, {"content-type": "text/html; charset=utf-8"}, datetime(2025, 11, 1, tzinfo=UTC))
    if not is_article(Rules(), url, "article", page.kind, "sitemap"):
        return Outcome("listing")
    record = news_record([page], RecordSource(SITE.name, url), "combined")
    if (verdict := judge(record, SITE)) is not None:
        return Outcome(verdict[0])
    fields = tuple(name for name in COVERED["news"] if getattr(record, name))
    return Outcome("ok", len(record.text), record.confidence, fields, record.text)


def pools() -> dict[str, dict[str, list[Outcome]]]:
    """By template, then by redesign (empty: none): what each page gives."""
    expected = [json.loads(line) for line in (ROOT / "expected.jsonl").read_text("utf-8").splitlines()]
    found: dict[str, dict[str, list[Outcome]]] = {}
    for name, folder in TEMPLATES.items():
        made = found.setdefault(name, {})
        for number, line in enumerate(line for line in expected if folder in line["url"]):
            path = line["url"].partition(".example/")[2]
            file = ROOT / "www" / (path + ("index.html" if path.endswith("/") or not path else ""))
            if not file.is_file():
                continue
            body = file.read_bytes()
            try:
                text = body.decode("utf-8")
            except UnicodeDecodeError:
                continue
            made.setdefault("", []).append(outcome(body, line["url"]))
            for redesign, change in REDESIGNS.items():
                if change is not None:
                    tree = lxml.html.document_fromstring(text)
                    change(tree)
                    url = f"http://www.harbour-ledger.example/a/{number}"
                    made.setdefault(redesign, []).append(outcome(lxml.html.tostring(tree, encoding="utf-8"), url))
    return {name: {redesign: _with_own(outcomes) for redesign, outcomes in made.items()} for name, made in found.items()}


def _with_own(outcomes: list[Outcome]) -> list[Outcome]:
    """Which texts are no copies of that of another page."""
    counts = Counter(one.text for one in outcomes)
    return [replace(one, fields=(*one.fields, *([OWN] if counts[one.text] == 1 else []))) for one in outcomes]


# --- runs -----------------------------------------------------------------------------------------


class Newsroom:
    """A simulated site."""

    def __init__(self, pool: list[Outcome], random: np.random.Generator, *, small: bool) -> None:
        self._pool, self._random = pool, random
        self._usual = float(np.exp(random.uniform(*np.log([1, 10] if small else [10, 200]))))
        self._weekend = random.uniform(0.3, 1.0)
        self._noise = random.uniform(0.05, 0.3)
        self._rejected = random.beta(1.2, 5)
        self._day = datetime(2026, 1, 1, 5, tzinfo=UTC) + timedelta(days=int(random.integers(7)))

    def run(self, pool: list[Outcome] | None = None, *, blocked: bool = False, silent: bool = False) -> RunFigures:
        """The next day's run.

        :param pool: the outcomes of the pages after a redesign.
        """
        random, counted = self._random, Counted()
        self._day += timedelta(days=1, minutes=float(random.normal(0, 20)))
        season = 1 + 0.15 * np.sin(2 * np.pi * self._day.timetuple().tm_yday / 365)
        mean = self._usual * season * (self._weekend if self._day.weekday() >= 5 else 1.0) * random.lognormal(0, self._noise)
        pages = 0 if silent else int(random.poisson(mean))
        weights = random.gamma(1.5, size=len(self._pool))
        for number in random.choice(len(self._pool), pages, p=weights / weights.sum()):
            found = (pool or self._pool)[number]
            if blocked or found.status != "ok":
                counted.reject("blocked" if blocked else found.status)
            else:
                length = int(found.length * random.lognormal(0, 0.3))
                counted.add(length, float(np.clip(found.confidence + random.normal(0, 0.03), 0, 1)), found.fields)
        share = float(np.clip(self._rejected * random.lognormal(0, 0.25), 0, 0.9))
        for _ in range(int(random.poisson(mean * share / (1 - share)))):
            counted.reject("not_article")
        return counted.figures(self._day.isoformat(timespec="seconds"))


def history(newsroom: Newsroom, random: np.random.Generator) -> list[RunFigures]:
    """The runs before."""
    return [newsroom.run() for _ in range(int(random.integers(5, 31)))]


def measure(count: int, seed: int) -> tuple[float, float]:
    """Simulate and print; share of the redesigns that were found, and of false alarms."""
    random, found = np.random.default_rng(seed), pools()
    false: list[str] = []
    for _ in range(count):
        pool = found[str(random.choice(list(found)))][""]
        newsroom = Newsroom(pool, random, small=bool(random.random() < 0.3))
        earlier = history(newsroom, random)
        false += alarms(newsroom.run(), earlier)[:1]
    print(f"ordinary runs with an alarm: {len(false)} of {count} ({len(false) / count:.2%}; target 1 %) {false[:3]}")
    totals = []
    each = max(20, count // 20)
    for redesign in REDESIGNS:
        for template, made in found.items():
            pool, after = made[""], made.get(redesign)
            if after is not None and (copes := _changed(pool, after)) < 0.1:
                print(f"{redesign}, {template}: the outcome of {copes:.0%} of the pages changes; not counted")
                continue
            hits = [0, 0]
            for small in (False, True):
                for _ in range(each):
                    newsroom = Newsroom(pool, random, small=small)
                    runs = history(newsroom, random)
                    for _ in range(5 if small else 1):
                        figures = newsroom.run(after, blocked=redesign == "blocked", silent="no links" in redesign)
                        if alarms(figures, runs):
                            hits[small] += 1
                            break
                        runs.append(figures)
            totals.append(np.array(hits) / each)
            print(
                f"{redesign}, {template}: {hits[0] / each:.1%} found at once; small sites {hits[1] / each:.1%} in five runs"
            )
    large, small_sites = np.mean(totals, axis=0)
    print(f"redesigns found: {large:.1%} at once (target 95 %); small sites: {small_sites:.1%} within five runs")
    return float(large), len(false) / count


def _changed(before: list[Outcome], after: list[Outcome]) -> float:
    """Share of the pages of which a field, half of the text, or the record itself is lost, or the text is twice as long."""
    lost = [
        one.status == "ok"
        and (
            other.status != "ok"
            or not set(one.fields) <= set(other.fields)
            or not 0.5 < other.length / max(1, one.length) < 2
        )
        for one, other in zip(before, after, strict=True)
    ]
    return float(np.mean(lost))


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=1_000, help="ordinary runs; default: 1000")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    measure(arguments.runs, arguments.seed)


if __name__ == "__main__":
    main()
