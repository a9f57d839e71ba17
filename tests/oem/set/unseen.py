"""Six pages that were written after `draft` was finished, to see what it does with pages that it was not made on.

Four are of 2000, two of today. Table 2 has no rows for them.
"""

from __future__ import annotations

from html import escape

from tests.oem.set.objects import Expected, link, text, within
from tests.oem.set.words import TOPICS, Words


def library(url: str) -> tuple[str, Expected]:
    """A list of new books: numbered list, title in italics, author before it, shelf mark in brackets."""
    words = Words("library")
    source = [
        "<HTML><HEAD><TITLE>New books</TITLE></HEAD><BODY BGCOLOR=white>\n<H1>New books in March</H1>\n"
        '<P>Back to the <A HREF="index.htm">library</A>.\n<UL><LI><A HREF="#a">Computing</A><LI><A HREF="#b">Planning</A></UL>\n'
    ]
    shelves: list[Expected] = []
    for topic in ("Computing", "Planning", "Networks"):
        source.append(f'<A NAME="{topic[0].lower()}"></A><H2>{topic}</H2>\n<OL>\n')
        books = []
        for _ in range(words.random.randint(18, 22)):
            author, title, mark = (
                words.person(),
                words.title(),
                f"QA {words.random.randint(10, 99)}.{words.random.randint(1, 9)}",
            )
            source.append(f"<LI>{author}, <I>{escape(title)}</I> [{mark}]\n")
            books.append(within("book", text("author", author), text("title", title), text("mark", mark)))
        source.append("</OL>\n")
        shelves.append(within(topic, *books))
    source.append('<P><FONT SIZE=-1>Asked often: <A HREF="faq.htm">opening hours</A></FONT>\n</BODY></HTML>\n')
    return "".join(source), within("root", *shelves)


def courses(url: str) -> tuple[str, Expected]:
    """A table of lectures with a row across for each day, end tags written, small fonts in the cells."""
    words = Words("courses")
    source = [
        "<html><head><title>Lectures</title></head>\n<body>\n<center><h2>Lectures in winter</h2></center>\n"
        '<table width="90%" border="0" cellpadding="3">\n'
    ]
    days: list[Expected] = []
    for day in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"):
        source.append(
            f'<tr bgcolor="#336699"><td colspan="4"><font color="#ffffff" size="4"><b>{day}</b></font></td></tr>\n'
        )
        lectures = []
        for hour in range(8, 8 + words.random.randint(7, 10)):
            title, who, room = words.title(), f"Dr {words.person()}", f"H{words.random.randint(1, 9)}"
            source.append(
                f'<tr><td><font size="2">{hour}:15</font></td><td><font size="2"><b>{escape(title)}</b></font></td>'
                f'<td><font size="2">{who}</font></td><td><font size="2">{room}</font></td></tr>\n'
            )
            lectures.append(
                within("lecture", text("hour", f"{hour}:15"), text("title", title), text("who", who), text("room", room))
            )
        days.append(within(day, *lectures))
    source.append('</table>\n<p><a href="../index.html">Back</a></p>\n</body></html>\n')
    return "".join(source), within("root", *days)


def links(url: str) -> tuple[str, Expected]:
    """A collection of links with notes in definition lists, titles in bold, a line between the groups."""
    words = Words("links")
    source = [
        "<html>\n<head><title>Links</title></head>\n<body>\n<h1 align=center>Links on databases</h1>\n"
        '<p>Collected since 1995. <a href="add.html">Add one</a>.</p>\n'
    ]
    groups: list[Expected] = []
    for topic in words.random.sample(TOPICS, 7):
        source.append(f"<hr>\n<b>{topic}</b>\n<dl>\n")
        entries = []
        for number in range(1, words.random.randint(7, 10)):
            name, note = words.title(), f"{words.title()} and {words.title().lower()}, kept by {words.person()}."
            address = f"http://{topic.lower().replace(' ', '-')}{number}.example/"
            source.append(f'<dt><a href="{address}">{escape(name)}</a></dt>\n<dd>{escape(note)}</dd>\n')
            entries.append(within("entry", link("link", url, address), text("name", name), text("note", note)))
        source.append("</dl>\n")
        groups.append(within(topic, *entries))
    source.append("<hr>\n<i>Last change: May 1999</i>\n</body>\n</html>\n")
    return "".join(source), within("root", *groups)


def evening(url: str) -> tuple[str, Expected]:
    """A newspaper's front page of 2000 in Chinese: sections in coloured rows, headlines as lines behind squares."""
    words = Words("evening")
    source = [
        '<html><head><meta http-equiv="Content-Type" content="text/html; charset=gb2312"><title>临海晚报</title></head>\n<body>\n'
        "<table width=600 align=center><tr><td><font size=7 color=navy>临海晚报</font></td><td align=right>2000年3月5日</td></tr></table>\n"
        "<table width=600 align=center border=1>\n"
    ]
    sections: list[Expected] = []
    for section in ("要闻", "本市", "文体", "副刊"):
        source.append(f"<tr><td bgcolor=#ffcc00><font size=4>{section}</font></td></tr>\n<tr><td>\n")
        found = []
        for number in range(1, words.random.randint(14, 18)):
            title, address = words.headline(), f"0305/{len(sections)}{number:02}.htm"
            source.append(f"□ <a href={address} target=_blank>{title}</a><br>\n")
            found.append(within("headline", link("link", url, address), text("title", title)))
        source.append("</td></tr>\n")
        sections.append(within(section, *found))
    source.append(
        "</table>\n<p align=center><font size=2>临海晚报社 <a href=mailto:web@evening.example>联系我们</a></font>\n</body></html>\n"
    )
    return "".join(source), within("root", *sections)


def agenda(url: str) -> tuple[str, Expected]:
    """Events as list items with nested elements, grouped under headings, after a menu of the same kind of list."""
    words = Words("agenda")
    source = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Agenda</title></head>\n<body class="page">\n'
        '<nav class="menu"><ul class="menu__list">'
        + "".join(f'<li class="menu__item"><a href="/{name.lower()}">{name}</a></li>' for name in TOPICS[:8])
        + '</ul></nav>\n<div class="content" id="content">\n<h1 class="content__title">Agenda</h1>\n'
    ]
    months: list[Expected] = []
    for month in ("April", "May", "June"):
        source.append(f'<h2 class="month">{month}</h2>\n<ul class="events">\n')
        events = []
        for day in sorted(words.random.sample(range(1, 29), 9)):
            title, place = words.title(), f"Hall {words.random.randint(1, 12)}"
            address, moment = f"/agenda/{month.lower()}/{day}", f"{day} {month} 2024"
            source.append(
                f'  <li class="event"><div class="event__when"><time datetime="2024-{day:02}">{moment}</time></div>\n'
                f'    <div class="event__what"><a class="event__link" href="{address}"><strong>{escape(title)}</strong></a>\n'
                f'    <span class="event__place">{place}</span></div></li>\n'
            )
            events.append(
                within("event", text("date", moment), link("link", url, address), text("title", title), text("place", place))
            )
        source.append("</ul>\n")
        months.append(within(month, *events))
    source.append('</div>\n<footer><ul><li><a href="/imprint">Imprint</a></li></ul></footer>\n</body></html>\n')
    return "".join(source), within("root", *months)


def shop(url: str) -> tuple[str, Expected]:
    """A grid of cards without headings: name, price, and a note that some have."""
    words = Words("shop")
    source = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>\n'
        '<div class="bar"><a class="bar-link" href="/">Shop</a><a class="bar-link" href="/cart">Cart</a></div>\n<div class="grid">\n'
    ]
    cards: list[Expected] = []
    for number in range(1, 61):
        name, price = words.title(), f"€ {words.random.randint(5, 90)}.{words.random.randint(10, 99)}"
        noted = words.random.random() < 0.5
        note = '<p class="card-note">Only a few left</p>' if noted else ""
        source.append(
            f'<div class="card"><div class="card-body"><a href="/item/{number}" class="card-name">{escape(name)}</a>\n'
            f'<span class="card-price">{price}</span>{note}</div></div>\n'
        )
        notes = [text("note", "Only a few left")] if noted else []
        cards.append(within("card", link("link", url, f"/item/{number}"), text("name", name), text("price", price), *notes))
    source.append('</div>\n<div class="bar">All prices with tax</div>\n</body></html>\n')
    return "".join(source), within("root", *cards)
