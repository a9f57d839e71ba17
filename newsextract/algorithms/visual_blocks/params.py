"""Parameters of ``visual_blocks``: Wang, Liang & Min 2019. The defaults are the published ones.

§7 gives T_o, T_a, T_c and T_d; the radius r and MinPts are not printed. 0.2 and 2 are our reading, and so is that two zeros
are equal: by (12) as printed Sim(A, A) is 0.72 for a plain text block, although §5.3 wants it to tend to 1, and of eight
equal blocks the first, whose relative top is 0, is farther than r from the others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from newsextract.errors import ParameterError

_RANGES = {
    "centre_offset": (0.0, 1.0),
    "area_share": (0.0, 1.0),
    "text_share": (0.0, 1.0),
    "gap": (0.0, 1.0),
    "radius": (0.0, 1.0),
    "min_points": (1, 1000),
    "regions": (1, 100),
    "seed": (0, 2**32 - 1),
}


@dataclass(frozen=True, slots=True)
class VisualBlocksParams:
    """What can be set; the defaults are the preset ``published``."""

    method: Literal["focus", "search"] = field(
        default="focus", metadata={"unit": "", "section": "§5.1", "range": "focus, search"}
    )
    """How records are found. ``focus``: by the thresholds of the paper. ``search``: at all levels, with a scorer (ours)."""
    features: Literal["auto", "visual", "dom"] = field(
        default="visual", metadata={"unit": "", "section": "§4.1, Table 1", "range": "auto, visual, dom"}
    )
    """``visual``: of a rendered page. ``dom``: what the source alone tells. ``auto``: visual where there is a snapshot."""
    centre_offset: float = field(default=0.2, metadata={"unit": "page diagonals", "section": "§5.1 T_o", "range": "0–1"})
    """A region's centre is nearer to the page's than this."""
    area_share: float = field(default=0.4, metadata={"unit": "share of the area", "section": "§5.1 T_a", "range": "0–1"})
    """A region takes more of the page's area than this."""
    text_share: float = field(default=0.4, metadata={"unit": "share of the text", "section": "§5.1 T_c", "range": "0–1"})
    """A region holds more of the page's text than this."""
    gap: float = field(default=0.2, metadata={"unit": "region heights", "section": "§7 T_d", "range": "0–1"})
    """A first or last block farther than this from its neighbour is noise."""
    radius: float = field(default=0.2, metadata={"unit": "1 - similarity", "section": "§5.3 r", "range": "0–1"})
    """Blocks at most this far apart are neighbours."""
    min_points: int = field(default=2, metadata={"unit": "blocks", "section": "§5.3 MinPts", "range": "1–1000"})
    """Neighbours, itself among them, that make a block the core of a cluster."""
    zero_pair: Literal[0, 1] = field(default=1, metadata={"unit": "similarity", "section": "§5.3 (12)", "range": "0, 1"})
    """Similarity of a countable indicator that is zero in both blocks. Printed is 0, by which no block is like itself."""
    align: bool = field(default=True, metadata={"unit": "", "section": "§5.2 step 1", "range": "true, false"})
    """Whether first and last blocks that are not aligned with the others are noise."""
    seed: int = field(default=1, metadata={"unit": "", "section": "§6", "range": "0–4294967295"})
    """Of the random choice of the other record that a record is compared with."""

    regions: int = field(default=1, metadata={"unit": "regions", "section": "§5.1, beyond it", "range": "1–100"})
    """Data regions of a page, at most; only with ``search``, the paper has one."""
    model: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of ``newsextract train visual-blocks``, only with ``search``. Empty: the shipped one."""

    def __post_init__(self) -> None:
        if self.model and self.method != "search":
            raise ParameterError('visual_blocks: model is for method = "search" (preset default); leave one of them out')
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                example = type(self).__dataclass_fields__[name].default
                raise ParameterError(
                    f"visual_blocks: {name} is {value}; expected {low:g}–{high:g}, for example {name} = {example}"
                )


PUBLISHED = VisualBlocksParams()
DEFAULT = VisualBlocksParams(method="search", features="auto")
