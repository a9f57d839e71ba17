"""Shapes of URLs, and when pages of a shape are left out."""

from __future__ import annotations

import pytest

from spiders.traps import BARREN, SourceParameters, Traps, url_shape

HOST = "http://10.0.0.7:81"


@pytest.mark.parametrize(
    ("path", "shape"),
    [
        ("/", "/"),
        ("/about", "/about"),
        ("/news/2025/some-story-of-a-man", "/news/*/some-story-of-a-man"),
        ("/p/123", "/p/*"),
        ("/sitemap-12.xml", "/*.xml"),
        ("/?visit=af03", "/*?visit=*"),
        ("/shop/boots?visit=af03&sort=up", "/shop/*?visit=*&sort=*"),
        ("/a/", "/a"),
    ],
)
def test_a_shape_keeps_the_host_and_the_words_of_the_path(path: str, shape: str) -> None:
    assert url_shape(HOST + path) == HOST + shape


def test_slugs_count_as_changing_where_that_is_wanted() -> None:
    assert url_shape(f"{HOST}/t/some-story-of", has_slugs=True) == f"{HOST}/t/*"
    assert url_shape(f"{HOST}/t/some-story", has_slugs=True) == f"{HOST}/t/some-story"


def test_a_shape_is_left_out_after_barren_pages_in_a_row_only() -> None:
    traps = Traps()
    for number in range(BARREN - 1):
        traps.gave_nothing(f"{HOST}/p/{number}")
    assert not traps.is_left_out(f"{HOST}/p/999")
    traps.gave(f"{HOST}/p/1000")
    for number in range(BARREN - 1):
        traps.gave_nothing(f"{HOST}/p/{number}")
    assert not traps.is_left_out(f"{HOST}/p/999", is_asked_for=True)
    assert list(traps.lines()) == []
    traps.gave_nothing(f"{HOST}/p/1001")
    traps.gave(f"{HOST}/p/1002")  # was on its way
    assert traps.is_left_out(f"{HOST}/p/999", is_asked_for=True)
    assert not traps.is_left_out(f"{HOST}/q/999", is_asked_for=True)
    assert list(traps.lines()) == [
        f"{HOST}/p/*: 1 left out, since {BARREN} such pages in a row gave nothing new; later runs try again"
    ]


def test_parameters_that_canonical_addresses_lack() -> None:
    parameters = SourceParameters()
    for number in (1, 1, 2):
        assert parameters.without("quay", f"{HOST}/story-9?a=b&source=home") == f"{HOST}/story-9?a=b&source=home"
        page, bare = f"{HOST}/story-{number}?a=b&source=front", f"{HOST}/story-{number}"
        parameters.learn("quay", page, f"{bare}?a=b", is_article=True)
        parameters.learn("quay", f"{HOST}/list-{number}?tag=x", f"{HOST}/list-{number}", is_article=False)
        parameters.learn("quay", f"{bare}?lang=fr", f"{HOST}/other-{number}", is_article=True)
    assert parameters.without("quay", f"{HOST}/story-9?a=b&source=home") == f"{HOST}/story-9?a=b"
    assert parameters.without("quay", f"{HOST}/story-9?source=home") == f"{HOST}/story-9"
    for path in ("/story-9", "/story-9?source=2", "/?source=home", "/story-9?lang=fr", "/list-9?tag=y"):
        assert parameters.without("quay", HOST + path) == HOST + path
    assert parameters.without("pier", f"{HOST}/story-9?source=home") == f"{HOST}/story-9?source=home"
    parameters.learn("quay", f"{HOST}/story-3?source=x", f"{HOST}/story-3?source=x", is_article=True)
    assert parameters.without("quay", f"{HOST}/story-9?source=home") == f"{HOST}/story-9?source=home"


@pytest.mark.parametrize(
    "version",
    ["http://www.quay.example/amp/news/{}-7", "http://www.quay.example/news/{}-7/print", "http://m.quay.example/news/{}-7"],
)
def test_other_versions_of_articles(version: str) -> None:
    parameters, article = SourceParameters(), "http://www.quay.example/news/{}-7"
    other = version.format("keeper")
    for name in ("lamp", "lamp", "boat"):
        assert parameters.without("quay", other) == other
        parameters.learn("quay", article.format(name), article.format(name), is_article=True)
        parameters.learn("quay", version.format(name), article.format(name), is_article=True)
    assert parameters.without("quay", other) == article.format("keeper")
    assert parameters.without("quay", article.format("keeper")) == article.format("keeper")
    assert parameters.without("pier", other) == other
    parameters.learn("quay", version.format("own"), None, is_article=False)
    assert parameters.without("quay", other) == other


def test_pages_of_one_article_and_other_articles_are_no_versions() -> None:
    parameters, base = SourceParameters(), "http://www.quay.example/news"
    for name in ("lamp", "boat", "keeper"):
        parameters.learn("quay", f"{base}/{name}/2", f"{base}/{name}", is_article=True)
        parameters.learn("quay", f"{base}/{name}/tides", f"{base}/storm", is_article=True)
        parameters.learn("quay", f"{base}/{name}/list", f"{base}/{name}", is_article=False)
    for path in ("pier/2", "pier/tides", "pier/list"):
        assert parameters.without("quay", f"{base}/{path}") == f"{base}/{path}"
