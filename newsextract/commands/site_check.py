"""``newsextract site-check``: five pages of a configured site, before a long crawl.

The crawl itself is Scrapy's, in a process of its own, so that the library need not import it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from newsextract.errors import MissingExtra, UsageError

_EXAMPLES = """examples:
  newsextract site-check harbour-ledger
  newsextract site-check mysite --pages 10
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "site-check",
        help="fetch a few pages of a configured site and show what they give",
        description="Fetch a few pages of a site of sites.toml; print kind, title, date and first words, or why not.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", help="the site's name in sites.toml")
    parser.add_argument("--pages", type=int, default=5, metavar="N", help="article pages to fetch; default: 5")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Crawl into a temporary feed and print it."""
    if find_spec("scrapy") is None:
        raise MissingExtra("scrapy", "crawl", "site-check")
    if not Path("scrapy.cfg").exists():
        raise UsageError("site-check: no scrapy.cfg here; call it in the folder of the project")
    with tempfile.TemporaryDirectory() as folder:
        feed = Path(folder) / "check.jsonl"
        command = [sys.executable, "-m", "scrapy", "crawl", "news", "-a", f"sites={arguments.name}"]
        command += ["-a", f"limit={arguments.pages}", "-O", str(feed), "-s", "LOG_LEVEL=ERROR", "-s", "STATS_DUMP=False"]
        code = subprocess.run(command, check=False).returncode
        if code:
            return code
        records, rejected = _read(feed), _read(feed.with_suffix(".rejected.jsonl"))
    for record in records:
        sys.stdout.write(
            f"\n{record['url']}\n  {record['kind']}: {record['title']}\n"
            f"  date {record['date']} ({record['date_source']}), authors {', '.join(record['authors']) or '-'}, "
            f"language {record['language']}, {record['pages']} page(s)\n  {record['text'][:160]} …\n"
        )
    for rejection in rejected:
        sys.stdout.write(f"\n{rejection['url']}\n  not a record: {rejection['status']}: {rejection['reason']}\n")
    return 0 if records else 1


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
