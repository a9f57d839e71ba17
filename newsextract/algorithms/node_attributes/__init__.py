"""Main text by the attributes of the nodes and by what they say: Wang & Cao, "Information extraction from massive Web
pages based on node property and text content", Journal on Communications 37(10), 2016.

The way of a page: pruned and fused to the simple tree (§3.2, :mod:`.simple_tree`), its leaves filtered by density and
position (§3.3, :mod:`.leaf_filter`; of a rendered page by its boxes, :mod:`.rendering`), what is left judged by its words
(§3.4, :mod:`newsextract.value_filter`).

Cost: the tree and a few numpy operations, 2 plain lxml parses; boxes 0.4 more; the value filter about one more
(``benchmarks/extraction.py``).
"""

from newsextract.algorithms.node_attributes.algorithm import DEFAULT, PUBLISHED, NodeAttributes, NodeAttributesParams

__all__ = ["DEFAULT", "PUBLISHED", "NodeAttributes", "NodeAttributesParams"]
