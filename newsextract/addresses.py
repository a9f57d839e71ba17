"""Which servers may be reached: one rule, :class:`AddressPolicy`, for the crawl, the browser and the command line.

A link, a redirect, a page's script or a name that its owner points elsewhere could otherwise lead into the network of
whoever runs this. A name is resolved once, its addresses are checked, and the connection is made to a checked address.
"""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit

from newsextract.errors import UsageError

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
    *map(ipaddress.IPv4Network, ("169.254.0.0/16", "100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32")),
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
        pinned = {
            ip for server, ips in self._private.items() if server[0] == host and port in (None, server[1]) for ip in ips
        }
        for address in addresses:
            ip = _ip(address)
            if ip is not None and _is_private(ip) and (ip not in pinned or _is_metadata(ip)):
                place = host if port is None else f"{host}:{port}"
                return f"{place} has the private address {address}"
        return None

    def closed_port(self, host: str, port: int) -> bool:
        """Whether a host is a private server, and at other ports only."""
        return (host, port) not in self._private and any(
            known == host and pinned for (known, _), pinned in self._private.items()
        )

    def resolve(self, host: str, port: int) -> list[str]:
        """The addresses of a host, checked: connect to these, and do not resolve the name again.

        :raises Refused: it has a private one.
        :raises OSError: the name is not known.
        """
        addresses = list(
            dict.fromkeys(str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        )
        if reason := self.refusal(host, port, addresses):
            raise Refused(reason)
        return addresses


def is_private(address: str) -> bool:
    """Whether an IP address is not one of the public internet; False for a name."""
    ip = _ip(address)
    return ip is not None and _is_private(ip)


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
    name = host.rstrip(".")
    return name == "localhost" or name.endswith(".localhost")


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

    :raises UsageError: it is a ``file:`` address, for which its path would do.
    """
    scheme, colon, rest = place.partition(":")
    if colon and scheme.lower() == "file":
        path = unquote(urlsplit(f"file:{rest}").path)
        raise UsageError(f"{place}: file addresses are not read; give the path{f', {path}' if path else ''}")
    return colon == ":" and scheme.lower() in ("http", "https") and rest.startswith("//")
