"""Parameters and presets of ``page_segmentation``."""

from __future__ import annotations

from dataclasses import dataclass, field

from newsextract.algorithms.page_segmentation.thresholds import shipped
from newsextract.errors import ParameterError

_SHIPPED = shipped()
_LENGTH, _NOISE, _FREQUENCY = _SHIPPED.length_threshold, _SHIPPED.bn_threshold, _SHIPPED.frequency_threshold
_RANGES = {
    "length_threshold": (0.0, 1e9),
    "bn_threshold": (0.0, 1e9),
    "frequency_threshold": (0.0, 1e9),
    "variance_bound": (0.0, 1e12),
    "split_low": (0.0, 1.0),
    "split_high": (1.0, 1e9),
    "max_size": (0, 1_000_000),
    "pre_d": (0.0, 1e6),
    "list_weight": (0.0, 1.0),
    "widen": (0.0, 1e9),
}


@dataclass(frozen=True, slots=True)
class PageSegmentationParams:
    """Parameters; the defaults are the paper's values where it gives them, and the three trained thresholds shipped with
    the package (``models/page_segmentation.toml``)."""

    thresholds: str = field(default="", metadata={"unit": "file", "section": "§3.3", "range": "a file, or empty"})
    """File of `newsextract train thresholds` whose three thresholds replace those below."""
    length_threshold: float = field(default=_LENGTH, metadata={"unit": "Length", "section": "§3.3", "range": "0–1e9"})
    """Length_Threshold: a main block's text is longer (characters above U+00FF count 2)."""
    bn_threshold: float = field(default=_NOISE, metadata={"unit": "%", "section": "§3.3", "range": "0–1e9"})
    """B_n_Threshold: a main block's list-noise coefficient is higher."""
    frequency_threshold: float = field(default=_FREQUENCY, metadata={"unit": "chunks", "section": "§3.3", "range": "0–1e9"})
    """Frequency_Threshold: a tag path's text is printed if it has at least so many chunks in the segment."""
    variance_bound: float = field(default=200.0, metadata={"unit": "leaves²", "section": "§3.1", "range": "0–1e12"})
    """A cluster whose distances vary more is split. The paper gives no value; fitted (50–1000: within 0.005 F1)."""
    split_low: float = field(default=0.85, metadata={"unit": "ratio", "section": "§2", "range": "0–1"})
    """Least ratio θ of two consecutive distances that is no split place."""
    split_high: float = field(default=2.0, metadata={"unit": "ratio", "section": "§2", "range": "1–1e9"})
    """Largest ratio θ of two consecutive distances that is no split place."""
    max_size: int = field(default=0, metadata={"unit": "leaves", "section": "§3.1", "range": "0–1000000"})
    """MAXSIZE: a main block has more leaves. The paper gives no value; fitted (1 costs 0.007 F1, 2 0.019)."""
    pre_d: float = field(default=0.0, metadata={"unit": "leaves", "section": "§2, §3.1", "range": "0–1e6"})
    """PreD: a main block's mean period is longer. The paper gives no value; fitted (below 1; 1 costs 0.075 F1)."""

    boilerplate: bool = field(default=False, metadata={"unit": "", "section": "not in the paper", "range": "true, false"})
    """Whether elements whose tag, class or id names boilerplate are left out with their text (preprocessing rule 2)."""
    list_weight: float = field(default=1.0, metadata={"unit": "factor", "section": "not in the paper", "range": "0–1"})
    """Factor of the Length of clusters in list items when clusters are put in order; 1: as any other."""
    widen: float = field(default=0.0, metadata={"unit": "Length", "section": "not in the paper", "range": "0–1e9"})
    """Blocks beside the segment, in the same element, of at least this Length and with few links are added; 0: none."""

    def __post_init__(self) -> None:
        for name, (low, high) in _RANGES.items():
            value = getattr(self, name)
            if not low <= value <= high:
                example = type(self).__dataclass_fields__[name].default
                raise ParameterError(
                    f"page_segmentation: {name} is {value}; expected {low:g}–{high:g}, for example {name} = {example}"
                )


# Numbers that the paper does not give, and the switches, were fitted on folds 1–4 of the bench (1,226 pages, 102 Chinese).
# F1 there, all languages | Chinese: published .836 | .914; default .930 | .955. What each switch brings:
# docs/page_segmentation.md.
PUBLISHED = PageSegmentationParams()
DEFAULT = PageSegmentationParams(boilerplate=True, list_weight=0.03, widen=60.0)
