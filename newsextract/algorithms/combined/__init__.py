"""`combined`: the default extractor for articles, built on what the five papers know.

The way of a page: the tree in columns (:mod:`newsextract.page.dom`), features of its blocks (:mod:`.features`), a small
network over them (:mod:`.algorithm`), the blocks that are chosen by its probabilities (:mod:`.choice`), and the parts of the
article beside them that it misses (:mod:`.parts`).
"""

from newsextract.algorithms.combined.algorithm import DEFAULT, PRECISION, RECALL, Combined, CombinedParams

__all__ = ["DEFAULT", "PRECISION", "RECALL", "Combined", "CombinedParams"]
