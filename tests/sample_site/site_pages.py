"""The pages that are not articles: front page, listings, tag and author pages, traps, plain pages."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from site_articles import shown_date
from site_frame import modern_page, portal_page, say, sections, tag_url
from site_source import Article

PER_PAGE = 8
CALENDAR_MONTHS = ("January", "February", "March", "April", "May")
MISSING = ("/en/2025/02/30/the-day-that-never-was.html", "/en/calendar/2024/12/", "/en/calendar/2025/06/")


@dataclass(frozen=True)
class Page:
    """A finished page that is no article, with its line for ``expected.jsonl``."""

    url: str
    kind: str
    note: str
    html: str
    encoding: str = "utf-8"
    items: tuple[Article, ...] = ()
    """The articles of a list page, in order."""
    following: str | None = None
    """The next page of the list."""


def _teasers(articles: list[Article]) -> str:
    return "\n".join(
        f'<div class="teaser"><h3><a href="{item.url}">{escape(item.title)}</a></h3>'
        f'<span class="date">{shown_date(item)}</span><p>{escape(item.teaser())}</p></div>'
        for item in articles
    )


def _rows(articles: list[Article]) -> str:
    return "\n".join(
        f'<tr><td>·<a href="{item.url}">{escape(item.title)}</a></td><td>{shown_date(item)}</td></tr>'
        f'<tr><td colspan="2"><font color="#888888">{escape(item.teaser())}</font></td></tr>'
        for item in articles
    )


def _list_page(
    lang: str, url: str, title: str, items: list[Article], pager: str, box: list[Article], following: str | None = None
) -> Page:
    kind, note = "listing", f"list of {len(items)} teasers"
    if lang == "zh":
        table = f'<table width="100%" border="0">\n{_rows(items)}\n</table>\n{pager}'
        return Page(url, kind, note, portal_page(title, table, box, "gb2312"), "gbk", tuple(items), following)
    html = modern_page(lang, title, f"<h1>{title}</h1>\n{_teasers(items)}\n{pager}", box)
    return Page(url, kind, note, html, "utf-8", tuple(items), following)


def _news_url(lang: str, number: int) -> str:
    if number == 1:
        return f"/{lang}/news/"
    return f"/zh/news/index_{number}.html" if lang == "zh" else f"/en/news/page/{number}/"


def _sort_links(lang: str) -> str:
    """Links which differ only in their parameters: the endless part of every listing."""
    words = say(lang, "Sort by", "排序")
    orders = ("date", "views", "title", "comments")
    links = [
        f'<a href="?sort={order}&amp;view={view}&amp;sessionid={5381 * (row + 3):x}{column}">{order}</a>'
        for row, order in enumerate(orders)
        for column, view in enumerate(("list", "grid", "compact"))
    ]
    return f'<div class="sort">{words}: ' + " ".join(links) + "</div>"


def news_pages(lang: str, listed: list[Article], box: list[Article]) -> list[Page]:
    """The "latest" listing with pagination."""
    chunks = [listed[start : start + PER_PAGE] for start in range(0, len(listed), PER_PAGE)]
    pages = []
    for number, chunk in enumerate(chunks, 1):
        links = [f'<a href="{_news_url(lang, other)}">{other}</a>' for other in range(1, len(chunks) + 1)]
        if number < len(chunks):
            links.append(f'<a rel="next" href="{_news_url(lang, number + 1)}">{say(lang, "Older", "下一页")}</a>')
        pager = f'<div class="pagination">{" ".join(links)}</div>\n{_sort_links(lang)}'
        title = say(lang, f"Latest news, page {number}", f"最新新闻 第{number}页")
        following = _news_url(lang, number + 1) if number < len(chunks) else None
        pages.append(_list_page(lang, _news_url(lang, number), title, chunk, pager, box, following))
    return pages


def section_pages(lang: str, listed: list[Article], box: list[Article]) -> list[Page]:
    """One listing per section."""
    return [
        _list_page(
            lang,
            f"/{lang}/section/{slug}/",
            name,
            [item for item in listed if item.get("section") == name],
            "",
            box,
        )
        for name, slug in sections(lang).items()
    ]


def tag_pages(listed: list[Article], box: list[Article], tags: list[str]) -> list[Page]:
    """One listing per English tag."""
    return [
        _list_page("en", tag_url(tag), f"Tag: {tag}", [a for a in listed if tag in a.words("tags")], "", box) for tag in tags
    ]


def front_page(english: list[Article], chinese: list[Article]) -> Page:
    """The bilingual front page."""
    main = f"""<h1>Harbour Ledger 港湾日报</h1>
<p>News from Port Merrow every day, in two languages.</p>
<section lang="en"><h2><a href="/en/news/">English edition</a></h2>
{_teasers(english[:6])}
</section>
<section lang="zh"><h2><a href="/zh/news/">中文版</a></h2>
{_teasers(chinese[:6])}
</section>
<p><a href="/en/2025/05/12/week-in-review.html">Week in review</a>
<a href="/zh/section/gangkou/">港口</a></p>"""
    return Page("/", "listing", "front page", modern_page("en", "Front page", main, english[6:11]))


def _calendar(box: list[Article]) -> list[Page]:
    pages = []
    for number, month in enumerate(CALENDAR_MONTHS, 1):
        before = "/en/calendar/2024/12/" if number == 1 else f"/en/calendar/2025/{number - 1:02}/"
        after = f"/en/calendar/2025/{number + 1:02}/"
        days = "".join(f"<td>{day}</td>" + ("</tr><tr>" if day % 7 == 0 else "") for day in range(1, 29))
        main = f"""<h1>Events in {month} 2025</h1>
<p><a rel="prev" href="{before}">Previous month</a> <a rel="next" href="{after}">Next month</a></p>
<table><tr>{days}</tr></table><p>No events have been entered for this month.</p>"""
        url = f"/en/calendar/2025/{number:02}/"
        pages.append(Page(url, "other", "calendar trap", modern_page("en", f"{month} 2025", main, box)))
    return pages


def _links(articles: list[Article]) -> str:
    return "\n".join(f'<li><a href="{item.url}">{escape(item.title)}</a></li>' for item in articles)


def plain_pages(english: list[Article], box: list[Article], chinese_box: list[Article]) -> list[Page]:
    """About, log-in, archive, author, week in review, calendar and the meta refresh page."""
    week = [item for item in english if "2025-04-20" <= item.moment.isoformat() < "2025-05-20"]
    mara = [item for item in english if "Mara Quill" in item.words("authors")]
    about = """<h1>About the Harbour Ledger</h1>
<p>The Harbour Ledger has been printed in Port Merrow since 1868 and has had a Chinese edition since 1931.
It belongs to a foundation whose only purpose is to publish it.</p>
<p>The newsroom has twenty-two people. You can reach us at 4 Customs Quay, by telephone on weekdays from eight
to six, or by shouting from a boat.</p>
<p>We correct our mistakes on page two. If you find one, please tell us the date and the page.</p>"""
    about_zh = """<h1>关于我们</h1><p>　　港湾日报创刊于一八六八年，一九三一年起出版中文版，由独立基金会主办。
<p>　　编辑部现有记者编辑二十二人，读者来信请寄税关路四号，报料可拨打热线电话。"""
    login = """<h1>Log in</h1><form action="/login.html" method="post">
<label>E-mail <input name="user"></label><label>Password <input type="password" name="word"></label>
<button>Log in</button></form><p>Forgotten your password? Ask at the counter on Customs Quay.</p>"""
    archive = f"""<h1>Archive</h1><p>Older pages of the Harbour Ledger. Some of them have been lost.</p><ul>
<li><a href="{MISSING[0]}">The day that never was</a></li>
<li><a href="/en/old/ferry-timetable.html">Ferry timetable</a></li>
<li><a href="/private/draft-harbour-fees.html">Drafts (staff only)</a></li>
<li><a href="/en/calendar/2025/01/">Calendar of events</a></li>
<li><a href="/en/author/mara-quill.html">Mara Quill's articles</a></li></ul>"""
    review = f"""<h1>Week in review</h1><p>What our readers talked about:</p><ul>
{_links(week)}
</ul>"""
    author = f"""<h1>Mara Quill</h1><p>Harbour correspondent of the Ledger for nineteen years.</p><ul>
{_links(mara)}
</ul>"""
    refresh = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>Moved</title>
<meta http-equiv="refresh" content="0; url=/en/2025/08/04/gull-island-ferry-winter-timetable.html"></head>
<body><p>This page has moved.</p></body></html>
"""
    return [
        Page("/en/about.html", "other", "about the paper", modern_page("en", "About us", about, box)),
        Page(
            "/zh/about.html",
            "other",
            "about",
            portal_page("关于我们", about_zh, chinese_box, "gb2312"),
            "gbk",
        ),
        Page("/login.html", "other", "log-in form", modern_page("en", "Log in", login, box)),
        Page(
            "/en/archive.html",
            "listing",
            "links to a missing page",
            modern_page("en", "Archive", archive, box),
        ),
        Page(
            "/en/2025/05/12/week-in-review.html",
            "listing",
            "only links, under an address like an article's",
            modern_page("en", "Week in review", review, box),
        ),
        Page(
            "/en/author/mara-quill.html",
            "listing",
            "author page",
            modern_page("en", "Mara Quill", author, box),
        ),
        Page(
            "/en/old/ferry-timetable.html",
            "redirect",
            "meta refresh to /en/2025/08/04/gull-island-ferry-winter-timetable.html",
            refresh,
        ),
        *_calendar(box),
    ]
