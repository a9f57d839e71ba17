"""Lists cut by days: one teaser an entry, with the day above it."""

from __future__ import annotations

import pytest

from newsextract import extract_records, extract_teasers

TITLES = {
    "en": (
        "Storks return to the church tower", "Water flows again in the old fountain", "Five slightly hurt on the bypass",
        "A feast with fewer fireworks this year", "The hospital opens its new scanner", "The brass band turns a hundred",
    ),
    "es": (
        "Las cigüeñas vuelven a la torre", "Vuelve a manar agua de la fuente vieja", "Cinco heridos leves en la variante",
        "Una fiesta con menos fuegos este año", "El hospital estrena su escáner", "La banda de música cumple cien años",
    ),
    "zh": (
        "白鹳回到教堂的钟楼上筑巢", "老喷泉里又有水在流动了", "绕城公路事故五人受轻伤", "今年的节日烟花比往年少", "医院启用新的扫描设备",
        "铜管乐队成立一百零五周年",
    ),
    "de": (
        "Störche kehren auf den Kirchturm zurück", "Im alten Brunnen fließt wieder Wasser", "Fünf Verletzte auf der Umgehung",
        "Ein Fest mit weniger Feuerwerk", "Das Krankenhaus öffnet seine Ambulanz", "Die Blaskapelle wird hundert",
    ),
}  # fmt: skip
DATES = {"en": "Monday, {n} March 2026", "es": "{n} de marzo de 2026", "zh": "2026年3月{n}日", "de": "{n}. März 2026"}
WORDS = "The pump was repaired by two pensioners of the quarter last week."
FORMS = {
    "lists": "<div>|<h4>{d}</h4><ul>|<li><a href=/n/{n}>{t}</a></li>|</ul>|</div>",
    "lists with times": "<div>|<h4>{d}</h4><ul>|<li>10:3{n} <a href=/n/{n}>{t}</a></li>|</ul>|</div>",
    "linked days": "<div>|<h4><a href=/day/{m}>{d}</a></h4><ul>|<li><a href=/n/{n}>{t}</a> <p>{s}</p></li>|</ul>|</div>",
    "articles": "<main>|<section><h2>{d}</h2>|<article><h3><a href=/n/{n}>{t}</a></h3><p>{s}</p></article>|</section>|</main>",
    "terms": "<dl>|<dt>{d}</dt>|<dd><a href=/n/{n}>{t}</a></dd>||</dl>",
    "rows": "<table>|<tr><th colspan=2>{d}</th></tr>|<tr><td>10:3{n}</td><td><a href=/n/{n}>{t}</a></td></tr>||</table>",
    "nested lists": "<ul>|<li>{d}<ul>|<li><a href=/n/{n}>{t}</a></li>|</ul></li>|</ul>",
    "lines": "<div>|<h3>{d}</h3><p>|<a href=/n/{n}>{t}</a><br>|</p>|</div>",
}


def read(entries: str, language: str = "en") -> list[tuple[str | None, str, str | None]]:
    nav = "<nav><a href=/>Home</a> <a href=/local>Local</a> <a href=/sport>Sport</a></nav>"
    page = f"<html lang={language}><title>News</title><body>{nav}<h1>News</h1>{entries}<footer><a href=/legal>Legal</a></footer>"
    return [
        (one.address, one.title, one.date.value if one.date else None)
        for one in extract_teasers(page, "https://quay.example/news")
    ]


@pytest.mark.parametrize("sizes", [(3, 3), (1, 3, 2)])
@pytest.mark.parametrize("language", DATES)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_entry_is_a_teaser_of_its_day(form: str, language: str, sizes: tuple[int, ...]) -> None:
    begin, day, entry, end_of_day, end = form.split("|")
    titles = iter(enumerate(TITLES[language]))
    source, expected = "", []
    for date, size in zip((9, 8, 7), sizes, strict=False):
        source += day.format(d=DATES[language].format(n=date), m=date)
        for _, (number, title) in zip(range(size), titles, strict=False):
            source += entry.format(n=number, t=title, s=WORDS)
            expected.append((f"https://quay.example/n/{number}", title, f"2026-03-0{date}"))
        source += end_of_day
    assert read(f"{begin}{source}{end}", language) == expected


@pytest.mark.parametrize("form", [form for name, form in FORMS.items() if name not in ("linked days", "nested lists")])
def test_each_entry_below_a_heading_is_a_teaser(form: str) -> None:
    begin, group, entry, end_of_group, end = form.split("|")
    source, expected = "", []
    for place, name in enumerate(("Articles", "Products <small>(3)</small>")):
        source += group.format(d=name, m=place)
        for number in range(3 * place, 3 * place + 3):
            source += entry.format(n=number, t=TITLES["en"][number], s=WORDS)
            expected.append((f"https://quay.example/n/{number}", TITLES["en"][number], None))
        source += end_of_group
    assert read(f"{begin}{source}{end}") == expected


@pytest.mark.parametrize(
    "below",
    [
        "<p>Seen <a href=/x/{n}a>from the old bridge over the river</a> this week.</p><p>More <a href=/x/{n}b>from the tower of the hall</a>.</p>",
        "<p>By <a href=/people/{n}>Jane Doe the {n}th of Quayside</a></p>",
        "<ul><li><a href=/tags/{n}>River</a></li><li><a href=/places/{n}>Market</a></li><li><a href=/who/{n}>Jane Doe</a></li></ul>",
    ],
)
def test_a_dated_entry_with_links_of_its_own_is_one_teaser(below: str) -> None:
    rows = "".join(
        f"<div class=entry><p class=date>{n} March 2026</p><h3><a href=/n/{n}>{title}</a></h3>{below.format(n=n)}</div>"
        for n, title in enumerate(TITLES["en"], 1)
    )
    expected = [(f"https://quay.example/n/{n}", title, f"2026-03-0{n}") for n, title in enumerate(TITLES["en"], 1)]
    assert read(f"<div>{rows}</div>") == expected


SECTIONS = {
    "en": ("Politics", "Sport", "Culture"), "es": ("Política", "Deportes", "Cultura"), "de": ("Politik", "Sport", "Kultur"),
    "zh": ("政治", "体育", "文化"),
}  # fmt: skip
LINKS_ALONE = {
    "one list": "|||<li><a href=/n/{n}>{t}</a></li>||",
    "lists": "|<section><h2>{d}</h2><ul>||<li><a href=/n/{n}>{t}</a></li>|</ul></section>|",
    "flat lists": "|<h2>{d}</h2><ul>||<li><a href=/n/{n}>{t}</a></li>|</ul>|",
    "large stories": "<main>|<section><h2>{d}</h2>|<article><h3><a href=/n/{n}>{t}</a></h3><p>{s}</p></article><ul>|<li><a href=/n/{n}>{t}</a></li>|</ul></section>|</main>",
    "bold lines": "<div>|<h3>{d}</h3>||<div><b><a href=/n/{n}>{t}</a></b></div>||</div>",
}


@pytest.mark.parametrize("language", SECTIONS)
@pytest.mark.parametrize("form", LINKS_ALONE.values(), ids=LINKS_ALONE)
def test_linked_titles_without_anything_else_are_teasers(form: str, language: str) -> None:
    begin, section, first, entry, end_of_section, end = form.split("|")
    titles = iter(enumerate(TITLES[language]))
    source, expected = "", []
    for name, size in zip(SECTIONS[language], (2, 2, 2), strict=True):
        source += section.format(d=name)
        for place, (number, title) in zip(range(size), titles, strict=False):
            source += (first if first and not place else entry).format(n=number, t=title, s=WORDS)
            expected.append((f"https://quay.example/n/{number}", title, None))
        source += end_of_section
    assert read(f"{begin}{source}{end}", language) == expected


MENU = "".join(f"<li><a href=/n/{n}>{title}</a></li>" for n, title in enumerate(TITLES["en"]))


@pytest.mark.parametrize(
    "page",
    [
        f"<div class=menu><ul>{MENU}</ul></div>" + f"<p>{WORDS}</p>" * 12,
        f"<aside><h3>Most read</h3><ul>{MENU}</ul></aside>",
        "<ul>" + "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("News", "Local sport", "Opinion", "Weather map")) + "</ul>",
        "<ul>" + "".join(f"<li><a href=?sort={n}>Sort the list by column {n}</a></li>" for n in range(6)) + "</ul>",
        f"<article><h2>Storks return</h2>{''.join(f'<p>{WORDS} {WORDS} {n}</p>' for n in range(9))}</article><h3>More</h3><ul>{MENU}</ul>",
    ],
    ids=["menu", "aside", "sections", "views", "article"],
)  # fmt: skip
def test_other_links_are_no_teasers(page: str) -> None:
    assert read(page) == []


def texts(markup: str) -> list[str]:
    nav = "<nav><a href=/>Home</a> <a href=/local>Local</a> <a href=/sport>Sport</a></nav>"
    page = f"<html lang=en><title>Lists</title><body>{nav}<h1>Lists</h1>{markup}<footer><a href=/legal>Legal</a></footer>"
    return [record.text for record in extract_records(page, "https://quay.example/lists").records]


GROUPS = {
    "lists below headings": "|<h3>{d}</h3><ul>|<li><a href=/n/{n}>{t}</a> – {s}</li>|</ul>|",
    "rows below a row of one cell": "<table>|<tr><th colspan=3>{d}</th></tr>|<tr><td>10{n}</td><td>{t}</td><td>{n}.50 €</td></tr>||</table>",
    "boxes of openings": "<div>|<section><h3>{d}</h3>|<div class=opening><a href=/n/{n}>{t}</a><br><span>Quayside</span></div>|</section>|</div>",
}


@pytest.mark.parametrize("form", GROUPS.values(), ids=GROUPS)
def test_entries_below_headings_are_records(form: str) -> None:
    begin, group, entry, end_of_group, end = form.split("|")
    source, count = "", 0
    for name in ("Harbour", "Market", "Old town"):
        entries = [entry.format(n=(count := count + 1), t=f"{title} {name}", s=WORDS) for title in TITLES["en"][:4]]
        source += f"{group.format(d=name)}{''.join(entries)}{end_of_group}"
    found = texts(f"{begin}{source}{end}")
    assert len(found) == 12
    expected = [f"{title} {name}" for name in ("Harbour", "Market", "Old town") for title in TITLES["en"][:4]]
    assert all(title in text for title, text in zip(expected, found, strict=True))


def test_the_rows_of_the_only_table_with_a_header_are_records() -> None:
    goods = ["Cod", "Plaice", "Rope", "Net", "Lamp", "Oil"]
    rows = [
        f"<tr>{'<td rowspan=3>Group</td>' * (k % 3 == 0)}<td>{good}</td><td>{k}.50</td></tr>" for k, good in enumerate(goods)
    ]
    found = texts(f"<table border=1><tr><th>Group</th><th>Article</th><th>Price</th></tr>{''.join(rows)}</table>")
    assert [text.removeprefix("Group ") for text in found] == [f"{good} {k}.50" for k, good in enumerate(goods)]


def test_boxes_that_repeat_their_words_in_each_record_are_no_entries() -> None:
    release = (
        "<section><h2>Version {k}: {t}</h2><div><div class=body><a href=/v/{k}>Version {k}: {t}</a><p>{s}</p></div>"
        "<div class=foot><a href=/v/{k}.zip>Source code as an archive</a></div></div></section>"
    )
    entries = [release.format(k=k, t=title, s=WORDS) for k, title in enumerate(TITLES["en"])]
    assert len(texts(f"<div>{''.join(entries)}</div>")) == len(entries)
    found = read(f"<div>{''.join(entries)}</div>")
    assert [address for address, _, _ in found] == [f"https://quay.example/v/{k}" for k in range(len(entries))]


def test_the_cells_of_a_grid_are_records() -> None:
    cells = [
        f"<td align=center><a href=/n/{k}><img src=/{k}.gif width=100></a><br><a href=/n/{k}>{title}</a><br><b>${k}.50</b></td>"
        for k, title in enumerate(TITLES["en"])
    ]
    rows = "".join(f"<tr>{''.join(cells[k : k + 2])}</tr>" for k in (0, 2, 4))
    assert texts(f"<table width=100%>{rows}</table>") == [f"{title} ${k}.50" for k, title in enumerate(TITLES["en"])]


def test_short_rows_are_teasers_where_nothing_else_is_found() -> None:
    names = ("Ann Lee", "Jonas Reed", "Mara Quill", "Tom Oar", "Eve Hull", "Ida Keel")
    rows = "".join(
        f"<tr><td>{k}</td><td><a href=/n/{k}>{name}</a></td><td>2{k}</td><td>{k}</td></tr>" for k, name in enumerate(names)
    )
    found = read(f"<table><tr><th>Rank</th><th>Player</th><th>Age</th><th>Goals</th></tr>{rows}</table>")
    assert [title for _, title, _ in found] == list(names)
