"""Two pages of today: classes instead of fonts, no list and no table."""

from __future__ import annotations

from html import escape

from tests.oem.set.objects import Expected, link, text, within
from tests.oem.set.words import TOPICS, Words

_ROLES = ("Lecturer", "Professor", "Research fellow", "Technician", "Librarian", "Doctoral student")


def staff(url: str) -> tuple[str, Expected]:
    """A directory of people: titles and people are ``div`` elements side by side, told apart by class."""
    words = Words("staff")
    source = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>People</title><style>\n'
        ".group-title{font-size:24px;font-weight:600}.person{display:grid}.role{color:#555}\n</style></head>\n<body>\n"
        '<header class="top"><nav><ul><li><a href="/">Home</a></li><li><a href="/research">Research</a></li>'
        '<li><a href="/people">People</a></li></ul></nav></header>\n<main id="people">\n'
        '<div class="lead">Whom to ask for what.</div>\n'
    ]
    groups: list[Expected] = []
    for topic in words.random.sample(TOPICS, 9):
        source.append(f'<div class="group-title">{topic} Group</div>\n')
        people = []
        for _ in range(words.random.randint(6, 11)):
            name, role = words.person(), words.random.choice(_ROLES)
            room = f"{words.random.choice('ABC')}{words.random.randint(100, 399)}"
            address = "/people/" + name.lower().replace(" ", "-")
            source.append(
                f'<div class="person"><a class="name" href="{address}">{name}</a>\n'
                f'  <span class="role">{role}</span> <span class="room">Room {room}</span></div>\n'
            )
            people.append(
                within(
                    "person",
                    link("link", url, address),
                    text("name", name),
                    text("role", role),
                    text("room", f"Room {room}"),
                )
            )
        groups.append(within(f"{topic} Group", *people))
    source.append('</main>\n<footer class="bottom"><div class="person">Webmaster: desk 4</div></footer>\n</body></html>\n')
    return "".join(source), within("root", *groups)


def courier(url: str) -> tuple[str, Expected]:
    """A news front page: sections with teasers, whose headlines are headings, too."""
    words = Words("courier")
    source = [
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>The Esker Courier</title></head>\n<body>\n'
        '<header class="masthead"><h1>The Esker Courier</h1><nav class="menu"><a href="/world">World</a> <a href="/city">City</a>'
        ' <a href="/sport">Sport</a></nav></header>\n<main class="front">\n'
    ]
    zones: list[Expected] = []
    for zone in ("World", "City", "Business", "Science", "Sport", "Culture"):
        source.append(f'<section class="zone">\n<h2 class="zone-title">{zone}</h2>\n')
        teasers = []
        for number in range(1, words.random.randint(6, 9)):
            title, summary = words.title(), f"{words.title()} — a report by {words.person()}, with {words.title().lower()}."
            address, day = f"/{zone.lower()}/{number}-story", words.random.randint(10, 28)
            moment = f"{day} March 2024"
            source.append(
                f'<article class="teaser {"teaser-large" if number == 1 else "teaser-small"}">\n'
                f'<a class="picture" href="{address}"><img src="/img{address}.jpg" alt=""></a>\n'
                f'<h3 class="headline"><a href="{address}">{escape(title)}</a></h3>\n'
                f'<p class="summary">{escape(summary)}</p>\n'
                f'<time datetime="2024-03-{day}">{moment}</time>\n</article>\n'
            )
            teasers.append(
                within(
                    "teaser",
                    link("link", url, address),
                    text("title", title),
                    text("summary", summary),
                    text("date", moment),
                )
            )
        source.append("</section>\n")
        zones.append(within(zone, *teasers))
    source.append('</main>\n<aside class="newsletter"><h2>Newsletter</h2><p>Every morning.</p></aside>\n</body></html>\n')
    return "".join(source), within("root", *zones)
