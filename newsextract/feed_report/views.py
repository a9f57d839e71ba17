"""HTML fragments of the report and the server, and the page around them.

Titles, texts and URLs come from untrusted pages: everything is escaped, only http and https URLs become links, and a content
security policy allows only the style sheet and the script of the file, by their hashes.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from statistics import median

from newsextract import html_pages
from newsextract.alarms import RunFigures
from newsextract.control_characters import plural
from newsextract.discovery import matches
from newsextract.discovery.links import archive_group
from newsextract.errors import DataError, naming
from newsextract.feed import MAX_ATTEMPTS
from newsextract.feed.duplicates import differences
from newsextract.feed.record_lines import TRANSIENT
from newsextract.feed_report.index import Line, Shown, SiteFigures, number_of, read_line, site_of, text_of
from newsextract.html_pages import changes, link, policy_of, text
from newsextract.sites import Site
from newsextract.state.announced import Coverage, counted, summed
from newsextract.state.store import Trace, trace
from newsextract.urls import is_trap, normalize, record_id

COMPARED = ("title", "date", "status", "url")
"""Fields of a revision that are compared, in addition to its text."""
LONGEST_TITLE = 300
_CHART = (640, 160)
"""Width and height of the chart of records per day."""

# --- frame ----------------------------------------------------------------------------------------


def document(
    title: str, sections: Sequence[tuple[str, str, str]], *, script: bool = False, pages: Sequence[tuple[str, str]] = ()
) -> str:
    """A complete page.

    :param sections: id, heading, and HTML of each section.
    :param pages: path and heading of the pages in the navigation; if empty, the navigation lists the sections.
    """
    targets = [(f"/{name}", heading) for name, heading in pages] or [(f"#{name}", heading) for name, heading, _ in sections]
    links = "".join(f'<li><a href="{target}">{escape(heading)}</a></li>' for target, heading in targets)
    body = "".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(heading)}</h2>\n{html}</section>\n'
        for name, heading, html in sections
    )
    return html_pages.document(
        title,
        part("report.css"),
        f'<a class="skip" href="#main">Skip to content</a><header><h1>{text(title)}</h1>'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>\n<main id="main" tabindex="-1">{body}</main>',
        part("report.js") if script else "",
        policy=None if script else served_policy(),
    )


def served_policy() -> str:
    """The content security policy of served pages, which have forms and no script."""
    return policy_of(part("report.css"), forms="'self'")


@cache
def part(name: str) -> str:
    """The text of a file of the package."""
    return files(__name__.rpartition(".")[0]).joinpath(name).read_text("utf-8")


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table that scrolls if it is wider than the screen.

    :param rows: HTML cells; the first cell of a row is its heading. Cells that begin with a digit are right-aligned.
    """
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    lines = []
    for first, *cells in rows:
        others = "".join(f'<td class="number">{cell}</td>' if cell[:1].isdigit() else f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{first}</th>{others}</tr>')
    return (
        f'<div class="wide" role="region" tabindex="0" aria-label="{escape(caption)}"><table><caption>{escape(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def of(shown: int, total: int, what: str) -> str:
    """The number of displayed entries out of all.

    :param what: plural: "records", "pages have changed".
    """
    if total == 1:
        what = re.sub(r"^(\w+)s\b", r"\1", what).replace(" have ", " has ")
    return f'<p class="of">{shown:,} of {total:,} {what}.</p>' if shown < total else f'<p class="of">{total:,} {what}.</p>'


# --- health and volume ----------------------------------------------------------------------------


def health(sites: Mapping[str, SiteFigures], most: int) -> str:
    """Records and rejections of each site as a table, and the coverage of its fields."""
    rows, details = [], []
    for name, figures in list(sites.items())[:most]:
        rejected = sum(figures.rejected.values())
        pages = figures.records + rejected
        lost = {status: count for status, count in figures.statuses.items() if status != "ok"}
        rows.append(
            [
                text(name), f"{figures.records:,}", f"{rejected:,}", f"{rejected / pages:.0%}" if pages else "–",
                f"{figures.size:,}", f"{figures.confidence:.2f}", _counts(lost) or "–", _counts(figures.rejected) or "–",
            ]
        )  # fmt: skip
        if figures.records and figures.fields:
            bars = "".join(_bar(field, figures.coverage[field] / figures.records) for field in figures.fields)
            details.append(f'<li><h3>{text(name)}</h3><ul class="bars">{bars}</ul></li>')
    heads = (
        "site", "records", "rejected", "share", "median length", "median confidence", "not ok", "rejected for",
    )  # fmt: skip
    shown = of(min(len(sites), most), len(sites), "sites")
    fields = f'<details open><summary>Coverage of fields</summary><ul class="cards">{"".join(details)}</ul></details>'
    return shown + table("Records and rejections of each site", heads, rows) + (fields if details else "")


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{text(name)}&nbsp;{count:,}" for name, count in sorted(counts.items(), key=lambda one: -one[1]))


def _bar(name: str, share: float) -> str:
    return (
        f'<li><span>{text(name)}</span> <span class="number">{share:.0%}</span>'
        '<svg aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none">'
        f'<rect class="ground" width="100" height="6"/><rect width="{100 * share:.1f}" height="6"/>'
        "</svg></li>"
    )


def runs(known: Mapping[str, Sequence[tuple[RunFigures, Sequence[str]]]], most: int) -> str:
    """The last run of each site, compared with the median of earlier runs."""
    rows = []
    for site, some in list(known.items())[:most]:
        last, earlier = some[-1][0], [figures for figures, _ in some[:-1]]
        filled = [figures for figures in earlier if figures.records]
        cells = [f"{len(some):,}", text(last.at)]
        for value, before in (
            (last.records, [figures.records for figures in earlier]),
            (last.rejected, [figures.rejected for figures in earlier]),
            (last.length, [figures.length for figures in filled]),
        ):
            cells.append(f"{value:,.0f}" + (f" ({median(before):,.0f})" if before else ""))
        usual = [figures.confidence for figures in filled]
        cells.append(f"{last.confidence:.2f}" + (f" ({median(usual):.2f})" if usual else ""))
        rows.append([text(site), *cells])
    heads = ("site", "runs", "last run", "new records", "rejected", "median length", "confidence")
    shown = table("The last run of each site; in brackets the median of earlier runs", heads, rows)
    return f"<h3>Against earlier runs</h3>{shown}" if rows else ""


def coverage(found: Coverage, most: int, feed: Path) -> str:
    """Pages that sitemaps, feeds and lists of each site announce, their records, and why others are missing."""
    rows = []
    for site in list(dict.fromkeys(day.site for day in found.days))[:most]:
        own = [day for day in found.days if day.site == site]
        for where in dict.fromkeys(day.found for day in own):
            sums = summed(day for day in own if day.found == where)
            figures = (sums.announced, sums.got, sums.other.total(), sums.gaps.total())
            cells = (site, where, *(f"{count:,}" for count in figures), counted(sums.gaps), counted(sums.other))
            rows.append(tuple(map(text, cells)))
    head = ("site", "found in", "announced", "got", "other", "missing", "why missing", "what else it is")
    command = shlex.join(["newsextract", "coverage", str(feed)])
    return f"{table('Pages that were announced', head, rows)}<p>By day: <code>{text(command)}</code></p>"


def volume(days: Sequence[tuple[str, int]]) -> str:
    """Records per day as a bar chart and as a table."""
    if not days:
        return "<p>No records.</p>"
    width, height = _CHART
    most, step = max(count for _, count in days), width / len(days)
    bars = "".join(
        f'<rect x="{number * step + step * 0.1:.1f}" y="{height - count / most * height:.1f}" width="{step * 0.8:.1f}" '
        f'height="{count / most * height:.1f}"><title>{text(day)}: {count:,}</title></rect>'
        for number, (day, count) in enumerate(days)
    )
    best = max(days, key=lambda day: day[1])
    total = sum(count for _, count in days)
    told = (
        f"{plural(total, 'record')} on {plural(len(days), 'day')} from {days[0][0]} to {days[-1][0]}; "
        f"most on {best[0]}: {best[1]:,}"
    )
    rows = [(text(day), f"{count:,}") for day, count in reversed(days)]
    return (
        f'<figure><svg class="chart" role="img" aria-label="{text(told)}" viewBox="0 0 {width} {height}">{bars}</svg>'
        f"<figcaption>{text(told)}. The day is the record's date, or when it was fetched.</figcaption></figure>"
        f"<details><summary>Numbers</summary>{table('Records by day', ('day', 'records'), rows)}</details>"
    )


# --- records --------------------------------------------------------------------------------------


def record(line: Line, *, longest: int, more: str = "") -> str:
    """A record: its fields, and its text, which can be unfolded."""
    seen, status = Shown.of(line), text_of(line, "status") or "ok"
    title = (seen.title or seen.text[:80] or seen.link)[:LONGEST_TITLE]
    about = [text(site_of(line)), text(_moment(line))]
    about += [f"<bdi>{text(seen.author)}</bdi>"] if seen.author else []
    about += [f"{len(seen.text):,} characters"]
    if (confidence := line.get("confidence", line.get("fit"))) is not None:
        about.append(f"confidence {number_of(confidence):.2f}")
    about += [f"revision {line['revision']}"] if line.get("revision") else []
    about += ['<strong class="flag">near-duplicate</strong>'] if line.get("duplicate_of") else []
    if status != "ok":
        reason = f": {text(text_of(line, 'reason'))}" if line.get("reason") else ""
        about.append(f'<strong class="flag">{text(status)}</strong>{reason}')
    shown = seen.text[:longest]
    left = f"<p>… {len(seen.text) - longest:,} more characters are in the feed.</p>" if len(seen.text) > longest else ""
    paragraphs = "".join(f"<p>{text(one)}</p>" for one in shown.split("\n") if one.strip())
    picture = f"<p>{link(seen.image, 'Picture')}</p>" if seen.image else ""
    body = f'<div class="text" dir="auto">{paragraphs}</div>{left}{picture}{more}'
    return (
        f'<article class="record" data-site="{text(site_of(line))}" data-status="{text(status)}">'
        f'<h3 dir="auto">{link(seen.link, title)}</h3><p class="about">{" · ".join(about)}</p>'
        f'<details><summary>Text<span class="hidden"> of {text(title[:80])}</span></summary>{body}</details></article>'
    )


def revisions(lines: Sequence[Line]) -> str:
    """A record with the changes of each revision."""
    newest = Shown.of(lines[-1])
    title = (newest.title or newest.link)[:LONGEST_TITLE]
    steps = []
    for before, after in pairwise(lines):
        old, new = Shown.of(before).text, Shown.of(after).text
        fields = "".join(
            f"<li>{name}: <del><bdi>{text(before.get(name))}</bdi></del> <ins><bdi>{text(after.get(name))}</bdi></ins></li>"
            for name in COMPARED
            if before.get(name) != after.get(name)
        )
        body = changes(differences(old, new)) if old != new else "<p>The text is the same.</p>"
        number = after.get("revision") or "?"
        steps.append(
            f"<h4>Revision {text(number)}, {text(text_of(after, 'fetched_at'))}</h4>"
            + (f"<ul>{fields}</ul>" if fields else "")
            + body
        )
    return (
        f'<article class="record"><h3 dir="auto">{link(newest.link, title)}</h3>'
        f'<p class="about">{text(site_of(lines[-1]))}</p>{"".join(steps)}</article>'
    )


def group(size: int, lines: Sequence[Line]) -> str:
    """A group of near-duplicates: the original and its duplicates."""
    items = "".join(
        f"<li>{link(Shown.of(line).link, (Shown.of(line).title or Shown.of(line).link)[:LONGEST_TITLE])} "
        f'<span class="about">{text(site_of(line))}, {text(_moment(line))}</span></li>'
        for line in lines
    )
    more = f"<p>{size - len(lines):,} more.</p>" if size > len(lines) else ""
    first = text((Shown.of(lines[0]).title if lines else "")[:80] or "without title")
    return f'<article class="record"><h3 dir="auto">{size:,} × {first}</h3><ol>{items}</ol>{more}</article>'


def _moment(line: Line) -> str:
    return text_of(line, "date") or f"fetched {text_of(line, 'fetched_at')}"


def rejection(line: Line, feed: Path, *, is_news: bool) -> str:
    """A rejected page, the reason, and commands to investigate it."""
    url, status = line["url"], text_of(line, "status")
    look = ["inspect", url, "-o", "inspection.html", *(["--algorithm", "combined"] if is_news else [])]
    commands = "".join(
        f"<li><code>{text(shlex.join(['newsextract', *words]))}</code></li>" for words in (["why", url, str(feed)], look)
    )
    return (
        f'<article class="record" data-site="{text(site_of(line))}" data-status="{text(status)}">'
        f'<h3>{link(url, url[:LONGEST_TITLE])}</h3><p class="about"><strong class="flag">{text(status)}</strong> '
        f"{text(text_of(line, 'reason'))} · {text(site_of(line))} · {text(text_of(line, 'fetched_at'))}</p>"
        f'<details><summary>Look closer<span class="hidden"> at {text(url[:80])}</span></summary>'
        f"<ul>{commands}</ul></details></article>"
    )


def options(values: Iterable[str]) -> str:
    """The options of a select element; the first one selects everything."""
    return '<option value="">all</option>' + "".join(
        f'<option value="{(one := text(value))}">{one}</option>' for value in values
    )


def controls(name: str, sites: Iterable[str], statuses: Iterable[str]) -> str:
    """Labelled controls for the report's script."""
    asked = '<label>Search <input type="search" data-by="words" autocomplete="off"></label>'
    return (
        f'<div class="controls" role="group" aria-label="Filter" hidden>{asked}'
        f'<label>Site <select data-by="site">{options(sites)}</select></label>'
        f'<label>Status <select data-by="status">{options(statuses)}</select></label>'
        f'<output data-of="{name}"></output></div>'
    )


# --- way of a page --------------------------------------------------------------------------------
# The history of one URL: where it was found, which rules of ``sites.toml`` apply to it, and what happened to it.
#
# The feeds are searched for the URL and its id without an index. The state stores where a URL was found, and for some URLs
# why they were not requested (:mod:`newsextract.state.announced`). The rules are evaluated for every URL.

_RECORD_ID = re.compile("[0-9a-f]{16}")
_NAMES = ("url", "canonical_url", "permalink", "address", "thread_url", "list_url", "page_url")
"""Fields of a line that may contain the URL."""
_TARGET = re.compile(r"(?:redirects to|the page sends its reader to|the record stands under|page \d+ of) (\S+)")
MOST = 20
"""Maximum number of displayed lines per kind."""


@dataclass(slots=True)
class Found:
    """The lines of one feed about a page."""

    feed: Path
    records: list[Line] = field(default_factory=list)
    rejections: list[Line] = field(default_factory=list)
    pages: list[Line] = field(default_factory=list)
    copies: list[Line] = field(default_factory=list)
    """Records that are near-duplicates of the page's record."""


def way(asked: str, feeds: Iterable[Path], sites: Mapping[str, Site]) -> tuple[list[str], bool]:
    """The history of a page as lines, and whether the feeds or their states know the page.

    :param asked: a URL, or the id of a record.
    :param sites: the sites of sites.toml.
    :raises DataError: ``asked`` is neither, or a feed cannot be read.
    """
    is_id = bool(_RECORD_ID.fullmatch(asked))
    url = None if is_id else normalize(asked)
    if not is_id and url is None:
        raise DataError(f"{asked}: neither an http(s) URL nor the id of a record (16 hexadecimal digits)")
    identity = asked if url is None else record_id(url)
    lines, known, is_noted = [], False, False
    feeds = list(feeds)
    for feed in feeds:
        found = _search(feed, identity, url)
        address = url or next((line["url"] for line in (*found.records, *found.rejections, *found.pages)), None)
        ids = [identity, *(line["id"] for line in (*found.rejections, *found.pages))]
        numbers = {int(one, 16) for one in ids if _RECORD_ID.fullmatch(one)}
        traced = trace(feed, numbers, address)
        if not (found.records or found.rejections or found.pages or traced.how or traced.kept or traced.skipped):
            continue
        known = known or traced.skipped is None or bool(traced.how)
        is_noted, url = True, address
        lines += [f"{feed}: {address or identity} (id {identity})"]
        where = f" at {traced.place}" if traced.place else ""
        if traced.how or found.records or found.rejections or found.pages:
            lines.append(f"  found: {traced.how or 'unknown (the state is from an older version, or was rebuilt)'}{where}")
        lines += [f"  link stored for later runs: {traced.kept}"] if traced.kept else []
        lines += ["  " + line for line in _history(found)]
        lines.append("  now: " + _now(found, traced))
    if not is_noted:
        where = ", ".join(map(str, feeds)) or "no feed"
        lines.append(f"{url or identity}: never requested ({where})")
    if url is not None:
        lines += [f"rules: {line}" for line in rules(url, sites)]
    return lines, known


# --- feeds ----------------------------------------------------------------------------------------


def _search(feed: Path, identity: str, url: str | None) -> Found:
    found = Found(feed)
    needles = [identity.encode()] + ([json.dumps(url, ensure_ascii=False)[1:-1].encode()] if url else [])
    for line in _lines(feed, needles):
        if line["id"] == identity or (url is not None and any(line.get(name) == url for name in _NAMES)):
            found.records.append(line)
        elif line.get("duplicate_of") == identity:
            found.copies.append(line)
    for line in _lines(feed.with_suffix(".rejected.jsonl"), needles):
        if line["id"] == identity or line["url"] == url:
            found.rejections.append(line)
    for line in _lines(feed.with_suffix(".pages.jsonl"), needles):
        if line["id"] == identity or line["url"] == url or line.get("thread_url") == url:
            found.pages.append(line)
    return found


def _lines(path: Path, needles: list[bytes]) -> Iterator[Line]:
    if not path.is_file():
        return
    with naming(f"{path}: cannot be read"), path.open("rb") as file:
        for line in file:
            if any(needle in line for needle in needles) and (value := read_line(line)) is not None:
                yield value


def _history(found: Found) -> Iterator[str]:
    told = [
        *((text_of(line, "fetched_at"), f"rejected as {_why(line)}") for line in found.rejections[-MOST:]),
        *((text_of(line, "fetched_at"), _page(line)) for line in found.pages[-MOST:]),
        *((text_of(line, "fetched_at"), _record(line)) for line in found.records[-MOST:]),
    ]
    for at, what in sorted(told):
        yield f"{at}  {what}"
    left = len(found.records) - MOST
    if left > 0:
        yield f"{left} earlier lines are not displayed"
    for line in found.copies[:MOST]:
        yield f"near-duplicate of it: {line['id']} {line['url']}"


def _why(line: Line) -> str:
    attempt = f", attempt {line.get('attempt')} of {MAX_ATTEMPTS}" if line.get("status") in TRANSIENT else ""
    return f"{text_of(line, 'status')}: {text_of(line, 'reason')}{attempt}"


def _page(line: Line) -> str:
    note = f"; {line['note']}" if line.get("note") else ""
    leads = f"; next page: {line['next']}" if line.get("next") else ""
    return f"read as page {line.get('number')} of a {line.get('kind')}: {line.get('count')} records{leads}{note}"


def _record(line: Line) -> str:
    seen = Shown.of(line)
    about = [f"record {line['id']}", f"{seen.kind} of {site_of(line)}", f"status {text_of(line, 'status') or 'ok'}"]
    about += [f"revision {line['revision']}"] if line.get("revision") else []
    about += [f"{len(seen.text):,} characters by {text_of(line, 'algorithm') or text_of(line, 'wrapper')}"]
    if (confidence := line.get("confidence")) is not None:
        about.append(f"confidence {number_of(confidence):.2f}")
    about += [f"page kind {line['page_kind']}"] if line.get("page_kind") else []
    about += [f"near-duplicate of {line['duplicate_of']}"] if line.get("duplicate_of") else []
    about += [f"reason: {line['reason']}"] if line.get("reason") else []
    about += [f"title {seen.title[:80]!r} ({line.get('title_source')})"] if line.get("title_source") else []
    about += [f"date {line['date']} ({line.get('date_source')})"] if line.get("date_source") else []
    return ", ".join(about)


def _now(found: Found, traced: Trace) -> str:
    if found.records:
        last = found.records[-1]
        count = len({line["id"] for line in found.records})
        if count > 1:
            return f"{count} records are in the feed"
        return f"in the feed (status {text_of(last, 'status') or 'ok'})"
    if found.rejections:
        last = found.rejections[-1]
        target = _TARGET.search(text_of(last, "reason"))
        if target:
            return f"no record of this URL; see: newsextract why {target[1]} {found.feed}"
        if last.get("status") in TRANSIENT:
            tries = max(traced.attempts, last["attempt"] if isinstance(last.get("attempt"), int) else 1)
            if tries < MAX_ATTEMPTS:
                return f"no record; the next run tries again ({tries} of {MAX_ATTEMPTS} attempts have failed)"
            return f"no record; given up after {tries} failed attempts"
        if last.get("status") == "listing":
            return "a listing: every run reads its links, and it gives no record"
        return f"no record: {text_of(last, 'status')}"
    if found.pages:
        return "read; its records are in the feed"
    if not traced.how:
        why = f"; reason in the last run: {traced.skipped}" if traced.skipped else ""
        return f"never requested{why}"
    return "requested, without a record or rejection: it is a sitemap or feed, or the next run fetches it again"


# --- rules ----------------------------------------------------------------------------------------


def rules(url: str, sites: Mapping[str, Site]) -> list[str]:
    """The rules of sites.toml for a URL: its site, and the keys that allow or exclude it.

    :param url: normalised.
    """
    covering = [site for site in sites.values() if site.covers(url)]
    if not covering:
        return ["no site of sites.toml covers this host; the key domains of a site adds hosts"]
    site = max(covering, key=lambda one: one.closeness(url))
    lines = [f"site {site.name} (kind {site.kind})"]
    refused = [f"excluded by deny = {pattern!r}: never requested" for pattern in site.deny if matches((pattern,), url)]
    admitted = [
        f"matches {key} = {pattern!r}"
        for key in ("allow", "follow")
        for pattern in getattr(site, key)
        if matches((pattern,), url)
    ]
    if site.kind == "news" and (site.allow or site.follow) and not admitted:
        keys = " and ".join(key for key in ("allow", "follow") if getattr(site, key))
        refused.append(f"matches no pattern of {keys}: links to it are not followed")
        if site.allow:
            refused.append("matches no pattern of allow: skipped in sitemaps, and gives no record")
    elif site.kind == "news" and site.allow and not matches(tuple(site.allow), url):
        refused.append("matches no pattern of allow: only its links are read")
    if (trap := is_trap(url)) is not None:
        refused.append(f"looks like a crawler trap or a page without content ({trap}): links to it are not followed")
    if not refused and archive_group(url):
        lines.append("looks like an archive page (tag, author, day): fetched last, and gives no record")
    if not refused:
        lines.append("no pattern excludes it" if not admitted else "; ".join(admitted))
        bounds = [f"depth = {site.depth}", f"pagination = {site.pagination}"]
        bounds += [] if site.from_articles else ["from_articles = false (links on articles are not followed)"]
        bounds += [f"limit = {site.limit}"] if site.limit is not None else []
        bounds += [f"{key} = {day}" for key in ("since", "until") if (day := getattr(site, key))]
        bounds += [] if site.obey_robots else ["obey_robots = false"]
        lines.append(f"limits of the crawl: {', '.join(bounds)}")
    return lines + refused
