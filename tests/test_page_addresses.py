"""Which addresses come through, and in which form."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from newsextract.page.references import Addresses

ADDRESSES = Addresses("https://example.org/a/b?c")


@pytest.mark.parametrize(
    ("href", "address"),
    [
        ("d", "https://example.org/a/d"),
        ("//other.example/x", "https://other.example/x"),
        ("?d", "https://example.org/a/b?d"),
        ("/x#y", "https://example.org/x#y"),
        (" HTTPS://Example.org/x \n", "https://Example.org/x"),
        ("https://example.org/新闻", "https://example.org/新闻"),
        ('/a b"<>', "https://example.org/a%20b%22%3C%3E"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("mailto:", None),
        ("#top", None),
        (" #", None),
        ("", None),
        (None, None),
        ("javascript:alert(1)", None),
        ("JaVa\nScript:alert(1)", None),
        ("\x01javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("ftp://x.example/", None),
        ("tel:123", None),
        ("http://[::1", None),
        ("http:///x", None),
        ("/" + "x" * 5_000, None),
    ],
)
def test_links(href: str | None, address: str | None) -> None:
    assert ADDRESSES.link(href) == address


@pytest.mark.parametrize(
    ("attributes", "address"),
    [
        ("src=/x.jpg", "/x.jpg"),
        ("src=/x.jpg srcset='/s.jpg 400w, /l.jpg 1600w, /m.jpg 800w'", "/l.jpg"),
        ("src=/x.jpg srcset='/1.jpg, /2.jpg 2x'", "/2.jpg"),
        ("src=/x.jpg srcset='/1,a.jpg 1.5x,/2,b.jpg 3x'", "/2,b.jpg"),
        ("src=/x.jpg srcset='/1.jpg nonsense,/2.jpg 1e9w'", "/1.jpg"),
        ("src=/x.jpg srcset=' , '", "/x.jpg"),
        ("src=/x.jpg srcset='data:image/gif;base64,R0 1w' data-srcset='/y.jpg 2w'", "/y.jpg"),
        ("src=/x.jpg data-original=/y.jpg", "/y.jpg"),
        ("src=/x.jpg data-src='/y-{width}.jpg'", "/x.jpg"),
        ("src=/img/Blank.gif?v=1", None),
        ("src=/loading-dock.jpg", "/loading-dock.jpg"),
        ("src='mailto:x'", None),
        ("src", None),
        ("src=/x.jpg width=49", None),
        ("src=/x.jpg width=50 height=' 60.5PX '", "/x.jpg"),
        ("src=/x.jpg width=auto height=-1", "/x.jpg"),
    ],
)
def test_pictures(attributes: str, address: str | None) -> None:
    node = LexborHTMLParser(f"<img {attributes}>").css_first("img")
    assert node is not None
    assert ADDRESSES.picture(node) == (f"https://example.org{address}" if address else None)


def test_sources_of_a_picture() -> None:
    markup = "<picture><source><source srcset='/a.webp 1x'><source data-srcset='/b.webp 1x'>\n<img></picture>"
    node = LexborHTMLParser(markup).css_first("img")
    assert node is not None
    assert ADDRESSES.picture(node) == "https://example.org/b.webp"


def test_without_a_base_only_whole_addresses() -> None:
    assert Addresses("").link("/x") is None
    assert Addresses("").link("https://example.org/x") == "https://example.org/x"
