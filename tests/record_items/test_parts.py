"""Blanks between text nodes, and kinds of text."""

from __future__ import annotations

import pytest

from newsextract.records.leaves import joined, text_kind


@pytest.mark.parametrize(
    ("texts", "whole"),
    [
        (["bought with", "money", ", they"], "bought with money, they"),
        (["The plot (", "1999", ")"], "The plot (1999)"),
        (["www.green", "house", ".example/tips"], "www.greenhouse.example/tips"),
        (["/", "garden", "-tools/", "spade"], "/garden-tools/spade"),
        (["https://", "a.example", "/b"], "https://a.example/b"),
        (["今天的", "天气", "很好"], "今天的天气很好"),
        (["Land", "..."], "Land ..."),
        (["one", "- two"], "one - two"),
        (["user", "-defined"], "user-defined"),
        (["see /r/Gardens", "for more"], "see /r/Gardens for more"),
        (["FILE_", "NAME"], "FILE_NAME"),
    ],
)
def test_joined(texts: list[str], whole: str) -> None:
    assert joined(texts) == whole


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("3 May 2011", "date"),
        ("May 3, 2011 at 10:22", "date"),
        ("2011-05-03 10:22", "date"),
        ("2小时前", "date"),
        ("昨天 08:30", "date"),
        ("3 hours ago", "date"),
        ("yesterday", "date"),
        ("1,204", "number"),
        ("86%", "number"),
        ("$ 12.50", "price"),
        ("31,90 €", "price"),
        ("www.a.example/b", "address"),
        ("a.example › b › c", "address"),
        ("Market prices in May", "text"),
        ("12 comments", "text"),
        ("·", "none"),
    ],
)
def test_text_kind(text: str, kind: str) -> None:
    assert text_kind(text) == kind
