"""How well records, posts and hits are found on pages with other markup, other words and additional boxes.

    python -m benchmarks.record_mutations [RECORDS MODERN] [--models DIR] [--only NAME …] [--sets NAME …] [--worst N]

The pages of the record data set (by default ../shared/bench/records) and the threads of the modern pages
(../shared/bench/modern) are changed in ways that leave their records as they are. DIR: the models of
``python -m benchmarks.cross_validation --combined --models DIR``, for the texts of threads; without it the shipped model is
used, which knows all pages. The columns: pooled and macro F1 of records by kind; mean word F1 of the texts of modern
threads; true posts with the right text, author and day, where the truth has them; posts and hits that have the same
text, author and day, or title and URL, as on the page as it is. A minute for each line of the table on two cores.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import fsum
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import lxml.html

from benchmarks.insertions import MARKUP
from newsextract import Page, extract, extract_hits, extract_posts, extract_records
from newsextract.fields.posts import PostFields
from newsextract.lab import datasets
from newsextract.lab.datasets import TruthPage, read
from newsextract.lab.metrics import Counts, TrueRecords, match, tokens
from newsextract.lab.runner import FETCHED_AT

RECORDS, MODERN = Path("../shared/bench/records"), Path("../shared/bench/modern")
_Change = Callable[[Any, TruthPage], None]

# --- markup ---------------------------------------------------------------------------------------


def _without_metadata(document: Any, truth: TruthPage) -> None:
    MARKUP["no meta, no JSON-LD"](document)
    for element in document.iter("*"):
        for name in "itemscope itemtype itemprop itemid property typeof vocab about rel role".split():
            element.attrib.pop(name, None)


_BLOCKS = "article section main aside header footer nav address figure figcaption ul ol li dl dt dd".split()
_TABLE = "table caption thead tbody tfoot tr td th center".split()


def _plain(document: Any, truth: TruthPage, tags: Sequence[str] = (*_BLOCKS, "time")) -> None:
    for element in list(document.iter(*tags)):
        if element.tag in _TABLE:
            element.attrib.clear()
        element.tag = "span" if element.tag == "time" else "div"


def _all_plain(document: Any, truth: TruthPage) -> None:
    MARKUP["made class and id"](document)
    _plain(document, truth, (*_TABLE, *_BLOCKS, "time"))


def _wrapped(document: Any, truth: TruthPage) -> None:
    for record in _records(document, truth):
        if record.tag not in ("tr", "tbody", "table", "ul", "ol", "dl"):  # which hold no div
            inner = lxml.html.Element("div")
            inner.text, record.text = record.text, None
            inner.extend(list(record))
            record.append(inner)


# --- words ----------------------------------------------------------------------------------------

_LABELS = {
    **{"joined": "Member for", "join date": "With us since", "posts": "Contributions", "messages": "Written so far"},
    **{"likes": "Hearts", "location": "Lives in", "reputation": "Standing", "member": "Fellow", "reply": "Respond"},
    **{"quote": "Cite", "report": "Tell us", "share": "Pass on", "posted": "Put up", "topics": "Talks", "points": "Coins"},
}
_LABEL = re.compile(rf"(?<!\w)({'|'.join(sorted(_LABELS, key=len, reverse=True))})(?!\w)", re.IGNORECASE)


def _other_labels(document: Any, truth: TruthPage) -> None:
    """Short texts with a label have another one."""
    for element in document.iter("*"):
        for name in ("text", "tail"):
            text = getattr(element, name)
            if text and len(text.strip()) < 25 and element.tag not in ("script", "style"):
                setattr(element, name, _LABEL.sub(lambda found: _LABELS[found[0].lower()], text))


# --- boxes ----------------------------------------------------------------------------------------

_HEADS = (
    "Best settings for long exposures at night|How do I reset the controller?|Weekly photo challenge: water|New rules for "
    "the market|Looking for a used bass amplifier|Which tyres for wet roads?|Introduce yourself here|Server update on Sunday"
).split("|")
_NAMES = "paula77|Old Sailor|mk_42|Renate|jtholm|blue heron|Kestrel|Dimitri".split("|")
_TEXT = "Try it for thirty days without any risk, and get the second one for half the price as long as stocks last."


def _records(document: Any, truth: TruthPage) -> list[Any]:
    """The element of each record: the child of the parent that most have in common; empty without records."""
    keys = [set(key) for key in TrueRecords([record.text for record in truth.records]).keys]
    smallest: dict[int, tuple[int, Any]] = {}
    for element in document.iter("*"):
        if element.tag not in ("script", "style", "head", "title"):
            own = tokens(" ".join(element.itertext()))
            held = set(own)
            for number, key in enumerate(keys):
                is_whole = len(key & held) >= 0.8 * len(key)
                if is_whole and (number not in smallest or len(own) <= smallest[number][0]):
                    smallest[number] = len(own), element
    paths = [[*list(element.iterancestors())[::-1], element] for _, element in smallest.values()]
    shared = Counter(inner for path in paths for inner in path[:-1])
    common = [inner for inner, count in shared.items() if len(paths) > 1 and 2 * count > len(paths)]
    parent = max(common, key=lambda inner: len(list(inner.iterancestors())), default=None)
    return list(dict.fromkeys(path[path.index(parent) + 1] for path in paths if parent in path[:-1]))


def _insert(document: Any, truth: TruthPage, made: str, place: int = 2) -> None:
    """Put a box before the record of a number; in a table as a row."""
    records = _records(document, truth)
    if len(records) > place:
        tag = records[place].tag
        row = {"tr": f"<table><tr><td colspan=9>{made}</td></tr></table>", "li": f"<li>{made}</li>"}.get(tag, made)
        new = lxml.html.fragment_fromstring(row)
        records[place].addprevious(new[0] if tag == "tr" else new)


def _length(element: Any) -> int:
    return len(element.text_content()) if isinstance(element.tag, str) and element.tag not in ("script", "style") else 0


def _beside(document: Any, truth: TruthPage, *, is_before: bool) -> None:
    """Put a list of the latest threads before or behind the largest part of the page."""
    rows = enumerate(zip(_HEADS, _NAMES, strict=True), 2)
    items = "".join(
        f"<div class=css-a1><a href=/t/{n}01>{head}</a><p><a href=/m/{n}>{name}</a> <span>{n} hours ago</span></p></div>"
        for n, (head, name) in rows
    )
    main = document.find("body")
    while main is not None and len(main) and main.tag != "table":
        inner = max(main, key=_length)
        if 2 * _length(inner) <= _length(main) or sum(_length(child) > 200 for child in inner) > 2 or inner.tag == "table":
            new = lxml.html.fragment_fromstring(f"<div class=css-a0><h3>Latest discussions</h3>{items}</div>")
            (inner.addprevious if is_before else inner.addnext)(new)
            return
        main = inner


def _own(element: Any) -> int:
    """Characters of an element's own text."""
    return len(element.text or "") + sum(len(child.tail or "") for child in element)


def _quoted(document: Any, truth: TruthPage) -> None:
    """A quotation at the beginning of every second post, and a signature below each, in elements that nothing names."""
    quotation = "<div class=css-b1><div>{} wrote:</div><div>Does anybody know whether that is still true today?</div></div>"
    for number, record in enumerate(_records(document, truth)):
        boxes = record.iter("div", "p", "td", "blockquote")
        wide = max(boxes, key=_own, default=None)
        if wide is None or wide is record:
            continue
        if number % 2:
            wide.insert(0, lxml.html.fragment_fromstring(quotation.format(_NAMES[number % 8])))
            wide[0].tail, wide.text = wide.text, None
        if wide.tag != "td":
            made = "<div class=css-b2>None is as deaf as the man who will not listen.</div>"
            wide.addnext(lxml.html.fragment_fromstring(made))


_POLL = "".join(
    f"<p><b>{name}</b> <i>{n * 3} votes</i> <i>{n * 7}%</i></p>" for n, name in enumerate(("Yes", "No", "Maybe"), 1)
)
_POLL = f"<div class=css-c0><h4>Would you buy it again?</h4>{_POLL}<p>Poll ends in 3 days</p></div>"
_CARD = (
    f"<div class=css-d0><i>Sponsored</i><a href=//shop.example/x?c=1><b>The quiet vacuum cleaner</b></a><p>{_TEXT}</p></div>"
)
_RELATED = "".join(f"<div><a href=?q={n}>{head.lower()}</a></div>" for n, head in enumerate(_HEADS[:6]))
_ASKED = "".join(f"<div><p>{head}</p><p>{_TEXT}</p><a href=//a.example/>Answers</a></div>" for head in _HEADS[1:6:2])
MUTATIONS: dict[str, _Change] = {
    "unchanged": lambda document, truth: None,
    "hashes as class and id": lambda document, truth: MARKUP["made class and id"](document),
    "no class, no id": lambda document, truth: MARKUP["no class, no id"](document),
    "no microdata, JSON-LD, roles": _without_metadata,
    "div, span for other elements": _plain,
    "div for tables": partial(_plain, tags=_TABLE),
    "hashes, div for all of these": _all_plain,
    "div around a record's text": _wrapped,
    "other labels": _other_labels,
    "latest threads before": partial(_beside, is_before=True),
    "latest threads behind": partial(_beside, is_before=False),
    "sponsored card between": partial(_insert, made=_CARD),
    "quotations and signatures": _quoted,
    "poll above": partial(_insert, made=_POLL, place=0),
    "related searches between": partial(_insert, made=f"<div class=css-e0><h4>Related searches</h4>{_RELATED}</div>"),
    "questions between": partial(_insert, made=f"<div class=css-f0><h4>People also ask</h4>{_ASKED}</div>"),
}

# --- measurement ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Read:
    """What was read of one page."""

    counts: Counts | None = None
    fields: Sequence[tuple[str, ...]] = ()
    """Body, author and day of each post; title and URL of each hit."""
    f1: float = 0.0
    """Of records, or of the words of a thread."""
    right: Counter[str] = field(default_factory=Counter)
    """Posts of the truth by what is right of them ("author"), and those that have it ("authors")."""


@dataclass(frozen=True)
class Trial:
    """All pages of a measurement."""

    pages: Sequence[TruthPage]
    models: Path | None

    def read(self, task: tuple[str, int]) -> Read:
        """Change a page and read it. Hits are read of every second result page."""
        name, number = task
        truth = self.pages[number]
        document = lxml.html.document_fromstring(Page(read(truth), truth.url).text)
        MUTATIONS[name](document, truth)
        source = lxml.html.tostring(document, encoding="utf-8", doctype="<!DOCTYPE html>")
        page = partial(Page, source, truth.url, {"content-type": "text/html; charset=utf-8"}, FETCHED_AT)
        posts, hits = (), ()
        if truth.kind == "forum":
            posts = extract_posts(page()).posts
        elif truth.kind == "search" and number % 2 == 0:
            hits = extract_hits(page()).hits
        fields = [(post.body, post.author or "", post.date.value[:10] if post.date else "") for post in posts]
        fields = fields or [(hit.title, hit.address or "") for hit in hits]
        if truth.records:
            found = [record.text for record in extract_records(page()).records]
            true = TrueRecords([record.text for record in truth.records])
            counts = Counts(len(match(true, found)), len(found), len(truth.records))
            return Read(counts, fields, counts.f1, _right(posts, truth) if truth.kind == "forum" else Counter())
        folder = self.models / f"fold-{truth.fold}" if self.models else None
        params = {"model": str(folder / "combined.npz"), "kinds": str(folder / "kinds.npz")} if folder else None
        return Read(None, fields, _word_f1(extract(page(), params=params).text, truth.text or ""))


def _word_f1(text: str, truth: str) -> float:
    found, true = (Counter(re.findall(r"\w+", each.lower())) for each in (text, truth))
    return 2 * (found & true).total() / max(1, found.total() + true.total())


def _right(posts: Sequence[PostFields], truth: TruthPage) -> Counter[str]:
    """Of each true post whether one has its words, and whether that one has its author and its day."""
    right: Counter[str] = Counter()
    for record in truth.records:
        body, author, day = (*record.fields, "", "", "")[:3] if record.fields else (record.text, "", "")
        post = max(posts, key=lambda post: _word_f1(post.body, body), default=None)
        found = post if post is not None and _word_f1(post.body, body) > 0.8 else None
        shown = found.date.evidence if found is not None and found.date else ""
        right.update(posts=1, post=found is not None, authors=bool(author), dates=bool(day))
        right["author"] += bool(author and found and found.author and found.author in author)
        right["date"] += bool(day and shown and (shown in day or day in shown))
    return right


_SETS = ("search", "list", "forum", "threads")
_Row = tuple[TruthPage, Read, Read]
"""A page, what was read of it, and of the page as it is."""


def _set(truth: TruthPage) -> str:
    return truth.kind if truth.records else "threads"


def line(rows: Sequence[_Row]) -> str:
    """A line of the table."""
    cells = []
    for name in _SETS[:3]:
        counts = [own.counts for truth, own, _ in rows if _set(truth) == name and own.counts]
        pooled = Counts(sum(c.right for c in counts), sum(c.predicted for c in counts), sum(c.true for c in counts))
        cells.append(f"{pooled.f1:.3f} {fsum(c.f1 for c in counts) / max(1, len(counts)):.3f}".ljust(13))
    words = [own.f1 for truth, own, _ in rows if _set(truth) == "threads"]
    right = sum((own.right for _, own, _ in rows), Counter[str]())
    same: Counter[str] = Counter()
    for truth, own, was in rows:
        if truth.kind == "search":
            same.update(hits=len(was.fields), hit=(Counter(was.fields) & Counter(own.fields)).total())
        heads = {body: head for body, *head in own.fields if head[1:]}
        for body, *head in was.fields if truth.kind == "forum" else ():
            one = heads.get(body, ())
            same.update(bodies=1, body=bool(one), author=[*one[:1]] == head[:1], day=[*one[1:]] == head[1:])
    shares = [fsum(words) / max(1, len(words))]
    shares += [right[name] / max(1, right[f"{name}s"]) for name in ("post", "author", "date")]
    shares += [same[name] / max(1, same["bodies"]) for name in ("body", "author", "day")]
    shares.append(same["hit"] / max(1, same["hits"]))
    return "  ".join(cells) + "".join(f"{share:7.3f}" for share in shares)


def losses(rows: Sequence[_Row], count: int) -> Iterator[str]:
    """The pages that lose most; those of fold 0 are never named."""
    lost: list[tuple[float, str]] = []
    for truth, own, was in rows:
        gone = (Counter(was.fields) - Counter(own.fields)).total()
        text = f"    {truth.id:50} F1 {was.f1:.3f} {own.f1:.3f}, {gone} of {len(was.fields)} posts or hits are others"
        lost += [(was.f1 - own.f1 + gone / max(20, len(was.fields)), text)] if truth.fold else []
    yield from (text for loss, text in sorted(lost, reverse=True)[:count] if loss > 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="*", type=Path, default=[RECORDS, MODERN], help="records, and modern pages")
    parser.add_argument("--models", metavar="DIR", type=Path, help="models of cross_validation --combined --models DIR")
    parser.add_argument("--only", metavar="NAME", nargs="+", choices=[*MUTATIONS], default=[*MUTATIONS])
    parser.add_argument("--sets", metavar="NAME", nargs="+", choices=_SETS, default=_SETS, help=f"of: {', '.join(_SETS)}")
    parser.add_argument("--folds", metavar="N", nargs="+", type=int, default=range(5), help="default: all")
    parser.add_argument("--worst", metavar="N", type=int, default=0, help="name the pages of folds 1-4 that lose most")
    arguments = parser.parse_args()
    records, modern = arguments.data
    pages = datasets.load([records], "records")
    pages += [page for page in datasets.load([modern]) if page.kind == "forum" and page.text]
    pages = [page for page in pages if page.fold in arguments.folds and _set(page) in arguments.sets]
    trial = Trial(pages, arguments.models)
    kinds = "  ".join(f"{name:13}" for name in _SETS[:3])
    print(f"{'':32}{kinds}  words  posts author   date  =body  =auth   =day  =hits")
    base: list[Read] = []
    with get_context("fork").Pool(2) as pool:
        for name in dict.fromkeys(["unchanged", *arguments.only]):
            found = pool.map(trial.read, [(name, number) for number in range(len(pages))], 4)
            base = base or found
            rows = list(zip(pages, found, base, strict=True))
            print(f"{name:32}{line(rows)}", *losses(rows, arguments.worst), sep="\n", flush=True)


if __name__ == "__main__":
    main()
