"""``newsextract browser``: which browser is used for rendering, and one installed where there is none."""

from __future__ import annotations

import argparse
import sys

from newsextract.browsers import find_browser, install_browser

_EXAMPLES = """examples:
  newsextract browser check
  newsextract browser install
  NEWSEXTRACT_BROWSER=/opt/chrome/chrome newsextract browser check
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "browser",
        help="find or install the browser for rendering",
        description="Find the browser for rendering: the one that NEWSEXTRACT_BROWSER names, an installed Chrome or "
        "Chromium, or playwright's download. install: where there is none, playwright downloads one; else Debian's package.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=("check", "install"), help="only look, or install one where there is none")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say which browser there is and what was done."""
    found, done = (find_browser(), "") if arguments.action == "check" else install_browser()
    sys.stdout.write(f"{found.version()}: {found.path} ({found.origin}){f'; {done}' if done else ''}\n")
    return 0
