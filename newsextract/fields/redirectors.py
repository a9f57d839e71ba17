"""The address behind a search engine's redirecting link: /url?q=https%3A%2F%2F… → https://….

The table of forms is ``data/redirectors.toml``. Links whose target only the engine knows stay as they are.

Cost: 2 µs for an address that is no redirector's.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from newsextract.fields.post_elements import NOWHERE
from newsextract.model_files import data_table

_HTTP = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class _Redirector:
    hosts: frozenset[str]
    path: re.Pattern[str]
    parameters: tuple[str, ...]
    segment: str
    coded: bool
    prefix: str


def resolved(base: str, href: str) -> str | None:
    """The absolute address of a link in the end; None where it leads nowhere."""
    try:
        found = unwrapped(urljoin(base, href.strip()))
    except ValueError:
        return None  # not a valid URL
    return found if found.startswith(_HTTP) and not found.startswith(NOWHERE) else None


def unwrapped(address: str) -> str:
    """The address that a link leads to in the end, as far as the link says it; an absolute one stays absolute.

    :param address: absolute.
    """
    for _ in range(2):  # an advertisement's link may go through two of them
        found = _target(address)
        if found is None:
            return address
        address = found
    return address


def _target(address: str) -> str | None:
    if "?" not in address and "RU=" not in address:
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None  # no address, so nothing stands behind it
    labels = frozenset((parts.hostname or "").split("."))
    query: dict[str, list[str]] | None = None
    for one in _redirectors():
        if (one.hosts and one.hosts.isdisjoint(labels)) or not one.path.match(parts.path):
            continue
        if one.segment:
            values = [unquote(part[len(one.segment) :]) for part in parts.path.split("/") if part.startswith(one.segment)]
        else:
            query = parse_qs(parts.query, max_num_fields=100) if query is None else query
            values = [value for name in one.parameters for value in query.get(name, ())]
        for value in values:
            target = _decoded(value, one.prefix) if one.coded else value
            if target is not None and target.startswith(_HTTP):
                return target
    return None


def _decoded(value: str, prefix: str) -> str | None:
    value = value.removeprefix(prefix)
    try:
        return base64.urlsafe_b64decode(value + "=" * (-len(value) % 4)).decode("utf-8")
    except ValueError:  # not base64, or no text behind it
        return None


@cache
def _redirectors() -> tuple[_Redirector, ...]:
    table = data_table("fields/data/redirectors.toml")["redirector"]
    return tuple(
        _Redirector(
            frozenset(one["hosts"]),
            re.compile(one["path"] if one["hosts"] else one["path"] + "$"),
            tuple(one.get("parameters", ())),
            one.get("segment", ""),
            one.get("coding") == "base64",
            one.get("prefix", ""),
        )
        for one in table
    )
