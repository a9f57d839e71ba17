"""Table 1 of Wang, Liang & Min 2019: the 34 indicators of a visual block, in 11 groups and 3 classes.

Nothing is computed here; :mod:`.features` does.

**(read)** §5.3 calls values *countable* that are natural or decimal numbers, and compares all others for equality.
Lengths, counts, the depth, the font size and the numbers of box and layout are countable; font weight (a choice of
nine), padding, border and margin (four values each) are not. Font and the like are those of the block element itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["content", "dom", "visual"]


@dataclass(frozen=True, slots=True)
class Indicator:
    """A row of the table."""

    name: str
    """As printed, the group's name first where the paper writes Font(Color)."""
    group: str
    kind: Kind
    countable: bool = False
    style: str | None = None
    """The computed style that it is, a name in :data:`newsextract.nodes.STYLE_NAMES`."""


TABLE_1 = (
    Indicator("HTMLTag", "tag", "content"),
    Indicator("ContentText", "text", "content"),
    Indicator("ContentLength", "text", "content", True),
    Indicator("LinkNum", "links", "content", True),
    Indicator("ImageNum", "media", "content", True),
    Indicator("MultimediaNum", "media", "content", True),
    Indicator("DOMDepth", "depth", "dom", True),
    Indicator("DOMPath", "path", "dom"),
    Indicator("DOMChildrenNum", "context", "dom", True),
    Indicator("DOMSiblingsNum", "context", "dom", True),
    Indicator("FontColor", "font", "visual", style="color"),
    Indicator("FontStyle", "font", "visual", style="font-style"),
    Indicator("FontSize", "font", "visual", True, "font-size"),
    Indicator("FontWeight", "font", "visual", style="font-weight"),
    Indicator("FontFamily", "font", "visual", style="font-family"),
    Indicator("BoxWidth", "box", "visual", True),
    Indicator("BoxHeight", "box", "visual", True),
    Indicator("BoxPadding", "box", "visual", style="padding"),
    Indicator("BoxBorder", "box", "visual", style="border-width"),
    Indicator("BoxMargin", "box", "visual", style="margin"),
    Indicator("BoxSizing", "box", "visual", style="box-sizing"),
    Indicator("LayoutDisplay", "layout", "visual", style="display"),
    Indicator("LayoutPosition", "layout", "visual", style="position"),
    Indicator("LayoutRelativeLeft", "layout", "visual", True),
    Indicator("LayoutRelativeTop", "layout", "visual", True),
    Indicator("LayoutAbsoluteLeft", "layout", "visual", True),
    Indicator("LayoutAbsoluteTop", "layout", "visual", True),
    Indicator("LayoutOverflow", "layout", "visual", style="overflow"),
    Indicator("LayoutVerticalalign", "layout", "visual", style="vertical-align"),
    Indicator("BackgroundColor", "background", "visual", style="background-color"),
    Indicator("BackgroundImage", "background", "visual", style="background-image"),
    Indicator("BackgroundPosition", "background", "visual", style="background-position"),
    Indicator("BackgroundRepeat", "background", "visual", style="background-repeat"),
    Indicator("BackgroundSize", "background", "visual", style="background-size"),
)


def indicators(*, visual: bool, countable: bool) -> tuple[Indicator, ...]:
    """Rows of the table in its order: countable ones or the others; with or without the visual class."""
    return tuple(row for row in TABLE_1 if row.countable == countable and (visual or row.kind != "visual"))
