"""The bytes of WARC records: plain, or in gzip members; and where the next record begins where bytes are damaged."""

from __future__ import annotations

import re
import zlib

from newsextract.archives.storage import Stored

MAX_BLOCK = 70_000_000
"""Bytes of a record's content; a browser's walk at its own cap has 64 million."""
MAX_SKIP = 4_000_000_000
"""Bytes of a record over the cap that are unpacked to find its end."""
CHUNK = 65_536
"""Bytes that are read of a gzip member at a time, but for the first ones."""
_PROBE = 4_096
"""Bytes in which a gzip member must show that a record begins in it."""
_RATIO = 1_032
"""Of what deflate unpacks to and the packed bytes, at most."""
_LOOK = 4_096
_SCAN = 1 << 20
_OVERLAP = 80
GZIP = b"\x1f\x8b\x08"
BEGIN = re.compile(rb"WARC/[01]\.\d+\r?\n")
_STARTS = re.compile(rb"\x1f\x8b\x08(?=[\x00-\x1f])|WARC/[01]\.\d+\r?\n(?=[A-Za-z][A-Za-z-]{0,40}:)")


class Damaged(ValueError):
    """A record cannot be read.

    :param status: of the rejection.
    """

    def __init__(self, reason: str, status: str = "damaged") -> None:
        super().__init__(reason)
        self.status = status


class Plain:
    """A file without compression, from an offset on."""

    inside = 0

    def __init__(self, stored: Stored, offset: int) -> None:
        self._stored = stored
        self.end = offset
        self.at = offset
        """Where the record begins that is being read."""
        self.reach = offset
        """Behind the furthest byte that has been read."""
        self.work = 0
        """Bytes that were read or unpacked for what is searched again if the record is bad."""

    def begin(self) -> None:
        """A record begins here. What stands before it is not searched again."""
        self.at = self.end
        self.work = 0

    def read(self, size: int) -> bytes:
        """At most so many bytes; fewer at the end."""
        data = self._stored.read(self.end, size)
        self.end += len(data)
        self.reach = max(self.reach, self.end)
        self.work += len(data)
        return data

    def back(self, data: bytes) -> None:
        """What was read last is to be read again; it has cost its work all the same."""
        self.end -= len(data)

    def check(self, length: int) -> None:
        """:raises Damaged: the file has not so many bytes more."""
        left = self._stored.size - self.end
        if length > left:
            raise Damaged(f"cut off: {left:,} of {length:,} bytes")

    def skip(self, length: int) -> None:
        """Pass over so many bytes, which are there."""
        self.end += length


class Member:
    """One gzip member, unpacked as it is asked for."""

    def __init__(self, stored: Stored, offset: int) -> None:
        self._stored = stored
        self.reach = offset
        """As above."""
        self.work = 0
        """As above; of all its records, since all of the member is searched again if one is bad."""
        self._size = _PROBE
        self._zip = zlib.decompressobj(31)
        self._left = b""
        self._unpacked = 0
        self.at = offset
        self.inside = 0
        """Where in what is unpacked the record begins that is being read."""

    @property
    def end(self) -> int:
        """Where the next member begins, when this one has been read."""
        return self.reach - len(self._zip.unused_data)

    def begin(self) -> None:
        """A record begins here."""
        self.inside = self._unpacked

    def read(self, size: int) -> bytes:
        """As above.

        :raises Damaged: the member is cut off, or no gzip.
        """
        parts, self._left = [self._left], b""
        have = len(parts[0])
        while have < size and not self._zip.eof:
            packed = self._zip.unconsumed_tail
            if not packed:
                packed = self._stored.read(self.reach, self._size)
                self._size = CHUNK  # most members are small
                self.reach += len(packed)
                self.work += len(packed)
                if not packed:
                    raise Damaged("cut off: the gzip member has no end")
            try:
                part = self._zip.decompress(packed, size - have)
            except zlib.error as error:
                self.work += min(size - have, _RATIO * len(packed))  # it does not tell how much it has unpacked
                raise Damaged(f"not readable as gzip: {error}") from error
            parts.append(part)
            have += len(part)
            self.work += len(part)
        data = b"".join(parts)
        self._left = data[size:]
        data = data[:size]
        self._unpacked += len(data)
        return data

    def back(self, data: bytes) -> None:
        """As above."""
        self._left = data + self._left
        self._unpacked -= len(data)

    def check(self, length: int) -> None:
        """How much is in it is not known before it has been unpacked."""

    def skip(self, length: int) -> None:
        """As above.

        :raises Damaged: there is less, or too much.
        """
        if length > MAX_SKIP:
            raise Damaged(f"the record has {length:,} bytes, over the cap of {MAX_BLOCK:,}", "too_large")
        while length:
            data = self.read(min(length, CHUNK))
            if not data:
                raise Damaged(f"cut off: {length:,} bytes are missing")
            length -= len(data)


def stream_at(stored: Stored, offset: int) -> Plain | Member:
    """The bytes from an offset on: of the gzip member that begins there, or else of the file."""
    return Member(stored, offset) if stored.read(offset, 3) == GZIP else Plain(stored, offset)


def next_start(stored: Stored, offset: int) -> int:
    """The next place where a record begins, or the end."""
    size = _LOOK  # mostly it is near; then larger pieces
    while data := stored.read(offset, size + _OVERLAP):  # a beginning may stand across two pieces
        for match in _STARTS.finditer(data):
            at = offset + match.start()
            if not match[0].startswith(GZIP) or _is_member(stored, at):
                return at
        offset += size
        size = min(4 * size, _SCAN)
    return stored.size


def _is_member(stored: Stored, offset: int) -> bool:
    """Whether a gzip member begins here that begins with a record."""
    try:
        return bool(BEGIN.match(zlib.decompressobj(31).decompress(stored.read(offset, _PROBE), 16)))
    except zlib.error:
        return False


def whole_until(stored: Stored) -> int:
    """Where the last whole record of a gzipped file ends: what stands behind was torn when its writer died.

    Looks from the end backwards, so it costs the last record only.
    """
    end = stored.size
    behind = b""
    while end > 0:
        start = max(0, end - _SCAN)
        data = stored.read(start, end - start) + behind
        at = data.rfind(GZIP)
        while at >= 0:
            if _is_member(stored, start + at):
                return _whole(stored, start + at)
            at = data.rfind(GZIP, 0, at)
        behind = data[:2]
        end = start
    return 0


def _whole(stored: Stored, offset: int) -> int:
    """The end of a member, or its beginning if it has none."""
    member = Member(stored, offset)
    try:
        while member.read(_SCAN):
            pass
    except Damaged:
        return offset
    return member.end
