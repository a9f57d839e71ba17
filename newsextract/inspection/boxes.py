"""Where the nodes of an answer are on the page, whether it was found in what the browser saw or in the source."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.snapshot import aligned_elements

Box = list[float]
"""Left, top, width, height in CSS pixels."""


class Places:
    """From node numbers to boxes.

    :param page: with a snapshot.
    :param rendered: whether the numbers are those of the snapshot; else those of ``page.nodes``.
    """

    def __init__(self, page: Page, rendered: bool) -> None:
        assert page.snapshot is not None
        self.drawn = page.snapshot.nodes
        self.nodes: Nodes = self.drawn if rendered else page.nodes
        self._numbers = None if rendered else aligned_elements(page.nodes, self.drawn)
        self.matched = rendered or self._numbers is not None
        """False: the source's elements cannot be told in what the browser saw, and nothing has a box."""
        self._same = rendered

    def drawn_node(self, node: int) -> int:
        """The number in the snapshot; of a text in the source that of the element around it; -1: none."""
        if self._same:
            return node
        if self._numbers is None:
            return -1
        while node >= 0 and self._numbers[node] < 0:
            node = int(self.nodes.parents[node])
        return int(self._numbers[node]) if node >= 0 else -1

    def box(self, roots: Iterable[int]) -> Box | None:
        """The smallest box around some subtrees; None where nothing is drawn of them."""
        geometry = self.drawn.geometry
        assert geometry is not None
        found = []
        for root in roots:
            node = self.drawn_node(root)
            if node < 0:
                continue
            boxes = geometry.boxes[node : node + 1]
            if boxes[0, 2] <= 0 or boxes[0, 3] <= 0:  # display: contents, or floats alone
                boxes = geometry.boxes[node : int(self.drawn.ends[node])]
            found.append(boxes[(boxes[:, 2] > 0) & (boxes[:, 3] > 0)])
        boxes = np.concatenate(found) if found else np.zeros((0, 4), dtype=np.float32)
        if not len(boxes):
            return None
        left, top = boxes[:, 0].min(), boxes[:, 1].min()
        right, bottom = (boxes[:, 0] + boxes[:, 2]).max(), (boxes[:, 1] + boxes[:, 3]).max()
        return [round(float(side), 1) for side in (left, top, right - left, bottom - top)]
