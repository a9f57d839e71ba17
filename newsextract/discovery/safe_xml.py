"""Feeds and sitemaps as XML that is safe to parse: bounded, no entities, no network, mended where that is
easy.

The body is unpacked (gzip is told by its magic bytes, RFC 1952, at most :data:`MAX_UNPACKED` bytes), decoded
like a page, and freed of its document type declaration, so that no entity can be declared ("billion laughs",
XXE). What feeds and sitemaps most often get wrong is mended in the text: characters that XML forbids, bare
ampersands, HTML entities. The rest is left to libxml2's recovery. Elements are handed out one by one and
cleared, so a large sitemap never stands in memory as a tree. Namespaces are ignored on purpose: half the wild
uses wrong ones.

Cost: about 15 ms a megabyte.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from html import escape
from html.entities import html5

from lxml import etree

from newsextract.decoding import decode

MAX_UNPACKED = 50_000_000
"""Bytes; the sitemap protocol's limit for one file is 50 MB (52,428,800)."""
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]++")
_DECLARATION = re.compile(r"<\?xml[^<>]{0,200}\?>", re.I)
_SUBSET_END = re.compile(r"\]\s{0,100}+>")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);|#\d{1,7};|#x[0-9a-fA-F]{1,6};)([A-Za-z][A-Za-z0-9]{0,31};)?")
_CHUNK = 65_536


def unpack(body: bytes, limit: int = MAX_UNPACKED) -> bytes:
    """The body without gzip; at most ``limit`` bytes of it. A broken or cut archive gives what could be
    read."""
    for _ in range(2):  # some servers compress what is compressed
        if not body.startswith(b"\x1f\x8b"):
            break
        unpacker = zlib.decompressobj(wbits=31)
        out = []
        size, rest = 0, body
        try:
            while rest and size < limit and not unpacker.eof:
                out.append(unpacker.decompress(rest, min(limit - size, 1 << 20)))
                size += len(out[-1])
                rest = unpacker.unconsumed_tail
        except zlib.error:
            if not out:
                return b""
        body = b"".join(out)
    return body[:limit]


def prepare(body: bytes) -> str:
    """Text of an XML body, without declaration and document type, mended."""
    text = _FORBIDDEN.sub("", decode(unpack(body)).text)
    text = _DECLARATION.sub("", text, count=1)
    return _ENTITY.sub(_mended, _without_doctype(text))


def _without_doctype(text: str) -> str:
    at = text.find("<!")
    while 0 <= at < len(text):
        if text.startswith("<!--", at):
            end = text.find("-->", at)
            if end < 0:
                break
            at = text.find("<!", end)
        elif text[at : at + 9].upper() == "<!DOCTYPE":
            bracket, end = text.find("[", at), text.find(">", at)
            if 0 <= bracket < end:
                # The internal subset ends at "]>"; libxml2 never sees what stands inside.
                match = _SUBSET_END.search(text, bracket)
                end = match.end() - 1 if match else -1
            return text[:at] + (text[end + 1 :] if end >= 0 else "")
        else:
            break
    return text


def _mended(match: re.Match[str]) -> str:
    name = match[1]
    if name and name in html5:
        return escape(html5[name])
    return "&amp;" + (name or "")


def elements(text: str) -> Iterator[etree._Element]:
    """The elements of a prepared text in the order of their end tags; broken XML gives those that could be
    read.

    The caller clears what it no longer needs.
    """
    parser = etree.XMLPullParser(
        ("end",),
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        encoding="utf-8",
    )
    for start in range(0, len(text), _CHUNK):
        try:
            parser.feed(text[start : start + _CHUNK].encode("utf-8"))
        except etree.XMLSyntaxError:
            break
        for _, element in parser.read_events():
            yield element
    try:
        parser.close()
    except etree.XMLSyntaxError:
        return
    for _, element in parser.read_events():
        yield element


def local_name(element: etree._Element) -> str:
    """Tag without namespace or prefix, lower case; empty for comments and instructions."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return tag.rpartition("}")[2].rpartition(":")[2].lower()


def text_of(element: etree._Element, limit: int = 2_000) -> str:
    """Text of an element and its children, white space folded, at most ``limit`` characters."""
    if not len(element):
        return " ".join((element.text or "").split())[:limit]
    return " ".join("".join(element.itertext()).split())[:limit]
