"""The next page of a search: whatever it is counted by, and whether a link, a picture or a button leads there."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.discovery.pagination import next_results, says_next
from newsextract.page.page import Page
from tests.costs import at_most
from tests.examples import examples

HERE = "https://library.example/find?words=tide+tables"


def following(body: str, url: str = HERE, number: int = 1, query: str = "tide tables") -> str | None:
    return next_results(Page(f"<html><body>{body}</body></html>".encode(), url), query, number)


def link(href: str, inside: str) -> str:
    return f'<a href="{href}">{inside}</a>'


@pytest.mark.parametrize(
    ("href", "inside"),
    [
        ("/find?words=tide+tables&from_hit=15", "Next 15"),
        ("/find?words=tide%20tables&amp;whence=20&amp;sort=score", "[2]"),
        ("/find?words=tide+tables;page=2", '<img src="/b.gif" alt="next">'),
        ("/find?words=tide+tables&p=2", '<img src="/b.gif" title="Next page" alt="">'),
        ("/find/tide%20tables/2", "2"),
        ("/find?words=Tide+Tables&seite=2", "nächste"),
        ("/find?words=tide+tables&page=2", "Next 10 results"),
        ("/find?words=tide+tables&page=2", "Older results"),
        ("/find?words=tide+tables&page=2", "Weitere Treffer"),
    ],
)
def test_a_link_that_still_asks_for_the_query_leads_on(href: str, inside: str) -> None:
    assert following(link(href, inside)) == "https://library.example" + href.replace("&amp;", "&")


def test_pages_may_be_counted_from_zero() -> None:
    assert following("<a href='/find?words=tide+tables&p=1' aria-label='Next page'><svg></svg></a>") == f"{HERE}&p=1"
    assert (
        following("<a href='/find?words=tide+tables&p=1' aria-label='Next page'><svg></svg></a>", f"{HERE}&p=1", 2) is None
    )


@pytest.mark.parametrize(
    "body",
    [
        link("/news?day=2", "2"),  # a calendar
        link("/archive?page=2", "Next"),  # another list
        link("https://elsewhere.example/find?words=tide+tables&page=2", "Next"),
        link("/find?words=tide+tables&page=3", "3"),
        link("/find?words=tide+tables#2", "2"),
        '<form method="post" action="/find"><input name="words" value="tide tables"><input type="submit" value="Next"></form>',
        '<form action="/find"><input name="words" value="tide tables"><input type="submit" value="Search"></form>',
    ],
)
def test_other_links_and_forms_are_no_next_page(body: str) -> None:
    assert following(body) is None


def test_what_the_engine_is_asked_for_may_be_more_than_the_query() -> None:
    here = "https://library.example/find?words=site%3Aquay+tide+tables"
    pager = link("/find?words=site:quay+tide+tables&at=10", "2") + link("/find?words=site:bay&at=10", "2")
    assert following(pager, here) == "https://library.example/find?words=site:quay+tide+tables&at=10"


def test_the_number_after_this_pages_is_taken_and_never_one_before() -> None:
    pager = "".join(link(f"/find?words=tide+tables&at={10 * (n - 1)}", str(n)) for n in (1, 2, 4, 5))
    here = HERE + "&at=20"
    assert following(pager, here, 3) == HERE + "&at=30"
    assert following(pager + link("/find?words=tide+tables&at=10", "Next"), HERE + "&at=40", 5) is None


def test_a_button_with_a_number_leads_to_the_page_of_that_number() -> None:
    form = '<form><input name=words value="tide tables"><input type=submit name=page value=1><button name=page value=2>2</button>'
    assert following(form) == HERE + "&page=2"


def test_a_button_of_a_form_sends_what_the_form_holds() -> None:
    form = """
    <form action="/cgi/find" method=get><input type=search name=words value="tide tables">
    <input type=radio name=mode value=any checked><input type=radio name=mode value=all>
    <input type=checkbox name=only value=pdf><select name=size><option>10<option selected value=20>twenty</select>
    <input type=hidden name=top value=0><input type=submit value=Search><input type=reset>
    <input type=submit name="[" value=1 disabled><input type=submit name="[" value=2>
    <input type=submit name=">" value=Next></form>"""
    url = following(form)
    assert url is not None
    assert urlsplit(url).path == "/cgi/find"
    sent = parse_qsl(urlsplit(url).query)
    assert sent == [("words", "tide tables"), ("mode", "any"), ("size", "20"), ("top", "0"), (">", "Next")]


def test_a_form_that_is_sent_with_post_may_lead_on() -> None:
    form = "<form action=/find method=post><input type=hidden name=words value='{}'><input type=hidden name=s value=10><button>{}</button></form>"
    assert following(form.format("tide tables", "Next")) == HERE + "&s=10"
    assert following(form.format("tide tables", "2")) == HERE + "&s=10"
    assert following(form.format("", "Next"), query="") is None
    assert following(form.format("tide tables", "Next").replace("value=10", f"value={'x' * 3_000}")) is None


def test_a_picture_that_is_a_button_sends_where_it_was_pressed() -> None:
    form = (
        '<form action="/find"><input name=words value="tide tables"><input type=image name=next src=n.gif alt="Next"></form>'
    )
    assert following(form) == "https://library.example/find?words=tide+tables&next.x=1&next.y=1"


@pytest.mark.parametrize("text", ["Next 6", "next 20", "Next 10 results", "Next page »", "weiter »", "[Next]"])
def test_a_label_that_counts_what_follows_says_next(text: str) -> None:
    assert says_next(text)


@pytest.mark.parametrize("text", ["Next 7 days", "2", "Next to the harbour", "10 results", ""])
def test_other_labels_do_not(text: str) -> None:
    assert not says_next(text)


@given(st.text(max_size=400), st.text(max_size=30), st.integers(1, 50))
@settings(max_examples=examples(80))
def test_any_page_gives_a_url_or_none(body: str, query: str, number: int) -> None:
    found = following(body + link("?q=" + body, body), HERE, number, query)
    assert found is None or found.startswith("http")


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        '<a href="?words=tide+tables&p=2">2</a>',
        "<form><input name=words value='tide tables'>",
        '<form action="?"><input type=submit name=a value=2></form>',
        "<select name=a><option selected>",
    ],
)
def test_hostile_pages_cost_no_more_than_large_ones(piece: str) -> None:
    page = Page(f"<html><body>{piece * 20_000}".encode(), HERE)
    assert len(page.nodes)
    with at_most(parses=200):
        next_results(page, "tide tables", 1)
