"""Of several articles in JSON-LD the one about the page gives title, day and authors."""

from __future__ import annotations

import json
from typing import Any

import pytest

from newsextract import extract
from newsextract.fields.page_facts import with_own_article
from newsextract.page.page import Page

URL = "https://www.gull.example/harbour/fog.html"
PAGES = {
    "en": (
        "Fog closes the harbour",
        "Regatta ends in a storm",
        "The harbour was closed on Monday because of fog, and the ferries to the islands stayed at their berths until the evening.",
    ),
    "de": (
        "Nebel legt den Hafen lahm",
        "Regatta endet im Sturm",
        "Der Hafen blieb am Montag wegen Nebels geschlossen, und die Fähren zu den Inseln lagen bis zum Abend an ihren Plätzen.",
    ),
    "zh": (
        "大雾导致港口关闭一整天",
        "帆船赛在风暴中结束了",
        "星期一，港口因大雾关闭，前往各岛屿的渡轮一直停靠在泊位上，直到傍晚才恢复航行，数百名旅客滞留在码头。",
    ),
}


def article(headline: str, **facts: Any) -> dict[str, Any]:
    return {
        "@type": "NewsArticle",
        "headline": headline,
        "datePublished": "2025-03-04",
        "author": {"name": "Jane Moor"},
        **facts,
    }


def other(headline: str, **facts: Any) -> dict[str, Any]:
    return article(headline, **{"datePublished": "2020-01-01", "author": "Max Power", **facts})


def page(language: str, *scripts: Any, head: str = "", title: str | None = None, h1: str | None = None) -> Page:
    headline, _, sentence = PAGES[language]
    written = "".join(f"<script type='application/ld+json'>{json.dumps(script)}</script>" for script in scripts)
    return Page.from_text(
        f"<html lang={language}><head><title>{title or headline + ' - The Gull'}</title>{head}{written}</head>"
        f"<body><article><h1>{h1 or headline}</h1>{f'<p>{sentence}</p>' * 5}</article></body></html>",
        URL,
    )


def found(given: Page) -> tuple[str | None, str | None, tuple[str, ...]]:
    made = extract(given)
    return made.title, made.date, made.authors


@pytest.mark.parametrize("language", PAGES)
@pytest.mark.parametrize(
    ("its", "own"),
    [
        ({"url": "/harbour/regatta.html"}, {"url": URL}),
        ({"mainEntityOfPage": "https://gull.example/harbour/regatta.html"}, {"mainEntityOfPage": {"@id": URL}}),
        (
            {"@id": "https://gull.example/harbour/regatta.html#article"},
            {"@id": "http://gull.example/harbour/fog.html/#article"},
        ),
        ({"mainEntityOfPage": {"url": "/harbour/regatta.html"}}, {"mainEntityOfPage": f"{URL}?utm_source=feed"}),
        ({}, {}),
        ({"mainEntityOfPage": "https://google.com/article"}, {"mainEntityOfPage": "https://google.com/article"}),
    ],
)
def test_the_article_with_the_url_or_the_headline_of_the_page_wins(
    its: dict[str, Any], own: dict[str, Any], language: str
) -> None:
    headline, teaser, _ = PAGES[language]
    wanted = (headline, "2025-03-04", ("Jane Moor",))
    objects = [{"@type": "WebSite", "name": "The Gull"}, other(teaser, **its), article(headline, **own)]
    assert found(page(language, *objects)) == wanted
    assert found(page(language, objects)) == wanted
    assert found(page(language, {"@context": "https://schema.org", "@graph": objects})) == wanted


def test_the_canonical_url_counts_and_the_url_counts_more_than_the_headline() -> None:
    head = "<link rel=canonical href='/harbour/mist/'>"
    objects = (
        other("Fog closes the harbour", url="/2020/fog.html"),
        article("Port shut", url="https://gull.example/harbour/mist"),
    )
    assert found(page("en", *objects, head=head))[1:] == ("2025-03-04", ("Jane Moor",))


def test_an_article_about_another_page_gives_nothing_that_the_own_one_lacks() -> None:
    own = {"@type": "Article", "url": URL}
    assert found(page("en", other("Regatta ends in a storm", url="/regatta"), own)) == ("Fog closes the harbour", None, ())


@pytest.mark.parametrize(
    "objects",
    [
        (other("Regatta ends in a storm"), article("Port shut")),
        (other("Fog closes the harbour", url=URL), article("Fog closes the harbour", url=URL)),
        (article("Regatta ends in a storm", url="/regatta"),),
        ({"@type": "WebPage", "url": "/regatta"}, article("Fog closes the harbour", url=URL)),
    ],
)
def test_the_order_of_the_page_stays_where_nothing_tells_articles_apart(objects: tuple[Any, ...]) -> None:
    metadata = page("en", *objects).metadata
    assert with_own_article(metadata, URL) is metadata


@pytest.mark.parametrize("value", [5, [], {}, "http://[", "#a", None, [URL], {"@id": 5}])
def test_odd_urls_are_none(value: Any) -> None:
    objects = (
        other("Regatta ends in a storm", url=value, mainEntityOfPage=value),
        article("Fog closes the harbour", url=value),
    )
    assert with_own_article(page("en", *objects).metadata, URL).json_ld[0]["author"] == {"name": "Jane Moor"}


TITLE = "The keeper of the lamp hands over the keys"
STORY = {"title": TITLE, "publishedAt": "2026-03-04T09:10:00Z", "author": {"name": "Jane Moor"}, "body": "…"}


def drawn(
    state: object, kind: str = 'id="__NEXT_DATA__" type="application/json"', title: str = f"{TITLE} | Quay News"
) -> Page:
    return Page.from_text(f"<title>{title}</title><div id=app></div><script {kind}>{json.dumps(state)}</script>", URL)


def own_article(page: Page) -> dict[str, Any] | None:
    found = with_own_article(page.metadata, page.url).json_ld
    return dict(found[0]) if found else None


@pytest.mark.parametrize("kind", ['id="__NEXT_DATA__" type="application/json"', "type=application/json data-state"])
def test_day_and_author_may_be_in_the_data_of_an_application(kind: str) -> None:
    other = STORY | {"title": "Another story of the quay, of last year", "publishedAt": "2025-01-01"}
    found = own_article(drawn({"props": [{"related": [other], "post": STORY}]}, kind))
    assert found is not None
    assert (found["datePublished"], found["author"]) == (STORY["publishedAt"], STORY["author"])


@pytest.mark.parametrize(
    "page",
    [
        drawn({"post": STORY}, title="Quay News"),
        drawn({"post": {"title": TITLE, "author": "Jane Moor"}}),
        drawn({"post": STORY}, kind="type=text/javascript"),
        drawn([TITLE, "2026-03-04"]),
        Page.from_text(f"<title>{TITLE}</title><script type='application/json'>{{</script>", URL),
    ],
)
def test_other_data_of_applications_are_no_article(page: Page) -> None:
    assert own_article(page) is None


def test_json_ld_comes_before_the_data_of_an_application() -> None:
    ld = {"@type": "NewsArticle", "headline": TITLE, "datePublished": "2026-03-03"}
    markup = f'<script type="application/ld+json">{json.dumps(ld)}</script>'
    page = Page.from_text(markup + drawn({"post": STORY}).text, URL)
    assert own_article(page) == ld
