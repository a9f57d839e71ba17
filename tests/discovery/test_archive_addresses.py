"""Addresses and sitemaps of archives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsextract.discovery import normalize
from newsextract.discovery.links import archive_group, is_fixed_page, lists_among

HOST = "http://www.example.org"


@pytest.mark.parametrize(
    "path",
    [
        "/tag/harbour/", "/tagged/harbour", "/tags/harbour/page/2/", "/blog/category/science.html", "/author/mara-quill", "/archives/", "/archive.html",
        "/2025/", "/2025/04/", "/2025/4/30/", "/news/page/3/", "/?cat=4", "/?paged=2", "/blog/?page=12", "/tags/%E6%A1%A3/",
        "/kategorie/hafen/", "/index.php/autor/anna/", "/archives/2025/04.html", "/2025-04/", "/archives/2025_04.html", "/tag:harbour",
        "/blog/category:science/page:2", "/tags/a/index1.html", "/2025/04/index2.html",
        "/tag-harbour.html", "/blog/author-anna-berg-2.html", "/archive-2025.html", "/tag/harbour/index-2.html",
    ],
)  # fmt: skip
def test_pages_of_tags_authors_months_and_later_pages_are_archives(path: str) -> None:
    assert archive_group(normalize(HOST + path) or "") is not None


@pytest.mark.parametrize(
    "path",
    [
        "/", "/about/", "/2025/04/30/the-tide/", "/archives/812.html", "/blog/archives/2013/05/06/the-tide/", "/the-tide.html",
        "/category/science/2025/04/the-tide/", "/?p=123", "/2025-04-30.html", "/page/the-tide/", "/?page=the-tide",
        "/tag-along-with-us-to-the-harbour.html", "/archives-of-the-old-harbour", "/taggers-at-work/",
    ],
)  # fmt: skip
def test_articles_and_fixed_pages_are_none(path: str) -> None:
    assert archive_group(normalize(HOST + path) or "") is None


def test_all_tags_of_a_site_are_one_group_and_its_authors_another() -> None:
    tags = {archive_group(f"{HOST}/tag/{name}/") for name in ("a", "b", "c/page/2", "d/index2.html")}
    assert len(tags) == 1
    assert archive_group(f"{HOST}/author/a/") not in tags
    assert {archive_group(f"{HOST}/tag-{name}.html") for name in ("a", "b-2")} == tags
    assert archive_group(f"{HOST}/2025/04/") == archive_group(f"{HOST}/2024/11/") != archive_group(f"{HOST}/blog/2024/11/")


@given(st.text(max_size=80))
def test_any_text_has_an_answer(text: str) -> None:
    assert archive_group(text) is None or isinstance(archive_group(text), str)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/about/", True), ("/en/Privacy-Policy.html", True), ("/%E5%85%B3%E4%BA%8E", True), ("/about?lang=de", True), ("/", False),
        ("/jobs", True), ("/privacidad/", True), ("/about/index.html", True), ("/index.html", False),
        ("/about-the-tide/", False), ("/about/the-tide/", False), ("/2025/04/about/", False), ("/?page=about", False),
    ],
)  # fmt: skip
def test_pages_about_the_site_are_fixed(path: str, expected: bool) -> None:
    assert is_fixed_page(normalize(HOST + path) or "") is expected


def test_sitemaps_of_archives_and_of_fixed_pages_beside_dated_ones_are_lists() -> None:
    wordpress = [f"{HOST}/wp-sitemap-{name}-1.xml" for name in ("posts-post", "posts-page", "taxonomies-category", "users")]
    assert lists_among(wordpress) == set(wordpress[1:])
    plugin = [f"{HOST}/{name}-sitemap.xml" for name in ("post", "page", "category", "post_tag", "author")]
    assert lists_among(plugin) == set(plugin[1:])


def test_a_name_is_only_a_hint() -> None:
    assert lists_among([f"{HOST}/sitemap-pages-1.xml", f"{HOST}/sitemap-pages-2.xml"]) == set()
    assert lists_among([f"{HOST}/tags.xml", f"{HOST}/categories.xml"]) == set(), "nothing would be left"
    assert lists_among([f"{HOST}/news-2025-04.xml", f"{HOST}/news-2025-05.xml"]) == set()
    assert lists_among([]) == set()


def test_comments_and_other_versions_beside_articles_are_one_group() -> None:
    beside = {archive_group(f"{HOST}/p/{name}/comments") for name in ("harbour", "ferry")}
    assert len(beside) == 1
    assert beside != {None}
    assert archive_group(f"{HOST}/comments") is None
