"""``newsextract browser`` and ``snapshot``: check or install the browser, and render a page with it."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract.browser.loading import install_browser
from newsextract.browser.render import MAX_SCROLLS, SETTLE, TIMEOUT, check_rendering, render
from newsextract.commands.common import check_output

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


_SNAPSHOT_EXAMPLES = """examples:
  newsextract snapshot page.html -o page.snapshot
  newsextract snapshot page.html -o page.snapshot --url https://example.org/search?q=harbour
  newsextract snapshot https://example.org/search?q=harbour -o page.snapshot --screenshot
  newsextract snapshot https://example.org/stream -o page.snapshot --scrolls 5 --timeout 60
  newsextract extract page.snapshot
"""


def add_snapshot(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "snapshot",
        help="render a page in a browser and save it",
        description="Render a page in a browser and write a snapshot, which every command takes in place of a page.",
        epilog=_SNAPSHOT_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("page", metavar="PAGE", help="a file or an http(s) URL")
    parser.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="where to write the snapshot")
    parser.add_argument("--url", help="URL of the file")
    parser.add_argument("--screenshot", action="store_true", help="also save a screenshot")
    parser.add_argument(
        "--scripts",
        action=argparse.BooleanOptionalAction,
        help="run the page's scripts; default: for URLs yes, for files no",
    )
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT, metavar="SECONDS", help=f"time limit for loading; default: {TIMEOUT:g}"
    )
    parser.add_argument(
        "--settle",
        type=float,
        default=SETTLE,
        metavar="SECONDS",
        help=f"longest wait for late content; default: {SETTLE:g}",
    )
    parser.add_argument(
        "--scrolls",
        type=int,
        default=0,
        metavar="N",
        help=f"screens to scroll down first, 0 to {MAX_SCROLLS}; default: 0",
    )
    parser.set_defaults(run=run_snapshot)


def run_snapshot(arguments: argparse.Namespace) -> int:
    """Render, write, and say what it is."""
    check_output(arguments.output)
    snapshot = render(
        arguments.page,
        scripts=arguments.scripts,
        timeout=arguments.timeout,
        screenshot=arguments.screenshot,
        url=arguments.url,
        settle=arguments.settle,
        scrolls=arguments.scrolls,
    )
    snapshot.save(arguments.output)
    nodes = snapshot.nodes
    width, height = nodes.geometry.page_size if nodes.geometry else (0, 0)
    sys.stdout.write(
        f"{arguments.output}: {len(nodes):,} nodes, {len(nodes.shown):,} texts to be seen, {width:g} x {height:g} pixels, "
        f"{arguments.output.stat().st_size:,} bytes\n"
    )
    if arguments.screenshot and snapshot.screenshot is None:
        sys.stderr.write("note: the screenshot was too large and is left out\n")
    if snapshot.note:
        sys.stderr.write(f"note: {snapshot.note}\n")
    return 0
