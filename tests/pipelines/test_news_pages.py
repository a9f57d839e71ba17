"""Kind, links and article of a news page in one call."""

from __future__ import annotations

import json

import pytest

from newsextract import Hints, Page, extract
from newsextract.discovery import Rules
from pipelines.page_work import SURE_PRODUCT, NewsPage, read_news_page

TEXT = "The kettle holds two litres and boils them in four minutes. Its handle stays cool, and the lid closes by itself. "


def product(source: str | None, head: str = "") -> Page:
    thing = {
        "@context": "https://schema.org",
        "@type": "Product",
        "name": "Kettle 22",
        "sku": "K22",
        "offers": {"price": "22.99"},
    }
    data = (
        f'<meta property="og:type" content="product"><script type="application/ld+json">{json.dumps(thing)}</script>{head}'
    )
    body = (
        '<div class="product type-product"><h1 class="product_title">Kettle 22</h1><p class="price"><span class="amount">€ 22.99</span></p>'
        '<form class="cart"><input name="quantity" value="1"><button class="single_add_to_cart_button">Add to cart</button></form>'
        f'<div class="product_meta"><span class="sku_wrapper">SKU: K22</span></div><h2>Description</h2><p>{TEXT * 2}</p><p>{TEXT}</p>'
        '<table class="shop_attributes"><tr><th>Weight</th><td>22 g</td></tr></table></div>'
    )
    source_text = f"<html><head><title>Kettle 22 – Shop</title>{data}</head><body>{body}</body></html>"
    return Page(source_text.encode(), "http://shop.example/shop/kettle-22.html", hints=Hints(source=source))


def read(page: Page, rules: Rules | None = None) -> NewsPage:
    return read_news_page(page, rules or Rules(), "article", "combined")


def test_a_product_without_a_date_that_only_a_sitemap_names_is_no_article() -> None:
    found = read(product("sitemap"))
    assert found.found.kind.kind == "product"
    assert found.found.kind.confidence >= SURE_PRODUCT
    assert (found.is_article, found.extracted) == (False, None)


@pytest.mark.parametrize(
    ("page", "rules"),
    [
        (product("feed"), Rules()),
        (product(None), Rules()),
        (product("sitemap"), Rules(allow=("/shop/",))),
        (product("sitemap", '<meta property="article:published_time" content="2025-01-02T10:00:00Z">'), Rules()),
    ],
)
def test_a_feed_the_user_or_a_date_makes_it_one(page: Page, rules: Rules) -> None:
    found = read(page, rules)
    assert found.is_article
    assert found.extracted is not None


def test_the_text_of_an_undecided_page_that_a_feed_or_a_listing_names_is_that_of_an_article() -> None:
    menu = '<ul><li><a href="/pages/help">Help</a></li><li><a href="/code">code</a></li></ul>'
    text = "Virtual reality has reached the consoles at last, and to our surprise it is pretty good."
    source = f"<title>A note</title>{menu}<h2>A note on consoles</h2><p>17 September 2026</p><p>{text}</p>".encode()
    pages = [
        Page(source, "http://x.example/posts/note", hints=Hints(source=name)) for name in ("sitemap", "feed", "listing")
    ]
    assert pages[0].kind.kind is None
    assert ["Help" in extract(page).text for page in pages] == [True, False, False]
