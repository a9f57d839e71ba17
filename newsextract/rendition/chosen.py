"""What is to be rendered of a page: the blocks of the article, checked against its text; and what is known around it."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple
from urllib.parse import urljoin

from newsextract.article import Article
from newsextract.dom import Dom
from newsextract.extraction import letters
from newsextract.page import Page


class Chosen(NamedTuple):
    """The blocks of an article, and what of their text is not in the article's."""

    blocks: tuple[int, ...]
    deleted: dict[int, None]
    """Characters that the algorithm deleted from its text, for ``str.translate``."""
    skipped: int
    """Lines at the start that repeat the headline: 0 or 1."""

    @classmethod
    def of(cls, dom: Dom, article: Article) -> Chosen | None:
        """None where the article's text is not that of its blocks: it is not of this page, or was changed."""
        blocks = article.blocks or ()
        if any(b <= a for a, b in pairwise(blocks)) or not all(0 <= b < len(dom.texts) for b in blocks):
            return None
        text = dom.text(blocks)
        if text == article.text:
            return cls(blocks, {}, 0)
        deleted = {ord(c): None for c in set(text) - set(article.text) if not c.isspace()}
        lines = [" ".join(line.split()) for line in text.translate(deleted).split("\n")]
        lines = [line for line in lines if line]
        expected = article.text.split("\n")
        skipped = len(lines) - len(expected)
        return cls(blocks, deleted, skipped) if skipped in (0, 1) and lines[skipped:] == expected else None


def headline(dom: Dom, title: str | None, first: int) -> int:
    """The block of the last heading before the text that is the title; -1 if there is none."""
    wanted = letters(title or "")
    blocks = [h.block for h in dom.headings if h.block < first and letters(h.text) == wanted] if wanted else []
    return blocks[-1] if blocks else -1


def base_address(page: Page, article: Article) -> str:
    """What the references of a page are resolved against; empty if unknown."""
    here = page.url or article.canonical_url or ""
    node = page.dom.nodes[0].css_first("base[href]")
    try:
        return urljoin(here, (node.attributes.get("href") or "").strip()) if node is not None else here
    except ValueError:
        return here
