"""`visual_blocks`: records of a page, by the paper's four layers (``published``) or searched at all levels (``default``).

Wang, Liang & Min 2019, Multi-recording complex Web page information extraction algorithm based on visual block (VBIE).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from newsextract.algorithms.visual_blocks.focus import focus_records
from newsextract.algorithms.visual_blocks.model import load
from newsextract.algorithms.visual_blocks.params import DEFAULT, PUBLISHED, VisualBlocksParams
from newsextract.algorithms.visual_blocks.parse import NO_SNAPSHOT, page_nodes
from newsextract.algorithms.visual_blocks.search import search_records
from newsextract.page import Page
from newsextract.record import RecordSet

__all__ = ["DEFAULT", "PUBLISHED", "VisualBlocks", "VisualBlocksParams"]


class VisualBlocks:
    """The algorithm, ready to be called on pages.

    :raises DataError: the model file is missing, damaged or of another kind.
    """

    def __init__(self, params: VisualBlocksParams) -> None:
        self.params = params
        self._model = load(Path(params.model) if params.model else None) if params.method == "search" else None

    def __call__(self, page: Page, *, evidence: bool = False) -> RecordSet:
        """Choose the nodes of the records."""
        nodes = page_nodes(page, self.params.features)
        if nodes is None:
            return RecordSet(status="no_snapshot", reason=NO_SNAPSHOT)
        if self._model is None:
            found = focus_records(nodes, self.params, evidence=evidence)
        else:
            judges = self._model.judges["dom" if nodes.geometry is None else "visual"]
            found = search_records(nodes, judges, self.params.regions, evidence=evidence)
        return replace(found, rendered=nodes.geometry is not None)
