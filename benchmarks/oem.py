"""`oem`: Table 2 of Huang, Qi & Zhang 2000 on the set's pages, the curve over page size, and hostile pages.

    python -m benchmarks.oem [--json]

CPU milliseconds of the interpreter with the format written by hand, least of nine runs, in alternation with a plain
``lxml.html.fromstring`` of the same bytes; decoding counts for both. Nothing is asserted: targets are judged in
``benchmarks.all``.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from lxml import html

from benchmarks.machine import least, timed
from newsextract.page.page import Page
from newsextract.wrappers import Format, OEMObject, load_format, parse_format, run
from newsextract.wrappers.draft import draft
from tests.oem.set.build import SetPage, pages

_REPEATED = 9
_TIMES = (1, 2, 4, 8, 16, 32, 64)
"""Sizes of the curve, in multiples of its page."""
_CURVE_PAGE = "sigmod"
_TARGET_KILOBYTES = 60
"""Size of the page that the target is about."""
_TEN_LINES = """\
{<h2>#DBLP:, root, get()}
{</hx>#<hx>, <hx>#</hx>, root}
{<li>#<li>, Section, <hx>#</hx>}
{<a href>#</a>, author*, Section}
{<b>#</b>, title, Section}
{</b>#, pages, Section}
{<a href="#">, link, Section}
{<a href="../../indices/a-tree/#/">, letter, Section}
{<br>#, rest, Section}
{#":", authors, Section}
"""
_HOSTILE_BYTES = 200_000
_HOSTILE = {
    "open tags": "<li><b>",
    "end tags": "</li></b>",
    "left contexts only": "<a href=x>",
    "half tags": '<a href="',
    "attributes": "<a " + "x=' ",
    "comments": "<!-- <li>",
    "lists in lists": "<ul><li>",
    "tables in tables": "<table><tr><td>",
    "headings": "<h2><h3>",
    "breaks": "<b>x<br>",
    "entities": "&amp;&nbsp;",
    "white space": " \n",
    "paragraphs": "<p><a href=y>z</a><br>",
}


def measure() -> dict[str, Any]:
    """Everything that is printed."""
    made = {page.name: page for page in pages()}
    rows = [_row(page) for page in made.values() if page.published is not None]
    base = made[_CURVE_PAGE]
    lines = load_format(base.format_path)
    curve = []
    for times in _TIMES:
        page = Page(_enlarged(base.body, times), base.url)
        curve.append({
            "kilobytes": len(page.body) / 1000,
            "ms": 1e3 * least(lambda page=page: run(lines, fresh(page)), 3),  # type: ignore[misc]
            "draft_ms": 1e3 * least(lambda page=page: draft(fresh(page)), 1),  # type: ignore[misc]
        })  # fmt: skip
    large = made["aaai"]
    ms, lxml_ms = _against_lxml(parse_format(_TEN_LINES), large)
    return {
        "rows": rows,
        "curve": curve,
        "ten_lines": {"kilobytes": len(large.body) / 1000, "ms": ms, "lxml_ms": lxml_ms},
        "hostile": [_hostile(name, piece, lines) for name, piece in _HOSTILE.items()],
    }


def _row(page: SetPage) -> dict[str, Any]:
    wrapper = load_format(page.format_path)
    ms, lxml_ms = _against_lxml(wrapper, page)
    published = page.published
    assert published is not None
    return {
        "page": page.name,
        "kilobytes": len(page.body) / 1000,
        "lines": len(wrapper.lines),
        "levels": _root(wrapper, page).depth,
        "ms": ms,
        "lxml_ms": lxml_ms,
        "published": {
            "source": published.source, "ms": published.milliseconds, "lines": published.lines, "levels": published.levels,
            "kilobytes": published.kilobytes,
        },
    }  # fmt: skip


def _against_lxml(wrapper: Format, page: SetPage) -> tuple[float, float]:
    """CPU milliseconds of the interpreter and of lxml, taken in turn."""
    ours, theirs = [], []
    for _ in range(_REPEATED):
        ours.append(timed(lambda: run(wrapper, Page(page.body, page.url))))
        theirs.append(timed(lambda: html.fromstring(page.body)))
    return 1e3 * min(ours), 1e3 * min(theirs)


def _root(wrapper: Format, page: SetPage) -> OEMObject:
    root = run(wrapper, Page(page.body, page.url)).root
    assert root is not None
    return root


def _enlarged(body: bytes, times: int) -> bytes:
    """A page with its useful part several times over."""
    begin, end = body.index(b"<H3>"), body.rindex(b"</DL>") + len(b"</DL>\n")
    return body[:begin] + body[begin:end] * times + body[end:]


def _hostile(name: str, piece: str, wrapper: Format) -> dict[str, Any]:
    """How much longer a page of a repeated piece takes when it is twice as long, and how long."""
    seconds, drafting = [], []
    for size in (_HOSTILE_BYTES, 2 * _HOSTILE_BYTES):
        body = ("<h3>x</h3>" + piece * (size // len(piece))).encode()
        seconds.append(least(lambda body=body: run(wrapper, Page(body)), 2))  # type: ignore[misc]
        drafting.append(least(lambda body=body: draft(Page(body)), 1))  # type: ignore[misc]
    return {
        "page": name,
        "ms": 1e3 * seconds[1],
        "growth": seconds[1] / seconds[0],
        "draft_ms": 1e3 * drafting[1],
        "draft_growth": drafting[1] / drafting[0],
    }


def fresh(page: Page) -> Page:
    """The same page with nothing computed from it yet."""
    return Page(page.body, page.url)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="everything that was measured, as JSON")
    given = parser.parse_args()
    found = measure()
    if given.json:
        print(json.dumps(found, indent=1))
        return
    print("page        kB   ms  x lxml  lines  levels   in the paper (Table 2)      kB    ms  lines  levels")
    for row in found["rows"]:
        paper = row["published"]
        print(
            f"{row['page']:9}{row['kilobytes']:5.1f}{row['ms']:5.1f}{row['ms'] / row['lxml_ms']:8.1f}{row['lines']:7}"
            f"{row['levels']:8}   {paper['source']:24}{paper['kilobytes']:6.1f}{paper['ms']:6}"
            f"{paper['lines']:7}{paper['levels']:8}"
        )
    ten = found["ten_lines"]
    print(
        f"\nten lines on {ten['kilobytes']:.0f} kB: {ten['ms']:.1f} ms; lxml {ten['lxml_ms']:.1f} ms;"
        f" 2 x lxml + 1 ms = {2 * ten['lxml_ms'] + 1:.1f} ms"
    )
    print("\n     kB  run ms  us/kB  draft ms  us/kB")
    for point in found["curve"]:
        size = point["kilobytes"]
        print(f"{size:7.0f}{point['ms']:8.1f}{1e3 * point['ms'] / size:7.0f}{point['draft_ms']:10.0f}"
              f"{1e3 * point['draft_ms'] / size:7.0f}")  # fmt: skip
    print(f"\nhostile, {2 * _HOSTILE_BYTES // 1000} kB     run ms  when twice as long  draft ms  when twice as long")
    for point in found["hostile"]:
        print(f"{point['page']:19}{point['ms']:10.0f}{point['growth']:17.1f} x{point['draft_ms']:10.0f}"
              f"{point['draft_growth']:17.1f} x")  # fmt: skip


if __name__ == "__main__":
    main()
