"""What an archive holds for extraction: articles, pages of many records, and places where it is damaged.

An entry is a plain value that a worker process can be sent. What the crawl knew beside the bytes (:class:`SiteFacts`, the
address that was asked for, hints, parts) is in it, so the same page gives the same record as in the crawl.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import urlsplit

from newsextract.discovery.addresses import record_id, registered_domain
from newsextract.news_record import Rejection, Source, address
from newsextract.rendered_page import Fetched

MIN_LENGTH = 80
"""Of pages without a site; as for sites that say nothing."""


EPOCH = datetime.fromtimestamp(0, UTC)
"""Where it is not known when something was written."""


NO_SITE = "unknown"
"""Name of the site of pages without an address, and of what is damaged."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,252}")
_COSTLY = re.compile(r"\)\s*[*+{]|\\[1-9]|\(\?(?:P=|\(|[a-zA-Z-]*x)|[*+{].*[*+{].*[*+{].*[*+{]", re.DOTALL)
"""A repeated group, a reference to what was found, a flag that lets comments hide one; four repetitions."""
_LONGEST_PATTERN = 1_000


def site_name(url: str | None) -> str:
    """What stands for the site of a page that belongs to none of sites.toml: its registered domain."""
    try:
        host = urlsplit(url or "").hostname or ""
    except ValueError:
        host = ""  # reason: no address at all
    name = (registered_domain(host) or host).lower()
    return name if _NAME.fullmatch(name) else NO_SITE


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What a site's definition says that a record depends on; the fields are those of :class:`newsextract.sites.Site`."""

    name: str
    kind: str = "news"
    algorithm: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    language: str | None = None
    min_length: int = MIN_LENGTH
    min_confidence: float = 0.0
    since: date | None = None
    until: date | None = None
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()

    def costly_pattern(self) -> str | None:
        """A pattern that may take for ever, if there is one: archives of strangers may hold any."""
        return next((one for one in (*self.allow, *self.deny) if len(one) > _LONGEST_PATTERN or _COSTLY.search(one)), None)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        plain = asdict(self) | {"params": dict(self.params)}
        plain |= {name: day.isoformat() if (day := getattr(self, name)) else None for name in ("since", "until")}
        return plain

    @classmethod
    def from_json(cls, value: Any) -> SiteFacts:
        """The reverse; fields that are not known are left out.

        :raises ValueError: a field has another type.
        """
        if not isinstance(value, dict):
            raise ValueError("site is no object")
        given = {f.name: value[f.name] for f in fields(cls) if f.name in value}
        for name in ("since", "until"):
            given[name] = date.fromisoformat(given[name]) if isinstance(given.get(name), str) else None
        for name in ("allow", "deny", "domains"):
            given[name] = tuple(strings(given.get(name, ()), f"site.{name}"))
        made = cls(**{"name": NO_SITE, **given})
        if not isinstance(made.name, str) or not _NAME.fullmatch(made.name):
            raise ValueError(f"site.name is {made.name!r:.80}; expected small letters, digits and . _ -")
        strings([made.name, made.kind, *(text for text in (made.algorithm, made.language) if text is not None)], "site")
        if not isinstance(made.params, dict) or type(made.min_length) is not int:
            raise ValueError("site.params is no object, or site.min_length no number")
        if not isinstance(made.min_confidence, int | float):
            raise ValueError("site.min_confidence is no number")
        return made


def strings(value: Any, name: str) -> list[str]:
    """A list of strings that came from outside.

    :raises ValueError: it is something else.
    """
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ValueError(f"{name} is no list of texts")
    return list(value)


@dataclass(frozen=True, slots=True)
class ArchivedArticle:
    """An article, or what may be one."""

    place: str
    """Archive file, ``#``, offset of the record (of the line, for JSON Lines)."""
    site: SiteFacts
    requested_url: str
    parts: tuple[Fetched, ...]
    """Its pages, at least one."""
    etag: str | None = None
    last_modified: str | None = None
    vouched: bool = True
    """Whether a crawl or the user says that it is an article; else its own evidence must."""

    @property
    def source(self) -> Source:
        """For :func:`newsextract.news_record.news_record`."""
        return Source(self.site.name, self.requested_url, "news", self.etag, self.last_modified)

    @property
    def url(self) -> str:
        """The address that the record stands under."""
        return address(self.parts[0].url, self.requested_url)

    @property
    def id(self) -> str:
        """The record's id, known before anything is extracted."""
        return record_id(self.url)


@dataclass(frozen=True, slots=True)
class ArchivedRecordPage:
    """A page of posts, hits or teasers."""

    place: str
    site: SiteFacts
    line: Mapping[str, Any]
    """The page's own line of the crawl's feed of pages, see ``docs/page.schema.json``."""
    query: str | None
    """What was searched for; of a result page only."""
    shape: str | None
    """What the records of the pages before look like; see :mod:`newsextract.record_shape`."""
    page: Fetched


@dataclass(frozen=True, slots=True)
class Failure:
    """Something that cannot be read; the rest of the archive can."""

    place: str
    reason: str
    status: str = "damaged"
    url: str | None = None
    at: datetime = EPOCH
    """When the archive was written."""
    mark: str = ""
    """Tells it from what stands at the same place of another file of the same name; see :func:`mark_of`."""

    def rejection(self) -> Rejection:
        """The line of the rejected feed. It stands under the place, never under the page's address: a whole copy of the page
        may come later."""
        url = f"archive:{self.place}"
        reason = f"{self.reason} ({self.url})" if self.url else self.reason
        at = self.at.isoformat(timespec="seconds")
        identity = record_id(f"{url} {self.mark}" if self.mark else url)
        return Rejection(id=identity, url=url, site=NO_SITE, status=self.status, reason=reason, fetched_at=at)


def mark_of(data: bytes) -> str:
    """What tells files of the same name apart: twelve hexadecimal digits made of their bytes."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()[:12]


Entry = ArchivedArticle | ArchivedRecordPage | Failure
