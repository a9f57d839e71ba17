"""Requests as JSON: what the spiders put into ``cb_kwargs`` and ``meta``, each type by its name; nothing is ever unpickled.

A value is itself if JSON has it; anything else becomes ``{"$": type, "v": …}``. Types that are not in the table raise an
error at the process that wants to share them, not at the one that reads them.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from newsextract import Hints
from newsextract.sites import Site
from pipelines.items import ReadPage
from pipelines.pages import NextPage
from pipelines.record_pages import TeaserList, Thread
from spiders import forum, lists
from spiders.cluster.marks import COUNTED, HELD, LOCAL, SEEN
from spiders.pages import FETCHED_AT, NOTE, PLACE, RENDERED_SOURCE, VISITED

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
_OWN = frozenset(
    {
        *(LOCAL, SEEN, COUNTED, HELD, PLACE, FETCHED_AT, NOTE, RENDERED_SOURCE, VISITED),
        # Set anew by the middlewares of the process that sends the request.
        *("download_slot", "download_latency", "download_timeout", "proxy", "_auth_proxy", "_scheme_proxy"),
        *("routed_host", "dont_obey_robotstxt"),
        *("playwright_context", "playwright_context_kwargs", "playwright_include_page", "playwright_page"),
    }
)
"""What in ``meta`` means something in one process only."""


class CodecError(TypeError):
    """A request carries something that cannot be shared: a mistake of the spider."""


class RequestCodec:
    """Scrapy's request dictionaries as text, for :class:`scrapy_redis.queue.Base`.

    :param sites: the sites as this process sees them; a request names its site.
    """

    def __init__(self, sites: Callable[[], Mapping[str, Site]]) -> None:
        self._sites = sites

    def dumps(self, request: dict[str, Any]) -> str:
        """A request's dictionary as ASCII JSON.

        :raises CodecError: something in it has a type that is not in the table.
        """
        shared = request | {"meta": {key: value for key, value in request["meta"].items() if key not in _OWN}}
        shared["headers"] = [[name, list(values)] for name, values in request["headers"].items()]
        return json.dumps({name: _plain(value) for name, value in shared.items()}, separators=(",", ":"))

    def loads(self, text: str) -> dict[str, Any]:
        """The dictionary again."""
        request: dict[str, Any] = {name: self._value(value) for name, value in json.loads(text).items()}
        request["headers"] = dict(request["headers"])
        return request

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
