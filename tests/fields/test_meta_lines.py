"""Lines that say nothing but what has fields of its own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from newsextract import extract
from newsextract.fields.meta_lines import meta_lines

NOW = datetime(2026, 6, 1, tzinfo=UTC)
PROSE = "The ferry came in late, and nobody on the quay had a word to say about it, as the wind was up."


def found(*lines: str) -> list[int]:
    return sorted(meta_lines("\n".join(lines), ["Jane Doe", "Harbour"], language="en", fetched_at=NOW))


@pytest.mark.parametrize(
    "line",
    [
        "Published: Mon 09 January 2023",
        "Posted on 9 January 2023 at 10:15 by Jane Doe in Harbour",
        "Posted on 9 January 2023 by somebody in City News",
        "Posted on 3 hours ago by Jane Doe in Sport",
        "By Jane Doe",
        "2023-01-09 by Jane Doe, tagged as crab pots, old ropes",
        "发布于 2023-01-09",
        "2023年01月09日 06:40 来源：市气象台 【字体：大 中 小】",
        "2023-01-09 11:40 来源: 港湾晚报 作者：陆海生 浏览次数：123",
        "January 9, 2023 | Harbour",
        "February 6, 2025 · One min read",
        "Jane Doe, Feb 6, 2025 • 12 min read",
        "Published:20 May, 2026",
        "Published:20/05/2026",
        "6. January 2023 Jane Doe 0 Comments Harbour",
        "Jane Doe2023/01/09约 100 字大约 1 分钟",
        "2023年01月09日 949 字 大概 5 分钟",
        "Jan 9, 2023 - ⧖ 2.0 min",
        "3-minute read",
        "Less than 1 minute",
        "阅读时间：5 分钟",
        "Filed under: harbour, budget",
        "Tags: #winter #schools",
        "分类：港口 / 预算",
        "Piše: Jane Doe | 9. januar 2023. 09:30 | Izvor: Tanjug | Komentari: 12",
        "sobota, 9 stycznia 2023, 09:30",
        "วันจันทร์ที่ 9 มกราคม พ.ศ. 2566, 16.45 น.",
        "Jane Doe 기자 jane@gull.example",
        "Tempo di lettura: 3 minuti",
        "January 9, 2023 - Reading time: 2 minutes",
        "Geschätzte Lesezeit: ca. 3 Minuten",
        "Время чтения: 3 мин",
        "Thời gian đọc: 3 phút",
        "Foto: Per Ek",
        "kim@gull.example",
        "Fot. Robert Zima",
        "0 komentara",
        "GENOVA, 9 gennaio 2023, 13:22",
        "2023/01/09 16:40（01/09 18:02 更新）",
    ],
)
def test_a_line_of_date_author_and_section_is_one(line: str) -> None:
    assert found(line, PROSE, PROSE) == [0]
    assert found(PROSE, PROSE, line) == [2]


@pytest.mark.parametrize(
    "line",
    [
        "Jane Doe sailed on 9 January 2023",
        "In the harbour",
        "Published",
        "Tags: what they are, and why nobody reads them.",
        "Topics of the week",
        "9 boats",
        "The ferry takes 20 minutes",
        "2023",
        "9 January 2023 in the harbour",
        "Published on 9 January 2023 by the city in May, the report says that much",
    ],
)
def test_a_line_that_says_more_or_nothing_is_none(line: str) -> None:
    assert found(line, PROSE) == []


def test_a_label_goes_with_the_line_that_it_introduces() -> None:
    assert found("Published", "9 January 2023", "By", PROSE, PROSE) == [0, 1]
    assert found("Published:", "9 January 2023", PROSE, PROSE) == [0, 1]
    assert found("Category", "Harbour", PROSE, PROSE) == [0, 1]
    assert found("Topic", PROSE, PROSE) == []
    assert found("Details", "Written by: Jane Doe", "Published: 9 January 2023", "Hits: 63", PROSE, PROSE) == [0, 1, 2, 3]


def test_labels_whose_names_are_left_out_are_no_text() -> None:
    assert found("Written by", "in", PROSE, PROSE) == [0, 1]
    assert found("Jane Doe Follow", "3 min read · 9 January 2023", PROSE, PROSE) == [0, 1]


def test_tags_may_follow_author_and_day() -> None:
    def lines(first: str, day: str) -> list[int]:
        return sorted(meta_lines(f"{first}\n{PROSE}\n{PROSE}", ["Jane Doe"], language="en", fetched_at=NOW, day=day))

    assert lines("Jane Doe 9 January 2023 boatsold ropes", "2023-01-09") == [0]
    assert lines("Jan 9, 2023 | Jane Doe | Boats", "2023-01-09T10:15:00Z") == [0]
    for first in ("Jane Doe 9 January 2023 boats", "Jane Doe sailed on 9 January 2023 to Rhodes"):
        assert lines(first, "2023-01-10") == []
    assert lines("Jane Doe sailed on 9 January 2023 to Rhodes", "2023-01-09") == []
    assert lines("9 January 2023: Jane Doe sails.", "2023-01-09") == []


def test_a_box_about_the_author_at_the_end_is_no_text() -> None:
    about = "Jane Doe has written about the harbour since 1998 and lives on a boat."
    assert found(PROSE, PROSE, "Jane Doe", about) == [2, 3]
    assert found(PROSE, PROSE, "Jane Doe", "Jane runs the waterworks, and writes about them.") == [2, 3]
    assert found(PROSE, PROSE, about) == []
    assert found(PROSE, "Eva Klein", "Eva Klein was the first to leave.") == []  # a heading of the text


def test_a_line_of_the_day_may_follow_the_headline() -> None:
    text = f"Why does the oven smell?\n6th February 2025\n{PROSE}"
    assert meta_lines(text, [], language="en", fetched_at=NOW) == frozenset()
    assert meta_lines(text, [], language="en", fetched_at=NOW, headlines={0}) == {1}


def test_lines_of_the_articles_day_may_follow_a_standfirst() -> None:
    def behind(*lines: str, day: str | None = "2025-02-06T10:00:00Z") -> list[int]:
        text = "\n".join(["A ferry was late.", *lines, PROSE, PROSE])
        return sorted(meta_lines(text, ["Jane Doe"], language="en", fetched_at=NOW, day=day))

    assert behind("6 February 2025, 10:00") == [1]
    assert behind("By Jane Doe", "6 February 2025") == [1, 2]
    assert behind("Jane Doe in Porthaven · Feb 6, 2025") == [1]
    assert behind("7 February 2025") == behind("Jane Doe") == behind("6 February 2025", day=None) == []


def test_a_line_of_the_day_may_follow_the_name_of_the_site() -> None:
    assert found("The Harbour Ledger", "9 January 2023, by Jane Doe", PROSE) == []
    assert found("The Harbour Ledger", "Published 9 January 2023", PROSE) == [1]
    assert found("He said this and no more.", "9 January 2023", PROSE) == []


def test_a_date_amid_the_text_stays() -> None:
    assert found(PROSE, PROSE, PROSE, PROSE, "9 January 2023", PROSE, PROSE, PROSE, PROSE) == []


def test_a_text_of_such_lines_alone_stays() -> None:
    assert found("By Jane Doe", "9 January 2023") == []


def test_the_text_of_an_article_begins_with_its_first_paragraph() -> None:
    text = "".join(f"<p>{PROSE} It was {hour}.</p>" for hour in ("six", "seven", "eight"))
    meta = "<abbr class=published title='2023-01-09T06:45:00+00:00'>Published: Mon 09 January 2023</abbr><br>"
    article = extract(
        f"<title>A day at sea</title><body><h1>A day at sea</h1><div class=entry-content><div>{meta}</div>{text}</div>"
    )
    assert article.text.split("\n")[0].startswith("The ferry")
    assert article.date == "2023-01-09T06:45:00+00:00"


BOX = [
    "Title: The ferry is late", "Author: Jane Doe", "Created at: 2026-05-03 10:15:00",
    "Link: https://gull.example/posts/ferry.html", "License: This work is licensed under CC BY-NC-SA 4.0.",
]  # fmt: skip
CHINESE_BOX = [
    "渡轮晚点", "https://gull.example/posts/%E6%B8%A1%E8%BD%AE/", "作者", "陆海生", "发布于", "2026年5月3日", "许可协议",
]  # fmt: skip


@pytest.mark.parametrize(
    ("box", "title", "path"),
    [
        (BOX, "The ferry is late", "posts/ferry.html"),
        (BOX[-1:], "The ferry is late", "posts/ferry.html"),
        (CHINESE_BOX, "渡轮晚点", "posts/渡轮/"),
        (["本文作者：陆海生", "版权声明：本博客文章采用 BY-NC-SA 许可协议。转载请注明出处！"], "渡轮晚点", ""),
        (
            [
                "This entry was posted on Monday, May 4th, 2026 at 11:18 am and is filed under Harbour. You can follow any "
                "responses to this entry through the RSS 2.0 feed. You can leave a response, or trackback from your own site."
            ],
            "The ferry is late",
            "",
        ),
        (
            [
                "Dieser Beitrag wurde am 15. Mai 2026 veröffentlicht. Du kannst die Kommentare durch den RSS 2.0 Feed verfolgen."
            ],
            "",
            "",
        ),
        (
            [
                "Copyright： All of this belongs to its author. For commercial reprints, please ask the author for permission. For "
                "others, please name the source and the author."
            ],
            "The ferry is late",
            "",
        ),
        (["This entry was posted in Harbour by Jane Doe. Bookmark the permalink."], "The ferry is late", ""),
        (
            ["kim@gull.example", "<저작권자(c) 갈매기일보, 무단 전재-재배포 금지>", "2026/05/03 10:15 송고"],
            "The ferry is late",
            "",
        ),
        (["© RIPRODUZIONE RISERVATA"], "The ferry is late", ""),
    ],
)
def test_the_box_at_the_end_that_says_who_wrote_a_post_and_who_may_copy_it(box: list[str], title: str, path: str) -> None:
    text, url = "\n".join((PROSE, PROSE, *box)), f"https://gull.example/{path}"
    names = ["Jane Doe", "陆海生", "Harbour"]
    found = meta_lines(text, names, language="en", fetched_at=NOW, title=title, url=url)
    assert sorted(found) == list(range(2, 2 + len(box)))


@pytest.mark.parametrize(
    "end",
    [
        "Readers can follow the harbour by RSS 2.0 or send a trackback.",
        "More: https://council.example/plans/quay.pdf",
        "The quay",
    ],
)
def test_the_end_of_a_text_is_no_box(end: str) -> None:
    text = "\n".join((PROSE, PROSE, end))
    assert not meta_lines(
        text, ["Jane Doe"], language="en", fetched_at=NOW, title="The ferry", url="https://gull.example/ferry/"
    )
