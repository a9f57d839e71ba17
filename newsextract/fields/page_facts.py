"""What a page says of itself beside title, date and authors: section, lead image, canonical address, rights, language.

Sources are Open Graph, schema.org and HTML; of several articles in JSON-LD one is the page's own.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Any
from urllib.parse import urljoin, urlsplit

from newsextract.fields.article_marks import ArticleMarks, is_face
from newsextract.fields.title_parts import fold_key
from newsextract.model_files import data_table
from newsextract.page.metadata import Metadata, fold, plain
from newsextract.page.references import Addresses
from newsextract.results import Found, Surroundings
from newsextract.urls import normalize

_SECTION_META = ("article:section", "og:article:section", "parsely-section", "sailthru.section", "section", "articlesection",
                 "cxenseparse:section", "dc.subject.section", "prism.section", "channel", "category")  # fmt: skip
_MAX_SECTION = 80


def section(metadata: Metadata, marks: ArticleMarks | None = None) -> str | None:
    """The section (rubric) the article stands in, or None.

    :param marks: what the page's theme marks around the article; read where the page declares no section.
    """
    stated = (value[:1] if isinstance(value, list) else [value] for value in _sections(metadata, marks))
    texts = (plain(value[:500]) for values in stated for value in values if isinstance(value, str))
    return next((text for text in texts if 0 < len(text) <= _MAX_SECTION and "://" not in text), None)


def _sections(metadata: Metadata, marks: ArticleMarks | None) -> Iterator[Any]:
    yield metadata.first(*_SECTION_META)
    yield from (item.get("articleSection") for item in metadata.json_ld[:20])
    yield from metadata.properties.get("articlesection", ())[:1]  # late: it has to be searched for in the source
    if marks is not None:
        yield marks.section


def image(metadata: Metadata, base: str | None, marks: ArticleMarks | None = None) -> str | None:
    """Absolute address of the article's lead picture, or None.

    What the page states comes first, then the first picture of the body, then a stated logo; faces and icons are none.

    :param base: the page's address, against which a relative one is resolved.
    :param marks: around the article; None where its place in the tree is not known.
    """
    base = base or metadata.canonical
    stated = metadata.first("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src")
    candidates: list[Any] = [stated]
    candidates += [item.get("image") or item.get("thumbnailUrl") for item in metadata.json_ld[:20]]
    candidates += [metadata.first("image", "thumbnailurl", "parsely-image-url", "sailthru.image.full")]
    candidates += list(metadata.links.get("image_src", ()))[:1]
    found = [url for value in candidates if (url := absolute(_image_address(value), base)) and not is_face(_file(url))]
    sure = next((url for url in found if not is_face(_file(url), weak=True)), None)
    return sure or (marks.picture(Addresses(base or "")) if marks is not None else None) or next(iter(found), None)


def _file(url: str) -> str:
    """The name of a picture's file and its host: the folders of a site's pictures often have names of other things."""
    parts = urlsplit(url)
    return f"{parts.hostname} {parts.path.rpartition('/')[2]}"


def canonical_url(metadata: Metadata, url: str | None) -> str | None:
    """Absolute canonical address, or None when the page states none that is usable.

    A canonical link to the site's front page, on another page, is a mistake of the template and not believed.
    """
    stated = (absolute(address, url) for address in (metadata.canonical, metadata.first("og:url")))
    return next((found for found in stated if found and not (url and _is_front(found) and not _is_front(url))), None)


def absolute(address: str | None, base: str | None) -> str | None:
    """An http(s) address joined with its base; None when it is none or is malformed."""
    if not address:
        return None
    address = fold(address)
    try:
        joined = urljoin(base, address) if base and not address.startswith(("https://", "http://")) else address
        parts = urlsplit(joined)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return None
    return joined if usable else None


def _is_front(url: str) -> bool:
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def _image_address(value: Any) -> str | None:
    """The address in a JSON-LD image: a string, an ImageObject or a list of them."""
    for _ in range(3):
        if isinstance(value, list):
            value = value[0] if value else None
        elif isinstance(value, dict):
            value = value.get("url") or value.get("contentUrl") or value.get("@id")
    return value if isinstance(value, str) else None


# --- rights ---------------------------------------------------------------------------------------
# *Reserved*: `noai`, `noimageai`, `noindex` and `none` of ``X-Robots-Tag`` and of ``<meta name=robots>``, and the
# reservation of text and data mining (TDM Reservation Protocol, W3C community group, 2024) by header or meta element; what
# a host's ``/.well-known/tdmrep.json`` says reaches this module as a header (:mod:`spiders.politeness`). Any one of them
# counts. What a page says to one named robot alone does not.
#
# *Access*: ``isAccessibleForFree`` and ``wordCount`` of JSON-LD (schema.org), ``article:content_tier``, and the words with
# which publishers end the part that everybody may read. ``cut`` says that the text stops short of the article.

RESERVING = ("noai", "noimageai", "noindex", "none")
TDM, POLICY = "tdm-reservation", "tdm-policy"
"""Names of header and meta element."""
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
"""Directives that are written with a colon; else a name stands before it, of the robot that is meant."""


def reservation(metadata: Metadata, headers: Mapping[str, str]) -> str | None:
    """What the page reserves and where it says so, or None.

    :param headers: HTTP headers; names in any case.
    :returns: for example ``noai, noimageai (meta robots); tdm-reservation (header), policy https://example.org/policy``.
    """
    named = {name.lower(): value for name, value in headers.items()}
    robots = {"X-Robots-Tag": [named.get("x-robots-tag", "")], "meta robots": metadata.meta.get("robots", ())}
    told = [f"{', '.join(words)} ({where})" for where, given in robots.items() if (words := _directives(given))]
    told += [_mining(named.get(TDM), named.get(POLICY), "header")]
    told += [_mining(metadata.first(TDM), metadata.first(POLICY), "meta")]
    return "; ".join(filter(None, told)) or None


def _directives(contents: Iterable[str]) -> list[str]:
    """The reserving directives that hold for every robot."""
    found: dict[str, None] = {}
    for content in contents:
        for part in content.lower().split(","):
            name, colon, _ = part.partition(":")
            if colon and name.strip() not in _VALUED:
                break  # the rest is for one robot
            found |= dict.fromkeys(word for word in name.split() if word in RESERVING)
    return [*found]


def _mining(value: str | None, policy: str | None, where: str) -> str:
    """What one place says of text and data mining; empty for nothing."""
    if not (value or "").strip().startswith("1"):
        return ""
    where = "/.well-known/tdmrep.json" if (value or "").strip() == FROM_FILE else where
    return f"{TDM} ({where})" + (f", policy {policy.strip()[:300]}" if policy and policy.strip() else "")


FROM_FILE = "1 tdmrep.json"
"""Value of the header that stands for the host's file."""

_ENOUGH, _MOST_LEFT = 0.4, 0.8
"""Share of the declared words below which a text is cut; the second one where the page says that it is not free."""
_LEAST_WORDS = 150
"""Declared words; of less an extraction may well miss a part."""
_SAME = 0.1
"""Some sites declare characters: then the text has as many, within a tenth (``fundus-ccd035da82``: 6,838 of 7,090)."""
_TIERS = {"free": "free", "metered": "limited", "locked": "limited"}
_LINES = 4
"""At the end of a text, and blocks after it, that are looked at."""
_LONGEST = 300
"""Characters of such a line; what is longer is a paragraph."""
_WIDE = re.compile("[぀-ヿ一-鿿가-힯]")
_BARRIERS = data_table("fields/data/barriers.toml")
_STOPS = re.compile("|".join(_BARRIERS["stops"]), re.IGNORECASE)
_STOPPING = tuple(_BARRIERS["stopping"])
"""Whatever :data:`_STOPS` finds holds one of these, which are looked up in a fiftieth of its time."""


def access(metadata: Metadata, text: str, surroundings: Surroundings) -> Found | None:
    """Who may read the article: ``free``, ``limited`` (not everybody may read all of it) or ``cut`` (the text stops short).

    :returns: the value, where it is said, and the words; None where the page says nothing.
    """
    declared, words = _declared(metadata)
    if text and (declared is None or declared.value != "free"):
        lines = text[-_LINES * _LONGEST :].split("\n")[-_LINES:]
        for line in (*lines, *surroundings.after[:_LINES]):
            if len(line) <= _LONGEST and _may_stop(line) and (said := _STOPS.search(line)) is not None:
                return Found("cut", "text", line[max(0, said.start() - 20) :][:120])
    if text and words >= _LEAST_WORDS:
        count = len(text.split()) + len(_WIDE.findall(text))
        share = _ENOUGH if declared is None or declared.value == "free" else _MOST_LEFT
        if count < share * words and abs(len(text) - words) > _SAME * words:
            return Found("cut", "json-ld:wordCount", f"{count} of {words} words")
    return declared


_LABELS = frozenset(_BARRIERS["labels"])
_EDITED = re.compile("(?:责任编辑|責任編輯|责编|責編|编辑|編輯|校对|校對|审核|審核)\\s?[:：]")
"""How a line begins that names an editor."""
_LABEL = 45
"""Characters of such a line, at most."""
_CHANNELS = tuple(_BARRIERS["channels"])
_FOLLOW = re.compile(
    r"\W{0,4}(?:follow\s|join\s(?:us|our)|subscribe\s|(?:[\w-]{1,12}\W{1,2})?(?:síguenos|sigue\s|únete|recibe|siga\s|receba|entre\sno|segui\s|seguici|iscriviti"
    r"|suivez|rejoignez|abonnez|volg\s|obserwuj|dołącz|sledujte|kövess|csatlakozz|urmăre|urmări|abonează|takip|katıl|ακολουθ"
    r"|följ\s|seuraa|підпис|приєдн|подпис|присоедин|следите|pratite|пратите|עקבו|הצטרפו|تابع|انضم|دنبال|ikuti|gabung|dapatkan|theo\sdõi"
    r"|ติดตาม|关注|關注))|.{0,80}(?:انضم|फॉलो|जुड़|takip\sed|abone\sol|フォロー|友だち追加|구독)",
    re.IGNORECASE,
)
"""The word of an invitation is at its beginning, in languages whose verbs stand last behind the channel."""
_INVITATION = 200
"""Characters of an invitation to follow a site elsewhere ("Follow us on Google News"), at most."""
_RIGHTS = re.compile(
    r"\W{0,4}(?:©|ⓒ|\(c\)|copyright|저작권자|riproduzione\sriservata|tous\sdroits|todos\slos\sderechos|todos\sos\sdireitos|all\srights\sreserved"
    r"|alle\srechte|無断転載|版权所有|版權所有|wszelkie\sprawa|všechna\správa|все\sправа|усі\sправа|جميع\sالحقوق)",
    re.IGNORECASE,
)


def foreign_lines(text: str) -> frozenset[int]:
    """The numbers of the lines of a paywall, of an advertisement's label, and of an editor's name."""
    return barrier_lines(text) | label_lines(text)


def barrier_lines(text: str) -> frozenset[int]:
    """The numbers of the lines of a paywall at the end of a text: the one that says who may read on ("Subscribe to continue
    reading") and the offers after it. Empty if there is no such line, if a paragraph follows, or without other text."""
    lines = text.split("\n")
    first = len(lines)
    for number in range(len(lines) - 1, max(0, len(lines) - 1 - _LINES), -1):
        line = lines[number]
        if len(line) > _LONGEST:
            break
        if _may_stop(line) and _STOPS.search(line):
            first = number
    return frozenset(range(first, len(lines)))


def label_lines(text: str) -> frozenset[int]:
    """The numbers of the lines that hold nothing but the label of an advertisement or of a button to subscribe or share, an
    editor's name behind a Chinese label, or an invitation to follow the site elsewhere, and of a line about rights at the
    end."""
    lines = text.split("\n")
    found = {
        number
        for number, line in enumerate(lines)
        if len(line) <= _LABEL and (line.strip(" :.…（）").casefold() in _LABELS or _EDITED.match(line.lstrip("（(")))
    }
    folded = "\n".join([line for line in lines if len(line) <= _INVITATION]).casefold()
    if channels := [channel for channel in _CHANNELS if channel in folded]:
        found.update(
            number
            for number, line in enumerate(lines)
            if len(line) <= _INVITATION and any(c in line.casefold() for c in channels) and _FOLLOW.match(line)
        )
    last = len(lines) - 1
    while last > 0 and (last in found or (len(lines[last]) <= 2 * _LABEL and _RIGHTS.match(lines[last]))):
        found.add(last)
        last -= 1
    return frozenset(found)


@lru_cache(maxsize=64)  # access() and barrier_lines() look at the same lines
def _may_stop(line: str) -> bool:
    folded = line.casefold()
    return any(words in folded for words in _STOPPING)


def _declared(metadata: Metadata) -> tuple[Found | None, int]:
    """What the page declares, and how many words it says the article has (0: it does not)."""
    found: Found | None = None
    words = 0
    for item in metadata.json_ld[:20]:
        said = str(item.get("isAccessibleForFree", "")).lower().rpartition("/")[2]
        if said in ("true", "false") and (found is None or said == "false"):
            found = Found("free" if said == "true" else "limited", "json-ld:isAccessibleForFree", said)
        count = str(item.get("wordCount", "")).strip()
        if not words and count.isdecimal() and len(count) <= 6:
            words = int(count)
    tier = (metadata.first("article:content_tier", "og:article:content_tier") or "").strip().lower()
    if found is None and tier in _TIERS:
        found = Found(_TIERS[tier], "meta:article:content_tier", tier)
    return found, words


# --- own article ----------------------------------------------------------------------------------
# Which of several articles in a page's JSON-LD is about the page: related stories have objects of their own.
#
# An article is the page's if it states the page's URL, or its headline. URLs count for more, because the headlines of a page
# and of its object may differ. Where nothing tells them apart, the order of the page stays.

_ARTICLE = re.compile(r"article|posting|report|review|recipe|interview|story|analysis", re.IGNORECASE)
_MIN_HEADLINE = 6
"""Letters and digits of a headline that is looked for at the ends of ``<title>``."""
_BEFORE_HOST = re.compile(r"^https?://(?:www\.)?")


def with_own_article(metadata: Metadata, url: str | None) -> Metadata:
    """The metadata with the page's own article first in JSON-LD, and without articles that are about other pages.

    If JSON-LD has no article, it is taken from the data from which an application draws the page.
    """
    articles = [item for item in metadata.json_ld if _ARTICLE.search(str(item.get("@type", "")))]
    if not articles and (drawn := _article_in_state(metadata)) is not None:
        return replace(metadata, json_ld=(drawn, *metadata.json_ld))
    if len(articles) < 2:
        return metadata
    base = url or metadata.canonical or ""
    stated = (url, metadata.canonical, metadata.first("og:url"))
    here = {key for address in stated if (key := _key(address, base))}
    titles = {fold_key(title) for title in (*metadata.headings, metadata.first("og:title", "twitter:title")) if title}
    ranks: dict[int, tuple[bool, bool]] = {}
    others: set[int] = set()
    for item in articles:
        addresses = {key for address in _addresses(item) if (key := _key(address, base))}
        headline = fold_key(plain(str(item.get("headline") or item.get("name") or "")))
        ranks[id(item)] = rank = (not here.isdisjoint(addresses), _is_title(headline, metadata.title, titles))
        if not any(rank) and (addresses or headline):
            others.add(id(item))
    if not any(map(any, ranks.values())) or len(set(ranks.values())) == 1:
        return metadata
    own = sorted((item for item in articles if any(ranks[id(item)])), key=lambda item: ranks[id(item)], reverse=True)
    rest = [item for item in metadata.json_ld if not any(ranks.get(id(item), ())) and id(item) not in others]
    return replace(metadata, json_ld=(*own, *rest))


_STATE = re.compile(
    r"<script\s[^<>]{0,300}?(?:\bid=[\"']?__NEXT_DATA__|\btype=[\"']?application/json\b)[^<>]{0,300}>", re.IGNORECASE
)
"""Data from which an application draws its page (Next.js, Nuxt 2, Gatsby …)."""
_MOST_STATES, _MAX_STATE = 5, 2_000_000
"""Scripts with data that are read, and their characters."""
_STATE_TITLES = ("headline", "title", "name")
_STATE_DAYS = (
    "datePublished", "date_published", "publishedAt", "published_at", "publishDate", "publish_date", "publishedDate",
    "published_date", "publicationDate", "publication_date", "firstPublishedAt", "first_published_at", "pubDate",
)  # fmt: skip
_STATE_AUTHORS = ("author", "authors", "byline", "creator", "creators")


def _article_in_state(metadata: Metadata) -> Mapping[str, Any] | None:
    """The page's own article in the data of an application, as JSON-LD; None without one that has title and day."""
    titles = {fold_key(title) for title in (*metadata.headings, metadata.first("og:title", "twitter:title")) if title}
    for start in islice(_STATE.finditer(metadata.source), _MOST_STATES):
        end = metadata.source.find("</script", start.end(), start.end() + _MAX_STATE)
        try:
            waiting: list[Any] = [json.loads(metadata.source[start.end() : end])] if end > 0 else []
        except (ValueError, RecursionError):
            continue
        while waiting:
            value = waiting.pop()
            if isinstance(value, dict):
                title = next((value[name] for name in _STATE_TITLES if isinstance(value.get(name), str)), "")
                day = next((value[name] for name in _STATE_DAYS if isinstance(value.get(name), (str, int))), None)
                if day is not None and title and _is_title(fold_key(plain(title[:500])), metadata.title, titles):
                    given = next((value[name] for name in _STATE_AUTHORS if value.get(name)), None)
                    return {"@type": "WebPage", "headline": title, "datePublished": day, "author": given}
                waiting += reversed(value.values())
            elif isinstance(value, list):
                waiting += reversed(value)
    return None


def _addresses(item: Mapping[str, Any]) -> Iterator[str]:
    """The URLs of the page that an object is about; its ``@id`` only where it states no other."""
    found = False
    for name in ("url", "mainEntityOfPage", "@id"):
        value = item.get(name)
        given = value.get("@id") or value.get("url") if isinstance(value, Mapping) else value
        if isinstance(given, str) and given and not given.startswith("#") and not (found and name == "@id"):
            found = True
            yield given


def _key(address: str | None, base: str) -> str:
    """A URL without what differs between spellings of one: scheme, ``www.``, trackers, fragment, the last slash."""
    try:
        joined = urljoin(base, address or "")
    except ValueError:
        return ""  # not a URL
    return _BEFORE_HOST.sub("", (address and normalize(joined)) or "").rstrip("/")


def _is_title(headline: str, title: str | None, titles: set[str]) -> bool:
    """Whether a headline is one of the page's titles, or begins or ends ``<title>``, beside the site's name."""
    key = fold_key(title or "")
    return headline in titles or (len(headline) >= _MIN_HEADLINE and (key.startswith(headline) or key.endswith(headline)))


# --- language -------------------------------------------------------------------------------------
# Declarations are ``html lang`` (BCP 47), ``og:locale``, ``content-language`` and JSON-LD ``inLanguage``. Templates often
# declare a language that the text is not in; a script that the declared language is not written in overrules them
# (Unicode blocks). Among languages of one script stop words decide (``data/stopwords.toml``) when none is declared or the
# text is clearly in another one.

SAMPLE = 1_200
"""Characters of the body that are looked at."""

_CODE = re.compile(r"\s*([a-zA-Z]{2,3})(?:[-_][a-zA-Z0-9_-]{1,30})?\s*(?:$|[,;])")
_SCRIPTS = {name: re.compile(f"[{table['letters']}]") for name, table in data_table("fields/data/scripts.toml").items()}
_WRITTEN_IN = {name: tuple(table["languages"]) for name, table in data_table("fields/data/scripts.toml").items()}
_LATIN = re.compile("[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]++")
_BEYOND_LATIN = re.compile("[^\x00-\u036f\u1e00-\u2bff]")
"""Letters of other scripts are among these characters."""
_NO_LETTERS = re.compile(r"[\x00-\x7f\u2000-\u206f\W\d_]++")
_NEVER_LATIN = {"ru", "uk", "bg"}.union(*(codes for script, codes in _WRITTEN_IN.items() if script != "cyrillic"))
_ALIASES = {
    "iw": "he", "in": "id", "ji": "yi", "nb": "no", "nn": "no", "yue": "zh",
    "eng": "en", "ger": "de", "deu": "de", "fra": "fr", "fre": "fr", "spa": "es", "zho": "zh", "chi": "zh",
    # Country codes that pages give for languages.
    "cn": "zh", "jp": "ja", "cz": "cs", "ua": "uk", "gr": "el",
}  # fmt: skip
_OVERRULE = 2.5
_MIN_WORDS = 5
_MOST = 0.6
"""Of the words of a text at most such a share are stop words of one language."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")


def find_language(metadata: Metadata, text: str, hint: str | None = None) -> str | None:
    """ISO 639-1 code, or None when nothing says it.

    :param text: the body; its script overrules a declaration that cannot be true.
    :param hint: what the site definition says; believed before the page's own declaration.
    """
    sample = text[:SAMPLE]
    script = main_script(sample) or main_script(metadata.title or "")
    declared = [code for code in (_code(hint), *_declared_languages(metadata)) if code]
    possible = _WRITTEN_IN.get(script or "")
    if possible is not None:
        fitting = next((code for code in declared if code in possible), None)
        if fitting or len(possible) == 1 or script == "han":
            return fitting or possible[0]
        return _by_stop_words(sample, possible) or possible[0]
    credible = [code for code in declared if not (script == "latin" and code in _NEVER_LATIN)]
    guess = _by_stop_words(sample or metadata.title or "", None, credible[0] if credible else None)
    return guess or (declared[0] if declared else None)


def main_script(text: str) -> str | None:
    """The script that most letters of a text are in; ``kana`` when a text in Han characters has some; None: no letters."""
    if _BEYOND_LATIN.search(text) is None:
        return "latin" if _LATIN.search(text) else None
    rest = _LATIN.sub("", text)
    latin = len(text) - len(rest)
    rest = _NO_LETTERS.sub("", rest)
    if not rest:
        return "latin" if latin else None
    counts = {name: len(pattern.findall(rest)) for name, pattern in _SCRIPTS.items()}
    # One Han character says about as much as two Latin letters.
    counts["han"] *= 2
    if counts["kana"] * 20 > counts["han"] > 0 or counts["kana"] * 2 > latin:
        counts["kana"] += counts["han"]
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] > latin else "latin" if latin else None


def _declared_languages(metadata: Metadata) -> list[str | None]:
    tags = [metadata.html_lang, metadata.first("og:locale"), metadata.first("content-language", "language", "dc.language")]
    for item in metadata.json_ld[:20]:
        value = item.get("inLanguage")
        if isinstance(value, dict):
            value = value.get("alternateName") or value.get("name")
        if isinstance(value, str):
            tags.append(value)
    return [_code(tag) for tag in tags]


def _code(tag: str | None) -> str | None:
    match = _CODE.match(tag or "")
    if match is None:
        return None
    code = match.group(1).lower()
    code = _ALIASES.get(code, code)
    return code if len(code) == 2 and code != "xx" else None


@cache
def _stop_words() -> dict[str, tuple[str, ...]]:
    """Stop word → languages that have it."""
    table: dict[str, tuple[str, ...]] = {}
    for code, words in data_table("fields/data/stopwords.toml").items():
        table |= {word: (*table.get(word, ()), code) for word in words.split()}
    return table


def _by_stop_words(text: str, among: tuple[str, ...] | None, declared: str | None = None) -> str | None:
    """The language whose stop words make up most of the text; None below 8 % (a guess, not fitted).

    :param declared: believed unless another language has more than :data:`_OVERRULE` times its stop words.
    """
    lower = text.lower()
    if declared in _listed():
        roughly = lower.split()
        own = sum(map(_own_words(declared).__contains__, roughly))
        if len(roughly) >= _MIN_WORDS and own * _OVERRULE > _MOST * len(roughly):
            return declared  # no other language can have so many more
    words = _WORD.findall(lower)
    table = _stop_words()
    counts = Counter(chain.from_iterable(filter(None, map(table.get, words))))
    fitting = {code: count for code, count in counts.items() if among is None or code in among}
    best = max(fitting, key=lambda code: fitting[code], default=None)
    sure = best is not None and len(words) >= _MIN_WORDS and fitting[best] > 0.08 * len(words)
    if declared is None:
        return best if sure else None
    if declared in _listed() and sure and best and fitting[best] > max(5, _OVERRULE * counts.get(declared, 0)):
        return best
    return declared


@cache
def _own_words(language: str) -> frozenset[str]:
    """The stop words of a language."""
    return frozenset(word for word, codes in _stop_words().items() if language in codes)


@cache
def _listed() -> frozenset[str]:
    return frozenset(code for codes in _stop_words().values() for code in codes)
