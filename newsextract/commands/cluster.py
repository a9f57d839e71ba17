"""``newsextract cluster``: how shared crawls are doing, and the end of one."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from typing import Any

from newsextract.cluster.connection import EXAMPLE, ClusterError, check_name, connect
from newsextract.commands.group import add_group

_EXAMPLES = f"""examples:
  newsextract cluster status {EXAMPLE}
  newsextract cluster status                     # the address stands in CLUSTER_URL
  newsextract cluster clear --crawl news         # forget a crawl; the feeds stay
"""

_AT_ITS_END = 60.0
"""Seconds after which a worker of a crawl that is over, and has not said that it has left, was killed at its end."""


def add_parser(subparsers: Any) -> None:
    """Declare the command."""
    actions = add_group(
        subparsers, "cluster", help="how shared crawls are doing; remove one from Redis", epilog=_EXAMPLES,
        description="Say how the crawls of several processes are doing, and remove one from Redis (docs/cluster.md).",
    )  # fmt: skip
    for name, what, description, crawl in (
        ("status", "frontier, leases, workers and records",
         "Say of each shared crawl on a Redis server how far it is: what waits, what is on its way,\n"
         "which workers are at it, and what they have written. Exit code 1 if there is none.",
         "only this crawl (default: all)"),
        ("clear", "remove a crawl's keys; feeds stay",
         "Remove what Redis has of a crawl that is over or given up; its feeds stay.\n"
         "The next start under its name begins a new crawl. Exit code 1 if there is no such crawl.",
         "which one; it must be named"),
    ):  # fmt: skip
        command = actions.add_parser(
            name, help=what, description=description, epilog=_EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        command.add_argument("url", nargs="?", help=f"the Redis server, such as {EXAMPLE} (default: CLUSTER_URL)")
        command.add_argument("--crawl", metavar="NAME", help=crawl)
        command.set_defaults(run=status if name == "status" else clear)
        if name == "status":
            command.add_argument("--json", action="store_true", help="one JSON object a crawl")
        else:
            command.add_argument("--force", action="store_true", help="also if workers are still at it")


def status(given: argparse.Namespace) -> int:
    """Print how crawls stand; exit code 1 if there is none."""
    from newsextract.cluster.status import names, status_of

    client = connect(_url(given.url))
    found = [status_of(client, name) for name in ([given.crawl] if given.crawl else names(client))]
    for one in found:
        if given.json:
            print(json.dumps(asdict(one) | {"records": one.records, "pages": one.pages}))
        else:
            print("\n".join(one.lines()))
    if not found:
        print("no shared crawl on this server")
    return 0 if any(one.state != "unknown" for one in found) else 1


def clear(given: argparse.Namespace) -> int:
    """Remove a crawl's keys."""
    from newsextract.cluster.status import clear as remove
    from newsextract.cluster.status import status_of

    if given.crawl is None:
        raise ClusterError("name the crawl: --crawl NAME; newsextract cluster status shows all")
    client = connect(_url(given.url))
    status = status_of(client, check_name(given.crawl, "--crawl"))
    alive = [
        worker.name
        for worker in status.workers
        if worker.silent is not None and (status.state == "running" or worker.silent < _AT_ITS_END)
    ]
    if alive and not given.force:
        raise ClusterError(f"{', '.join(alive)} may still be at it; stop them first, wait for their end, or say --force")
    if not remove(client, given.crawl):
        sys.stderr.write(f"no shared crawl {given.crawl!r} on this server\n")
        return 1
    print(f"removed the shared crawl {given.crawl!r}; its feeds stay")
    return 0


def _url(given: str | None) -> str:
    url = given or os.environ.get("CLUSTER_URL")
    if not url:
        raise ClusterError(f"name the Redis server, such as {EXAMPLE}, or set CLUSTER_URL")
    return url
