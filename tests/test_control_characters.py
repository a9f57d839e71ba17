"""Control characters: none in articles, records and what is printed; formulas in CSV feeds are texts."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract import extract, find_records, to_html, to_markdown
from newsextract.cli import main
from newsextract.commands import written
from newsextract.control_characters import cell, cleaned, escaped
from newsextract.page.dom import read_dom
from newsextract.page.page import Page
from pipelines.feeds import CsvExporter
from settings import base
from tests.costs import at_most

CONTROLS = [chr(code) for code in (*range(32), *range(127, 160), 0xFFFE, 0xFFFF) if chr(code) not in "\n\t"]
ATTACK = "\x1b]52;c;ZWNobyBoaQ==\x07\x1b[2J\x9b31m\x7f\x08"
SENTENCE = "The harbour was calm this morning, said the keeper of the books, and the ships came in one after another. "


def has_controls(value: Any) -> bool:
    return any(
        control in json.dumps(value, ensure_ascii=False, default=str) or control in str(value) for control in CONTROLS
    )


def page(attack: str) -> Page:
    facts = {
        "@type": "NewsArticle",
        "headline": f"Calm{attack} harbour",
        "author": {"name": f"A{attack} B"},
        "articleSection": f"Sea{attack}",
    }
    body = "".join(f"<p>{SENTENCE}{attack} {SENTENCE} {day}.</p>" for day in range(6))
    text = (
        f"<html><head><title>Calm{attack} harbour</title><script type='application/ld+json'>{json.dumps(facts)}</script></head>"
        f"<body><h1>Calm{attack} harbour</h1><article>{body}<img src='/a.png' alt='A{attack}'></article></body></html>"
    )
    return Page(text.encode(), "https://x.example/a")


@pytest.mark.parametrize("algorithm", ["combined", "block_statistics", "page_segmentation", "text_density"])
@pytest.mark.parametrize("attack", [ATTACK, "".join(f"&#{ord(one)};" for one in ATTACK), "".join(CONTROLS)])
def test_articles_have_none(attack: str, algorithm: str) -> None:
    source = page(attack)
    article = extract(source, algorithm=algorithm)
    assert article.text.count("harbour was calm") >= 6
    for value in (article.title, article.text, article.authors, article.section, article.title_source, to_html(source, article),
                  to_markdown(source, article)):  # fmt: skip
        assert not any(control in str(value) for control in CONTROLS), value


def test_a_page_of_control_characters_alone_is_empty() -> None:
    assert extract(Page(b"<p>&#1;&#2;&#127;</p>"), algorithm="text_density").status == "empty"
    article = extract(Page(b"\x1b"), algorithm="block_statistics")
    assert (article.status, article.text, article.reason) == ("empty", "", "its text is control characters alone")
    assert extract(Page(b"<title>&#1;</title><p>" + SENTENCE.encode() * 9), algorithm="text_density").title is None


def test_records_have_none() -> None:
    items = "".join(
        f"<li><h3><a href='/t/{k}'>Thread{ATTACK} number {k}</a></h3><p>by{ATTACK} somebody, {SENTENCE}</p></li>"
        for k in range(12)
    )
    found = find_records(Page(f"<html><body><ul>{items}</ul></body></html>".encode(), "https://x.example/"))
    assert len(found.records) == 12
    for record in found.records:
        for text in (record.text, *(part for item in record.items for part in (item.text, item.link or "", item.label))):
            assert not any(control in text for control in CONTROLS)


@given(
    st.recursive(st.none() | st.integers() | st.text(), lambda x: st.lists(x) | st.tuples(x) | st.dictionaries(st.text(), x))
)
def test_whatever_holds_texts_is_cleaned_once(value: Any) -> None:
    clean = cleaned(value)
    assert not any(control in text for control in CONTROLS for text in texts(clean))
    assert cleaned(clean) is clean, "what has none is returned as it is"


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in texts(part)]
    return [text for part in value for text in texts(part)] if isinstance(value, list | tuple) else []


def test_what_stays() -> None:
    assert cleaned("a\tb\nc\x0bd\x85e\x00f\ue000") == "a\tb\nc d ef\ue000"
    mixed = "\u202bשלום\u202c \u200f(2)"
    assert cleaned(mixed) is mixed, "marks of direction are a part of the text"
    assert escaped("a\x1b[2J\u202eb\n\tc\ud800") == "a\\x1b[2J\\u202eb\n\tc\\ud800"


def test_the_search_costs_little() -> None:
    text = SENTENCE * 10_000
    with at_most(0.5):
        assert cleaned(text) is text


def test_messages_do_not_act_on_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["extract", f"{tmp_path}/no\x1b]52;c;eA==\x07such"]) == 2
    assert "no\\x1b]52;c;eA==\\x07such" in capsys.readouterr().err


def test_formulas_in_csv_are_texts() -> None:
    assert base.FEED_EXPORTERS["csv"] == "pipelines.feeds.CsvExporter"
    assert base.CSV_GUARD is True
    item = {
        "a": '=HYPERLINK("http://evil.example","x")',
        "b": "+1",
        "c": "-2+3",
        "d": "@SUM(A1)",
        "e": "plain",
        "f": -0.5,
        "g": ["=1", "x"],
    }
    rows = {}
    for guard in (True, False):
        file = io.BytesIO()
        exporter = CsvExporter(file, guard=guard)
        exporter.start_exporting()
        exporter.export_item(item)
        exporter.finish_exporting()
        rows[guard] = file.getvalue().decode().splitlines()[1]
    assert rows[True] == '"\'=HYPERLINK(""http://evil.example"",""x"")",\'+1,\'-2+3,\'@SUM(A1),plain,-0.5,"\'=1,x"'
    assert rows[False].startswith('"=HYPERLINK')


def test_formulas_for_spreadsheets_that_separate_by_semicolons_are_texts() -> None:
    attack = "Sea;=HYPERLINK(\"http://e.example\");a\n@SUM(A1)\n - cmd|' /C calc'!A0\t+f(1)"
    assert cell(attack) == "Sea;'=HYPERLINK(\"http://e.example\");a\n'@SUM(A1)\n' - cmd|' /C calc'!A0\t'+f(1)"
    assert cell("\uff1d1") == "'\uff1d1"
    for plain in ("He said;\n- nothing", "1;-2;+3\n=4", "a (b); c | d", "x = f(1); y"):
        assert cell(plain) == plain
    with at_most(parses=4):
        cell("\n=a" * 500_000)
        cell("\n=" + "a" * 1_000_000)


def test_names_of_columns_are_no_formulas() -> None:
    assert list(written([{"=f()": "x"}], "csv", ["=f()"])) == ["'=f()\r\n", "x\r\n"]


# --- invisible hints ------------------------------------------------------------------------------

HINTS = "\xad\u200b\ufeff"
HINTED = {
    "de": (
        "Die Donau&shy;dampf&#173;schiff&#xAD;fahrt beginnt wieder",
        "Die Donaudampfschifffahrt beginnt wieder",
        "Am Mon\xadtag fährt das Schiff nach dem langen Win&shy;ter wieder, sagte die Kapi\u200btänin, und alle Plätze sind be\xadlegt.",
        "Am Montag fährt das Schiff nach dem langen Winter wieder, sagte die Kapitänin, und alle Plätze sind belegt.",
    ),
    "fa": (
        "\ufeffپل قدیمی تعمیر می\u200cشود",
        "پل قدیمی تعمیر می\u200cشود",
        "شورای شهر روز دوشنبه\u200b تصمیم گرفت پل قدیمی را تعمیر کند، زیرا کشتی\u200cها دو سال پیش به پایه\u200cهای آن خورده\u200cاند 👩\u200d🔧.",
        "شورای شهر روز دوشنبه تصمیم گرفت پل قدیمی را تعمیر کند، زیرا کشتی\u200cها دو سال پیش به پایه\u200cهای آن خورده\u200cاند 👩\u200d🔧.",
    ),
    "zh": (
        "旧桥将于&#8203;明年修复",
        "旧桥将于明年修复",
        "市议会星期一决定修复&ZeroWidthSpace;这座旧桥，&#x200B;两年前一艘货船撞上了桥墩，此后卡车一直不能通行，居民们等待已久。",
        "市议会星期一决定修复这座旧桥，两年前一艘货船撞上了桥墩，此后卡车一直不能通行，居民们等待已久。",
    ),
}


@pytest.mark.parametrize("algorithm", ["combined", "block_statistics", "page_segmentation", "text_density"])
@pytest.mark.parametrize("language", HINTED)
def test_hints_where_words_may_break_are_left_out_and_joiners_stay(language: str, algorithm: str) -> None:
    title, plain_title, sentence, plain = HINTED[language]
    facts = {"@type": "NewsArticle", "author": {"name": "Jane\xad Mar\u200btin"}}
    body = "".join(f"<p>{sentence} ({number})</p><p>&#8203;</p><p>\ufeff</p>" for number in range(6))
    source = Page.from_text(
        f"<html lang='{language}'><head><title>{title}</title>"
        f"<script type='application/ld+json'>{json.dumps(facts)}</script></head>"
        f"<body><article><h1>{title}</h1>{body}</article></body></html>"
    )
    article = extract(source, algorithm=algorithm)
    assert (article.title, article.authors) == (plain_title, ("Jane Martin",))
    assert [line for line in article.text.split("\n") if line != plain_title] == [
        f"{plain} ({number})" for number in range(6)
    ]
    for form in (to_html(source, article), to_markdown(source, article)):
        assert form.count(plain.partition(" ")[0]) == 6
        assert set(form).isdisjoint(HINTS)


def test_links_and_counts_agree_about_hints() -> None:
    dom = read_dom("<p>Die <a href=/a>Fluss\xadfahrt</a>\u200b und <b>&shy;</b> mehr</p><p>\ufeff<a href=/b>&#8203;</a></p>")
    assert (dom.texts, dom.counts, dom.link_counts) == (["Die Flussfahrt und mehr"], [10], [10])
    assert dom.leaf_texts == ["Die ", "Flussfahrt", " und  mehr"]


def test_records_have_no_hints() -> None:
    rows = "".join(
        f"<li><h3><a href='/t/{k}'>Fluss\xadfahrt {k}</a></h3><p>Die Donau&#8203;dampfer {k} {SENTENCE}</p></li>"
        for k in range(9)
    )
    found = find_records(Page.from_text(f"<body><ul>{rows}</ul></body>", "https://x.example/"))
    assert [record.text[:11] for record in found.records] == ["Flussfahrt "] * 9
    assert all(set(record.text).isdisjoint(HINTS) for record in found.records)
