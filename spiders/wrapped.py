"""``scrapy crawl wrapped``: the start pages of a site, as its wrapper reads them → one record per object.

For pages of known structure: proceedings, directories, programmes, front pages. The wrapper's ``get(…)`` lead to further
pages; "next page" is followed beside that only where the site says ``pagination``, or ``{page}`` in a start page's address.
All else is as for lists (:mod:`spiders.lists`): pages are read anew by every run, what has not changed is not written
again, and ``-a run=NAME`` goes on where a run of this name was killed.
"""

from __future__ import annotations

from newsextract.sites import Site
from spiders.counting import counts
from spiders.lists import ListSpider


class WrappedSpider(ListSpider):
    """Reads the start pages of sites with ``kind = "wrapped"``."""

    name = "wrapped"

    def pages_of(self, site: Site) -> int:
        """One, unless the site asks for more."""
        asked = "pagination" in site.given or any(map(counts, site.start))
        return site.pagination + 1 if asked else 1
