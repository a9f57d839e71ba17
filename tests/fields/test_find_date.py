"""The report date of a page from ranked evidence."""

from datetime import UTC, datetime

import pytest

from newsextract import Page, extract
from newsextract.fields.report_date import find_date, published_date
from newsextract.page.metadata import read_metadata
from newsextract.results import ReportDate, Surroundings

NOW = datetime(2020, 6, 1, 12, 0, tzinfo=UTC)
NOTHING = Surroundings()


def found(
    markup: str = "",
    before: tuple[str, ...] = (),
    after: tuple[str, ...] = (),
    url: str | None = None,
    language: str | None = "en",
    hint: str | None = None,
) -> ReportDate | None:
    return find_date(
        read_metadata(markup),
        Surroundings(before=before, after=after),
        url=url,
        language=language,
        fetched_at=NOW,
        hint=hint,
        hint_source="feed" if hint else None,
    )


def value(*args: object, **named: object) -> str | None:
    date = found(*args, **named)  # type: ignore[arg-type]  # reason: passed on as given
    return date.value if date else None


JSON_LD = '<script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "%s", "dateModified": "%s"}</script>'
META = '<meta property="%s" content="%s">'


def test_json_ld_wins_over_meta_text_and_modified() -> None:
    page = JSON_LD % ("2019-03-04T10:00:00+02:00", "2019-03-09") + META % ("article:published_time", "2019-03-01")
    date = found(page, before=("Posted 1 January 2018",))
    assert date is not None
    assert (date.value, date.source, date.precision) == ("2019-03-04T10:00:00+02:00", "json-ld", "second")


@pytest.mark.parametrize(
    ("stated", "expected"),
    [("1987-11-09T04:27:00+01:00", "1987-11-09T04:27:00+01:00"), ("1970-01-01T00:00:00Z", None), ("1800-05-03", None)],
)
def test_a_story_of_the_archive_is_from_before_the_web(stated: str, expected: str | None) -> None:
    assert value(JSON_LD % (stated, "")) == expected
    assert value(META % ("article:published_time", stated)) == expected
    assert value(META % ("date", stated)) is None


def test_the_date_for_chinese_search_engines_comes_before_what_the_page_shows() -> None:
    told = '{"@context": "https://ziyuan.baidu.com/contexts/cambrian.jsonld", "title": "A day", "pubDate": "2019-03-04T10:00:00"}'
    assert (
        value(f'<script type="application/ld+json">{told}</script><p>最新推荐文章于 2026-11-25 09:00:00 发布</p>')
        == "2019-03-04T10:00:00"
    )


def test_dates_of_other_objects_count_less() -> None:
    page = (
        '<script type="application/ld+json">[{"@type": "VideoObject", "uploadDate": "2017-01-01"},'
        '{"@type": "NewsArticle", "datePublished": "2019-03-04"}]</script>'
    )
    assert value(page) == "2019-03-04"


@pytest.mark.parametrize(
    "name", ["article:published_time", "pubdate", "sailthru.date", "parsely-pub-date", "DC.date.issued"]
)
def test_meta_elements(name: str) -> None:
    date = found(META % (name, "2019-03-04"))
    assert date is not None
    assert date.value == "2019-03-04"
    assert date.source == f"meta:{name.lower()}"


def test_published_beats_modified_and_modified_beats_nothing() -> None:
    modified = META % ("article:modified_time", "2019-05-05")
    assert value(modified + "<time class='published' datetime='2019-03-04'>x</time>") == "2019-03-04"
    assert value(modified) == "2019-05-05"


def test_time_element_of_a_comment_does_not_win() -> None:
    page = (
        "<time class='comment-date' datetime='2019-05-05'>5 May</time><h1>Title</h1>"
        "<time class='entry-date' datetime='2019-03-04'>4 March</time>"
    )
    assert value(page) == "2019-03-04"


def test_unmarked_time_far_from_the_headline_counts_less_than_text() -> None:
    page = "<h1>Title</h1>" + "<p>text</p>" * 2_000 + "<time>5 May 2019</time>"
    assert value(page, before=("Title", "4 March 2019 10:15")) == "2019-03-04T10:15"


def test_visible_texts_and_what_words_say() -> None:
    assert value(before=("Updated 5 May 2019", "Published 4 March 2019")) == "2019-03-04"
    assert value(before=("Member since 1 May 2010", "4 March 2019")) == "2019-03-04"
    assert value(after=("© 2019", "Hamburg, 4 March 2019")) == "2019-03-04"
    assert value(before=("发布时间：2019年3月4日 08:15 来源：示例网",), language="zh") == "2019-03-04T08:15"


def test_a_date_that_is_told_about_does_not_win() -> None:
    told = "The bridge, which had been opened to applause on 3 May 2012 by the mayor, has been closed again until autumn."
    assert value(before=(told, "4 March 2019")) == "2019-03-04"


def test_two_digit_years_need_support() -> None:
    assert value(before=("04.03.19",), language="de") == "2019-03-04"
    assert value(before=("Wer die Fassung 04.03.19 des Programms benutzt, sollte sie bald erneuern",), language="de") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://news.example/2019/03/04/story.html",
        "https://news.example/20190304/story.html",
        "https://news.example/2019-03/04/c_123.htm",
        "https://news.example/a/2019-03-04-story",
        "https://news.example/2019/mar/04/story",
    ],
)
def test_address(url: str) -> None:
    date = found(url=url)
    assert date is not None
    assert (date.value, date.source) == ("2019-03-04", "url")


def test_address_with_a_month_only_is_the_weakest() -> None:
    url = "https://news.example/2019/03/story.html"
    assert value(url=url) == "2019-03"
    assert value(url=url, before=("4 March 2019",)) == "2019-03-04"


def test_utc_day_gives_way_to_the_day_of_the_address() -> None:
    page = JSON_LD % ("2019-03-05T02:00:00Z", "2019-03-06")
    assert value(page, url="https://news.example/2019/03/04/story.html") == "2019-03-04"
    assert value(page, url="https://news.example/2017/01/01/story.html") == "2019-03-05T02:00:00+00:00"


def test_utc_day_gives_way_to_the_visible_day() -> None:
    page = JSON_LD % ("2019-03-05T02:00:00Z", "2019-03-06")
    assert value(page, before=("March 4, 2019 9:00 PM EST",)) == "2019-03-04T21:00-05:00"
    zoned = JSON_LD % ("2019-03-05T02:00:00+08:00", "2019-03-06")
    assert value(zoned, before=("March 4, 2019",)) == "2019-03-05T02:00:00+08:00"


def test_a_day_that_is_shown_is_not_changed_to_its_neighbour() -> None:
    page = JSON_LD % ("2019-03-04T22:00:00", "2019-03-04")
    assert value(page, before=("A letter of 5 March 2019", "4 March 2019")) == "2019-03-04T22:00:00"


def test_utc_gives_way_only_where_the_hour_allows_it() -> None:
    page = JSON_LD % ("2019-03-05T13:00:00Z", "2019-03-05")
    assert value(page, url="https://news.example/2019/03/04/story.html") == "2019-03-05T13:00:00+00:00"
    assert value(page, url="https://news.example/2019/03/06/story.html") == "2019-03-06"
    early = JSON_LD % ("2019-03-05T02:00:00Z", "2019-03-05")
    assert value(early, url="https://news.example/2019/03/06/story.html") == "2019-03-05T02:00:00+00:00"


def test_a_republished_page_has_the_day_that_it_shows() -> None:
    page = JSON_LD % ("2017-08-21", "2019-03-04")
    assert value(page, before=("4 March 2019",)) == "2019-03-04"
    assert value(page, before=("Updated 4 March 2019",)) == "2017-08-21"
    assert value(page, before=("21 August 2017", "4 March 2019")) == "2017-08-21"
    assert value(page, before=("30 March 2019",)) == "2017-08-21"


def test_what_a_label_calls_a_change_is_no_day_of_publication_where_it_stands_without_one_either() -> None:
    page = JSON_LD % ("2017-08-21", "2019-03-04") + '<h1>x</h1><time datetime="2019-03-04">4 March 2019</time>'
    assert value(page) == "2019-03-04"
    assert value(page, before=("Updated 4 March 2019",)) == "2017-08-21"


def test_the_day_when_a_whole_site_was_published_anew_is_not_the_articles() -> None:
    both = JSON_LD % ("Mar 4, 2019", "Mar 4, 2019")
    assert value(both, before=("May 5, 2018",)) == "2018-05-05"
    assert value(both, before=("May 5, 2018", "March 4, 2019")) == "2019-03-04"
    assert (
        value(both, before=("The floods of May 5, 2018 are remembered by all who live at the quay to this day.",))
        == "2019-03-04"
    )
    assert value(JSON_LD % ("Mar 4, 2019", "Jan 9, 2020"), before=("May 5, 2018",)) == "2019-03-04"


def test_of_two_days_that_are_stated_alike_the_one_that_readers_see_counts() -> None:
    page = JSON_LD % ("2019-03-05T22:02:58Z", "2019-03-05") + JSON_LD % ("Mar 3, 2019", "2019-03-05")
    assert value(page, before=("Mar 3, 2019",)) == "2019-03-03"
    assert value(page) == "2019-03-05T22:02:58+00:00"


def test_a_marked_day_that_the_text_above_the_article_has_too_beats_another_stated_one() -> None:
    page = META % ("article:published_time", "2013-03-11T11:11:07-07:00") + "<h1>x</h1><time>20 March 2018</time>"
    assert value(page + JSON_LD % ("2013-03-11T11:11:07Z", "2020-01-01"), before=("20 March 2018",)) == "2018-03-20"
    assert value(JSON_LD % ("2013-03-11T11:11:07Z", "2020-01-01"), before=("20 March 2018",))[:10] == "2013-03-11"  # type: ignore[index]


def test_of_several_days_near_the_text_the_one_behind_the_headline_counts() -> None:
    page = "<ul><li>31 January 2020</ul><h1>x</h1><p>2 February 2020</p>"
    assert value(page, before=("31 January 2020", "2 February 2020")) == "2020-02-02"
    assert value("<h1>x</h1>", before=("31 January 2020", "2 February 2020")) == "2020-01-31"


@pytest.mark.parametrize(
    "markup",
    [
        "<span class=post__date data-anim=lines>March 4, 2019</span>",
        "<span class=post__date>March 4, 2019</span>",
        "<span id=a class='post__date'>March 4, 2019</span>",
    ],
)
def test_minified_pages_quote_no_class(markup: str) -> None:
    assert value(f"<h1>x</h1>{markup}") == "2019-03-04"


@pytest.mark.parametrize("name", ["w-published-date", "shop:date-published", "PublishingDate", "article-publication-time"])
def test_names_of_meta_elements_that_nobody_has_listed_are_understood(name: str) -> None:
    assert value(META % (name, "2019-03-04")) == "2019-03-04"
    assert value(META % ("publisher-name", "2019-03-04")) is None


def test_vague_meta_dates_count_less_than_what_readers_see() -> None:
    assert value(META % ("date", "2019-03-09"), before=("Published 4 March 2019",)) == "2019-03-04"
    assert value(META % ("date", "2019-03-09")) == "2019-03-09"


def test_description_is_the_last_place() -> None:
    page = META % ("description", "Report of 4 March 2019")
    assert value(page) == "2019-03-04"
    assert value(page, before=("5 May 2018",)) == "2018-05-05"


def test_day_order_with_points_is_not_turned_by_the_address() -> None:
    found_at = "https://news.example/2019/10/story.html"
    assert value(before=("10.11.2019",), url=found_at, language="de") == "2019-11-10"
    # English pages have the month first, but who writes points may have the day there.
    assert value(before=("10.11.2019",), url="https://news.example/2019/11/story.html", language="en") == "2019-11-10"
    assert value(before=("10.11.2019",), url=found_at, language="en") == "2019-10-11"
    assert value(before=("10/11/2019",), url=found_at, language="de") == "2019-10-11"


def test_today_amid_prose_is_told_about() -> None:
    prose = "The bridge is closed today. " + "It was built by the town and has been mended often since then. " * 3
    assert value(before=(prose,)) is None
    assert value(before=("Today 10:15",)) == "2020-06-01T10:15"


def test_other_dates_of_the_page_show_the_order_of_a_numeric_date() -> None:
    assert value("<html lang='en'>", before=("03.04.2019",), after=("More stories", "25.12.2018")) == "2019-04-03"
    assert value("<html lang='de'>", before=("03/04/2019",), after=("12/25/2018",)) == "2019-03-04"
    assert value("<html lang='en'>", before=("03.04.2019",), after=("25.12.2018", "12.25.2018")) == "2019-03-04"


def test_dots_put_the_day_first_where_nothing_shows_the_order() -> None:
    assert value("<html lang='en'>", before=("03.04.2019 — by Jane Doe",)) == "2019-04-03"
    assert value("<html lang='en'>", before=("11.05.12",)) == "2012-11-05", "short years are written in either order"
    assert value("<html lang='en'>", before=("03.04.2019",), after=("12/25/2018",)) == "2019-03-04"


def test_day_order_by_html_lang_and_domain() -> None:
    assert value("<html lang='en-GB'>", before=("03/04/2019",)) == "2019-04-03"
    assert value("<html lang='en-US'>", before=("03/04/2019",)) == "2019-03-04"
    assert value("<html lang='en'>", before=("03/04/2019",), url="https://news.example.uk/a") == "2019-04-03"
    assert value("<html lang='de'>", before=("03.04.2019, 14:35",)) == "2019-04-03T14:35"  # an English text on a German site


def test_marked_elements_and_the_headline_s_neighbour_are_found_without_surroundings() -> None:
    assert value("<div class='post-date'>4 March 2019</div>") == "2019-03-04"
    assert value("<h1>A headline</h1><p>By Jo | 4 March 2019</p>") == "2019-03-04"
    assert value("<title>A long headline - Site</title><body><b>A long headline</b><br>4 March 2019<p>") == "2019-03-04"


def test_relative_dates_only_when_nothing_else_is_known() -> None:
    assert value(before=("2 hours ago", "4 March 2019")) == "2019-03-04"
    assert value(before=("2 hours ago",)) == "2020-06-01T10:00+00:00"


def test_hint_from_the_feed() -> None:
    date = found(hint="Mon, 04 Mar 2019 10:00:00 GMT")
    assert date is not None
    assert (date.value, date.source) == ("2019-03-04T10:00:00+00:00", "feed")


def test_the_feed_does_not_change_a_date_of_the_page() -> None:
    """A record is the same whether its feed was read before the page or after it."""
    page = {"before": ("Posted on 4 March 2019 at 8:48",)}
    assert value(**page, hint="Mon, 04 Mar 2019 08:48:00 +0800") == value(**page) == "2019-03-04T08:48"


def test_future_and_impossible_dates_are_refused() -> None:
    assert value(JSON_LD % ("2031-01-01", "2031-01-01"), before=("31 February 2019",)) is None
    assert value() is None


def test_published_pattern() -> None:
    date = published_date(["no date", "来源 2010年13月15日 2010年12月15日 08:15"], NOW)
    assert date is not None
    assert date.value == "2010-12-15T08:15"
    chinese = published_date(["二零一零年十二月二十五日"], NOW)
    assert chinese is not None
    assert chinese.value == "2010-12-25", "the printed pattern stops amid three numerals; the date does not"
    assert published_date([], NOW) is None


def test_a_day_takes_its_clock_from_what_readers_see() -> None:
    page = META % ("pubdate", "2019-03-04")
    assert value(page, before=("4 March 2019 10:15",)) == "2019-03-04T10:15"
    assert value(page, before=("5 March 2019 10:15",)) == "2019-03-04"
    assert (
        value(before=("4 March 2019",), after=("Jo, 4 March 2019 at 8:29 pm", "So true", "Max, 4 March 2019 at 9:00 pm"))
        == "2019-03-04"
    )
    assert value(f"<h1>Bridge</h1><p>4 March 2019 10:15 | Harbour</p>{page}") == "2019-03-04T10:15"


def test_a_day_takes_its_clock_from_a_weaker_statement_of_publication() -> None:
    page = META % ("pubdate", "2019-03-04") + META % ("dc.date.issued", "2019-03-04T10:15:00+01:00")
    assert value(page) == "2019-03-04T10:15:00+01:00"
    changed = META % ("pubdate", "2019-03-04") + META % ("article:modified_time", "2019-03-04T17:15:00+01:00")
    assert value(changed) == "2019-03-04"


def test_midnight_to_the_second_is_a_day() -> None:
    assert value(JSON_LD % ("2019-03-04T00:00:00Z", "2019-03-04")) == "2019-03-04"
    assert value(JSON_LD % ("2019-03-04T00:00:00Z", "2019-03-04"), before=("4 March 2019 10:15",)) == "2019-03-04T10:15"
    assert value(before=("4 March 2019 00:00",)) == "2019-03-04T00:00"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2019-03-05T02:41:00Z", "2019-03-04T22:41-04:00"),  # the same moment in UTC
        ("2019-03-04T17:11:30Z", "2019-03-04T22:41+05:30"),
        ("2019-03-05T02:40:00Z", "2019-03-04T22:41"),  # another moment
    ],
)
def test_a_clock_takes_its_zone_from_the_same_moment_in_utc(stated: str, expected: str) -> None:
    assert value(META % ("dc.date", stated), before=("Published 4 March 2019 22:41",)) == expected


def test_a_clock_takes_the_zone_of_a_stamp_that_reads_the_same() -> None:
    page = META % ("article:modified_time", "2019-03-04T10:15:20+02:00")
    assert value(page, before=("Published 4 March 2019 10:15",)) == "2019-03-04T10:15+02:00"
    other = META % ("article:modified_time", "2019-03-04T17:15:20+02:00")
    assert value(other, before=("Published 4 March 2019 10:15",)) == "2019-03-04T10:15"


def test_the_clock_of_the_page_s_head_does_not_move_the_day() -> None:
    page = META % ("vr:published-time", "2019-03-04 17:08") + "<time class='c-nav-top--date'>5 March 2019</time>"
    assert value(page) == "2019-03-04T17:08"


@pytest.mark.parametrize("text", ["yesterday", "昨天", "2 hours ago", "3 years, 10 months ago"])
def test_without_the_time_of_fetch_a_relative_date_is_none(text: str) -> None:
    near = Surroundings(before=(text,))
    assert find_date(read_metadata(""), near, url=None, language=None, fetched_at=None) is None
    assert find_date(read_metadata(""), near, url=None, language=None, fetched_at=NOW) is not None


@pytest.mark.parametrize(
    ("published", "modified"),
    [("发布时间：", "更新时间："), ("Creado:", "Última actualización:"), ("Közzétéve:", "Utolsó frissítés:"), ("Створено:", "Останнє оновлення:"),
     ("Skapad:", "Senast ändrad:"), ("תאריך פרסום:", "עודכן לאחרונה:"), ("เผยแพร่เมื่อ", "ปรับปรุงล่าสุด:"), ("Tayang:", "Pembaruan terakhir:")],
)  # fmt: skip
def test_labels_of_many_languages_tell_publication_from_change(published: str, modified: str) -> None:
    assert value(before=(f"{modified} 2019-03-15", f"{published} 2019-03-14")) == "2019-03-14"
    assert value(before=(f"{modified} 2019-03-15", "2019-03-14")) == "2019-03-14"


def test_a_relative_date_behind_the_text_counts_only_if_it_is_said_to_be_the_day_of_publication() -> None:
    assert value(after=("Publicerad: I går 18.14",), language="sv") == "2020-05-31T18:14"
    assert value(after=("I går 18.14",), language="sv") is None


def test_today_and_yesterday_within_a_name_are_none() -> None:
    assert value(before=("USA Today",)) is None
    assert value(before=("Yesterday | Jane Doe",)) == "2020-05-31"


def test_a_date_amid_chinese_prose_behind_the_headline_is_told_about() -> None:
    page = "<h1>大桥</h1><p>" + "市议会周一开会讨论了大桥的维修计划。" * 13 + "大桥于2019年3月14日关闭。</p>"
    assert value(page, language="zh") is None


def test_a_bare_relative_day_in_a_sentence_is_told_about() -> None:
    sentence = "I moved the second ferry next to the shovel yesterday. I moved the quiet lamp next to the valley."
    byline = "Posted by: Juno Fell 1 year, 2 months ago"
    assert find_date(read_metadata(""), Surroundings(before=(sentence,)), url=None, language="en", fetched_at=NOW) is None
    date = find_date(read_metadata(""), Surroundings(before=(byline, sentence)), url=None, language="en", fetched_at=NOW)
    assert date is not None
    assert date.value == "2019-04"


def test_a_page_whose_time_of_fetch_is_unknown_has_no_relative_date() -> None:
    page = f"<title>A day at sea</title><h1>A day at sea</h1><time>yesterday</time><p>{'The ferry came in late. ' * 20}"
    assert extract(page).date is None
    assert extract(Page(page.encode(), fetched_at=NOW)).date == "2020-05-31"


def test_without_the_time_of_fetch_a_written_date_is_read() -> None:
    near = Surroundings(before=("4 March 2019",))
    date = find_date(read_metadata(""), near, url=None, language="en", fetched_at=None)
    assert date is not None
    assert date.value == "2019-03-04"


@pytest.mark.parametrize(
    "titled",
    [
        "<abbr class='published' title='2019-03-04T08:30:00+01:00'>Published: 4 March 2019</abbr>",
        "<span title='2019-03-04 08:30:00 +0100'>March 4, 2019</span>",
        "<a href='/x' title='Mon, 4 Mar 2019 08:30:00 +0100'>4 March 2019</a>",
    ],
)
def test_a_title_attribute_gives_the_time_of_day_and_the_zone(titled: str) -> None:
    assert value(f"<h1>A headline</h1>{titled}", before=("4 March 2019",)) == "2019-03-04T08:30:00+01:00"


def test_a_title_attribute_that_is_a_sentence_is_no_date() -> None:
    assert value("<h1>x</h1><a title='What the harbour master said in 2019 at 10:30'>x</a>") is None


@pytest.mark.parametrize("element", ["<span class=date>6 May 2019</span>", "<b class=post-date>May 6, 2019</b>"])
def test_a_day_after_last_edited_is_a_day_of_change(element: str) -> None:
    assert value(f"<h1>x</h1><p>Last edited {element}", before=("4 March 2019",)) == "2019-03-04"


PROSE = (
    "The offer ends soon, and whoever books a crossing and a room by then may travel until the end of it, December 31, 2019."
)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (("Posted by: Juno Fell 1 year, 2 months ago", PROSE), "2019-04"),
        (("1 year, 2 months ago", "3 hours ago", PROSE), "2019-12-31"),  # teasers
        (("1 year, 2 months ago", "4 March 2019", PROSE), "2019-03-04"),
        ((PROSE,), "2019-12-31"),
    ],
)
def test_a_line_that_counts_from_now_is_stronger_than_a_date_told_about(before: tuple[str, ...], expected: str) -> None:
    assert value(before=before) == expected


def test_a_month_by_name_amid_prose_is_told_about() -> None:
    told = (
        "The lock was the last one of its kind and stayed in use until {}, when the town had the harbour filled in at last."
    )
    assert value(before=(told.format("12 July 1990"),)) is None
    assert value(before=(told.format("1990-07-12"),)) == "1990-07-12"
    begun = "Beginning Tuesday, {} the ferry will run again, and everybody in the town may use it without a ticket."
    assert value(before=(begun.format("Nov. 13, 2012,"),)) is None
    assert value(before=(begun.format("Nov. 13, 2012 –"),)) == "2012-11-13"
    assert value(before=(told.format("12 July 1990"), "Notes"), hint="2018-04-09") == "2018-04-09"


def test_a_month_without_a_day_in_a_sentence_behind_the_headline_is_told_about() -> None:
    sentence = (
        "As the fire brigade says, they hope to see a result before May 2019, which surprised the residents of the town."
    )
    assert value(f"<h1>Wells</h1><p>{sentence}</p>") is None
    assert value("<h1>Wells</h1><p>May 2019</p><p>The fire brigade hopes to see a result.</p>") == "2019-05"


def test_a_number_behind_the_month_of_the_address_may_count_its_posts() -> None:
    address = "http://notes.example.org/2018/11/3-fog-on-the-water"
    assert value(url=address) == "2018-11-03"
    assert value(before=("15 November 2018 by Anna Berg",), url=address) == "2018-11-15"
    assert value(before=("Updated: 15 November 2018",), url=address) == "2018-11-03"
    assert value(before=("15 December 2018",), url=address) == "2018-11-03"


def test_a_feed_knows_better_than_prose_and_days_of_change() -> None:
    prose = "The lock was mended by the town on 12 July 2017. " + "It has been in use since then, and nobody complains. " * 3
    edited = "<p>{} <span class=date>3 May 2020</span></p>"
    assert value(before=(prose,), hint="2018-04-09") == "2018-04-09"
    assert value(edited.format("Last edited"), hint="2018-04-09") == "2018-04-09"
    assert value(edited.format("Last edited")) == "2020-05-03"
    assert value(edited.format("By Anna Berg,"), hint="2018-04-09") == "2020-05-03"
    assert value("<p class=pagedate>Last edited 3 May 2020</p>" + edited.format("Written").replace("3", "1")) == "2020-05-01"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Stand: 28.9.2019, 8:05 Uhr | Erstveröffentlichung: 26.9.2019, 9:10 Uhr", "2019-09-26T09:10"),
        ("Am 26.9.2019 beginnt der Markt", "2017-01-01"),
    ],
)
def test_a_day_that_the_page_calls_that_of_publication_beats_another_in_the_address(line: str, expected: str) -> None:
    assert value("<h1>Markt</h1>", before=[line], url="http://a.example/2017/01/01/markt-7.html", language="de") == expected
