"""Pages of known structure, for wrappers: a symposium's programme, a directory of trades, an old newspaper's front page.

The programme leads to a page for each talk, and from part to part in a circle; one talk's page is forbidden by robots.txt, one
does not exist. The directory has two pages. The front page is of tables and ``<font>``, as they were made in 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

PROGRAMME = "http://www.lantern-symposium.example"
TRADES = "http://www.merrow-trades.example"
MERCURY = "http://www.old-mercury.example"


@dataclass(frozen=True)
class Talk:
    """A talk of the programme, and its page."""

    path: str
    title: str
    speakers: tuple[str, ...]
    summary: str
    """Empty: its page cannot be had."""


PARTS: Sequence[Sequence[tuple[str, Sequence[tuple[str, Sequence[Talk]]]]]] = (
    (
        (
            "Lamps and lenses",
            (
                (
                    "Lenses",
                    (
                        Talk(
                            "talks/ring-lens.html",
                            "Grinding a ring lens by hand",
                            ("Ada Merrow", "Tom Quillfeather"),
                            "We ground a lens of twelve rings in a shed and measured what each ring loses.",
                        ),
                        Talk(
                            "talks/salt.html",
                            "What salt does to glass & brass",
                            ("Ines Kell",),
                            "Forty panes stood on the quay for nine winters; brass frames saved most of them.",
                        ),
                    ),
                ),
                (
                    "Lamps",
                    (
                        Talk(
                            "drafts/wick.html",
                            "A wick that trims itself",
                            ("Bo Lindqvist", "Ada Merrow"),
                            "",  # robots.txt forbids it
                        ),
                    ),
                ),
            ),
        ),
        (
            "Fog",
            (
                (
                    "Horns",
                    (
                        Talk(
                            "talks/horn.html",
                            "How far a horn is heard over ice",
                            ("Yara Osei",),
                            "Over ice the horn carried 1.4 times as far as over open water on the same day.",
                        ),
                    ),
                ),
            ),
        ),
    ),
    (
        (
            "Keeping a station",
            (
                (
                    "Records",
                    (
                        Talk(
                            "talks/logbooks.html",
                            "Reading four hundred logbooks",
                            ("Tom Quillfeather", "Mei Tanaka", "Ines Kell"),
                            "Keepers wrote down every ship. We read them all, and count what sailed in a century.",
                        ),
                        Talk("talks/lost.html", "The station that was never built", ("Mei Tanaka",), ""),  # a dead link
                    ),
                ),
            ),
        ),
    ),
)
"""Part → session → theme → talks."""

FIRMS: Sequence[Sequence[tuple[str, str, str, str]]] = (
    (
        ("Alder & Sons", "Boat builders", "Slip Lane 4", "0175 2041"),
        ("Brine Bakery", "Bakers", "Market Steps 1", "0175 2290"),
        ("Corder Rope Works", "Ropes and nets", "Long Walk 12", "0175 2112"),
    ),
    (
        ("Merrow Glass", "Glaziers", "Quay 17", "0175 2508"),
        ("Tidewater Press", "Printers", "Bell Yard 3", "0175 2666"),
    ),
)
"""Page → firm, trade, address, telephone."""

FRONT: Sequence[tuple[str, Sequence[tuple[str, str]]]] = (
    (
        "Harbour",
        (("Ferry to run all winter", "The council has voted for it."), ("Two cranes sold", "A yard in the north pays.")),
    ),
    ("Country", (("Long drought ends", "Rain fell on the hills for three days."),)),
    (
        "Sport",
        (("Rowers home with silver", "The eight lost by a length."), ("New field for the school", "It opens in May.")),
    ),
)
"""Section → headline, teaser."""


def wrapped_files() -> dict[str, str]:
    """All pages, by path relative to ``wrapped/``."""
    files = {"programme/robots.txt": "User-agent: *\nDisallow: /2025/drafts/\n"}
    for number in range(1, len(PARTS) + 1):
        files[f"programme/2025/part{number}.html"] = _part(number)
    for talk in _talks():
        if talk.summary:
            files[f"programme/2025/{talk.path}"] = _talk_page(talk)
    for number in range(1, len(FIRMS) + 1):
        files[f"trades/{_directory_name(number)}"] = _directory(number)
    files["mercury/index.html"] = _front_page()
    return files


def expected_objects() -> list[dict[str, object]]:
    """The truth for the wrappers in ``formats/``: a line a record, ``missing`` without reasons."""
    lines: list[dict[str, object]] = []
    for number, sessions in enumerate(PARTS, 1):
        above = ["programme"] * number + [f"Lantern Symposium 2025, part {number}"]
        lines += [
            {
                "site": "lantern-symposium",
                "page_url": f"{PROGRAMME}/2025/part1.html",
                "url": f"{PROGRAMME}/2025/part{number}.html",
                "label": "talk",
                "path": [*above, session, theme],
                "fields": _talk_fields(talk),
                "missing": [] if talk.summary else [f"{PROGRAMME}/2025/{talk.path}"],
            }
            for session, themes in sessions
            for theme, talks in themes
            for talk in talks
        ]
    for number, firms in enumerate(FIRMS, 1):
        page = f"{TRADES}/" if number == 1 else f"{TRADES}/{_directory_name(number)}"
        for firm in firms:
            fields = dict(zip(("name", "trade", "address", "telephone"), firm, strict=True))
            lines.append(_line("merrow-trades", page, "firm", ["directory"], fields))
    stories = {section: {headline: {"teaser": teaser} for headline, teaser in told} for section, told in FRONT}
    lines.append(_line("old-mercury", f"{MERCURY}/", "front page", [], stories))
    return lines


def _line(site: str, page: str, label: str, path: list[str], fields: object) -> dict[str, object]:
    return {
        "site": site, "page_url": page, "url": page, "label": label, "path": path, "fields": fields, "missing": [],
    }  # fmt: skip


def _talk_fields(talk: Talk) -> dict[str, object]:
    told: dict[str, object] = {
        "address": f"{PROGRAMME}/2025/{talk.path}",
        "title": talk.title,
        "speakers": {"speaker": list(talk.speakers)},
    }
    return {**told, "summary": talk.summary} if talk.summary else told


def _talks() -> Iterator[Talk]:
    for sessions in PARTS:
        for _, themes in sessions:
            for _, talks in themes:
                yield from talks


def _page(title: str, body: str) -> str:
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )


def _part(number: int) -> str:
    following = number % len(PARTS) + 1  # behind the last part stands the first
    body = f'<h1>Lantern Symposium 2025, part {number}</h1>\n<div class="programme">\n'
    for session, themes in PARTS[number - 1]:
        body += f"<h2>{escape(session)}</h2>\n"
        for theme, talks in themes:
            body += f"<h3>{escape(theme)}</h3>\n<ul>\n"
            for talk in talks:
                names = ", ".join(talk.speakers)
                body += f'<li><a href="{talk.path}">{escape(talk.title)}</a><br><i>{escape(names)}</i></li>\n'
            body += "</ul>\n"
    body += f'</div>\n<p class="pager"><a class="further" href="part{following}.html">Further talks</a></p>\n'
    return _page(f"Lantern Symposium 2025, part {number}", body)


def _talk_page(talk: Talk) -> str:
    body = (
        f'<p><a href="../part1.html">Programme</a></p>\n<h1>{escape(talk.title)}</h1>\n'
        f"<p>{escape(', '.join(talk.speakers))}</p>\n"
        f'<div class="summary">{escape(talk.summary)}</div>\n'
    )
    return _page(talk.title, body)


def _directory_name(number: int) -> str:
    return "index.html" if number == 1 else f"page{number}.html"


def _directory(number: int) -> str:
    rows = "".join(
        f"<tr><td><b>{escape(name)}</b></td><td>{escape(trade)}</td><td>{escape(address)}</td><td>{telephone}</td></tr>\n"
        for name, trade, address, telephone in FIRMS[number - 1]
    )
    more = f'<p><a rel="next" href="/{_directory_name(number + 1)}">Next page</a></p>\n' if number < len(FIRMS) else ""
    head = "<tr><th>Firm</th><th>Trade</th><th>Where</th><th>Telephone</th></tr>\n"
    return _page("Trades of Merrow", f'<h1>Trades of Merrow</h1>\n<table class="firms">\n{head}{rows}</table>\n{more}')


def _front_page() -> str:
    body = "<center><font size=7>The Old Mercury</font></center>\n<table><tr><td>\n"
    for section, stories in FRONT:
        body += f"<p><font size=5 color=#800000>{section}</font></p>\n"
        for headline, teaser in stories:
            body += f"<p><font size=4><b>{headline}</b></font><br>\n<font size=2>{teaser}</font></p>\n"
    body += "</td></tr></table>\n<p><font size=1>The Old Mercury, Bell Yard, Merrow</font></p>\n"
    return _page("The Old Mercury", body)
