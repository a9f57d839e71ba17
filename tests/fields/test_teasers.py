"""Title, address, snippet, author, picture and date of teasers; titles of lists."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.fields.teasers import TeaserFields, list_title, teaser_fields
from newsextract.page.page import Page
from newsextract.records.items import align
from newsextract.results import Record, RecordPage
from tests.record_items.pages import region_of

FETCHED = datetime(2012, 3, 10, 12, 0, tzinfo=UTC)
TITLES = ("New ferry for the island", "Council keeps the old bridge", "Pears are dear this winter")
WORDS = (
    "The boat takes forty cars and a hundred people across the sound.",
    "Nobody voted for the new one after four hours of talk.",
    "Growers blame the frost of last spring, and the price of boxes.",
)


def teasers(html: str, name: str, head: str = "", url: str | None = "https://paper.example/news/") -> list[TeaserFields]:
    source = f"<html lang=en><head>{head}</head><body>{html}</body></html>".encode()
    page = Page(source, url, {"content-type": "text/html; charset=utf-8"}, FETCHED)
    region = region_of(page.nodes, name)
    table = align(page.nodes, region, url)
    records = [Record(page.nodes.text(*roots), items, 0, roots) for roots, items in zip(region.records, table, strict=True)]
    return teaser_fields(page, RecordPage(url, "made", "ok", tuple(records), 1.0, regions=(region,)))


def tile(n: int, more: str = "") -> str:
    return f"<div class=tile><h3><a href=/{n}.html>{TITLES[n - 1]}</a></h3><p>{WORDS[n - 1]}</p>{more}</div>"


def test_all_fields() -> None:
    byline = "<p class=byline>By Mara Quill | 0{n} March 2012 at 08:15</p>"
    picture = "<img src=/static/blank.gif data-src='/photo{n}.jpg' width=320 height=180><img src=/icon.png width=16>"
    found = teasers("".join(tile(n, (picture + byline).format(n=n)) for n in (1, 2, 3)), "tile")
    assert [one.title for one in found] == list(TITLES)
    assert [one.address for one in found] == [f"https://paper.example/{n}.html" for n in (1, 2, 3)]
    assert [one.snippet for one in found] == list(WORDS)
    assert [one.author for one in found] == ["Mara Quill"] * 3
    assert [one.image for one in found] == [f"https://paper.example/photo{n}.jpg" for n in (1, 2, 3)]
    assert [one.date.value if one.date else None for one in found] == [f"2012-03-0{n}T08:15" for n in (1, 2, 3)]


def test_the_largest_of_a_pictures_sources() -> None:
    picture = "<picture><source srcset='/s{n}.webp 300w, /l{n}.webp 900w'><img alt=''></picture>"
    found = teasers("".join(tile(n, picture.format(n=n)) for n in (1, 2, 3)), "tile")
    assert [one.image for one in found] == [f"https://paper.example/l{n}.webp" for n in (1, 2, 3)]


def test_a_base_element_counts() -> None:
    html = "".join(f"<li><a href={n}.html>{TITLES[n]}</a><img src=p{n}.jpg></li>" for n in range(3))
    found = teasers(html, "li", '<base href="https://cdn.example/x/">')
    assert [(one.address, one.image) for one in found] == [
        (f"https://cdn.example/x/{n}.html", f"https://cdn.example/x/p{n}.jpg") for n in range(3)
    ]


def test_an_emphasised_year_stays_in_a_title() -> None:
    html = "".join(f"<li><a href=/{n}.html><b>{2009 + n}</b> {title}</a>" for n, title in enumerate(TITLES))
    assert [one.title for one in teasers(html, "li")] == [f"{2009 + n} {title}" for n, title in enumerate(TITLES)]


def test_a_title_that_ends_with_a_month_is_no_date_of_its_own() -> None:
    html = "".join(
        f"<li><h3><a href=/{n}.html><span>The Pier: March 201{n}</span></a></h3><i>0{n} May 2011</i></li>" for n in (1, 2, 3)
    )
    assert [one.date.value if one.date else None for one in teasers(html, "li")] == [f"2011-05-0{n}" for n in (1, 2, 3)]


def test_the_author_of_a_row_stands_below_the_header_that_says_so() -> None:
    rows = "".join(
        f"<tr class=r><td>0{n} March 2012<td>Mara Quill<td><a href=/{n}.html>{title}</a>"
        for n, title in enumerate(TITLES, 1)
    )
    found = teasers(f"<table><tr><th>Age<th>Author<th>Change</tr>{rows}</table>", "r")
    assert [(one.title, one.author) for one in found] == [(title, "Mara Quill") for title in TITLES]


def test_dates_of_headings_go_to_what_stands_under_them() -> None:
    days = "<h4>{day} March 2012</h4>"
    html = days.format(day=9) + tile(1) + tile(2) + days.format(day=8) + tile(3)
    assert [one.date.value if one.date else None for one in teasers(html, "tile")] == ["2012-03-09"] * 2 + ["2012-03-08"]


def test_dates_behind_teasers_are_none_of_the_next_one() -> None:
    html = "".join(f"{tile(n)}<i>0{n} March 2012</i>" for n in (1, 2, 3))
    assert [one.date for one in teasers(html, "tile")] == [None] * 3


def test_the_day_that_an_article_is_about_is_not_its_date() -> None:
    html = "".join(f"<li><a href=/{n}>Fair opens on {n} March 2012 in the park</a></li>" for n in (1, 2, 3))
    assert [one.date for one in teasers(html, "li")] == [None] * 3


def test_a_story_about_people_has_no_author_of_that_name() -> None:
    html = "".join(f"<li><a href=/people/{n}>Anna Lind {n}</a></li>" for n in (1, 2, 3))
    assert [one.author for one in teasers(html, "li")] == [None] * 3


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>City | The Test Courier</title>", "<h1>City</h1>", "City"),
        ("<title>The Test Courier – City</title>", "<h1>City</h1>", "City"),
        ("<title>City news - Coast Wire</title>", "<h1>Coast Wire</h1>", "City news"),
        ("<title>国内新闻_海门日报</title>", "", "国内新闻"),
        ("<title></title>", "<h1>Archive</h1>", "Archive"),
        ("", "", None),
    ],
)
def test_titles_of_lists(head: str, body: str, title: str | None) -> None:
    page = Page.from_text(f"<html><head>{head}</head><body>{body}</body></html>", "https://www.coastwire.example/city/")
    assert list_title(page) == title


@given(
    st.lists(
        st.sampled_from([*TITLES, *WORDS, "9 March 2012", "<h4>", "<li>", "</li>", "<a href=/x>", "</a>", "<img src=a>"])
    )
)
def test_any_list_gives_its_records(parts: list[str]) -> None:
    found = teasers(f"<ul><li>{' '.join(parts)}<li><a href=/y>{TITLES[0]}</a></ul>", "li", url=None)
    assert len(found) >= 2
    assert all(one.address is None for one in found)


def test_the_only_link_may_show_no_words() -> None:
    html = "".join(
        f"<div class=tile><div>March 0{n}, 2012 | by Mara Quill</div><h3>{TITLES[n - 1]}</h3><div>{WORDS[n - 1]} <a href=/{n}.html>[…]</a></div></div>"
        for n in (1, 2, 3)
    )
    found = teasers(html, "tile")
    assert [(one.title, one.address, one.author) for one in found] == [
        (title, f"https://paper.example/{n}.html", "Mara Quill") for n, title in enumerate(TITLES, 1)
    ]


@pytest.mark.parametrize("tag", ["img", "amp-img"])
def test_a_linked_picture_has_the_title_in_its_description(tag: str) -> None:
    html = "".join(
        f"<div class=tile><a href=/{n}.html><{tag} src=/photo{n}.jpg width=320 height=180 alt='{TITLES[n - 1]}'></a><p>{WORDS[n - 1]}</p></div>"
        for n in (1, 2, 3)
    )
    found = teasers(html, "tile")
    assert [one.image for one in found] == [f"https://paper.example/photo{n}.jpg" for n in (1, 2, 3)]
    if tag == "img":
        assert [(one.title, one.snippet) for one in found] == list(zip(TITLES, WORDS, strict=True))


def test_the_title_of_an_entry_of_a_bibliography_is_its_longest_link() -> None:
    html = "".join(
        f"<li class=tile>Mara Quill, Jonas Reed. <a href=https://doi.example/{n}>{TITLES[n - 1]}</a>. <i>Journal of Piers</i> {n} (2011),"
        f" {n}–2{n}. [<a href=/{n}.pdf>pdf</a>] [<a href=/{n}.bib>bib</a>]</li>"
        for n in (1, 2, 3)
    )
    expected = [(title, f"https://doi.example/{n}") for n, title in enumerate(TITLES, 1)]
    assert [(one.title, one.address) for one in teasers(html, "tile")] == expected


def test_the_title_of_a_picture_is_not_its_author() -> None:
    html = "".join(
        f"<figure class=tile><a href=/p/{n}><img src=/{n}.jpg width=320 height=180 alt='{TITLES[n - 1]}'></a>"
        f"<a href=/who/{n}>{name}</a> <a href=/p/{n}/download>Download</a><p>{TITLES[n - 1]}</p></figure>"
        for n, name in enumerate(("Mara Quill", "Jonas Reed", "Ann Lee"), 1)
    )
    expected = [(title, f"https://paper.example/p/{n}") for n, title in enumerate(TITLES, 1)]
    assert [(one.title, one.address) for one in teasers(html, "tile")] == expected


def test_the_day_of_publication_and_not_the_one_above_it() -> None:
    html = "".join(
        f"<div class=tile><h2><a href=/{n}.html>{TITLES[n - 1]}</a></h2><div>{WORDS[n - 1]}</div>"
        f"<div class=entry><dt>Stage</dt><dd>Tender</dd></div><div class=entry><dt>Closing</dt><dd>1{n} June 2012</dd></div>"
        f"<div class=entry><dt>Value</dt><dd>£{n}40,000</dd></div>"
        f"<div class=entry><dt>Publication date:</dt><dd>{n} March 2012</dd></div></div>"
        for n in (1, 2, 3)
    )
    dates = [one.date.value if one.date else None for one in teasers(html, "tile")]
    assert dates == ["2012-03-01", "2012-03-02", "2012-03-03"]


def test_a_heading_for_screen_readers_leads_where_the_same_words_do() -> None:
    html = "".join(
        f"<section class=tile><h2>{TITLES[n - 1]}</h2><a href=/who/{n}>Mara Quill</a><a href=/{n}.html>{TITLES[n - 1]}</a>"
        f"<p>{WORDS[n - 1]}</p></section>"
        for n in (1, 2, 3)
    )
    assert [one.address for one in teasers(html, "tile")] == [f"https://paper.example/{n}.html" for n in (1, 2, 3)]


def test_a_link_behind_the_day_of_its_line_is_the_title() -> None:
    html = "".join(
        f"<li class=tile>0{n}:30, {n} March 2012 <a href=/{n}.html>{TITLES[n - 1]}</a> [{n}78 bytes] <span>({WORDS[n - 1]})</span></li>"
        for n in (1, 2, 3)
    )
    found = [(one.title, one.date.value if one.date else None) for one in teasers(html, "tile")]
    assert found == [(title, f"2012-03-0{n}T0{n}:30") for n, title in enumerate(TITLES, 1)]
