"""Addresses that count their pages: ``{page}`` and ``{start}`` in the address of an engine or a list."""

from __future__ import annotations

from urllib.parse import quote

from w3lib.url import safe_url_string

_COUNTERS = ("{page}", "{start}")


def counts(template: str) -> bool:
    """Whether the address of each page follows from that of the first."""
    return any(counter in template for counter in _COUNTERS)


def address_of(template: str, number: int, first: int, query: str = "") -> str:
    """Address of a page.

    :param number: of the page, 1 for the first.
    :param first: rank of its first record, 1 for the first.
    """
    values = {"{query}": quote(query, safe=""), "{page}": str(number), "{start}": str(first - 1)}
    address = template
    for name in (*_COUNTERS, *(["{query}"] if query else [])):  # last what the user says: it may hold braces
        address = address.replace(name, values[name])
    return as_asked(address)


def as_asked(url: str) -> str:
    """An address as Scrapy will write it: the ledger knows pages by their addresses."""
    return safe_url_string(url)
