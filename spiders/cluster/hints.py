"""What feeds and sitemaps say of addresses that are on their way already, for whichever process fetches them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from newsextract import Hints

if TYPE_CHECKING:
    from newsextract.cluster.frontier import Outbox


class SharedHints(dict[int, Hints]):
    """A page's identity → hints; what is put in is told to the others, too."""

    def __init__(self, outbox: Outbox) -> None:
        super().__init__()
        self._outbox = outbox

    def __setitem__(self, identity: int, hints: Hints) -> None:
        super().__setitem__(identity, hints)
        plain = [hints.title, hints.date, hints.source, hints.language]
        self._outbox.hints[f"{identity:016x}"] = json.dumps(plain)

    def take(self, identity: str, plain: str) -> None:
        """Take in what another process has found."""
        super().__setitem__(int(identity, 16), Hints(*json.loads(plain)))
