"""Bodies as they came over the wire → bodies as pages have them: content codings removed, within a cap.

As the crawl does it: known codings are taken off from the last to the first, an unknown one stays and ends it, and of a body
that is cut off what can be had is taken.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from newsextract.errors import MissingExtra

MAX_MEMBERS = 1_000
"""Gzip members of one body; tools that write many put 64 KB into each."""
_CHUNK = 65_536


class TooLarge(ValueError):
    """A body is over the cap when unpacked."""


class MissingCoding(ValueError):
    """The package that a content coding needs is not installed: no fault of the body."""


def decoded(body: bytes, codings: str | None, most: int) -> bytes:
    """The body without its content codings.

    :param codings: value of the Content-Encoding header, several separated by commas.
    :param most: bytes that the result may have.
    :raises TooLarge: it has more.
    :raises MissingCoding: the package for a coding is missing.
    :raises ValueError: nothing can be unpacked.
    """
    for coding in reversed([name.strip().lower() for name in (codings or "").split(",") if name.strip()]):
        unpack = _CODINGS.get(coding)
        if unpack is None:
            return body
        parts: list[bytes] = []
        size = 0
        for part in unpack(body):
            size += len(part)
            if size > most:
                raise TooLarge(f"more than {most:,} bytes when unpacked")
            parts.append(part)
        if body and not parts:
            raise ValueError(f"the body is no {coding}")
        body = b"".join(parts)
    return body


def _zlib(data: bytes, bits: int) -> Iterator[bytes]:
    """All members, as far as they can be had.

    :raises ValueError: there are more than :data:`MAX_MEMBERS`.
    """
    at = 0
    for _ in range(MAX_MEMBERS):
        stream = zlib.decompressobj(bits)
        while not stream.eof and (stream.unconsumed_tail or at < len(data)):
            packed = stream.unconsumed_tail
            if not packed:  # in pieces: what is left of the whole body would be copied each time
                packed = data[at : at + _CHUNK]
                at += len(packed)
            try:
                part = stream.decompress(packed, _CHUNK)
            except zlib.error:
                return  # reason: damaged; what was had until here is the body
            if part:
                yield part
        if not stream.eof or bits < 31:
            return
        at -= len(stream.unused_data)
        while (padding := data[at : at + _CHUNK]) and not padding.strip(b"\0"):
            at += len(padding)
        at += len(padding) - len(padding.lstrip(b"\0"))
        if at >= len(data):
            return
    raise ValueError(f"the body has more than {MAX_MEMBERS:,} gzip members")


def _deflate(data: bytes) -> Iterator[bytes]:
    """With the header that the standard asks for, or without, as some servers send it."""
    try:
        zlib.decompressobj().decompress(data, 1)
    except zlib.error:
        return _zlib(data, -15)
    return _zlib(data, 15)


def _brotli(data: bytes) -> Iterator[bytes]:
    stream = _module("brotli", "br").Decompressor()
    error: type[Exception] = _module("brotli", "br").error
    try:
        part = stream.process(data, output_buffer_limit=_CHUNK)
        while part:
            yield part
            part = b"" if stream.is_finished() else stream.process(b"", output_buffer_limit=_CHUNK)
    except error:
        return  # reason: as above


def _zstd(data: bytes) -> Iterator[bytes]:
    module = _module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd", "zstd")
    stream = module.ZstdDecompressor()
    try:
        part = stream.decompress(data, _CHUNK)
        while part:
            yield part
            part = b"" if stream.eof or stream.needs_input else stream.decompress(b"", _CHUNK)
    except module.ZstdError:
        return  # reason: as above


def _module(name: str, coding: str) -> Any:
    """A package that is loaded only where it is needed."""
    try:
        return import_module(name)
    except ImportError as error:
        missing = MissingExtra(name, "archive", f"the content coding {coding}")
        raise MissingCoding(str(missing)) from error


_CODINGS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": lambda data: _zlib(data, 31), "x-gzip": lambda data: _zlib(data, 31), "deflate": _deflate,
    "br": _brotli, "zstd": _zstd,
}  # fmt: skip
