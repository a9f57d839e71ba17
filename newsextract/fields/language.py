"""The language of a page: what it declares, checked against the script of its text, else guessed.

Declarations are ``html lang`` (BCP 47), ``og:locale``, ``content-language`` and JSON-LD ``inLanguage``. Templates often
declare a language that the text is not in; a script that the declared language is not written in overrules them
(Unicode blocks). Among languages of one script stop words decide (``data/stopwords.toml``) when none is declared or the
text is clearly in another one.

Cost: one pass over at most :data:`SAMPLE` characters.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import chain

from newsextract.model_files import data_table
from newsextract.page.metadata import Metadata

SAMPLE = 1_200
"""Characters of the body that are looked at."""

_CODE = re.compile(r"\s*([a-zA-Z]{2,3})(?:[-_][a-zA-Z0-9_-]{1,30})?\s*(?:$|[,;])")
_SCRIPTS = {
    "kana": re.compile("[\u3040-\u30ff]"),
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"),
    "hangul": re.compile("[\uac00-\ud7af]"),
    "cyrillic": re.compile("[\u0400-\u04ff]"),
    "arabic": re.compile("[\u0600-\u06ff]"),
    "greek": re.compile("[\u0370-\u03ff]"),
    "hebrew": re.compile("[\u0590-\u05ff]"),
    "devanagari": re.compile("[\u0900-\u097f]"),
    "thai": re.compile("[\u0e00-\u0e7f]"),
    "armenian": re.compile("[\u0530-\u058f]"),
    "georgian": re.compile("[\u10a0-\u10ff]"),
    "bengali": re.compile("[\u0980-\u09ff]"),
    "tamil": re.compile("[\u0b80-\u0bff]"),
    "gujarati": re.compile("[\u0a80-\u0aff]"),
    "gurmukhi": re.compile("[\u0a00-\u0a7f]"),
    "telugu": re.compile("[\u0c00-\u0c7f]"),
    "kannada": re.compile("[\u0c80-\u0cff]"),
    "malayalam": re.compile("[\u0d00-\u0d7f]"),
    "sinhala": re.compile("[\u0d80-\u0dff]"),
    "burmese": re.compile("[\u1000-\u109f]"),
    "khmer": re.compile("[\u1780-\u17ff]"),
    "lao": re.compile("[\u0e80-\u0eff]"),
    "ethiopic": re.compile("[\u1200-\u137f]"),
}
_LATIN = re.compile("[a-zA-Z\u00c0-\u024f\u1e00-\u1eff]++")
_BEYOND_LATIN = re.compile("[^\x00-\u036f\u1e00-\u2bff]")
"""Letters of other scripts are among these characters."""
_NO_LETTERS = re.compile(r"[\x00-\x7f\u2000-\u206f\W\d_]++")
_WRITTEN_IN = {
    # Languages that may be declared for a text in this script; the first is assumed when another one is declared.
    "kana": ("ja",), "han": ("zh", "ja", "yue"), "hangul": ("ko",), "arabic": ("ar", "fa", "ur", "ps", "ku", "ug", "sd"),
    "cyrillic": ("ru", "uk", "bg", "be", "sr", "mk", "kk", "ky", "mn", "tg", "tt", "uz", "az"), "greek": ("el",),
    "hebrew": ("he", "yi"), "devanagari": ("hi", "mr", "ne", "sa"), "thai": ("th",), "armenian": ("hy",),
    "georgian": ("ka",), "bengali": ("bn", "as"), "tamil": ("ta",),
    "gujarati": ("gu",), "gurmukhi": ("pa",), "telugu": ("te",), "kannada": ("kn",), "malayalam": ("ml",),
    "sinhala": ("si",), "burmese": ("my",), "khmer": ("km",), "lao": ("lo",), "ethiopic": ("am", "ti"),
}  # fmt: skip
_ALIASES = {
    "iw": "he", "in": "id", "ji": "yi", "nb": "no", "nn": "no", "yue": "zh",
    "eng": "en", "ger": "de", "deu": "de", "fra": "fr", "fre": "fr", "spa": "es", "zho": "zh", "chi": "zh",
    # Country codes that pages give for languages.
    "cn": "zh", "jp": "ja", "cz": "cs", "ua": "uk", "gr": "el",
}  # fmt: skip
_OVERRULE = 2.5
_MIN_WORDS = 5
_MOST = 0.6
"""Of the words of a text at most such a share are stop words of one language (folds 1–4: 0.50)."""
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")


def find_language(metadata: Metadata, text: str, hint: str | None = None) -> str | None:
    """ISO 639-1 code, or None when nothing says it.

    :param text: the body; its script overrules a declaration that cannot be true.
    :param hint: what the site definition says; believed before the page's own declaration.
    """
    sample = text[:SAMPLE]
    script = main_script(sample) or main_script(metadata.title or "")
    declared = [code for code in (_code(hint), *_declared(metadata)) if code]
    possible = _WRITTEN_IN.get(script or "")
    if possible is not None:
        fitting = next((code for code in declared if code in possible), None)
        if fitting or len(possible) == 1 or script == "han":
            return fitting or possible[0]
        return _by_stop_words(sample, possible) or possible[0]
    credible = [code for code in declared if not (script == "latin" and _only_other_script(code))]
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


def _declared(metadata: Metadata) -> list[str | None]:
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


def _only_other_script(code: str) -> bool:
    """Whether a language is never written in Latin letters on the web."""
    return any(code in codes for script, codes in _WRITTEN_IN.items() if script != "cyrillic") or code in ("ru", "uk", "bg")


@cache
def _stop_words() -> dict[str, tuple[str, ...]]:
    """Stop word → languages that have it."""
    lists = data_table("fields/data/stopwords.toml")
    table: dict[str, list[str]] = {}
    for code, words in lists.items():
        for word in set(words.split()):
            table.setdefault(word, []).append(code)
    return {word: tuple(codes) for word, codes in table.items()}


def _by_stop_words(text: str, among: tuple[str, ...] | None, declared: str | None = None) -> str | None:
    """The language whose stop words make up most of the text; None below 8 % (a guess, not fitted).

    :param declared: believed unless another language has more than :data:`_OVERRULE` times its stop words. Measured on the
        article bench, folds 1–4: the language of the truth text is met on 0.984 of the pages (0.979 without overruling).
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
