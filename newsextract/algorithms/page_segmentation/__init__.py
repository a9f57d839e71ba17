"""Main text by page segmentation: Hou & Yang, "Web information extraction algorithm based on Web page segmentation",
Microcomputer & Its Applications 30(5), 2011, 54–56.

The idea: the leaves of an article's text have one tag path and stand at regular distances. So leaves are clustered by
tag path (:mod:`.clusters`), clusters whose distances vary are split, and the longest that is long enough, holds few
links (B_n) and is regular is the main block (:mod:`.segments`); the span of the page from its first leaf to its last is
the segment, whose text goes through a template of ``table`` and ``div`` chunks (:mod:`.template`). Thresholds are
trained per kind of site (:mod:`.training`, :mod:`.thresholds`).

Cost: beside the tree, 0.4 of a plain lxml parse and the pruning (0.6 with boilerplate); O(n log n) in the leaves.
"""

from __future__ import annotations

from newsextract.algorithms.page_segmentation.algorithm import PageSegmentation
from newsextract.algorithms.page_segmentation.params import DEFAULT, PUBLISHED, PageSegmentationParams

__all__ = ["DEFAULT", "PUBLISHED", "PageSegmentation", "PageSegmentationParams"]
