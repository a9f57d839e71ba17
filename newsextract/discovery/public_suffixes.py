"""Which domain a site's owner registered, by the public suffix list (https://publicsuffix.org).

``newsextract/data/public_suffix_list.dat`` is the list as published (Mozilla Public License 2.0, docs/licences.md). Only its
first part counts, the suffixes of registries: a blog under ``github.io`` belongs to ``github.io``. The list is read when a
domain is first asked for, in about 10 ms.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

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
