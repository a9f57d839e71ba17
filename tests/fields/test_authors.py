"""Authors."""

import pytest

from newsextract.article import Surroundings
from newsextract.fields.authors import MAX_AUTHORS, find_authors
from newsextract.fields.metadata import read_metadata


def authors(markup: str = "", *before: str) -> tuple[str, ...]:
    return find_authors(read_metadata(markup), Surroundings(before=before))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("By Jane Doe", ("Jane Doe",)),
        ("By Jane Doe and Max Power, Reuters", ("Jane Doe", "Max Power")),
        ("3 May 2019 | By Jane Doe", ("Jane Doe",)),
        ("Von Eva Klein und Hans Müller", ("Eva Klein", "Hans Müller")),
        ("Par Jean Dupont", ("Jean Dupont",)),
        ("作者：林晓舟", ("林晓舟",)),
        ("来源：示例网 作者：林晓舟、王小明", ("林晓舟", "王小明")),
        ("记者 王某", ("王某",)),
        ("By the river stood a house", ()),
        ("Reuters", ()),
    ],
)
def test_bylines(text: str, expected: tuple[str, ...]) -> None:
    assert authors("", text) == expected


def test_json_ld() -> None:
    page = (
        '<script type="application/ld+json">{"@type": "Article", "author": ['
        '{"@type": "Person", "name": "Jane Doe"}, "Max Power", {"@type": "Organization", "name": "The Gull"}]}</script>'
    )
    assert authors(page, "By Someone Else") == ("Jane Doe", "Max Power")


@pytest.mark.parametrize("name", ["author", "byl", "parsely-author", "DC.creator", "article:author"])
def test_meta(name: str) -> None:
    assert authors(f'<meta name="{name}" content="By Jane Doe &amp; Max Power (jane@gull.example)">') == (
        "Jane Doe",
        "Max Power",
    )


def test_addresses_agencies_and_the_site_are_no_authors() -> None:
    page = (
        '<meta property="article:author" content="https://social.example/jane"><meta name=author content="Reuters">'
        '<meta property="og:site_name" content="The Gull"><meta name=byl content="The Gull">'
        '<a rel="author" href="/jane">Jane Doe</a>'
    )
    assert authors(page) == ("Jane Doe",)


def test_microdata() -> None:
    assert authors('<span itemprop="author">By <b>Jane Doe</b></span>') == ("Jane Doe",)


def test_each_author_once_and_not_too_many() -> None:
    assert authors('<meta name=author content="Jane Doe, JANE DOE">') == ("Jane Doe",)
    names = ", ".join(f"Jo {chr(65 + i)}oe" for i in range(20))
    assert len(authors(f'<meta name=author content="{names}">')) == MAX_AUTHORS
