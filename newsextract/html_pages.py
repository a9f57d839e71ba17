"""HTML files of ours: everything is in them, nothing is fetched.

Titles, texts and URLs come from untrusted pages. They are escaped, only http and https URLs become links, and a content
security policy allows only the file's own style sheet and script, by their hashes, and pictures as data.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from urllib.parse import urlsplit

from newsextract.feed.duplicates import Stretch

_NOT_TEXT = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {"missing": "del", "extra": "ins", "both": "span"}


def document(title: str, style: str, body: str, script: str = "", *, policy: str | None = None) -> str:
    """A file; well-formed XML if the body is.

    :param policy: None: that of the style sheet and the script.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy or policy_of(style, script)}"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f'<meta name="referrer" content="no-referrer"/><title>{text(title)}</title>\n<style>{style}</style></head>\n'
        f"<body>{body}" + (f"<script>{script}</script>" if script else "") + "</body></html>\n"
    )


def policy_of(style: str, script: str = "", forms: str = "'none'") -> str:
    """A content security policy.

    :param forms: where forms may be sent.
    """
    scripts = f"script-src {_hash(script)}; " if script else ""
    return f"default-src 'none'; img-src data:; {scripts}style-src {_hash(style)}; base-uri 'none'; form-action {forms}"


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(sha256(content.encode()).digest()).decode()}'"


def text(value: object) -> str:
    """A value escaped for HTML text, or for an attribute in double quotes."""
    return escape(_NOT_TEXT.sub("\ufffd", str(value)))


def link(url: str, shown: str | None = None) -> str:
    """A link to an http or https URL; for other URLs, only the text."""
    shown = text(url if shown is None else shown)
    try:
        is_web = urlsplit(url).scheme in ("http", "https") and bool(urlsplit(url).hostname)
    except ValueError:
        is_web = False  # reason: not a URL
    if not is_web:
        return f"<bdi>{shown}</bdi>"
    return f'<a href="{text(url)}" rel="noopener noreferrer nofollow"><bdi>{shown}</bdi></a>'


def changes(stretches: Iterable[Stretch]) -> str:
    """The differences of two texts."""
    parts = []
    for stretch in stretches:
        gap = f'<span class="gap">… {stretch.left_out:,} words …</span>' if stretch.left_out else ""
        tag = _TAGS[stretch.kind]
        parts.append(f"<{tag}>{text(stretch.text)}{gap}</{tag}>".replace("\n", "<br/>"))
    return f'<div class="diff" dir="auto">{"".join(parts)}</div>'
