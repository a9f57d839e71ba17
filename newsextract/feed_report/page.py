"""The report of a feed: one HTML file that needs nothing but itself. What it leaves out it counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from newsextract.feed_report import views
from newsextract.feed_report.index import Chosen, FeedIndex

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


def report(feed: Path, *, most: int = RECORDS, alarms: Sequence[str] = (), runs: str = "") -> str:
    """The file.

    :param most: records that are shown.
    :param alarms: sites that fall out of their own history, one sentence each.
    :param runs: HTML: the sites against earlier runs.
    :raises DataError: the feed is missing, or a file cannot be read.
    """
    index = FeedIndex(feed)
    try:
        index.catch_up()
        return _page(index, most, alarms, runs)
    finally:
        index.close()


def _page(index: FeedIndex, most: int, alarms: Sequence[str], runs: str) -> str:
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
        ("health", "Sites", alarm_list(alarms) + views.health(sites, SITES) + runs + foreign),
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


def alarm_list(alarms: Sequence[str]) -> str:
    """Sites that fall out of their own history."""
    items = "".join(f"<li>{views.text(alarm)}</li>" for alarm in alarms)
    return f'<ul class="alarms" aria-label="Alarms">{items}</ul>' if alarms else ""
