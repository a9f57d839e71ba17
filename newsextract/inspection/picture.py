"""What the page looks like in the report: its picture, and the texts where there is none.

A picture ends at 16,000 pixels, and a snapshot may have none; there the page's texts stand at their boxes, on white.
"""

from __future__ import annotations

import math
import struct
from typing import Any

from newsextract.nodes import STYLE_NAMES, Geometry
from newsextract.snapshot import Snapshot

MAX_SIDES = (8_000, 120_000)
"""CSS pixels of the page that are shown; what a page puts farther away is not."""
_MAX_TEXTS = 6_000
_MAX_TEXT = 300
"""Characters of a text; more are rarely in one box."""


def picture(snapshot: Snapshot) -> dict[str, Any]:
    """The page as plain values.

    ``width`` and ``height``: of the page; ``picture``: those of its picture, zeros without one; ``texts``: left, top, width,
    height, font size, and the words.
    """
    geometry = snapshot.nodes.geometry
    assert geometry is not None
    width, height = (max(1, min(round(side), most)) for side, most in zip(geometry.page_size, MAX_SIDES, strict=True))
    drawn = _sides(snapshot.screenshot)
    return {"width": width, "height": height, "picture": drawn, "texts": _texts(snapshot, geometry, drawn)}


def _sides(png: bytes | None) -> tuple[int, int]:
    """Width and height of a picture: its first chunk."""
    if png is None or len(png) < 24:
        return 0, 0
    width, height = struct.unpack_from(">II", png, 16)
    return min(width, MAX_SIDES[0]), min(height, MAX_SIDES[1])


def _texts(snapshot: Snapshot, geometry: Geometry, drawn: tuple[int, int]) -> list[list[float | str]]:
    """Visible texts that the picture does not show."""
    column = STYLE_NAMES.index("font-size")
    sizes = [_pixels(style[column]) for style in geometry.style_table]
    found: list[list[float | str]] = []
    for node in snapshot.nodes.shown.tolist():
        left, top, width, height = (round(float(side), 1) for side in geometry.boxes[node])
        if width > 0 and height > 0 and top >= drawn[1]:
            found.append([left, top, width, height, sizes[geometry.styles[node]], snapshot.nodes.texts[node][:_MAX_TEXT]])
            if len(found) == _MAX_TEXTS:
                break
    return found


def _pixels(size: str) -> float:
    """The number of a computed font size, 1 to 200; 16 where it is none."""
    try:
        number = float(size.removesuffix("px"))
    except ValueError:
        return 16.0
    return min(max(number, 1.0), 200.0) if math.isfinite(number) else 16.0
