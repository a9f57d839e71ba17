"""HTML fragments of the report and the server, and the page around them.

Titles, texts and URLs come from untrusted pages: everything is escaped, only http and https URLs become links, and a content
security policy allows only the style sheet and the script of the file, by their hashes.
"""

from __future__ import annotations

import re
import shlex
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

from newsextract.alarms import RunFigures
from newsextract.feed.duplicates import Stretch, differences
from newsextract.feed_report.index import Line, Shown, SiteFigures, site_of, text_of
from newsextract.state.announced import Coverage, counted, summed

_NOT_TEXT = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ID = re.compile("[0-9a-zA-Z]{1,64}")
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
    :param script: whether the script filters the records; otherwise forms do.
    :param pages: path and heading of the pages in the navigation; if empty, the navigation lists the sections.
    """
    style, code = part("report.css"), part("report.js")
    targets = [(f"/{name}", heading) for name, heading in pages] or [(f"#{name}", heading) for name, heading, _ in sections]
    links = "".join(f'<li><a href="{target}">{escape(heading)}</a></li>' for target, heading in targets)
    body = "".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{escape(heading)}</h2>\n{html}</section>\n'
        for name, heading, html in sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(script=script)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">\n'
        f"<title>{text(title)}</title>\n<style>{style}</style></head>\n<body>"
        f'<a class="skip" href="#main">Skip to content</a><header><h1>{text(title)}</h1>'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav></header>\n<main id="main" tabindex="-1">{body}</main>'
        + (f"<script>{code}</script>" if script else "")
        + "</body></html>\n"
    )


def policy(*, script: bool, header: bool = False) -> str:
    """The content security policy of a page.

    :param header: for an HTTP header, which allows more directives.
    """
    scripts = f"script-src '{_hash(part('report.js'))}'; " if script else ""
    more = "; frame-ancestors 'none'" if header else ""
    forms = "'none'" if script else "'self'"
    return (
        f"default-src 'none'; {scripts}style-src '{_hash(part('report.css'))}'; base-uri 'none'; form-action {forms}{more}"
    )


@cache
def part(name: str) -> str:
    """The text of a file of the package."""
    return files(__name__.rpartition(".")[0]).joinpath(name).read_text("utf-8")


def _hash(content: str) -> str:
    return f"sha256-{b64encode(sha256(content.encode()).digest()).decode()}"


def text(value: object) -> str:
    """A value escaped for HTML text, or for an attribute in double quotes."""
    return escape(_NOT_TEXT.sub("\ufffd", str(value)))


def link(url: str, shown: str) -> str:
    """A link to an http or https URL; for other URLs, only the text."""
    try:
        is_web = urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).hostname)
    except ValueError:
        is_web = False  # reason: not a URL
    if not is_web:
        return f"<bdi>{text(shown)}</bdi>"
    return f'<a href="{text(url)}" rel="noopener noreferrer nofollow"><bdi>{text(shown)}</bdi></a>'


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
        f"{total:,} record{'s'[: total != 1]} on {len(days)} day{'s'[: len(days) != 1]} from {days[0][0]} to {days[-1][0]}; "
        f"most on {best[0]}: {best[1]:,}"
    )
    rows = [(text(day), f"{count:,}") for day, count in reversed(days)]
    return (
        f'<figure><svg class="chart" role="img" aria-label="{text(told)}" viewBox="0 0 {width} {height}">{bars}</svg>'
        f"<figcaption>{text(told)}. The day is the record's date, or when it was fetched.</figcaption></figure>"
        f"<details><summary>Numbers</summary>{table('Records by day', ('day', 'records'), rows)}</details>"
    )


# --- records --------------------------------------------------------------------------------------


def record(line: Line, *, longest: int, more: str = "", level: int = 3) -> str:
    """A record: its fields, and its text, which can be unfolded.

    :param longest: maximum number of displayed characters of the text.
    :param more: HTML below the text.
    """
    seen, status = Shown.of(line), text_of(line, "status") or "ok"
    title = (seen.title or seen.text[:80] or seen.link)[:LONGEST_TITLE]
    about = [text(site_of(line)), text(_moment(line))]
    about += [f"<bdi>{text(seen.author)}</bdi>"] if seen.author else []
    about += [f"{len(seen.text):,} characters"]
    if isinstance(confidence := line.get("confidence", line.get("fit")), int | float):
        about.append(f"confidence {confidence:.2f}")
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
        f'<h{level} dir="auto">{link(seen.link, title)}</h{level}><p class="about">{" · ".join(about)}</p>'
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
        changed = "".join(map(_stretch, differences(old, new)))
        body = f'<div class="diff" dir="auto">{changed}</div>' if old != new else "<p>The text is the same.</p>"
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


def _stretch(stretch: Stretch) -> str:
    words = text(stretch.text).replace("\n", "<br>")
    gap = f'<span class="gap">… {stretch.left_out:,} words …</span>' if stretch.left_out else ""
    tag = {"missing": "del", "extra": "ins", "both": "span"}[stretch.kind]
    return f"<{tag}>{words}{gap}</{tag}>"


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


def options(values: Iterable[str], chosen: str = "") -> str:
    """The options of a select element; the first one selects everything."""
    made = "".join(
        f'<option value="{text(value)}"{" selected" if value == chosen else ""}>{text(value)}</option>' for value in values
    )
    return f'<option value="">all</option>{made}'


def controls(name: str, sites: Iterable[str], statuses: Iterable[str]) -> str:
    """Labelled controls for the report's script.

    :param name: id of the list that they filter.
    """
    asked = '<label>Search <input type="search" data-by="words" autocomplete="off"></label>'
    return (
        f'<div class="controls" role="group" aria-label="Filter" hidden>{asked}'
        f'<label>Site <select data-by="site">{options(sites)}</select></label>'
        f'<label>Status <select data-by="status">{options(statuses)}</select></label>'
        f'<output data-of="{name}"></output></div>'
    )
