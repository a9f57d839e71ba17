"""Articles with given blocks, so that no test depends on what an algorithm chooses; and plain text of what was rendered."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

import pytest
from markdown_it import MarkdownIt

from newsextract import Article, Page
from newsextract.dom import read_dom
from newsextract.extraction import failure

MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table")


def article_of(page: Page, blocks: Iterable[int], **fields: object) -> Article:
    chosen = tuple(blocks)
    empty = failure(page, "test", "ok", "")
    return dataclasses.replace(empty, **{"text": page.dom.text(chosen), "blocks": chosen, **fields})  # type: ignore[arg-type]


def html_words(html: str) -> list[str]:
    return " ".join(read_dom(html).texts).split()


def markdown_words(markdown: str) -> list[str]:
    return html_words(MARKDOWN.render(markdown))


@pytest.fixture
def render() -> Callable[..., tuple[str, str]]:
    raise NotImplementedError
