"""The elements of HTML as the tree walk reads them: which make blocks, which are parts of a line, which make no text; and
what their neighbours say of them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from selectolax.lexbor import LexborNode

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd mark nobr output q rb rp ruby s samp
    small span strike strong sub sup time tt u var wbr label img picture source track br
    """.split()
)
LEFT_OUT = frozenset(
    """
    script style noscript template iframe frame frameset noframes object embed applet param svg math canvas audio video map
    area head title meta link base textarea select option optgroup datalist button input keygen progress meter dialog
    rt rtc
    """.split()
)
HEADINGS = {f"h{level}": level for level in range(1, 7)}

PHRASING = frozenset((*HEADINGS, "p", "pre"))
"""In these, elements that HTML does not know are parts of a line, since no block can be in them."""

OMIT, UNWRAP, BREAK, IMAGE, LINK, BLOCK, HEADING = range(7)
ACTIONS = (
    dict.fromkeys(INLINE, UNWRAP)
    | dict.fromkeys(LEFT_OUT, OMIT)
    | dict.fromkeys(HEADINGS, HEADING)
    | {"a": LINK, "br": BREAK, "img": IMAGE}
)
_SIGN = re.compile(r"\s*[¶§#∞⚓🔗]\ufe0f?\s*")
ATTACHED = frozenset(("sub", "sup"))
"""Inline elements that belong to the word before them."""
_SPOKEN = "visually-hidden visuallyhidden sr-only screen-reader screenreader offscreen mw-editsection".split()
"""In the class of what only screen readers read, and the links of MediaWiki that edit a section. Not `u-srOnly` of XenForo,
whose "Reactions:" tells where a post ends."""
_LONGEST_SPOKEN, _MOST_SPOKEN, _BESIDE = 200, 200_000, 4
"""Characters of one of them, and of all that are looked at, at most; nodes beside it that are looked at."""
TEXT_NUMBER = 2  # lexbor's LXB_TAG__TEXT


def are_words(before: str, text: str) -> bool:
    """Whether two inline elements side by side hold two words, which only the style sheet sets apart: the name and the role
    of a person, an entry and its number. Neither initials nor highlighted parts of a word are.

    Of 508 such borders on pages of folds 1-4 497 are between two words of the truth, 11 within one.

    :param before: the text that ends the first element.
    """
    last, first = before[-1], text[0]
    if last.islower():
        return first.isupper() or first.isdigit()
    is_longer = text[1:2].isalnum()
    if last.isdigit() and first.isupper():
        return is_longer
    is_alike = (last.isupper() and first.isupper()) or (last.isdigit() and first.isdigit())
    return is_alike and is_longer and before[-2:-1].isalnum()


class Spoken:
    """Tells the elements within lines that are there for screen readers alone: "Regular price" before a price, "Article
    content" before a paragraph. One with nothing beside it is left: it may be the heading of its section.

    On folds 1-4 the truth leaves out such a text beside one that it has on 59 pages, and has both on 10.
    """

    def __init__(self) -> None:
        self.left = _MOST_SPOKEN

    def is_spoken(self, node: LexborNode) -> bool:
        """Whether an element is such a one."""
        if not _names_spoken(node.attributes.get("class")) or self.left < 0:
            return False
        shown = node.text()
        self.left -= len(shown) + 1
        return self.left >= 0 and len(shown) <= _LONGEST_SPOKEN and _is_beside_text(node)


@lru_cache(maxsize=4096)
def _names_spoken(classes: str | None) -> bool:
    folded = (classes or "").lower()
    return any(name in folded for name in _SPOKEN) and "not-sr" not in (classes or "")


def _is_beside_text(node: LexborNode) -> bool:
    before, behind = node.prev, node.next
    for _ in range(_BESIDE):
        for at in (before, behind):
            if at is None:
                continue
            if at.tag_id == TEXT_NUMBER:
                if (at.text_content or "").strip():
                    return True
            elif at.is_element_node and at.tag not in LEFT_OUT and at.tag not in ("br", "img"):
                return True
        before, behind = before and before.prev, behind and behind.next
    return False


def is_opener(node: LexborNode) -> bool:
    """Whether an element is the button in a heading that shows the text below it (the accordion of the WAI-ARIA Authoring
    Practices): its text is the heading."""
    at = node.parent if node.tag == "button" else None
    while at is not None and ACTIONS.get(at.tag or "", BLOCK) in (UNWRAP, LINK):
        at = at.parent
    return at is not None and at.tag in HEADINGS


def is_own_link(shown: str, link: LexborNode) -> bool:
    """Whether a link is the sign (¶, #) that generators put at a heading or a figure for the link to itself.

    :param shown: its text.
    """
    return _SIGN.fullmatch(shown) is not None and (link.attrs["href"] or "").startswith("#")
