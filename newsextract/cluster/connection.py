"""The way to a Redis server: checked when it is first used, and told in one line when it does not answer."""

from __future__ import annotations

import re
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from newsextract.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from redis import Redis

SCHEMES = ("redis", "rediss", "unix")
EXAMPLE = "redis://127.0.0.1:6379/0"
PATIENCE = 5.0
"""Seconds that a question to the server may take; the crawl's own thread waits for it."""
_UNREADABLE = (
    "cannot be read: its port is no number, or the user name or password holds one of / ? # @, which are written "
    "%2F %3F %23 %40"
)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class ClusterError(UsageError):
    """A shared crawl cannot begin: the server does not answer, or another crawl has the name."""


def connect(url: str) -> Redis:
    """A client of a server that answers.

    :param url: ``redis://[[user]:password@]host[:port][/db]``, ``rediss://…`` with TLS, ``unix://path``.
    :raises MissingExtra: the client is not installed.
    :raises ClusterError: the address is none, or the server does not answer or does not let us in.
    """
    if find_spec("redis") is None:
        raise MissingExtra("redis", "cluster", "a shared crawl")
    from redis import Redis, RedisError
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    _check(url)
    try:
        client = Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=PATIENCE,
            socket_connect_timeout=PATIENCE / 2,
            retry=Retry(NoBackoff(), 0),  # waiting would stop the crawl's thread; the crawl itself asks again
        )
        version = str(client.info("server")["redis_version"])
    except TypeError as error:
        raise ClusterError(
            f"{shown(url)}: an option behind the ? is not known: {told(error).rpartition(' ')[2]}; "
            "known are those of redis-py, such as ssl_ca_certs"
        ) from error
    except (RedisError, OSError, ValueError) as error:
        raise ClusterError(
            f"{shown(url)}: the Redis server does not answer: {told(error)}; is it running, and is the address right?"
        ) from error
    if int(version.partition(".")[0]) < 5:
        raise ClusterError(f"{shown(url)}: Redis {version} is too old: 5 or newer is needed")
    return client


def _check(url: str) -> None:
    """Whether an address can be read.

    :raises ClusterError: it cannot. The parser's own words are not told: what it takes for a port may be a password.
    """
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise ClusterError(f"{shown(url)}: {_UNREADABLE}") from error
    if parts.scheme not in SCHEMES:
        raise ClusterError(
            f"{shown(url)!r} is no address of a Redis server; expected redis://, rediss:// or unix://, such as {EXAMPLE}"
        )
    if parts.scheme != "unix" and "@" in url and "@" not in parts.netloc:
        raise ClusterError(f"{shown(url)}: {_UNREADABLE}")


def shown(url: str) -> str:
    """An address without its password, wherever in it that may stand."""
    hidden = re.sub(r"([?&][^=&]*=)[^&]*", r"\1…", url)
    hidden = re.sub(r"//.*@", "//…@", hidden, flags=re.DOTALL)
    return re.sub(r"(//[^/@\[\]]*:)(?!\d+(?:[/?]|$))[^/?@]*", r"\1…", hidden)  # a password without its @ and host


def told(error: BaseException) -> str:
    """An error in one line, to be gone on with in a sentence: without its full stop."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


def check_name(value: str, what: str) -> str:
    """A name of a crawl or a worker.

    :raises ClusterError: it would not do as part of a file name.
    """
    if _NAME.fullmatch(value) is None or value in ("rejected", "pages"):
        raise ClusterError(f"{what}={value}: expected a name of letters, digits, - and _, such as {what}=monday")
    return value
