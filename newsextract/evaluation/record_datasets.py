"""Pages of many records with their truth, and what was extracted from them.

A data set is a directory with ``truth.jsonl`` (a JSON object a page: ``id``, ``source``, ``kind``, ``url``, ``site``,
``lang``, ``records``) and ``pages/<id>/index.html``. A true record has ``text``, ``fields`` (by column, "" where it has
none) and ``located``, false where its text does not stand on the page, so that nobody can find it. Rows without records
(threads of which only the whole text is known) are left out.

Cost: reading the truth of 450 pages takes 0.1 s; pages are read one at a time, when asked for.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from newsextract.errors import DataError
from newsextract.evaluation import json_lines
from newsextract.evaluation.datasets import fold

ALIGNED = frozenset({"testbed"})
"""Sources whose ``fields`` are columns: the same place, the same meaning in all records of a page."""


@dataclass(frozen=True, slots=True)
class TrueRecord:
    """A record as a person would name it."""

    text: str
    fields: tuple[str, ...] = ()
    """By column, "" where it has none; empty where nothing is known of them."""


@dataclass(frozen=True, slots=True)
class RecordTruth:
    """What an extractor should return for one page."""

    id: str
    source: str
    """Key of the collection that the page comes from."""
    kind: str
    """``search``, ``forum`` or ``list``."""
    url: str | None
    site: str
    """Registered domain; decides the fold."""
    lang: str
    """ISO 639-1, ``?`` when unknown."""
    fold: int
    """0–4, see :func:`newsextract.evaluation.datasets.fold`."""
    records: tuple[TrueRecord, ...]
    """Those that stand on the page."""
    file: Path | None = None
    """Where the page's bytes are."""


@dataclass(frozen=True, slots=True)
class PredictedRecord:
    """A record as it was extracted."""

    text: str
    """Its visible text nodes joined by blanks."""
    items: tuple[tuple[str, str], ...] = ()
    """Column label and text of each data item, in document order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPrediction:
    """What an extractor returned for one page, and what it cost."""

    id: str
    records: tuple[PredictedRecord, ...] = ()
    status: str | None = None
    confidence: float | None = None
    """0–1."""
    reason: str | None = None
    seconds: float | None = None
    """CPU seconds from the page's bytes, or from its snapshot, to records with items."""
    lxml_seconds: float | None = None
    """CPU seconds of a plain ``lxml.html.fromstring`` of the page's bytes, in the same run: the yardstick."""
    rendered: bool | None = None
    """Whether there was a snapshot of the page."""


def load(directory: Path) -> list[RecordTruth]:
    """The pages of a data set that have record truth, in file order.

    :raises DataError: the directory or its truth.jsonl is missing, malformed or without records.
    """
    path = directory / "truth.jsonl"
    if not path.is_file():
        raise DataError(f"{directory} holds no truth.jsonl; give a data set: a directory with truth.jsonl and pages/")
    pages: dict[str, RecordTruth] = {}
    for where, row in json_lines.rows(path):
        page_id = json_lines.required(row, "id", where)
        if page_id in pages:
            raise DataError(f"{where}: the id {page_id!r} occurs twice; each page needs an id of its own")
        if row.get("records"):
            pages[page_id] = _page(page_id, row, where, directory)
    if not pages:
        raise DataError(f"{path} holds no row with 'records'; for article pages: evaluate articles")
    return list(pages.values())


def load_predictions(path: Path) -> dict[str, RecordPrediction]:
    """Predictions by page id from JSON lines ``{"id", "records": [{"text", "items": [{"label", "text"}]}], …}``.

    All but ``id`` and the records' ``text`` is optional.

    :raises DataError: the file is missing or a line is malformed.
    """
    predictions: dict[str, RecordPrediction] = {}
    for where, row in json_lines.rows(path):
        page_id = json_lines.required(row, "id", where)
        if page_id in predictions:
            raise DataError(f"{where}: a second prediction for the page {page_id!r}; keep one a page")
        rendered = row.get("rendered")
        if rendered is not None and not isinstance(rendered, bool):
            raise DataError(f"{where}: 'rendered' must be true, false or null, got {rendered!r}")
        predictions[page_id] = RecordPrediction(
            id=page_id,
            records=tuple(_predicted(record, where) for record in json_lines.objects(row, "records", where)),
            status=json_lines.optional(row, "status", where),
            confidence=json_lines.number(row, "confidence", where),
            reason=json_lines.optional(row, "reason", where),
            seconds=json_lines.number(row, "seconds", where),
            lxml_seconds=json_lines.number(row, "lxml_seconds", where),
            rendered=rendered,
        )
    return predictions


def save_predictions(path: Path, predictions: Sequence[RecordPrediction]) -> None:
    """Write predictions so that :func:`load_predictions` gives them back.

    :raises DataError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="ascii") as file:
            # ASCII escapes, because extracted text may hold lone surrogates, which UTF-8 cannot hold.
            file.writelines(json.dumps(_as_row(prediction)) + "\n" for prediction in predictions)
    except OSError as error:
        raise DataError(f"cannot write predictions: {error}") from error


def _as_row(prediction: RecordPrediction) -> dict[str, Any]:
    records = [
        {"text": record.text, "items": [{"label": label, "text": text} for label, text in record.items]}
        for record in prediction.records
    ]
    return {**asdict(prediction), "records": records}


def _page(page_id: str, row: json_lines.Row, where: str, directory: Path) -> RecordTruth:
    site = json_lines.required(row, "site", where)
    records = [_true(record, where) for record in json_lines.objects(row, "records", where) if record.get("located", True)]
    return RecordTruth(
        id=page_id,
        source=json_lines.required(row, "source", where),
        kind=json_lines.required(row, "kind", where),
        url=json_lines.optional(row, "url", where),
        site=site,
        lang=json_lines.optional(row, "lang", where) or "?",
        fold=fold(site),
        records=tuple(records),
        file=directory / "pages" / page_id / "index.html",
    )


def _true(record: json_lines.Row, where: str) -> TrueRecord:
    return TrueRecord(_text(record, where), json_lines.strings(record, "fields", where) or ())


def _predicted(record: json_lines.Row, where: str) -> PredictedRecord:
    items = json_lines.objects(record, "items", where) if record.get("items") is not None else []
    labelled = [(json_lines.required(item, "label", where), _text(item, where)) for item in items]
    return PredictedRecord(_text(record, where), tuple(labelled))


def _text(row: json_lines.Row, where: str) -> str:
    text = row.get("text")
    if not isinstance(text, str):
        raise DataError(f"{where}: each of 'records' and 'items' needs a 'text', a string; got {text!r:.60}")
    return text
