"""Requests as JSON: what the spiders put into ``cb_kwargs`` and ``meta``, each type by its name; nothing is ever unpickled.

A value is itself if JSON has it; anything else becomes ``{"$": type, "v": …}``. Types that are not in the table raise an
error at the process that wants to share them, not at the one that reads them.

What is read was written by somebody who can reach Redis, and is taken for nothing but the wish to have a page of the sites
fetched: keys, callbacks, headers and ``meta`` are closed lists, the address must belong to a site of the crawl, and whatever
a site's definition says (proxy, user agent, robots.txt, browser) is taken from there. There is no way to share another
method than GET, a body, cookies, or a class.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from newsextract import Hints
from newsextract.sites import Site
from pipelines.items import ReadPage
from pipelines.pages import NextPage
from pipelines.record_pages import TeaserList, Thread
from spiders import forum, lists

MOST_BYTES = 1_000_000
"""Of a request as JSON; a larger one stays in its process (a page with thousands of records, told to the next page)."""
_DATACLASSES: dict[str, type] = {
    "Hints": Hints,
    "NextPage": NextPage,
    "ReadPage": ReadPage,
    "TeaserList": TeaserList,
    "Thread": Thread,
    "forum.At": forum.At,
    "lists.At": lists.At,
}
_NAMES = {kind: name for name, kind in _DATACLASSES.items()}
CALLBACKS = {"callback": frozenset({"parse_page", "parse_sitemap", "parse_feed"}), "errback": frozenset({"failed"})}
"""Methods of the spiders that shared requests lead to; those of requests that stay in their process are others."""
_KEYS = frozenset({"url", *CALLBACKS, "cb_kwargs", "meta", "headers", "priority", "dont_filter"})
_HEADERS = frozenset({b"If-None-Match", b"If-Modified-Since"})
"""The others are set anew by the process that sends the request."""


def _is_number(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1_000_000


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, (str, int)) for entry in value)


_META: dict[str, Callable[[Any], bool]] = {
    "depth": _is_number,
    "retry_times": _is_number,
    "redirect_times": _is_number,
    "redirect_ttl": _is_number,
    "redirect_reasons": _is_list,
    "redirect_urls": lambda value: isinstance(value, list) and all(isinstance(url, str) for url in value),
    "handle_httpstatus_list": lambda value: value == [304],
    "canonical_tried": lambda value: value is True,
}
"""What in ``meta`` is shared, and what it may be; all else is a process's own, or set anew by its middlewares."""


class CodecError(TypeError):
    """A request carries something that cannot be shared: a mistake of the spider, or no spider has written it."""


class RequestCodec:
    """Scrapy's request dictionaries as text, for :class:`scrapy_redis.queue.Base`.

    :param sites: the sites as this process sees them; a request names its site.
    :param site_of: the site that a host belongs to.
    """

    def __init__(self, sites: Callable[[], Mapping[str, Site]], site_of: Callable[[str], Site | None]) -> None:
        self._sites = sites
        self._site_of = site_of

    def dumps(self, request: dict[str, Any]) -> str:
        """A request's dictionary as ASCII JSON.

        :raises CodecError: something in it is not in the tables, or :meth:`loads` would refuse it.
        """
        shared = request | {"meta": {key: value for key, value in request["meta"].items() if key in _META}}
        shared["headers"] = [[name, list(values)] for name, values in request["headers"].items() if name in _HEADERS]
        shared = {name: value for name, value in shared.items() if value}
        if not shared.keys() <= _KEYS:
            raise CodecError(f"a shared request cannot have {', '.join(sorted(shared.keys() - _KEYS))}")
        for name, allowed in CALLBACKS.items():
            if shared.get(name) not in allowed:
                raise CodecError(
                    f"a shared request cannot lead to {name} {shared.get(name)}; add it to spiders/cluster/codec.py"
                )
        plain = {name: _plain(value) for name, value in shared.items()}
        self._check({"cb_kwargs": {}} | shared)
        return json.dumps(plain, separators=(",", ":"))

    def loads(self, text: str) -> dict[str, Any]:
        """The dictionary again.

        :raises CodecError: the spiders send no such request.
        """
        try:
            shared = json.loads(text)
            request: dict[str, Any] = {name: self._value(value) for name, value in shared.items()}
            self._check({"callback": "", "errback": "", "cb_kwargs": {}} | request)
            headers, meta = dict(request.get("headers", [])), dict(request.get("meta", {}))
        except CodecError:
            raise
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise CodecError(f"{type(error).__name__}: {error}") from error
        site: Site = request["cb_kwargs"]["site"]
        if site.user_agent:
            headers[b"User-Agent"] = [site.user_agent.encode()]
        if site.render and request["callback"] == "parse_page":
            meta["playwright"] = True
        return request | {"headers": headers, "meta": meta}

    def belongs(self, url: str) -> bool:
        """Whether an address belongs to a site of the crawl; only those are shared."""
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and self._site_of(parts.hostname or "") is not None

    def _check(self, request: dict[str, Any]) -> None:
        if not request.keys() <= _KEYS:
            raise CodecError(f"unknown key {min(request.keys() - _KEYS)!r:.40}")
        if not isinstance(request["url"], str) or not self.belongs(request["url"]):
            raise CodecError(f"{request['url']!r:.200} belongs to none of the sites")
        for name, allowed in CALLBACKS.items():
            if request[name] not in allowed:
                raise CodecError(f"{name} {request[name]!r:.40}")
        if not isinstance(request["cb_kwargs"].get("site"), Site):
            raise CodecError("it names no site")
        for name, value in request.get("meta", {}).items():
            if name not in _META or not _META[name](value):
                raise CodecError(f"meta {name!r:.40}: {value!r:.40}")
        if any(not self.belongs(url) for url in request.get("meta", {}).get("redirect_urls", [])[:1]):
            raise CodecError("it was redirected from an address that belongs to none of the sites")
        for name, values in request.get("headers", []):
            if name not in _HEADERS or any(set(value) & {10, 13} for value in values):
                raise CodecError(f"header {name!r:.40}")
        priority = request.get("priority", 0)
        if type(priority) is not int or not _is_number(abs(priority)) or type(request.get("dont_filter", False)) is not bool:
            raise CodecError("priority or dont_filter")

    def _value(self, plain: Any) -> Any:
        if isinstance(plain, list):
            return [self._value(value) for value in plain]
        if not isinstance(plain, dict):
            return plain
        if "$" not in plain:
            return {name: self._value(value) for name, value in plain.items()}
        kind, value = plain["$"], plain["v"]
        if kind == "Site":
            return self._sites()[value]
        if kind == "bytes":
            return value.encode("latin-1")
        if kind == "date":
            return date.fromisoformat(value)
        if kind in ("tuple", "frozenset"):
            return {"tuple": tuple, "frozenset": frozenset}[kind](map(self._value, value))
        if kind == "dict":
            return {self._value(name): self._value(inner) for name, inner in value}
        return _DATACLASSES[kind](**{name: self._value(inner) for name, inner in value.items()})


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        if all(isinstance(name, str) for name in value) and "$" not in value:
            return {name: _plain(inner) for name, inner in value.items()}
        return {"$": "dict", "v": [[_plain(name), _plain(inner)] for name, inner in value.items()]}
    if isinstance(value, Site):
        return {"$": "Site", "v": value.name}
    if isinstance(value, bytes):
        return {"$": "bytes", "v": value.decode("latin-1")}
    if isinstance(value, date):
        return {"$": "date", "v": value.isoformat()}
    if isinstance(value, tuple):
        return {"$": "tuple", "v": [_plain(inner) for inner in value]}
    if isinstance(value, frozenset):
        return {"$": "frozenset", "v": sorted(_plain(inner) for inner in value)}
    if type(value) in _NAMES:
        fields = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"$": _NAMES[type(value)], "v": fields}
    raise CodecError(f"a shared request cannot carry {type(value).__name__}; add it to spiders/cluster/codec.py")
