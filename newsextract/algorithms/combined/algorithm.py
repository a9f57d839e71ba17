"""The algorithm as a whole: page → blocks → probabilities → text; its parameters and presets, and its *model*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from newsextract.algorithms import check_ranges
from newsextract.algorithms.combined import choice
from newsextract.algorithms.combined.choice import (
    CANDIDATES,
    Favour,
    KindChoice,
    choose,
    confidence,
    signs,
)
from newsextract.algorithms.combined.choice import KIND_CHOICE_NAMES as CHOICE_FIGURES
from newsextract.algorithms.combined.features import BlockFeatures, block_features, names
from newsextract.algorithms.combined.foreign_prose import without_comments, without_excerpts
from newsextract.algorithms.combined.furniture import ARTICLE, stated_title, without_dialogs
from newsextract.discovery import kinds
from newsextract.discovery.kinds import KINDS, PageKind, judge_kind
from newsextract.errors import DataError
from newsextract.model_files import ModelKind, read, write
from newsextract.page.dom import Dom
from newsextract.page.page import Page
from newsextract.results import Body

# --- algorithm ------------------------------------------------------------------------------------

_SHOWN = 3_000
"""Blocks in the evidence."""


@dataclass(frozen=True, slots=True)
class CombinedParams:
    """Parameters."""

    favour: Favour = field(
        default="balance", metadata={"unit": "", "section": "ours", "range": "balance, precision, recall"}
    )
    """Which mistake to avoid where a block is uncertain: `precision` too much text, `recall` too little."""
    threshold: float = field(default=0.0, metadata={"unit": "probability", "section": "ours", "range": "0–1"})
    """Least probability of a block; 0: that of `favour` (balance 0.5, precision 0.75, recall 0.25; doubtful pages: less)."""
    second_opinion: float = field(default=0.8, metadata={"unit": "confidence", "section": "ours", "range": "0–1"})
    """Below this confidence `text_density` is also used (with `balance` only); 0: never.
    Gain: docs/measurements/combined.md, "Second opinion"."""
    by_kind: float = field(default=0.5, metadata={"unit": "probability", "section": "ours", "range": "0–1"})
    """Below this probability of an article, the page's kind decides how the text is chosen; 0: never.
    Of `balance` alone. From 0.3 to 0.8 F1 on pages of unseen sites (folds 3 and 4) moves by less than .001."""
    doubtful: float = field(default=0.4, metadata={"unit": "confidence", "section": "ours", "range": "0–1"})
    """Below this confidence the text is given with the status ``doubtful``; 0: never."""
    model: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of `newsextract train combined`. Empty: the shipped one."""
    kinds: str = field(default="", metadata={"unit": "file", "section": "ours", "range": "a path"})
    """A model of `newsextract train kinds`. Empty: the shipped one."""

    def __post_init__(self) -> None:
        check_ranges("combined", self)


DEFAULT = CombinedParams()
PRECISION = CombinedParams(favour="precision")
RECALL = CombinedParams(favour="recall")


class Combined:
    """The algorithm, ready to be called on pages.

    :raises DataError: a model file is missing, damaged or of another kind.
    """

    def __init__(self, params: CombinedParams) -> None:
        self.model = load(Path(params.model) if params.model else None)
        self.kinds = kinds.load(Path(params.kinds)) if params.kinds else None
        self.params = params

    def __call__(self, page: Page, *, evidence: bool = False) -> Body:
        """Choose the main text of a page."""
        dom = page.dom
        if not dom.texts:
            return Body("", reason="the page has no text", evidence={"blocks": []} if evidence else None)
        features = block_features(dom, stated_title(dom))
        probabilities = without_dialogs(dom, self.model.network.probabilities(features))
        kind = judge_kind(page, self.kinds) if self.kinds else page.kind
        if kind.is_article:
            probabilities = without_excerpts(page, probabilities, kind.article)
            probabilities = without_comments(dom, probabilities, kind.article)
        is_open = kind.kind is None or kind.leads_on  # a short post beside many links
        is_named = page.hints.source == "listing" or (page.hints.source == "feed" and is_open)
        made = self._choice(dom, features, probabilities, kind, is_named=is_named)
        sure = made.confidence
        chosen: list[int] = made.blocks.tolist()
        shown = _evidence(dom, probabilities, made, kind, self.params) if evidence else None
        if not chosen:
            best = float(probabilities.max())
            return Body("", reason=f"no block looks like article text (the best has {best:.2f})", evidence=shown, kind=kind)
        doubtful = sure < self.params.doubtful
        return Body(
            dom.text(chosen),
            dom.surroundings(chosen[0], chosen[-1]),
            confidence=sure,
            doubtful=doubtful,
            reason=f"the confidence is {sure:.2f}, below doubtful = {self.params.doubtful:g}" if doubtful else None,
            evidence=shown,
            blocks=tuple(chosen),
            kind=kind,
        )

    def _choice(
        self, dom: Dom, features: BlockFeatures, probabilities: NDArray[np.float64], kind: PageKind, *, is_named: bool
    ) -> _Choice:
        """The blocks of the text, and how sure that is.

        :param is_named: whether the page is known to be an article, whatever it looks like.
        """
        params, trained = self.params, self.model
        named = ARTICLE if is_named else _ruled_by(kind)
        is_plain = params.favour != "balance" or params.threshold > 0 or len(dom.texts) == 1
        others = trained.other_pages
        if others and not (is_plain or is_named) and kind.probabilities[0] < params.by_kind:
            judged = without_dialogs(dom, others.network.probabilities(features, kind.probabilities), is_article=False)
            other = "other" if named == ARTICLE else named
            texts, known = choice.candidates(dom, judged, choose(dom, probabilities, kind=other), other)
            if not texts:
                return _Choice(choose(dom, probabilities, kind=named), 0.0, "kind")
            goodness = others.choice.goodness(known, np.array(kind.probabilities))
            best = int(goodness.argmax())
            rivals = list(zip(choice.CANDIDATES, texts, goodness.tolist(), strict=True))
            return _Choice(texts[best], confidence(known[best], others.confidence), "kind", rivals, best, judged)
        chosen = choose(dom, probabilities, params.favour, params.threshold, kind=named)
        sure = confidence(signs(probabilities, dom.sizes, chosen), trained.confidence) if len(chosen) else 0.0
        own: list[_Rival] = [("article", chosen, sure)]
        if is_plain or sure >= params.second_opinion:
            return _Choice(chosen, sure, "plain", own)
        found, figures = choice.fused(dom, probabilities, chosen, named)
        if not len(found):
            return _Choice(chosen, sure, "second opinion", own)
        both = confidence(figures, trained.second_opinion)
        return _Choice(found, both, "second opinion", [*own, ("fused", found, both)], 1)


def _ruled_by(kind: PageKind) -> str:
    """The kind whose rules hold for a page; see :func:`newsextract.algorithms.combined.choice.choose`. If a page is no
    article but its kind is not decided, it is the most probable one."""
    if kind.is_article:
        return ARTICLE
    return kind.kind or max(zip(kind.probabilities[1:], KINDS[1:], strict=True))[1]


# --- evidence -------------------------------------------------------------------------------------

_RULES = {
    "plain": "the network for articles alone: it is sure enough, or no other opinion was asked for",
    "second opinion": "the network for articles, whose confidence was below second_opinion, and text_density",
    "kind": "the best text for the kind of the page: it is hardly an article (by_kind)",
}
_RIVALS = {
    "article": "network for articles", "fused": "network for articles and text_density", "dense": "text_density",
    "own": "network for other pages", "lax": "other pages from 0.2", "laxest": "other pages from 0.1",
    "dense_or_likely": "text_density and all from 0.25",
}  # fmt: skip

_Rival = tuple[str, NDArray[np.intp], float]
"""A name of :data:`_RIVALS`, its blocks, and its confidence or (of other kinds of pages) expected F1."""


@dataclass(frozen=True, slots=True, eq=False)
class _Choice:
    """The text that was chosen, and what it was chosen from."""

    blocks: NDArray[np.intp]
    confidence: float
    rule: str
    """A key of :data:`_RULES`."""
    rivals: Sequence[_Rival] = ()
    taken: int = 0
    """The rival that is the text."""
    judged: NDArray[np.float64] | None = None
    """The probabilities of the network for pages of other kinds."""


def _evidence(
    dom: Dom, probabilities: NDArray[np.float64], made: _Choice, kind: PageKind, params: CombinedParams
) -> dict[str, Any]:
    """Each block with its probability and the reason for its fate; the rivals; the kind of the page."""
    dense = choice.dense_blocks(dom)
    chosen = set(made.blocks.tolist())
    names = [name for name, _, _ in made.rivals]
    rivals = [*made.rivals, *([] if "dense" in names else [("dense", dense, None)])]
    why = _reasons(dom, probabilities, made, set(dense.tolist()), kind, params)
    blocks = []
    for i in range(min(len(dom.texts), _SHOWN)):
        block: dict[str, Any] = {"index": i, "probability": round(float(probabilities[i]), 4)}
        if made.judged is not None:
            block["probability_other_kinds"] = round(float(made.judged[i]), 4)
        blocks.append(block | {"main": i in chosen, "why": why[i], "text": dom.texts[i][:80]})
    return {
        "rule": _RULES[made.rule],
        "kind": {
            "kind": kind.kind,
            "probabilities": {name: round(share, 4) for name, share in zip(KINDS, kind.probabilities, strict=True)},
            "reasons": list(kind.reasons),
        },
        "rivals": [
            {
                "name": _RIVALS[name],
                "score": None if score is None else round(score, 4),
                "score_is": "expected F1" if made.rule == "kind" else "confidence",
                "agreement": round(choice.agreement(dom.sizes, found, made.blocks), 4),
                "taken": number == made.taken and name in names,
                "blocks": found.tolist(),
            }
            for number, (name, found, score) in enumerate(rivals)
        ],
        "blocks": blocks,
    }


def _reasons(
    dom: Dom, probabilities: NDArray[np.float64], made: _Choice, dense: set[int], kind: PageKind, params: CombinedParams
) -> list[str]:
    """Why each block is in the text or not."""
    if made.judged is not None:
        taken = set(made.blocks.tolist())
        return [
            f"{'in' if i in taken else 'not in'} the best text for this kind of page"
            + ("; text_density takes it" if i in dense else "")
            for i in range(len(dom.texts))
        ]
    seen = probabilities
    if made.taken:  # the second opinion: what text_density supports counts as sure
        own = made.rivals[0][1]
        seen = choice.raised(dom, probabilities, own, np.array(sorted(dense), dtype=np.intp), _ruled_by(kind))
    why = [f"probability {share:.2f}" for share in probabilities.tolist()]
    before: set[int] | None = None
    least = 0.0 if made.taken else params.threshold
    for reason, found in choice.steps(dom, seen, params.favour, least, kind=_ruled_by(kind)):
        now = set(found.tolist())
        if before is None:
            for i in range(len(why)):
                supported = i in now and made.taken and i not in made.rivals[0][1]
                why[i] += ", and text_density takes it, too" if supported else f"; {reason}"
        for i in now ^ before if before is not None else ():
            why[i] = f"{reason} (probability {probabilities[i]:.2f})"
        before = now
    return why


# --- model ----------------------------------------------------------------------------------------
# The network of `combined`, evaluated with numpy, and the model file that holds its weights.

# --- network --------------------------------------------------------------------------------------
# The network of `combined`, evaluated with numpy: a probability for each block of a page that it is article text.
#
# A block is judged by itself, by its neighbours, and by those that stand in the same place of the page's structure. The
# first layer reads the block's features; every further one adds what the blocks at distance d before and behind it say
# (a dilated convolution over the sequence), the mean of the blocks with the same parent element, the mean of those with
# the same tag path and classes, and the mean of the page. Several members, trained from different seeds, are evaluated
# together; the answer is their mean.
#
# A second network of the same shape is for pages that may be no article: it was trained on such pages alone, and reads the
# probabilities of the page's kinds beside the features of each block.
#
# Cost: 0.4 of a plain lxml parse for two members of width 24 and three layers.

DILATIONS = (1, 3, 9)
"""Distance d of the neighbours that each layer reads."""

Array = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer of K members of width H."""

    before: Array
    """Shape (K, H, H), as all but the bias."""
    here: Array
    behind: Array
    parent: Array
    class_path: Array
    page: Array
    bias: Array
    """Shape (K, 1, H)."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """The weights."""

    first: Array
    """Shape (features, K·H), or (features + kinds, K·H); standardising the features is part of it."""
    first_bias: Array
    """Shape (K·H,)."""
    layers: tuple[Layer, ...]
    last: Array
    """Shape (K, H, 1)."""
    last_bias: Array
    """Shape (K, 1, 1)."""

    def probabilities(self, features: BlockFeatures, kinds: Sequence[float] = ()) -> NDArray[np.float64]:
        """A probability for each block.

        :param kinds: the probabilities of the page's kinds, for the network that reads them.

        With one thread: on matrices of a page's size the threads of a BLAS library mostly wait for one another, and where
        every core has a worker they take each other's time (0.6 ms a page became 5 on two busy cores).
        """
        with _libraries().limit(limits=1, user_api="blas"):
            return self._probabilities(features, kinds)

    def _probabilities(self, features: BlockFeatures, kinds: Sequence[float]) -> NDArray[np.float64]:
        members, width, _ = self.last.shape
        blocks = len(features.matrix)
        # A row a block, the members side by side, in all arrays; those that end in _by have the members one behind another.
        own = features.matrix.shape[1]
        hidden = features.matrix @ self.first[:own]
        hidden += self.first_bias + np.asarray(kinds, dtype=np.float32) @ self.first[own:]
        np.maximum(hidden, 0, out=hidden)
        groups = _Groups(hidden, features.parents, features.class_paths)
        parents, class_paths = groups.groupings
        said = np.empty_like(groups.means)
        change, other = np.empty_like(hidden), np.empty_like(hidden)
        hidden_by, change_by, other_by, said_by, means_by = (
            array.reshape(len(array), members, width).swapaxes(0, 1) for array in (hidden, change, other, said, groups.means)
        )
        share = np.full(blocks, 1 / blocks, dtype=np.float32)
        for distance, layer in zip(DILATIONS, self.layers, strict=True):
            groups.update()
            np.matmul(means_by[:, parents.span], layer.parent, out=said_by[:, parents.span])
            np.matmul(means_by[:, class_paths.span], layer.class_path, out=said_by[:, class_paths.span])
            # Its parent adds to each block what holds for all blocks of the page.
            page = (share @ hidden).reshape(members, 1, width) @ layer.page + layer.bias
            said[parents.span] += page.reshape(-1)
            np.matmul(hidden_by, layer.here, out=change_by)
            if distance < blocks:
                np.matmul(hidden_by[:, :-distance], layer.before, out=other_by[:, distance:])
                change[distance:] += other[distance:]
                np.matmul(hidden_by[:, distance:], layer.behind, out=other_by[:, :-distance])
                change[:-distance] += other[:-distance]
            for grouping in groups.groupings:
                change += said.take(grouping.of_block, axis=0, out=other, mode="clip")  # reason: others are buffered
            np.maximum(change, 0, out=change)
            hidden += change
        odds = (hidden_by @ self.last + self.last_bias)[:, :, 0].astype(np.float64)
        result: NDArray[np.float64] = (1 / (1 + np.exp(-np.clip(odds, -50, 50)))).mean(axis=0)
        return result


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:
    """The libraries with threads of this process; finding them takes a millisecond, once."""
    return ThreadpoolController()


@dataclass(frozen=True, slots=True, eq=False)
class _Grouping:
    """One of the groupings of a page's blocks."""

    span: slice
    """Its groups, among those of all groupings."""
    of_block: NDArray[np.intp]
    """The group of each block."""


class _Groups:
    """The groups of several groupings of a page's blocks, numbered one behind the other, and the means over each."""

    def __init__(self, hidden: Array, *groupings: NDArray[np.int64]) -> None:
        blocks = len(hidden)
        orders, starts, count = [], [], 0
        self.groupings: list[_Grouping] = []
        for number, grouping in enumerate(groupings):
            order = grouping.argsort(kind="stable")
            ordered = grouping[order]
            begins = np.ones(blocks, dtype=np.bool_)
            np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
            of_block = np.empty(blocks, dtype=np.intp)
            of_block[order] = np.cumsum(begins) + (count - 1)
            orders.append(order)
            starts.append(np.flatnonzero(begins) + number * blocks)
            self.groupings.append(_Grouping(slice(count, count + len(starts[-1])), of_block))
            count += len(starts[-1])
        self.hidden = hidden
        self.order, self.starts = np.concatenate(orders), np.concatenate(starts)
        self.shares = (1 / np.diff(self.starts, append=len(self.order))).astype(np.float32)[:, None]
        self.ordered = np.empty((len(self.order), hidden.shape[1]), dtype=np.float32)
        self.means = np.empty((count, hidden.shape[1]), dtype=np.float32)
        """A row a group."""
        # reduceat costs by columns: complex numbers are two at a time.
        number_type = np.float32 if hidden.shape[1] % 2 else np.complex64
        self.summands, self.sums = self.ordered.view(number_type), self.means.view(number_type)

    def update(self) -> None:
        """Make the means those of what is hidden now."""
        self.hidden.take(self.order, axis=0, out=self.ordered, mode="clip")
        np.add.reduceat(self.summands, self.starts, axis=0, out=self.sums)
        self.means *= self.shares


def network(arrays: Mapping[str, Array], before: str = "") -> Network:
    """A network from named arrays, as a model file holds them.

    :param before: what their names begin with.
    """
    names = Layer.__slots__
    layers = tuple(Layer(**{name: arrays[f"{before}{number}.{name}"] for name in names}) for number in range(len(DILATIONS)))
    own = {name: arrays[before + name] for name in ("first", "first_bias", "last", "last_bias")}
    return Network(layers=layers, **own)


def network_shapes(last: Array, features: int) -> dict[str, tuple[int, ...]]:
    """The shapes of the arrays of a network, by name.

    :param last: one of them, which tells members and width.
    :param features: that it reads.
    """
    members, width, _ = last.shape
    shapes: dict[str, tuple[int, ...]] = {
        "first": (features, members * width),
        "first_bias": (members * width,),
        "last": (members, width, 1),
        "last_bias": (members, 1, 1),
    }
    for number in range(len(DILATIONS)):
        shapes |= {f"{number}.{part}": (members, width, width) for part in Layer.__slots__}
        shapes[f"{number}.bias"] = (members, 1, width)
    return shapes


# --- model ----------------------------------------------------------------------------------------
# The model file of `combined`: the arrays of its network, names and shapes checked (:mod:`newsextract.model_files`).

FORMAT = "newsextract combined model"
VERSION = 6
_MEND = "train one with: newsextract train combined DIR… -o model.npz"
_REQUIRED = {
    "features": list(names()),
    "dilations": list(DILATIONS),
    "candidates": list(CANDIDATES),
    "choice_figures": list(CHOICE_FIGURES),
    "kinds": list(KINDS),
}
_KIND = ModelKind(FORMAT, VERSION, "model of combined", _MEND, _REQUIRED)
CHOICE, BY_KIND = "choice.", "by_kind."
"""What the names of the arrays begin with: of the choice by kind; of the network for pages that may be no article."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherPages:
    """What pages that may be no article are judged by."""

    network: Network
    choice: KindChoice
    confidence: NDArray[np.float32]
    """Weights of :func:`newsextract.algorithms.combined.choice.confidence` for the chosen candidate."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A network and where it comes from."""

    network: Network
    confidence: NDArray[np.float32]
    """Weights of :func:`newsextract.algorithms.combined.choice.confidence` for the choice of the network alone."""
    second_opinion: NDArray[np.float32]
    """The same for the text of :func:`newsextract.algorithms.combined.choice.fused`."""
    other_pages: OtherPages | None
    """None: trained on pages of which no kind, or not every kind, is known."""
    card: Mapping[str, Any]
    """Data, folds, pages, sites, members, seed."""


@lru_cache(maxsize=4)
def load(path: Path | None = None) -> Model:
    """A model from a file, or the shipped one.

    :raises DataError: the file is missing, damaged, of another kind, version or set of features.
    """
    arrays, card = read(_KIND, path, "models/combined.npz")
    _check(arrays, str(path or "models/combined.npz"))
    others = None
    if BY_KIND + "last" in arrays:
        own = KindChoice(**{name: arrays[CHOICE + name] for name in KindChoice.shapes()})
        others = OtherPages(network(arrays, BY_KIND), own, arrays[BY_KIND + "confidence"])
    return Model(network(arrays), arrays["confidence"], arrays["second_opinion"], others, card)


def save(path: Path, arrays: Mapping[str, NDArray[np.float32]], card: Mapping[str, Any]) -> None:
    """Write a model file. The same arrays and card make the same bytes.

    :raises DataError: it cannot be written.
    """
    write(_KIND, path, arrays, card)


def _check(arrays: Mapping[str, NDArray[Any]], name: str) -> None:
    """Names, types and shapes of all arrays.

    :raises DataError: one is wrong.
    """
    shapes: dict[str, tuple[int, ...]] = {
        "confidence": (len(choice.CONFIDENCE_NAMES) + 1,),
        "second_opinion": (len(choice.SECOND_OPINION_NAMES) + 1,),
    }
    parts = {"": len(names())}
    if any(key.startswith((CHOICE, BY_KIND)) for key in arrays):
        parts[BY_KIND] = len(names()) + len(KINDS)
        shapes |= {CHOICE + key: shape for key, shape in KindChoice.shapes().items()}
        shapes[BY_KIND + "confidence"] = (len(choice.KIND_CHOICE_NAMES) + 1,)
    for before, features in parts.items():
        last = arrays.get(before + "last")
        if last is None or last.ndim != 3 or last.shape[2] != 1 or 0 in last.shape:
            raise DataError(f"{name}: the array {before}last is missing or has another shape; {_MEND}")
        shapes |= {before + key: shape for key, shape in network_shapes(last, features).items()}
    if other := sorted(arrays.keys() - shapes.keys()):
        raise DataError(f"{name}: the array {other[0]} belongs to no model of combined; {_MEND}")
    for key, shape in shapes.items():
        array = arrays.get(key)
        if array is None or array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise DataError(f"{name}: the array {key} is missing or damaged; expected {shape} finite numbers; {_MEND}")
    if CHOICE + "deviation" in shapes and (arrays[CHOICE + "deviation"] <= 0).any():
        raise DataError(f"{name}: a deviation of the choice by kind is no positive number; {_MEND}")
