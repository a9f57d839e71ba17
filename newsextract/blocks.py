"""The one block type: a page as a sequence of text blocks, whether a tokenizer (:mod:`newsextract.source`) or a tree
(:mod:`newsextract.dom`) found them. What stands around a chosen run of them goes to the shared title and date modules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from newsextract.article import Heading, Surroundings

_NEAR = 2
"""Blocks before and after an end of the main text that Zou & Zhong (§1.2.3) search for title and date."""
_CONTEXT = 14
"""Non-empty blocks before the main text that the shared title and date modules are given."""


@dataclass(eq=False)
class Blocks:
    """Lists of equal length, one entry a block, in document order."""

    texts: list[str] = field(default_factory=list)
    """Text with link text, entities resolved, white space folded; may be empty."""
    counts: list[int] = field(default_factory=list)
    """Characters outside links, white space not counted."""
    link_counts: list[int] = field(default_factory=list)
    """Characters inside links, white space not counted."""
    headings: list[Heading] = field(default_factory=list)
    """Headings h1–h6 in document order; each knows its block."""

    @cached_property
    def length(self) -> int:
        """Characters of text on the page, links included, white space not counted."""
        return sum(self.counts) + sum(self.link_counts)

    def text(self, chosen: Iterable[int]) -> str:
        """The text of some blocks, a line each."""
        return "\n".join(filter(None, (self.texts[i] for i in chosen)))

    def surroundings(self, first: int, last: int) -> Surroundings:
        """What the field modules read: blocks and headings around the main text (``first``, ``last``: its end blocks)."""
        before = [i for i in range(max(0, first - 20 * _CONTEXT), first) if self.texts[i]][-_CONTEXT:]
        near = range(first, min(last, first + _NEAR) + 1)
        after = range(max(first, last - _NEAR), min(len(self.texts), last + 5 * _NEAR + 1))
        return Surroundings(
            headings=tuple(h for h in self.headings if h.block <= first + _NEAR and h.text)[-_CONTEXT:],
            before=tuple(self.texts[i] for i in (*before, *near) if self.texts[i]),
            after=tuple(self.texts[i] for i in after if self.texts[i]),
            first=first,
        )

    def confidence(self, chosen: Sequence[int]) -> float:
        """How sure a choice of blocks can be, 0–1, by its shape alone: the share of the page's unlinked text that was
        chosen, lowered where the choice holds many links or little text."""
        count = sum(self.counts[i] for i in chosen)
        linked = sum(self.link_counts[i] for i in chosen)
        share = count / max(1, sum(self.counts))
        return round(share * count / (count + linked + 1) * count / (count + 100), 4)
