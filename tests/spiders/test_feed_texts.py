"""Texts that feeds carry whole, and the pages that are made of them."""

from __future__ import annotations

from newsextract import Hints, extract
from newsextract.discovery import FeedEntry
from spiders.traps import LEAST, MOST, FeedTexts

URL = "http://a.example/p/1"
SENTENCE = "The council voted for the second bridge after a long debate, and the harbour office will replace the old one. "
TEXT = "".join(f"<p>{SENTENCE * 2}Part {k}.</p>" for k in range(5))


def test_an_entry_makes_a_page_once() -> None:
    texts = FeedTexts()
    texts.keep(1, FeedEntry(URL, 'The <bridge> & "its" council', None, author="Ann Lee", content=TEXT))
    page = texts.page(1, URL, Hints(date="2025-01-02", source="feed"), "blocked: HTTP 403")
    assert page is not None
    article = extract(page)
    assert (article.url, article.status, article.title) == (URL, "ok", 'The <bridge> & "its" council')
    assert (article.authors, (article.date or "")[:10]) == (("Ann Lee",), "2025-01-02")
    assert article.text.count("\n") == 4
    assert "feed" in (article.reason or "")
    assert "HTTP 403" in (article.reason or "")
    assert texts.page(1, URL, Hints(), "") is None


def test_teasers_and_what_is_too_much_are_not_kept() -> None:
    texts = FeedTexts()
    texts.keep(1, FeedEntry(URL, content=f"<p class='{'x' * LEAST}'>Read more</p>"))
    texts.keep(2, FeedEntry(URL))
    texts.keep(3, FeedEntry(URL, content="x" * (MOST - LEAST)))
    texts.keep(4, FeedEntry(URL, content="y" * 2 * LEAST))
    assert [texts.drop(number) is not None for number in (1, 2, 3, 4)] == [False, False, True, False]
    texts.keep(4, FeedEntry(URL, content="y" * 2 * LEAST))
    assert texts.drop(4) is not None, "there is room again"
