"""Near-same texts among the records of a feed: which earlier record a text repeats.

Two texts are near-same if their fingerprints are (*fingerprint*) and they were fetched within
:data:`DAYS` days. ``duplicate_of`` names the near-same record that was fetched first, of those that are in the feed already
(of the same second the one with the smallest id).

Records of the last seconds are compared in memory; older ones by the buckets of the state (:mod:`newsextract.state`), in a
thread of its own. The look-up costs the same whatever the number of records (``python -m benchmarks.crawl_state``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal
from zlib import crc32

import numpy as np
import numpy.typing as npt

# --- fingerprint ----------------------------------------------------------------------------------
# Near-same texts: banded MinHash finds the candidates by key, a sketch of the sets of shingles verifies them.
#
# MinHash (Broder, "On the resemblance and containment of documents", SEQUENCES 1997): under a random order of all shingles,
# two texts have the same smallest one with the probability of their overlap (Jaccard). A *band* is the smallest of two
# orders, 16 bits of each; texts that share one of 16 bands are candidates (Leskovec, Rajaraman, Ullman, "Mining of massive
# datasets", section 3.4). A band is a key of 32 bits, so an index or a join finds the candidates.
#
# Candidates share three-token shingles, as do many texts made of the same sentence frames (weather, markets, court notices).
# So a pair counts only if their sets of four-token shingles overlap, which one-permutation MinHash estimates (Li, Owen,
# Zhang, "One permutation hashing", NIPS 2012): each of 256 bins of shingles keeps four bits of its smallest hash.
#
# ``python -m benchmarks.near_duplicates`` measures both. Cost: linear; about 0.3 ms for an article of 500 words; 192 bytes a
# text.
Hashes = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Keys = npt.NDArray[np.uint32]

BANDS = 16
"""Keys of a text. Of articles with 15 % of their words replaced, 16 bands of two values of three-token shingles find 98 %
(four-token shingles: 83 %, with 24 bands 95 %); 12 bands find 95 %, 24 find 99.5 %. Two unrelated articles share a key once
in 45,000 pairs. Measured on 200 and on 1,398 articles of the bench (``python -m benchmarks.near_duplicates``)."""
OVERLAP = 0.27
"""Least share of common shingles (Jaccard) of near-same texts. Articles with 15 % of their words replaced have
0.34 ± 0.01; of texts made of six sentence frames about one pair in 15,000 reaches it (``python -m
benchmarks.near_duplicates``). The estimate deviates by 0.03."""
BINS = 256
KEY_DIGITS = 8
BAND_DIGITS = BANDS * KEY_DIGITS
DIGITS = BAND_DIGITS + BINS
"""Hexadecimal digits of a fingerprint: the keys of the bands, then one digit for each bin, 0 for an empty one."""
_MAX_TOKENS = 2_000
"""Near-same texts are so from the beginning on; the rest of a long one adds cost only."""
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_MULTIPLIERS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5], dtype=np.uint64)
_NO_HASH = np.uint64(0xFFFFFFFFFFFFFFFF)


def fingerprint(text: str) -> str | None:
    """384 hexadecimal digits, or None for a text without words.

    Punctuation, white space and case do not count.
    """
    tokens = _TOKEN.findall(text[: 20 * _MAX_TOKENS].lower().encode("utf-8", "replace").decode())[:_MAX_TOKENS]
    if not tokens:
        return None
    hashes = np.fromiter(map(crc32, map(str.encode, tokens)), np.uint64, len(tokens))
    return _bands(_mixed(_shingles(hashes, 3))) + _sketch(_mixed(_shingles(hashes, 4)))


def keys_of(mark: str) -> Keys:
    """The keys of a fingerprint's bands; a key counts only among those of the same band."""
    return np.frombuffer(bytes.fromhex(mark[:BAND_DIGITS]), ">u4").astype(np.uint32)


def sketch_of(mark: str) -> Bytes:
    """The sketch of a fingerprint, two bins a byte."""
    return np.frombuffer(bytes.fromhex(mark[BAND_DIGITS:]), np.uint8)


def complete(mark: str | None, text: str) -> str | None:
    """A fingerprint as it is made today; earlier versions wrote others, of 64 or 320 digits."""
    return mark if mark is None or len(mark) == DIGITS else fingerprint(text)


def overlaps(sketches: Bytes, sketch: Bytes) -> npt.NDArray[np.bool_]:
    """Which texts share enough shingles with another one.

    :param sketches: (texts, 128), see :func:`sketch_of`.
    :param sketch: (128,), of the other text, or (texts, 128), one for each.
    """
    mine, other = _bins(sketches), _bins(sketch)
    filled = ((mine | other) != 0).sum(axis=-1)
    equal = ((mine == other) & (mine != 0)).sum(axis=-1)
    # One of 15 digits is equal by chance.
    return np.asarray(equal - filled / 15 >= OVERLAP * filled * (14 / 15))


def _bins(sketches: Bytes) -> Bytes:
    return np.concatenate([sketches >> 4, sketches & 15], axis=-1)


def _shingles(hashes: Hashes, width: int) -> Hashes:
    """The hash of each run of tokens; a text that is shorter is one run."""
    width = min(width, len(hashes))
    count = len(hashes) - width + 1
    shingles = np.zeros(count, dtype=np.uint64)
    for k in range(width):
        shingles += hashes[k : k + count] * _MULTIPLIERS[k]
    return shingles


def _bands(shingles: Hashes) -> str:
    """Of each order of the shingles the smallest, cut to 16 bits: two make a key."""
    smallest: Hashes = _mixed(shingles ^ _ORDERS[:, None]).min(axis=1) & np.uint64(0xFFFF)
    return smallest.astype(">u2").tobytes().hex()


def _sketch(shingles: Hashes) -> str:
    """The smallest hash of each bin, cut to a digit of 1 to 15."""
    smallest = np.full(BINS, _NO_HASH)
    np.minimum.at(smallest, (shingles >> np.uint64(56)).astype(np.intp), shingles << np.uint64(8) >> np.uint64(8))
    digits = np.where(smallest == _NO_HASH, 0, smallest % np.uint64(15) + np.uint64(1)).astype(np.uint8)
    return (digits[::2] << 4 | digits[1::2]).tobytes().hex()


def _mixed(values: Hashes) -> Hashes:
    """The finaliser of splitmix64: every bit of the result depends on every bit of the value."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


_ORDERS = _mixed(np.arange(1, 2 * BANDS + 1, dtype=np.uint64) * _MULTIPLIERS[0])
"""Seeds of the orders of shingles; feeds hold what they give, so they never change."""

# --- near duplicates ------------------------------------------------------------------------------

_NUMBERS = np.arange(BANDS, dtype=np.uint64) << np.uint64(32)
DAYS = 14
"""Two records that were fetched further apart are no duplicates of each other."""


@dataclass(frozen=True, slots=True)
class Sketch:
    """What is compared of a record's text."""

    identity: int
    keys: frozenset[int]
    """Number and key of each band in one integer."""
    sketch: bytes
    at: str
    """When it was fetched, ISO 8601 in UTC."""


@lru_cache(maxsize=100)
def sketch(identity: int, mark: str, at: str) -> Sketch:
    """What is compared of a record.

    :param mark: its fingerprint.
    :param at: when it was fetched, ISO 8601.
    """
    return Sketch(identity, frozenset((keys_of(mark) + _NUMBERS).tolist()), sketch_of(mark).tobytes(), at)


def columns(marks: Sequence[str]) -> tuple[npt.NDArray[np.int64], list[bytes]]:
    """Keys (fingerprints, bands) and sketches of many fingerprints, as :func:`sketch` has them."""
    keys = np.frombuffer(bytes.fromhex("".join(mark[:BAND_DIGITS] for mark in marks)), ">u4").reshape(-1, BANDS)
    return (keys + _NUMBERS).astype(np.int64), [bytes.fromhex(mark[BAND_DIGITS:]) for mark in marks]


def window(at: str) -> tuple[str, str]:
    """The days, first and last, from which records may be duplicates of one that was fetched then."""
    moment = datetime.fromisoformat(at)
    try:
        return tuple((moment + timedelta(days=days)).isoformat() for days in (-DAYS, DAYS))  # type: ignore[return-value]  # two
    except OverflowError:  # a hostile archive may say year 1 or 9999
        return at, at


def original(record: Sketch, others: Iterable[Sketch]) -> int | None:
    """The near-same record that was fetched first; None if there is none.

    :param others: candidates; they need not share a band.
    """
    first, last = window(record.at)
    candidates = [
        other
        for other in others
        if other.identity != record.identity and first <= other.at <= last and not other.keys.isdisjoint(record.keys)
    ]
    if not candidates:
        return None
    theirs = np.frombuffer(b"".join(other.sketch for other in candidates), np.uint8).reshape(len(candidates), -1)
    near = overlaps(theirs, np.frombuffer(record.sketch, np.uint8))
    found = [(other.at, other.identity) for other, is_near in zip(candidates, near, strict=True) if is_near]
    return min(found)[1] if found else None


# --- differences ----------------------------------------------------------------------------------
# Where one text differs from another, word by word and short enough to read: a prediction from the truth, a revision from
# the one before.
#
# Words (each Chinese or Japanese character is one) are aligned with difflib. Of long stretches only beginning and end are
# kept, with the number of words left out. Cost: under 50 ms for two texts of :data:`MOST_WORDS` words.


SINGLE = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Characters that are tokens of their own, as a regular expression's range: kana and CJK ideographs of the BMP."""
MOST_WORDS = 5_000
"""Of each text; what comes after is left out and told."""
CONTEXT = 12
"""Words of a common stretch that are kept on each side of a difference."""
LONGEST = 80
"""Words of a missing or extra stretch that are shown, half from its beginning and half from its end."""

_SPACED_WORD = re.compile(rf"([{SINGLE}]|[^\s{SINGLE}]++)(\s*+)")

Kind = Literal["both", "missing", "extra"]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A run of words that both texts have, or only one of them."""

    kind: Kind
    text: str
    """With blanks and line breaks as they were, each folded to one."""
    left_out: int = 0
    """Words that follow in this stretch and are not shown."""


Words = Sequence[tuple[str, str]]


def differences(truth: str, prediction: str) -> list[Stretch]:
    """The two texts as one sequence of stretches."""
    true, predicted = _spaced_words(truth), _spaced_words(prediction)
    beyond = [("missing", len(true) - MOST_WORDS), ("extra", len(predicted) - MOST_WORDS)]
    true, predicted = true[:MOST_WORDS], predicted[:MOST_WORDS]
    stretches: list[Stretch] = []
    matcher = SequenceMatcher(None, [word for word, _ in true], [word for word, _ in predicted])
    codes = matcher.get_opcodes()
    for number, (tag, i, j, k, m) in enumerate(codes):
        if tag == "equal":
            stretches += _shortened("both", true[i:j], CONTEXT * (number > 0), CONTEXT * (number < len(codes) - 1))
        else:
            half = LONGEST // 2
            stretches += [*_shortened("missing", true[i:j], half, half), *_shortened("extra", predicted[k:m], half, half)]
    stretches += [Stretch("missing" if kind == "missing" else "extra", "", count) for kind, count in beyond if count > 0]
    return stretches


def _spaced_words(text: str) -> list[tuple[str, str]]:
    """Words, each with the white space after it: nothing, a blank or a line break."""
    return [(word, "\n" if "\n" in space else space[:1] and " ") for word, space in _SPACED_WORD.findall(text)]


def _shortened(kind: Kind, words: Words, before: int, after: int) -> Iterator[Stretch]:
    left_out = len(words) - before - after
    if left_out <= CONTEXT // 2:  # not worth a gap
        if words:
            yield Stretch(kind, _joined(words))
        return
    yield Stretch(kind, _joined(words[:before]), left_out)
    if after:
        yield Stretch(kind, _joined(words[-after:]))


def _joined(words: Words) -> str:
    return "".join(word + space for word, space in words)
