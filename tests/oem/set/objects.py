"""Expected objects as the set's builders write them: what :func:`newsextract.wrappers.to_json` gives, without identities."""

from __future__ import annotations

from typing import Any
from urllib.parse import urljoin

Expected = dict[str, Any]


def text(label: str, value: str) -> Expected:
    return {"label": label, "type": "string", "value": value}


def link(label: str, base: str, href: str) -> Expected:
    return {"label": label, "type": "link", "value": urljoin(base, href)}


def within(label: str, *objects: Expected) -> Expected:
    return {"label": label, "type": "complex", "value": list(objects)}
