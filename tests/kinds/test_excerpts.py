"""Excerpts under linked headings: what tells a front page of long texts from an article."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.discovery import discover
from newsextract.discovery.excerpts import leads_elsewhere, linked_headings
from newsextract.discovery.kinds import signs
from newsextract.page.page import Page
from newsextract.page.references import References

HOST = "http://notes.example.org"
PROSE = (
    "The ferry did not run, because the keeper of the lock had gone to a wedding and had taken the only key along with him. "
)


def body(count: int = 4) -> str:
    return "".join(f"<p>{PROSE * 3}{number}</p>" for number in range(count))


def teased(page: Page) -> tuple[float, float]:
    figures = signs(page).named()
    return figures["teased"], figures["one_teaser"]


def teaser(number: int, tag: str = "h2", texts: int = 4) -> str:
    return f'<div><{tag}><a href="/{number}/">Note number {number}</a></{tag}><p>4 May</p>{body(texts)}</div>'


def page(content: str, path: str = "/", title: str = "Notes") -> Page:
    html = f"<html><head><title>{title}</title></head><body><h1><a href='/'>Notes</a></h1>{content}</body></html>"
    return Page.from_text(html, HOST + path)


@pytest.mark.parametrize("tag", ["h1", "h2", "h3"])
def test_a_front_page_of_long_excerpts_is_a_listing(tag: str) -> None:
    front = page("".join(teaser(number, tag) for number in range(5)), "/page/")
    assert teased(front) == (1, 0)
    assert front.kind.leads_on


def test_a_link_that_lies_over_a_card_heads_its_excerpt() -> None:
    card = "<article><h2>Note number {0}</h2>{1}<a class=over href='{2}' aria-label='post link to Note number {0}'></a></article>"
    for path, share in (("/{0}/", (1, 0)), ("https://share.example.com/{0}", (0, 0))):
        tag = page("".join(card.format(number, body(2), path.format(number)) for number in range(3)), "/tags/sea/")
        assert teased(tag) == share


ENTRY = "<div class=entry><div class=title><a href='/{0}/'>Note of the day {0}</a></div><p>4 May</p>{1}</div>"
DAY = "<div class=day><h2><span class=date><a href='?date=2025060{0}'>2025-06-0{0}</a></span> Note number {0}</h2>{1}</div>"


@pytest.mark.parametrize("entry", [ENTRY, DAY])
def test_whole_posts_under_linked_titles_of_any_markup_are_a_listing(entry: str) -> None:
    month = page("<h3>Entries from June</h3>" + "".join(entry.format(number, body()) for number in range(3)), "/archive/06/")
    assert teased(month) == (1, 0)
    assert month.kind.leads_on


def test_parts_of_an_article_that_begin_with_links_are_its_own() -> None:
    parts = "".join(f"<section><p><a href='#part{n}'>Part number {n}</a></p>{body()}</section>" for n in range(3))
    related = "".join(f"<li><a href='/{n}/'>Note of the day {n}</a><p>{PROSE}</p></li>" for n in range(3))
    assert teased(page(f"<h1>The keeper</h1>{parts}<ul>{related}</ul>", "/keeper/", "The keeper"))[0] == 0


def test_an_archive_of_one_post_is_a_listing() -> None:
    archive = page("<h1>Filed under tides</h1>" + teaser(1), "/filed/tides/", "Filed under tides")
    assert teased(archive) == (0, 1)
    assert archive.kind.leads_on


@pytest.mark.parametrize("entry", [ENTRY, DAY])
def test_a_month_with_one_whole_post_is_a_listing(entry: str) -> None:
    months = "".join(f"<li><a href='/archive/2025/0{number}/'>2025-0{number}</a></li>" for number in range(1, 7))
    head = "<html><head><title>Entries from June 2025</title></head><body><h1>Notes</h1><h3>Entries from June 2025</h3>"
    html = f"{head}{entry.format(6, body(14))}<div class=sidebar><ul>{months}</ul></div></body></html>"
    month = Page.from_text(html, HOST + "/archive/2025/06/")
    assert teased(month) == (0, 1)
    assert month.kind.leads_on
    assert month.kind.article < 0.1


def test_an_article_with_related_excerpts_below_it_is_an_article() -> None:
    own = f"<h1>The keeper of the lock</h1>{body(9)}"
    related = "".join(teaser(number, "h3", 1) for number in range(4))
    article = page(own + related, "/keeper/", "The keeper of the lock | Notes")
    assert teased(article)[0] == 0
    assert article.kind.is_article


def test_a_long_text_behind_teasers_above_it_is_the_page_s_own() -> None:
    above = "".join(f"<div><h3><a href='/{n}/'>Note number {n}</a></h3><p>{PROSE}</p></div>" for n in range(4))
    assert teased(page(f"<h1>The keeper of the lock</h1>{above}{body(9)}", "/keeper/"))[0] == 0
    assert teased(page(f"<h1>The keeper of the lock</h1>{above}{body(1)}", "/keeper/"))[0] > 0.9


def test_a_heading_that_leads_to_the_page_itself_or_above_is_its_own() -> None:
    article = page(f'<h2><a href="/keeper/">The keeper</a></h2>{body(9)}<h3><a href="/">Home</a></h3>{body(1)}', "/keeper/")
    assert not any(linked_headings(article, References.of(article)).values())
    assert teased(article) == (0, 0)


def test_a_list_of_what_other_sites_offer_is_no_listing() -> None:
    offers = "".join(f'<h2><a href="http://shop{n}.example.com/x">Offer {n}</a></h2>{body(2)}' for n in range(6))
    assert teased(page("<h1>The six best locks</h1>" + offers, "/locks/"))[0] == 0


def test_what_lies_above_a_page() -> None:
    here = HOST + "/blog/page/2/"
    assert not any(leads_elsewhere(here, HOST + path) for path in ("/", "/blog/", "/blog/index.html", "/blog/page/2/"))
    assert all(leads_elsewhere(here, HOST + path) for path in ("/blog/x/", "/?p=12", "/blog/page/3/"))


def test_a_start_page_and_a_list_lead_on_whatever_they_look_like() -> None:
    looks_like_an_article = page(
        f'<h1>The keeper of the lock</h1>{body(12)}<a href="/2/">Another long note about the harbour</a>'
        '<a rel="next" href="/page/3/">Next</a>',
        "/page/2/",
        "The keeper of the lock",
    )
    for role in ("start", "listing", "archive"):
        found = discover(looks_like_an_article, None, role)
        assert found.next_page == HOST + "/page/3/"
        assert found.parts == ()
        assert HOST + "/2/" in {link.url for link in found.links}


@given(st.text(alphabet="<>/ah1p= \"'x", max_size=300))
def test_any_markup_has_an_answer(text: str) -> None:
    found = teased(Page.from_text(text, HOST + "/"))
    assert all(0 <= value <= 1 for value in found)


PERMALINKED = "<div class=entry><b>Note of the day {0}</b><div>{1}</div><p>4 May | <a href='{2}'>Permalink</a></p></div>"


def test_posts_whose_permanent_links_lead_elsewhere_are_a_listing() -> None:
    entries = "".join(PERMALINKED.format(number, body(), f"/notes/{number}/") for number in range(3))
    section = page(entries, "/notes/")
    assert teased(section) == (1, 0)
    assert section.kind.leads_on
    month = page(PERMALINKED.format(1, body(9), "/notes/1/"), "/archive/2025/06/")
    assert teased(month) == (0, 1)
    assert not month.kind.is_article
    own = page(PERMALINKED.format(1, body(9), "#top"), "/notes/1/")
    assert teased(own) == (0, 0)
    aside = page(f"<h1>The keeper</h1><article>{body(9)}</article><a href='/2/'>Permalink</a>", "/notes/1/", "The keeper")
    assert aside.kind.is_article
