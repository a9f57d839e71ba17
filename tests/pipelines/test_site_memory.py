"""What the records of a site say about each other."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from random import Random
from typing import Any

import pytest

from newsextract.discovery import record_id
from newsextract.results import Found
from pipelines.checks import (
    AMONG_DATED,
    LEAST_DATED,
    SAME_TITLE,
    WATCHED,
    Sighted,
    SiteRecords,
    SiteTitles,
    Titled,
    list_of,
    paragraph_keys,
    sight,
    watch,
)


def paragraph(name: str) -> str:
    return f"{name}: the keeper of the lock had gone to a wedding, and had taken the only key along with him. "


def text(name: str, count: int = 4) -> str:
    return "\n".join(paragraph(f"{name} {number}") * 2 for number in range(count))


def number_of(name: str) -> int:
    return int(record_id(f"http://example.org/{name}"), 16)


def see(known: SiteRecords, name: str, body: str) -> list[int]:
    """Take note of a record; the numbers of earlier ones that turn out to be lists."""
    found = Sighted(f"http://example.org/{name}", "x", name, "2026-01-01T00:00:00+00:00")
    return [number for number, _ in sight(known, number_of(name), body, found)]


FRONT = "\n".join(paragraph(f"{name} 0") for name in ("one", "two", "three"))
PAGES = {"one": text("one"), "two": text("two"), "three": text("three"), "front": FRONT, "tag": FRONT[: len(FRONT) * 2 // 3]}


def test_a_list_that_comes_after_its_articles_is_known_at_once() -> None:
    known = SiteRecords()
    for name in ("one", "two", "three"):
        assert see(known, name, text(name)) == []
    see(known, "front", "\n".join(paragraph(f"{name} 0")[:60] for name in ("one", "two", "three")))
    assert list_of(known, number_of("front")) == "its text consists of the beginnings of 3 other records"


def test_a_list_that_came_before_its_articles_is_taken_back_once() -> None:
    known = SiteRecords()
    assert see(known, "front", FRONT) == []
    assert see(known, "one", text("one")) == []
    assert see(known, "two", text("two")) == [number_of("front")]
    assert see(known, "three", text("three")) == []


@pytest.mark.parametrize("order", list(permutations(PAGES))[::7])
def test_the_same_pages_are_lists_in_whatever_order_they_come(order: tuple[str, ...]) -> None:
    known, lists = SiteRecords(), set[int]()
    for name in order:
        lists.update(see(known, name, PAGES[name]))
        if list_of(known, number_of(name)) is not None:
            lists.add(number_of(name))
    assert lists == {number_of("front"), number_of("tag")}


def test_an_article_that_quotes_the_beginnings_of_others_below_its_own_text_is_none() -> None:
    known = SiteRecords()
    for name in ("one", "two"):
        see(known, name, text(name))
    see(known, "own", text("own") + "\n" + paragraph("one 0") + "\n" + paragraph("two 0"))
    assert list_of(known, number_of("own")) is None


def test_excerpts_of_different_lengths_make_no_list_of_their_article() -> None:
    """An archive with one paragraph of each article and one with two came first."""
    known = SiteRecords()
    see(known, "days", paragraph("two 0") + "\n" + paragraph("one 0"))
    see(known, "tag", text("two", 2) + "\n" + text("three", 2))
    see(known, "two", text("two"))
    assert list_of(known, number_of("two")) is None


def test_a_copied_article_that_quotes_another_is_no_list() -> None:
    known = SiteRecords()
    body = text("own") + "\n" + paragraph("one 0")
    for name, content in (("own", body), ("one", text("one")), ("copy", body), ("mobile", body)):
        assert see(known, name, content) == []
        assert list_of(known, number_of(name)) is None


def test_a_paragraph_that_all_articles_begin_with_makes_none_a_list() -> None:
    known = SiteRecords()
    for name in ("one", "two", "three", "four"):
        assert see(known, name, paragraph("subscribe") + "\n" + text(name)) == []
        assert list_of(known, number_of(name)) is None


def test_an_article_whose_standfirst_and_first_line_begin_others_is_no_list() -> None:
    """A column and a series: each article has the standfirst of one and the first line of the other."""
    standfirst, line = paragraph("every Monday our column looks back"), paragraph("the council met for the third time")
    beginnings = {
        "both": (standfirst, line),
        "column": (standfirst, paragraph("rain")),
        "series": (line, paragraph("snow")),
    }
    for order in permutations(beginnings):
        known = SiteRecords()
        for name in order:
            assert see(known, name, "\n".join((*beginnings[name], text(name)))) == []
            assert list_of(known, number_of(name)) is None


def lists_of(pages: Mapping[str, str]) -> set[str]:
    """The names of the pages that are lists, judged when all are known."""
    known = SiteRecords()
    for name, body in pages.items():
        watch(known, number_of(name), body, Sighted(f"http://example.org/{name}", "x", name, "2026-01-01T00:00:00+00:00"))
    return {name for name in pages if list_of(known, number_of(name)) is not None}


def reordered(pages: Mapping[str, str], seed: int) -> dict[str, str]:
    return {name: pages[name] for name in Random(seed).sample(list(pages), len(pages))}


WEATHER = {
    f"{sky}-{warmth}": "\n".join(
        (paragraph(f"sky {sky}"), paragraph(f"warmth {warmth}"), paragraph(f"wind {sky}"), paragraph(f"tide {sky}{warmth}"))
    )
    for sky in ("rain", "hail", "fog")
    for warmth in ("mild", "cold")
}
"""Reports of standard sentences."""


@pytest.mark.parametrize("order", list(permutations(WEATHER))[::23])
def test_articles_of_standard_sentences_are_no_lists_of_each_other(order: tuple[str, ...]) -> None:
    assert lists_of({name: WEATHER[name] for name in order}) == set()


def test_standard_sentences_at_changing_places_make_no_lists_in_whatever_order_the_articles_come() -> None:
    """Each match report has its own first paragraph and some sentences that others have, too, as second, third or last."""
    sentences = [paragraph(f"sentence {number}") for number in range(6)]
    random = Random(7)
    reports = {
        f"match {number}": "\n".join((paragraph(f"match {number}"), *random.sample(sentences, random.randint(2, 5))))
        for number in range(24)
    }
    for seed in range(8):
        assert lists_of(reordered(reports, seed)) == set()


def test_a_list_of_match_reports_is_one_and_the_reports_are_none() -> None:
    reports = {
        f"match {number}": "\n".join((paragraph(f"match {number}"), paragraph("crowd"), paragraph(f"table {number % 3}")))
        for number in range(9)
    }
    pages = {**reports, "front": "\n".join(paragraph(f"match {number}")[:60] for number in (3, 1, 8))}
    for seed in range(8):
        assert lists_of(reordered(pages, seed)) == {"front"}


def test_lists_that_begin_with_the_same_article_are_all_known_in_whatever_order_they_come() -> None:
    names = ("one", "two", "three", "four")
    lists = {
        other: "\n".join(paragraph(f"{name} 0") for name in ("one", other, "one", "three")) for other in ("two", "four")
    }
    pages = {name: text(name) for name in names} | {f"about {name}": body for name, body in lists.items()}
    pages["about three"] = paragraph("one 0") + "\n" + paragraph("three 0")
    for seed in range(8):
        assert lists_of(reordered(pages, seed)) == {"about two", "about three", "about four"}


def test_an_article_that_begins_a_list_and_quotes_another_one_is_no_list() -> None:
    pages = {
        "one": text("one"),
        "own": text("own") + "\n" + paragraph("one 0"),
        "front": "\n".join(paragraph(f"{name} 0") for name in ("own", "two", "one")),
        "two": text("two"),
    }
    for order in permutations(pages):
        assert lists_of({name: pages[name] for name in order}) == {"front"}


def test_lists_under_a_first_paragraph_that_all_articles_share() -> None:
    names = ("one", "two", "three", "four")
    pages = {name: paragraph("subscribe") + "\n" + text(name) for name in names}
    pages["front"] = "\n".join(paragraph(f"{name} 0") for name in names)
    for seed in range(8):
        assert lists_of(reordered(pages, seed)) == {"front"}


def test_a_paragraph_of_all_articles_is_forgotten_with_them() -> None:
    known = SiteRecords()
    for number in range(WATCHED + 20):
        see(known, str(number), text(str(number), 2) + "\n" + paragraph("subscribe"))
    assert len(known.sighted) == WATCHED


def test_letters_with_accents_do_not_shorten_what_is_compared() -> None:
    ends = ("aprobó las obras del puerto viejo", "reparó la muralla", "abrirá el paseo marítimo en mayo")
    keys = [key for end in ends for key in paragraph_keys(f"El Ayuntamiento de Peñíscola {end} y del barrio")]
    assert len(keys) == len(set(keys)) == len(ends)


def test_a_list_of_two_excerpts_is_one() -> None:
    known = SiteRecords()
    for name in ("one", "two"):
        see(known, name, text(name))
    see(known, "tag", paragraph("one 0") + "\n" + paragraph("two 0") + "\n" + paragraph("newsletter"))
    assert list_of(known, number_of("tag")) is not None


def test_one_text_under_many_urls_is_no_list() -> None:
    known = SiteRecords()
    for name in ("one", "print", "mobile", "tag"):
        assert see(known, name, text("one")) == []
        assert list_of(known, number_of(name)) is None


def test_only_the_latest_records_are_watched() -> None:
    known = SiteRecords()
    for number in range(WATCHED + 50):
        see(known, str(number), text(str(number)))
    assert len(known.sighted) == WATCHED
    assert len(known.holders) == 4 * WATCHED
    assert {owner for owners in known.holders.values() for owner in owners} == known.sighted.keys()


def test_what_an_earlier_run_has_not_withdrawn_is_known_after_a_restart() -> None:
    def line(name: str, body: str, **more: Any) -> dict[str, Any]:
        number = f"{number_of(name):016x}"
        values = {"id": number, "url": f"http://example.org/{name}", "site": "x", "title": name, "text": body, "date": None}
        return values | {"fetched_at": "2026-01-01T00:00:00+00:00", "status": "ok", "revision": 0} | more

    known = SiteRecords()
    for name in ("front", "one", "two"):
        known.restore(line(name, PAGES[name], date="2025-01-01" if name != "front" else None))
    assert known.unsaid.keys() == {number_of("front")}
    assert (known.dated, known.undated) == (2, 1)
    known = SiteRecords()
    known.restore(line("front", FRONT, status="withdrawn", revision=1))
    for name in ("one", "two"):
        known.restore(line(name, PAGES[name], date="2025-01-01"))
    assert (known.unsaid, known.dated, known.undated) == ({}, 2, 0)


def titled(name: str, *others: str) -> Titled:
    return Titled(number_of(name), frozenset(paragraph_keys(text(name))), [Found(other, "h2") for other in others])


def corrected(titles: SiteTitles, title: str, record: Titled) -> dict[int, str]:
    return {number: found.value for number, found in titles.corrected(title, record).items()}


def test_the_title_of_several_different_articles_is_the_sites() -> None:
    titles = SiteTitles()
    assert SAME_TITLE == 3
    assert corrected(titles, "The Quay", titled("one", "Fog on the bay", "About us")) == {}
    assert corrected(titles, "The Quay", titled("two", "A lock without a key", "About us")) == {}
    wanted = {"one": "Fog on the bay", "two": "A lock without a key", "three": "Ferry late again"}
    found = corrected(titles, "THE QUAY", titled("three", "About us", "Ferry late again"))
    assert found == {number_of(name): title for name, title in wanted.items()}
    assert corrected(titles, "The Quay", titled("four", "The quay", "Rain")) == {number_of("four"): "Rain"}
    assert corrected(titles, "Rain", titled("five", "The tide")) == {}


def test_a_title_stays_where_the_pages_have_nothing_better_of_their_own() -> None:
    titles = SiteTitles()
    for name in ("one", "two", "three", "four", "five"):
        assert corrected(titles, "Weather", titled(name, "Tomorrow", "Outlook")) == {}
        assert corrected(titles, "Letters", titled(name)) == {}
    assert titles.of_site == {}


def test_one_article_under_several_urls_keeps_its_title() -> None:
    titles = SiteTitles()
    for name in ("one", "print", "mobile", "amp"):
        record = Titled(number_of(name), frozenset(paragraph_keys(text("one"))), [Found(f"Other {name}", "h2")])
        assert corrected(titles, "Fog on the bay", record) == {}


def test_a_site_has_dates_when_nearly_all_of_its_articles_have_one() -> None:
    assert not SiteRecords(LEAST_DATED - 1, 0).has_dates()
    assert SiteRecords(LEAST_DATED, 0).has_dates()
    assert not SiteRecords(8, 2).has_dates()
    assert SiteRecords(90, 10).has_dates()


def test_a_page_in_the_folder_of_most_dated_articles_is_among_them() -> None:
    known = SiteRecords()
    for number in range(12):
        known.count(f"http://example.org/story/25/0{number % 9}/{number}/a-slug", "2025-01-01")
    for number in range(4):
        known.count(f"http://example.org/en/{number}.html", "2025-01-01")
    known.count("http://example.org/en/about.html", None)
    assert known.is_among_articles("http://example.org/story/26/01/77/another-slug/")
    assert not known.is_among_articles("http://example.org/en/about.html")
    assert not known.is_among_articles("http://example.org/story/about")
    known.count("http://example.org/en/5.html", "2025-01-01")
    assert not known.is_among_articles("http://example.org/en/note.html")
    assert known.is_among_articles("http://example.org/en/note.html", share=AMONG_DATED)
    root = SiteRecords()
    for number in range(12):
        root.count(f"http://example.org/slug-{number}/", "2025-01-01")
    assert not root.is_among_articles("http://example.org/about/")


def test_short_lines_tell_no_articles_apart_and_chinese_ones_need_fewer_characters() -> None:
    assert paragraph_keys("Share this\nPrint") == []
    assert len(paragraph_keys("轮渡没有开航因为守闸人参加婚礼去了还带走了钥匙")) == 1
    assert paragraph_keys(paragraph("x")) == paragraph_keys(paragraph("x")[:60])
