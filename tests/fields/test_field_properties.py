"""Arbitrary and hostile input: no exception, bounded time, valid results, the same each time."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract.fields.authors import find_authors
from newsextract.fields.dates import parse_dates, parse_stamp
from newsextract.fields.page_facts import canonical_url, find_language, image, section
from newsextract.fields.report_date import find_date, published_date
from newsextract.fields.title import find_title
from newsextract.page.metadata import read_metadata
from newsextract.results import Heading, Surroundings
from tests.costs import at_most
from tests.examples import examples

NOW = datetime(2020, 6, 1, 12, 0, tzinfo=UTC)
PIECES = [
    "<", ">", '"', "'", "=", " ", "\n", "&amp;", "<meta ", "name=", "content=", "property=", "date", "og:title",
    "<title>", "</title>", "<h1>", "</h1>", "<time ", "datetime=", "</time>", '<script type="application/ld+json">',
    "</script>", "{", "}", "[", "]", ":", ",", '"datePublished"', '"author"', '"@type"', "2019", "12", "31", "-", "/",
    ".", "T", "Z", "+0800", "年", "月", "日", "二零一九年", "十二", "元", "民國", "May", "3 hours ago", "昨天", "10:30",
    "pm", "EST", "<!--", "-->", "itemprop=", 'class="date"', "By Jane Doe", "作者：", "http://[", "%", "\x00",
    "\ud800", "١٢", "²", "９", "'19",
]  # fmt: skip
MARKUP = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60).map("".join)


def everything(text: str, url: str | None = None) -> tuple[object, ...]:
    page = read_metadata(text)
    near = Surroundings((Heading(1, text[:200], 0), Heading(2, text[50:90], 1)), (text[:300], text[300:600]), (text[-300:],))
    language = find_language(page, text)
    found = find_date(page, near, url=url, language=language, fetched_at=NOW, hint=text[:40], hint_source="feed")
    if found is not None:
        assert_valid(found.value)
    return (
        found,
        language,
        find_title(page, near, url, text[:30]),
        find_authors(page, near),
        section(page),
        image(page, url),
        canonical_url(page, url),
        published_date(near.before, NOW),
    )


def assert_valid(value: str) -> None:
    """ISO 8601 (cut), not before 1990, at most a day ahead."""
    day = date.fromisoformat((value[:10] + "-01-01")[:10] if len(value) < 10 else value[:10])
    assert date(1990, 1, 1) <= day <= date(2020, 6, 2)
    if "T" in value:
        datetime.fromisoformat(value)


@given(MARKUP, st.none() | st.text(max_size=40).map("https://news.example/".__add__) | st.text(max_size=20))
@settings(max_examples=examples(300))
def test_any_markup(text: str, url: str | None) -> None:
    assert everything(text, url) == everything(text, url)


@given(st.binary(max_size=400))
def test_any_bytes(body: bytes) -> None:
    everything(body.decode("latin-1"))


@given(MARKUP, st.sampled_from([None, "", "en", "en-GB", "zh", "de", "xx", "tr"]))
@settings(max_examples=examples(300))
def test_any_text_gives_valid_dates_in_order(text: str, language: str | None) -> None:
    found = parse_dates(text, language=language, fetched_at=NOW)
    for one in found:
        assert_valid(one.value)
        assert 0 <= one.start < one.end <= len(text)
    assert [one.start for one in found] == sorted(one.start for one in found)
    stamp = parse_stamp(text, language=language, fetched_at=NOW)
    if stamp is not None:
        assert_valid(stamp.value)


@given(
    st.dates(date(1990, 1, 1), date(2020, 6, 1)),
    st.sampled_from(["%Y-%m-%d", "%Y/%m/%d", "%Y年%m月%d日", "%d %B %Y", "%b %d, %Y"]),
)
def test_written_dates_come_back(day: date, form: str) -> None:
    (found,) = parse_dates(f"x {day.strftime(form)} y", language="en", fetched_at=NOW)
    assert found.value == day.isoformat()


HOSTILE = {
    "digits": "1" * 100_000,
    "years": "2010 " * 40_000,
    "years without blanks": "2010" * 40_000,
    "date heads": "2010-" * 40_000,
    "cjk": "二零一零年" * 30_000,
    "open metas": "<meta" * 100_000,
    "open quotes": '<meta name="' * 30_000,
    "apostrophes": "<meta name=a content='" * 10_000,
    "tags": "<" * 200_000,
    "comments": "<!--" * 100_000,
    "scripts": "<script>" * 50_000,
    "titles": "<title>" * 50_000,
    "headings": "<h1>" * 100_000,
    "times": "<time datetime=2010>" * 30_000,
    "classes": '<p class="date">' * 30_000,
    "properties": '<p itemprop="author">' * 30_000,
    "entities": "<title>" + "&amp;" * 50_000 + "</title>",
    "separators": "<title>" + " - | » " * 20_000 + "</title>",
    "brackets": '<script type="application/ld+json">' + "[" * 100_000 + "</script>",
    "objects": '<script type="application/ld+json">' + '{"a":' * 100_000 + "</script>",
    "json": '<script type="application/ld+json">[' + '{"@type":"Article","author":"x"},' * 30_000 + "{}]</script>",
    "broken json": '<script type="application/ld+json">{"@type":"' + "\\" * 200_000 + "</script>",
    "commas": '<script type="application/ld+json">{' + ", " * 100_000 + "</script>",
    "many scripts": '<script type="application/ld+json">{"a":1}</script>' * 5_000,
    "names": "<meta name=author content='" + "By a, " * 20_000 + "'>",
    "spaces": "<h1>x</h1>" + " " * 200_000,
    "half tags": "<h1>x</h1>" + "<a " * 60_000,
    "address": "/2010" * 40_000,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_costs_bounded_time(name: str) -> None:
    text = HOSTILE[name]
    everything("", None)  # word lists are loaded once
    with at_most(parses=40):
        everything(text, "https://news.example/" + text[:50_000])
