"""Which blocks are chosen: those of at least a probability that depends on what the user favours, and on the page; with the
code, tables, lists and headings between them, without promotions, and without repeated texts. Wherever a text is asked
for (crawl, training, benchmarks), it is chosen here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from newsextract.algorithms import page_segmentation, text_density
from newsextract.algorithms.combined.furniture import (
    ARTICLE,
    SAID,
    SURE,
    dialogs,
    related_stories,
    without_asides,
    without_buttons,
    without_captions,
    without_footers_above,
    without_links_around,
    without_marked,
    without_next_stories,
    without_other_products,
    without_preface,
)
from newsextract.algorithms.combined.parts import (
    is_anchor,
    is_language,
    numbers_lines,
    with_alike,
    with_code,
    with_ending,
    with_headline,
    with_last_list,
    with_pairs,
    with_parts,
    with_sentences,
)
from newsextract.algorithms.combined.phrases import begins_with_word, block_phrases, phrase_names
from newsextract.discovery.kinds import KINDS
from newsextract.model_files import data_table
from newsextract.page.dom import Dom

# --- choice ---------------------------------------------------------------------------------------

Favour = Literal["balance", "precision", "recall"]

_HOPELESS = 0.2
"""Where the best block has less, the page has no article."""
_BALANCE, _PRECISION, _RECALL = 0.5, 0.75, 0.25
_PROMOTIONS = ("begins_more", "begins_advert")
_BEFORE = (
    "begins_byline", "begins_dated", "begins_share", "begins_comments", "begins_credit", "begins_advert",
    "begins_navigation",
)  # fmt: skip
_BEHIND = (*_BEFORE, "begins_more", "begins_subscribe", "begins_legal")
_OTHER_STORIES = ("begins_more",)
_BELOW_ARTICLES = (*_OTHER_STORIES, "begins_comments")
_HEADING = 60
"""Characters of a heading above other stories, at most."""
_SENTENCE_ENDS = ".!?…。！？"
_CLOSING = "\"'”’»)]）」』"
_LEAST_SENTENCE = 20
"""Characters of a sentence that begins like a promotion ("Read more about it in our guide."), at least."""
_LEARN_MORE = re.compile(r"\W*(?:learn|find out) more\b", re.IGNORECASE)
_MORE = re.compile(r"\W*MORE ?: ")
"""How British papers begin a link to another story."""
_LABELLED = re.compile(r"\W*\w+(?:\W\w+){0,2}\s*[:：|–—\]»>]")
"""How a promotion begins that names a story behind its label: "Read more: …"."""
_REPEATED = 100
"""Characters, at least, of a block of which only the first copy is chosen."""
_REPEATED_SHORT = {"forum": 40, "product": 4}
"""The same on pages of some kinds."""
_CELLS = frozenset(("td", "th", "dt", "dd"))
"""On products their values may be alike: "yes"."""
_OFFER = 40
"""Characters of what is offered beside an entry, at most."""
_PRODUCT = "product"
_LISTS = ("listing", "collection")
_HEADLINED = ("service", "product", "listing")
"""Kinds of pages whose headline is part of the text: on the folds 1-4 of wcxb of 98 of 153 that have one above it."""
_OF_ENTRIES, _OFFERED = (*_LISTS, "product"), 3
"""Kinds of pages on which entries stand side by side; how often something is offered beside them, at least."""
_AROUND_OFFER = " .…»›→▼+"
_BEGINNING, _TIMES, _TICKER = 8, 8, 6
"""Characters that a ticker begins with, how often it repeats its words, at least, and how many it has, at most."""
_PROMOTION, _EDGE, _MOST_EDGE = 150, 100, 3
"""Characters of "read more: …", at most; characters and number of the blocks at the two ends that may be furniture."""
_CUT, _LEAST_CUT = ("...", "…", "…]", "...]"), 40
"""How an excerpt of the text ends that stands above it, and its characters, at least."""
_NETWORK_NAMES = (
    "facebook", "twitter", "whatsapp", "telegram", "linkedin", "pinterest", "reddit", "messenger", "email", "e-mail", "xing",
    "viber", "tumblr",
)  # fmt: skip
_NETWORKS = re.compile(rf"\b(?:{'|'.join(_NETWORK_NAMES)})\b")
_MOST_NETWORKS = 2
"""Names of networks in a line that only names where a story can be shared, more than."""
_SHARING = 20
"""Characters outside of links in a row of links to share the story, at most: "Share this:"."""
_CLOCK = re.compile(
    r"(?:\d{1,2}[./-]\d{1,2}[./-]\d{2,4},? )?(?:ore |kl\.? |at )?"
    r"(?:\d{1,2}\s?[:.hH]\s?\d{2}|\d{1,2}(?=\s?[apAP]\.?[mM]|\s?Uhr))(?:\s?(?:[apAP]\.?[mM]\.?|Uhr|h))?(?: [A-Z]{2,4})?"
)
"""A time of day, with or without its day, and nothing else."""
_ENTRIES, _CLOCK_LENGTH = 3, 30
"""Times of day above the entries of a live blog, at least; characters of one, at most."""
_BY_MACHINE = re.compile(
    r"\W{0,3}(?:(?:this|the|an?|diese|dieser|ce|cet|este|esta|questo|questa|il|la|denne|deze) )?"
    r"(?:(?:article |news )?summary|audio|zusammenfassung|résumé|resumen|resumo|riassunto|voce|oppsummering\w{0,2}"
    r"|sammanfattning\w{0,2}|samenvatting)\s(?:\S{1,20} ){0,5}"
    r"(?:(?:an )?AI\b|IA\b|KI\b|AI-|KI-|künstliche|intelligence artificielle"
    r"|intelig[eê]ncia artificial|intelligenza artificiale|kunstig intelligens)"
    r"|[*※ ]{0,3}(?:생성형 ?AI|AI가 |由AI|AI(?:生成|による)(?:摘要|要約))",
    re.IGNORECASE,
)
"""How a label begins beside a summary or a voice that was made by a program."""
_OF_MACHINES = (
    "summary", "audio", "zusammenfassung", "résumé", "resumen", "resumo", "riassunto", "voce", "oppsummering",
    "sammanfattning", "samenvatting", "생성형", "ai가", "由ai", "ai生成", "aiによる",
)  # fmt: skip


def choose(
    dom: Dom, probabilities: NDArray[np.float64], favour: Favour = "balance", least: float = 0.0, *, kind: str = ARTICLE
) -> NDArray[np.intp]:
    """The numbers of the chosen blocks, ascending; may be none.

    :param least: the least probability of a chosen block; 0: that of ``favour``.
    :param kind: of the page: "article" if it is judged as one, else another kind, or "other" where that is not known. On
        other pages forms and navigations may be text.
    """
    *_, (_, chosen) = steps(dom, probabilities, favour, least, kind=kind)
    return chosen


def steps(
    dom: Dom, probabilities: NDArray[np.float64], favour: Favour = "balance", least: float = 0.0, *, kind: str = ARTICLE
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The rules of :func:`choose` in their order: why blocks come or go with each, and what is chosen then."""
    least = least or limit(probabilities, dom.sizes, favour)
    chosen = np.flatnonzero(probabilities >= least)
    yield f"the limit of this page is {least:.2f}", chosen
    if favour != "recall":
        chosen = without_other_stories(dom, probabilities, chosen, _BELOW_ARTICLES if kind == ARTICLE else _OTHER_STORIES)
        yield "other stories or comments follow a heading like it", chosen
    chosen = with_code(dom, chosen)
    yield "code between chosen blocks or right behind them", chosen
    chosen = with_parts(dom, chosen)
    yield "part of a table, list, quotation or run of headings between chosen blocks", chosen
    chosen = with_last_list(dom, probabilities, chosen)
    yield "part of the list at the end", chosen
    chosen = with_ending(dom, probabilities, chosen, kind)
    yield "table, paragraph or quotation right behind the end", chosen
    if favour != "precision" and kind not in _LISTS:
        chosen = with_alike(dom, probabilities, chosen, kind)
        yield "between chosen blocks and written like one of them", chosen
    if favour != "precision":
        chosen = with_sentences(dom, chosen, kind)
        yield "sentence between chosen blocks, or a heading above one", chosen
    if kind != ARTICLE:
        chosen = with_pairs(dom, chosen)
        yield "part of a table of names and values", chosen
    chosen = without_furniture(dom, chosen, favour, kind)
    yield "reads like a promotion or like furniture around an article", chosen
    if favour != "recall":
        chosen = without_footers_above(dom, chosen)
        yield "is a short line in a footer above the text", chosen
    chosen = without_labels(dom, chosen, kind)
    yield "links to the heading before it, or only names a value or the language of code, or numbers its lines", chosen
    if kind == ARTICLE and favour != "recall":
        chosen = without_buttons(dom, without_links_around(dom, chosen))
        yield (
            "is nothing but links, at the end, or a short one below the headline or alone in its box, or a card in a link",
            chosen,
        )
        chosen = without_asides(dom, chosen)
        yield "is in a navigation or in a box with a field for a mail address", chosen
        chosen = without_captions(dom, chosen)
        yield "shares a box with a picture", chosen
    if favour != "recall":
        chosen = without_marked(dom, chosen, kind)
        yield "is in a caption, a box or a control by its class or tag, or hidden", chosen
        chosen = without_preface(dom, probabilities, chosen, kind)
        yield "stands before the headline", chosen
        if kind == ARTICLE:
            chosen = without_next_stories(dom, chosen)
            yield "is in the story behind this one", chosen
        if kind == _PRODUCT:
            chosen = without_other_products(dom, chosen)
            yield "is below a heading above other products", chosen
        chosen = without_repeats(dom, chosen, kind)
        yield "repeats an earlier block", chosen
        if kind in _HEADLINED:
            yield "headline above the text", with_headline(dom, chosen)


def limit(probabilities: NDArray[np.float64], sizes: NDArray[np.float64], favour: Favour = "balance") -> float:
    """The least probability of a chosen block. What a stricter setting chooses, a laxer one chooses, too.

    A page of a single block is that block. Where no block reaches the balanced limit it is that which maximises the
    expected F1: half of that F1.

    :param sizes: characters of each block.
    """
    best = float(probabilities.max())
    if len(probabilities) == 1:
        return best  # a single block: there is nothing to choose; the confidence tells what it is worth
    balance = _BALANCE
    if _HOPELESS <= best < _BALANCE:
        order = np.argsort(-probabilities, kind="stable")
        found, chosen = np.cumsum((probabilities * sizes)[order]), np.cumsum(sizes[order])
        balance = float((found / (chosen + found[-1] + 1)).max())
    if favour == "precision":
        return _PRECISION if best >= _PRECISION else balance
    return min(_RECALL, balance) if favour == "recall" else balance


def without_other_stories(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp], kinds: tuple[str, ...] = _OTHER_STORIES
) -> NDArray[np.intp]:
    """The chosen blocks before a heading like "Related stories" or, on articles, "Responses (3)", where all behind it are
    doubtful and one before it is not.

    The first lines of other stories look like the text of a short article. On folds 3 and 4 the rule makes nine texts better
    and none worse; without a bound on the probabilities behind the heading 12 and 31.
    """
    if len(chosen) < 2:
        return chosen
    is_unlikely = probabilities[chosen[0] : chosen[-1]] < _HOPELESS
    is_unlikely[chosen[:-1] - chosen[0]] = False
    unlikely: list[int] = (np.flatnonzero(is_unlikely) + chosen[0]).tolist()
    heads = [block for block in unlikely if len(dom.texts[block]) <= _HEADING and dom.counts[block]]
    if not heads:
        return chosen
    begins = block_phrases(dom)[heads]
    for head in np.array(heads)[begins[:, _columns(kinds)].any(axis=1)].tolist():
        before: NDArray[np.intp] = chosen[chosen < head]
        behind = chosen[chosen > head]
        is_text = probabilities[behind].max() >= SURE or (probabilities[behind] >= 0.5).sum() > SAID
        if probabilities[before].max() >= SURE and not is_text:
            return before
    return chosen


def without_furniture(dom: Dom, chosen: NDArray[np.intp], favour: Favour, kind: str = ARTICLE) -> NDArray[np.intp]:
    """The chosen blocks without short ones that read like what stands around an article; all of them for ``recall``.

    On articles "Read more: …", on all pages links or networks to share the story in, labels of summaries by machines, and
    the times of a live blog's entries go wherever they stand, and for ``precision`` bylines, dates, buttons and the like at
    the two ends, too. Truths disagree about "Read more: …": where wcxb is left out, 97 of 129 such blocks on articles of
    folds 1-4 are not in the truth, but 101 of 132 that are prose are, and 53 of 69 on other pages.
    """
    if favour == "recall" or len(dom.texts) == 1 or not len(chosen):
        return chosen
    lengths = np.array([len(dom.texts[block]) for block in chosen.tolist()])
    short = np.flatnonzero(lengths <= _PROMOTION)
    if not len(short):
        return chosen
    kinds = np.zeros((len(chosen), len(phrase_names())), dtype=np.bool_)
    kinds[short] = block_phrases(dom)[chosen[short]] > 0
    left = np.ones(len(chosen), dtype=np.bool_)
    if kind == ARTICLE:
        promotions = np.flatnonzero(kinds[:, _columns(_PROMOTIONS)].any(axis=1))
        left[[place for place in promotions.tolist() if not _is_prose(dom.texts[chosen[place]])]] = False
        left[short[[_MORE.match(dom.texts[block]) is not None for block in chosen[short].tolist()]]] = False
    are_shares = kinds[:, phrase_names().index("begins_share")]
    left[are_shares & (np.array(dom.links)[chosen] > 1) & (dom.counted[0][chosen] <= _SHARING)] = False
    texts = [dom.texts[block] for block in chosen[short].tolist()]
    joined = "\n".join(texts).lower()
    if sum(name in joined for name in _NETWORK_NAMES) > _MOST_NETWORKS or any(word in joined for word in _OF_MACHINES):
        left[short[list(map(_is_label, texts))]] = False
    left[_clocks(dom, chosen, short)] = False
    if favour == "precision":
        edge = lengths <= _EDGE
        begins, ends = edge & kinds[:, _columns(_BEFORE)].any(axis=1), edge & kinds[:, _columns(_BEHIND)].any(axis=1)
        left[: _run(begins)] = False
        left[len(left) - _run(ends[::-1]) :] = False
    return chosen[left]


def _is_prose(text: str) -> bool:
    """Whether a short text only begins like a promotion: "Popular brands are …", "Learn more …", or any whole sentence."""
    if _LEARN_MORE.match(text) or begins_with_word(text):
        return True
    is_sentence = text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS and len(text) >= _LEAST_SENTENCE
    return is_sentence and not _LABELLED.match(text)


def _is_label(text: str) -> bool:
    """Whether a short text names nothing but networks, or says that a program made a summary."""
    if _BY_MACHINE.match(text):
        return True
    is_list = text[-1] not in _SENTENCE_ENDS and ", " not in text
    return is_list and len(set(_NETWORKS.findall(text.lower()))) > _MOST_NETWORKS


def _clocks(dom: Dom, chosen: NDArray[np.intp], short: NDArray[np.intp]) -> list[int]:
    """The places of the times of day above the entries of a live blog; none where they stand above single lines, as in a
    programme."""
    found = [
        place
        for place in short.tolist()
        if place >= _MOST_EDGE  # the story's own time stands there
        and len(text := dom.texts[chosen[place]]) <= _CLOCK_LENGTH
        and _CLOCK.fullmatch(text)
        and dom.tags[dom.elements[chosen[place]]] not in _CELLS
    ]
    told = sum(bool((dom.sizes[chosen[place + 1 : place + 4]] >= _REPEATED).any()) for place in found)
    return found if told >= max(_ENTRIES, len(found) - 1) else []


def without_labels(dom: Dom, chosen: NDArray[np.intp], kind: str = ARTICLE) -> NDArray[np.intp]:
    """The chosen blocks without those that are only a link to the heading before them, for screen readers; the language of
    the code behind them, or the numbers of its lines; on articles the name of a value that is not chosen ("Published")."""
    held: frozenset[int] = frozenset(chosen.tolist())
    names: set[int] = set()
    if kind == ARTICLE:  # elsewhere an API's signatures, whose descriptions were missed
        names.update(
            dom.first_blocks[element]
            for element in dom.by_tag.get("dt", ())
            if dom.tags[dom.ends[element] : dom.ends[element] + 1] == ["dd"]
            and held.isdisjoint(range(dom.end_blocks[element], dom.end_blocks[dom.ends[element]]))
        )
    if "pre" in dom.by_tag:
        names.update(block for block in held if is_language(dom, block) or numbers_lines(dom, block))
    is_kept = [not (is_anchor(dom, block) or block in names) for block in chosen.tolist()]
    return chosen[np.array(is_kept, dtype=np.bool_)]


def without_repeats(dom: Dom, chosen: NDArray[np.intp], kind: str = ARTICLE) -> NDArray[np.intp]:
    """The chosen blocks without long ones that repeat one before them, or a few words of their own: pages for wide and
    narrow screens hold a text twice, and tickers run through "book now" for a hundred times. On articles also without an
    excerpt that the next blocks begin with. On lists also without what is
    offered beside every entry ("Read more", "Add to cart"), though once it may be all that a text ends with.

    Gain in word F1 on pages of folds 2 and 3 (sites not seen): modern articles .959 → .962, forums .779 → .818, products
    .466 → .489, services .815 → .824, listings .751 → .762, documentation .934 → .932; older pages .915. A limit of 40
    characters would remove repeated steps of instructions and rows of tables, but on products and threads it removes what
    stands twice; blocks that only resemble others are often quotations.
    """
    seen: set[str] = set()
    least = _REPEATED_SHORT.get(kind, _REPEATED)
    kept = np.ones(len(chosen), dtype=np.bool_)
    offers = [_folded(dom.texts[block]) for block in chosen.tolist()] if kind in _OF_ENTRIES else []
    offered = {text for text, times in Counter(offers).items() if times >= _OFFERED and text in _offers()}
    for place, block in enumerate(chosen.tolist()):
        text = dom.texts[block]
        if kind == ARTICLE and text.endswith(_CUT) and len(text) >= _LEAST_CUT:
            behind = " ".join(dom.texts[other] for other in chosen[place + 1 : place + 4])
            if behind.startswith(text.rstrip("[] .…")):
                kept[place] = False
                continue
        if offered:
            kept[place] = offers[place] not in offered
        if len(text) >= least and (len(text) >= _REPEATED or dom.tags[dom.elements[block]] not in _CELLS):
            kept[place] = text not in seen and not (text.count(text[:_BEGINNING]) >= _TIMES and _is_ticker(text))
            seen.add(text)
    return chosen[kept]


def _folded(text: str) -> str:
    return text.strip(_AROUND_OFFER).casefold() if len(text) <= _OFFER else ""


@cache
def _offers() -> frozenset[str]:
    return frozenset(data_table("data/furniture.toml")["other"]["offers"])


def _is_ticker(text: str) -> bool:
    words = text.split()
    distinct = len(set(words))
    return distinct <= _TICKER and len(words) >= _TIMES * distinct


def _run(furniture: NDArray[np.bool_]) -> int:
    """How many blocks at the beginning are furniture; at most so many are left out, and never all."""
    other = np.flatnonzero(~furniture[:_MOST_EDGE])
    return int(other[0]) if len(other) else min(_MOST_EDGE, len(furniture) - 1)


@cache
def _columns(kinds: tuple[str, ...]) -> list[int]:
    listed = phrase_names()
    return [listed.index(kind) for kind in kinds]


# --- confidence -----------------------------------------------------------------------------------
# How sure `combined` is of a page: the probability that its text agrees with the true one (F1 over 0.9).
#
# What the blocks' probabilities say of the choice as a whole (how much text is doubtful, what stands right beside the
# article, what is left out within it) goes into a logistic regression, fitted on pages whose sites the judging network had
# not seen (:mod:`newsextract.lab.train_combined`); so the probability means what it says on new sites, too.
# It is fitted for the default choice; of the other presets and thresholds it tells the order of pages.
#
# Which signs, and how strongly they are held back in the fit, was tried out on folds 1-4. The share of pages that can be
# called at 97 % certainty is .37 with these and moved between .1 and .45 with others, because one page in thirty has a truth
# of another habit (comments) at whatever confidence.
#
# Cost: a few sums over the blocks.

CONFIDENCE_NAMES = (
    "error", "doubt", "text", "share", "before", "behind", "weakest", "gaps", "left_out", "blocks", "long_blocks", "longest",
)  # fmt: skip
_LEAST = 0.003
"""Shares are counted by their order of magnitude, from here on."""
_LONG = 80
"""Characters of a block that is more than a heading or an entry of a list."""
_BESIDE = 3
"""Blocks before and behind the chosen ones."""


def signs(probabilities: NDArray[np.float64], sizes: NDArray[np.float64], chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """What the probabilities say of a choice: the figures of :data:`CONFIDENCE_NAMES`.

    :param sizes: characters of each block.
    :param chosen: numbers of the blocks, ascending; at least one.
    """
    first, last = int(chosen[0]), int(chosen[-1])
    own, sure = sizes[chosen], probabilities[chosen]
    text, every = float(own.sum()) + 1, float(sizes.sum()) + 1
    expected = float(2 * (sure @ own) / (text + probabilities @ sizes + 1))
    doubt = float(sizes @ np.minimum(probabilities, 1 - probabilities)) / text
    within = float(sizes[first : last + 1].sum() - own.sum())
    return np.array(
        (
            np.log(max(0.0, 1 - expected) + _LEAST),
            np.log(doubt + _LEAST),
            np.log(text),
            text / every,
            probabilities[max(0, first - _BESIDE) : first].max(initial=0.0),
            probabilities[last + 1 : last + 1 + _BESIDE].max(initial=0.0),
            sure.min(),
            min(1.0, within / text),
            np.log1p((every - text) / text),
            np.log(len(chosen)),
            (own > _LONG).mean(),
            np.log(own.max() + 1),
        )
    )


def confidence(found: NDArray[np.float64], weights: NDArray[np.float32]) -> float:
    """The probability that the F1 is over 0.9.

    :param found: of :func:`signs`.
    :param weights: one for each of them, and a constant.
    """
    odds = float(found @ weights[:-1] + weights[-1])
    return round(1 / (1 + float(np.exp(-np.clip(odds, -50, 50)))), 4)


# --- second opinion -------------------------------------------------------------------------------
# A second opinion where `combined` is not sure of its choice: what `text_density` takes, which was never trained and so
# errs elsewhere.
#
# On pages of sources that training knows nothing of, the network rarely takes what is no text, but leaves out whole
# sections: the probabilities of their blocks are far below .5, yet above those of furniture. So a block that `text_density`
# takes needs a smaller one, and an even smaller one if `page_segmentation` takes it, too. The confidence of the fused text
# is a logistic regression over the signs of a good choice (*confidence*) and over how much the choices agree, fitted on
# pages whose sites the judging network had not seen (:mod:`newsextract.lab.train_combined`). Gain:
# docs/measurements/combined.md.
#
# Cost: that of `text_density` (0.75 of a plain lxml parse), on the pages that are not sure alone, and of
# `page_segmentation` where it could decide.

SECOND_OPINION_NAMES = (*CONFIDENCE_NAMES, "agreement", "disagreement", "change")
"""What is known of a fused text."""
_SUPPORTED = 0.1
"""Least probability of a block that `text_density` takes, too. F1 of labelled tokens (articles of a source that is left out,
modern articles of folds 3 and 4, older ones): .935, .933, .929; with .05 .937, .932, .927; with .2 .932, .935, .931."""
_AGREED = 0.02
"""Least probability of a block that both `text_density` and `page_segmentation` take: docs/measurements/combined.md."""
_ABOVE_ZERO = 0.01
_TEASER, _MOST_TEASERS = 40, 0.3
"""Characters, at least, of the first lines of another story below its headline; how long all of these lines may be beside
the chosen text."""

_density = text_density.TextDensity(text_density.DEFAULT)
_segmentation = page_segmentation.PageSegmentation(page_segmentation.DEFAULT)


def fused(
    dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp], kind: str = ARTICLE
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The blocks of the text by both opinions, ascending; and the figures of :data:`SECOND_OPINION_NAMES`. Both may be
    empty.

    :param chosen: the choice of :func:`choose`; may be empty.
    :param kind: of the page; see :func:`choose`.
    """
    dense = dense_blocks(dom)
    found = choose(dom, raised(dom, probabilities, chosen, dense, kind), kind=kind)
    return found, figures(dom, probabilities, found, chosen, dense) if len(found) else np.empty(0)


def raised(
    dom: Dom,
    probabilities: NDArray[np.float64],
    chosen: NDArray[np.intp],
    dense: NDArray[np.intp],
    kind: str = ARTICLE,
) -> NDArray[np.float64]:
    """The probabilities, with 1 for the blocks of both opinions, except for those below other stories or comments, and on
    articles for teasers below the chosen text: links, and what stands right below one.

    Many teasers may be the text itself, which the network does not know (word F1 with wcxb left out, no teasers left out, a
    few, all: articles .9588, .9589, .9579; on threads and services, where answers stand below names, .728, .728, .700).
    """
    found = probabilities.copy()
    more = supported(dom, probabilities, dense)
    if len(chosen) and kind == ARTICLE:
        is_link = dom.counted[0] == 0
        is_teaser = is_link[more] | (is_link[more - 1] & (dom.sizes[more] >= _TEASER))
        is_teaser &= (more > chosen[-1]) & (probabilities[more] < _BALANCE)
        if dom.sizes[more[is_teaser]].sum() <= _MOST_TEASERS * dom.sizes[chosen].sum():
            more = more[~is_teaser]
    both = np.union1d(chosen, more)
    found[without_other_stories(dom, probabilities, both, _BELOW_ARTICLES)] = 1.0
    return found


def supported(dom: Dom, probabilities: NDArray[np.float64], dense: NDArray[np.intp]) -> NDArray[np.intp]:
    """The blocks of `text_density` that the network does not think hopeless."""
    own = probabilities[dense]
    found = own >= _SUPPORTED
    open_ = ~found & (own >= _AGREED)
    if open_.any():
        found |= open_ & np.isin(dense, _segmentation.blocks(dom))
    return dense[found]


def dense_blocks(dom: Dom, is_article: bool = True) -> NDArray[np.intp]:
    """The blocks that `text_density` takes, without dialogs and related stories."""
    dense = np.array(_density.blocks(dom), dtype=np.intp)
    return dense[~(dialogs(dom, is_article) | related_stories(dom))[dense]]


def figures(
    dom: Dom, probabilities: NDArray[np.float64], own: NDArray[np.intp], chosen: NDArray[np.intp], dense: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The figures of :data:`SECOND_OPINION_NAMES` of a text, made of its own blocks."""
    agreed = agreement(dom.sizes, own, dense)
    more = (agreed, np.log(1 - agreed + _ABOVE_ZERO), agreement(dom.sizes, own, chosen))
    return np.concatenate((signs(probabilities, dom.sizes, own), more))


def agreement(sizes: NDArray[np.float64], one: NDArray[np.intp], other: NDArray[np.intp]) -> float:
    """F1 of two choices, by characters."""
    is_other = np.zeros(len(sizes), dtype=np.bool_)
    is_other[other] = True
    common = sizes[one[is_other[one]]].sum()
    return float(2 * common / (sizes[one].sum() + sizes[other].sum() + 1))


# --- kind choice ----------------------------------------------------------------------------------
# The text of a page that may be no article: several choices, and which of them is the text of its kind.
#
# A second network judges the blocks of such a page (:mod:`.algorithm`); it knows the probabilities of the page's kinds. How
# many of its blocks belong to the text differs from kind to kind and from page to page. So there are its choices at three
# probabilities, what `text_density` takes, both together, and the choice of the network for articles. A ridge regression for
# each says how good it is: from the probabilities of the page's kinds (:mod:`newsextract.discovery.kinds`), the signs of a
# good choice, how much it agrees with the others, and how much of this differs between articles and others. The best one is
# the text. It is fitted on pages that the judging networks had not seen (:mod:`newsextract.lab.train_combined`), and part of
# the model.
#
# Cost: that of `text_density` and of three choices (0.75 and 0.45 of a plain lxml parse), on pages that may be no article
# alone.

CANDIDATES = ("own", "lax", "laxest", "dense_or_likely", "article", "dense")
KIND_CHOICE_NAMES = (*SECOND_OPINION_NAMES, "agreement_lax", "agreement_article", "page", "page_blocks")
"""What is known of a candidate."""
_LAX, _LAXEST, _LIKELY = 0.2, 0.1, 0.25
"""Least probabilities of the blocks of three candidates."""
_WIDEST = 4.0
"""Deviations from the mean, at most, that a figure may have."""


@dataclass(frozen=True, slots=True, eq=False)
class KindChoice:
    """The regressions, a row a candidate."""

    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    kinds: NDArray[np.float32]
    """What each kind adds."""
    figures: NDArray[np.float32]
    article: NDArray[np.float32]
    """What each figure adds on an article."""
    bias: NDArray[np.float32]

    @staticmethod
    def shapes() -> dict[str, tuple[int, ...]]:
        """The shape of each array."""
        rows, wide = len(CANDIDATES), (len(CANDIDATES), len(KIND_CHOICE_NAMES))
        return {
            "mean": wide,
            "deviation": wide,
            "kinds": (rows, len(KINDS)),
            "figures": wide,
            "article": wide,
            "bias": (rows,),
        }

    def goodness(self, figures: NDArray[np.float64], kinds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected F1 of each candidate.

        :param figures: of each candidate, of :func:`candidates`.
        :param kinds: the probabilities of the page's kinds.
        """
        standard = standardised(figures, self.mean, self.deviation)
        found: NDArray[np.float64] = (
            self.kinds @ kinds + (standard * (self.figures + kinds[0] * self.article)).sum(axis=1) + self.bias
        )
        return found


def standardised(figures: NDArray[Any], mean: NDArray[Any], deviation: NDArray[Any]) -> NDArray[np.float64]:
    """Figures in deviations from their mean, far ones drawn in."""
    found: NDArray[np.float64] = np.clip((figures - mean) / deviation, -_WIDEST, _WIDEST)
    return found


def candidates(
    dom: Dom, probabilities: NDArray[np.float64], article: NDArray[np.intp], kind: str = "other"
) -> tuple[list[NDArray[np.intp]], NDArray[np.float64]]:
    """The blocks of each of :data:`CANDIDATES`, and the figures of each; none where no block looks like text.

    :param probabilities: of the network for pages that may be no article.
    :param article: what :func:`choose` takes by the network for articles; may be empty.
    :param kind: of the page; "other": not known.
    """
    best = float(probabilities.max())
    if best < _HOPELESS and not len(article):
        return [], np.empty((0, len(KIND_CHOICE_NAMES)))
    likely = np.flatnonzero(probabilities >= min(_LIKELY, best))
    dense = dense_blocks(dom, is_article=False)
    own, lax, laxest = (choose(dom, probabilities, least=min(least, best), kind=kind) for least in (0.0, _LAX, _LAXEST))
    either, dense = (_cleared(dom, probabilities, each, kind) for each in (np.union1d(dense, likely), dense))
    found = [each if len(each) else likely for each in (own, lax, laxest, either, article, dense)]
    size = np.log1p((dom.sizes.sum(), len(dom.texts)))
    rows = [
        np.concatenate(
            (
                figures(dom, probabilities, each, found[0], found[5]),
                (agreement(dom.sizes, each, found[2]), agreement(dom.sizes, each, found[4])),
                size,
            )
        )
        for each in found
    ]
    return found, np.array(rows)


def _cleared(dom: Dom, probabilities: NDArray[np.float64], chosen: NDArray[np.intp], kind: str) -> NDArray[np.intp]:
    """What the last rules of :func:`steps` leave of blocks that another algorithm chose, too."""
    chosen = without_preface(dom, probabilities, without_marked(dom, with_pairs(dom, chosen), kind), kind)
    return without_repeats(dom, without_other_products(dom, chosen) if kind == _PRODUCT else chosen, kind)
