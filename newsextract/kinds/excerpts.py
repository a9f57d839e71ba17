"""Excerpts: how much of a page's prose stands under headings that lead to other pages of its site.

On a front page or an archive each text, however long, is headed by a link to the article that it begins. An article stands
under its own title; other articles are related to it, below or beside it, and have little prose there. That holds
whatever the classes, the language and the length of the excerpts, and for an archive of a single article, too.

Cost: one pass over the blocks, and the addresses of links in headings.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from newsextract.discovery.addresses import registered_domain
from newsextract.discovery.references import References, host_of
from newsextract.dom import Dom
from newsextract.page import Page

OWN_PROSE = 1_500.0
"""Characters of prose in one run under no such heading with which a page has a text of its own, whatever it teases. Measured
on folds 1-4 of the bench of modern pages: without it 5 % of the articles count as mostly teased."""
MAX_HEADINGS = 500
MAX_LINKS = 20
"""Of one block that are looked at."""
MAX_TEXT = 1_000
"""Characters of a heading or link that are compared."""
LEAST_TITLE = 8
"""Characters of a heading that repeats the page's title."""
_INDEX = re.compile(r"/(?:index|default)\.[a-z]{3,5}$")


def excerpts(page: Page, prose: float) -> tuple[float, float]:
    """``teased`` and ``one_teaser``: what share of the prose is under headings that lead elsewhere, from one half (0) to all
    of it (1), where there are several of them or one.

    :param prose: characters outside links from which on a block is prose.
    """
    dom = page.dom
    heads = linked_headings(page)
    runs: list[int] = []
    is_teased = False
    own = longest_own = run = 0
    for block, count in enumerate(dom.counts) if any(heads.values()) else ():
        if block in heads:
            is_teased = heads[block]
            if is_teased:
                runs.append(0)
            run = 0
        elif count >= prose and count > 2 * dom.link_counts[block]:
            run += count
            if is_teased:
                runs[-1] += count
            else:
                own += count
                longest_own = max(longest_own, run)
    filled = sum(run > 0 for run in runs)
    total = sum(runs) + own
    share = sum(runs) / total * max(0.0, 1 - longest_own / prose * 80 / OWN_PROSE) if total else 0.0
    share = max(0.0, 2 * share - 1)
    return (share if filled > 1 else 0.0, share if filled == 1 else 0.0)


def linked_headings(page: Page) -> dict[int, bool]:
    """Blocks of headings, and whether each leads to another page of the site. Headings that neither lead anywhere nor begin
    the page's own text are left out.

    A heading is the page's own if it leads to the page itself or to one above it (the site's name, a section), if it repeats
    the page's title, or if it is of the first level and leads nowhere. What leads to other sites is left out: a list of what
    others offer is an article, too.
    """
    dom = page.dom
    headings = [(heading, heading.text[:MAX_TEXT]) for heading in dom.headings[:MAX_HEADINGS] if heading.text]
    if not headings:
        return {}
    references = References.of(page)
    title, site = (page.metadata.title or "")[:MAX_TEXT].lower(), references.site()
    found: dict[int, bool] = {}
    for heading, text in headings:
        is_own = len(text) >= LEAST_TITLE and text.lower() in title
        around = _link_around(dom, heading.block, text)
        if around is None:
            if heading.level == 1 or is_own:
                found[heading.block] = False
            continue
        url = references.resolve(around)
        if url is not None and registered_domain(host_of(url)) == site:
            found[heading.block] = not is_own and leads_elsewhere(references.here, url)
    return found


def _link_around(dom: Dom, block: int, heading: str) -> str | None:
    """The address of the link that is (nearly) all of a heading, or of a card that holds it."""
    first = bisect_left(dom.link_blocks, block - 1)
    for link in range(first, min(first + MAX_LINKS, bisect_left(dom.link_blocks, block + 1))):
        node = dom.link_nodes[link]
        if _is_of(" ".join(node.text()[:MAX_TEXT].split()), heading):
            return node.attrs["href"] or None
    return None


def _is_of(text: str, heading: str) -> bool:
    """Whether a link is (nearly) all of a heading, or a card that holds it."""
    return bool(text) and ((2 * len(text) > len(heading) and text in heading) or heading in text)


def leads_elsewhere(here: str, url: str) -> bool:
    """Whether an address is neither that of the page nor of one above it. Both are in normal form."""
    if "?" in url:
        return url != here
    above = _INDEX.sub("/", url).rstrip("/")
    return not (here.partition("?")[0].rstrip("/") + "/").startswith(above + "/")
