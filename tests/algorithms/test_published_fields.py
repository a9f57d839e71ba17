"""Title and date by the paper's own rules (Zou & Zhong 2011, §1.2.3), preset ``published``."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from newsextract import Article, Page, extract

TEXT = "".join(
    f"<p>这是第{n}段正文，讲的是港口管理处和新的渡轮，内容很长，足以让这一段成为正文的一部分，不会被当作噪声。"
    for n in "一二三四"
)
FAR = "<br>短文" * 12


def published(markup: str) -> Article:
    return extract(
        Page(
            markup.encode(),
            headers={"Content-Type": "text/html; charset=utf-8"},
            fetched_at=datetime(2012, 1, 1, tzinfo=UTC),
        ),
        algorithm="block_statistics",
        params={"preset": "published"},
    )


# --- title ----------------------------------------------------------------------------------------


def test_the_heading_of_the_highest_level_wins() -> None:
    article = published(f"<title>站名</title><h3>小标题</h3><h2>大标题</h2>{TEXT}")
    assert article.title == "大标题"
    assert article.title_source is not None
    assert article.title_source.source == "h2"


def test_of_one_level_the_first_wins() -> None:
    long = TEXT.removeprefix("<p>").partition("<p>")[0]
    assert published(f"<h2>第一</h2>{long}<h2>第二</h2>{TEXT}").title == "第一"


@pytest.mark.parametrize("empty", [0, 1, 20])
@pytest.mark.parametrize(("between", "found"), [(0, True), (1, True), (2, False)])
def test_headings_stand_at_most_two_blocks_with_text_before_the_text(between: int, found: bool, empty: int) -> None:
    source = f"<title>后备标题</title>{FAR}<h1>港</h1>{'<br>短' * between}{'<br>' * empty}<br>{'<br>' * 4}{TEXT}"
    assert published(source).title == ("港" if found else "后备标题")


def test_headings_far_away_do_not_count() -> None:
    assert published(f"<title>后备标题</title><h1>站名</h1>{FAR}{TEXT}{FAR}<h1>评论</h1>").title == "后备标题"


def test_a_heading_inside_the_first_blocks_counts() -> None:
    assert published(f"<title>后备</title>{TEXT.replace('<p>', '<h4>里面</h4><p>', 2)}").title == "里面"


def test_an_empty_heading_is_no_title() -> None:
    assert published(f"<title>后备标题</title><h1><img src=logo.png></h1>{TEXT}").title == "后备标题"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("港口新渡轮十月启航_河口日报", "港口新渡轮十月启航"),
        ("Ferry timetable changes in October | The Post", "Ferry timetable changes in October"),
        ("Ferry timetable changes in October - The Post", "Ferry timetable changes in October"),
        ("只有标题", "只有标题"),
    ],
)
def test_the_title_element_is_filtered(title: str, expected: str) -> None:
    article = published(f"<title>{title}</title>{TEXT}")
    assert article.title == expected
    assert article.title_source is not None
    assert article.title_source.source == "title"


# --- date -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2010-12-15", "2010-12-15"),
        ("2010年12月15日", "2010-12-15"),
        ("2010/12/15", "2010-12-15"),
        ("2010.12.5", "2010-12-05"),
        ("2010,12,15", "2010-12-15"),
        ("二零一零年十二月十五日", "2010-12-15"),
        ("二〇一〇年十二月五日", "2010-12-05"),
        ("二〇一〇年十二月二十五日", "2010-12-25"),
        ("发布时间：2010-12-15 08:30", "2010-12-15T08:30"),
        ("2010年12月15日 18:05:09", "2010-12-15T18:05:09"),
        ("来源 2010-13-05 然后 2010-12-15", "2010-12-15"),
        ("2010 年 12 月 15 日 08:30", "2010-12-15T08:30"),  # §1.2.1 deletes white space
        ("2010- 12 -15", "2010-12-15"),
    ],
)
def test_dates_of_the_pattern(written: str, expected: str) -> None:
    article = published(f"<h1>题</h1><p>{written}{TEXT}")
    assert article.date == expected
    assert article.date_source is not None
    assert article.date_source.source == "near_text"


@pytest.mark.parametrize("written", ["2010-13-05", "2010-02-30", "2010年13月1日", "2010-00-10", "1234-12-15", "2010-12"])
def test_impossible_dates_are_refused(written: str) -> None:
    assert published(f"<h1>题</h1><p>{written}{TEXT}").date is None


def test_the_start_of_the_text_comes_before_its_end() -> None:
    assert published(f"<p>2010-12-15{TEXT}<p>2011-11-11").date == "2010-12-15"


def test_the_end_of_the_text_is_searched_next() -> None:
    assert published(f"<h1>题</h1>{TEXT}<p>2011-11-11").date == "2011-11-11"


def test_dates_far_away_do_not_count() -> None:
    assert published(f"<p>2010-12-15{FAR}{TEXT}{FAR}<p>2011-11-11").date is None


@pytest.mark.parametrize(("between", "expected"), [(0, "2010-12-15"), (1, "2010-12-15"), (2, None)])
@pytest.mark.parametrize("empty", [0, 1, 20])
def test_of_blocks_beside_the_text_those_with_text_count(between: int, expected: str | None, empty: int) -> None:
    """By hand: i is the first paragraph; with two short blocks between, the date stands in i-3."""
    gap = "<br>" * empty
    source = f"{FAR}<p>2010-12-15{gap}{'<br>短' * between}{'<br>' * 5}{gap}{TEXT}{FAR}"
    assert published(source).date == expected


def test_only_the_papers_places_are_read() -> None:
    """The preset is the paper's rule and nothing else: no metadata."""
    markup = '<meta property="article:published_time" content="2010-12-15T08:30:00Z">'
    assert published(f"{markup}<h1>题</h1>{TEXT}").date is None
    assert extract(f"{markup}<h1>题</h1>{TEXT}").date == "2010-12-15T08:30:00+00:00"


def test_without_links_and_forms_the_body_is_the_same_as_that_of_the_default_preset() -> None:
    markup = f"<title>站名</title><p>导航</p><h1>标题</h1><p>2010-12-15</p>{TEXT}<p>版权"
    assert published(markup).text == extract(markup, algorithm="block_statistics").text


def test_links_and_forms_are_deleted_with_their_text_as_in_table_1() -> None:
    linked = TEXT.replace("港口管理处", "<a href=/x>港口管理处</a>", 1)
    assert "港口管理处" not in published(linked).text.split("\n")[0]
    assert "港口管理处" in extract(linked, algorithm="block_statistics").text.split("\n")[0]
    whole = f"<form action=/x>{TEXT}</form>"  # the page in one form: with the paper nothing is left
    assert published(whole).status == "empty"
    assert extract(whole, algorithm="block_statistics").text == extract(TEXT, algorithm="block_statistics").text
