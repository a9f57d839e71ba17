"""Are edited articles and copies found again, and are texts from the same sentence frames told apart?

    python -m benchmarks.near_duplicates [../shared/bench/articles/truth.jsonl …] [--frames LAB/truth/SITE/articles.jsonl …]

Edited: up to 200 articles of each file (over 600 characters; 200 for Chinese), once with a share of their words replaced by
words of other articles, once with a share of their sentences replaced. Copies: pairs of articles of different sites that
share at least :data:`OVERLAP` of their four-token shingles, counted exactly. Frames: weather reports, market notes and court
notices made here of a few sentence frames with other names and numbers, and the articles of a file (``pieces`` or ``text``).
Printed: the share of edited copies found, by the bands alone (candidates) and verified, and the pairs and texts that are
wrongly marked; candidates of a record among unrelated articles, extrapolated from all pairs of a file. About a minute and
500 MB. What a look-up costs: ``benchmarks.crawl_state``.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

from newsextract.feed.duplicates import OVERLAP, fingerprint, keys_of, overlaps, sketch_of

ARTICLES = Path("../shared/bench/articles/truth.jsonl"), Path("../shared/bench/articles-zh/truth.jsonl")
MOST = 200
SHARES = (0.05, 0.1, 0.15, 0.2, 0.3)
RECORDS = (10_000, 100_000, 1_000_000)
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
_PIECE = re.compile(rf"{_WORD.pattern}|\W")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？\n]*")

PLACES = "Ardmore Brindle Calder Dunmoor Eastwick Farrow Glenhead Harrow Inverlee Kestrel Lowmere Millgate Norbeck".split()
NAMES = "Abbott Barlow Castell Denham Easton Fenwick Garner Holt Ingram Jarvis Keller Lomax Mercer Norris".split()
SKIES = ["cloudy with sunny spells", "overcast", "mostly dry", "wet and windy", "clear and cold", "foggy at first"]
FIRMS = "Northbank Pinnacle Quayside Redstone Silverlake Tidewater Unity Vantage Westmark Yarrow".split()
CHARGES = ["theft from a shop", "driving without insurance", "assault", "criminal damage", "fraud", "failing to stop"]
FRAMES = {
    "weather": [
        "In {place} it will be {sky} with a high of {n} degrees and a low of {m} degrees.",
        "Winds from the west will reach {n} kilometres an hour near {place} in the afternoon.",
        "Rainfall of up to {m} millimetres is expected between {place} and {place2} overnight.",
        "The outlook for {place2} is {sky2}, with temperatures of around {m} degrees.",
        "A warning is in force for {place} until {n} hours on the following day.",
        "Tomorrow starts {sky2} in {place2} before it turns {sky} by the evening.",
    ],
    "markets": [
        "Shares of {firm} closed {m}.{n} percent higher at {n}{m} crowns.",
        "{firm} lost {n} points after {firm2} had reported a profit of {n} million for the quarter.",
        "The index ended the day at {n}{m}, down {m} points from its close on the previous day.",
        "Analysts at {firm2} expect {firm} to pay a dividend of {m} crowns a share.",
        "Trading in {firm} was heavy, with {n} thousand shares changing hands by noon.",
        "Crude oil rose by {m} percent to {n} a barrel while gold fell by {n} to {m}{n} an ounce.",
    ],
    "court": [
        "{name}, {n}, of {place}, admitted {charge} and was fined {n}0 crowns with costs of {m}0 crowns.",
        "{name}, {n}, of {place2}, was found guilty of {charge} at {place} on {m} April and banned for {m} months.",
        "The case against {name}, {n}, of {place}, charged with {charge}, was adjourned until {m} June.",
        "{name2}, {n}, pleaded not guilty to {charge} at {place2} and will stand trial in {m} weeks.",
        "A victim surcharge of {n} crowns was ordered against {name} of {place2} for {charge}.",
    ],
}  # fmt: skip
Edit = Callable[[str, float, random.Random], str]


def are_near(one: str, other: str) -> bool:
    """Whether the texts of two fingerprints are near-same: they share a band, and enough shingles."""
    return bool((keys_of(one) == keys_of(other)).any() and overlaps(sketch_of(one)[None], sketch_of(other))[0])


def framed(kind: str, rng: random.Random) -> str:
    """A text of 8 to 24 sentences of one kind's frames."""
    sentences = []
    for _ in range(rng.randint(8, 24)):
        (place, place2), (name, name2) = rng.sample(PLACES, 2), rng.sample(NAMES, 2)
        (sky, sky2), (firm, firm2) = rng.sample(SKIES, 2), rng.sample(FIRMS, 2)
        values = {"place": place, "place2": place2, "name": name, "name2": name2, "sky": sky, "sky2": sky2, "firm": firm}
        values |= {
            "firm2": firm2,
            "charge": rng.choice(CHARGES),
            "n": str(rng.randint(12, 98)),
            "m": str(rng.randint(2, 30)),
        }
        sentences.append(rng.choice(FRAMES[kind]).format(**values))
    return " ".join(sentences)


def with_other_words(texts: Sequence[str]) -> Edit:
    """Replaces a share of the words by words of all texts."""
    words = [word for text in texts for word in _WORD.findall(text)]

    def edit(text: str, share: float, rng: random.Random) -> str:
        pieces = _PIECE.findall(text)
        places = [number for number, piece in enumerate(pieces) if _WORD.fullmatch(piece)]
        for number in rng.sample(places, round(share * len(places))):
            pieces[number] = rng.choice(words)
        return "".join(pieces)

    return edit


def with_other_sentences(texts: Sequence[str]) -> Edit:
    """Replaces a share of the sentences, at least one, by sentences of all texts."""
    sentences = [sentence for text in texts for sentence in _SENTENCE.findall(text)]

    def edit(text: str, share: float, rng: random.Random) -> str:
        pieces = _SENTENCE.findall(text)
        for number in rng.sample(range(len(pieces)), max(1, round(share * len(pieces)))):
            pieces[number] = rng.choice(sentences)
        return "".join(pieces)

    return edit


def pairs(marks: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    """(candidates, near-same) among pairs of fingerprints."""
    candidates = verified = 0
    for mark, other in zip(marks, others, strict=True):
        candidates += bool((keys_of(mark) == keys_of(other)).any())
        verified += are_near(mark, other)
    return candidates, verified


def _marks(texts: Sequence[str]) -> list[str]:
    return [mark for text in texts if (mark := fingerprint(text)) is not None]


def _articles(path: Path) -> list[tuple[str, str]]:
    """(site, text) of the articles that are long enough."""
    found = []
    with path.open(encoding="utf-8") as file:
        for line in file:
            value = json.loads(line)
            text = "\n".join(value["pieces"]) if "pieces" in value else value.get("text") or ""
            if len(text) > (200 if value.get("lang") == "zh" else 600):
                found.append((value.get("site") or "", text))
    return found


def _print_edited(name: str, texts: Sequence[str], rng: random.Random) -> None:
    chosen = rng.sample(texts, min(MOST, len(texts)))
    for kind, edit in (("words", with_other_words(texts)), ("sentences", with_other_sentences(texts))):
        for share in SHARES:
            candidates, verified = pairs(_marks(chosen), _marks([edit(text, share, rng) for text in chosen]))
            print(
                f"{name:<24} {share:4.0%} of the {kind:<9} replaced: found {verified / len(chosen):.3f} of {len(chosen)} "
                f"(candidates {candidates / len(chosen):.3f})"
            )


def _print_different(name: str, texts: Sequence[str]) -> None:
    marks = _marks(texts)
    found = candidate_pairs(marks)
    verified = [(one, other) for one, other in found if are_near(marks[one], marks[other])]
    print(
        f"{name:<24} {len(marks)} different texts: {len(verified)} of {len(marks) * (len(marks) - 1) // 2} pairs near-same, "
        f"{len({other for _, other in verified})} texts marked (candidates: {len(found)} pairs)"
    )


def candidate_pairs(marks: Sequence[str]) -> set[tuple[int, int]]:
    """The pairs that share a band, by their numbers."""
    buckets: dict[tuple[int, int], list[int]] = {}
    for number, mark in enumerate(marks):
        for key in enumerate(keys_of(mark).tolist()):
            buckets.setdefault(key, []).append(number)
    return {pair for bucket in buckets.values() for pair in combinations(bucket, 2)}


def _print_copies(name: str, articles: Sequence[tuple[str, str]]) -> None:
    """Copies at other sites, and what is a candidate without being one."""
    shingles = [_shingles_of(text) for _, text in articles]
    marks = _marks([text for _, text in articles])
    by_shingle: dict[str, list[int]] = {}
    for number, mine in enumerate(shingles):
        for shingle in mine:
            by_shingle.setdefault(shingle, []).append(number)
    linked = {pair for numbers in by_shingle.values() if len(numbers) <= _MOST_LINKED for pair in combinations(numbers, 2)}
    shares = {(a, b): len(shingles[a] & shingles[b]) / len(shingles[a] | shingles[b]) for a, b in linked}
    candidates = candidate_pairs(marks)
    copies = [pair for pair, share in shares.items() if share >= OVERLAP and articles[pair[0]][0] != articles[pair[1]][0]]
    found = [pair for pair in copies if pair in candidates]
    verified = [pair for pair in found if are_near(*(marks[number] for number in pair))]
    print(
        f"{name:<24} copies at other sites: found {len(verified)} of {len(copies)} pairs (candidates {len(found)}); "
        f"overlaps {' '.join(f'{shares[pair]:.2f}' for pair in sorted(copies, key=shares.__getitem__))}"
    )
    unrelated = {pair for pair in candidates if shares.get(pair, 0) < OVERLAP / 2}
    rate = len(unrelated) / (len(marks) * (len(marks) - 1) / 2)
    per_record = ", ".join(f"{rate * count:.2g} among {count:,}" for count in RECORDS)
    print(
        f"{name:<24} {len(unrelated)} candidates with less than half of the overlap among {len(marks)} articles: "
        f"of a record {per_record} (extrapolated)"
    )


_MOST_LINKED = 50
"""Shingles in more articles than this are phrases of the language."""


def _shingles_of(text: str) -> set[str]:
    words = _WORD.findall(text.lower())
    return {" ".join(words[k : k + 4]) for k in range(max(1, len(words) - 3))}


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("articles", nargs="*", type=Path, default=ARTICLES)
    parser.add_argument("--frames", nargs="*", type=Path, default=[])
    options = parser.parse_args()
    rng = random.Random(11)
    for path in options.articles:
        if path.exists():
            articles = _articles(path)
            texts = [text for _, text in articles]
            _print_edited(f"{path.parent.name}", texts, rng)
            _print_different(f"{path.parent.name}", texts[:MOST])
            _print_copies(f"{path.parent.name}", articles)
        else:
            print(f"skipped: {path} is not there; name a file with a text a line")
    for kind in FRAMES:
        _print_different(kind, [framed(kind, rng) for _ in range(MOST)])
    for path in options.frames:
        _print_different(path.parent.name, [text for _, text in _articles(path)])


if __name__ == "__main__":
    main()
