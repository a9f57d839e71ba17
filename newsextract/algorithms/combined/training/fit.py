"""Fitting one member of the network with jax: the same computation as :mod:`..network`, differentiable.

In each epoch half of the pages are replaced by variants of theirs (:mod:`.variants`), of which two thirds differ. Loss, per
page: cross-entropy of the blocks, weighted by tokens over page length to the power 0.8, and one minus the soft F1 (Dice) of
the page, so that a short page counts as much as a long one. AdamW with warm-up and cosine decay, dropout, a part of the
features hidden on each page and the words of class and id on some (other sites have other words), and an exponential mean
of the weights. Deterministic for a seed on one machine. The numbers were chosen on folds 1-4 in trials and are not critical:
half or double is within two seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms.combined.element_features import kinds
from newsextract.algorithms.combined.features import names
from newsextract.algorithms.combined.network import DILATIONS
from newsextract.algorithms.combined.training.batches import PAGES, SIZE, Batch, Example, batches
from newsextract.algorithms.combined.training.variants import grafts
from newsextract.errors import MissingExtra

try:
    import jax
    import jax.numpy as jnp
    import optax
except ImportError as error:
    raise MissingExtra("jax and optax", "train", "training combined") from error

WIDTH = 24
EPOCHS = 12
_LEARNING_RATE = 3e-3
_WEIGHT_DECAY = 0.05
_DROPOUT = 0.2
HIDE_WORDS = 0.15
"""Share of the pages of which the words in class and id are hidden."""
HIDE_FEATURES = 0.7
"""On each page a share of the features between none and this is hidden, so that nothing hangs on a few of them. Word F1
on the articles of a source that is left out (wcxb): .898 without, .933 with; docs/combined.md."""
VARIANTS, CHANGED = 3, 0.5
"""Variants of each page, and share of the pages of an epoch that are replaced by one."""
_KEEP = 0.995
"""Of the exponential mean of the weights, a step."""
_PARTS = ("before", "here", "behind", "parent", "class_path", "page")

Weights = dict[str, Any]


def standard(examples: Sequence[Example]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and deviation of each feature."""
    matrix = np.concatenate([example.features.matrix for example in examples])
    return matrix.mean(axis=0).astype(np.float32), (matrix.std(axis=0) + np.float32(0.01)).astype(np.float32)


def fit(
    examples: Sequence[Example],
    mean: NDArray[np.float32],
    deviation: NDArray[np.float32],
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
    weights = _initial(key, len(mean))
    steps = epochs * sum(1 for _ in batches(examples, range(len(examples)), mean, deviation))
    schedule = optax.warmup_cosine_decay_schedule(0.0, _LEARNING_RATE, 50, max(steps, 51), 0.02 * _LEARNING_RATE)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=_WEIGHT_DECAY))
    state, smooth = optimizer.init(weights), weights
    hidden_words = _word_columns()
    no_words = (-mean / deviation)[hidden_words]
    step = _step(optimizer)
    for epoch in range(epochs):
        seen = [
            of_page[int(random.integers(VARIANTS))] if random.random() < CHANGED else example
            for example, of_page in zip(examples, variants, strict=True)
        ]
        for batch, places in batches(seen, random.permutation(len(examples)).tolist(), mean, deviation):
            for _, first, blocks in places:
                hide(batch["features"][first : first + blocks], hidden_words, no_words, random)
            key, own = jax.random.split(key)
            weights, state, smooth = step(weights, state, smooth, batch, own)
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


def predict(
    weights: Weights, examples: Sequence[Example], mean: NDArray[np.float32], deviation: NDArray[np.float32]
) -> list[Any]:
    """Probabilities of each example's blocks; those beyond the size of a batch get 0."""
    found = [np.zeros(len(example.features.matrix)) for example in examples]
    forward = jax.jit(_forward)
    for batch, places in batches(examples, range(len(examples)), mean, deviation):
        odds = np.asarray(forward(weights, batch), dtype=np.float64)
        for index, first, blocks in places:
            found[index][:blocks] = 1 / (1 + np.exp(-odds[first : first + blocks]))
    return found


def stacked(
    members: Sequence[Weights], mean: NDArray[np.float32], deviation: NDArray[np.float32]
) -> dict[str, NDArray[np.float32]]:
    """The arrays of a :class:`..network.Network`; standardising becomes part of the first layer."""
    first = [np.asarray(member["first"]) / deviation[:, None] for member in members]
    bias = [np.asarray(member["first_bias"]) - mean @ own for member, own in zip(members, first, strict=True)]
    arrays = {"first": np.concatenate(first, axis=1), "first_bias": np.concatenate(bias)}
    for number in range(len(DILATIONS)):
        layers = [member["layers"][number] for member in members]
        for part in _PARTS:
            arrays[f"{number}.{part}"] = np.stack([np.asarray(layer[part]) for layer in layers])
        arrays[f"{number}.bias"] = np.stack([np.asarray(layer["bias"])[None] for layer in layers])
    arrays["last"] = np.stack([np.asarray(member["last"]) for member in members])
    arrays["last_bias"] = np.stack([np.asarray(member["last_bias"])[None] for member in members])
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in arrays.items()}


def _word_columns() -> NDArray[np.int64]:
    words = {f"{place}_{kind}" for place in ("own", "parent", "inherited") for kind in kinds()}
    return np.array([i for i, name in enumerate(names()) if name in words])


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


def _step(optimizer: Any) -> Any:
    @jax.jit
    def step(weights: Weights, state: Any, smooth: Weights, batch: Batch, key: Any) -> Any:
        gradient = jax.grad(_loss)(weights, batch, key)
        updates, state = optimizer.update(gradient, state, weights)
        weights = optax.apply_updates(weights, updates)
        smooth = jax.tree.map(lambda kept, new: _KEEP * kept + (1 - _KEEP) * new, smooth, weights)
        return weights, state, smooth

    return step
