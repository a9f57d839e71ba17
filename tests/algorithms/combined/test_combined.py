"""``combined``: features, network, model file, and what it does with pages."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsextract import Page, extract
from newsextract.algorithms import make_params, page_segmentation
from newsextract.algorithms.combined import Combined, CombinedParams, algorithm, choice
from newsextract.algorithms.combined.algorithm import DILATIONS, network
from newsextract.algorithms.combined.choice import CONFIDENCE_NAMES as SIGNS
from newsextract.algorithms.combined.choice import KIND_CHOICE_NAMES as OTHER
from newsextract.algorithms.combined.choice import SECOND_OPINION_NAMES as SECOND
from newsextract.algorithms.combined.choice import KindChoice
from newsextract.algorithms.combined.features import NAMES as GROUP_NAMES
from newsextract.algorithms.combined.features import (
    TEXT_NAMES,
    block_features,
    element_columns,
    group_features,
    kinds,
    names,
    text_features,
)
from newsextract.discovery.kinds import KINDS
from newsextract.errors import DataError, ParameterError
from newsextract.page.dom import read_dom
from tests.examples import examples

SENTENCE = "The ferry to the outer islands left an hour late on Monday, because the crew was still in the village hall. "
DAYS = ("On Tuesday", "On Wednesday", "On Thursday", "On Friday", "On Saturday", "On Sunday")
STORY = f"""<html><head><title>The ferry left late - Harbour Ledger</title></head><body>
<div class="nav"><ul><li><a href=/1>Home</a></li><li><a href=/2>News</a></li><li><a href=/3>Sport</a></li></ul></div>
<div class="article-body"><h1>The ferry left late</h1>
{"".join(f"<p>{SENTENCE * n}{day} it was late again.</p>" for n, day in zip((2, 3, 1, 2, 4, 2), DAYS, strict=True))}
</div>
<div class="related"><h3>More news</h3><ul><li><a href=/4>Fog in the harbour</a></li><li><a href=/5>A new bell</a></li></ul></div>
<div id="footer"><p>Copyright Harbour Ledger. All rights reserved.</p></div>
</body></html>"""


def row(markup: str, block: int = 0) -> dict[str, float]:
    """The text features of one block."""
    dom = read_dom(markup)
    counts, linked, links = (np.array(column, dtype=np.float64) for column in (dom.counts, dom.link_counts, dom.links))
    return dict(zip(TEXT_NAMES, text_features(dom.characters, counts, linked, links)[block].tolist(), strict=True))


def test_text_features_by_hand():
    found = row("<body><p>Two, three. Four! <a href=/x>Five</a></p></body>")
    assert found["length"] == pytest.approx(np.log1p(15))
    assert found["link_length"] == pytest.approx(np.log1p(4))
    assert found["link_share"] == pytest.approx(4 / 20)
    assert found["words"] == pytest.approx(np.log1p(4))
    assert found["commas"] == pytest.approx(np.log1p(1))
    assert found["sentences"] == pytest.approx(np.log1p(2))
    assert (found["begins_upper"], found["begins_lower"], found["ends_sentence"]) == (1, 0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("年初，渔民出海。", {"ends_sentence": 1, "east_asian_page": 1, "commas": np.log1p(1), "sentences": np.log1p(1)}),
        ("© 2026 Ledger", {"copyright": 1, "digits": 1.0}),
        ("Date: in 7 days", {"early_colon": 1, "begins_upper": 1, "digits": 1 / 16 * 5}),
        ("x" * 50 + ": y", {"early_colon": 0, "begins_lower": 1}),
        ("one<br>two | three", {"lines": np.log1p(1), "bars": np.log1p(1)}),
        ("😀 far beyond the basic plane", {"begins_upper": 0}),
    ],
)
def test_text_features(text: str, expected: dict[str, float]):
    found = row(f"<body><p>{text}</p></body>")
    for name, value in expected.items():
        assert found[name] == pytest.approx(value)


def test_element_columns_pass_words_down_and_number_paths():
    dom = read_dom("<body><div class='comment-list'><p>a</p><p class=x>b</p></div><div hidden><p>c</p></div></body>")
    columns = element_columns(dom)
    comment = 1 << kinds().index("comment")
    paragraphs = [i for i, tag in enumerate(dom.tags) if tag == "p"]
    numbers = columns.class_paths[paragraphs].tolist()
    assert [bool(columns.paths.inherited[number] & comment) for number in numbers] == [True, True, False]
    assert [bool(columns.paths.own[number] & comment) for number in numbers] == [False, False, False]
    assert len({columns.paths.tag_paths[number] for number in numbers}) == 1
    assert len(set(numbers)) == 3
    assert columns.hidden[paragraphs].tolist() == [False, False, True]


def test_group_features_by_hand():
    group = np.array([0, 1, 0])
    counts, totals = np.array([30.0, 10, 50]), np.array([30.0, 20, 50])
    found = group_features(group[None], counts, totals, np.zeros(3), np.array([1.0, 0, 3]))
    columns = dict(zip(GROUP_NAMES, found.T.tolist(), strict=True))
    assert columns["share"] == pytest.approx([80 / 91, 10 / 91, 80 / 91])
    assert columns["own"] == pytest.approx([30 / 81, 10 / 11, 50 / 81])
    assert columns["dense"] == pytest.approx([2 / 3, 1, 2 / 3])
    assert columns["within"] == pytest.approx([0, 0, 1])
    assert columns["weight"] == pytest.approx([4 / 5, 0, 4 / 5])


def test_the_headline_is_found():
    dom = read_dom(STORY)
    matrix = block_features(dom, "The ferry left late").matrix
    is_headline = matrix[:, names().index("headline_is")]
    assert dom.texts[int(is_headline.argmax())] == "The ferry left late"
    assert is_headline.sum() == 1


@settings(max_examples=examples(80))
@given(
    st.lists(
        st.sampled_from(
            ["<div class=a>", "</div>", "<p>", "<a href=x>", "</a>", "word. ", "正文，", "<h1>", "<table><td>", "&#x10FFFF;"]
        ),
        max_size=80,
    ),
    st.text(max_size=20),
)
def test_features_are_finite_and_of_one_shape(parts: list[str], title: str):
    dom = read_dom("".join(parts))
    if dom.texts:
        matrix = block_features(dom, title).matrix
        assert matrix.shape == (len(dom.texts), len(names()))
        assert matrix.dtype == np.float32
        assert np.isfinite(matrix).all()


def arrays(members: int = 2, width: int = 4, seed: int = 1) -> dict[str, np.ndarray]:
    """A small network of random weights."""
    random = np.random.default_rng(seed)

    def some(*shape: int) -> np.ndarray:
        return random.normal(0, 0.3, shape).astype(np.float32)

    found = {"first": some(len(names()), members * width), "first_bias": some(members * width)}
    for number in range(len(DILATIONS)):
        for part in ("before", "here", "behind", "parent", "class_path", "page"):
            found[f"{number}.{part}"] = some(members, width, width)
        found[f"{number}.bias"] = some(members, 1, width)
    found |= {"last": some(members, width, 1), "last_bias": some(members, 1, 1)}
    return found | {"confidence": some(len(SIGNS) + 1), "second_opinion": some(len(SECOND) + 1)}


def test_the_network_is_what_its_formula_says():
    """Against the same computation written out block by block."""
    features = block_features(read_dom(STORY), "The ferry left late")
    given_arrays = arrays(members=1)
    w = {name: array[0] if array.ndim == 3 else array for name, array in given_arrays.items()}
    hidden = np.maximum(features.matrix @ w["first"] + w["first_bias"], 0)
    for number, distance in enumerate(DILATIONS):
        new = hidden.copy()
        for i in range(len(hidden)):
            change = hidden[i] @ w[f"{number}.here"] + w[f"{number}.bias"][0] + hidden.mean(0) @ w[f"{number}.page"]
            if i >= distance:
                change += hidden[i - distance] @ w[f"{number}.before"]
            if i + distance < len(hidden):
                change += hidden[i + distance] @ w[f"{number}.behind"]
            change += hidden[features.parents == features.parents[i]].mean(0) @ w[f"{number}.parent"]
            change += hidden[features.class_paths == features.class_paths[i]].mean(0) @ w[f"{number}.class_path"]
            new[i] += np.maximum(change, 0)
        hidden = new
    expected = 1 / (1 + np.exp(-(hidden @ w["last"] + w["last_bias"])[:, 0]))
    assert network(given_arrays).probabilities(features) == pytest.approx(expected, abs=1e-5)


def test_members_are_averaged():
    features = block_features(read_dom(STORY), "")
    first, second = (network(arrays(members=1, seed=seed)) for seed in (1, 2))
    one, two = arrays(1, seed=1), arrays(1, seed=2)
    both = {n: np.concatenate([one[n], two[n]], axis=1 if n == "first" else 0) for n in one}
    expected = (first.probabilities(features) + second.probabilities(features)) / 2
    assert network(both).probabilities(features) == pytest.approx(expected, abs=1e-6)


def test_one_block_is_enough():
    probabilities = network(arrays()).probabilities(block_features(read_dom("<p>x</p>"), ""))
    assert probabilities.shape == (1,)


def test_a_model_is_read_back_and_always_the_same_bytes(tmp_path: Path):
    given_arrays = arrays()
    for name in ("a.npz", "b.npz"):
        algorithm.save(tmp_path / name, given_arrays, {"pages": 3})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    read = algorithm.load(tmp_path / "a.npz")
    assert read.card["pages"] == 3
    features = block_features(read_dom(STORY), "")
    assert read.network.probabilities(features).tolist() == network(given_arrays).probabilities(features).tolist()


def damaged(kind: str) -> dict[str, np.ndarray]:
    found = arrays()
    if kind == "lacks":
        del found["1.parent"]
    elif kind == "shape":
        found["last_bias"] = np.zeros((3, 1, 1), np.float32)
    elif kind == "nan":
        found["0.here"] = np.full_like(found["0.here"], np.nan)
    elif kind == "more":
        found["3.here"] = found["0.here"]
    elif kind == "type":
        found["first"] = found["first"].astype(np.float64)
    elif kind == "choice":
        found |= for_other_pages(1.0)
        del found["choice.article"]
    elif kind == "kinds":
        found |= for_other_pages(1.0)
        found["by_kind.first"] = found["first"]
    elif kind == "deviation":
        found |= for_other_pages(0.0)
    return found


def for_other_pages(value: float) -> dict[str, np.ndarray]:
    """The arrays of the network for pages that may be no article, all of one value."""
    own = arrays()
    shapes = algorithm.network_shapes(own["last"], len(names()) + len(KINDS)) | {"confidence": (len(OTHER) + 1,)}
    found = {algorithm.BY_KIND + name: np.full(shape, value, np.float32) for name, shape in shapes.items()}
    return found | {
        algorithm.CHOICE + name: np.full(shape, value, np.float32) for name, shape in KindChoice.shapes().items()
    }


def test_a_model_without_the_network_for_other_pages_chooses_nothing_by_kind(tmp_path: Path):
    algorithm.save(tmp_path / "a.npz", arrays(), {})
    assert algorithm.load(tmp_path / "a.npz").other_pages is None
    algorithm.save(tmp_path / "b.npz", arrays() | for_other_pages(1.0), {})
    others = algorithm.load(tmp_path / "b.npz").other_pages
    assert others is not None
    assert others.network.first.shape[0] == len(names()) + len(KINDS)


def test_a_model_for_other_distances_is_told(tmp_path: Path):
    path = tmp_path / "model.npz"
    algorithm.save(path, arrays(), {"dilations": [1, 2, 4]})
    with pytest.raises(DataError, match="made for other dilations"):
        algorithm.load(path)


def test_every_feature_has_a_name_of_its_own():
    assert len(set(names())) == len(names())


@pytest.mark.parametrize("kind", ["lacks", "more", "shape", "nan", "type", "choice", "kinds", "deviation"])
def test_a_damaged_model_is_told(tmp_path: Path, kind: str):
    path = tmp_path / "model.npz"
    algorithm.save(path, damaged(kind), {})
    with pytest.raises(DataError, match="train one with: newsextract train combined") as caught:
        algorithm.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("card", "message"),
    [({"version": 9}, "version 9"), ({"format": "other"}, "lacks the format"), ({"features": ["x"]}, "other features")],
)
def test_a_foreign_model_is_told(tmp_path: Path, card: dict[str, object], message: str):
    path = tmp_path / "model.npz"
    algorithm.save(path, arrays(), card)
    with pytest.raises(DataError, match=message):
        algorithm.load(path)


def test_flipped_bytes_are_told_or_harmless(tmp_path: Path):
    path = tmp_path / "model.npz"
    algorithm.save(path, arrays(), {})
    whole, random = path.read_bytes(), np.random.default_rng(1)
    for number in range(60):
        damaged_bytes = bytearray(whole)
        for place in random.integers(0, len(whole), 20):
            damaged_bytes[place] ^= 0x55
        broken = tmp_path / f"{number}.npz"
        broken.write_bytes(bytes(damaged_bytes))
        with pytest.raises(DataError, match="train one with"):
            algorithm.load(broken)


@pytest.mark.parametrize("shape", ["(10000000000000000,)", f"({'9' * 40},)", "(-1,)", "none"])
def test_arrays_that_cannot_be_are_told(shape: str, tmp_path: Path):
    path = tmp_path / "model.npz"
    algorithm.save(path, arrays(), {})
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.npy", b"\x93NUMPY\x01\0\x76\0" + header.encode() if shape != "none" else b"no array")
    with pytest.raises(DataError, match="not a model of combined"):
        algorithm.load(path)


def test_no_members_and_a_bomb_are_told(tmp_path: Path):
    path = tmp_path / "none.npz"
    algorithm.save(path, arrays(members=0), {})
    with pytest.raises(DataError, match="array last"):
        algorithm.load(path)
    bomb = tmp_path / "bomb.npz"
    algorithm.save(bomb, {**arrays(), "extra": np.zeros(10_000_000, np.float32)}, {})
    with pytest.raises(DataError, match="too large"):
        algorithm.load(bomb)


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04 torn", b"\x93NUMPY\x01\x00"])
def test_what_is_no_model_is_told(tmp_path: Path, content: bytes):
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a model of combined"):
        algorithm.load(path)
    with pytest.raises(DataError, match="expected a model of combined"):
        algorithm.load(tmp_path / "none.npz")


def test_objects_are_never_unpickled(tmp_path: Path):
    path = tmp_path / "model.npz"
    np.savez(path, card=np.array([{"format": algorithm.FORMAT}], dtype=object))
    with pytest.raises(DataError, match="not a model of combined"):
        algorithm.load(path)


def test_a_story():
    article = extract(STORY, algorithm="combined", evidence=True)
    assert article.text.count("ferry to the outer islands") == 14
    assert "Copyright" not in article.text
    assert "Fog in the harbour" not in article.text
    assert article.confidence > 0.8
    assert json.dumps(article.evidence)


SHIPPED = algorithm.load()


class Odds:
    """A network that gives what it is told."""

    def __init__(self, *probabilities: float) -> None:
        self.given = np.array(probabilities)

    def probabilities(self, features: object) -> np.ndarray:
        return self.given


def told(*probabilities: float) -> algorithm.Model:
    confidences = np.zeros(len(SIGNS) + 1, np.float32), np.zeros(len(SECOND) + 1, np.float32)
    return algorithm.Model(Odds(*probabilities), *confidences, SHIPPED.other_pages, {})


@settings(max_examples=examples(60))
@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_a_stricter_setting_never_chooses_more(probabilities: list[float]):
    page = Page(b"<p>One sentence of it.</p><p>Another, a longer one, of it.</p><p>Short.</p><p>And one more sentence.</p>")
    chosen = []
    for favour in ("precision", "balance", "recall"):
        algorithm = Combined(CombinedParams(favour=favour, second_opinion=0.0, by_kind=0.0))
        algorithm.model = told(*probabilities)
        chosen.append(set(algorithm(page).blocks or ()))
    assert chosen[0] <= chosen[1] <= chosen[2]


def test_a_threshold_of_ones_own_is_kept():
    page = Page(b"<p>One sentence of it.</p><p>Another, a longer one, of it.</p>")
    algorithm = Combined(CombinedParams(favour="recall", threshold=0.99))
    algorithm.model = told(0.98, 0.5)
    assert algorithm(page).text == ""


SECTIONS = "".join(
    f"<section><p>{f'Ferry {i} left the harbour two days late, with a band on board. ' * 4}</p></section>" for i in range(4)
)


def sure_of(*probabilities: float, agreement: float) -> algorithm.Model:
    """A model that is sure of no choice of its own, and of others the more, the more they agree with text_density."""
    one, two = np.zeros(len(SIGNS) + 1, np.float32), np.zeros(len(SECOND) + 1, np.float32)
    one[-1], two[SECOND.index("agreement")], two[-1] = -9, agreement, -agreement / 2
    return algorithm.Model(Odds(*probabilities), one, two, None, {})


def test_where_it_is_unsure_it_takes_the_text_that_another_algorithm_finds_too():
    page = Page(f"<body>{SECTIONS}<footer><p>Imprint</footer></body>".encode())
    algorithm = Combined(CombinedParams())
    algorithm.model = sure_of(0.9, 0.1, 0.1, 0.1, 0.0, agreement=8.0)
    body = algorithm(page)
    assert body.text.count("two days late") == 16
    assert "Imprint" not in body.text
    assert not body.doubtful
    assert body.confidence > 0.9


def test_a_block_that_text_density_takes_needs_less_probability():
    dom = Page(f"<body>{SECTIONS}<footer><p>Imprint</footer></body>".encode()).dom
    found, figures = choice.fused(dom, np.array([0.9, 0.2, 0.05, 0.01, 0.3]), np.array([0]))
    assert found.tolist() == [0, 1, 2], "not the footer, which text_density leaves out"
    assert figures.shape == (len(SECOND),)


def test_a_block_that_page_segmentation_leaves_out_needs_more_of_it():
    motto = f"<section><h3>{'The ferry left the harbour two days late, with a band on board. ' * 8}</h3></section>"
    dom = Page(f"<body><main>{SECTIONS}</main><div>{motto}{motto}</div></body>".encode()).dom
    assert page_segmentation.PageSegmentation(page_segmentation.DEFAULT).blocks(dom).tolist() == [4, 5]
    found = choice.supported(dom, np.array([0.2, 0.05, 0.05, 0.01, 0.05, 0.01]), np.array([0, 1, 3, 4, 5]))
    assert found.tolist() == [0, 4]


def test_two_opinions_that_both_find_nothing_give_no_text_and_no_figures():
    dom = Page(b"<body><ul><li><a href=/a>One</a><li><a href=/b>Two</a></ul></body>").dom
    found, figures = choice.fused(dom, np.array([0.1, 0.01]), np.array([], dtype=np.intp))
    assert (found.tolist(), figures.tolist()) == ([], [])


def test_a_second_opinion_can_be_switched_off_and_a_text_that_is_unsure_is_doubtful():
    page = Page(f"<body>{SECTIONS}<footer><p>Imprint</footer></body>".encode())
    algorithm = Combined(CombinedParams(second_opinion=0.0, by_kind=0.0))
    algorithm.model = sure_of(0.9, 0.1, 0.1, 0.1, 0.0, agreement=8.0)
    body = algorithm(page)
    assert body.text.count("two days late") == 4
    assert body.doubtful
    assert body.reason.startswith("the confidence is 0.00, below doubtful = 0.4")
    algorithm.params = CombinedParams(second_opinion=0.0, by_kind=0.0, doubtful=0.0)
    assert not algorithm(page).doubtful


POSTS = "".join(
    f"<div class=post><p class=author><a class=username href=/u/{i}>rider{i}</a> » {i + 1} May 2025</p>"
    f"<div class=content>I changed the chain {i + 2} times and mine still slips, so the sprocket is worn. Any ideas?</div>"
    f"<a href=#>Reply</a></div>"
    for i in range(8)
)


def test_of_a_thread_more_is_text_than_the_blocks_that_look_like_an_article():
    page = Page(
        f"<title>Chain slips - Wheel forum</title><body class=phpbb>{POSTS}".encode(), "https://w.example/forum/t/31"
    )
    algorithm = Combined(CombinedParams(second_opinion=0.0))
    of_post = {True: 0.3, False: 0.05}
    algorithm.model = told(*(0.9 if i == 1 else of_post["still slips" in text] for i, text in enumerate(page.dom.texts)))
    body = algorithm(page)
    assert body.kind is not None
    assert not body.kind.is_article
    assert body.text.count("still slips") == 8
    algorithm.params = CombinedParams(second_opinion=0.0, by_kind=0.0)
    assert algorithm(page).text.count("still slips") == 1


def test_a_doubtful_text_is_given_with_its_status():
    article = extract(STORY, algorithm="combined", params={"doubtful": 1.0})
    assert article.status == "doubtful"
    assert "below doubtful = 1" in article.reason
    assert article.text.count("ferry to the outer islands") == 14


def test_a_page_of_links_has_no_article():
    links = "".join(f"<li><a href=/{i}>Item {i}</a></li>" for i in range(40))
    article = extract(f"<html><body><ul>{links}</ul></body></html>", algorithm="combined")
    assert article.status == "empty"
    assert "no block looks like article text" in article.reason


def test_bad_parameters():
    with pytest.raises(ParameterError, match="doubtful is 1\\.5; expected 0–1"):
        make_params("combined", {"doubtful": 1.5})
    with pytest.raises(ParameterError, match="threshold is 2"):
        make_params("combined", {"threshold": 2.0})
    with pytest.raises(ParameterError, match="favour"):
        make_params("combined", {"favour": "speed"})


def test_the_shipped_model_has_a_card():
    card = algorithm.load().card
    assert card["data"]
    assert card["pages"] > 1000


def test_the_first_lines_of_other_stories_are_left_out_where_all_of_them_are_doubtful():
    story = "<p>" + "The ferry left the harbour two days late. " * 3 + "</p>"
    dom = Page(f"{story}<h2>Related stories</h2>{story}{story}".encode()).dom
    assert [dom.texts[i][:7] for i in range(4)] == ["The fer", "Related", "The fer", "The fer"]

    def kept(*probabilities: float) -> list[int]:
        judged = np.array(probabilities)
        return choice.without_other_stories(dom, judged, np.flatnonzero(judged >= 0.5)).tolist()

    assert kept(0.94, 0.01, 0.66, 0.52) == [0]
    assert kept(0.94, 0.01, 0.95, 0.52) == [0, 2, 3], "one of them is sure"
    assert kept(0.7, 0.01, 0.66, 0.52) == [0, 2, 3], "none is surer before"
    assert choice.choose(dom, np.array([0.94, 0.01, 0.66, 0.52])).tolist() == [0]
