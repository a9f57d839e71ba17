"""``newsextract browser``: check that pages can be rendered, or install what is missing."""

from __future__ import annotations

import argparse
import sys

from newsextract.browser.browsers import install_browser
from newsextract.browser.render import check_rendering

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
        description="Find the browser for rendering: the one that NEWSEXTRACT_BROWSER names, an installed Chrome or\n"
        "Chromium, or playwright's download. `check` starts the driver and the browser and renders a page. `install`\n"
        "installs a browser if there is none: playwright's download or, as root on Debian, the system's packages.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "action", choices=("check", "install"), help="render a small page; or first install a browser if there is none"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Report the browser that renders pages, after it has rendered one."""
    done = f"; {install_browser()[1]}" if arguments.action == "install" else ""
    sys.stdout.write(f"{check_rendering()}: renders pages{done}\n")
    return 0
