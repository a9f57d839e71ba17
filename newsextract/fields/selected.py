"""Fields that a user selects by CSS in place of what is found: ``[site.fields]`` of ``sites.toml``,
``params = {"fields": …}`` in Python.

A selector that matches nothing, or nothing that can be read as its field, changes nothing: the automatic result stays.

Cost: one more parse of the page, about 0.4 of a plain lxml parse, for pages of sites that select fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode, SelectolaxError

from newsextract.errors import ParameterError
from newsextract.fields.authors import split_names
from newsextract.fields.dates import parse_stamp
from newsextract.page.page import Page
from newsextract.page.parsing import parse
from newsextract.results import Article, Found, ReportDate

_SOURCE = "selector"
"""``title_source`` and ``date_source`` of a selected field."""
_MOST = 2_000
"""Elements that are read of one selector's matches."""


def check_selectors(selectors: Any) -> None:
    """Whether a user's selectors, one for each field, can be used.

    :raises ParameterError: a field is unknown, or a selector is no CSS.
    """
    if not isinstance(selectors, Mapping):
        raise ParameterError(f"fields is {selectors!r}; expected selectors by field, as {{ title = 'h1.headline' }}")
    for name, selector in selectors.items():
        if name not in _READERS:
            raise ParameterError(f"fields: unknown field {name!r}; choose from: {', '.join(_READERS)}")
        try:
            _root("<p>").css(selector if isinstance(selector, str) else "")
        except SelectolaxError as error:
            raise ParameterError(f"fields: {name} is {selector!r}; expected a CSS selector, as 'h1.headline'") from error


def with_selected_fields(article: Article, page: Page, selectors: Mapping[str, str]) -> Article:
    """The article with the fields that the selectors find on its page.

    :param selectors: by field; see :func:`check_selectors`.
    """
    root, changes = _root(page.text), dict[str, Any]()
    for name, selector in selectors.items():
        changes |= _READERS[name](root.css(selector)[:_MOST], page, article)
    return replace(article, **changes) if changes else article


def unmatched(page: Page, selectors: Mapping[str, str]) -> frozenset[str]:
    """The fields whose selectors match no element of a page. Cost: another parse."""
    root = _root(page.text)
    return frozenset(name for name, selector in selectors.items() if root.css_first(selector) is None)


def _root(source: str) -> LexborNode:
    root = parse(source) or parse("<p>")
    assert root is not None  # of the latter there is always a tree
    return root


def _texts(elements: Iterable[LexborNode]) -> Iterator[str]:
    for element in elements:
        if text := " ".join(element.text().split()):
            yield text


def _title(elements: list[LexborNode], page: Page, article: Article) -> dict[str, Any]:
    title = next(_texts(elements), "")
    return {"title": title, "title_source": Found(title, _SOURCE, title[:120]), "other_titles": ()} if title else {}


def _date(elements: list[LexborNode], page: Page, article: Article) -> dict[str, Any]:
    for element in elements:
        attributes = element.attributes
        for value in (attributes.get("datetime"), attributes.get("content"), element.text()):
            found = parse_stamp(value.strip(), language=article.language, fetched_at=page.time) if value else None
            if found is not None and (page.fetched_at is not None or not found.relative):
                report: ReportDate = found.report(_SOURCE)
                return {"date": report.value, "date_source": report}
    return {}


def _authors(elements: list[LexborNode], page: Page, article: Article) -> dict[str, Any]:
    names = [name for text in _texts(elements) for name in split_names(text) or [text]]
    return {"authors": tuple(dict.fromkeys(names))} if names else {}


def _section(elements: list[LexborNode], page: Page, article: Article) -> dict[str, Any]:
    section = next(_texts(elements), None)
    return {"section": section} if section else {}


def _image(elements: list[LexborNode], page: Page, article: Article) -> dict[str, Any]:
    names = ("src", "data-src", "content", "href")
    values = (value for element in elements for name in names if (value := element.attributes.get(name)))
    value = next(values, None)
    return {"image": urljoin(page.url or "", value)} if value else {}


def _text(elements: list[LexborNode], page: Page, article: Article) -> dict[str, Any]:
    text = "\n".join(_texts(elements))
    return {"text": text, "status": "ok", "reason": None, "blocks": None} if text else {}


_READERS: dict[str, Callable[[list[LexborNode], Page, Article], dict[str, Any]]] = {
    "title": _title, "date": _date, "authors": _authors, "section": _section, "image": _image, "text": _text,
}  # fmt: skip
