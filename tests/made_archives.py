"""Archives for the tests: written by our writer, and by warcio as other tools do."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from newsextract import Hints
from newsextract.archives.entries import Described, Part, SiteFacts
from newsextract.archives.warc import Exchange, WarcWriter

AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
SENTENCES = "The harbour crane was painted on Monday, and the keeper of the books wrote down what it cost. " * 4


def html(name: str) -> bytes:
    """An article page."""
    paragraphs = "".join(f"<p>{k}. About {name}: {SENTENCES}</p>" for k in range(4))
    return (
        f"<!doctype html><html lang=en><head><title>{name} | Courier</title><meta property='og:type' content='article'>"
        f"<meta property='article:published_time' content='2026-03-01'></head>"
        f"<body><article><h1>{name}</h1>{paragraphs}</article></body></html>"
    ).encode()


def exchange(name: str, body: bytes | None = None, **more: object) -> Exchange:
    """An answer."""
    url = f"https://courier.example/2026/03/01/{name}.html"
    body = html(name) if body is None else body
    given: dict[str, object] = {
        "url": url, "asked": url, "method": "GET", "request_headers": [("User-Agent", "test")], "status": 200,
        "headers": [("Content-Type", "text/html"), ("ETag", '"x"')], "body": body, "at": AT,
    }  # fmt: skip
    return Exchange(**given | more)  # type: ignore[arg-type]  # a test's values


def write_article(writer: WarcWriter, name: str, **more: object) -> None:
    """An answer, and what the crawl knew of it."""
    made = exchange(name, **more)
    page, walk = writer.exchange(made)
    writer.describe(described(made.url, walk or page), AT)


def described(url: str, *places: str) -> Described:
    """What a crawl knows of a page, which has one part or more."""
    parts = [Part.at(place, url, AT) for place in places]
    facts = SiteFacts("courier", min_length=10, domains=("courier.example",))
    return Described(facts, url, Hints("A hint", None, "feed", "en"), parts, '"x"')


def late(writer: WarcWriter, name: str) -> None:
    """As above, but two more answers come before; with a low limit each of them begins a file."""
    made = exchange(name)
    page, _ = writer.exchange(made)
    for k in range(2):
        writer.exchange(exchange(f"moved-{k}", b"", status=301))
    writer.describe(described(made.url, page), AT)


def foreign(path: Path, *names: str, gzip: bool = True, bodies: dict[str, bytes] | None = None) -> Path:
    """A file as another tool writes it."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=gzip)
        for name in names:
            body = (bodies or {}).get(name, html(name))
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            url = f"https://courier.example/2026/03/01/{name}.html"
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "response",
                    io.BytesIO(body),
                    length=len(body),
                    http_headers=head,
                    warc_headers_dict={"WARC-Date": "2026-03-04T05:06:07Z"},
                )
            )
    return path
