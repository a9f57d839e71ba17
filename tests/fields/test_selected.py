"""Fields that a user selects by CSS."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from newsextract import Page, extract, extract_records
from newsextract.errors import ParameterError, SiteError
from newsextract.sites import load_sites

SENTENCE = "The harbour was calm this morning, said the keeper of the books, and the ships came in one after another. "
PAGE = f"""<html><head><title>Ships come in | The Ledger</title><meta name=date content=2020-01-01></head><body>
<h1>Ships come in</h1><p class=kicker> Harbour <b>news</b></p><p class=by>By Mara Quill and Tom Reed</p>
<time class=changed datetime=2026-03-04T05:06:00+01:00>today</time><img class=lead src=/a.jpg>
<div class=body>{"".join(f"<p>{SENTENCE * 2}</p>" for _ in range(6))}</div>
<div class=box><p>First line.</p><p> </p><p>Second  line.</p></div></body></html>"""


def article(**fields: Any) -> Any:
    page = Page(PAGE.encode(), "https://ledger.example/a/1", fetched_at=datetime(2026, 5, 1, tzinfo=UTC))
    return extract(page, algorithm="text_density", params={"fields": fields})


@pytest.mark.parametrize(
    ("field", "selector", "value"),
    [
        ("title", "p.kicker", "Harbour news"),
        ("date", ".changed", "2026-03-04T05:06:00+01:00"),
        ("date", "meta[name=date]", "2020-01-01"),
        ("authors", ".by", ("Mara Quill", "Tom Reed")),
        ("section", ".kicker", "Harbour news"),
        ("image", "img.lead", "https://ledger.example/a.jpg"),
        ("text", ".box p", "First line.\nSecond line."),
    ],
)
def test_a_selected_field_goes_before_what_is_found(field: str, selector: str, value: Any) -> None:
    assert getattr(article(**{field: selector}), field) == value


@pytest.mark.parametrize("selector", [".nothing", ".box"])
def test_a_selector_that_finds_no_date_changes_nothing(selector: str) -> None:
    assert article(date=selector) == article()
    assert article(date=".changed").date_source.source == "selector"


def test_a_selected_text_is_ok_where_the_algorithm_finds_none() -> None:
    found = extract(b"<p class=a>Short.</p>", algorithm="combined", params={"fields": {"text": ".a"}})
    assert (found.text, found.status, found.reason) == ("Short.", "ok", None)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"headline": "h1"}, "unknown field 'headline'; choose from: title, date"),
        ({"title": "h1:::x"}, "title is 'h1:::x'; expected a CSS selector"),
        ({"title": ""}, "title is ''; expected a CSS selector"),
        ({"title": 3}, "title is 3; expected a CSS selector"),
        ("h1", "fields is 'h1'; expected selectors by field"),
    ],
)
def test_mistakes(fields: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as error:
        extract(b"<p>x", params={"fields": fields})
    assert message in str(error.value)
    if isinstance(fields, dict) and "headline" in fields:
        path = tmp_path / "sites.toml"
        path.write_text('[[site]]\nname = "a"\nstart = ["https://a.example/"]\nfields = { headline = "h1" }\n', "utf-8")
        with pytest.raises(SiteError, match="unknown field 'headline'"):
            load_sites(path)


def test_records_have_no_selected_fields() -> None:
    with pytest.raises(ParameterError, match="finds records"):
        extract_records(b"<p>x", params={"fields": {"title": "h1"}})
