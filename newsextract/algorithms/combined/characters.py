"""The characters of a page's blocks in one array, for what is counted and looked up with numpy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Characters:
    """The characters of some texts, one text behind the other."""

    codes: NDArray[np.int32]
    starts: NDArray[np.intp]
    """Where each text begins."""
    lengths: NDArray[np.intp]
    """Of each text, at least 1."""


def characters(texts: Sequence[str]) -> Characters:
    """The characters of texts of which none is empty."""
    lengths = np.fromiter(map(len, texts), dtype=np.intp, count=len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    return Characters(codes, np.cumsum(lengths) - lengths, lengths)
