"""Naive Bayes alone: the comparator of Wang & Cao 2016."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from newsextract import Page, algorithms, extract
from newsextract.algorithms.value_filter import NaiveBayes, NaiveBayesParams, ScriptPart, ValueFilter
from newsextract.errors import DataError, ParameterError

FIRST = "The old harbour bridge will be closed for three years, the mayor said on Tuesday after a meeting of the council."
SECOND = "Engineers had found that the flood of last winter damaged two of its pillars, and nobody knows who will pay."
PAGE = f"""<title>Harbour bridge closed</title><ul><li><a href=/>Home</a><li><a href=/s>Subscribe</a></ul>
<h2>Harbour bridge closed</h2><p>{FIRST}</p><div>Read more</div><p>{SECOND}</p>
<p hidden>{FIRST} {SECOND}</p><div>Copyright 2020 Harbour Ledger. All rights reserved.</div>"""


def test_valuable_blocks_are_the_text_wherever_they_stand() -> None:
    body = NaiveBayes(NaiveBayesParams())(Page.from_text(PAGE))
    assert body.text == f"{FIRST}\n{SECOND}"
    assert body.surroundings.headings[0].text == "Harbour bridge closed"
    assert 0 < body.confidence <= 1
    assert body.reason is None
    assert body.evidence is None
    article = extract(Page.from_text(PAGE), algorithm="naive_bayes")
    assert article.title == "Harbour bridge closed"
    assert article.text == body.text


def test_evidence_has_every_block_that_was_judged() -> None:
    evidence = NaiveBayes(NaiveBayesParams())(Page.from_text(PAGE), evidence=True).evidence
    assert json.loads(json.dumps(evidence, allow_nan=False)) == evidence
    assert evidence is not None
    shown = {block["text"][:12]: (block["worthless"] > 0, block["main"]) for block in evidence["blocks"]}
    assert shown["The old harb"] == (False, True)
    assert shown["Copyright 20"] == (True, False)
    assert len(evidence["blocks"]) == 7  # without the hidden one


def test_the_threshold_is_in_log_odds() -> None:
    everything = NaiveBayes(NaiveBayesParams(threshold=1000.0))(Page.from_text(PAGE))
    assert everything.text.startswith("Home\nSubscribe\nHarbour bridge closed\nThe old")
    assert everything.text.endswith("reserved.")
    nothing = NaiveBayes(NaiveBayesParams(threshold=-1000.0))(Page.from_text(PAGE), evidence=True)
    assert nothing.text == ""
    assert nothing.reason == "the value filter finds every block worthless"
    assert nothing.evidence is not None
    assert len(nothing.evidence["blocks"]) == 7


@pytest.mark.parametrize("page", ["", "<p></p>", "<script>alert('no text')</script>"])
def test_a_page_without_text(page: str) -> None:
    body = NaiveBayes(NaiveBayesParams())(Page.from_text(page), evidence=True)
    assert body.text == ""
    assert body.reason == "the page has no text"
    assert body.evidence == {"blocks": []}


def test_a_model_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    counts = np.array([[0], [9]], dtype=np.int64)
    part = ScriptPart(("subscribe",), counts, np.array([9, 9], dtype=np.int64), np.array([0.5, 0.5]))
    ValueFilter({}, {"other": part}, marks=False).save(path)
    params = algorithms.make_params("naive_bayes", {"model": str(path)})
    assert NaiveBayes(params)(Page.from_text(PAGE)).text == "Subscribe"
    chinese = Page.from_text("<p>市长周二表示，由于洪水造成的破坏，旧港大桥将关闭三年，工程师们正在寻找解决办法。")
    assert NaiveBayes(params)(chinese).text.startswith("市长")  # a language that the model does not know is left alone


def test_mistakes(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="threshold is 2000"):
        NaiveBayesParams(threshold=2000)
    with pytest.raises(ParameterError, match="threshold is nan"):
        NaiveBayesParams(threshold=float("nan"))
    with pytest.raises(DataError, match="cannot read the value filter"):
        algorithms.make("naive_bayes", {"model": str(tmp_path / "none.json")})
