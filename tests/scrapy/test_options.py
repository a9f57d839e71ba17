"""Settings of the add-on: types, defaults and errors; what the project says of a component stands."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from newsextract.errors import ParameterError, UnknownAlgorithm, UsageError
from newsextract.feed.record_lines import Limits
from newsextract.scrapy import PREFIX, Addon, ArticlePipeline, LinesPipeline, Options, SkipWrittenMiddleware, WorkerPool
from newsextract.sites import Site

THEIRS = "scrapy.pipelines.files.FilesPipeline"
DOCUMENT = (Path(__file__).parents[2] / "docs" / "scrapy.md").read_text("utf-8")


def test_values_of_the_command_line_and_of_python_are_the_same() -> None:
    as_text = {"WORKERS": "3", "TIMEOUT": "1.5", "PARAMS": '{"preset": "default"}', "OBEY_RESERVATIONS": "True"}
    as_values = {"WORKERS": 3, "TIMEOUT": 1.5, "PARAMS": {"preset": "default"}, "OBEY_RESERVATIONS": True}
    found = [
        Options.from_settings(Settings({PREFIX + name: value for name, value in given.items()}))
        for given in (as_text, as_values)
    ]
    assert found[0] == found[1]
    assert (found[0].workers, found[0].timeout, found[0].obey_reservations) == (3, 1.5, True)


def test_records_are_judged_by_the_limits_of_sites() -> None:
    limits: Limits = Options()
    site = Site.read({"name": "x", "start": ["https://x.example/"]})
    for name in ("min_length", "min_confidence", "obey_reservations", "since", "until"):
        assert getattr(limits, name) == getattr(site, name)


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"WORKERS": -1}, UsageError),
        ({"WORKERS": "x"}, UsageError),
        ({"MIN_CONFIDENCE": 1.5}, UsageError),
        ({"PARAMS": "["}, UsageError),
        ({"PARAMS": {"nope": 1}}, ParameterError),
        ({"ALGORITHM": "nope"}, UnknownAlgorithm),
        ({"OBEY_RESERVATIONS": "perhaps"}, UsageError),
        ({"SKIP_WRITTEN": True}, UsageError),
        ({"FEED": ""}, UsageError),
        ({"NOPE": 1}, UsageError),
    ],
)
def test_wrong_settings_are_errors(settings: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Options.from_settings(Settings({PREFIX + name: value for name, value in settings.items()}))


def enabled(**given: Any) -> Settings:
    settings = Settings(given)
    Addon().update_settings(settings)
    return settings


def test_the_add_on_enables_what_is_asked_for() -> None:
    settings = enabled()
    assert set(settings.getdict("ITEM_PIPELINES")) == {ArticlePipeline}
    assert set(settings.getdict("EXTENSIONS")) == {WorkerPool}
    assert SkipWrittenMiddleware not in settings.getdict("SPIDER_MIDDLEWARES")
    settings = enabled(NEWSEXTRACT_FEED="x.jsonl", NEWSEXTRACT_SKIP_WRITTEN=True, ITEM_PIPELINES={THEIRS: 500})
    places = settings.getdict("ITEM_PIPELINES")
    assert places[ArticlePipeline] < places[THEIRS] < places[LinesPipeline]
    assert SkipWrittenMiddleware in settings.getdict("SPIDER_MIDDLEWARES")


def test_what_the_project_says_of_a_component_stands() -> None:
    off = enabled(ITEM_PIPELINES={"newsextract.scrapy.ArticlePipeline": None})
    assert off.getdict("ITEM_PIPELINES") == {"newsextract.scrapy.ArticlePipeline": None}
    moved = enabled(ITEM_PIPELINES={"newsextract.scrapy.ArticlePipeline": 700})
    assert moved.getdict("ITEM_PIPELINES") == {"newsextract.scrapy.ArticlePipeline": 700}


def test_every_setting_is_in_the_documents() -> None:
    names = {PREFIX + one.name.upper() for one in fields(Options) if one.init}
    assert sorted(name for name in names if f"`{name}`" not in DOCUMENT) == []
