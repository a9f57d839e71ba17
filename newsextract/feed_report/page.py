"""The report of a feed: one HTML file that needs nothing but itself. What it leaves out it counts."""

from __future__ import annotations

from pathlib import Path

from newsextract.alarms import sentences
from newsextract.errors import DataError
from newsextract.feed_report import views
from newsextract.feed_report.index import Chosen, FeedIndex
from newsextract.state.announced import coverage
from newsextract.state.runs import read_runs

RECORDS = 2_000
"""Records that are shown, at most: the newest."""
REVISED, GROUPS, LOST, REJECTIONS = 100, 100, 500, 1_000
MEMBERS = 20
"""Duplicates of a group that are shown."""
SITES = 500
DAYS = 60
TEXT = 3_000
"""Characters of a text that are shown; a feed has all."""
_LOST = ("gone", "moved", "withdrawn")


def report(feed: Path, *, most: int = RECORDS) -> str:
    """The file.

    :param most: records that are shown.
    :raises DataError: the feed is missing, or a file cannot be read.
    """
    index = FeedIndex(feed)
    try:
        index.catch_up()
        return _page(index, most)
    finally:
        index.close()


def _page(index: FeedIndex, most: int) -> str:
    sites = index.sites()
    total, lines = index.records(Chosen(), most)
    revised, ids = index.revised(REVISED)
    grouped, groups = index.groups(GROUPS, MEMBERS)
    rejected, rejections = index.rejections(REJECTIONS)
    is_news = any(line.get("kind") == "news" for line in lines[:1]) or not lines
    statuses = sorted({status for figures in sites.values() for status in figures.statuses})
    reasons = sorted({status for figures in sites.values() for status in figures.rejected})
    lost = [index.records(Chosen(status=status), LOST) for status in _LOST]
    lost_count = sum(count for count, _ in lost)
    shown_lost = [line for _, found in lost for line in found]
    foreign = f"<p>{index.foreign:,} lines are no records of newsextract.</p>" if index.foreign else ""
    sections = [
        ("health", "Sites", health(index) + foreign),
        *_coverage(index.feed),
        ("volume", "Volume by day", views.volume(index.days(DAYS))),
        (
            "records",
            "Records",
            views.of(len(lines), total, "records")
            + ("<p>To see all of them: newsextract report FEED --serve</p>" if len(lines) < total else "")
            + views.controls("record-list", sites, statuses)
            + f'<div id="record-list">{"".join(views.record(line, longest=TEXT) for line in lines)}</div>',
        ),
        (
            "revisions",
            "Revisions",
            views.of(len(ids), revised, "records have changed")
            + "".join(views.revisions(index.lines_of(one)) for one in ids),
        ),
        (
            "duplicates",
            "Duplicates",
            views.of(len(groups), grouped, "groups of near-same texts")
            + "".join(views.group(size, members) for size, members in groups),
        ),
        (
            "lost",
            "Gone, moved, withdrawn",
            views.of(len(shown_lost), lost_count, "records")
            + "".join(views.record(line, longest=TEXT) for line in shown_lost),
        ),
        (
            "rejections",
            "Rejections",
            views.of(len(rejections), rejected, "pages gave no record")
            + views.controls("rejection-list", sites, reasons)
            + '<div id="rejection-list">'
            + "".join(views.rejection(line, index.feed, is_news=is_news) for line in rejections)
            + "</div>",
        ),
    ]  # fmt: skip
    return views.document(f"Report of {index.feed.name}", sections, script=True)


def _coverage(feed: Path) -> list[tuple[str, str, str]]:
    """What was announced, and what of it was got; nothing where the state does not know."""
    try:
        found = coverage(feed)
    except DataError:
        return []  # reason: a feed without its state, or with a damaged one, has a report, too
    return [("coverage", "Announced and got", views.coverage(found, SITES, feed))] if found.days else []


def health(index: FeedIndex) -> str:
    """Alarms, the figures of the sites, and their last runs against earlier ones."""
    runs = read_runs(index.feed)
    alarms = sentences({site: known[-1][1] for site, known in runs.items()})
    items = "".join(f"<li>{views.text(alarm)}</li>" for alarm in alarms)
    head = f'<ul class="alarms" aria-label="Alarms of the last run">{items}</ul>' if alarms else ""
    return head + views.health(index.sites(), SITES) + views.runs(runs, SITES)
