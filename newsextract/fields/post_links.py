"""The links of a post: its own address, and that of the post that it answers.

Cost: a few operations a link.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from urllib.parse import urljoin, urlsplit

import numpy as np

from newsextract.fields.post_elements import NOWHERE, elements, is_quotation, post_elements, words
from newsextract.fields.post_quotes import MAX_HEAD, whose
from newsextract.page.nodes import Nodes
from newsextract.records.leaves import has_word, text_kind
from newsextract.results import Record

_NUMBERED = re.compile(r"[\W_]\d+/?$")
"""A URL that ends with a number."""
_MAX_SAID = 40
"""Characters before a link that may say that it leads to the post that is answered."""


def answered(nodes: Nodes, record: Record, around: Sequence[int], url: str | None) -> str | None:
    """Where a link leads that stands after "in reply to" or the like, else that to the post whose words it quotes first."""
    page = post_elements(nodes)
    for root in (*record.nodes, *around[:1]):
        for node in page.within(page.links, root):
            if (address := _leads_to(nodes, node, url)) and _is_answered(nodes, node):
                return address
    quoting = (node for node, *_ in elements(nodes, record.nodes, page.quotations, quotations=True))
    return next((_quoted(nodes, node, url) for node in quoting), None)


def _quoted(nodes: Nodes, quotation: int, url: str | None) -> str | None:
    """Where the link to a post leads that is in or behind the line that says whose a quotation is."""
    fragment_form, address_form, _ = link_forms()
    before = ""
    is_said = False
    for node in range(quotation + 1, int(nodes.ends[quotation])):
        if not nodes.tags[node]:
            before = f"{before} {nodes.texts[node]}".strip()
            if len(before) > MAX_HEAD or (is_said and whose(before) is None and has_word(nodes.texts[node])):
                break
        elif is_said and is_quotation(nodes.tags[node], nodes.attributes[node]):
            break  # one within it
        elif address := _leads_to(nodes, node, url):
            within = nodes.text(node)[:MAX_HEAD]
            is_form = fragment_form.fullmatch(urlsplit(address).fragment) or address_form.search(address)
            is_head = is_said or whose(within) is not None
            # A name may lead to a numbered profile.
            if (is_form and (is_head or whose(f"{before} {within}") is not None)) or (is_head and _NUMBERED.search(address)):
                return address
        is_said = is_said or whose(before) is not None
    return None


def _leads_to(nodes: Nodes, node: int, url: str | None) -> str | None:
    """The absolute URL of a link; None for another element or a script's."""
    href = nodes.attributes[node].get("href", "") if nodes.tags[node] == "a" else ""
    return _joined(href, url) if href else None


@lru_cache(maxsize=1_024)
def _joined(href: str, url: str | None) -> str | None:
    if href.startswith(("javascript:", "mailto:", "data:")) or href == "#":
        return None
    try:
        return urljoin(url or NOWHERE, href.strip())
    except ValueError:
        return None  # not a valid URL


def _is_answered(nodes: Nodes, link: int) -> bool:
    """Whether the words before or in a link say that it leads to the post that is answered."""
    place = int(np.searchsorted(nodes.shown, link))
    shown = [i for i in nodes.shown[max(0, place - 2) : place].tolist() if i > nodes.parents[link]]
    before = " ".join(nodes.texts[i] for i in shown)[-_MAX_SAID:]
    within = nodes.text(link)[:_MAX_SAID].lower()
    lists = words()["quote"]
    # "Reply to this post" is a button: what is named after it counts, or the link's own words where they say "in".
    if (
        within in lists["parents"]
        or _ends_with(before, lists["replies"])
        or (" to " in within and within.startswith("in repl"))
    ):
        return True
    given = (nodes.attributes[node].get("title", "") for node in range(link, int(nodes.ends[link])))
    return any(_ends_with(title, lists["replies"]) for title in given)


def _ends_with(text: str, said: Sequence[str]) -> bool:
    return text.lower().rstrip(" :：([<").endswith(tuple(said))


def linked(nodes: Nodes, roots: Sequence[int], url: str | None) -> str | None:
    """The address of the best link that names the post itself."""
    lists = words()["permalink"]
    fragment_form, address_form, text_form = link_forms()
    best: tuple[float, str] | None = None
    host = urlsplit(url or NOWHERE).hostname
    for node, _, attributes, classes in elements(nodes, roots, post_elements(nodes).links):
        address = _leads_to(nodes, node, url)
        parts = urlsplit(address or NOWHERE)
        if address is None or parts.hostname != host:
            continue
        score = 3.0 if fragment_form.fullmatch(parts.fragment) else 0.0
        score += 1.5 if address_form.search(address) else 0.0
        score += 2.0 if "bookmark" in attributes.get("rel", "").lower().split() else 0.0
        score += 1.5 if not classes.isdisjoint(lists["classes"]) else 0.0
        text = nodes.text(node)
        if text.lower() in lists["others"]:
            continue
        # The date of a post leads to it.
        score += 1.5 if text_kind(text) == "date" else 0.0
        score += 1.0 if _NUMBERED.search(address) else 0.0
        score += 2.0 if text_form.fullmatch(text.lower()) else 0.0
        score += 1.0 if any(nodes.tags[inner] == "time" for inner in range(node + 1, int(nodes.ends[node]))) else 0.0
        if score >= 2.5 and (best is None or score > best[0]) and not _is_answered(nodes, node):
            best = (score, address)
    if best is not None and not best[1].startswith(NOWHERE) and best[1].startswith(("http://", "https://")):
        return best[1]
    return None


def named_place(nodes: Nodes, roots: Sequence[int], url: str | None) -> str | None:
    """The page's address with the id of the first element whose id names a post."""
    fragment_form = link_forms()[0]
    for root in roots:
        name = nodes.attributes[root].get("id", "")
        if url and name and fragment_form.fullmatch(name):
            return f"{url.partition('#')[0]}#{name}"
    return None


@cache
def link_forms() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Forms of fragments and of addresses of posts, and of the words of links to them."""
    lists = words()["permalink"]
    return re.compile(lists["fragments"]), re.compile(lists["addresses"]), re.compile(lists["texts"])
