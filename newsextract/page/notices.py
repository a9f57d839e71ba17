"""What comes in place of a page: a notice that it does not exist, a log-in, a question for consent, or a bot wall.

Servers send such pages with HTTP 200, so no code tells them. Title or first heading must say it (``data/notices.toml``,
forty languages), on a page with little text of its own that names neither a day nor an author: articles about missing pages
have more text, or one of both. A log-in needs a field to type into, and a question for consent a button. None of the
3,999 pages of the bench is taken for one (a trial).

Cost: the words are searched in the title and the first headings only; everything else is asked if they say something.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from newsextract.model_files import data_table
from newsextract.page.metadata import plain
from newsextract.page.page import Page
from newsextract.results import ASKS_CONSENT, IS_LOG_IN

MOST_TEXT = 1_500
"""Characters outside links that a page with a notice has at most, a Chinese, Japanese or Korean one counting three."""
_MOST_LINE = 100
"""Characters of a title's part or a heading, at most; a notice is short."""
_SITE_NAME = 30
"""Characters of a title's part that may be the name of a site; a longer one may be a headline."""
_FEW_TIMES = 2
"""``<time>`` elements that date the page itself; more of them are those of teasers."""
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_PARTS = re.compile(r"\s[|–—:·•»«-]{1,3}\s|[|｜_]| - ")
_TYPED = re.compile(r"<input[^<>]{0,400}\btype\s{0,3}=\s{0,3}[\"']?(?:password|email)\b", re.IGNORECASE)
_BUTTON = re.compile(r"<button\b|<input[^<>]{0,400}\btype\s{0,3}=\s{0,3}[\"']?(?:submit|button)\b", re.IGNORECASE)
_HEADING = re.compile(r"<h[2-6]\b[^<>]{0,500}>((?:[^<]|<(?!/h)){1,300})", re.IGNORECASE)
_DATES = ("article:published_time", "datepublished", "date", "dc.date", "pubdate", "author", "article:author")
_STATED = ("datePublished", "dateModified", "author")


class Notice(NamedTuple):
    """What a page says in place of its content."""

    status: Literal["missing", "blocked", "server_error"]
    """As for the HTTP codes that say the same: 404; 401 and 403; 503."""
    reason: str


@cache
def _words() -> dict[str, re.Pattern[str]]:
    table = data_table("data/notices.toml")
    words = {name: [one for language in of.values() for one in language] for name, of in table.items()}
    return {name: re.compile("|".join(those)) for name, those in words.items()}


@lru_cache(maxsize=1)  # a crawl asks for a page's links and then for its text
def find_notice(page: Page) -> Notice | None:
    """What a page says in place of its content; None for a page of its own."""
    if _is_signed(page) or ("dom" in vars(page) and not _is_bare(page)):  # before the words, where the tree is at hand
        return None
    words = _words()
    titles, headings = list(_title_parts(page)), list(_headings(page))
    lines = [*headings, *titles]
    is_headline = any(len(part) > _SITE_NAME for part in titles)
    doors = titles if is_headline else lines  # a layer over an article has a heading, too
    found: Notice | None = None
    if said := _said(words["missing"], lines):
        found = Notice("missing", f"the page says that it does not exist: {said!r}")
    elif said := _said(words["unavailable"], lines):
        found = Notice("server_error", f"the page says that the site is closed for now: {said!r}")
    elif (said := _said(words["login"], doors)) and _TYPED.search(page.text):
        found = Notice("blocked", f"{IS_LOG_IN}: {said!r}")
    elif (said := _said(words["consent"], doors) or consent_address(page.url)) and _BUTTON.search(page.text):
        found = Notice("blocked", f"the page {ASKS_CONSENT} (cookies, privacy) before it shows anything: {said!r}")
    return found if found is not None and _is_bare(page) else None


def consent_address(url: str | None) -> str | None:
    """The end of an address that is written like that of a question for consent, without its query; None for others."""
    address = re.split("[?#]", (url or "").lower()[:2_000])[0]
    return address[-_MOST_LINE:] if _words()["addresses"].search(address) else None


def _said(words: re.Pattern[str], lines: list[str]) -> str | None:
    return next((line for line in lines if words.search(line)), None)


def _title_parts(page: Page) -> Iterator[str]:
    for part in _PARTS.split(_folded(page.metadata.title or "")):
        if 0 < len(part.strip()) <= _MOST_LINE:
            yield part.strip()


def _headings(page: Page) -> Iterator[str]:
    """Those of the first level; without one, the first of all, which the source tells without a tree."""
    headings = page.metadata.headings[:3]
    if not headings and (first := _HEADING.search(page.text)) is not None:
        headings = (plain(first[1]),)
    for heading in headings:
        if 0 < len(line := _folded(heading)) <= _MOST_LINE:
            yield line


def _folded(text: str) -> str:
    return " ".join(text[:500].lower().replace("'", "’").split())


def _is_signed(page: Page) -> bool:
    """Whether a page states a day or an author; asked first, because most articles do."""
    metadata = page.metadata
    return (
        0 < len(metadata.times) <= _FEW_TIMES
        or metadata.first(*_DATES) is not None
        or any(thing.get(name) for thing in metadata.json_ld[:50] for name in _STATED)
    )


def _is_bare(page: Page) -> bool:
    """Whether a page has little text of its own."""
    dom = page.dom
    if sum(dom.counts) > MOST_TEXT:
        return False
    own = " ".join([text for text, linked in zip(dom.leaf_texts, dom.leaf_linked, strict=True) if not linked])
    own = " ".join(own[: 20 * MOST_TEXT].split())
    return len(own) + 2 * len(_WIDE.findall(own)) <= MOST_TEXT


# --- challenges -----------------------------------------------------------------------------------
# Bot walls ask for a proof that the visitor is human.
#
# They are told by what they write themselves: a header of the response, or a sign in the markup of a page that shows little
# else. A sign alone is not enough: articles quote such markup, and sites load the walls' scripts into their ordinary pages,
# so the page must be short, with at most :data:`MOST_SHOWN` visible characters. Nothing here passes a wall, or tries to.
#
# Sources: the walls' own documentation and the pages that they serve, 2024-2026. Of the 3,999 pages of the bench one is
# taken for a challenge, and is one (``wcxb-dev-0551``, Anubis).
#
# Cost: for bodies under :data:`MOST_BYTES` 0.2 ms, to see that the page shows more than a wall does; only for those that do
# not, one search a sign.

MOST_BYTES = 150_000
"""A longer body is a page: walls serve 1 to 40 kB."""
MOST_SHOWN = 1_500
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
    """Whether a reader sees at most :data:`MOST_SHOWN` characters."""
    at = seen = 0
    while at < len(body) and seen <= MOST_SHOWN:
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
    return seen <= MOST_SHOWN
