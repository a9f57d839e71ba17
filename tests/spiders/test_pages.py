"""Responses that are no pages."""

from __future__ import annotations

import pytest
from scrapy.http import Response

from spiders.pages import plain_text


@pytest.mark.parametrize(
    ("kind", "body", "is_plain"),
    [
        ("text/plain; charset=utf-8", "Tides\n=====\n\nThe ferry came in late, 3 < 5.", True),
        ("text/plain", "<!DOCTYPE html><title>Tides</title>The ferry came in late.", False),
        ("text/plain", "The <b>ferry</b> came in late.<br>Nobody said a word.", False),
        ("text/html", "The ferry came in late.", False),
        ("", "The ferry came in late.", False),
    ],
)
def test_a_text_without_markup_is_no_page(kind: str, body: str, is_plain: bool) -> None:
    headers = {"Content-Type": kind} if kind else None
    found = plain_text(Response("https://www.example.org/_sources/tides.txt", headers=headers, body=body.encode()))
    assert (found is not None) == is_plain
