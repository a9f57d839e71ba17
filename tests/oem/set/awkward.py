"""Five pages whose items have no marks to go by: written last, to see where `draft` ends."""

from __future__ import annotations

from html import escape

from tests.oem.set.objects import Expected, link, text, within
from tests.oem.set.words import TOPICS, Words


def workshop(url: str) -> tuple[str, Expected]:
    """Authors, title and pages of a paper in one run of plain text, under headings."""
    words = Words("workshop")
    source = ["<html><head><title>Workshop</title></head>\n<body>\n<h1>Workshop on Mediators 1996</h1>\n<hr>\n"]
    sessions: list[Expected] = []
    page = 1
    for topic in words.random.sample(TOPICS, 6):
        source.append(f"<h2>{topic}</h2>\n<ul>\n")
        papers = []
        for _ in range(words.random.randint(4, 6)):
            authors, title = ", ".join(words.people(3)), words.title().replace(":", ",")
            pages, page = words.pages(page)
            source.append(f"<li>{authors}: {escape(title)}. {pages}\n")
            papers.append(within("paper", text("authors", authors), text("title", title), text("pages", pages)))
        source.append("</ul>\n")
        sessions.append(within(topic, *papers))
    source.append("<hr>\n<address>The editors</address>\n</body></html>\n")
    return "".join(source), within("root", *sessions)


def bulletin(url: str) -> tuple[str, Expected]:
    """Headlines as headings, each with a date line and a paragraph behind it; nothing stands around an entry."""
    words = Words("bulletin")
    source = [
        '<html><head><title>Bulletin</title></head>\n<body>\n<h1>Harbour Bulletin</h1>\n<p><a href="/">Home</a> <a href="/old">Archive</a></p>\n'
    ]
    entries: list[Expected] = []
    for number in range(1, 31):
        title, date = words.title(), f"{words.random.randint(1, 28)} June 1999"
        body = f"{words.title()} and {words.title().lower()}, says {words.person()}."
        source.append(f'<h3><a href="n{number}.html">{escape(title)}</a></h3>\n<i>{date}</i>\n<p>{escape(body)}</p>\n')
        entries.append(
            within(
                "entry", link("link", url, f"n{number}.html"), text("title", title), text("date", date), text("body", body)
            )
        )
    source.append('<hr>\n<p><a href="subscribe.html">Subscribe</a></p>\n</body></html>\n')
    return "".join(source), within("root", *entries)


def alumni(url: str) -> tuple[str, Expected]:
    """Names in bold with plain text behind them, a line break after each, in one paragraph per year."""
    words = Words("alumni")
    source = ["<html><head><title>Alumni</title></head>\n<body>\n<h1>Alumni</h1>\n<p>By year.</p>\n"]
    years: list[Expected] = []
    for year in range(1990, 1998):
        source.append(f"<h4>{year}</h4>\n<p>\n")
        people = []
        for _ in range(words.random.randint(6, 9)):
            name, thesis = words.person(), words.title()
            source.append(f"<b>{name}</b> - {escape(thesis)}<br>\n")
            people.append(within("person", text("name", name), text("thesis", thesis)))
        source.append("</p>\n")
        years.append(within(str(year), *people))
    source.append("<hr>\nSend changes to the office.\n</body></html>\n")
    return "".join(source), within("root", *years)


def market(url: str) -> tuple[str, Expected]:
    """Two rows of a table an item: name and price, then a note across."""
    words = Words("market")
    source = [
        "<html><head><title>Market</title></head>\n<body>\n<h2>Second-hand books</h2>\n<table border=0 cellspacing=3>\n"
    ]
    found: list[Expected] = []
    for number in range(1, 41):
        name, price, note = words.title(), f"{words.random.randint(3, 60)}.50", f"Good copy, from {words.person()}."
        source.append(
            f'<tr><td><a href="b{number}.htm">{escape(name)}</a><td align=right>{price}\n<tr><td colspan=2><small>{note}</small>\n'
        )
        found.append(
            within("book", link("link", url, f"b{number}.htm"), text("name", name), text("price", price), text("note", note))
        )
    source.append("</table>\n<p>Prices in crowns.\n</body></html>\n")
    return "".join(source), within("root", *found)


def feed(url: str) -> tuple[str, Expected]:
    """Entries in elements whose classes a machine made, all of them ``div`` and ``span``."""
    words = Words("feed")
    source = [
        '<!doctype html><html><head><meta charset="utf-8"><title>Feed</title></head><body><div class="x1a"><div class="x9k">'
        '<span class="x2b"><a href="/login">Log in</a></span></div>\n<div class="x7c">\n'
    ]
    entries: list[Expected] = []
    for number in range(1, 41):
        who, body, when = words.person(), f"{words.title()}. {words.title()}!", f"{words.random.randint(1, 23)} h"
        likes = words.random.randint(0, 400)
        source.append(
            f'<div class="x3d"><div class="x4e"><span class="x5f"><a class="x6g" href="/u/{number}">{who}</a></span>'
            f'<span class="x5f">{when}</span></div><div class="x8h">{escape(body)}</div>'
            f'<div class="x4e"><span class="x0j">{likes}</span> likes</div></div>\n'
        )
        entries.append(
            within("entry", link("link", url, f"/u/{number}"), text("who", who), text("when", when), text("body", body),
                   text("likes", str(likes)))
        )  # fmt: skip
    source.append('</div>\n<div class="x9k">Older entries</div></div></body></html>\n')
    return "".join(source), within("root", *entries)
