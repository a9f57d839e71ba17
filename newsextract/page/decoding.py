"""Bytes to text when header, byte order mark, meta element and content disagree.

Order of evidence, strongest first:

1. A byte order mark.
2. Bytes that are valid UTF-8 and not plain ASCII *are* UTF-8: other encodings almost never form valid sequences.
3. A declared encoding (HTTP header, then ``meta``/XML declaration) that decodes the bytes nearly without error,
   unless it is a single-byte one (they never fail) while the bytes look like double-byte text.
4. A guess by `faust-cchardet`. For double-byte text it sees only the runs of high bytes, because the ASCII of
   the markup drowns the statistics; measured on 245 transcoded pages of the bench (zh, ja, ko, ru, de, fr, cs, pl,
   tr, uk): Big5 67 of 68 right from the runs against 57 of 68 from the whole bytes.
5. UTF-8 when at most a few sequences are broken, else windows-1252.

Cost: one strict UTF-8 decode for nearly all pages (under 0.1 of an lxml parse), another one for those of a declared
multi-byte encoding. A guess shows the detector up to 20 kB, which takes 2 ms.
"""

from __future__ import annotations

import base64
import codecs
import html
import quopri
import re
from dataclasses import dataclass, field
from email.parser import BytesHeaderParser
from functools import cached_property

import cchardet
from w3lib.encoding import html_body_declared_encoding, http_content_type_encoding, read_bom, resolve_encoding

# --- decoding -------------------------------------------------------------------------------------

_PAIR = rb"[\x81-\xfe][\x40-\x7e\x80-\xfe]"
_DOUBLE_BYTE_RUNS = re.compile(_PAIR * 2 + rb"(?:%s)*+" % _PAIR)
"""Two pairs and more; so written, nine times as fast as with a count."""
_HIGH_BYTES = re.compile(rb"[\x80-\xff]+")
_MULTI_BYTE = frozenset({"gb18030", "big5hkscs", "cp932", "euc_jp", "cp949", "iso2022_jp", "utf-8"})
_SUPERSETS = {
    # What pages that declare the left one really hold (WHATWG Encoding Standard, §4.2).
    "gb2312": "gb18030", "gbk": "gb18030", "big5": "big5hkscs", "cp950": "big5hkscs",
    "shift_jis": "cp932", "euc_kr": "cp949", "johab": "cp949", "iso8859-1": "cp1252", "ascii": "cp1252",
    "iso8859-9": "cp1254", "iso8859-11": "cp874", "tis-620": "cp874", "utf-16": "utf-8",
}  # fmt: skip
_WEB = _MULTI_BYTE | {
    # The other encodings of the WHATWG Encoding Standard, by their Python names; pages hold no others.
    "cp866", "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-10",
    "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "koi8-r", "koi8-u", "mac-roman", "cp874", "cp1250", "cp1251",
    "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "mac-cyrillic",
}  # fmt: skip
_TOLERATED = 0.02
"""Broken sequences per non-ASCII byte that a declared encoding or UTF-8 may show (a page cut in the middle, one
badly pasted quotation)."""
_SAMPLE = 20_000
"""Bytes shown to the detector."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and how it was read."""

    text: str
    encoding: str
    """Python codec name."""
    source: str
    """``bom``, ``content`` (valid UTF-8), ``header``, ``meta``, ``detected`` or ``default``."""
    is_body: bool = field(default=False, compare=False)
    """Whether the body is this text in UTF-8, byte for byte."""


def decode(body: bytes, content_type: str | None = None) -> Decoded:
    """Decode a page's bytes.

    :param body: the raw bytes, any content; never raises.
    :param content_type: the HTTP Content-Type header, if any.
    """
    bom_encoding, bom = read_bom(body)
    if bom_encoding and bom:
        return Decoded(body[len(bom) :].decode(bom_encoding, "replace"), bom_encoding, "bom")
    if body.isascii():
        # iso-2022-jp is the one ASCII-only encoding still met on the web.
        if b"\x1b$" in body and _declared(body, content_type)[:1] == [("iso2022_jp", "meta")]:
            return Decoded(body.decode("iso2022_jp", "replace"), "iso2022_jp", "meta")
        return Decoded(body.decode("ascii"), "utf-8", "content", True)
    try:
        return Decoded(body.decode("utf-8"), "utf-8", "content", True)
    except UnicodeDecodeError:
        pass  # reason: not UTF-8, go on with the weaker evidence
    return _decode_legacy(body, content_type)


def _decode_legacy(body: bytes, content_type: str | None) -> Decoded:
    high = len(body) - len(body.translate(None, bytes(range(0x80, 0x100))))
    content = _Content(body, high)  # its looks are asked for only where no declared multi-byte encoding holds
    for encoding, source in _declared(body, content_type):
        text = body.decode(encoding, "replace")
        if text.count("\ufffd") > _TOLERATED * high:
            continue
        if encoding in _MULTI_BYTE or content.may_be(encoding):
            return Decoded(text, encoding, source)
    as_utf8 = body.decode("utf-8", "replace")
    if as_utf8.count("\ufffd") <= _TOLERATED * high:
        return Decoded(as_utf8, "utf-8", "content")
    guesses = [content.guess] if content.looks_double_byte else []
    guesses.append(_detect(body[:_SAMPLE] if high > _SAMPLE // 50 else _around_high_bytes(body)))
    for guess in guesses:
        if guess is None:
            continue
        text = body.decode(guess, "replace")
        if text.count("\ufffd") <= 5 * _TOLERATED * high:
            return Decoded(text, guess, "detected")
    return Decoded(body.decode("cp1252", "replace"), "cp1252", "default")


class _Content:
    """What the bytes themselves look like; each answer costs milliseconds and is worked out when asked for."""

    def __init__(self, body: bytes, high: int) -> None:
        self.body = body
        self.high = high
        """Bytes from 0x80 on."""

    @cached_property
    def runs(self) -> bytes:
        return _double_byte_sample(self.body)

    @cached_property
    def looks_double_byte(self) -> bool:
        return len(self.runs) > 0.6 * min(self.high, _SAMPLE) and len(self.runs) >= 8

    @cached_property
    def guess(self) -> str | None:
        """The encoding that the runs of high bytes have, where they look double-byte."""
        return _detect(self.runs) if self.looks_double_byte else None

    def may_be(self, encoding: str) -> bool:
        """Whether a single-byte encoding, which never fails, may be believed."""
        if not self.looks_double_byte:
            return True
        # So do Cyrillic, Greek and the like; only Latin, what is declared by default, is not believed for them.
        return encoding != "cp1252" and self.guess is not None and self.guess not in _MULTI_BYTE


def _declared(body: bytes, content_type: str | None) -> list[tuple[str, str]]:
    """Declared encodings as (codec, source), header first."""
    found: list[tuple[str, str]] = []
    header = http_content_type_encoding(content_type or None)
    meta = html_body_declared_encoding(body[:8192])
    for name, source in ((header, "header"), (meta, "meta")):
        codec = _codec(name)
        if codec is not None:
            found.append((codec, source))
    return found


def _codec(name: str | None) -> str | None:
    """Python codec for an encoding label, widened to what is really meant; None if unknown."""
    if not name:
        return None
    resolved = resolve_encoding(name) or name
    try:
        codec = codecs.lookup(resolved)
    except LookupError:
        return None
    widened = _SUPERSETS.get(codec.name, codec.name)
    return widened if widened in _WEB else None


def _double_byte_sample(body: bytes) -> bytes:
    parts: list[bytes] = []
    size = 0
    for match in _DOUBLE_BYTE_RUNS.finditer(body):
        parts.append(match.group())
        size += len(parts[-1]) + 1
        if size > _SAMPLE:
            break
    return b" ".join(parts)


def _around_high_bytes(body: bytes) -> bytes:
    """Windows around the first high bytes, for pages where they are rare."""
    windows: list[bytes] = []
    end = 0
    for match in _HIGH_BYTES.finditer(body):
        if match.start() >= end:
            end = match.end() + 40
            windows.append(body[max(0, match.start() - 40) : end])
            if len(windows) * 80 > _SAMPLE:
                break
    return b" ".join(windows)


def _detect(sample: bytes) -> str | None:
    return _codec(cchardet.detect(sample)["encoding"]) if sample else None


# --- entities -------------------------------------------------------------------------------------
# Character references resolved; ``html.unescape`` alone raises for decimal ones of more than 4,300 digits.

_HUGE = re.compile("&#[0-9]{4000,}+;?+")


def unescape(text: str) -> str:
    """The text with its character references resolved; those to no character become U+FFFD."""
    return html.unescape(_HUGE.sub("\ufffd", text) if "&#" in text else text)


# --- pages in one file ----------------------------------------------------------------------------
# MHTML (RFC 2557): a page with its pictures as a MIME message, as browsers save it.

_HEAD = 2_048
"""Bytes in which a message says what it is."""
_BODY = re.compile(rb"\r?\n\r?\n")


def html_of_mhtml(data: bytes) -> tuple[bytes, str, str | None] | None:
    """The page, its content type and its URL, of a message that holds a page; None for anything else.

    The first part of type HTML is the page. Parts within parts are not looked into.
    """
    if b"multipart/related" not in data[:_HEAD].lower() or data.lstrip()[:1] == b"<":
        return None
    message = BytesHeaderParser().parsebytes(data[: 4 * _HEAD])
    boundary = message.get_boundary()
    if message.get_content_type() != "multipart/related" or not boundary:
        return None
    for piece in data.split(b"--" + boundary.encode("latin-1", "replace"))[1:]:
        part = BytesHeaderParser().parsebytes(piece[: 4 * _HEAD].lstrip())
        if part.get_content_type() not in ("text/html", "application/xhtml+xml"):
            continue
        body = _BODY.split(piece.lstrip(), maxsplit=1)[-1]
        coding = str(part.get("content-transfer-encoding", "")).strip().lower()
        if coding == "quoted-printable":
            body = quopri.decodestring(body)
        elif coding == "base64":
            body = base64.b64decode(body)
        url = part.get("content-location") or message.get("snapshot-content-location")
        return body, str(part.get("content-type")), str(url) if url else None
    return None
