"""The set: pages modelled on Table 2 of Huang, Qi & Zhang 2000, written for this project, with the objects they hold.

    python -m tests.oem.set.build FOLDER

writes them as files. Pages and objects come from the same data, but never from each other, and no part of ``newsextract`` has
a hand in either. ``formats/`` has a format for each, written by hand; ``drafts/`` what `newsextract oem draft` proposes with
the edits that it needs.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.oem.set.awkward import alumni, bulletin, feed, market, workshop
from tests.oem.set.listings import centre, daily, projects, youth
from tests.oem.set.modern import courier, staff
from tests.oem.set.objects import Expected
from tests.oem.set.proceedings import aaai, pods, sigmod, vldb
from tests.oem.set.unseen import agenda, courses, evening, library, links, shop

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Published:
    """A row of Table 2."""

    source: str
    milliseconds: int
    lines: int
    levels: int
    kilobytes: float


@dataclass(frozen=True, slots=True)
class SetPage:
    """A page of the set."""

    name: str
    url: str
    body: bytes
    expected: Expected
    published: Published | None
    """The row that it is modelled on."""

    @property
    def format_path(self) -> Path:
        """The format that was written by hand."""
        return HERE / "formats" / f"{self.name}.oem"

    @property
    def draft_path(self) -> Path:
        """The draft with the edits that it needs."""
        return HERE / "drafts" / f"{self.name}.oem"


_PAGES: tuple[tuple[Callable[[str], tuple[str, Expected]], str, str, Published | None], ...] = (
    (vldb, "http://library.example/db/conf/vds/98.html", "ascii", Published("VLDB Conferences", 765, 7, 5, 28.6)),
    (sigmod, "http://mod.example/97/toc.html", "ascii", Published("SIGMOD Conferences", 590, 7, 4, 35.7)),
    (pods, "http://pods.example/98.html", "ascii", Published("PODS Conferences", 172, 7, 4, 13.5)),
    (aaai, "http://library.example/db/conf/aaai/AAAI-97.html", "ascii", Published("AAAI Conferences", 1982, 6, 6, 60.4)),
    (projects, "http://esker.example/research/projects.html", "ascii", Published("Research of SHJD", 250, 6, 3, 16.7)),
    (centre, "http://centre.example/index.htm", "gbk", Published("Info. Center of CAS", 125, 4, 5, 12.4)),
    (youth, "http://youth.example/index.htm", "gbk", Published("China Youth Daily", 32, 5, 3, 13.0)),
    (daily, "http://daily.example/index.html", "gbk", Published("People's Daily", 62, 6, 3, 20.0)),
    (staff, "https://esker.example/people", "utf-8", None),
    (courier, "https://courier.example/", "utf-8", None),
    (library, "http://library.example/new/march.htm", "ascii", None),
    (courses, "http://esker.example/lectures/winter.html", "ascii", None),
    (links, "http://links.example/db.html", "ascii", None),
    (evening, "http://evening.example/index.htm", "gbk", None),
    (agenda, "https://agenda.example/2024", "utf-8", None),
    (shop, "https://shop.example/", "utf-8", None),
    (workshop, "http://workshop.example/96.html", "ascii", None),
    (bulletin, "http://bulletin.example/index.html", "ascii", None),
    (alumni, "http://esker.example/alumni.html", "ascii", None),
    (market, "http://market.example/books.htm", "ascii", None),
    (feed, "https://feed.example/", "utf-8", None),
)


def pages() -> list[SetPage]:
    """All pages, always the same."""
    found = []
    for build, url, encoding, published in _PAGES:
        source, expected = build(url)
        found.append(SetPage(build.__name__, url, source.encode(encoding), expected, published))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for page in pages():
        (folder / f"{page.name}.html").write_bytes(page.body)
        (folder / f"{page.name}.json").write_text(json.dumps(page.expected, ensure_ascii=False, indent=1) + "\n", "utf-8")
        print(f"{page.name:10} {len(page.body) / 1000:5.1f} kB  {page.url}")


if __name__ == "__main__":
    main()
