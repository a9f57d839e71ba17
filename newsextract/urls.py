"""URLs: normal form, identity, traps, registered domains, and which hosts are not on the public internet.

One policy for crawls, the command line and the browser.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import os
import re
import socket
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urljoin, urlsplit

from newsextract.errors import UsageError

# --- public suffixes ------------------------------------------------------------------------------
# Which domain a site's owner registered, by the public suffix list as published (https://publicsuffix.org, Mozilla Public
# License 2.0, docs/licences.md). Only its first part counts, the suffixes of registries: a blog under ``github.io`` belongs
# to ``github.io``. The list is read when a domain is first asked for, in about 10 ms.

_PRIVATE = "// ===BEGIN PRIVATE DOMAINS==="
_DOTS = str.maketrans("\u3002\uff0e\uff61", "...")
"""The other full stops of IDNA (RFC 3490 §3.1)."""


@cache
def _rules() -> tuple[frozenset[str], int]:
    """The rules, those of other scripts also in punycode, and the labels of the longest."""
    text = files("newsextract").joinpath("data", "public_suffix_list.dat").read_text("utf-8").partition(_PRIVATE)[0]
    rules = {line.split(None, 1)[0] for line in text.splitlines() if line and not line.startswith(("//", " "))}
    rules |= {".".join(map(_ascii, rule.split("."))) for rule in rules if not rule.isascii()}
    return frozenset(rules), max(rule.count(".") for rule in rules) + 1


def _ascii(label: str) -> str:
    return label if label.isascii() else "xn--" + label.encode("punycode").decode("ascii")


def registered(host: str) -> str | None:
    """The public suffix of a host and the label before it: ``news.example.co.uk`` → ``example.co.uk``.

    :param host: a host name in lower case, without port; any text.
    :return: None for a bare suffix, an IP address, or a name below no known suffix.
    """
    rules, longest = _rules()
    labels = host.translate(_DOTS).strip().rstrip(".").rsplit(".", longest + 1)  # of a hostile host only the end is cut up
    size = 0
    name = ""
    for count, label in enumerate(reversed(labels[-longest:]), 1):
        parent, name = name, f"{label}.{name}" if name else label
        if f"!{name}" in rules:
            size = count - 1
            break
        if name in rules or f"*.{parent}" in rules:
            size = count
    if not size or len(labels) <= size or not labels[-size - 1]:
        return None
    return ".".join(labels[-size - 1 :])


# --- addresses ------------------------------------------------------------------------------------
# :func:`normalize` answers "is this the same document?": RFC 3986 §6.2.2 (case, percent-encoding, dot segments) and §6.2.3
# (default port, empty path); tracking parameters, session ids and the order of parameters are ignored. :func:`is_trap`
# answers "is following this address a waste?" from its shape (after the pathological-path rules of the Heritrix
# crawler). The lists are in ``data/parameters.toml`` and ``data/paths.toml``.
#
# Cost: 0.5 µs for an address in normal form (about two in three), about 10 µs for others. Answers are kept.

NOWHERE = "http://page.invalid/"
"""Stands for the address of a page that has none (RFC 2606)."""
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
"""Addresses whose part before the query is in normal form already. Runs are unrolled: half the time of ``(a|b)*``."""
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
    r"/([12]\d{3})(?>(?:[/-](1[0-2]|0?[1-9])(?>(?:[/-](?:[12]\d|3[01]|0?[1-9]))?))?)(?=(/?$)|[/.?_-])"
)
_DATE_IN_QUERY = re.compile(
    r"[?&](?:date|day|d|month|m|year|y|jahr|monat|tag|ym|ymd|dt|start|from_date)="
    r"([12]\d{3})(?>(?:-?(0[1-9]|1[0-2]))?)(?>(?:-?\d\d)?)(?=&|$)"
)
_DATE_SEGMENT = re.compile(r"(?:19|20|21)\d\d(?:-?\d\d){0,2}")


@cache
def _data(name: str) -> dict[str, Any]:
    return tomllib.loads(files("newsextract").joinpath("data", name).read_text("utf-8"))


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


@lru_cache(maxsize=10_000)
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
    """Percent-encoding in one way: unreserved characters plain, others escaped with upper-case digits; reserved ones stay as
    they are, escaped or not, because ``%2F`` and ``/`` differ."""

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


@lru_cache(maxsize=10_000)
def record_id(url: str) -> str:
    """Short name of the document at an address, or of any text: 16 hexadecimal digits, the same for http and https, and for
    a host with and without ``www.``."""
    found = normalize(url) or url
    bare = re.sub(r"^https?://(?:www\.(?=[^/]*\.))?", "", found)
    return hashlib.sha256(bare.encode("utf-8", "replace")).hexdigest()[:16]


@lru_cache(maxsize=2_000)
def registered_domain(host: str) -> str:
    """The domain that a site's owner registered, by the public suffix list (``news.example.co.uk``: ``example.co.uk``).

    :param host: host name or ``host:port``. An IP address, a bare name or a suffix is returned as it is.
    """
    host = host.lower().rstrip(".")
    bare = host if host.startswith("[") else host.partition(":")[0]
    return registered(bare) or bare


def is_trap(url: str, today: date | None = None, here: str | None = None) -> str | None:
    """Why an address should not be followed, or None.

    :param url: best in normal form; other text gets an answer too.
    :param today: for calendars; the present day if None.
    :param here: the page that leads there; the segments of its own address (``cgi-bin``) are none for its links.
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
        own = here.lower().partition("?")[0].split("/") if here is not None else ()
        if (trap := next((step for step in segments if step in trap_segments and step not in own), None)) is not None:
            return f"segment:{trap}"
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
    """Three times the same word, or the same two words twice in a row; numbers may repeat (``/2011/11/11/``)."""
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
    return found is not None and _is_far(found[1], found[2], today, found[3] is not None)


def _is_far(year: str, month: str | None, today: date, lists_a_day: bool) -> bool:
    """Whether a date is one that no newsroom wrote at. An article may announce next year; a list of a day cannot."""
    if not lists_a_day:
        return today.year + 2 <= int(year) < 2200
    if int(year) < OLDEST_YEAR:
        return month is not None
    return (int(year), int(month or 1)) > (today.year + (today.month == 12), today.month % 12 + 1)


# --- addresses ------------------------------------------------------------------------------------
# Which servers may be reached: one rule, :class:`AddressPolicy`, for the crawl, the browser and the command line. A link, a
# redirect, a page's script or a name that its owner points elsewhere could otherwise lead into the network of whoever runs
# this. A name is resolved once, its addresses are checked, and the connection is made to a checked address.

IP = ipaddress.IPv4Address | ipaddress.IPv6Address
Server = tuple[str, int]
"""Host and port."""
VARIABLE = "NEWSEXTRACT_PRIVATE"
"""Environment variable of the command line: URLs, separated by white space, whose names may have private addresses."""

_GLOBAL = ipaddress.IPv6Network("2000::/3")
"""All that is global unicast; outside lie loopback, site-local, multicast, local NAT64 and IPv4 in other clothes."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as networks without IPv4 reach them (RFC 6052): the IPv4 address inside is judged."""
_TUNNELS = (ipaddress.IPv6Network("2001::/32"), ipaddress.IPv6Network("2002::/16"))
"""Teredo and 6to4: a router unwraps the IPv4 address inside. No site is served there."""
_METADATA: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = (
    *map(ipaddress.IPv4Network, ("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.0/24")),
    *map(ipaddress.IPv6Network, ("fd00:ec2::/64", "fd20:ce::254/128")),
)
"""Where clouds hand out credentials of the machine. Never reached, whoever names it."""


class Refused(Exception):
    """A connection is not made; the message says why."""


class AddressPolicy:
    """Which addresses a connection may be made to: public ones, and the private ones of servers that the user allows.

    A private server is a host, a port (80 and 443 count as one) and the addresses that the host has when the policy is made;
    other ports, and addresses that its name gets later, are refused.

    :param written: URLs that the user wrote. A private IP address or ``localhost`` in one is allowed; a name is not, because
        its owner may point it anywhere.
    :param private: URLs whose names may have private addresses, too (``private = true`` in sites.toml).
    """

    def __init__(self, written: Iterable[str] = (), private: Iterable[str] = ()) -> None:
        self._private: dict[Server, frozenset[IP]] = {}
        for url in written:
            self.allow(url)
        for url in private:
            self.allow(url, by_name=True)

    @classmethod
    def typed(cls, urls: Iterable[str]) -> AddressPolicy:
        """The policy of a command: URLs of its arguments, and those of the environment variable :data:`VARIABLE`."""
        return cls(urls, os.environ.get(VARIABLE, "").split())

    def allow(self, url: str, *, by_name: bool = False) -> None:
        """Allow the server of a URL that the user wrote; broken URLs allow nothing.

        :param by_name: whether its name may have private addresses: those that it has now.
        """
        try:
            host, port = server_of(url)
        except ValueError:
            return
        literal, local = _ip(host), _is_local(host)
        if literal is None and not local and not by_name:
            return
        found = {literal} if literal else {ip for ip in map(_ip, _resolved(host)) if ip}
        pinned = frozenset(ip for ip in found if _is_private(ip) and (by_name or not local or ip.is_loopback))
        for one in (80, 443) if port in (80, 443) else (port,):
            self._private[host, one] = self._private.get((host, one), frozenset()) | pinned

    def refusal(self, host: str, port: int | None, addresses: Iterable[str]) -> str | None:
        """Why a host may not be reached at these addresses; None: it may.

        :param port: None where it is not known yet: then any port that the host is allowed at will do.
        """
        known = [ips for server, ips in self._private.items() if server[0] == host and port in (None, server[1])]
        pinned = frozenset().union(*known)
        for address in addresses:
            ip = _ip(address)
            if ip is not None and _is_private(ip) and (ip not in pinned or _is_metadata(ip)):
                place = host if port is None else f"{host}:{port}"
                return f"{place} has the private address {address}"
        return None

    def closed_port(self, host: str, port: int) -> bool:
        """Whether a host is a private server, and at other ports only."""
        is_known = any(known == host and pinned for (known, _), pinned in self._private.items())
        return is_known and (host, port) not in self._private

    def resolve(self, host: str, port: int) -> list[str]:
        """The addresses of a host, checked: connect to these, and do not resolve the name again.

        :raises Refused: it has a private one.
        :raises OSError: the name is not known.
        """
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except socket.gaierror as error:
            raise OSError(f"the host {host} was not found; check its name and the network") from error
        addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
        if reason := self.refusal(host, port, addresses):
            place = f"[{host}]" if ":" in host else host
            place += "" if port in (80, 443) else f":{port}"
            raise Refused(f"{reason}; if it is yours, allow it: {VARIABLE}=http://{place}/")
        return addresses


def is_private(address: str) -> bool:
    """Whether an IP address is not one of the public internet; False for a name."""
    ip = _ip(address)
    return ip is not None and _is_private(ip)


def is_own(host: str) -> bool:
    """Whether a host is a private IP address or this machine: a server of the user's own."""
    return is_private(host) or _is_local(host)


def _ip(address: str) -> IP | None:
    """An IP address without its zone, or the IPv4 address that it carries; None for a name."""
    try:
        ip = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return None
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.ipv4_mapped or (ipaddress.IPv4Address(ip.packed[-4:]) if ip in _NAT64 else ip)
    return ip


def _is_private(ip: IP) -> bool:
    if not ip.is_global or ip.is_multicast or _is_metadata(ip):
        return True
    return isinstance(ip, ipaddress.IPv6Address) and (ip not in _GLOBAL or any(ip in net for net in _TUNNELS))


def _is_metadata(ip: IP) -> bool:
    return any(ip in net for net in _METADATA)


def _is_local(host: str) -> bool:
    return f".{host.rstrip('.')}".endswith(".localhost")


def _resolved(host: str) -> list[str]:
    try:
        return [str(entry[4][0]) for entry in socket.getaddrinfo(host, None)]
    except (OSError, UnicodeError):
        return []  # reason: no such host, or no name; whoever connects says so


def server_of(url: str) -> Server:
    """Host and port of an http or https address.

    :raises ValueError: the port is no number.
    """
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def is_web_address(place: str) -> bool:
    """Whether what a user named is an http(s) address; else it is the path of a file. A scheme's case means nothing.

    :raises UsageError: it is a ``file:`` address, for which its path would do, or has a user name or password.
    """
    scheme, colon, rest = place.partition(":")
    if colon and scheme.lower() == "file":
        path = unquote(urlsplit(f"file:{rest}").path)
        raise UsageError(f"{place}: file addresses are not read; give the path{f', {path}' if path else ''}")
    is_address = colon == ":" and scheme.lower() in ("http", "https") and rest.startswith("//")
    if is_address and (bare := without_login(place)) != place:  # the message does not repeat them
        raise UsageError(f"{bare}: a URL with a user name or password; expected one without")
    return is_address


def without_login(url: str) -> str:
    """A URL without the user name and password in it."""
    head, slashes, rest = url.partition("//")
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    return head + slashes + rest[authority.rfind("@") + 1 :]


def with_scheme(place: str) -> str:
    """The end of a message about a missing file whose name begins with a domain: the address that was meant; else empty."""
    try:
        host = urlsplit(f"//{place}").hostname or ""
    except ValueError:  # a broken IPv6 address
        return ""
    return f"; did you mean https://{place} ?" if registered(host) else ""


# --- redirectors ----------------------------------------------------------------------------------
# The address behind a search engine's redirecting link: /url?q=https%3A%2F%2F… → https://…, by ``data/redirectors.toml``.
# Links whose target only the engine knows stay as they are.

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
    """The absolute address that an absolute one leads to in the end, as far as it says so."""
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
            target = urljoin(address, target) if target and target[0] == "/" and not one.hosts else target
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
    table = _data("redirectors.toml")["redirector"]
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
