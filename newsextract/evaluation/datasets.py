"""Pages with truth, predictions, and the one split of the project.

A data set is a directory with ``truth.jsonl`` (a JSON object a page) and ``pages/<id>.html.gz`` (the bytes
as they were served). Sites are split, not pages, because two pages of one site share their template:
``fold`` 0 is kept for the final measurement, folds 1–4 are for looking, tuning and training.

Cost: reading the truth of 2,146 pages takes 0.2 s; pages are read one at a time, when asked for.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import md5
from pathlib import Path
from typing import Any, Literal

from newsextract.errors import DataError

FOLDS = 5
TEST_FOLD = 0
"""The fold of which nobody looks at single pages."""

FoldName = Literal["train", "test", "all"]
"""``train``: folds 1–4. ``test``: fold 0."""


@dataclass(frozen=True, slots=True)
class TruthPage:
    """What an extractor should return for one page; None where the source does not say."""

    id: str
    source: str
    """Key of the collection that the page comes from."""
    url: str | None
    site: str
    """Registered domain; decides the fold."""
    lang: str
    """ISO 639-1, ``?`` when unknown."""
    title: str | None
    date: str | None
    """Publication day, ``yyyy-mm-dd``."""
    text: str | None
    """The whole body."""
    title_in_text: bool
    """``text`` begins with the headline."""
    with_: tuple[str, ...] | None
    """Segments that must be in the extracted text."""
    without: tuple[str, ...] | None
    """Segments that must not be in it."""
    truth: str
    """How the truth was made: ``human``, ``segments``, ``date``, ``selectors``, ``parser`` or ``tool``."""
    fold: int
    """0–4, see :func:`fold`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What an extractor returned for one page, and what it cost."""

    id: str
    text: str = ""
    title: str | None = None
    date: str | None = None
    """ISO 8601; only the day is compared."""
    authors: tuple[str, ...] = ()
    language: str | None = None
    status: str | None = None
    confidence: float | None = None
    """0–1."""
    reason: str | None = None
    extract_seconds: float | None = None
    """CPU seconds of the whole extraction."""
    body_seconds: float | None = None
    """CPU seconds of the algorithm's body alone, decoding included; measured on some pages only."""
    lxml_seconds: float | None = None
    """CPU seconds of a plain ``lxml.html.fromstring`` of the same bytes, in the same run: the yardstick."""


def fold(site: str) -> int:
    """The fold (0–4) of a site. Every part of the project splits data with this function."""
    return int(md5(site.encode(), usedforsecurity=False).hexdigest(), 16) % FOLDS


def in_fold(page: TruthPage, name: FoldName) -> bool:
    """Whether a page belongs to ``train`` (folds 1–4), ``test`` (fold 0) or ``all``."""
    return name == "all" or (page.fold == TEST_FOLD) == (name == "test")


def select(pages: Iterable[TruthPage], name: FoldName = "all", limit: int | None = None) -> list[TruthPage]:
    """The pages of a fold, at most ``limit`` of them, in their order.

    A limit takes pages by the hash of their id, so that a small selection is spread over all sources and a
    larger one contains the smaller.
    """
    chosen = [page for page in pages if in_fold(page, name)]
    if limit is None or limit >= len(chosen):
        return chosen
    kept = set(sorted((page.id for page in chosen), key=_hash)[:limit])
    return [page for page in chosen if page.id in kept]


def load_articles(directory: Path) -> list[TruthPage]:
    """The truth of a data set of article pages, in file order.

    :raises DataError: the directory or its truth.jsonl is missing, empty or malformed.
    """
    if not directory.is_dir():
        raise DataError(f"no such directory: {directory}; give a data set, a directory that holds truth.jsonl and pages/")
    path = directory / "truth.jsonl"
    if not path.is_file():
        raise DataError(f"{directory} holds no truth.jsonl; a data set needs one JSON object a page there")
    pages: list[TruthPage] = []
    seen: set[str] = set()
    for where, row in _rows(path):
        page = _truth_page(row, where)
        if page.id in seen:
            raise DataError(f"{where}: the id {page.id!r} occurs twice; each page needs an id of its own")
        seen.add(page.id)
        pages.append(page)
    if not pages:
        raise DataError(f"{path} is empty; expected one JSON object a page")
    return pages


def read_page(directory: Path, page_id: str) -> bytes:
    """A page's bytes as they were served.

    :raises DataError: the file is missing or is not gzip.
    """
    path = directory / "pages" / f"{page_id}.html.gz"
    try:
        return gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"page file missing: {path}; truth.jsonl names it, so restore it or drop its line") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"cannot read {path}: {error}; expected one gzip file a page") from error


def load_predictions(path: Path) -> dict[str, Prediction]:
    """Predictions by page id from JSON lines ``{"id", "text", "title", "date", …}``; all but ``id`` optional.

    :raises DataError: the file is missing or a line is malformed.
    """
    predictions: dict[str, Prediction] = {}
    for where, row in _rows(path):
        prediction = Prediction(
            id=_required(row, "id", where),
            text=_optional(row, "text", where) or "",
            title=_optional(row, "title", where),
            date=_optional(row, "date", where),
            authors=_strings(row, "authors", where) or (),
            language=_optional(row, "language", where),
            status=_optional(row, "status", where),
            reason=_optional(row, "reason", where),
            confidence=_number(row, "confidence", where),
            extract_seconds=_number(row, "extract_seconds", where),
            body_seconds=_number(row, "body_seconds", where),
            lxml_seconds=_number(row, "lxml_seconds", where),
        )
        if prediction.id in predictions:
            raise DataError(f"{where}: a second prediction for the page {prediction.id!r}; keep one a page")
        predictions[prediction.id] = prediction
    return predictions


def save_predictions(path: Path, predictions: Sequence[Prediction]) -> None:
    """Write predictions so that :func:`load_predictions` gives them back.

    :raises DataError: the file cannot be written.
    """
    try:
        with path.open("w", encoding="ascii") as file:
            # ASCII escapes, because extracted text may hold lone surrogates, which UTF-8 cannot hold.
            file.writelines(json.dumps(asdict(prediction)) + "\n" for prediction in predictions)
    except OSError as error:
        raise DataError(f"cannot write predictions: {error}") from error


def _hash(page_id: str) -> str:
    return md5(page_id.encode(), usedforsecurity=False).hexdigest()


def _truth_page(row: dict[str, Any], where: str) -> TruthPage:
    site = _required(row, "site", where)
    title_in_text = row.get("title_in_text", False)
    if not isinstance(title_in_text, bool):
        raise DataError(f"{where}: 'title_in_text' must be true or false, got {title_in_text!r}")
    return TruthPage(
        id=_required(row, "id", where),
        source=_required(row, "source", where),
        url=_optional(row, "url", where),
        site=site,
        lang=_optional(row, "lang", where) or "?",
        title=_optional(row, "title", where),
        date=_optional(row, "date", where),
        text=_optional(row, "text", where),
        title_in_text=title_in_text,
        with_=_strings(row, "with", where),
        without=_strings(row, "without", where),
        truth=_optional(row, "truth", where) or "",
        fold=fold(site),
    )


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON lines file, each with "file, line n" for messages."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                where = f"{path}, line {number}"
                try:
                    row = json.loads(line)
                except ValueError as error:
                    raise DataError(f"{where}: not JSON ({error}); expected one object a line") from None
                if not isinstance(row, dict):
                    raise DataError(f"{where}: expected a JSON object, got {type(row).__name__}")
                yield where, row
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}; give an existing JSON lines file") from error


def _required(row: dict[str, Any], key: str, where: str) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value:
        raise DataError(f"{where}: {key!r} must be a non-empty string, got {_shown(value)}")
    return value


def _optional(row: dict[str, Any], key: str, where: str) -> str | None:
    value = row.get(key)
    if value is None or isinstance(value, str):
        return value
    raise DataError(f"{where}: {key!r} must be a string or null, got {_shown(value)}")


def _strings(row: dict[str, Any], key: str, where: str) -> tuple[str, ...] | None:
    value = row.get(key)
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise DataError(f"{where}: {key!r} must be a list of strings or null, got {_shown(value)}")


def _number(row: dict[str, Any], key: str, where: str) -> float | None:
    value = row.get(key)
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    raise DataError(f"{where}: {key!r} must be a number or null, got {_shown(value)}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
