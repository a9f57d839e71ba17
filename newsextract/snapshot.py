"""What a browser saw of a page: a plain value, so that visual extraction can be repeated without a browser.

One walk in the page (``snapshot.js``, here :data:`WALKER`) returns everything in one JSON string of columns, from which
:meth:`Snapshot.from_walk` makes the value. A file holds the same columns, compressed. Whatever comes from outside, from a
page whose scripts may have meddled or from a file, is checked first (:mod:`newsextract.snapshot_columns`).

The columns hold the indicators of Wang, Liang & Min 2019, Table 1. Not in them: what shadow roots and frames contain.

Cost: ``benchmarks/snapshot.py``.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.nodes import MAX_NODES, MAX_VALUE, STYLE_NAMES, Nodes
from newsextract.snapshot_columns import SnapshotError, columns_of, nodes_of, number, text_of

__all__ = ["MAGIC", "MAX_HTML", "WALKER", "Snapshot", "SnapshotError", "aligned_elements", "is_snapshot"]

VERSION = 1
"""Of the file; a change of the columns makes a new one."""
MAGIC = b"\x89nxsnap\n"
"""The first bytes of a file; no text and no page begins so."""
MAX_HTML = 10_000_000
"""Characters of a rendered page's source; a page with more is refused by the walk. A page's own cap."""
MAX_UNPACKED = 64_000_000
"""Bytes of the columns; a page at its cap has about 45 million."""
MAX_SCREENSHOT = 64_000_000
"""Bytes of a picture."""

_HEAD = struct.Struct("<8sHII")
"""Magic, version, length of the compressed columns, length of the picture (0: none)."""
_PNG = b"\x89PNG\r\n\x1a\n"
_MEND = "make it again with `newsextract snapshot`"
_UNSEEN = ("head", "script", "style", "noscript", "template", "option", "textarea", "title", "iframe", "object")
"""Elements whose text no reader sees as text of the page; as for source texts (:mod:`newsextract.nodes`)."""

_OPTIONS = {"styles": STYLE_NAMES, "unseen": _UNSEEN, "maxNodes": MAX_NODES, "maxHtml": MAX_HTML, "maxValue": MAX_VALUE}
WALKER = f"({files('newsextract').joinpath('snapshot.js').read_text('utf-8').strip()})({json.dumps(_OPTIONS)})"
"""The walk, an expression in JavaScript: ``Snapshot.from_walk(await page.evaluate(WALKER), page.url)``."""


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot:
    """A rendered page at one moment."""

    url: str | None
    """The address at that moment, after redirects and scripts; None for a page without one."""
    html: str
    """The rendered DOM as a source text; parsed again, its elements come in the order of ``nodes``."""
    nodes: Nodes
    """With ``geometry``."""
    viewport: tuple[int, int]
    """Width and height of the window in CSS pixels."""
    fetched_at: datetime
    """When, with a zone."""
    scripts: bool = False
    """Whether the page's scripts ran."""
    screenshot: bytes | None = None
    """PNG of the whole page, only on request."""
    note: str | None = None
    """What a reader should know of how it was made: not loaded to the end, for example."""

    @classmethod
    def from_walk(
        cls,
        walk: str,
        url: str | None = None,
        *,
        fetched_at: datetime | None = None,
        scripts: bool = False,
        screenshot: bytes | None = None,
        note: str | None = None,
    ) -> Snapshot:
        """What :data:`WALKER` returned, checked.

        :param url: the page's address; None: it has none.
        :param fetched_at: with a zone; None: now.
        :raises SnapshotError: the page is over a cap, or its scripts gave something else than a walk.
        """
        place = url or "the page"
        if len(walk) > MAX_UNPACKED:
            raise SnapshotError(f"{place}: the snapshot has {len(walk):,} characters, over the cap of {MAX_UNPACKED:,}")
        columns = _parsed(walk, place)
        error = columns.get("error")
        if isinstance(error, str):
            told = "".join(char for char in " ".join(error[:400].split()) if char.isprintable())
            raise SnapshotError(f"{place}: {told[:200]}")  # the page's scripts may have written it
        return _made(columns, place, url, fetched_at or datetime.now(UTC), scripts, screenshot, note)

    def to_bytes(self) -> bytes:
        """The content of a file; equal snapshots give equal bytes. Boxes are kept to a hundredth of a pixel.

        :raises SnapshotError: it is over the cap.
        """
        columns = columns_of(self.nodes) | {
            "url": self.url,
            "html": self.html,
            "viewport": list(self.viewport),
            "fetchedAt": self.fetched_at.isoformat(),
            "scripts": self.scripts,
            "note": self.note,
        }
        written = json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        picture = self.screenshot or b""
        if len(written) > MAX_UNPACKED or len(picture) > MAX_SCREENSHOT:
            raise SnapshotError(
                f"{self.url or 'the page'}: the snapshot has {len(written):,} bytes and a picture of {len(picture):,}; "
                f"the caps are {MAX_UNPACKED:,} and {MAX_SCREENSHOT:,}"
            )
        packed = zlib.compress(written, 6)
        return _HEAD.pack(MAGIC, VERSION, len(packed), len(picture)) + packed + picture

    @classmethod
    def from_bytes(cls, data: bytes, place: str = "snapshot") -> Snapshot:
        """Read the content of a file.

        :param place: what the messages call it.
        :raises SnapshotError: it is no snapshot, of another version, cut, too large or inconsistent.
        """
        if not is_snapshot(data):
            raise SnapshotError(f"{place}: not a snapshot; {_MEND}")
        if len(data) < _HEAD.size:
            raise SnapshotError(f"{place}: the file is cut off; {_MEND}")
        _, version, packed, pictured = _HEAD.unpack_from(data)
        if version != VERSION:
            raise SnapshotError(f"{place}: version {version}, but this newsextract reads version {VERSION}; {_MEND}")
        if len(data) != _HEAD.size + packed + pictured:
            raise SnapshotError(f"{place}: {len(data):,} bytes, expected {_HEAD.size + packed + pictured:,}; {_MEND}")
        picture = data[_HEAD.size + packed :] or None
        if picture is not None and (len(picture) > MAX_SCREENSHOT or not picture.startswith(_PNG)):
            raise SnapshotError(f"{place}: the picture is no PNG or over the cap of {MAX_SCREENSHOT:,} bytes; {_MEND}")
        columns = _parsed(_unpacked(data[_HEAD.size : _HEAD.size + packed], place), place)
        url, note = (text_of(columns, key, place, optional=True) for key in ("url", "note"))
        try:
            fetched_at = datetime.fromisoformat(text_of(columns, "fetchedAt", place) or "")
        except ValueError as error:
            raise SnapshotError(f"{place}: fetchedAt is no time; {_MEND}") from error
        if fetched_at.tzinfo is None or not isinstance(columns.get("scripts"), bool):
            raise SnapshotError(f"{place}: fetchedAt has no zone, or scripts is neither true nor false; {_MEND}")
        return _made(columns, place, url, fetched_at, columns["scripts"], picture, note)

    def save(self, path: str | Path) -> None:
        """Write a file.

        :raises SnapshotError: it is over the cap, or the file cannot be written.
        """
        data = self.to_bytes()
        try:
            Path(path).write_bytes(data)
        except OSError as error:
            raise SnapshotError(f"{path}: {error.strerror or error}; choose another place") from error

    @classmethod
    def load(cls, path: str | Path) -> Snapshot:
        """Read a file.

        :raises SnapshotError: it cannot be read, or see :meth:`from_bytes`.
        """
        try:
            with Path(path).open("rb") as file:
                data = file.read(_HEAD.size + MAX_UNPACKED + MAX_SCREENSHOT + 1)
        except (OSError, ValueError) as error:  # ValueError: a null byte in the name
            raise SnapshotError(f"{path}: {getattr(error, 'strerror', None) or error}; expected a snapshot") from error
        return cls.from_bytes(data, str(path))


def is_snapshot(data: bytes) -> bool:
    """Whether these are the first bytes of a snapshot's file."""
    return data.startswith(MAGIC)


def aligned_elements(source: Nodes, rendered: Nodes) -> NDArray[np.int32] | None:
    """For each node of a source text the number of the same element in what the browser saw.

    Both walk the same page in document order, so equal sequences of tags are the same elements. What ``noscript`` and
    ``template`` hold is elements for one and text for the other, and is left out on both sides.

    :param source: of :func:`newsextract.nodes.read_nodes` on :attr:`Snapshot.html`.
    :return: shape (len(source),), -1 for text nodes and what was left out; None where the sequences differ (markup that
        no parser makes, such as a link within a link that a script put there).
    """
    there, here = _elements(rendered), _elements(source)
    if [rendered.tags[i] for i in there] != [source.tags[i].lower() for i in here]:
        return None
    numbers = np.full(len(source), -1, dtype=np.int32)
    numbers[here] = there
    return numbers


def _elements(nodes: Nodes) -> list[int]:
    """Numbers of the elements outside ``noscript`` and ``template``."""
    found: list[int] = []
    end = 0
    for i, tag in enumerate(nodes.tags):
        if tag and i >= end:
            found.append(i)
            if tag in ("noscript", "template"):
                end = int(nodes.ends[i])
    return found


def _parsed(written: str, place: str) -> dict[str, Any]:
    """A JSON object."""
    try:
        columns = json.loads(written)
    except (ValueError, TypeError, RecursionError) as error:
        raise SnapshotError(f"{place}: the snapshot is no JSON; {_MEND}") from error
    if not isinstance(columns, dict):
        raise SnapshotError(f"{place}: the snapshot is no JSON object; {_MEND}")
    return columns


def _unpacked(packed: bytes, place: str) -> str:
    """Decompressed text, never more than the cap."""
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, MAX_UNPACKED + 1)
        if len(data) > MAX_UNPACKED:
            raise SnapshotError(f"{place}: more than {MAX_UNPACKED:,} bytes when decompressed; {_MEND}")
        if not stream.eof or stream.unused_data:
            raise SnapshotError(f"{place}: the compressed part is cut off or followed by something else; {_MEND}")
        return data.decode("utf-8", "surrogatepass")
    except (zlib.error, UnicodeDecodeError) as error:
        raise SnapshotError(f"{place}: damaged ({error}); {_MEND}") from error


def _made(
    columns: dict[str, Any],
    place: str,
    url: str | None,
    fetched_at: datetime,
    scripts: bool,
    screenshot: bytes | None,
    note: str | None,
) -> Snapshot:
    html = text_of(columns, "html", place) or ""
    if len(html) > MAX_HTML:
        raise SnapshotError(f"{place}: the page has {len(html):,} characters, over the cap of {MAX_HTML:,}")
    width, height = (int(side) for side in number(columns, "viewport", 2, place))
    return Snapshot(url, html, nodes_of(columns, place), (width, height), fetched_at, scripts, screenshot, note)
