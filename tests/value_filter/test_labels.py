"""Labels of blocks from a page's true text."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

from newsextract.lab.datasets import TruthPage, load
from newsextract.lab.train_published import block_labels, labelled_texts
from newsextract.page.dom import read_dom

TRUE = "The old harbour bridge will be closed.\nWhy now?\nThe flood has damaged two of its pillars."
PAGE = """<title>Bridge</title><div>Home</div><div>Why now?</div><h1>Harbour bridge closed for good</h1>
<p>The old harbour bridge will be closed.<p>Share<p>Why now?<p>The flood has damaged two of its pillars.
<p>The flood has damaged the cellars of many an old house, too<div>Copyright by the Harbour Ledger</div>
<div>Why now?</div><form>The old harbour bridge in a form</form>"""


def truth(text: str = TRUE, site: str = "harbour.example", page_id: str = "a") -> TruthPage:
    return TruthPage(
        id=page_id,
        source="ours",
        url=None,
        site=site,
        lang="en",
        title="Harbour bridge closed for good",
        date=None,
        text=text,
        title_in_text=False,
        with_=None,
        without=None,
        truth="human",
        fold=0,
    )


def test_blocks_are_valuable_worthless_or_unclear() -> None:
    dom = read_dom(PAGE)
    labels = dict(zip(enumerate(dom.texts), block_labels(truth(), dom), strict=True))
    assert labels == {
        (0, "Home"): 0,
        (1, "Why now?"): None,  # short, in the truth, but before the text
        (2, "Harbour bridge closed for good"): None,  # the headline
        (3, "The old harbour bridge will be closed."): 1,
        (4, "Share"): 0,
        (5, "Why now?"): 1,  # between two valuable blocks
        (6, "The flood has damaged two of its pillars."): 1,
        (7, "The flood has damaged the cellars of many an old house, too"): None,  # some of it
        (8, "Copyright by the Harbour Ledger"): 0,
        (9, "Why now?"): None,
        (10, "The old harbour bridge in a form"): None,
    }


def test_a_page_without_blocks_has_no_labels() -> None:
    assert block_labels(truth(), read_dom("")) == []


def _write(directory: Path, *pages: tuple[TruthPage, str]) -> None:
    (directory / "pages").mkdir(parents=True)
    with (directory / "truth.jsonl").open("w") as file:
        for page, html in pages:
            row = {key: getattr(page, key) for key in ("id", "source", "site", "lang", "title", "text")}
            file.write(json.dumps(row) + "\n")
            (directory / "pages" / f"{page.id}.html.gz").write_bytes(gzip.compress(html.encode()))


def test_a_site_has_each_text_once_and_none_of_both_labels(tmp_path: Path) -> None:
    second = "<p>Home<p>Copyright by the Harbour Ledger<p>Share<p>The ferry runs again on all working days."
    other = "<p>Home<p>Why the ferry runs again on all days<p hidden>Not to be seen by anybody"
    _write(
        tmp_path / "set",
        (truth(), PAGE),
        (truth("Share\nThe ferry runs again on all working days.", page_id="b"), second),
        (truth("Why now?", "quay.example", "c"), other),
        (replace(truth(page_id="d"), text=None), "<p>No truth"),
    )
    folds = frozenset(page.fold for page in load([tmp_path / "set"]))
    told: list[tuple[int, int]] = []
    found = labelled_texts([tmp_path / "set"], folds, lambda name, done, total: told.append((done, total)))
    assert [(item.group, item.text, item.label) for item in found] == [
        ("harbour.example", "Home", 0),
        ("harbour.example", "The old harbour bridge will be closed.", 1),
        ("harbour.example", "Share", 0),
        ("harbour.example", "Why now?", 1),
        ("harbour.example", "The flood has damaged two of its pillars.", 1),
        ("harbour.example", "Copyright by the Harbour Ledger", 0),
        ("harbour.example", "The ferry runs again on all working days.", 1),
        ("quay.example", "Home", 0),
        ("quay.example", "Why the ferry runs again on all days", 0),
    ]
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert labelled_texts([tmp_path / "set"], frozenset(), lambda name, done, total: None) == []
