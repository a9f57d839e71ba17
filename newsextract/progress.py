"""How far a long command is: one live line on a terminal, else a plain line every ten seconds."""

from __future__ import annotations

import time
from typing import TextIO

_PLAIN_INTERVAL = 10.0
_LIVE_INTERVAL = 0.1


class ProgressLine:
    """Tells how far a run is: one live line on a terminal, else a plain line every ten seconds."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self._label = label
        self._stream = stream
        self._live = stream.isatty()
        self._interval = _LIVE_INTERVAL if self._live else _PLAIN_INTERVAL
        self._start = self._told = time.monotonic()

    def update(self, done: int, total: int) -> None:
        """Tell, unless it was told just before."""
        left = (time.monotonic() - self._start) * (total - done) / done
        self.tell(f"{done} of {total} pages, {left:.0f} s left")

    def tell(self, words: str) -> None:
        """Tell something, unless something was told just before."""
        now = time.monotonic()
        if now - self._told < self._interval:
            return
        self._told = now
        line = f"{self._label}: {words}"
        self._stream.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
        self._stream.flush()

    def close(self) -> None:
        """Clear the live line."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
