"""News list pages: the site ``www.coast-wire.example``, whose teasers lead to the newspaper's articles, and the truth.

Four layouts: ``grid`` (a lead and tiles under different parents), ``river`` (floats, with advertisements between),
``days`` (Chinese and English under the heading of their day) and ``lines`` (Chinese, title and date only).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from forum_source import chunks
from site_pages import Page
from site_source import BASE, Article

HOST = "www.coast-wire.example"
WIRE = "http://" + HOST
RIVER_PAGE, DAYS_PAGE, LINES_PAGE, LINES_GROUP = 8, 10, 10, 5


@dataclass(frozen=True)
class ListPage:
    """A list page and what stands on it."""

    path: str
    layout: str
    html: str
    following: str | None
    items: Sequence[tuple[Article, bool]]
    """The articles in order, and whether their teaser is shown."""


def expected(page: ListPage) -> dict[str, object]:
    """The page's line of the truth."""
    items = [
        {
            "position": position,
            "title": article.title,
            "address": BASE + article.url,
            "date": _day(article),
            "text": article.teaser() if teaser else None,
        }
        for position, (article, teaser) in enumerate(page.items, 1)
    ]
    following = WIRE + page.following if page.following else None
    return {"site": "coast-wire", "layout": page.layout, "address": WIRE + page.path, "next": following, "items": items}


def expected_news(pages: Sequence[Page]) -> list[dict[str, object]]:
    """The lines of the newspaper's own list pages. An article with a relative date only has none here."""
    return [
        {
            "site": "harbour-ledger",
            "layout": "portal" if page.encoding == "gbk" else "modern",
            "address": BASE + page.url,
            "next": BASE + page.following if page.following else None,
            "items": [
                {
                    "position": position,
                    "title": article.title,
                    "address": BASE + article.url,
                    "date": None if article.get("relative_hours") else _day(article),
                    "text": article.teaser(),
                }
                for position, article in enumerate(page.items, 1)
            ],
        }
        for page in pages
        if page.items
    ]


def _day(article: Article) -> str:
    return article.moment.date().isoformat()


def _shown(article: Article) -> str:
    return f"{article.moment.day} {article.moment:%B %Y}"


def _frame(title: str, main: str, lang: str = "en") -> str:
    return f"""<!DOCTYPE html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title} | Coast Wire</title><link rel="stylesheet" href="/static/style.css"></head>
<body><div class="mast"><a href="/">Coast Wire</a><nav><a href="/">Front</a><a href="/latest/">Latest</a><a href="/days/">Day by day</a><a href="/zh/">中文</a></nav></div>
<div class="page">
{main}
</div>
<div class="foot">Coast Wire gathers what the papers of the coast print. All articles belong to their papers.</div></body></html>
"""


def _pager(paths: Sequence[str], page: int, word: str) -> str:
    links = [
        f"<b>{number}</b>" if number == page else f'<a href="{path}">{number}</a>' for number, path in enumerate(paths, 1)
    ]
    if page < len(paths):
        links.append(f'<a href="{paths[page]}">{word}</a>')
    return '<div class="pager">' + "".join(links) + "</div>"


def _link(article: Article) -> str:
    return f'<a href="{BASE}{article.url}">{escape(article.title)}</a>'


def _tile(article: Article) -> str:
    picture = f'<img src="/static/photo{len(article.title) % 3}.svg" width="320" height="110" alt="">'
    return f'<div class="tile">{picture}<h4>{_link(article)}</h4><p>{escape(article.teaser())}</p><span class="date">{_shown(article)}</span></div>'


def _grid(articles: list[Article]) -> ListPage:
    lead, *rest = articles[:14]
    names = list(dict.fromkeys(item.get("section") for item in rest))
    blocks, shown = [], [lead]
    for name in names:
        own = [item for item in rest if item.get("section") == name]
        shown += own
        tiles = "\n".join(_tile(item) for item in own)
        blocks.append(f'<section class="block"><h3>{name}</h3><div class="three">\n{tiles}\n</div></section>')
    main = f"""<div class="lead"><img src="/static/photo0.svg" width="560" height="300" alt=""><div><h2>{_link(lead)}</h2><p>{escape(lead.teaser())}</p><span class="date">{_shown(lead)}</span></div></div>
{chr(10).join(blocks)}"""
    return ListPage("/", "grid", _frame("Front page", main), None, [(item, True) for item in shown])


def _river(articles: list[Article]) -> list[ListPage]:
    parts = chunks(articles, RIVER_PAGE)
    paths = ["/latest/", *(f"/latest/?page={number}" for number in range(2, len(parts) + 1))]
    most = "".join(f"<li>{_link(item)}</li>" for item in articles[2:20:4])
    pages = []
    for number, part in enumerate(parts, 1):
        items = [
            f'<div class="item"><img class="thumb" src="/static/photo{place % 3}.svg" width="150" height="94" alt=""><div class="body"><span class="kick">{item.get("section")}</span> <span class="date">{_shown(item)}</span>'
            f"<h3>{_link(item)}</h3><p>{escape(item.teaser())}</p></div></div>"
            for place, item in enumerate(part)
        ]
        items.insert(3, '<div class="advert">Advertisement: Quayside Chandlers, everything in rope.</div>')
        main = f"""<div class="river"><h2>Latest</h2>
{chr(10).join(items)}
{_pager(paths, number, "Older stories")}</div>
<div class="side"><div class="most"><h4>Most read</h4><ol>{most}</ol></div><div class="advert">Advertisement: Pilot's Rest Hotel</div></div><div class="clear"></div>"""
        following = paths[number] if number < len(paths) else None
        pages.append(
            ListPage(paths[number - 1], "river", _frame("Latest", main), following, [(item, True) for item in part])
        )
    return pages


def _days(articles: list[Article]) -> list[ListPage]:
    parts = chunks(articles, DAYS_PAGE)
    paths = ["/days/", *(f"/days/?page={number}" for number in range(2, len(parts) + 1))]
    pages = []
    for number, part in enumerate(parts, 1):
        days = [
            f'<div class="day"><h3><time datetime="{day}">{day}</time></h3><dl>\n'
            + "\n".join(f"<dt>{_link(item)}</dt><dd>{escape(item.teaser())}</dd>" for item in group)
            + "\n</dl></div>"
            for day, group in groupby(part, key=_day)
        ]
        main = "<h2>Day by day</h2>\n" + "\n".join(days) + "\n" + _pager(paths, number, "next »")
        following = paths[number] if number < len(paths) else None
        pages.append(
            ListPage(paths[number - 1], "days", _frame("Day by day", main), following, [(item, True) for item in part])
        )
    return pages


def _lines(articles: list[Article]) -> list[ListPage]:
    parts = chunks(articles, LINES_PAGE)
    paths = ["/zh/", *(f"/zh/index_{number}.html" for number in range(2, len(parts) + 1))]
    pages = []
    for number, part in enumerate(parts, 1):
        lists = [
            '<ul class="newslist">\n'
            + "\n".join(f"<li>{_link(item)}<span>{_day(item)}</span></li>" for item in group)
            + "\n</ul>"
            for group in chunks(part, LINES_GROUP)
        ]
        main = "<h2>中文新闻</h2>\n" + "\n".join(lists) + "\n" + _pager(paths, number, "下一页")
        following = paths[number] if number < len(paths) else None
        pages.append(
            ListPage(paths[number - 1], "lines", _frame("中文新闻", main, "zh"), following, [(item, False) for item in part])
        )
    return pages


def list_pages(articles: Sequence[Article]) -> list[ListPage]:
    """All pages of the site.

    :param articles: newest first.
    """
    originals = [item for item in articles if not item.get("duplicate_of") and item.encoding != "big5"]
    english = [item for item in originals if item.lang == "en"]
    chinese = [item for item in originals if item.lang == "zh"]
    return [_grid(english), *_river(english[3:]), *_days(originals[:24]), *_lines(chinese)]
