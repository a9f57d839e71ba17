"""Target sites: checked ``[[site]]`` tables of a TOML file.

Every mistake becomes one line with file, site, key, what was expected and an example of right
(:class:`~newsextract.errors.SiteError`).
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from typing import Annotated, Any, Literal, get_args, get_type_hints
from urllib.parse import urlsplit

from newsextract import algorithms
from newsextract.errors import MissingExtra, SiteError, UsageError, WrongKind
from newsextract.urls import registered_domain
from newsextract.wrappers.format import SiteWrapper, load_wrapper

# --- sites ----------------------------------------------------------------------------------------

Check = Callable[[Any], Any]
"""A value of TOML → the key's value. Raises ValueError: the value, and what is wrong with it."""
SiteKind = Literal["news", "forum", "search", "list", "wrapped"]


@dataclass(frozen=True, slots=True)
class Key:
    """What a key of the table may hold, and an example of it."""

    check: Check
    example: Any

    def toml(self) -> str:
        """The example as TOML."""
        return _toml(self.example)


def _wrong(value: Any, what: str) -> ValueError:
    return ValueError(what if isinstance(value, dict) else f"{value!r} is invalid: {what}")


def _exactly(kind: type, name: str) -> Check:
    """Values of one type: ``true`` is no number, and a time is no day."""

    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise _wrong(value, f"expected a valid {name}")
        return value

    return check


_BARE_KEY = re.compile("[A-Za-z0-9_-]+")
_REPEATS = (_parser.MAX_REPEAT, _parser.MIN_REPEAT)
_truth, _table, _string = _exactly(bool, "boolean"), _exactly(dict, "table"), _exactly(str, "string")


def _text(pattern: str = "", what: str = "") -> Check:
    def check(value: Any) -> str:
        if pattern and not re.fullmatch(pattern, _string(value), re.DOTALL):
            raise _wrong(value, f"expected {what}")
        return str(_string(value))

    return check


def _bounded(value: Any, least: float, most: float | None) -> Any:
    if not value >= least:
        raise _wrong(value, f"expected greater than or equal to {least}")
    if most is not None and not value <= most:
        raise _wrong(value, f"expected less than or equal to {most}")
    return value


def _whole(least: int, most: int | None = None) -> Check:
    number = _exactly(int, "integer")
    return lambda value: _bounded(number(value), least, most)


def _number(least: float, most: float) -> Check:
    number = _exactly(float, "number")
    return lambda value: float(_bounded(value if type(value) is int else number(value), least, most))


def _one_of(known: Sequence[str]) -> Check:
    def check(value: Any) -> Any:
        if value not in known:
            raise _wrong(value, f"expected {', '.join(map(repr, known[:-1]))} or {known[-1]!r}")
        return value

    return check


def _list(item: Check) -> Check:
    whole = _exactly(list, "list")
    return lambda value: [item(one) for one in whole(value)]


def _day(value: Any) -> date:
    """TOML dates and ISO strings are both dates."""
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError as error:
            raise _wrong(value, "expected a valid date") from error
    found: date = _exactly(date, "date")(value)
    return found


def _web_address(value: Any) -> str:
    try:
        parts = urlsplit(_string(value))
        right = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:  # not a URL, or a broken IPv6 address
        right = False
    if not right:
        raise _wrong(value, "not an http or https URL")
    return str(value)


def _site_url(value: Any) -> str:
    """Of the site itself: log-in data in it cannot be used, but would stand in logs and feeds."""
    address = _web_address(value)
    if "@" in urlsplit(address).netloc:  # the message does not repeat it
        raise ValueError(f"a URL of {urlsplit(address).hostname} has a user name or password; expected one without")
    return address


def _sitemap(value: Any) -> str:
    return ROBOTS if value == ROBOTS else _site_url(value)


def _pattern(value: Any) -> str:
    try:
        re.compile(_string(value))
    except re.error as error:
        raise _wrong(value, f"not a regular expression ({error})") from error
    if _endless(_parser.parse(value)):
        raise _wrong(value, "a repeated group of repetitions takes hours on some URLs; write [a-z-]+ for ([a-z]+-?)+")
    return str(value)


def _endless(parts: Any) -> bool:
    """Whether a parsed expression repeats a group of which one repetition is enough, as in ``([a-z]+-?)+``.

    Such a group can divide n characters in 2ⁿ ways, and all of them are tried where the rest does not match.
    """
    for kind, value in parts:
        if kind in _REPEATS and value[1] is _parser.MAXREPEAT and _is_repetition(value[2]):
            return True
        inner = value if isinstance(value, tuple) else (value,)
        branches = inner[1] if kind is _parser.BRANCH else inner
        if any(isinstance(part, _parser.SubPattern) and _endless(part) for part in branches):
            return True
    return False


def _is_repetition(parts: Any) -> bool:
    """Whether a group may consist of one repetition without an end, and everything else in it may be left out."""
    if len(parts) == 1 and parts[0][0] is _parser.SUBPATTERN:
        return _is_repetition(parts[0][1][3])
    if len(parts) == 1 and parts[0][0] is _parser.BRANCH:
        return any(map(_is_repetition, parts[0][1][1]))
    bounds = [value[:2] for kind, value in parts if kind in _REPEATS]
    needed = [most for least, most in bounds if least] or [most for _, most in bounds if most is _parser.MAXREPEAT]
    return len(bounds) == len(parts) and needed[:1] == [_parser.MAXREPEAT] and sum(least > 0 for least, _ in bounds) < 2


def _template(value: Any) -> str:
    """A search URL: ``{query}`` behind the host, and at most one of ``{page}`` and ``{start}``."""
    names = set(re.findall(r"\{([^{}]*)\}", _string(value)))
    if "query" not in names:
        raise _wrong(value, "it does not contain {query}")
    if names - {"query", "page", "start"} or {"page", "start"} <= names:
        raise _wrong(value, "it may contain {query} and one of {page} and {start}, and no other braces")
    if "{" in urlsplit(_site_url(value)).netloc:
        raise _wrong(value, "its host must not depend on the query")
    if "{" in urlsplit(value).fragment:
        raise _wrong(value, "the part after # is never sent to the engine")
    return str(value)


def _place(url: str) -> tuple[tuple[str, int], tuple[str, ...]]:
    """Host and port of a URL (80 and 443 are the same server), and the folders of its path."""
    parts = urlsplit(url)
    try:
        port = parts.port or 443
    except ValueError:
        port = 0  # reason: no server has this address
    folders = tuple(parts.path.split("/")[1:-1])
    return (parts.hostname or "", 443 if port == 80 else port), folders


_ONLY = {
    "search": ["search"], "results": ["search"], "pages_per_thread": ["forum"], "sitemaps": ["news"], "feeds": ["news"],
    "revisit": ["news"], "fields": ["news"],
}  # fmt: skip
"""Keys that some kinds of site have and the others do not."""
_WITH_WRAPPER = ("records", "linked_pages")
"""Keys of sites with a wrapper only."""
_WITHOUT_WRAPPER = ("algorithm", "params", "fields", "min_confidence")
"""Keys of sites without one: a wrapper stands in the algorithm's place."""
ROBOTS = "robots.txt"
"""In ``sitemaps``: those that the site's robots.txt names."""


@dataclass(frozen=True, kw_only=True)
class Site:
    """One target site. :meth:`read` checks a table; what the code makes itself is not checked."""

    name: Annotated[str, Key(_text(r"[a-z0-9][a-z0-9._-]*", "small letters, digits and . _ -"), "harbour-ledger")]
    """Short name, for ``-a sites=`` and the record's ``site`` field."""
    kind: Annotated[SiteKind, Key(_one_of(get_args(SiteKind)), "news")] = "news"
    """Which spider crawls it."""
    start: Annotated[list[str], Key(_list(_site_url), ["https://www.example.org/news/"])] = field(default_factory=list)
    """URLs to begin with: front pages and listings; boards or threads of a forum; the first pages of lists; the pages that a
    wrapper reads. In URLs of lists ``{page}`` (1, 2, …) or ``{start}`` (teasers before the page: 0, 10, …) may count."""
    sitemaps: Annotated[list[str], Key(_list(_sitemap), ["robots.txt"])] = field(default_factory=list)
    """URLs of sitemaps. ``"robots.txt"`` means the sitemaps that the site's robots.txt names."""
    feeds: Annotated[list[str], Key(_list(_site_url), ["https://www.example.org/feed.xml"])] = field(default_factory=list)
    """URLs of RSS, Atom or JSON feeds."""
    search: Annotated[str | None, Key(_template, "https://www.example.org/search?q={query}")] = None
    """URL of a search engine's result pages. ``{query}`` stands for the percent-encoded query, ``{page}`` (1, 2, …) or
    ``{start}`` (hits before the page: 0, 10, …) for the page, if the URL names it."""
    results: Annotated[int, Key(_whole(1, 100), 3)] = 3
    """Maximum number of result pages that are fetched for one query."""
    domains: Annotated[list[str], Key(_list(_text(r"[^\s/]+", "a domain, not a URL")), ["example.org"])] = field(
        default_factory=list
    )
    """Registered domains that belong to the site, in addition to those of the URLs above."""
    follow: Annotated[list[str], Key(_list(_pattern), [r"/news/page/\d+"])] = field(default_factory=list)
    """URL patterns of listings to follow. Without any, the content of each page decides, and other lists are not read."""
    allow: Annotated[list[str], Key(_list(_pattern), [r"/\d{4}/\d\d/"])] = field(default_factory=list)
    """URL patterns of articles. Without any, the content of each page decides. For lists: where teasers may lead."""
    deny: Annotated[list[str], Key(_list(_pattern), ["/video/"])] = field(default_factory=list)
    """URL patterns of pages that are never fetched. Teasers that link to them are left out."""
    pagination: Annotated[int, Key(_whole(0, 10_000), 10)] = 10
    """Maximum number of "next page" links that are followed from one listing, board or list. ``wrapped`` sites follow none
    unless this key is set."""
    pages_per_thread: Annotated[int, Key(_whole(1, 10_000), 50)] = 50
    """Maximum number of pages that are fetched of one thread."""
    depth: Annotated[int, Key(_whole(0, 100), 3)] = 3
    """Maximum distance of a listing from a start page, in links."""
    from_articles: Annotated[bool, Key(_truth, True)] = False
    """Whether links on article pages are followed as well as those on listings."""
    since: Annotated[date | None, Key(_day, "2026-01-01")] = None
    """Articles before this day are rejected. They are not fetched if a feed or sitemap states their day."""
    until: Annotated[date | None, Key(_day, "2026-12-31")] = None
    """Articles after this day are rejected."""
    revisit: Annotated[str | None, Key(_text(r"[1-9]\d{0,2}[hdw]", "a number and h, d or w"), "2d")] = None
    """Every run fetches the pages of records that are no older than this again, at most once an hour."""
    min_confidence: Annotated[float, Key(_number(0, 1), 0.4)] = 0.0
    """Minimum confidence. Articles below it are rejected; pages of records below it give no records."""
    limit: Annotated[int | None, Key(_whole(1), 500)] = None
    """Maximum number of article pages that are fetched in one run."""
    algorithm: Annotated[str | None, Key(_text(), "block_statistics")] = None
    """Extraction algorithm. Default: the one of the project's settings."""
    params: Annotated[dict[str, Any], Key(_table, {"preset": "published"})] = field(default_factory=dict)
    """Parameters of the algorithm. Names of files are relative to the folder of the site file."""
    fields: Annotated[dict[str, Any], Key(_table, {"title": "h1.headline"})] = field(default_factory=dict)
    """CSS selectors of single fields (title, date, authors, section, image, text). They take precedence over the automatic
    result. A selector that matches nothing on a page has no effect there."""
    wrapper: Annotated[str | None, Key(_text(".+", "the name of a file"), "wrappers/proceedings.oem")] = None
    """A wrapper file, relative to the folder of the site file. The wrapper extracts the pages instead of an algorithm."""
    records: Annotated[str | None, Key(_text(".+", "a label"), "paper")] = None
    """Label of the wrapper's objects that become one record each. Without it, a page gives one record with all objects."""
    linked_pages: Annotated[int, Key(_whole(0, 10_000), 50)] = 50
    """Maximum number of pages that the wrapper fetches with ``get(…)`` for one page. ``depth`` limits their distance."""
    language: Annotated[str | None, Key(_text("[a-z]{2}", "two small letters"), "zh")] = None
    """Language of pages that do not declare one."""
    canonical: Annotated[Literal["follow", "ignore"], Key(_one_of(("follow", "ignore")), "follow")] = "follow"
    """Whether a page that names another canonical URL is replaced by the page at that URL."""
    min_length: Annotated[int, Key(_whole(0), 80)] = 80
    """Shorter texts (characters, white space not counted; East Asian characters count double) are rejected."""
    delay: Annotated[float | None, Key(_number(0, 3600), 2.0)] = None
    """Fixed number of seconds between requests to one host. Default: at least DOWNLOAD_DELAY, and more for a slow server."""
    concurrency: Annotated[int | None, Key(_whole(1, 64), 2)] = None
    """Maximum number of simultaneous requests to one host."""
    obey_robots: Annotated[bool, Key(_truth, True)] = True
    """Whether the site's robots.txt is obeyed."""
    obey_reservations: Annotated[bool, Key(_truth, True)] = False
    """Whether pages that reserve their use (noai, noindex, text and data mining) give no records."""
    user_agent: Annotated[str | None, Key(_text(".{3,}", "3 characters or more"), "mybot (+https://example.org/bot)")] = None
    """Who crawls, and how to reach you. Default: the setting USER_AGENT."""
    render: Annotated[bool, Key(_truth, True)] = False
    """Whether a browser fetches the pages and runs their scripts. Otherwise only the source is read."""
    scrolls: Annotated[int, Key(_whole(0, 100), 5)] = 0
    """Screens that the browser scrolls down on start pages (news) or on all pages (forum, search, list), for pages that load
    more on scrolling. It also clicks on "load more"."""
    proxy: Annotated[str | None, Key(_web_address, "http://127.0.0.1:3128")] = None
    """Fetch this site through a proxy."""
    private: Annotated[bool, Key(_truth, True)] = False
    """Whether the host names in the site's URLs may resolve to private IP addresses. Only the IP addresses at the start of
    the crawl and the ports in the URLs are allowed. A private IP address or ``localhost`` in a URL needs no such key."""
    serve: Annotated[str | None, Key(_text(), "tests/sample_site/www")] = None
    """A folder with the site's files. During the crawl it is served on loopback under the site's own URLs."""
    wrapping: SiteWrapper | None = None
    """The wrapper, once it has been read."""
    given: frozenset[str] = frozenset()
    """The keys that the table has."""

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> Site:
        """Check a table of the site file. Unknown keys are refused.

        :raises SiteError: one line for each mistake: ``key …: …; for example …``.
        """
        lines = [_unknown(key) for key in table if key not in KEYS]
        values: dict[str, Any] = {}
        for name, key in KEYS.items():
            try:
                if name in table:
                    values[name] = key.check(table[name])
                elif name == "name":
                    raise ValueError("missing")
            except ValueError as error:
                lines.append(f"key {name}: {error}; for example {name} = {key.toml()}")
        if lines:
            raise SiteError("\n".join(lines))
        site = cls(**values, given=frozenset(table))
        try:
            site._check_whole()
        except ValueError as error:
            name = str(error).partition(":")[0]
            raise SiteError(f"key {error}; for example {name} = {KEYS[name].toml()}") from error
        return site

    @property
    def all_params(self) -> dict[str, Any]:
        """What extraction is given: the algorithm's parameters, and the selectors of fields."""
        return self.params | ({algorithms.FIELDS: self.fields} if self.fields else {})

    def _check_whole(self) -> None:
        """Whether the keys go together.

        :raises ValueError: the message begins with the key.
        """
        for key, kinds in _ONLY.items():
            if key in self.given and self.kind not in kinds:
                wanted = " or ".join(f'"{kind}"' for kind in kinds)
                raise ValueError(f'{key}: is for sites with kind = {wanted}, and this one has kind = "{self.kind}"')
        if self.kind == "search" and self.search is None:
            raise ValueError("search: missing; a search engine needs the URL of its result pages")
        if self.kind == "forum" and not self.start:
            raise ValueError("start: missing; a forum needs the URL of a board or thread")
        if self.kind in ("list", "wrapped"):
            self._check_lists()
        self._check_wrapper()
        self._check_braces()
        if not (self.start or self.sitemaps or self.feeds or self.search):
            raise ValueError("start: one of start, sitemaps and feeds is needed")
        if ROBOTS in self.sitemaps and not (self.start or self.feeds or len(self.sitemaps) > 1):
            raise ValueError('sitemaps: "robots.txt" needs a start page to know the host')
        if self.since and self.until and self.since > self.until:
            raise ValueError("since: is later than until")
        if self.scrolls and not self.render:
            raise ValueError("scrolls: only a browser scrolls; it needs render = true")

    def _check_lists(self) -> None:
        if not self.start:
            what = "the first page of each list" if self.kind == "list" else "the pages that the wrapper reads"
            raise ValueError(f"start: missing; name {what}")
        for address in self.start:
            if {"{page}", "{start}"} <= set(re.findall(r"\{\w*\}", address)):
                raise ValueError(f"start: {address!r}: it may contain one of {{page}} and {{start}}, not both")
            if "{" in urlsplit(address).netloc:
                raise ValueError(f"start: {address!r}: its host must not depend on the page")

    def _check_braces(self) -> None:
        """Whether URLs contain a placeholder that nothing replaces."""
        known = ("page", "start") if self.kind in ("list", "wrapped") else ()
        for key in ("start", "sitemaps", "feeds"):
            for address in getattr(self, key):
                for name in re.findall(r"\{([^{}]*)\}", address):
                    if name not in known:
                        what = "expected {page} or {start}" if known else f'sites with kind = "{self.kind}" have none'
                        raise ValueError(
                            f"{key}: {address!r}: unknown placeholder {{{name}}}; {what}; a brace is %7B or %7D"
                        )

    def _check_wrapper(self) -> None:
        """Whether the keys go together with a wrapper, or without one."""
        if self.kind == "wrapped" and self.wrapper is None:
            raise ValueError("wrapper: missing; name the wrapper file that extracts the pages")
        refused = _WITH_WRAPPER if self.wrapper is None else _WITHOUT_WRAPPER
        for key in refused:
            if key in self.given:
                with_one = "is for sites with a wrapper" if self.wrapper is None else "has no effect with a wrapper"
                raise ValueError(f"{key}: {with_one}")

    @property
    def addresses(self) -> list[str]:
        """All URLs in the definition."""
        searched = [self.search] if self.search else []
        return [*self.start, *(s for s in self.sitemaps if s != ROBOTS), *self.feeds, *searched]

    @cached_property
    def hosts(self) -> list[str]:
        """Host names of these URLs, in order, without repetition."""
        return list(dict.fromkeys(urlsplit(a).hostname or "" for a in self.addresses))

    @cached_property
    def all_domains(self) -> tuple[str, ...]:
        """The registered domains that belong to the site."""
        return tuple(dict.fromkeys([*map(registered_domain, self.hosts), *self.domains]))

    def covers(self, url: str) -> bool:
        """Whether a URL belongs to the site. If several sites cover it, it belongs to the one with the greatest
        :meth:`closeness`."""
        host = urlsplit(url).hostname or ""
        return any(host == domain or host.endswith("." + domain) for domain in self.all_domains)

    def closeness(self, url: str) -> int:
        """How close a URL is to those in the definition.

        For a URL of the definition with the same host and port: 1, or if its folders all contain this one, two more than the
        number of folders. The greatest of these, or 0.
        """
        server, folders = _place(url)
        near = [2 + len(own) if folders[: len(own)] == own else 1 for place, own in self._places if place == server]
        return max(near, default=0)

    @cached_property
    def _places(self) -> list[tuple[tuple[str, int], tuple[str, ...]]]:
        return [(server, folders) for server, folders in map(_place, self.addresses)]


KEYS: dict[str, Key] = {
    name: kind.__metadata__[0]
    for name, kind in get_type_hints(Site, include_extras=True).items()
    if hasattr(kind, "__metadata__")
}
"""What a table may hold, by name."""


def _unknown(key: str) -> str:
    close = get_close_matches(key, KEYS, 1)
    advice = f'did you mean "{close[0]}"?' if close else f"choose from: {', '.join(KEYS)}"
    return f"key {key if key.isprintable() else repr(key)}: unknown; {advice}"


# --- site file ------------------------------------------------------------------------------------


def load_sites(
    path: Path, algorithm: str = algorithms.DEFAULT, record_algorithm: str = algorithms.DEFAULT_RECORDS
) -> dict[str, Site]:
    """All sites of a file, by name.

    :param algorithm: the project's, for news sites that name none; their params are checked against it.
    :param record_algorithm: the same for forums, search engines and lists.
    :raises SiteError: the file is missing or not TOML, or a site is wrong; one line per mistake.
    """
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError as error:
        raise SiteError(f"{path}: no such file; the setting SITES_FILE names the list of target sites") from error
    except UnicodeDecodeError as error:
        raise SiteError(f"{path}: not readable as UTF-8 (byte {error.start:,}); save the file as UTF-8") from error
    except (OSError, ValueError, RecursionError) as error:  # ValueError: not TOML, or an integer of thousands of digits
        mend = r"; patterns need single quotes: '/\d+/'" if "'\\'" in str(error) else ""
        raise SiteError(f"{path}: not readable as TOML: {error}{mend}") from error
    tables = data.pop("site", [])
    if data or not isinstance(tables, list) or not all(isinstance(t, dict) for t in tables):
        extra = f"; unknown: {', '.join(map(repr, data))}" if data else ""
        raise SiteError(f'{path}: expected [[site]] tables, each with name = "…"{extra}')
    sites: dict[str, Site] = {}
    mistakes: list[str] = []
    for number, table in enumerate(tables, 1):
        label = f'{path.name}: site "{table.get("name", f"number {number}")}"'
        default = algorithm if table.get("kind", "news") == "news" else record_algorithm
        try:
            files = _files(table, default, path.absolute().parent)
            site = Site.read({**table, "params": {**table["params"], **files}} if files else table)
            check_algorithm(site.kind, site.algorithm or default)
            algorithms.make_params(site.algorithm or default, site.all_params)
            if files:  # what they hold is checked before anything is fetched
                algorithms.make(site.algorithm or default, site.params)
        except SiteError as error:
            mistakes += [f"{label}, {line}" for line in str(error).split("\n")]
        except (UsageError, MissingExtra) as error:
            about = "key" if str(error).startswith("fields: ") else "key algorithm or params:"
            mistakes.append(f"{label}, {about} {error}")
        else:
            try:
                if site.wrapper is not None:
                    site = replace(site, wrapping=load_wrapper(site.wrapper, path.absolute().parent, site.records))
            except UsageError as error:
                mistakes.append(f"{label}, key wrapper or records: {error}")
            if site.name in sites:
                mistakes.append(f"{label}, key name: used twice; each site needs a name of its own")
            sites[site.name] = site
    if mistakes:
        raise SiteError("\n".join(mistakes))
    return sites


def check_algorithm(kind: str, name: str) -> None:
    """Whether an algorithm finds what the spider of this kind asks for.

    :raises UnknownAlgorithm: it is not registered.
    :raises WrongKind: it finds records where articles are asked for, or the other way round.
    """
    asked: algorithms.Kind = "article" if kind == "news" else "records"
    if asked not in algorithms.spec(name).kinds:
        raise WrongKind(name, asked, algorithms.names(asked))


def _files(table: dict[str, Any], default: str, folder: Path) -> dict[str, str]:
    """The params of a site that name files, as absolute paths; relative ones begin at the folder of the site file.

    :raises UsageError: there is no such file, or no such algorithm.
    """
    algorithm, params = table.get("algorithm", default), table.get("params")
    if not isinstance(algorithm, str) or not isinstance(params, dict):
        return {}
    files: dict[str, str] = {}
    for name in algorithms.file_params(algorithm):
        value = params.get(name)
        if isinstance(value, str) and value:
            file = folder / value
            try:
                found = file.is_file()
            except (OSError, ValueError):  # a folder that may not be read, a name too long, a null byte in it
                found = False
            if not found:
                raise UsageError(
                    f"{name} = {value!r}: no such file: {file}; relative paths start from the folder of the site file"
                )
            files[name] = str(file)
    return files


def site_name(url: str) -> str:
    """A name for the site of a URL, as ``sites.toml`` allows it: its host, and its port where it has one."""
    host = urlsplit(url).netloc.rpartition("@")[2].lower().removeprefix("www.")
    return re.sub(r"[^a-z0-9._-]+", "-", host).strip("._-") or "site"


def toml_table(site: Mapping[str, Any], comments: Mapping[str, str] | None = None) -> str:
    """The table of a site as ``sites.toml`` holds it.

    :param comments: what is written after the value of a key, by key.
    """
    lines = ["[[site]]"]
    for key, value in site.items():
        line, comment = f"{key} = {_toml(value)}", toml_comment((comments or {}).get(key, ""))
        lines.append(f"{line:<37}  {comment}" if comment else line)
    return "\n".join(lines) + "\n"


def toml_comment(text: str) -> str:
    """A text as a TOML comment of one line, without the control characters that TOML refuses; empty for an empty text."""
    plain = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return f"# {plain}" if plain else ""


def _toml(value: Any) -> str:
    """A value as TOML, which writes everything as JSON does except tables, dates and patterns."""
    if isinstance(value, dict):
        pairs = ((key if _BARE_KEY.fullmatch(key) else json.dumps(key), inner) for key, inner in value.items())
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in pairs) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str) and "\\" in value and "'" not in value and value.isprintable():
        return f"'{value}'"
    return value.isoformat() if isinstance(value, date) else json.dumps(value, ensure_ascii=False)
