"""Sites that fall out of their own history: the figures of a run of a crawl against those of the site's earlier runs.

Each figure is compared with the median of the earlier runs. It is an alarm if three things hold: it differs by more than
:data:`SPREADS` spreads, where the spread is made of the median absolute deviation and of the error of a figure of so few
records; it lies outside all that the history has seen, one outlier aside; and it differs by as much as matters. Only changes
for the worse count, except for lengths, which a page's menus can make longer. A figure needs :data:`LEAST_RUNS` runs.

Measured by ``python -m benchmarks.alarms``, on redesigns of the sample site.
"""

from __future__ import annotations

import json
import logging
import shlex
import subprocess
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from math import exp, fsum, log, log1p, sqrt
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from newsextract.errors import NewsextractError
from newsextract.results import ASKS_CONSENT, IS_LOG_IN
from newsextract.urls import AddressPolicy, is_web_address

logger = logging.getLogger(__name__)

SECONDS = 60
"""That a command may take which gets the alarms."""
LEAST_RUNS = 5
"""Earlier runs from which on a figure is compared."""
LEAST = 10
"""Records, or pages, that a figure is made of; of small sites several runs are joined to have as many."""
LATEST = 30
"""Earlier runs that are looked at."""
SPREADS = 3.5
"""With few runs more: the median and the spread are uncertain themselves."""
DRY = 10
"""Records that are missing, by the median, from which on runs without any in a row are an alarm."""
EXIT_CODE = 6
"""Of a crawl that is complete and has an alarm."""
LEAST_LOW = 3
"""Records that every earlier run has had, from which on a run without any is an alarm."""
OWN = "a text of its own"
"""What counts as a field of a record that is no near-duplicate."""
NOT_COUNTED = frozenset({"part", "redirected", "not_canonical", "out_of_window", "robots"})
"""Rejections that say nothing about how well a site is read."""


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What one run gave of a site."""

    at: str
    """When it ended, in UTC."""
    records: int = 0
    rejected: int = 0
    length: float = 0.0
    """Median of the texts, in characters."""
    spread: float = 0.0
    """Of the logarithms of the lengths: their median absolute deviation, scaled to a standard deviation."""
    confidence: float = 0.0
    """Mean."""
    coverage: Mapping[str, float] = field(default_factory=dict)
    """Share of the records that have the field."""

    @classmethod
    def read(cls, text: str) -> RunFigures:
        """The figures as :meth:`text` writes them.

        :raises ValueError, TypeError: they are none.
        """
        return cls(**json.loads(text))

    def text(self) -> str:
        """The figures as JSON."""
        return json.dumps(asdict(self))


class Counted:
    """The figures of a site while a run goes on. Cost: 8 bytes a record."""

    def __init__(self) -> None:
        self.rejected = 0
        self._lengths, self._confidences = array("i"), array("f")
        self._fields: Counter[str] = Counter()

    def add(self, length: int, confidence: float, fields: Iterable[str]) -> None:
        """Count a record.

        :param fields: those that it has.
        """
        self._lengths.append(length)
        self._confidences.append(confidence)
        self._fields.update(fields)

    def reject(self, status: str) -> None:
        """Count a page that gave no record."""
        self.rejected += status not in NOT_COUNTED

    def figures(self, at: str) -> RunFigures:
        """What has been counted."""
        records = len(self._lengths)
        if not records:
            return RunFigures(at, rejected=self.rejected)
        coverage = {name: round(count / records, 4) for name, count in self._fields.items()}
        confidence = round(fsum(self._confidences) / records, 4)
        logs = [log1p(length) for length in self._lengths]
        middle = median(logs)
        spread = round(1.4826 * median(abs(one - middle) for one in logs), 4)
        return RunFigures(at, records, self.rejected, float(median(self._lengths)), spread, confidence, coverage)


def alarms(run: RunFigures, earlier: Sequence[RunFigures]) -> list[str]:
    """What falls out of a site's history, one sentence each.

    :param earlier: the oldest first.
    """
    earlier = earlier[-LATEST:]
    return [*_records(run, earlier), *_rejections(run, earlier), *_contents(run, earlier)]


def _records(run: RunFigures, earlier: Sequence[RunFigures]) -> Iterator[str]:
    """Fewer records. A run that comes sooner after another one than usual has had less time for new ones."""
    runs = _paced([*earlier, run])
    if not runs or runs[-1] is not run or len(runs) <= LEAST_RUNS:
        return
    counts = [one.records for one in runs[:-1]]
    usual = median(counts)
    dry = 1
    while dry <= len(counts) and not run.records and not counts[-dry]:
        dry += 1
    logs, error = [log1p(count) for count in counts], 1 / max(1.0, usual) + 0.15**2
    is_silent = not run.records and _lowest(counts) >= LEAST_LOW
    if usual >= LEAST and (is_silent or _falls(log1p(run.records), logs, error=error, least=log(2), margin=log(1.5))):
        yield f"{run.records} new record{'s'[: run.records != 1]}, usually {usual:g}"
    elif usual >= 1 and not run.records and dry * usual >= DRY:
        yield f"no new records in {dry} runs, usually {usual:g} a run"


def _paced(runs: Sequence[RunFigures]) -> list[RunFigures]:
    """The runs that came no sooner after the one before than half of the usual time; the first has none before it."""
    times = [datetime.fromisoformat(run.at).timestamp() for run in runs]
    gaps = [after - before for before, after in pairwise(times)]
    usual = median(gaps) if gaps else 0.0
    return [run for run, gap in zip(runs[1:], gaps, strict=True) if gap >= usual / 2]


def _rejections(run: RunFigures, earlier: Sequence[RunFigures]) -> Iterator[str]:
    """A greater share of rejected pages."""
    *before, last = _blocks([*earlier, run], lambda one: one.records + one.rejected)
    if not run.rejected or not _is_enough(before, last.records + last.rejected):
        return
    shares = [_share(one) for one in before]
    usual = median(shares)
    error = _binomial(usual, last.records + last.rejected) + 0.03**2
    if _falls(-_share(last), [-share for share in shares], error=error, least=0.2, margin=0.1):
        yield f"{_share(last):.0%} of the pages rejected, usually {usual:.0%}"


def _share(run: RunFigures) -> float:
    return run.rejected / (run.records + run.rejected)


def _contents(run: RunFigures, earlier: Sequence[RunFigures]) -> Iterator[str]:
    """Texts of another length, fields that fewer records have, and a lower confidence."""
    *before, last = _blocks([*earlier, run], lambda one: one.records)
    if not run.records or not _is_enough(before, last.records):
        return
    lengths = [log1p(one.length) for one in before]
    value, spread = log1p(last.length), max(0.3, median(one.spread for one in before))
    error = 1.57 * spread**2 / last.records + 0.08**2
    for sign in (1, -1):
        if _falls(sign * value, [sign * length for length in lengths], error=error, least=log(1.5), margin=log(1.2)):
            yield f"texts of {last.length:,.0f} characters, usually {exp(median(lengths)) - 1:,.0f}"
    for name in sorted({name for one in before for name in one.coverage}):
        shares = [one.coverage.get(name, 0.0) for one in before]
        share, usual = last.coverage.get(name, 0.0), median(shares)
        if _falls(share, shares, error=_binomial(usual, last.records) + 0.03**2, least=0.25, margin=0.1):
            yield f"{share:.0%} of the records have {name}, usually {usual:.0%}"
    confidences = [one.confidence for one in before]
    error = 0.15**2 / last.records + 0.02**2
    if _falls(last.confidence, confidences, error=error, least=0.12, margin=0.05):
        yield f"confidence {last.confidence:.2f}, usually {median(confidences):.2f}"


def _is_enough(before: Sequence[RunFigures], count: int) -> bool:
    return count >= LEAST and len(before) >= LEAST_RUNS


def _blocks(runs: Sequence[RunFigures], size: Callable[[RunFigures], int]) -> list[RunFigures]:
    """Runs in a row joined until each block has :data:`LEAST` pages, from the newest back; what is left over goes."""
    blocks: list[RunFigures] = []
    joined = RunFigures(runs[-1].at)
    for run in reversed(runs):
        joined = _joined(joined, run)
        if size(joined) >= LEAST:
            blocks.append(joined)
            joined = RunFigures(run.at)
    return blocks[::-1] or [joined]


def _joined(one: RunFigures, other: RunFigures) -> RunFigures:
    """Two runs as one: the medians are weighted means, of lengths geometric ones."""
    records = one.records + other.records
    if not one.records or not other.records:
        filled = one if one.records else other
        return replace(filled, rejected=one.rejected + other.rejected)
    share = one.records / records

    def mean(first: float, second: float) -> float:
        return share * first + (1 - share) * second

    names = {*one.coverage, *other.coverage}
    coverage = {name: mean(one.coverage.get(name, 0.0), other.coverage.get(name, 0.0)) for name in names}
    length = exp(mean(log1p(one.length), log1p(other.length))) - 1
    spread, confidence = mean(one.spread, other.spread), mean(one.confidence, other.confidence)
    return RunFigures(other.at, records, one.rejected + other.rejected, length, spread, confidence, coverage)


def _binomial(share: float, count: int) -> float:
    """Variance of a share of so many, never zero."""
    drawn = (share * count + 1) / (count + 2)
    return drawn * (1 - drawn) / count


def _falls(value: float, earlier: Sequence[float], *, error: float, least: float, margin: float) -> bool:
    """Whether a value is lower than the earlier ones let expect.

    :param error: its variance, beside what the earlier values show.
    :param least: how far below their median it must be.
    :param margin: how far below the lowest of them, of ten or more the second lowest.
    """
    usual = median(earlier)
    spread = sqrt((1.4826 * median(abs(one - usual) for one in earlier)) ** 2 + error)
    below = usual - value
    return below >= least and below > SPREADS * (1 + 2 / len(earlier)) * spread and value < _lowest(earlier) - margin


def _lowest(earlier: Sequence[float]) -> float:
    """The lowest value that is no outlier: of ten or more the second lowest."""
    return sorted(earlier)[len(earlier) >= 10]


def sentences(found: Mapping[str, Sequence[str]]) -> list[str]:
    """The alarms of all sites, one line for each site."""
    return [f"{site}: {'; '.join(messages)}" for site, messages in found.items() if messages]


def report_of(spider: str, feed: str | None, found: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """What a command or a webhook gets, as JSON."""
    sites = [{"site": site, "alarms": list(messages)} for site, messages in found.items() if messages]
    return {"spider": spider, "feed": feed, "sites": sites}


def send(whom: str | Sequence[str], report: Mapping[str, Any]) -> None:
    """Send a report to a webhook (an http(s) URL) or a command, which gets it on standard input; a failure is logged.

    :param whom: a URL, a command line (no shell reads it), or a command and its arguments.
    """
    from newsextract.page.fetching import post  # late: commands that only need exit codes start at once

    body = json.dumps(report).encode()
    try:
        if isinstance(whom, str) and is_web_address(whom):
            post(whom, body, AddressPolicy.typed([whom]))
        else:
            words = shlex.split(whom) if isinstance(whom, str) else list(whom)
            subprocess.run(words, input=body, check=True, timeout=SECONDS)
    except (NewsextractError, OSError, ValueError, subprocess.SubprocessError) as error:
        told = str(error)
        if isinstance(whom, str) and "://" in whom:  # who knows a webhook's path may write to it
            told = told.replace(whom, f"{whom.partition('://')[0]}://{urlsplit(whom).hostname}/…")
        logger.error("the alarms could not be sent (setting ALARM_NOTIFY): %s", told)


# --- shortfall ------------------------------------------------------------------------------------
# A crawl that finds nothing, or much less than sitemaps and feeds announce: one line with a key that is likely to help.

SHORTFALL_EXIT_CODE = 3
"""Of a crawl that ended well and found too little. 1: it broke off; 2: it was not started."""
LEAST_ANNOUNCED = 10
"""Announced articles from which on their number counts."""
ENOUGH = 0.5
"""Share of the announced articles that is no shortfall: a sitemap also lists fixed pages and what has moved."""
NO_TEXT = "hardly any text"
"""In the reason of a rejection: the source has no text, as that of an application that draws itself."""
NO_LINKS = "no link leads to an article"
"""In the reason of a start page: scripts may make its lists."""
_NO_ARTICLES = ("listing", "part", "redirected", "not_canonical", "out_of_window", "not_html")
"""Rejections of pages that a sitemap may name and that are no missing article."""
_PRODUCT = "product ("
"""How the reason of a page begins that is that of a product: those of shops are in the sitemap, too."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """What is missing, and what to do."""

    line: str
    key: str
    """Of the site's table."""
    value: str
    """For it, as TOML; an example where only the user can know."""


def shortfall(
    name: str, found: int, announced: int, rejections: Iterable[tuple[str, str]], *, has_allow: bool = False
) -> Shortfall | None:
    """What to say of a site that has been crawled; None if it gave enough.

    :param found: articles in the feed, those of earlier runs included.
    :param announced: distinct articles of sitemaps and feeds; 0 where there are none, or only a few were wanted.
    :param rejections: status and reason of each.
    :param has_allow: whether the site has ``allow`` patterns.
    """
    count: Counter[str] = Counter()
    thin = consent = products = linkless = 0
    for status, reason in rejections:
        what = reason.partition(": ")[0]
        if what in ("sitemap", "feed") and status in ("empty", "missing"):
            status = what
        if reason.startswith(IS_LOG_IN):
            status = "log-in"
        count[status] += 1
        thin += NO_TEXT in reason or status == "empty"
        consent += ASKS_CONSENT in reason
        linkless += reason.startswith(NO_LINKS)
        products += status == "not_article" and reason.startswith(_PRODUCT)
    expected = announced - products - sum(count[status] for status in _NO_ARTICLES)
    if found and (expected < LEAST_ANNOUNCED or found >= ENOUGH * expected):
        return None
    what = f"found {found} of {expected} articles that sitemaps and feeds announce" if found else "found no article"
    why, key, value = _cause(count, thin, consent, is_linkless=linkless > 0, has_allow=has_allow)
    return Shortfall(f"{name}: {what}: {why}; set {key} = {value}", key, value)


def _cause(count: Counter[str], thin: int, consent: int, *, is_linkless: bool, has_allow: bool) -> tuple[str, str, str]:
    """The likeliest reason, and key and value that mend it."""
    pages = count.total()
    lost = {what: f"{count[what]} URLs of {what}s are missing (404) or name no page" for what in ("sitemap", "feed")}
    refused = sum(count[status] for status in ("blocked", "challenged", "server_error", "http_error"))
    unlike = count["listing"] + count["not_article"] - thin
    start = "start", '["https://www.example.org/"]'
    named = "user_agent", '"name (+https://example.org/contact)"'
    asked = f"{consent} of {pages} rejected pages ask for consent (cookies, privacy), which only a reader can give;"
    scripted = f"on the start page {NO_LINKS}, as where scripts make the lists, and no sitemap or feed was found"
    other = f"no fetched page {'matches allow' if has_allow else 'looks like an article'}"
    causes = [
        # Before causes that are as frequent: of a single page, it is not known whether it matters.
        (count["sitemap"], lost["sitemap"], "sitemaps", '["https://www.example.org/sitemap.xml"]'),
        (consent, f"{asked} some sites do not ask crawlers that name themselves", *named),
        (thin, f"the source of {thin} of {pages} rejected pages has hardly any text", "render", "true"),
        (count["robots"], f"robots.txt forbids {count['robots']} pages", "obey_robots", "false"),
        (count["private"], "it leads to private addresses", "start", '["http://the-private-host/"]'),
        (count["download"], f"{count['download']} pages could not be fetched: no network, or a wrong URL", *start),
        (refused, f"{refused} pages were refused", *named),
        (count["failed"], f"{count['failed']} pages failed; see the rejected feed", "algorithm", '"text_density"'),
        (count["log-in"], f"{count['log-in']} pages ask for a log-in; a crawl reads only what is open to all", *start),
        (count["missing"], f"{count['missing']} pages do not exist (404)", *start),
        (count["not_html"], f"{count['not_html']} files are no web pages", *start),
        (count["out_of_window"], "articles lie outside the date window", "since", "2000-01-01"),
        (count["short"], f"{count['short']} texts are too short", "min_length", "20"),
        (unlike if is_linkless and not has_allow else 0, scripted, "render", "true"),
        (unlike, other, "allow", "['/part-of-all-article-urls/']"),
        (count["feed"], lost["feed"], "feeds", '["https://www.example.org/feed.xml"]'),
    ]
    number, *cause = max(causes, key=lambda cause: cause[0])
    if not number:
        cause = ["no new page was fetched (articles that the feed has under another site's name do not count)", *start]
    return cause[0], cause[1], cause[2]
