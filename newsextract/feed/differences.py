"""Where one text differs from another, word by word, short enough to read: a prediction from the truth, a revision from the
one before.

Words (each Chinese or Japanese character is one) are aligned with difflib. Long stretches that both texts have, that only
the first has (missing) or that only the second has (extra) keep their beginning and end, with the number of words left out.

Cost: under 50 ms for two texts of :data:`MOST_WORDS` words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

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
            stretches += _common(true[i:j], first=number == 0, last=number == len(codes) - 1)
        else:
            stretches += [*_one_sided("missing", true[i:j]), *_one_sided("extra", predicted[k:m])]
    stretches += [Stretch("missing" if kind == "missing" else "extra", "", count) for kind, count in beyond if count > 0]
    return stretches


def _spaced_words(text: str) -> list[tuple[str, str]]:
    """Words, each with the white space after it: nothing, a blank or a line break."""
    return [(word, "\n" if "\n" in space else space[:1] and " ") for word, space in _SPACED_WORD.findall(text)]


def _common(words: Words, first: bool, last: bool) -> Iterator[Stretch]:
    before, after = 0 if first else CONTEXT, 0 if last else CONTEXT
    return _shortened("both", words, before, after)


def _one_sided(kind: Kind, words: Words) -> Iterator[Stretch]:
    return _shortened(kind, words, LONGEST // 2, LONGEST // 2)


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
