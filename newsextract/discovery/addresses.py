"""Identity of addresses, and addresses that lead nowhere.

:func:`normalize` answers "is this the same document?": RFC 3986 §6.2.2 (case, percent-encoding, dot segments)
and §6.2.3 (default port, empty path), and beyond it what is true of news sites: tracking parameters, session
ids and the order of parameters say nothing. :func:`is_trap` answers "is following this address a waste?" from
its shape alone (after the pathological-path rules of the Heritrix crawler). The lists stand in
``data/parameters.toml`` and ``data/paths.toml``.

Cost: an address that is in normal form already (about two in three) takes one regular expression, about 0.5
µs; the others are taken apart, about 10 µs. Answers are kept (pages of one site share most of their links).
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote, urlsplit

from newsextract.discovery.public_suffixes import registered

MAX_LENGTH = 2_000
"""Longer addresses are no address (the sitemap protocol stops at 2,048)."""
MAX_PARAMETERS = 6
"""More parameters than this after normalising: a search form or a trap."""
MAX_DEPTH = 12
"""More path segments than this: a trap. The deepest article address of the bench (folds 1-4) has 10."""
OLDEST_YEAR = 1990
"""A page that lists a day before this year was made by a calendar, not by a newsroom's site."""

_ESCAPED = r"%(?:[013-9A-F][0-9A-F]|2[0-9A-CF])(?<!%3[0-9])(?<!%[46][1-9A-F])(?<!%[57][0-9A])(?<!%5F)(?<!%7E)"
"""A percent-encoded byte in normal form: upper case, and not of an unreserved character (RFC 3986 §2.3)."""
_PATH_RUN = r"[A-Za-z0-9_~,.:@!$&'()*+=-]*+"
_QUERY_RUN = r"[A-Za-z0-9_~,.:@!$'()*;/?-]*+"
_PLAIN = re.compile(
    r"(https?://[a-z0-9][a-z0-9-]*+(?>(?:\.[a-z0-9-]++)*)"
    rf"(?>(?:/(?!\.\.?(?:[/?#]|\Z)){_PATH_RUN}(?>(?:{_ESCAPED}{_PATH_RUN})*))+))(?>(?:\?([^#]*+))?)(?>(?:#.*+)?)",
    re.S,
)
"""Addresses whose part before the query is in normal form already. Runs are unrolled: half the time of
``(a|b)*``."""
_QUERY_CLEAN = re.compile(
    rf"{_QUERY_RUN}(?>(?:{_ESCAPED}{_QUERY_RUN})*)(?>(?:={_QUERY_RUN}(?>(?:(?:=|{_ESCAPED}){_QUERY_RUN})*))?)"
)
_UNSAFE = re.compile(r"%[0-9a-fA-F]{2}|[^A-Za-z0-9_~.-]")
_STRIPPED = re.compile(r"[\t\n\r]++")
_EDGES = "".join(map(chr, range(33)))
_HOST = re.compile(r"[a-z0-9](?>(?:[a-z0-9_-]|\.(?!\.))*)|\[[0-9a-f:.]++\]")
_SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/?#;]*+", re.I)
_PATH_SAFE = "/:@!$&'()*+,;=~"
_QUERY_SAFE = "/:@!$'()*,;~?"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_DATE_IN_PATH = re.compile(
    r"/([12]\d{3})(?>(?:[/-](0?[1-9]|1[0-2])(?>(?:[/-](?:0?[1-9]|[12]\d|3[01]))?))?)(?=(/?$|[/.?_-]))"
)
_DATE_IN_QUERY = re.compile(
    r"[?&](?:date|day|d|month|m|year|y|jahr|monat|tag|ym|ymd|dt|start|from_date)="
    r"([12]\d{3})(?>(?:-?(0[1-9]|1[0-2]))?)(?>(?:-?\d\d)?)(?=&|$)"
)
_DATE_SEGMENT = re.compile(r"(?:19|20|21)\d\d(?:-?\d\d){0,2}")


@cache
def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath("data", name).read_text("utf-8"))


@cache
def _identity_free() -> tuple[frozenset[str], tuple[str, ...]]:
    names = [name.lower() for name in _data("parameters.toml")["identity_free"]]
    return frozenset(n for n in names if not n.endswith("*")), tuple(n[:-1] for n in names if n.endswith("*"))


@cache
def _trap_sets() -> tuple[frozenset[str], frozenset[str], frozenset[str], frozenset[str], frozenset[str]]:
    parameters, paths = _data("parameters.toml"), _data("paths.toml")
    return (
        frozenset(parameters["trap"]),
        frozenset(parameters["trap_values"]),
        frozenset(paths["trap_segments"]),
        frozenset(quote(segment) for segment in paths["calendar_segments"]),
        frozenset(paths["file_endings"]),
    )


@lru_cache(maxsize=2_000)
def normalize(url: str) -> str | None:
    """The form of an address that is the same for all its spellings.

    :param url: an absolute address; any text.
    :return: the address without fragment, tracking parameters, session ids and log-in data, with its
        parameters sorted; None if it is no http(s) address, or longer than :data:`MAX_LENGTH`.
    """
    if len(url) > MAX_LENGTH:
        return None
    plain = _PLAIN.fullmatch(url)
    if plain:
        query = _query(plain[2]) if plain[2] else ""
        return f"{plain[1]}?{query}" if query else plain[1]
    try:
        parts = urlsplit(_STRIPPED.sub("", url.strip(_EDGES)).replace("\\", "/"))
        port = parts.port
    except ValueError:  # a broken port or IPv6 address
        return None
    scheme = parts.scheme.lower()
    if scheme not in ("http", "https"):
        return None
    host = _host(parts.hostname or "")
    if host is None:
        return None
    if port is not None and port != (80 if scheme == "http" else 443):
        host = f"{host}:{port}"
    path = _dot_segments(_quoted(_SESSION_IN_PATH.sub("", parts.path), _PATH_SAFE)) or "/"
    query = _query(parts.query) if parts.query else ""
    found = f"{scheme}://{host}{path}{'?' + query if query else ''}"
    return found if len(found) <= MAX_LENGTH else None


def _host(host: str) -> str | None:
    host = host.lower().rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    return host if _HOST.fullmatch(host) else None


def _quoted(text: str, safe: str) -> str:
    """Percent-encoding in one way: unreserved characters plain, others escaped with upper-case digits.

    Reserved characters stay as they are, escaped or not, because ``%2F`` and ``/`` differ.
    """

    def one(match: re.Match[str]) -> str:
        found = match[0]
        if len(found) == 3:
            byte = chr(int(found[1:], 16))
            return byte if byte in _UNRESERVED else found.upper()
        return found if found in safe else quote(found.encode("utf-8", "replace"), "")

    return _UNSAFE.sub(one, text)


def _dot_segments(path: str) -> str:
    """RFC 3986 §5.2.4; a path always begins with a slash."""
    if "/." not in path:
        return path if path.startswith("/") else "/" + path if path else ""
    out: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            if out:
                out.pop()
        elif segment != ".":
            out.append(segment)
    if segments[-1] in (".", ".."):
        out.append("")
    return "/" + "/".join(out)


def _query(query: str) -> str:
    names, prefixes = _identity_free()
    kept = []
    for pair in query.split("&"):
        if not _QUERY_CLEAN.fullmatch(pair):
            name, equals, value = pair.replace("+", "%20").partition("=")
            pair = _quoted(name, _QUERY_SAFE) + equals + _quoted(value, _QUERY_SAFE + "=")
        name = pair.partition("=")[0].lower()
        if pair and name not in names and not name.startswith(prefixes):
            kept.append(pair)
    return "&".join(sorted(kept))


def record_id(url: str) -> str:
    """Short name of the document at an address: 16 hexadecimal digits.

    http and https, and a host with or without ``www.``, give the same name. Text that is no address gets one
    too.
    """
    found = normalize(url) or url
    bare = re.sub(r"^https?://(?:www\.(?=[^/]*\.))?", "", found)
    return hashlib.sha256(bare.encode("utf-8", "replace")).hexdigest()[:16]


@lru_cache(maxsize=2_000)
def registered_domain(host: str) -> str:
    """The domain that a site's owner registered, by the public suffix list (``news.example.co.uk``:
    ``example.co.uk``).

    :param host: host name or ``host:port``. An IP address, a bare name or a suffix is returned as it is.
    """
    host = host.lower().rstrip(".")
    bare = host if host.startswith("[") else host.partition(":")[0]
    return registered(bare) or bare


def is_trap(url: str, today: date | None = None) -> str | None:
    """Why an address should not be followed, or None.

    :param url: best in normal form; other text gets an answer too.
    :param today: for calendars; the present day if None.
    :return: ``too_long``, ``file``, ``too_deep``, ``repeated_segments``, ``segment:<name>``,
        ``too_many_parameters``, ``parameter:<name>`` or ``calendar``.
    """
    if len(url) > MAX_LENGTH:
        return "too_long"
    address, _, query = url.lower().partition("?")
    segments = address.split("/")
    parameters, values, trap_segments, calendars, endings = _trap_sets()
    stem, dot, ending = segments[-1].rpartition(".") if len(segments) > 3 else ("", "", "")
    if dot and ending in endings:
        return "file"
    if dot and stem in trap_segments:
        return f"segment:{stem}"
    if len(segments) > MAX_DEPTH + 3:
        return "too_deep"
    if not trap_segments.isdisjoint(segments):
        return "segment:" + next(segment for segment in segments if segment in trap_segments)
    if len(segments) > 6 and _repeated(segments[3:]):
        return "repeated_segments"
    if query:
        pairs = query.split("&")
        if len(pairs) > MAX_PARAMETERS:
            return "too_many_parameters"
        for pair in pairs:
            name, _, value = pair.partition("=")
            if name in parameters or value in values:
                return f"parameter:{name}"
    today = today or datetime.now(UTC).date()
    return "calendar" if _is_calendar(address, segments, query, calendars, today) else None


def _repeated(segments: list[str]) -> bool:
    """Three times the same word, or the same two words twice in a row; numbers may repeat
    (``/2011/11/11/``)."""
    words = [s for s in segments if s and not s.isdigit()]
    if len(set(words)) == len(words):
        return False
    if any(words.count(w) > 2 for w in set(words)):
        return True
    return any(words[i : i + 2] == words[i + 2 : i + 4] for i in range(len(words) - 3))


def _is_calendar(path: str, segments: list[str], query: str, calendars: frozenset[str], today: date) -> bool:
    in_query = _DATE_IN_QUERY.search("?" + query) if query else None
    if not calendars.isdisjoint(segments) and (in_query or any(map(_DATE_SEGMENT.fullmatch, segments))):
        return True
    if in_query and _is_far(in_query[1], in_query[2], today, True):
        return True
    found = _DATE_IN_PATH.search(path, 8)
    return found is not None and _is_far(found[1], found[2], today, found[3] in ("", "/"))


def _is_far(year: str, month: str | None, today: date, lists_a_day: bool) -> bool:
    """Whether a date is one that no newsroom wrote at. An article may announce next year; a list of a day
    cannot."""
    if not lists_a_day:
        return today.year + 2 <= int(year) < 2200
    if int(year) < OLDEST_YEAR:
        return month is not None
    return (int(year), int(month or 1)) > (today.year + (today.month == 12), today.month % 12 + 1)
