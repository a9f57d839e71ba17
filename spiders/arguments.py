"""The arguments of the spiders, ``-a NAME=VALUE``, and what each is for: known names, help and messages come from here."""

from __future__ import annotations

from collections.abc import Mapping

from newsextract.errors import UsageError

ARGUMENTS = {
    "sites": "names of sites, separated by commas (default: all)",
    "since": "first day of the date window, YYYY-MM-DD",
    "until": "last day of the date window, YYYY-MM-DD",
    "algorithm": "extraction algorithm for all sites",
    "limit": "article pages per site, at most",
    "revisit": "fetch records again that are older than 12h, 7d, 2w, or all",
    "ledger": "a .jsonl file that remembers what is done, when the feed itself cannot",
    "urls": "a file of addresses, one per line, fetched instead of discovering any",
}
"""The news spider's arguments, ``-a NAME=VALUE``."""
WARC = {"warc": "a folder for WARC files of everything that is fetched; `newsextract extract --warc` reads them again"}
DATABASE = {"database": "a database for what stands in the feeds, for example sqlite:///out/news.db (default: DATABASE_URL)"}
SHARED = {
    "state": "a PostgreSQL database that several processes share the crawl by; it gets the records, too",
    "crawl": "with state: the shared crawl's name (default: that of the spider)",
}
RUN = "name of this observation (default: the day, UTC); the same name goes on where a killed run was"
SEARCH_ARGUMENTS = {
    "sites": "names of engines, separated by commas (default: all)",
    "query": "what to search for",
    "queries": "a file of queries, one per line",
    "run": RUN,
    "algorithm": "extraction algorithm for all engines",
    "limit": "result pages per engine, at most",
    "ledger": ARGUMENTS["ledger"],
}
ARGUMENTS_OF: dict[str, dict[str, str]] = {
    "news": ARGUMENTS | WARC,
    "forum": {name: what for name, what in ARGUMENTS.items() if name != "revisit"}
    | WARC
    | {"limit": "new pages of threads per site"},
    "search": SEARCH_ARGUMENTS | WARC,
    "list": {name: what for name, what in ARGUMENTS.items() if name != "revisit"}
    | WARC
    | {"limit": "list pages per site", "run": RUN.replace("the day, UTC", "none: every run reads all pages")},
    "wrapped": {
        "sites": ARGUMENTS["sites"],
        "limit": "pages per site, without those that links lead to",
        "run": RUN.replace("the day, UTC", "none: every run reads all pages"),
        "ledger": ARGUMENTS["ledger"],
        "urls": "a file of addresses, one per line, read instead of the start pages",
    }
    | WARC,
}
"""By spider."""
for _known in ARGUMENTS_OF.values():
    _known |= DATABASE | SHARED


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a text file cannot be read, in plain words."""
    return "it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)


def check_known(arguments: Mapping[str, str], allowed: Mapping[str, str]) -> None:
    """Whether a spider knows its arguments.

    :param allowed: names, and what each is for.
    :raises UsageError: it does not know one.
    """
    unknown = sorted(set(arguments) - set(allowed))
    if unknown:
        raise UsageError(f"unknown argument -a {unknown[0]}=…; known are: {', '.join(allowed)}")
