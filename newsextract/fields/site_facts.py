"""Section, lead image and canonical address of a page, as its metadata states them (Open Graph, schema.org, HTML)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from newsextract.fields.article_marks import ArticleMarks, is_face
from newsextract.page.markup import fold, plain
from newsextract.page.metadata import Metadata
from newsextract.page.references import Addresses

_SECTION_META = ("article:section", "og:article:section", "parsely-section", "sailthru.section", "section", "articlesection",
                 "cxenseparse:section", "dc.subject.section", "prism.section", "channel", "category")  # fmt: skip
_MAX_SECTION = 80


def section(metadata: Metadata, marks: ArticleMarks | None = None) -> str | None:
    """The section (rubric) the article stands in, or None.

    :param marks: what the page's theme marks around the article; read where the page declares no section.
    """
    for value in _sections(metadata, marks):
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, str):
            text = plain(value[:500])
            if 0 < len(text) <= _MAX_SECTION and "://" not in text:
                return text
    return None


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
    for stated in (metadata.canonical, metadata.first("og:url")):
        found = absolute(stated, url)
        if found is None:
            continue
        if url and _is_front(found) and not _is_front(url):
            continue
        return found
    return None


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
