"""What a browser saw of a page: a plain value, so that visual extraction can be repeated without a browser.

One walk in the page (``snapshot.js``, here :data:`WALKER`) returns everything in one JSON string of columns, from which
:meth:`Snapshot.from_walk` makes the value. A file holds the same columns, compressed. Whatever comes from outside, from a
page whose scripts may have meddled or from a file, is checked first (*snapshot columns*).

The columns hold the indicators of Wang, Liang & Min 2019, Table 1. Not in them: what closed shadow roots and frames contain.

Cost: ``benchmarks/snapshot.py``.
"""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.errors import DataError
from newsextract.page.nodes import MAX_NODES, MAX_VALUE, STYLE_NAMES, Geometry, Nodes

# --- snapshot columns -----------------------------------------------------------------------------
# The columns of a snapshot's JSON: written from nodes, and checked before they become nodes again.
#
# ``tagNames`` (distinct tags), ``tags`` (a number in it; -1: a text node), ``texts`` (of the text nodes), ``attributes`` (of
# the elements: name, value, name, value …), ``parents``, ``styles`` (a number in ``styleTable``), ``boxes`` (four numbers a
# node), ``visible`` (0 or 1), ``styleTable`` (rows of :data:`newsextract.page.nodes.STYLE_NAMES`), ``pageSize``,
# ``baseFontSize``. Nothing is taken on trust: a page's scripts could have written them, or anybody a file.
#
# Cost: about 5 µs a node for reading, half of it JSON.

_FARTHEST = 1e9
"""Pixels; browsers lay out no farther than 33 million."""
_MOST_NODES = MAX_NODES + 1_000


class SnapshotError(DataError):
    """A snapshot is over a cap, damaged or not one; one line saying what, where and how to mend it."""


def columns_of(nodes: Nodes) -> dict[str, Any]:
    """The columns of nodes that have a geometry.

    :raises SnapshotError: they have none.
    """
    geometry = nodes.geometry
    if geometry is None:
        raise SnapshotError("these nodes have no geometry; only what a browser saw makes a snapshot")
    names = {tag: i for i, tag in enumerate(dict.fromkeys(tag for tag in nodes.tags if tag))}
    return {
        "tagNames": list(names),
        "tags": [names.get(tag, -1) for tag in nodes.tags],
        "texts": [text for tag, text in zip(nodes.tags, nodes.texts, strict=True) if not tag],
        "attributes": [
            [part for pair in own.items() for part in pair]
            for tag, own in zip(nodes.tags, nodes.attributes, strict=True)
            if tag
        ],
        "parents": nodes.parents.tolist(),
        "styles": geometry.styles.tolist(),
        "boxes": np.round(geometry.boxes.astype(np.float64), 2).ravel().tolist(),
        "visible": nodes.visible.astype(int).tolist(),
        "styleTable": [list(row) for row in geometry.style_table],
        "pageSize": list(geometry.page_size),
        "baseFontSize": geometry.base_font_size,
    }


def nodes_of(columns: Mapping[str, Any], place: str) -> Nodes:
    """The nodes that columns describe.

    :param place: what the messages call it.
    :raises SnapshotError: a column is missing, has another length or a value that cannot be.
    """
    names = _strings(columns, "tagNames", place)
    numbers = _integers(columns, "tags", place, -1, len(names) - 1)
    n = len(numbers)
    if not 0 < n <= _MOST_NODES:
        raise _refused(place, "tags", f"has {n:,} nodes, expected 1 to {_MOST_NODES:,}")
    if not all(names):
        raise _refused(place, "tagNames", "holds an empty name")
    texts = _strings(columns, "texts", place)
    pairs = columns.get("attributes")
    count = numbers.count(-1)
    if len(texts) != count:
        raise _refused(place, "texts", f"has {len(texts):,} texts for {count:,} text nodes")
    if not all(text and " ".join(text.split()) == text for text in texts):
        raise _refused(place, "texts", "holds a text with white space unfolded")
    if not isinstance(pairs, list) or len(pairs) != n - count:
        raise _refused(place, "attributes", f"is no list of {n - count:,} lists")
    parents = _integers(columns, "parents", place, -1, n - 1, n)
    table = columns.get("styleTable")
    if not isinstance(table, list) or not all(
        isinstance(row, list) and len(row) == len(STYLE_NAMES) and _all(row, str) for row in table
    ):
        raise _refused(place, "styleTable", f"is no list of rows of {len(STYLE_NAMES)} styles")
    styles = _integers(columns, "styles", place, 0, len(table) - 1, n)
    boxes = np.array(_floats(columns, "boxes", place, 4 * n), dtype=np.float32).reshape(n, 4)
    visible = _integers(columns, "visible", place, 0, 1, n)
    width, height = number(columns, "pageSize", 2, place)
    base = _floats({"baseFontSize": [columns.get("baseFontSize")]}, "baseFontSize", place, 1)[0]
    if base <= 0:
        raise _refused(place, "baseFontSize", "is not above 0")
    ends, depths = _shape(parents, numbers, place)
    geometry = Geometry(boxes, np.array(styles, dtype=np.int32), tuple(tuple(row) for row in table), (width, height), base)
    empty: Mapping[str, str] = {}
    written, owned = iter(texts), iter(pairs)
    return Nodes(
        ["" if tag < 0 else names[tag] for tag in numbers],
        [next(written) if tag < 0 else "" for tag in numbers],
        [empty if tag < 0 else _attributes(next(owned), place) for tag in numbers],
        np.array(parents, dtype=np.int32),
        ends,
        depths,
        np.array(visible, dtype=np.bool_),
        geometry,
    )


def text_of(columns: Mapping[str, Any], key: str, place: str, *, optional: bool = False) -> str | None:
    """A string, or None where that is allowed.

    :raises SnapshotError: it is neither.
    """
    value = columns.get(key)
    if isinstance(value, str) or (optional and value is None):
        return value
    raise _refused(place, key, "is no text")


def number(columns: Mapping[str, Any], key: str, count: int, place: str) -> list[float]:
    """Some numbers that are not negative.

    :raises SnapshotError: they are not that.
    """
    values = _floats(columns, key, place, count)
    if min(values) < 0:
        raise _refused(place, key, "is negative")
    return values


def _attributes(pairs: object, place: str) -> dict[str, str]:
    if not isinstance(pairs, list) or len(pairs) % 2 or not _all(pairs, str):
        raise _refused(place, "attributes", "holds something else than names and values")
    if pairs and max(map(len, pairs)) > MAX_VALUE:
        raise _refused(place, "attributes", f"holds a value of more than {MAX_VALUE:,} characters")
    return dict(zip(pairs[::2], pairs[1::2], strict=True))


def _shape(parents: Sequence[int], tags: Sequence[int], place: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Ends and depths; a parent must be an element that is still open, as in document order it is."""
    ends = [0] * len(parents)
    depths = [0] * len(parents)
    opened: list[int] = []
    for node, parent in enumerate(parents):
        while opened and opened[-1] != parent:
            ends[opened.pop()] = node
        if not opened and node:
            raise _refused(place, "parents", f"are not in document order at node {node:,}")
        depths[node] = len(opened)
        ends[node] = node + 1
        if tags[node] >= 0:
            opened.append(node)
    for node in opened:
        ends[node] = len(parents)
    if parents[0] != -1 or tags[0] < 0:
        raise _refused(place, "parents", "do not begin with an element without a parent")
    return np.array(ends, dtype=np.int32), np.array(depths, dtype=np.int32)


def _strings(columns: Mapping[str, Any], key: str, place: str) -> list[str]:
    values = columns.get(key)
    if not isinstance(values, list) or not _all(values, str):
        raise _refused(place, key, "is no list of texts")
    return values


def _integers(columns: Mapping[str, Any], key: str, place: str, low: int, high: int, count: int | None = None) -> list[int]:
    values = columns.get(key)
    if not isinstance(values, list) or not _all(values, int) or (count is not None and len(values) != count):
        raise _refused(place, key, "is no list of whole numbers, one a node")
    if values and not low <= min(values) <= max(values) <= high:
        raise _refused(place, key, f"holds a number outside {low:,} to {high:,}")
    return values


def _floats(columns: Mapping[str, Any], key: str, place: str, count: int) -> list[float]:
    values = columns.get(key)
    if not isinstance(values, list) or len(values) != count or not _all(values, int, float):
        raise _refused(place, key, f"is not {count:,} numbers")
    if not all(-_FARTHEST <= value <= _FARTHEST for value in values):  # false for NaN and infinity, too
        raise _refused(place, key, "holds a number that no page has")
    return [float(value) for value in values]


def _all(values: list[Any], *kinds: type) -> bool:
    """Whether all have just these types (a bool is no int here)."""
    return set(map(type, values)) <= set(kinds)


def _refused(place: str, key: str, what: str) -> SnapshotError:
    return SnapshotError(f"{place}: the snapshot's {key} {what}; make it again with `newsextract snapshot`")


# --- snapshot -------------------------------------------------------------------------------------

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
"""Elements whose text no reader sees as text of the page; as for source texts (:mod:`newsextract.page.nodes`)."""

_OPTIONS = {"styles": STYLE_NAMES, "unseen": _UNSEEN, "maxNodes": MAX_NODES, "maxHtml": MAX_HTML, "maxValue": MAX_VALUE}
_WALK = f"({files('newsextract').joinpath('page', 'snapshot.js').read_text('utf-8').strip()})({json.dumps(_OPTIONS)})"
_WEIGHED = f"typeof walk !== 'string' ? '{{}}' : walk.length <= {MAX_UNPACKED} ? walk : `{{\"over\": ${{walk.length}}}}`"
WALKER = f"((walk) => {_WEIGHED})({_WALK})"
"""The walk, an expression in JavaScript: ``Snapshot.from_walk(await page.evaluate(WALKER), page.url)``.

A page may replace what the walk calls, even ``JSON.stringify``; so its size is checked before it leaves the browser.
"""
_OVER = re.compile(r'\{"over": (\d{1,15})\}')
"""What comes in place of a walk over the cap: the number of its characters."""


def over_cap(walk: str) -> str | None:
    """Why what :data:`WALKER` returned is over the cap; None: it is not."""
    size = int(match[1]) if (match := _OVER.fullmatch(walk)) is not None else len(walk)
    return f"the snapshot has {size:,} characters, over the cap of {MAX_UNPACKED:,}" if size > MAX_UNPACKED else None


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
        if (reason := over_cap(walk)) is not None:
            raise SnapshotError(f"{place}: {reason}")
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

    :param source: of :func:`newsextract.page.nodes.read_nodes` on :attr:`Snapshot.html`.
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
