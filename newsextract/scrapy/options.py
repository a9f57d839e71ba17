"""The settings ``NEWSEXTRACT_…`` of a Scrapy project, checked when the crawl starts."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import TYPE_CHECKING, Any

from newsextract import algorithms
from newsextract.errors import UsageError

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

PREFIX = "NEWSEXTRACT_"


def _least(least: float, most: float = float("inf")) -> Callable[[Any], bool]:
    return lambda value: least <= value <= most


def _option(default: Any, read: str, expected: str, accepts: Callable[[Any], bool] = lambda value: True) -> Any:
    """A field with the getter of Scrapy's settings that reads it, and what is said of a wrong value."""
    made = {"default_factory": default} if callable(default) else {"default": default}
    return field(**made, metadata={"read": read, "expected": expected, "accepts": accepts})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the settings say; a field ``min_length`` is the setting ``NEWSEXTRACT_MIN_LENGTH``.

    It is a :class:`~newsextract.feed.news_record.Limits`: records are judged as in newsextract's own crawls.
    """

    algorithm: str = _option(algorithms.DEFAULT, "get", "the name of an algorithm, for example 'combined'")
    """Algorithm of articles; ``newsextract algorithms`` lists them."""
    params: Mapping[str, Any] = _option(dict, "getdict", "a dict, for example {'preset': 'default'}")
    """Its parameters."""
    workers: int = _option(2, "getint", "a whole number from 0 on, for example 2", _least(0))
    """Worker processes; 0 extracts in the crawl's own process, for debugging."""
    timeout: float = _option(30.0, "getfloat", "seconds, for example 30", _least(0.1))
    """Seconds of CPU time for one page."""
    memory_mb: int = _option(1_500, "getint", "megabytes from 200 on, for example 1500", _least(200))
    """Megabytes that a worker may use."""
    min_confidence: float = _option(0.0, "getfloat", "a number from 0 to 1, for example 0.4", _least(0, 1))
    """Records below are dropped."""
    min_length: int = _option(80, "getint", "a number of characters, for example 80", _least(0))
    """Records with a shorter text are dropped; East Asian characters count double."""
    obey_reservations: bool = _option(False, "getbool", "True or False")
    """Whether pages that reserve their use are dropped."""
    feed: str | None = _option(None, "get", "the path of a .jsonl file, for example 'out/articles.jsonl'", bool)
    """A file of JSON Lines that survives ``kill -9``, and the memory of what is done."""
    skip_written: bool = _option(False, "getbool", "True or False")
    """Whether links to pages whose items are in that file are not followed."""

    since: date | None = field(default=None, init=False)
    until: date | None = field(default=None, init=False)

    @classmethod
    def from_settings(cls, settings: BaseSettings) -> Options:
        """Read and check the settings.

        :raises UsageError: a setting is unknown or has a wrong value.
        """
        known = {PREFIX + one.name.upper(): one for one in fields(cls) if one.init}
        found: dict[str, Any] = {}
        for name in settings:
            if not isinstance(name, str) or not name.startswith(PREFIX):
                continue
            if name not in known:
                close = difflib.get_close_matches(name, known, 1)
                advice = f"did you mean {close[0]}?" if close else f"known are: {', '.join(sorted(known))}"
                raise UsageError(f"unknown setting {name}; {advice}")
            option, value = known[name], settings[name]
            if value is None:
                continue  # as if it were not set
            try:
                found[option.name] = getattr(settings, option.metadata["read"])(name)
                accepted = option.metadata["accepts"](found[option.name])
            except (ValueError, TypeError):
                accepted = False
            if not accepted:
                raise UsageError(f"{name} = {value!r}: expected {option.metadata['expected']}")
        options = cls(**found)
        if options.skip_written and options.feed is None:
            raise UsageError("NEWSEXTRACT_SKIP_WRITTEN needs NEWSEXTRACT_FEED, the file that says what is written")
        algorithms.make_params(options.algorithm, options.params)
        return options
