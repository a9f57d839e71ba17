"""What a shared crawl must know of a request, in its ``meta``; each holds for one process only and is never shared."""

from __future__ import annotations

LOCAL = "shared_local"
"""The request belongs to a page that this process is at, and is not shared."""
SEEN = "shared_seen"
"""The name under which an address is asked for once in a crawl."""
COUNTED = "shared_counted"
"""It counts for its site's limit."""
HELD = "shared_held"
"""It waits until nothing else is left."""
