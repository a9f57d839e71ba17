"""What an address is, and which are not of the public internet: one rule for the crawl, the command line and the browser.

A link, a redirect or a page's script could otherwise lead into the network of whoever runs this.
"""

from __future__ import annotations

import ipaddress
from urllib.parse import unquote, urlsplit

from newsextract.errors import UsageError

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv4 addresses as IPv6 networks reach them (RFC 6052)."""

Server = tuple[str, int]
"""Host and port."""


def is_private(address: str) -> bool:
    """Whether an IP address is not one of the public internet; False for a name."""
    try:
        ip = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address):
        inside = ip.ipv4_mapped or ip.sixtofour or (ipaddress.IPv4Address(ip.packed[-4:]) if ip in _NAT64 else None)
        if ip.is_site_local or (inside is not None and (not inside.is_global or inside.is_multicast)):
            return True
        if inside is not None:
            return False
    return not ip.is_global or ip.is_multicast


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
