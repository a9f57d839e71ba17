"""The frozen recipe: from data sets with truth to the arrays of a model.

1. Pages whose truth has the whole text train four *teachers*, each without a quarter of the sites.
2. Each teacher judges the quarter it has not seen. The mean of judgement and truth is what is learnt from then on: habits
   of single truths (comments in or out, captions) weigh less, what the sites have in common more.
3. The teachers judge the pages of which only segments of the text, or none, are known; their judgement, corrected by the
   segments, is the truth of these pages. They are a third of all sites.
4. Both kinds together train the members that are shipped.
5. Each teacher's choices on the quarter it has not seen, and those texts after a second opinion
   (:mod:`newsextract.algorithms.combined.choice`), compared with the truth, fit the confidences.
6. The same once more for pages that may be no article, on such pages alone, with the probabilities of a page's kinds by a
   regression that has not seen its site: teachers, members, the choice by kind and its confidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.algorithm import BY_KIND, CHOICE, DILATIONS
from newsextract.algorithms.combined.choice import (
    CANDIDATES,
    KIND_CHOICE_NAMES,
    KindChoice,
    candidates,
    choose,
    fused,
    signs,
    standardised,
)
from newsextract.algorithms.combined.features import block_features, kinds, names
from newsextract.algorithms.combined.furniture import stated_title
from newsextract.discovery.kinds import KINDS
from newsextract.errors import DataError, MissingExtra
from newsextract.lab.datasets import TruthPage, read
from newsextract.lab.report import GOOD
from newsextract.lab.train_combined_pages import (
    PAGES,
    SIZE,
    Batch,
    Example,
    Labelled,
    Labels,
    Scale,
    batches,
    columns,
    grafts,
    labels,
)
from newsextract.page.page import Page

# --- fit ------------------------------------------------------------------------------------------
# Fitting one member of the network with jax: the same computation as :mod:`newsextract.algorithms.combined.algorithm`,
# differentiable.
#
# In each epoch half of the pages are replaced by variants of theirs (:mod:`.train_combined_pages`), of which two thirds
# differ. Loss, per page: cross-entropy of the blocks, weighted by tokens over page length to the power 0.8, and one minus
# the soft F1 (Dice) of the page, so that a short page counts as much as a long one. AdamW with warm-up and cosine decay,
# dropout, a part of the features hidden on each page and the words of class and id on some (other sites have other words),
# and an exponential mean of the weights. Deterministic for a seed on one machine. The numbers were chosen on folds 1-4 in
# trials and are not critical: half or double is within two seeds.

try:
    import jax
    import jax.numpy as jnp
    import optax
except ImportError as error:
    raise MissingExtra("jax and optax", "train", "training combined") from error
try:
    from sklearn.linear_model import LogisticRegression, Ridge
except ImportError as error:
    raise MissingExtra("scikit-learn", "train", "training the choice by kind") from error

WIDTH = 24
EPOCHS = 12
_LEARNING_RATE = 3e-3
_WEIGHT_DECAY = 0.05
_DROPOUT = 0.2
HIDE_WORDS = 0.15
"""Share of the pages of which the words in class and id are hidden."""
HIDE_FEATURES = 0.7
"""On each page a share of the features between none and this is hidden, so that nothing hangs on a few of them. Word F1
on the articles of a source that is left out (wcxb): .898 without, .933 with; docs/measurements/combined.md."""
VARIANTS, CHANGED = 3, 0.5
"""Variants of each page, and share of the pages of an epoch that are replaced by one."""
_KEEP = 0.995
"""Of the exponential mean of the weights, a step."""
_PARTS = ("before", "here", "behind", "parent", "class_path", "page")

Weights = dict[str, Any]
Judgement = NDArray[np.float64]
"""A probability for each block of a page."""


def standard(examples: Sequence[Example]) -> Scale:
    """Mean and deviation of each feature."""
    matrix = np.concatenate([example.features.matrix for example in examples])
    return Scale(matrix.mean(axis=0).astype(np.float32), (matrix.std(axis=0) + np.float32(0.01)).astype(np.float32))


def fit(
    examples: Sequence[Example],
    scale: Scale,
    *,
    seed: int,
    epochs: int = EPOCHS,
    progress: Callable[[int, int], None] | None = None,
) -> Weights:
    """The weights of one member.

    :param progress: told the epochs done and in all.
    """
    random = np.random.default_rng(seed)
    others = grafts([example.page for example in examples])
    variants = [[example.changed(others, random) for _ in range(VARIANTS)] for example in examples]
    key = jax.random.PRNGKey(seed)
    weights = _initial(key, len(scale.mean))
    steps = epochs * sum(1 for _ in batches(examples, range(len(examples)), scale))
    schedule = optax.warmup_cosine_decay_schedule(0.0, _LEARNING_RATE, 50, max(steps, 51), 0.02 * _LEARNING_RATE)
    rates = iter(np.asarray(jax.vmap(schedule)(jnp.arange(steps))))
    state, smooth = _OPTIMIZER.init(weights), weights
    words = {f"{place}_{kind}" for place in ("own", "parent", "inherited") for kind in kinds()}
    hidden_words = np.array([i for i, name in enumerate(names()) if name in words])
    no_words = (-scale.mean / scale.deviation)[hidden_words]
    for epoch in range(epochs):
        seen = [
            of_page[int(random.integers(VARIANTS))] if random.random() < CHANGED else example
            for example, of_page in zip(examples, variants, strict=True)
        ]
        for batch, places in batches(seen, random.permutation(len(examples)).tolist(), scale):
            for _, first, blocks in places:
                hide(batch["features"][first : first + blocks], hidden_words, no_words, random)
            key, own = jax.random.split(key)
            weights, state, smooth = _step(weights, state, smooth, batch, own, next(rates))
        if progress:
            progress(epoch + 1, epochs)
    return smooth


def hide(
    features: NDArray[Any], words: NDArray[np.int64], no_words: NDArray[np.float32], random: np.random.Generator
) -> None:
    """Hide a part of a page's standardised features, in place: the words of class and id as if there were none, others as
    their mean.

    :param words: the columns of the words.
    :param no_words: what these read where there is no word.
    """
    if random.random() < HIDE_WORDS:
        features[:, words] = no_words
    features[:, random.random(features.shape[1]) < random.uniform(0, HIDE_FEATURES)] = 0.0


def predict(weights: Weights, examples: Sequence[Example], scale: Scale) -> list[Any]:
    """Probabilities of each example's blocks; those beyond the size of a batch get 0."""
    found = [np.zeros(len(example.features.matrix)) for example in examples]
    forward = jax.jit(_forward)
    for batch, places in batches(examples, range(len(examples)), scale):
        odds = np.asarray(forward(weights, batch), dtype=np.float64)
        for index, first, blocks in places:
            found[index][:blocks] = 1 / (1 + np.exp(-odds[first : first + blocks]))
    return found


def stacked(members: Sequence[Weights], scale: Scale) -> dict[str, NDArray[np.float32]]:
    """The arrays of a :class:`newsextract.algorithms.combined.algorithm.Network`; standardising becomes part of the first
    layer."""
    first = [np.asarray(member["first"]) / scale.deviation[:, None] for member in members]
    bias = [np.asarray(member["first_bias"]) - scale.mean @ own for member, own in zip(members, first, strict=True)]
    arrays = {"first": np.concatenate(first, axis=1), "first_bias": np.concatenate(bias)}
    for number in range(len(DILATIONS)):
        layers = [member["layers"][number] for member in members]
        for part in _PARTS:
            arrays[f"{number}.{part}"] = np.stack([np.asarray(layer[part]) for layer in layers])
        arrays[f"{number}.bias"] = np.stack([np.asarray(layer["bias"])[None] for layer in layers])
    arrays["last"] = np.stack([np.asarray(member["last"]) for member in members])
    arrays["last_bias"] = np.stack([np.asarray(member["last_bias"])[None] for member in members])
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in arrays.items()}


def _initial(key: Any, features: int) -> Weights:
    keys = iter(jax.random.split(key, 4 + len(_PARTS) * len(DILATIONS)))

    def matrix(rows: int, columns: int, fan_in: int, scale: float = 1.0) -> Any:
        return jax.random.normal(next(keys), (rows, columns)) * np.sqrt(1.6 / fan_in) * scale

    layers = [
        {
            **{part: matrix(WIDTH, WIDTH, 3 * WIDTH) for part in _PARTS[:3]},
            **{part: matrix(WIDTH, WIDTH, WIDTH, 0.5) for part in _PARTS[3:]},
            "bias": jnp.zeros(WIDTH),
        }
        for _ in DILATIONS
    ]
    return {
        "first": matrix(features, WIDTH, features),
        "first_bias": jnp.zeros(WIDTH),
        "layers": layers,
        "last": matrix(WIDTH, 1, WIDTH, 0.3),
        "last_bias": jnp.zeros(1),
    }


def _means(hidden: Any, groups: Any, count: int, valid: Any) -> Any:
    sums = jax.ops.segment_sum(hidden * valid[:, None], groups, count)
    number = jax.ops.segment_sum(valid, groups, count)
    return (sums / jnp.maximum(number, 1)[:, None])[groups]


def _forward(weights: Weights, batch: Mapping[str, Any], key: Any = None) -> Any:
    valid = batch["valid"]
    hidden = jax.nn.relu(batch["features"] @ weights["first"] + weights["first_bias"]) * valid[:, None]
    for distance, layer in zip(DILATIONS, weights["layers"], strict=True):
        change = hidden @ layer["here"] + layer["bias"]
        change += jnp.roll(hidden, distance, 0) @ layer["before"] + jnp.roll(hidden, -distance, 0) @ layer["behind"]
        change += _means(hidden, batch["groups"][0], SIZE, valid) @ layer["parent"]
        change += _means(hidden, batch["groups"][1], SIZE, valid) @ layer["class_path"]
        change += _means(hidden, batch["page"], PAGES + 1, valid) @ layer["page"]
        if key is not None:
            key, own = jax.random.split(key)
            change *= jax.random.bernoulli(own, 1 - _DROPOUT, change.shape) / (1 - _DROPOUT)
        hidden = (hidden + jax.nn.relu(change)) * valid[:, None]
    return (hidden @ weights["last"] + weights["last_bias"])[:, 0]


def _loss(weights: Weights, batch: Mapping[str, Any], key: Any) -> Any:
    odds = _forward(weights, batch, key)
    probability, wanted, tokens, true = jax.nn.sigmoid(odds), batch["wanted"], batch["tokens"], batch["true"]
    entropy = -(wanted * jax.nn.log_sigmoid(odds) + (1 - wanted) * jax.nn.log_sigmoid(-odds))

    def over_pages(values: Any) -> Any:
        return jax.ops.segment_sum(values * batch["known"], batch["page"], PAGES + 1)

    block = jnp.minimum((tokens + 0.5) / (jnp.maximum(true, 30.0) ** 0.8)[batch["page"]], 2.0)
    cross = jnp.minimum(over_pages(entropy * block), 20.0)
    found, chosen = over_pages(probability * wanted * tokens), over_pages(probability * tokens)
    dice = 1 - (2 * found + 1) / (chosen + jnp.maximum(true, 1.0) + 1)
    return ((0.105 * cross + dice) * batch["weight"]).sum() / jnp.maximum(batch["weight"].sum(), 1e-6)


_OPTIMIZER = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1.0, weight_decay=_WEIGHT_DECAY))


@jax.jit
def _step(weights: Weights, state: Any, smooth: Weights, batch: Batch, key: Any, rate: Any) -> Any:
    """The rate is an argument and not the optimizer's, so that this is compiled once for all members."""
    gradient = jax.grad(_loss)(weights, batch, key)
    updates, state = _OPTIMIZER.update(gradient, state, weights)
    weights = optax.apply_updates(weights, jax.tree.map(lambda update: rate * update, updates))
    smooth = jax.tree.map(lambda kept, new: _KEEP * kept + (1 - _KEEP) * new, smooth, weights)
    return weights, state, smooth


# --- kind choice ----------------------------------------------------------------------------------
# The regressions of :mod:`newsextract.algorithms.combined.choice`, from what the teachers say of pages that they have not
# seen.
#
# Each candidate's F1 is regressed on the probabilities of the page's kinds. Pages of sets that hold articles alone count
# half.

_STRENGTH = 10.0
"""Of the ridge."""
_KIND_SCALE, _ARTICLE_SCALE = 3.0, 0.7
"""How freely the kinds, and what differs for articles, are fitted beside the figures."""
_OTHER_WEIGHT = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceExample:
    """One page: what could be chosen, and how good each is."""

    figures: NDArray[np.float64]
    """Shape (candidates, figures)."""
    goodness: NDArray[np.float64]
    """F1 of each candidate."""
    kinds: tuple[float, ...]
    """Probabilities of the page's kinds."""
    weight: float


def choice_examples(
    unseen: Iterable[tuple[Example, Judgement]], articles: Mapping[str, Judgement]
) -> Iterator[ChoiceExample]:
    """The pages with a text.

    :param unseen: pages, and the probabilities of their blocks by a network for pages that may be no article, which has not
        seen their sites. Sources with a lower weight, whose truths often hold comments and menus, are left out.
    :param articles: page id → the same by a network for articles.
    """
    for example, probabilities in unseen:
        if example.weight == 1:
            dom = example.page.dom
            found, figures = candidates(dom, probabilities, choose(dom, articles[example.page_id]))
            if found:
                good = np.array([example.page.labels.f1(each) for each in found])
                yield ChoiceExample(figures, good, example.kinds, 1.0 if example.kind else _OTHER_WEIGHT)


def train_kind_choice(given: Sequence[ChoiceExample]) -> KindChoice:
    """Fit a regression for each candidate."""
    figures = np.array([example.figures for example in given])
    mean, deviation = figures.mean(axis=0), figures.std(axis=0) + 1e-6
    standard = standardised(figures, mean, deviation)
    kinds = np.array([example.kinds for example in given])
    weights = [example.weight for example in given]
    width = len(KINDS)
    rows: list[NDArray[np.float64]] = []
    for number in range(len(CANDIDATES)):
        own = standard[:, number]
        columns = np.concatenate((kinds * _KIND_SCALE, own, kinds[:, :1] * own * _ARTICLE_SCALE), axis=1)
        ridge = Ridge(_STRENGTH).fit(columns, [example.goodness[number] for example in given], sample_weight=weights)
        rows.append(np.append(ridge.coef_, ridge.intercept_))
    fitted = np.array(rows)
    of_kinds, own, of_articles, constant = np.split(fitted, [width, width + len(KIND_CHOICE_NAMES), -1], axis=1)
    parts = (mean, deviation, of_kinds * _KIND_SCALE, own, of_articles * _ARTICLE_SCALE, constant[:, 0])
    return KindChoice(*(part.astype(np.float32) for part in parts))


# --- recipe ---------------------------------------------------------------------------------------

TEACHERS = 4
MEMBERS = 2
JUDGEMENT = 0.5
"""Weight of the judgement against the truth. On folds 2 and 3 it does not move F1 (.9405 against .9411 with one member), but
the members differ by .001 instead of .004, and more pages are qualified (.49 against .48)."""
_UNSEEN = 0.5
"""Weight of pages of whose text the truth says nothing."""
_HABITS: Mapping[str, float] = {"cleaneval": 0.35, "dragnet": 0.35}
"""Weights of sources whose truths often hold comments, bylines and menus, too, and whose pages of 2006 and 2012 are many."""
_MAY_BE_OTHER = 0.8
"""Below this probability of an article a page trains the network for pages that may be no article."""
KIND_EPOCHS = 40
"""Of that network: its pages are few."""
_KIND_DEVIATION = 0.35
"""Of the probabilities of kinds, so that they weigh like other features."""
_LEAST_TOKENS = 20
"""Pages of which the teachers choose less are left out."""
_TOOL = "tool"
"""Truths that are the output of another tool teach that tool: their pages are left out."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how much of it is done, and how much there is."""


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What training gives."""

    arrays: dict[str, NDArray[np.float32]]
    pages: int
    judged_pages: int
    """Those that the teachers labelled."""
    sites: int


def examples(pages: Sequence[TruthPage], progress: Progress) -> Iterator[Example]:
    """The pages that can be trained on, with features and labels."""
    for done, truth in enumerate(pages, 1):
        progress("reading", done, len(pages))
        if truth.truth == _TOOL:
            continue
        page = Page(read(truth), url=truth.url)
        dom = page.dom
        if dom.texts:
            title = stated_title(dom)
            features = block_features(dom, title)
            known = labels(truth, dom.texts, title)
            weight = _HABITS.get(truth.source, 1.0) if np.isfinite(known.wanted).any() else _UNSEEN
            yield Example(
                truth.id, truth.site, truth.fold, Labelled(columns(dom), title, known), features, weight, truth.kind
            )


def train(
    given: Sequence[Example], progress: Progress, *, kinds: Mapping[str, tuple[float, ...]] | None = None, seed: int = 0
) -> Trained:
    """Both networks, their confidences, and the choice by kind.

    :param kinds: page id → probabilities of its kinds by a regression that has not seen its site. None: nothing is trained
        for pages that may be no article.
    """
    whole = [example for example in given if example.page.labels.true]
    if len({example.site for example in whole}) < TEACHERS:
        raise DataError(
            f"{len({example.site for example in whole})} sites have pages with text and a truth; training needs data sets"
            f" whose truth.jsonl gives texts, of at least {TEACHERS} sites"
        )
    scale = standard(whole)
    fitted = _fit_network(given, scale, seed, EPOCHS, progress)
    arrays = stacked(fitted.members, scale) | _confidences(fitted.unseen)
    if kinds:
        articles = {example.page_id: judgement for example, judgement in fitted.unseen}
        others = [
            replace(example, kinds=kinds[example.page_id]) for example in given if kinds[example.page_id][0] < _MAY_BE_OTHER
        ]
        arrays |= _for_other_pages(others, articles, scale, seed, progress)
    return Trained(arrays, len(whole), fitted.judged_pages, fitted.sites)


def _for_other_pages(
    others: Sequence[Example], articles: Mapping[str, Judgement], scale: Scale, seed: int, progress: Progress
) -> dict[str, NDArray[np.float32]]:
    """The network for pages that may be no article, the choice by kind, and its confidence.

    :param articles: page id → judgement by a network for articles that has not seen the site.
    """
    known = np.array([example.kinds for example in others], dtype=np.float32)
    spread = np.full(known.shape[1], _KIND_DEVIATION, dtype=np.float32)
    scale = Scale(np.concatenate((scale.mean, known.mean(axis=0))), np.concatenate((scale.deviation, spread)))
    fitted = _fit_network(others, scale, seed, KIND_EPOCHS, progress)
    chosen = list(choice_examples(fitted.unseen, articles))
    by_kind = train_kind_choice(chosen)
    best = [int(by_kind.goodness(page.figures, np.array(page.kinds)).argmax()) for page in chosen]
    confident = _regression(
        [(page.figures[own], bool(page.goodness[own] > GOOD)) for page, own in zip(chosen, best, strict=True)]
    )
    arrays = stacked(fitted.members, scale) | {"confidence": confident}
    return {BY_KIND + name: array for name, array in arrays.items()} | {
        CHOICE + name: getattr(by_kind, name) for name in KindChoice.shapes()
    }


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """A network, and what its teachers say of pages that they have not seen."""

    members: list[Weights]
    unseen: list[tuple[Example, Judgement]]
    judged_pages: int
    sites: int


def _fit_network(given: Sequence[Example], scale: Scale, seed: int, epochs: int, progress: Progress) -> _Fitted:
    """Teachers, labels for the pages with segments, members."""
    whole = [example for example in given if example.page.labels.true]
    in_part = [example for example in given if not example.page.labels.true]
    sites = sorted({example.site for example in whole})

    def member(examples: Sequence[Example], own: int, what: str) -> Weights:
        return fit(examples, scale, seed=seed + own, epochs=epochs, progress=partial(progress, what))

    judgements: list[list[Judgement]] = []
    unseen: list[tuple[Example, Judgement]] = []
    for number in range(TEACHERS):
        quarter = frozenset(sites[number::TEACHERS])
        teacher = member([e for e in whole if e.site not in quarter], number, f"teacher {number + 1} of {TEACHERS}")
        judgements.append(predict(teacher, in_part, scale))
        left_out = [example for example in whole if example.site in quarter]
        unseen += zip(left_out, predict(teacher, left_out, scale), strict=True)
    judged = list(_judged(in_part, judgements))
    everything = [*(_softened(example, judgement) for example, judgement in unseen), *judged]
    members = [member(everything, 100 + number, f"member {number + 1} of {MEMBERS}") for number in range(MEMBERS)]
    return _Fitted(members, unseen, len(judged), len({example.site for example in everything}))


def _softened(example: Example, judgement: Judgement) -> Example:
    """A page with a truth that is half a judgement."""
    known = example.page.labels
    wanted = (1 - JUDGEMENT) * known.wanted + JUDGEMENT * judgement
    return replace(example, page=replace(example.page, labels=Labels(known.tokens, wanted, known.true)))


def _judged(partial: Sequence[Example], judgements: Sequence[Sequence[Judgement]]) -> Iterator[Example]:
    """Pages with segments, the unknown blocks judged by the teachers."""
    for example, *own in zip(partial, *judgements, strict=True):
        known = example.page.labels
        wanted = np.where(np.isfinite(known.wanted), known.wanted, np.mean(own, axis=0))
        true = float((known.tokens * wanted).sum())
        if true >= _LEAST_TOKENS:
            yield replace(example, page=replace(example.page, labels=Labels(known.tokens, wanted, true)))


def _confidences(unseen: Sequence[tuple[Example, Judgement]]) -> dict[str, NDArray[np.float32]]:
    """The weights that tell how sure a choice is, before and after a second opinion.

    :raises DataError: all choices are good, or none.
    """
    chosen: list[tuple[NDArray[np.float64], bool]] = []
    both: list[tuple[NDArray[np.float64], bool]] = []
    for example, probabilities in unseen:
        dom, known = example.page.dom, example.page.labels
        blocks = choose(dom, probabilities)
        if len(blocks):
            chosen.append((signs(probabilities, dom.sizes, blocks), known.f1(blocks) > GOOD))
        blocks, figures = fused(dom, probabilities, blocks)
        if len(blocks):
            both.append((figures, known.f1(blocks) > GOOD))
    return {"confidence": _regression(chosen), "second_opinion": _regression(both)}


def _regression(rows: Sequence[tuple[NDArray[np.float64], bool]]) -> NDArray[np.float32]:
    """A weight for each figure, and a constant."""
    matrix, good = np.array([figures for figures, _ in rows]), np.array([good for _, good in rows])
    if len(set(good.tolist())) < 2:
        raise DataError("all pages are judged alike; to fit the confidence training needs more pages with text and a truth")
    middle, width = matrix.mean(axis=0), matrix.std(axis=0) + 1e-6
    regression = LogisticRegression(C=0.3, max_iter=1_000).fit((matrix - middle) / width, good)
    weights = regression.coef_[0] / width
    return np.append(weights, regression.intercept_[0] - weights @ middle).astype(np.float32)
