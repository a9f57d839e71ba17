"""How many changes of a page ``oem check`` notices, against the counts of the page as it was: the figure of docs/oem.md.

Each page of the set is changed as sites change: one kind of tag gets another name, everywhere or from the middle of the page on;
its end tags are left out; a class gets another name. Changes that leave the objects as they are do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from newsextract.page.page import Page
from newsextract.wrappers import Format, load_format, run
from newsextract.wrappers.drift import PageCounts, count_page, warnings
from newsextract.wrappers.objects import plain
from tests.oem.set.build import pages

TAGS = "a b i em strong li td th tr p div span h1 h2 h3 h4 font ul ol table br dd dt article section time".split()


def changes(source: str) -> Iterator[str]:
    for tag in TAGS:
        named = re.compile(rf"(</?){tag}(?=[\s>])", re.IGNORECASE)
        places = [match.start() for match in named.finditer(source)]
        if places:
            yield named.sub(r"\1xx", source)
            middle = places[len(places) // 2]
            yield source[:middle] + named.sub(r"\1xx", source[middle:])
            yield re.sub(rf"</{tag}>", "", source, flags=re.IGNORECASE)
    for name in sorted(set(re.findall(r'class="?([\w-]+)', source))):
        yield re.sub(rf'(class="?){name}\b', r"\1zz", source)


def counted(wrapper: Format, source: str, url: str) -> tuple[object, PageCounts]:
    page = Page.from_text(source, url)
    result = run(wrapper, page)
    view = plain(result.root, wrapper.many) if result.root is not None else None
    return view, count_page(wrapper, page, "page", result)


@pytest.mark.slow
def test_nine_in_ten_changes_are_noticed() -> None:
    made = noticed = 0
    for page in pages():
        wrapper = load_format(page.format_path)
        source = Page(page.body, page.url).text
        before, usual = counted(wrapper, source, page.url)
        assert usual.fits, page.name
        assert warnings(wrapper, usual) == [], page.name
        assert warnings(wrapper, usual, [usual]) == [], page.name
        for changed in changes(source):
            after, counts = counted(wrapper, changed, page.url)
            if after != before:
                made += 1
                noticed += not counts.fits or bool(warnings(wrapper, counts, [usual]))
    assert made > 150
    print(f"{noticed} of {made} changes noticed")
    assert noticed >= 0.88 * made
