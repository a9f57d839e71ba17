"""Page kinds: signs, the judgement that abstains, the model file, training, and what extraction makes of a kind."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import newsextract
from newsextract import Page
from newsextract.algorithms.combined import choice
from newsextract.algorithms.combined.choice import CANDIDATES
from newsextract.algorithms.combined.choice import KIND_CHOICE_NAMES as CHOICE_FIGURES
from newsextract.discovery import discover, kinds
from newsextract.discovery.kinds import FIGURES, KINDS, SURE, Signs, judge_kind, judged, signs
from newsextract.errors import DataError
from newsextract.lab.train_combined import ChoiceExample
from newsextract.lab.train_combined import train_kind_choice as train_choice
from newsextract.lab.train_pages import KindExample, train
from tests.examples import examples

STORY = f"""<html><head><title>The ferry left late - Harbour Ledger</title><meta property="og:type" content="article">
<meta name="author" content="Mara Lind"></head><body><nav><a href=/1>Home</a> <a href=/2>News</a></nav>
<article class="article-body"><h1>The ferry left late</h1><p class="byline">By Mara Lind, 3 May 2025</p>
{"".join(f"<p>{'The ferry to the outer islands left an hour late, because the crew was still in the hall. ' * n}</p>" for n in (3, 4, 2, 5))}
</article><footer>© 2025 Harbour Ledger</footer></body></html>"""

SHOP = f"""<html><head><title>Shop jackets - Hill Outfitters</title></head><body class="woocommerce archive">
<h1>Jackets</h1><p>Sort by price</p><select><option>Price</option></select><ul class="products">
{"".join(f'<li class="product product-card"><a href="/product/{i}"><h2>Jacket {i}</h2></a><span class=price>${i}9.00</span><button>Add to cart</button><a>Quick view</a></li>' for i in range(30))}
</ul><footer><a href=/cart>Cart</a> <a href=/returns>Shipping and returns</a></footer></body></html>"""

THREAD = f"""<html><head><title>Chain slips - Wheel forum</title></head><body class="phpbb"><h2 class="topic-title">Chain slips</h2>
{"".join(f'<div class="post" id="p{i}"><p class="author">by <a class="username" href="/u/{i}">rider{i}</a> » {i + 1} May 2025</p><div class="content">I changed the chain {i + 2} times and mine still slips, so my sprocket is worn, I think. Any ideas?</div><a href="#">Reply</a> <a href="#">Quote</a><dl class="postprofile"><dt>Posts: {i}0</dt><dd>Joined: 2019</dd></dl></div>' for i in range(8))}
<p>Who is online</p><a href="/register">Register</a></body></html>"""

URLS = {
    STORY: "https://ledger.example/news/2025/05/the-ferry-left-late-on-monday",
    SHOP: "https://outfit.example/collections/jackets",
    THREAD: "https://wheels.example/forum/viewtopic.php?t=31",
}


def page(markup: str) -> Page:
    return Page(markup.encode(), URLS.get(markup))


def test_an_article_a_shop_and_a_thread_are_told_apart() -> None:
    assert judge_kind(page(STORY)).kind == "article"
    assert judge_kind(page(STORY)).is_article
    shop, thread = judge_kind(page(SHOP)), judge_kind(page(THREAD))
    assert (shop.kind, shop.is_article) == ("collection", False)
    assert (thread.kind, thread.is_article) == ("forum", False)


def test_extraction_says_the_kind_and_loses_no_text() -> None:
    article = newsextract.extract(page(THREAD))
    assert (article.kind, article.is_article, article.status) == ("forum", False, "not_article")
    assert SURE <= article.kind_confidence <= 1
    assert article.text.count("still slips") == 8
    story = newsextract.extract(page(STORY))
    assert (story.kind, story.is_article, story.status) == ("article", True, "ok")


def test_an_algorithm_that_judges_no_kind_says_none() -> None:
    article = newsextract.extract(page(STORY), algorithm="text_density")
    assert (article.kind, article.kind_confidence, article.is_article) == (None, 0.0, None)


def test_a_listing_keeps_its_headline_and_an_article_does_not() -> None:
    assert "Jackets" in newsextract.extract(page(SHOP)).text.split("\n")
    assert "The ferry left late" not in newsextract.extract(page(STORY)).text.split("\n")


@given(st.lists(st.floats(0.001, 1), min_size=7, max_size=7), st.floats(0.05, 0.6))
def test_a_kind_is_decided_only_where_it_is_sure_and_agrees_with_being_an_article(given: list[float], least: float) -> None:
    found = judged(np.array(given) / sum(given), least, dict.fromkeys(FIGURES, 0.0))
    assert found.is_article == (given[0] / sum(given) >= least)
    if found.kind is None:
        assert found.confidence <= 1
    else:
        assert found.confidence >= SURE - 1e-4
        assert (found.kind == "article") == found.is_article


@settings(max_examples=examples(30))
@given(st.text(max_size=300), st.text(max_size=60))
def test_any_page_has_finite_signs_and_probabilities(text: str, url: str) -> None:
    found = Page.from_text(f"<title>{text}</title><p class='{text[:20]}'>x {text}</p>", url)
    if found.dom.texts:
        assert np.isfinite(signs(found).figures).all()
        assert len(signs(found).figures) == len(FIGURES)
        probabilities = judge_kind(found).probabilities
        assert sum(probabilities) == pytest.approx(1)


def test_a_bad_url_is_no_hindrance() -> None:
    assert judge_kind(Page(STORY.encode(), "http://[")).is_article


def made(seed: int = 0) -> list[KindExample]:
    """Pages whose kind one word and one figure show, on sites of all folds."""
    generator = random.Random(seed)
    examples = []
    for number in range(280):
        kind = number % 7
        figures = np.array([generator.random() for _ in FIGURES])
        figures[kind] += 3
        figures[FIGURES.index("little_prose") :] = 0
        words = frozenset({f"c:kind{kind}", f"s:word{generator.randrange(50)}"})
        examples.append(
            KindExample(f"p{number}", Signs(words, figures), kind, f"site{number}.example", number % 5, is_stated=True)
        )
    return examples


def test_training_finds_what_shows_a_kind_and_its_file_is_read_again(tmp_path: Path) -> None:
    fitted = train(made())
    assert (fitted.unseen.argmax(axis=1) == [example.kind for example in made()]).mean() > 0.95
    kinds.save(tmp_path / "kinds.npz", fitted.model, {})
    loaded = kinds.load(tmp_path / "kinds.npz")
    sample = made()[3].signs
    assert loaded.probabilities(sample) == pytest.approx(fitted.model.probabilities(sample))
    assert loaded.least_article == fitted.model.least_article


def test_training_needs_all_kinds() -> None:
    with pytest.raises(DataError, match="all seven kinds"):
        train([example for example in made() if example.kind != 3])


@pytest.mark.parametrize("name", ["words", "word_weights", "bias", "deviation"])
def test_a_damaged_model_is_rejected_with_what_to_do(tmp_path: Path, name: str) -> None:
    path = tmp_path / "kinds.npz"
    kinds.save(path, train(made()).model, {})
    with np.load(path) as data:
        arrays = {key: data[key] for key in data.files}
    arrays[name] = arrays[name][:-1] if name != "words" else arrays[name][:3]
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)
    with pytest.raises(DataError, match="train kinds"):
        kinds.load(path)


def test_the_shipped_model_knows_all_kinds() -> None:
    model = kinds.load()
    assert model.bias.shape == (len(KINDS),)
    assert 0.1 < model.least_article < 0.6


def test_a_page_with_hardly_any_text_is_no_article_and_leads_nowhere() -> None:
    found = judge_kind(Page(b"<p>Moved to another place</p>"))
    assert (found.kind, found.is_article, found.is_dead_end) == ("other", False, True)
    assert found.reasons == ("hardly any text",)


def test_a_log_in_page_is_of_no_kind_and_says_why() -> None:
    found = judge_kind(
        Page(b"<title>Sign in</title><h1>Sign in</h1><p>Please type your name and the word that you have chosen.</p>")
    )
    assert (found.kind, found.is_dead_end) == ("other", True)
    assert "title of a log-in page" in found.reasons


def test_a_page_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    monkeypatch.setattr("newsextract.discovery.kinds.judge_kind", lambda page: asked.append(page) or judge_kind(page))
    story = page(STORY)
    discover(story)
    assert newsextract.extract(story).is_article
    assert asked == [story]


def choices(seed: int = 0) -> list[ChoiceExample]:
    """Pages on whose kind it depends which of the candidates is best."""
    generator = random.Random(seed)
    examples = []
    for number in range(140):
        kind = number % 7
        figures = np.array([[generator.random() for _ in CHOICE_FIGURES] for _ in CANDIDATES])
        good = np.array([0.9 if place == kind % len(CANDIDATES) else 0.5 for place in range(len(CANDIDATES))])
        examples.append(ChoiceExample(figures, good, tuple(np.eye(7)[kind].tolist()), 1.0))
    return examples


def test_the_choice_by_kind_learns_which_candidate_is_best_for_which_kind() -> None:
    learned = train_choice(choices())
    for example in choices(seed=1)[:14]:
        found = learned.goodness(example.figures, np.array(example.kinds))
        assert example.goodness[found.argmax()] == example.goodness.max()


@settings(max_examples=examples(40))
@given(st.lists(st.floats(0, 1), min_size=5, max_size=5))
def test_no_candidate_is_empty_whatever_the_network_says(probabilities: list[float]) -> None:
    dom = page("<p>One sentence of it.</p><ul><li>A</li><li>B</li></ul><p>And a longer one, the last.</p><h2>End</h2>").dom
    judged_blocks = np.array(probabilities)
    found, figures = choice.candidates(dom, judged_blocks, np.flatnonzero(judged_blocks >= 0.5))
    assert all(len(each) for each in found)
    assert figures.shape == (len(CANDIDATES) if max(probabilities) >= 0.2 else 0, len(CHOICE_FIGURES))
    assert np.isfinite(figures).all()


def test_what_is_declared_as_an_article_is_judged_by_the_fit_alone() -> None:
    posts = "".join(
        f'<h2><a href="/note-{n}/">Note {n} of the harbour</a></h2><p>{"The boat was late. " * 20}</p>' for n in range(5)
    )
    front = f"<title>Notes</title><h1><a href=/>Notes</a></h1>{posts}"
    plain = Page(front.encode(), "https://notes.example/page/")
    declared = Page(f'<meta property="og:type" content="article">{front}'.encode(), plain.url)
    assert signs(plain).named()["teased"] == signs(declared).named()["teased"] == 1
    assert plain.kind.leads_on
    assert declared.kind.article > plain.kind.article + 0.3


def test_an_undecided_page_leads_on_only_if_it_has_links_to_more() -> None:
    undecided = np.array([0.1, 0.15, 0.15, 0.1, 0.1, 0.3, 0.1])
    figures = dict.fromkeys(FIGURES, 0.0)
    assert judged(undecided, 0.3, figures).is_dead_end
    for more in ({"headline_count": 2.0}, {"teased": 0.4}, {"archive_address": 1.0}, {"no_prose": 1.0, "link_share": 0.8}):
        found = judged(undecided, 0.3, figures | more)
        assert (found.kind, found.leads_on) == (None, True)
    assert judged(undecided, 0.3, figures | {"headline_count": 2.0, "thread_address": 1.0}).is_dead_end


def test_a_chinese_article_has_the_figures_of_its_translation() -> None:
    text = "港务局周二晚间召开会议，听取引水员关于航道疏浚情况的报告，会议历时两个小时。"
    found = signs(Page.from_text(f"<h1>港务局听取报告</h1>{f'<p>{text}</p>' * 6}")).named()
    assert found["no_prose"] == 0
    assert found["paragraphs"] == pytest.approx(np.log1p(6))
