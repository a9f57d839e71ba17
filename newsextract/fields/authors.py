"""Authors of an article page: from JSON-LD, meta elements, microdata and the byline near the main text.

The first source that names persons wins, since sources repeat each other in different spellings. Agencies and the site's own
name are no authors, except where no source names a person: then a team with a name of its own is the author ("Podium
Staff"), or the person after whom the site is named.

Cost: negligible; only metadata and a few short texts are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING

from newsextract.fields.dates import months
from newsextract.fields.title_parts import fold_key, site_names
from newsextract.model_files import alternatives, data_table
from newsextract.page.metadata import Metadata, plain
from newsextract.results import Surroundings

if TYPE_CHECKING:
    from newsextract.fields.article_marks import ArticleMarks

# --- author names ---------------------------------------------------------------------------------
# Leading words ("By", "作者："), addresses, roles, newsrooms ("Gull staff", "Redaktion") and what follows a name ("Published
# Nov") are left out; ``data/authors.toml`` has the words. An organisation keeps its "and".


_MAX_TEXT = 600
_MAX_NAME = 60
_MAX_WORDS = 6
_INITIALS = 3
"""Characters of initials, at most."""

ADDRESS = re.compile(r"https?:|www\.|/|@")
"""What no name holds."""
EMAIL = re.compile(r"\(?\s?[\w.+-]{1,64}@[\w.-]{1,100}\s?\)?")
_HAN_NAMES = re.compile(r"[\u4e00-\u9fff]{2,4}(?:\s[\u4e00-\u9fff]{2,4})+")
"""Several Chinese names, separated by blanks only."""
_PAPER = re.compile(r"\s\|\s.*$")
_ROLE = re.compile(
    r"\s(?:-|–|—|•)\s.*$|\s?\([^)]*\)|\s?（[^）]*）|\s[fF]or\s.*$|／.*$"
    r"|(?:\s|(?<=[\uac00-\ud7af]{3}))(?:선임|인턴)?(?:기자|특파원|논설위원)$|\s?のすべての投稿を表示$"
)
_STAFF_BEHIND = re.compile(
    r"(?<=\w)\s(?:(?:staff|senior|special|chief|contributing|political|sports?) )?(?:writer|reporter|correspondent|editor)$",
    re.IGNORECASE,
)
"""A role behind a name, without a comma."""
_LAST_FIRST = re.compile(r"([^\W\d_][\w'’-]{1,20}),\s([^\W\d_][\w'’-]{1,20}(?:\s[A-Z]\.?)?)")
_EDGES = " .:：·|-–—*_\"',，"
_AGENCY_BEHIND = re.compile(r"(?:^|(?<=\w)\s)(?:The\s)?(?:Associated Press|Reuters)$")
"""An agency behind a name, without a comma."""
_PREPOSITION_BEHIND = re.compile(r"(?<=\w)\s(?:(?i:in|on|at)|le|el|il|am|vom|op|em|dnia)$")
"""What leads to the date or the section behind a name: "Par Jeanne Doe le 3 mai"."""


def split_names(text: str) -> list[str]:
    """Names in one author text, in its order; the same name may stand there twice."""
    text = _PAPER.sub("", EMAIL.sub(" ", plain(text[:_MAX_TEXT])).strip())
    text = _leading().sub("", text, count=1)
    turned = _LAST_FIRST.fullmatch(text)
    if turned is not None:
        text = f"{turned[2]} {turned[1]}"
    names: list[str] = []
    after_title = False
    for part, separator in [(text, "")] if _forms()["organisations"].search(text) else _parts(text):
        name = _ROLE.sub("", _leading().sub("", part.strip(), count=1)).strip(_EDGES)
        name = _PREPOSITION_BEHIND.sub("", _AGENCY_BEHIND.sub("", name))
        name = name if names or len(name.split()) < 4 else _STAFF_BEHIND.sub("", name)
        is_behind = bool(names) and " " in names[-1]
        after_title = (separator == "," or after_title) and is_behind and _is_title(name)
        if after_title or (separator == "/" and is_behind and name.isupper() and len(name) > _INITIALS and " " not in name):
            continue  # "Jane Doe / GULLTOWN": where she is
        if _is_name(name):
            names += name.split() if _HAN_NAMES.fullmatch(name) else [name]
    return names


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """The parts of an author text between its separators, and the separator before each."""
    begin, before = 0, ""
    for separator in _forms()["separators"].finditer(text):
        yield text[begin : separator.start()], before
        begin, before = separator.end(), separator[0]
    yield text[begin:], before


def _is_title(text: str) -> bool:
    """Whether a text behind a name and a comma is a degree or a role: "MD", "Dietitian", "Head of Marketing"."""
    words = text.lower().split()
    if len(words) < 2:
        return text.isascii() or "®" in text
    return "of" in words or not word_lists()["roles"].isdisjoint(words)


def is_byline(text: str) -> bool:
    """Whether a text begins as a byline does: "By", "作者："."""
    return _leading().match(text) is not None


def without_date(name: str, dated: bool) -> str:
    """A byline's name without the first words of the date line behind it ("Jane Doe Published Nov").

    :param dated: whether digits follow: then a month or weekday at the end is no name.
    """
    words = name.split()
    while len(words) > 1:
        last = words[-1].strip(".,").lower()
        surname = words[-1].endswith(",") and last in months("en")  # "By Theresa May, 3 March"
        if last in word_lists()["behind"]:
            dated = True
        elif surname or not (dated and (last in months("en") or last in word_lists()["weekdays"])):
            break
        words.pop()
    return " ".join(words)


@cache
def word_lists() -> dict[str, frozenset[str]]:
    """The lists of ``data/authors.toml``."""
    return {name: frozenset(words) for name, words in data_table("fields/data/authors.toml").items()}


@cache
def refused() -> frozenset[str]:
    """Keys of what is no author: agencies, roles, words of forms."""
    return frozenset(map(fold_key, word_lists()["agencies"]))


def _is_name(name: str) -> bool:
    return (
        1 < len(name) <= _MAX_NAME
        and len(name.split()) <= _MAX_WORDS
        and not any(c.isdigit() for c in name)
        and not ADDRESS.search(name)
        and "author" not in name.split(".")  # of a template: "page.author"
        and name.lower() not in word_lists()["weekdays"]
        and name.lower() not in word_lists()["by"]
        and not any(_forms()[form].match(name) for form in ("inviting", "credits"))
        and not _forms()["newsroom"].search(name)
    )


def _is_team(name: str) -> bool:
    """Whether it is a team with a name of its own: "Podium Staff", but not "Editorial Staff"."""
    words = re.findall(r"\w+", name.lower())
    return (
        1 < len(words) <= _MAX_WORDS
        and len(name) <= _MAX_NAME
        and not _unusual().issuperset(words)
        and not ADDRESS.search(name)
        and _forms()["teams"].search(name) is not None
    )


def is_person(name: str) -> bool:
    """Whether a site's name may be that of a person: two or three capitalised words, none of a company or a paper."""
    words = name.split()
    unusual = _unusual() | word_lists()["companies"]
    return 1 < len(words) <= 3 and all(w[0].isupper() and w.lower() not in unusual for w in words) and _is_name(name)


@cache
def _unusual() -> frozenset[str]:
    """Words that no person's name has."""
    return word_lists()["newsroom"] | word_lists()["unnamed"]


@cache
def _leading() -> re.Pattern[str]:
    latin, cjk = (alternatives(word_lists()["by"], wide=wide) for wide in (False, True))
    return re.compile(
        rf"^\s*+(?:(?:{latin})(?:\s*[:：]\s*|\s+)|(?:{cjk})(?:\s*[:：丨|/]\s*|\s+|(?=[\u4e00-\u9fff])))", re.IGNORECASE
    )


@cache
def _forms() -> dict[str, re.Pattern[str]]:
    """Patterns of the words of a list, by its name."""
    around = {
        "separators": ("", ""),
        "organisations": ("", r"[se]?(?!\w)"),
        "newsroom": (r"(?:^|[\s-])", r"(?:$|\s)"),
        "teams": (r"(?:^|\s)", "$"),
        "inviting": ("", r"\s"),
        "credits": ("", r"\s?[:：]"),
        "joining": (r"(?-i:\s", r"\s)"),
        "several_by": (r"\W{0,5}", r"\s?[:：]"),
    }
    return {
        name: re.compile(f"{before}(?:{alternatives(word_lists()[name])}){behind}", re.IGNORECASE)
        for name, (before, behind) in around.items()
    }


# --- authors --------------------------------------------------------------------------------------


MAX_AUTHORS = 10
_MAX_BYLINE = 160
_UNCASED = "\u0590"
"""From here on scripts have no capitals, with few exceptions."""
_MOST_TEXTS = 40

_META = (
    "author", "article:author", "authors", "byl", "byline", "parsely-author", "sailthru.author", "dc.creator",
    "dcterms.creator", "citation_author", "article.author", "cxenseparse:author", "creator", "og:article:author",
    "dable:author",
)  # fmt: skip
_REPORTERS = re.compile(
    r"(?:^|[（(〔\[【])[\u4e00-\u9fff]{0,6}(?:记者|記者)[\s：:]?(?:([\u4e00-\u9fff·]{2,4}(?:[、，\s][\u4e00-\u9fff·]{2,4}){0,3})"
    r"\s?[)）〕\]】／/]|([\u4e00-\u9fff]{3})[\u4e00-\u9fff]{2,3}\d{1,2}日(?:專?電|电))"
)
"""The reporters at the beginning or end of a Chinese text: "（新华社记者 张三、李四）", "記者王小明／高雄報導",
"（中央社記者王小明高雄14日電）"."""
_DATE_BEHIND = re.compile(r"[ .,]{0,3}(?:[^\W\d_]{3,9}\.? )?\d")
_SENTENCE_BEHIND = re.compile(r"(?<=[^\W\d_]{3})\.\s.*$")
"""What follows the author behind a full stop: "Texto: Jane Doe. Fotos: …"."""


def find_authors(
    metadata: Metadata,
    surroundings: Surroundings,
    marks: ArticleMarks | None = None,
    is_elsewhere: Callable[[str], bool] | None = None,
) -> tuple[str, ...]:
    """Names of the authors, at most ten, in the page's order; empty when none is stated.

    If no place names a person, the author is the first team with a name of its own ("Podium Staff"), or the person after
    whom the site is named.

    :param marks: what the page's theme marks around the article; None where the text's place in the tree is not known.
    :param is_elsewhere: whether a line is outside the article, as that of another story is.
    """
    given: list[str] = []
    for source, values, names in authors_by_source(metadata, surroundings, marks, is_elsewhere):
        if len(names) == 1 and source.startswith(("meta:", "marks")):  # many systems declare only the first author
            shown = next((tuple(split_names(byline)) for byline in _bylines(surroundings.before, is_elsewhere)), ())
            return shown[:MAX_AUTHORS] if names[0] in shown else names
        if names:
            return names
        given += values
    own = site_names(metadata, None)
    signed = (_leading().sub("", plain(text[:_MAX_TEXT]), count=1).strip(_EDGES) for text in given)
    return next(((name,) for name in signed if _is_team(name) or (fold_key(name) in own and is_person(name))), ())


def authors_by_source(
    metadata: Metadata,
    surroundings: Surroundings,
    marks: ArticleMarks | None = None,
    is_elsewhere: Callable[[str], bool] | None = None,
) -> Iterator[tuple[str, list[str], tuple[str, ...]]]:
    """Where a page may state its authors, strongest first: the place, what it has, and the names in that."""
    no_authors = site_names(metadata, None) | refused()
    for source, values in _sources(metadata, surroundings, marks, is_elsewhere):
        names: dict[str, str] = {}
        for value in values:
            if fold_key(value) in no_authors:
                continue  # before it is split: "Jobs & Hire"
            for name in split_names(value):
                if (name_key := fold_key(name)) and name_key not in no_authors:
                    names.setdefault(name_key, name)
        yield source, values, tuple(names.values())[:MAX_AUTHORS]


def _sources(
    metadata: Metadata,
    surroundings: Surroundings,
    marks: ArticleMarks | None,
    is_elsewhere: Callable[[str], bool] | None,
) -> Iterator[tuple[str, list[str]]]:
    yield "json-ld", _from_json_ld(metadata)
    for name in _META:
        if name in metadata.meta:
            yield f"meta:{name}", [value for value in metadata.meta[name] if not ADDRESS.search(EMAIL.sub("", value))]
    # ``twitter:data1`` where ``twitter:label1`` says "Written by", as systems for blogs write it.
    labelled = [n for n in (1, 2) if is_byline((metadata.first(f"twitter:label{n}") or "") + ":")]
    yield "meta:twitter:data", [name for n in labelled for name in metadata.meta.get(f"twitter:data{n}") or ()]
    yield "microdata", list(metadata.properties.get("author", ()))[:MAX_AUTHORS]
    yield "rel=author", list(metadata.author_links[:3])
    if marks is not None:
        yield "marks of the theme", marks.authors
        beside = (*marks.ends, *(text[:_MAX_BYLINE] for text in surroundings.before[:_MOST_TEXTS]))
        found = filter(None, map(_REPORTERS.search, beside))
        yield "credit in the text", [match[1] or match[2] for match in found]
    yield "near_text", list(_bylines(surroundings.before, is_elsewhere))
    yield "after_text", list(_bylines(surroundings.after[-6:], is_elsewhere))


_MEDIA = re.compile("(?:Video|Audio|Image|Media)Object")
"""Those who made a picture or a video did not write the article."""


def _from_json_ld(metadata: Metadata) -> list[str]:
    for item in metadata.json_ld[:20]:
        given = item.get("author") or item.get("creator")
        kinds = str(item.get("@type", ""))
        if _MEDIA.search(kinds) and "Article" not in kinds:
            continue
        people = given if isinstance(given, list) else [given]
        found: list[str] = []
        for person in people[:MAX_AUTHORS]:
            if isinstance(person, dict) and "name" not in person:
                person = next((one for one in metadata.json_ld if one.get("@id") == person.get("@id", "")), person)
            name = person.get("name") if isinstance(person, dict) else person
            if isinstance(person, dict) and "organization" in str(person.get("@type", "")).lower():
                continue
            names = name if isinstance(name, list) else [name]
            found += [one for one in names if isinstance(one, str) and one and not ADDRESS.search(one)]
        if found:
            return found
    return []


def _bylines(texts: Iterable[str], is_elsewhere: Callable[[str], bool] | None) -> Iterator[str]:
    before = ""
    for line in list(texts)[:_MOST_TEXTS]:
        text = line
        label = before.strip(_EDGES).lower()
        if label in word_lists()["by"] - word_lists()["several_by"]:  # a label that is a block of its own
            text = f"{before.strip(_EDGES)}: {text[:_MAX_BYLINE]}"
        before = text
        match = _byline().search(text[:_MAX_BYLINE])
        if match is not None and not (is_elsewhere and is_elsewhere(line)):
            number = next(n for n, group in enumerate(match.groups(), 1) if group)
            names = without_date(match[number], dated=_DATE_BEHIND.match(text, match.end(number)) is not None)
            names = _SENTENCE_BEHIND.sub("", names)
            if "\uac00" <= names[0] <= "\ud7af":
                names = names.replace("·", ",")
            head, _, tail = names.partition(",")
            # Behind the comma of a visible byline stand a paper, a place or a role, unless the list of names goes on.
            is_list = _forms()["joining"].search(tail) or _forms()["several_by"].match(text) or head[:1] >= _UNCASED
            yield names if is_list else head
            return


@cache
def _byline() -> re.Pattern[str]:
    lists = word_lists()
    latin, cjk = (alternatives(lists["strict_by"], wide=wide) for wide in (False, True))
    any_latin = alternatives(lists["by"] | lists["strict_by"], wide=False)
    line = alternatives(lists["line_by"])
    end = r"(?=\s?(?:$|[\n|•·]|,[^.\n]{0,30}$))"
    first = r"[^\W\d_][\w.'’-]{0,20}"
    capital = "[" + "".join(filter(str.isupper, map(chr, range(0x2000)))) + "]"  # of every script that has them
    particle = r"(?:de|da|do|dos|del|di|la|le|von|van|der|den|zu|bin|al|el)"
    inner = rf"(?:{alternatives(lists['joining'])}|{particle})(?= (?:{particle} ){{0,2}}{capital})"
    name = rf"{first}(?: (?:{inner}|{capital}[\w.'’-]{{0,20}}),?){{1,6}}"
    han = r"[\u4e00-\u9fff·]{2,6}"
    uncased = r"[\u0590-\u06ef\u0700-\u0965\u0970-\u0eff\u200c\uac00-\ud7af]{2,20}"  # Hebrew, Arabic, Indic, Thai, Hangul
    hangul = r"[\uac00-\ud7af]{2,4}"
    begin = r"(?:^|\n|[|•·–—-]\s)"
    labelled = r"(?=[^:：\n-]{1,30}[:：-])"  # asked first, since most lines have no label
    return re.compile(
        rf"{begin}(?:(?i:{latin})(?:\s(?={capital})({name})"
        rf"|(?:\s?[:：]\s?|\s)({han}(?:(?:、|,\s?|，|\s(?:and|&)\s){han})*)(?=\W|$))"
        rf"|{labelled}(?i:{any_latin})\s?(?::\s?(?={capital})({name})"
        rf"|(?:[:：]|-\s)\s?({uncased}(?:[ .'’-]{{1,2}}{uncased}){{0,4}}(?:,\s{uncased}\s{uncased}){{0,3}})(?=\W|$)))"
        rf"|^(?i:{line})\s(?={capital})({name}){end}"
        rf"|(?:^|น\.\s?)(?i:{line})\s({uncased}(?: {uncased}){{1,3}}){end}"
        rf"|(?:{begin}|(?<!사진)=|^글(?:·사진)?\s)({hangul}(?:[·ㆍ]{hangul}){{0,3}})\s(?:선임|인턴)?(?:기자|특파원|논설위원)(?=\W|$)"
        rf"|^글(?:·사진)?\s({hangul})$"
        rf"|^(?:取材・)?(?:文|撰文|文字)\s?[/／丨｜|:：・]\s?([\u4e00-\u9fff·]{{2,6}})(?=\W|$)"
        rf"|^(?i:posted|published|written|filed|submitted)\b[^.]{{0,60}}?\b(?i:by)\s(?={capital})({name})"
        rf"|^(?i:publi[ée]e?|veröffentlicht|geschrieben|publicado|geplaatst|gepubliceerd)\b(?:[^.]|(?<=\d)\.){{0,60}}?\s"
        rf"(?i:par|von|por|door)\s(?={capital})({name})"
        rf"|\b\d{{4}},? (?i:by) (?={capital})({name})"
        rf"|^(?i:(?:posted |published |written |submitted )?by) ({first}(?: {first})?) (?:on|at) (?=[A-Z\d])"
        rf"|(?:{cjk})\s?[:：丨]\s?([\u4e00-\u9fff·]{{2,8}}(?:[、， ][\u4e00-\u9fff·]{{2,4}}(?![\u4e00-\u9fff：:])){{0,3}})"
        rf"|(?:记者|記者)\s([\u4e00-\u9fff·]{{2,4}}(?:[、， ][\u4e00-\u9fff·]{{2,4}}(?![\u4e00-\u9fff：:])){{0,3}})"
        r"(?=\s|$|\W)"
    )
