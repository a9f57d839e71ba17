"""Bot walls: is a response a page of the site, or does something in front of it ask for a proof that its visitor is human?

Told by what the walls themselves write: a header of the response, or a sign in the markup of a page that shows little else.
A sign alone is not enough: articles quote such markup, and sites load the walls' scripts into their ordinary pages, so the
page must be short, with at most :data:`MOST_TEXT` visible characters. Nothing here passes a wall, or tries to.

Sources: the walls' own documentation and the pages that they serve, 2024-2026. Of the 3,999 pages of the bench one is taken
for a challenge, and is one (``wcxb-dev-0551``, Anubis).

Cost: for bodies under :data:`MOST_BYTES` 0.2 ms, to see that the page shows more than a wall does; only for those that do
not, one search a sign.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

MOST_BYTES = 150_000
"""A longer body is a page: walls serve 1 to 40 kB."""
MOST_TEXT = 1_500
"""Visible characters; a wall shows 0 to 900."""


class _Header(NamedTuple):
    wall: str
    name: str
    values: tuple[str, ...]
    """What it begins with, in lower case; an empty one fits all."""
    codes: tuple[int, ...] = ()
    """Only with one of these codes; empty: with any."""


_HEADERS = (
    _Header("Cloudflare", "cf-mitigated", ("challenge",)),
    _Header("AWS WAF", "x-amzn-waf-action", ("challenge", "captcha")),
    _Header("Vercel", "x-vercel-mitigated", ("challenge",)),
    _Header("SiteGround", "sg-captcha", ("challenge",)),
    _Header("DataDome", "x-datadome", ("",), (401, 403, 405, 429)),
    _Header("Kasada", "x-kpsdk-ct", ("",), (403, 429)),
    _Header("HUMAN", "x-px-blocked", ("",), (403, 429)),
)

_SIGNS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    ("Cloudflare", (b"_cf_chl_opt",)),
    ("Cloudflare", (b"jschl_vc",)),
    ("AWS WAF", (b"gokuProps",)),
    ("AWS WAF", (b"awswaf.com/", b"captcha-container")),
    ("DataDome", (b"captcha-delivery.com", b"dd={")),
    ("HUMAN", (b"px-captcha", b"_pxAppId")),
    ("Akamai", (b"bm-verify",)),
    ("Akamai", (b"/_sec/cp_challenge/",)),
    ("Imperva", (b"Incapsula incident ID",)),
    ("Sucuri", (b"sucuri_cloudproxy_js",)),
    ("Kasada", (b"KPSDK", b"/ips.js?")),
    ("Anubis", (b"anubis_challenge",)),
    ("DDoS-Guard", (b"ddos-guard/js-challenge",)),
    ("DDoS-Guard", (b"check.ddos-guard.net",)),
    ("SiteGround", (b"/.well-known/sgcaptcha/",)),
    ("Vercel", (b"Vercel Security Checkpoint",)),
    ("Fastly", (b"/_fs-ch-",)),
    ("F5", (b"/TSPD/", b"support ID")),
    ("Radware", (b"validate.perfdrive.com",)),
    ("Google", (b"captcha-form", b"/sorry/")),
    ("DuckDuckGo", (b"anomaly-modal",)),
    ("Alibaba Cloud", (b"acw_sc__v2", b"arg1=")),
    ("Alibaba Cloud", (b"aliyun_waf_", b"renderData")),
    ("Ruishu", (b"$_ts=window['$_ts']",)),
    ("Tencent EdgeOne", (b"__tst_status", b"EO_Bot_Ssid")),
    ("Baidu", (b"wappass.baidu.com/static/captcha",)),
)
"""Whose wall, and what must all stand in the body."""

_TITLES = re.compile(
    rb"<title[^>]{0,100}>\s{0,40}(just a moment|attention required!|ddos protection by|checking your browser"
    rb"|one moment, please"
    rb"|security check|robot check|bot verification|human verification|verif(?:y|ying) (?:that )?you are (?:a )?human"
    rb"|are you (?:a robot|human)|are you not a robot|pardon our interruption|access to this page has been denied"
    rb"|client challenge|\xe5\xae\x89\xe5\x85\xa8\xe9\xaa\x8c\xe8\xaf\x81|\xe4\xba\xba\xe6\x9c\xba\xe9\xaa\x8c\xe8\xaf\x81)",
    re.IGNORECASE,
)
"""Titles that walls give their pages; the last two are Chinese for a safety check and for a check of man or machine."""
_HEAD = 20_000
"""Bytes in which such a title is looked for."""
_ASKS = re.compile(
    rb"g-recaptcha|h-captcha|cf-turnstile|challenges\.cloudflare\.com|captcha|enable (?:javascript|cookies)|reload the page",
    re.IGNORECASE,
)
"""What stands beside such a title; the title alone may be an article's."""

_HIDDEN = re.compile(rb"<(?=[sntSNT])((?i:script|style|noscript|svg|template|title))(?=[\s/>])")
_HIDDEN_ENDS = {
    name: re.compile(rb"</" + name, re.IGNORECASE) for name in b"script style noscript svg template title".split()
}
_TAG = re.compile(rb"<[^>]*+>?")
_STEP = 4_000
"""Bytes that are looked at in one step, because most pages show enough in their first ones."""


def find_challenge(body: bytes, headers: Mapping[str, str] | None = None, status: int = 200) -> str | None:
    """Whose challenge a response is and by what it is known, or None for a page of the site (or an ordinary error).

    :param body: after content decoding.
    :param headers: HTTP headers; names in any case.
    :param status: HTTP code; walls answer 200 and 202, too.
    :returns: for example ``Cloudflare (header cf-mitigated: challenge)``.
    """
    for given, value in (headers or {}).items():
        written = given.lower()
        for wall, name, values, codes in _HEADERS:
            if written == name and (not codes or status in codes) and value.strip().lower().startswith(values):
                return f"{wall} (header {name}: {value.strip()[:40]})"
    return _sign(body) if len(body) <= MOST_BYTES and _is_short(body) else None


def _sign(body: bytes) -> str | None:
    for wall, signs in _SIGNS:
        if all(sign in body for sign in signs):
            return f"{wall} ({' and '.join(sign.decode('ascii') for sign in signs)})"
    title = _TITLES.search(body, 0, _HEAD)
    if title is None or _ASKS.search(body) is None:
        return None
    return f"a page that asks for a proof (title {title[1].decode('utf-8', 'replace')!r})"


def _is_short(body: bytes) -> bool:
    """Whether a reader sees at most :data:`MOST_TEXT` characters."""
    at = seen = 0
    while at < len(body) and seen <= MOST_TEXT:
        hidden, until = _HIDDEN.search(body, at, at + _STEP), len(body)
        if hidden is not None:
            until = hidden.start()
        elif until - at > _STEP:  # up to the last tag that begins in this step, or behind one that is longer
            begins = body.rfind(b"<", at + 1, at + _STEP)
            until = begins if begins > 0 else body.find(b">", at + _STEP) + 1 or until
        seen += len(b" ".join(b" ".join(_TAG.split(body[at:until])).split()).decode("utf-8", "replace"))
        if hidden is not None:
            closed = _HIDDEN_ENDS[hidden[1].lower()].search(body, hidden.end())
            until = closed.start() if closed is not None else len(body)
        at = until
    return seen <= MOST_TEXT
