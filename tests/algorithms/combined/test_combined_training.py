"""Training `combined`: labels, batches, the recipe, the command."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from newsextract.algorithms.combined import algorithm
from newsextract.algorithms.combined.algorithm import network
from newsextract.algorithms.combined.choice import candidates, choose
from newsextract.algorithms.combined.features import block_features
from newsextract.cli import main
from newsextract.discovery.kinds import KINDS
from newsextract.errors import DataError
from newsextract.lab import train_combined
from newsextract.lab.datasets import load
from newsextract.lab.train_combined_pages import Example, Labelled, Labels, Scale, batches, columns, labels
from newsextract.page.dom import read_dom

LINES = [f"Boat number {n} came into the harbour at {n} o'clock with its nets full of small herring." for n in range(1, 9)]


def truth(tmp_path: Path, **fields: object):
    """A truth page, read from a file as all are."""
    (tmp_path / "truth.jsonl").write_text(json.dumps({"id": "p", "source": "s", "site": "x.example", **fields}) + "\n")
    return load([tmp_path])[0]


def test_labels_from_a_text(tmp_path: Path):
    page = truth(tmp_path, text="\n".join(LINES[:3]))
    found = labels(page, ["Home", *LINES[:3], LINES[5], "Home"], "")
    assert (found.wanted > 0.5).tolist() == [False, True, True, True, False, False]
    assert found.true > 40


def test_a_text_that_stands_twice_is_wanted_where_the_article_is(tmp_path: Path):
    page = truth(tmp_path, text="\n".join(LINES[:4]))
    teaser_far_away = [LINES[0], *[f"Menu entry {n} of many" for n in range(30)], *LINES[:4]]
    assert np.flatnonzero(labels(page, teaser_far_away, "").wanted > 0.5).tolist() == [31, 32, 33, 34]


def test_a_short_block_inside_the_text_is_wanted(tmp_path: Path):
    page = truth(tmp_path, text="\n".join([LINES[0], "At sea", LINES[1]]))
    assert (labels(page, ["At sea", *["menu"] * 6, LINES[0], "At sea", LINES[1]], "").wanted > 0.5).tolist()[-3:] == [
        True
    ] * 3
    assert not labels(page, ["At sea", *["menu"] * 6, LINES[0], "At sea", LINES[1]], "").wanted[0]


def test_short_blocks_that_are_lines_of_the_truth_or_lie_in_its_grams_are_wanted(tmp_path: Path):
    """The cells of a table: words of a menu that happen to be the same are not wanted."""
    page = truth(tmp_path, text="\n".join([LINES[0], "Weight", "9 kg", "Made of oak", "Made in Ghent"]))
    blocks = [
        "Weight",
        "Home",
        *["menu"] * 9,
        LINES[0],
        *["picture"] * 6,
        "Weight",
        "9 kg",
        "Made of",
        "oak",
        "Made in Ghent",
        "Oak",
    ]
    wanted = labels(page, blocks, "").wanted > 0.5
    assert [blocks[i] for i in np.flatnonzero(wanted)] == [LINES[0], "Weight", "9 kg", "Made of", "oak", "Made in Ghent"]
    assert not wanted[0]


def test_segments_label_the_blocks_that_hold_them(tmp_path: Path):
    page = truth(tmp_path, **{"with": [LINES[0][:30]], "without": ["Menu"]})
    found = labels(page, [LINES[0], LINES[1], "Menu"], "").wanted
    assert found[0] == 1
    assert np.isnan(found[1])
    assert found[2] == 0


def test_the_headline_is_no_text(tmp_path: Path):
    page = truth(tmp_path, text="\n".join(["Herring is back in town", *LINES[:2]]), title="Herring is back in town")
    for title in ("", "Herring is back in town", "Herring is back in town | The Harbour Post"):
        assert labels(page, ["HERRING is back!", *LINES[:2]], title).wanted.tolist() == [0, 1, 1]
    page = truth(tmp_path, text="\n".join(["Herring is back in town", *LINES[:2]]))
    assert (
        labels(page, ["Herring is back in town at last", *LINES[:2]], "Herring is back in town at last - News").wanted[0]
        == 0
    )
    assert labels(page, ["Herring is back in town", *LINES[:2]], "Nothing new").wanted[0] == 1


def example(number: int, lines: int = 6) -> Example:
    """A page with a story between menus."""
    story = "".join(f"<p>{LINES[(number + i) % 8]}</p>" for i in range(lines))
    menu = "".join(f"<li><a href=/{i}>Part {i}</a></li>" for i in range(number % 5 + 3))
    dom = read_dom(f"<body><ul class=menu>{menu}</ul><div class=c{number % 3}>{story}</div><ul>{menu}</ul></body>")
    wanted = np.array([float("Boat" in text) for text in dom.texts])
    tokens = np.array([float(len(text.split())) for text in dom.texts])
    known = Labels(tokens, wanted, float((tokens * wanted).sum()))
    page = Labelled(columns(dom), "", known)
    return Example(f"p{number}", f"s{number}.example", number % 5, page, block_features(dom, ""))


def test_the_text_is_chosen_from_the_columns_that_training_keeps():
    caption = "<div><img src=/1.jpg>The harbour.</div>"
    card = "<a href=/2><h4>The lighthouse</h4><p>It is dark.</p></a>"
    dom = read_dom(f"<h1>Boats</h1><p>{LINES[0]}</p>{caption}{card}<p>{LINES[1]}</p><h1>Ferries</h1><p>{LINES[2]}</p>")
    kept = columns(dom)
    assert not kept.nodes
    assert choose(kept, np.ones(len(kept.texts))).size > choose(dom, np.ones(len(dom.texts))).size > 2


def test_batches_hold_every_page_once_and_keep_them_apart():
    examples = [example(n) for n in range(70)]
    scale = train_combined.standard(examples)
    seen = []
    for batch, places in batches(examples, range(70), scale):
        seen += [index for index, _, _ in places]
        for index, first, blocks in places:
            span = slice(first, first + blocks)
            assert batch["valid"][span].all()
            assert not batch["valid"][first + blocks]
            assert batch["wanted"][span].tolist() == examples[index].page.labels.wanted.tolist()
    assert seen == list(range(70))


@pytest.mark.slow
def test_a_fitted_member_tells_story_from_menu_and_numpy_agrees_with_jax():
    examples = [example(n) for n in range(40)]
    scale = train_combined.standard(examples)
    weights = train_combined.fit(examples, scale, seed=1, epochs=60)
    again = train_combined.fit(examples, scale, seed=1, epochs=60)
    judged = train_combined.predict(weights, examples, scale)
    right = np.concatenate([(p > 0.5) == (e.page.labels.wanted > 0.5) for p, e in zip(judged, examples, strict=True)])
    assert right.mean() > 0.95
    found = network(train_combined.stacked([weights], scale))
    for own, one in zip(judged, examples, strict=True):
        assert found.probabilities(one.features) == pytest.approx(own, abs=1e-3)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(*(train_combined.stacked([w], scale).values() for w in (weights, again)), strict=True)
    )


def test_on_each_page_other_features_are_hidden_the_same_ones_for_all_its_blocks():
    random = np.random.default_rng(0)
    words, shares, seen = np.array([0, 1]), [], set()
    for _ in range(60):
        page = np.ones((5, 200), dtype=np.float32)
        train_combined.hide(page, words, np.array([-2.0, -2.0], dtype=np.float32), random)
        assert (page == page[0]).all()
        assert set(np.unique(page[:, 2:])) <= {0.0, 1.0}
        shares.append((page[0, 2:] == 0).mean())
        seen.add(page.tobytes())
    assert len(seen) == 60
    assert min(shares) < 0.1
    assert 0.55 < max(shares) < 0.8


def test_what_the_teachers_say_of_each_kind_of_page_makes_the_choice_by_kind():
    unseen = []
    for number in range(140):
        kind = KINDS[number % 7]
        one = replace(example(number), kind=kind, kinds=tuple(np.eye(7)[number % 7].tolist()))
        probabilities = one.page.labels.wanted * (
            0.8 if kind == "article" else 0.3
        )  # of other kinds all stays below one half
        unseen.append((one, probabilities))
    articles = {one.page_id: np.zeros(len(probabilities)) for one, probabilities in unseen}
    learned = train_combined.train_kind_choice(list(train_combined.choice_examples(unseen, articles)))
    for one, probabilities in unseen[:14]:
        found, figures = candidates(one.page.dom, probabilities, np.array([], dtype=np.intp))
        best = learned.goodness(figures, np.array(one.kinds)).argmax()
        assert one.page.labels.f1(found[best]) == 1.0
    habits = [(replace(one, weight=0.35), probabilities) for one, probabilities in unseen]
    assert list(train_combined.choice_examples(habits, articles)) == []


def test_a_network_that_reads_kinds_is_the_same_in_numpy_and_jax():
    others = (0.0,) * (len(KINDS) - 2)
    examples = [replace(example(n), kinds=(0.1 * (n % 5), 1 - 0.1 * (n % 5), *others)) for n in range(12)]
    scale = train_combined.standard(examples)
    scale = Scale(*(np.append(array, np.full(len(KINDS), 0.3, np.float32)) for array in scale))
    weights = train_combined.fit(examples, scale, seed=1, epochs=1)
    found = network(train_combined.stacked([weights], scale))
    judged = train_combined.predict(weights, examples, scale)
    for own, one in zip(judged, examples, strict=True):
        assert found.probabilities(one.features, one.kinds) == pytest.approx(own, abs=1e-3)
    assert not np.allclose(found.probabilities(examples[0].features, (9.0, -9.0, *others)), judged[0])


def test_the_recipe_needs_whole_texts_of_some_sites():
    whole = example(1)
    known = whole.page.labels
    unknown = replace(whole.page, labels=Labels(known.tokens, np.full_like(known.wanted, np.nan), 0.0))
    with pytest.raises(DataError, match=r"^0 sites have pages with text and a truth"):
        train_combined.train([replace(whole, page=unknown)], lambda what, done, total: None)
    with pytest.raises(DataError, match=r"^1 sites .* at least 4"):
        train_combined.train([whole, whole], lambda what, done, total: None)


@pytest.mark.slow
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(train_combined, "EPOCHS", 2)
    monkeypatch.setattr(train_combined.fit, "__kwdefaults__", {**train_combined.fit.__kwdefaults__, "epochs": 2})
    (tmp_path / "pages").mkdir()
    rows = []
    for n in range(8):
        body = "".join(f"<p>{LINES[(n + i) % 8]}</p>" for i in range(4))
        (tmp_path / "pages" / f"p{n}.html.gz").write_bytes(gzip.compress(f"<body><p>Menu</p>{body}</body>".encode()))
        row = {"id": f"p{n}", "source": "t" if n in (4, 7) else "s", "site": f"s{n % 7}.example"}
        row |= {"text": "\n".join(LINES[(n + i) % 8] for i in range(4))} if n < 6 else {"with": [LINES[n][:20]]}
        if n == 5:
            row["text"] = "Nothing of what the truth of this page says stands on it, so that every choice is wrong."
        rows.append(json.dumps(row))
    (tmp_path / "truth.jsonl").write_text("\n".join(rows))
    output = tmp_path / "model.npz"
    assert main(["train", "combined", str(tmp_path), "--exclude-source", "t", "-o", str(output)]) == 0
    assert "judged_pages" in capsys.readouterr().out
    card = algorithm.load(output).card
    assert card["sources"] == ["s"]
    assert card["pages"] == 4, "neither p4 nor p0, whose site has a page of the source that is left out"
    assert main(["train", "combined", str(tmp_path), "--exclude-source", "u", "-o", str(output)]) != 0
    assert "no page comes from the source 'u'; choose from: s, t" in capsys.readouterr().err


@pytest.mark.slow
def test_with_pages_of_all_kinds_a_network_for_other_pages_is_trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(train_combined, "EPOCHS", 1)
    monkeypatch.setattr(train_combined, "KIND_EPOCHS", 1)
    (tmp_path / "pages").mkdir()
    rows = []
    for n in range(140):
        kind, first = KINDS[n % 7], n % 5
        story = "".join(f"<p>{LINES[(n + i) % 8]}</p>" for i in range(first + 2))
        markup = f"<body class={kind}><ul class=menu><li>Home</li></ul><div class={kind}-body>{story}</div></body>"
        (tmp_path / "pages" / f"p{n}.html.gz").write_bytes(gzip.compress(markup.encode()))
        text = LINES[n % 8] if n % 3 else "\n".join(LINES[(n + i) % 8] for i in range(first + 2))
        rows.append(json.dumps({"id": f"p{n}", "source": "s", "site": f"s{n}.example", "kind": kind, "text": text}))
    (tmp_path / "truth.jsonl").write_text("\n".join(rows))
    output = tmp_path / "model.npz"
    assert main(["train", "combined", str(tmp_path), "-o", str(output)]) == 0
    others = algorithm.load(output).other_pages
    assert others is not None
    assert np.isfinite(others.network.probabilities(example(1).features, tuple(np.eye(7)[3]))).all()
