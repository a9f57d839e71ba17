"""Dates of comments, related stories, footers and mastheads are not those of an undated article."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from newsextract import extract
from newsextract.fields.article_marks import ArticleMarks
from newsextract.fields.date_evidence import DatePlaces
from newsextract.fields.report_date import find_date
from newsextract.page.page import Page
from tests.costs import at_most

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
TEXTS = {
    "en": (
        "Fog closes the harbour",
        "The harbour was closed because of fog, and the ferries to the islands stayed at their berths until the evening.",
        "Two hundred passengers waited in the hall, where the keeper of the books made tea for them and told old stories.",
        "“We have not seen anything like it for years,” she said, and the captain of the oldest ferry agreed with her.",
    ),
    "de": (
        "Nebel legt den Hafen lahm",
        "Der Hafen blieb wegen Nebels geschlossen, und die Fähren zu den Inseln lagen bis zum Abend an ihren Plätzen.",
        "Zweihundert Fahrgäste warteten in der Halle, wo die Buchhalterin ihnen Tee kochte und alte Geschichten erzählte.",
        "„So etwas haben wir seit Jahren nicht gesehen“, sagte sie, und der Kapitän der ältesten Fähre stimmte ihr zu.",
    ),
    "es": (
        "La niebla cierra el puerto",
        "El puerto permaneció cerrado a causa de la niebla, y los barcos a las islas quedaron amarrados hasta la noche.",
        "Doscientos pasajeros esperaron en la sala, donde la contable les preparó té y les contó historias muy antiguas.",
        "«No habíamos visto nada igual desde hace años», dijo ella, y el capitán del barco más viejo le dio la razón.",
    ),
    "zh": (
        "大雾导致港口关闭一整天",
        "港口因大雾关闭，前往各岛屿的渡轮一直停靠在泊位上，直到傍晚才恢复航行，数百名旅客滞留在码头等候消息。",
        "两百名乘客在大厅里等候，会计为他们泡茶，还讲起了许多年前的老故事，孩子们围坐在她身边听得入了迷。",
        "“我们多年没有见过这样的大雾了”，她说，最老的那艘渡轮的船长也表示同意，并提醒大家注意安全。",
    ),
}  # fmt: skip


def text(language: str) -> str:
    return "".join(f"<p>{sentence}</p>" for sentence in TEXTS[language][1:])


def article(language: str, before: str = "", after: str = "") -> str:
    return f"<article><h1>{TEXTS[language][0]}</h1>{before}{text(language)}{after}</article>"


def day(language: str, body: str, head: str = "") -> str | None:
    title = TEXTS[language][0]
    source = f"<html lang={language}><head><meta charset=utf-8><title>{title}</title>{head}</head><body>{body}</body></html>"
    return extract(Page(source.encode(), "https://gull.example/harbour/fog.html", fetched_at=NOW)).date


OTHERS = {
    "comments by class": (
        "en",
        "<div id=comments><h3>2 comments</h3><div class=c><b>bob</b> <time datetime=2026-10-20>20 October 2026</time>"
        "<p>Long overdue, well done to all.</p></div></div>",
    ),
    "comments by a class of another language": (
        "es",
        "<div id=comentarios><div class=c><b>vecino</b> <i>3 de marzo de 2026</i><p>Pues a mí me parece muy bien.</p></div></div>",
    ),
    "comments below a heading": ("de", "<div><h3>2 Meinungen</h3><p><b>Bea</b>, 20. Oktober 2026</p><p>Wurde ja auch Zeit.</p></div>"),
    "comments below a line": ("zh", "<div><p>评论（2）</p><p>小王 2026年10月20日</p><p>早就该这样了。</p></div>"),
    "a comment that was posted": ("en", "<div><p>2 comments</p><p>Posted by: bob | October 20, 2026 at 10:00 AM</p></div>"),
    "a sidebar": (
        "de",
        "<aside><ul><li><a href=/a>Ergebnisse der Regatta</a> 20. Oktober 2026</li>"
        "<li><a href=/b>Erntedank im Pfarrhaus</a> 19. Oktober 2026</li></ul></aside>",
    ),
    "a list without names": (
        "en",
        "<div><div class=x><a href=/a>Results of the regatta</a> <time datetime=2026-10-20>20 Oct 2026</time></div>"
        "<div class=x><a href=/b>Supper in the parish hall</a> <time datetime=2026-10-19>19 Oct 2026</time></div></div>",
    ),
    "comments without a heading": (
        "en",
        "<div>"
        + "".join(
            f"<div class=y><b>{name}</b> <i>{n} October 2026</i><p>It was the same on the other side of the bay that day.</p></div>"
            for n, name in enumerate(("ann", "bob", "cora"), 20)
        )
        + "</div>",
    ),
    "related stories": (
        "es",
        "<div class=noticias-relacionadas><p><a href=/o>Cierra el puente</a></p><p>5 de enero de 2026</p></div>",
    ),
    "a footer": ("en", "<footer>Last site update: 1 September 2026. Copyright 2026</footer>"),
    "a footer by class": ("de", "<div id=footer><p>Letzte Änderung: 1. September 2026</p></div>"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_dates_of_something_else_behind_an_undated_article_are_not_its_day(name: str) -> None:
    language, markup = OTHERS[name]
    assert day(language, article(language) + markup) is None


@pytest.mark.parametrize("name", OTHERS)
def test_the_day_of_the_article_is_found_beside_them(name: str) -> None:
    language, markup = OTHERS[name]
    assert day(language, article(language, "<p>2026-10-12</p>") + markup) == "2026-10-12"
    assert day(language, article(language, after="<p>2026-10-12</p>") + markup) == "2026-10-12"


@pytest.mark.parametrize(
    ("language", "markup"),
    [
        ("en", "<div class=related><time datetime=2024-01-05>5 January 2024</time> <a href=/o>Bridge closed</a></div>"),
        ("es", "<div class=relacionadas><a href=/o>Cierra el puente</a> <span class=fecha>5 de enero de 2024</span></div>"),
    ],
)
def test_a_related_story_in_the_text_does_not_date_it(language: str, markup: str) -> None:
    title, first, *others = TEXTS[language]
    rest = "".join(f"<p>{other}</p>" for other in others)
    assert day(language, f"<article><h1>{title}</h1><p>{first}</p>{markup}{rest}</article>") is None


def test_teasers_above_an_article_give_it_neither_day_nor_author() -> None:
    heads = ("Results of the regatta", "Supper in the parish hall in 2026", "A bridge is closed")
    teasers = "".join(
        f"<div class=x><a href=/{n}>{head}</a><p>By Ann Weber</p><p>{n} October 2026</p></div>"
        for n, head in enumerate(heads, 1)
    )
    own = "<p>By Bea Novak</p><p>12 October 2026</p>"
    teasers = f"<div>{teasers}</div>"
    for markup, expected in (
        (teasers + article("en"), (None, ())),
        (teasers + article("en", own), ("2026-10-12", ("Bea Novak",))),
        (article("en", own + teasers), ("2026-10-12", ("Bea Novak",))),
    ):
        source = f"<title>{TEXTS['en'][0]}</title>{markup}"
        found = extract(Page(source.encode(), "https://gull.example/harbour/fog.html", fetched_at=NOW))
        assert (found.date, found.authors) == expected


def test_those_who_comment_are_no_authors() -> None:
    comments = "<h3>2 comments</h3><p>Well said.</p><p>Posted by: Ann Weber | 20 October 2026 at 10:00 AM</p>"
    source = f"<title>{TEXTS['en'][0]}</title>{article('en')}<div>{comments}</div>"
    assert extract(Page(source.encode(), "https://gull.example/harbour/fog.html", fetched_at=NOW)).authors == ()


@pytest.mark.parametrize(
    ("language", "masthead"),
    [
        ("en", "<div class=top>Friday, 27 November 2026</div>"),
        ("de", "<div id=kopf><p>Der Kurier</p><p>Freitag, 27. November 2026</p><p>Bedeckt, 4 Grad</p></div>"),
        ("zh", "<div class=top>2026年11月27日 星期五</div>"),
        (
            "es",
            "<header><a href=/a>Local</a> <a href=/b>Deportes</a> <a href=/c>Cultura</a> <p>26 de octubre de 2026</p></header>",
        ),
    ],
)
def test_a_masthead_does_not_date_the_article(language: str, masthead: str) -> None:
    assert day(language, masthead + article(language)) is None
    assert day(language, masthead + article(language, after="<p>12.10.2026</p>")) == "2026-10-12"


@pytest.mark.parametrize(
    "body",
    [
        f"<main><p>27 November 2026</p>{article('en')}</main>",
        f"<div class=date>27 November 2026</div>{article('en')}",
        f"<div><time datetime=2026-11-27>Today</time></div>{article('en')}",
        article("en", "<p>27 November 2026</p>"),
        f"<div class=top>Friday, 27 November 2026</div>{article('en', '<p>27 November 2026</p>')}",
    ],
)
def test_articles_that_are_fetched_on_the_day_of_their_publication_keep_it(body: str) -> None:
    assert day("en", body) == "2026-11-27"


@pytest.mark.parametrize(
    ("language", "body"),
    [
        ("en", article("en", after="<footer>Posted on 12 October 2026 in <a href=/c>Sea</a></footer>")),
        ("en", article("en") + "<div class=entry-footer>12 October 2026</div>"),
        ("de", article("de") + "<h4>Über uns</h4><p>Veröffentlicht am 12. Oktober 2026</p>"),
        ("de", article("de") + "<div class=footer>Erschienen am 12. Oktober 2026</div>"),
        ("zh", article("zh", after="<ul><li><a href=#c>查看评论</a></li></ul><p>发布日期：2026-10-12</p>")),
        ("es", f"<article><aside>12 de octubre de 2026</aside><h1>{TEXTS['es'][0]}</h1>{text('es')}</article>"),
    ],
)
def test_days_of_the_article_in_odd_places_are_found(language: str, body: str) -> None:
    assert day(language, body) == "2026-10-12"


def test_a_related_story_above_does_not_contradict_the_stated_day() -> None:
    teasers = "".join(
        f"<div class=x><p>{date}</p><a href=/{date}>Results of the regatta</a></div>"
        for date in ("2018-10-22", "2018-10-22")
    )
    stated = "<meta property=article:published_time content=2026-10-12>"
    changed = "<meta property=article:modified_time content=2018-10-22>"
    assert day("en", f"<div>{teasers}</div>{article('en')}", stated + changed) == "2026-10-12"


@pytest.mark.parametrize(
    "body",
    [
        "<div class=x><a href=/a>Results of the regatta</a> 20 October 2026</div>" * 9_000,
        "".join(f"<p>{n % 28 + 1} October {2000 + n % 26}</p>" for n in range(20_000)),
        "<div>" * 900 + "<p>20 October 2026</p>" * 9_000,
        "<time datetime=2026-10-20>" * 9_000,
        "<div itemprop=datePublished content=2026-10-20>" * 9_000,
    ],
    ids=["teasers", "dates", "deep", "times", "properties"],
)
def test_many_dates_cost_little(body: str) -> None:
    page = Page.from_text(f"<title>Fog</title>{article('en')}<div>{body}</div>", "https://gull.example/fog.html")
    marks = ArticleMarks(page.dom, (0, 1, 2, 3), page.url)
    near = page.dom.surroundings(0, 3)
    with at_most(2.0):
        places = DatePlaces(marks, NOW)
        find_date(page.metadata, near, url=page.url, language="en", fetched_at=NOW, is_elsewhere=places.is_elsewhere)
