"""Where a record begins, in lists and threads without an element around each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from newsextract import Page, extract_hits, extract_teasers
from newsextract.algorithms.visual_blocks.candidates import Columns, candidates, in_phase
from newsextract.page.nodes import Nodes

TITLES = {
    "en": (
        "Storks return to the church tower", "Water flows again in the old fountain", "Five slightly hurt on the bypass",
        "A feast with fewer fireworks this year", "The hospital opens its new scanner", "The brass band turns a hundred",
    ),
    "de": (
        "Störche kehren auf den Kirchturm zurück", "Im alten Brunnen fließt wieder Wasser", "Fünf Verletzte auf der Umgehung",
        "Ein Fest mit weniger Feuerwerk", "Das Krankenhaus öffnet seine Ambulanz", "Die Blaskapelle wird hundert",
    ),
    "ru": (
        "Аисты вернулись на колокольню", "В старом фонтане снова вода", "Пятеро легко ранены на объездной",
        "Праздник почти без фейерверков", "Больница открывает новое отделение", "Духовому оркестру сто лет",
    ),
}  # fmt: skip
DATES = {"en": "{n} March 2026", "de": "{n}. März 2026", "ru": "{n} марта 2026"}
WORDS = (
    "Three pairs have been seen since Monday.", "The pump was repaired by two pensioners.", "Police ask for witnesses.",
    "The council wants quieter nights.", "It cost a million and took two years.", "A concert is planned in the square.",
)  # fmt: skip
BEFORE = {
    "terms": "<dl>|<dt>{d}</dt><dd><a href=/n/{n}>{t}</a></dd>|</dl>",
    "terms with text": "<dl>|<dt>{d}</dt><dd><a href=/n/{n}>{t}</a><br>{s}</dd>|</dl>",
    "bold dates in lines": "<p>|<b>{d}</b> <a href=/n/{n}>{t}</a><br>{s}<br><br>|</p>",
    "bare dates in lines": "<div>|{d} <a href=/n/{n}>{t}</a><br>|</div>",
    "lines": "<div>Read this:<br>|{d}<br><a href=/n/{n}>{t}</a><br>{s}<br>|</div>",
    "dates above headings": "<div>|<p>{d}</p><h3><a href=/n/{n}>{t}</a></h3>|</div>",
    "rows of three": "<table>|<tr><td>{d}</td></tr><tr><td><a href=/n/{n}>{t}</a></td></tr><tr><td>{s}</td></tr>|</table>",
    "lines of spans": "<div>|<span>{d}</span> <a href=/n/{n}>{t}</a> <span>{s}</span><hr>|</div>",
}
BEHIND = {
    "terms": "<dl>|<dt><a href=/n/{n}>{t}</a></dt><dd>{d}</dd>|</dl>",
    "a date above the list": "<div><p>28.2.2026</p>|<h3><a href=/n/{n}>{t}</a></h3><p>{d}</p>|</div>",
    "an introduction": "<div><p>All of it.</p>|<h3><a href=/n/{n}>{t}</a></h3><p>{s}</p><p>{d}</p>|</div>",
    "lines": "<div>|<a href=/n/{n}>{t}</a><br>{d}<br>{s}<br><br>|</div>",
    "rows": "<table>|<tr><td><a href=/n/{n}>{t}</a></td></tr><tr><td>{d}</td></tr><tr><td>{s}</td></tr>|</table>",
}


def page(entries: str, language: str = "en") -> str:
    nav = "<nav><a href=/>Home</a> <a href=/local>Local</a> <a href=/sport>Sport</a></nav>"
    footer = "<footer><a href=/legal>Legal</a></footer>"
    return f"<html lang={language}><title>News</title><body>{nav}<h1>News</h1>{entries}{footer}</body></html>"


def dated(form: str, language: str) -> list[tuple[str | None, str | None]]:
    begin, entry, end = form.split("|")
    entries = "".join(
        entry.format(n=n, d=DATES[language].format(n=n), t=title, s=text)
        for n, (title, text) in enumerate(zip(TITLES[language], WORDS, strict=True), 3)
    )
    found = extract_teasers(page(f"{begin}{entries}{end}", language), "https://quay.example/news")
    return [(one.address, one.date and one.date.value) for one in found]


@pytest.mark.parametrize("language", DATES)
@pytest.mark.parametrize(
    "form", [*BEFORE.values(), *BEHIND.values()], ids=[*BEFORE, *(f"{name}, behind" for name in BEHIND)]
)
def test_each_entry_has_the_date_of_its_own_side(form: str, language: str) -> None:
    assert dated(form, language) == [(f"https://quay.example/n/{n}", f"2026-03-0{n}") for n in range(3, 9)]


def phased(entries: str) -> list[tuple[str, list[str]]]:
    """Of all runs on a page the tag that begins the first one, and their texts in phase."""
    nodes = Page(page(entries).encode()).nodes
    columns = Columns(nodes)
    found = []
    for candidate in candidates(columns):
        if candidate.kind == "runs":
            runs = in_phase(columns, candidate)
            texts = [
                nodes.text(*range_of(nodes, *run)) for run in zip(runs.firsts.tolist(), runs.lasts.tolist(), strict=True)
            ]
            found.append((nodes.tags[int(candidate.firsts[0])], texts))
    return found


def moved(entries: str, head: str) -> list[str]:
    """The texts of the best runs from each element of a tag to the next one, in phase."""
    return next(texts for tag, texts in phased(entries) if tag == head)


def range_of(nodes: Nodes, first: int, last: int) -> list[int]:
    return [node for node in nodes.children[int(nodes.parents[first])] if first <= node <= last]


@pytest.mark.parametrize(
    ("entry", "head"),
    [
        ("<dt>{k}</dt><dd><a href=/n/{k}>{t}</a></dd>", "dd"),
        ("<p class=kicker>{k}</p><h3><a href=/n/{k}>{t}</a></h3>", "h3"),
        ("<p class=kicker>{k}</p><h3><a href=/n/{k}>{t}</a></h3>", "p"),
        ("<b>{k}</b><h3><a href=/n/{k}>{t}</a></h3>", "b"),
    ],
)
def test_a_label_stays_with_the_link_below_it(entry: str, head: str) -> None:
    labels = ("Birds", "Fountains", "Traffic", "Feasts", "Health", "Music")
    rows = "".join(entry.format(k=label, t=title) for label, title in zip(labels, TITLES["en"], strict=True))
    expected = [f"{label} {title}" for label, title in zip(labels, TITLES["en"], strict=True)]
    assert moved(f"<dl>{rows}</dl>" if "<dt" in entry else f"<div>{rows}</div>", head) == expected


@pytest.mark.parametrize("head", ["h3", "p"])
def test_links_begin_records_where_the_text_below_the_last_one_is_missing_or_not(head: str) -> None:
    rows = "".join(
        f"<h3><a href=/n/{n}>{title}</a></h3><p>{text}</p>"
        for n, (title, text) in enumerate(zip(TITLES["en"], WORDS, strict=True))
    )
    whole = [f"{title} {text}" for title, text in zip(TITLES["en"], WORDS, strict=True)]
    assert moved(f"<div>{rows}</div>", head) == whole
    if head == "h3":
        intro = "<p>What happened in town in the last days of winter.</p>"
        last = "<h3><a href=/n/6>Rain is expected on Friday</a></h3>"
        assert moved(f"<div>{intro}{rows}{last}</div>", head) == [*whole, "Rain is expected on Friday"]


def test_a_day_above_several_entries_is_none_of_the_one_before_it() -> None:
    days = [f"<dt>{n} March 2026</dt>" + f"<dd><a href=/n/{n}>{TITLES['en'][n]}</a></dd>" * 2 for n in range(1, 4)]
    assert moved(f"<dl>{''.join(days)}</dl>", "dd") == [TITLES["en"][n] for n in (1, 1, 2, 2, 3, 3)]


def test_a_row_below_each_post_belongs_to_the_post_above_it() -> None:
    rows = "".join(
        f"<tr><td><b>{name}</b><br>Joined: 0{n} Jan 2009</td><td>{WORDS[n]} {WORDS[n - 1]}</td></tr>"
        f"<tr><td><a href=#top>Back to top</a></td><td><a href=/profile.php?u={n}>profile</a></td></tr>"
        for n, name in enumerate(("Zbyszek", "Hania", "marta77", "Old Tom"), 1)
    )
    found = [texts for _, texts in phased(f"<table><tr><th>Author</th><th>Message</th></tr>{rows}</table>")]
    posts = [texts for texts in found if texts[0].startswith("Zbyszek")]
    assert len(posts) > 1
    assert all(text.endswith("Back to top profile") for texts in posts for text in texts)
    assert not any(texts[0].startswith("Back to top") for texts in found)


def test_a_snippet_that_is_a_link_belongs_to_the_title_above_it() -> None:
    entries = "".join(
        f"<li class=bx><div class=wrap><div><a href=//blog{n}.example/1>Blog {n}</a></div><a class=link href=//blog{n}.example/1>{title}</a>"
        f"<div class=dsc><a href=//blog{n}.example/1 class=txt>{' '.join(WORDS[n:] + WORDS[:n])}</a></div></div></li>"
        for n, title in enumerate(TITLES["en"])
    )
    html = f"<html><title>pump - Search</title><body><form><input name=q value=pump></form><ul class=lst>{entries}</ul>"
    found = extract_hits(html, "https://search.example/search?q=pump")
    assert [hit.title for hit in found] == list(TITLES["en"])
    assert [hit.address for hit in found] == [f"https://blog{n}.example/1" for n in range(6)]
    assert all(hit.snippet for hit in found)


def test_a_term_begins_its_record() -> None:
    """Whatever set of siblings was found: runs that end with the next term, and the first term alone."""
    entry = "<dt><a href=/n/{n}>{t}</a></dt><dd>(news)</dd><dd>{s}</dd><dd>Created on {n} March 2026</dd>"
    entries = "".join(entry.format(n=n, t=TITLES["en"][n], s=WORDS[n]) for n in range(4))
    nodes = Page.from_text(page(f"<dl>{entries}</dl>")).nodes
    columns = Columns(nodes)
    terms = [node for node, tag in enumerate(nodes.tags) if tag == "dt"]
    parts = [node for node in nodes.children[int(nodes.parents[terms[0]])] if nodes.tags[node]]
    runs = [parts[:1], *(parts[start : start + 3] for start in (2, 6, 10)), parts[14:]]
    made = next(one for one in candidates(columns) if one.kind == "runs")
    for own in (runs, runs[1:]):
        first, last = (np.array([run[place] for run in own], dtype=np.int64) for place in (0, -1))
        moved = in_phase(columns, replace(made, firsts=first, lasts=last))
        assert moved.firsts.tolist() == terms
        assert moved.lasts.tolist() == [parts[3], parts[7], parts[11], parts[15]]
