"""How much of what stands around an article gets into its text where no class tells what it is; what other markup changes.

    python -m benchmarks.insertions [MODERN] [--models DIR] [--step 4] [--only NAME …]

MODERN is the data set of modern pages (by default ../shared/bench/modern), DIR the models of
``python -m benchmarks.cross_validation --combined --models DIR``: each article is read by the networks that do not know its
site. Without DIR the shipped model is used, which knows all pages. Taken is every fourth article of the folds that have a
model, without fold 0. Ten posts of threads of the same data set, or boxes written here, are put behind its last paragraph,
between its paragraphs, at the top of the page, or above or below its ``h1``, with class names made by a program. Two minutes
for ten lines of the table on two cores. Beside the text: how many titles, days and sets of authors are right.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import lxml.html

from newsextract import Page, extract, extract_posts
from newsextract.lab import datasets
from newsextract.lab.datasets import TruthPage, read
from newsextract.lab.runner import FETCHED_AT

MODERN = Path("../shared/bench/modern")
_WORD = re.compile(r"\w+")


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _key(text: str) -> str:
    return f" {' '.join(_words(text))} "


@dataclass(frozen=True)
class Material:
    """What is inserted: names and texts of posts, first lines and paragraphs of other articles."""

    posts: Sequence[tuple[str, str]]
    heads: Sequence[str]
    paragraphs: Sequence[Sequence[str]]


def _class(source: random.Random) -> str:
    return f"css-{source.getrandbits(32):x}"


# --- comments -------------------------------------------------------------------------------------


def _comment(style: str, name: str, text: str, source: random.Random, classes: Sequence[str]) -> str:
    name, body = escape(name), "".join(f"<p>{escape(line)}</p>" for line in text.split("\n") if line.strip())
    ago = f"{source.randint(2, 23)} hours ago"
    day = f"May {source.randint(2, 28)}, 2025 at {source.randint(1, 12)}:{source.randint(10, 59)} pm"
    outer, head, inner = classes[:3]
    if style == "list":
        return f"<li><b>{name}</b> {day}<br>{body}</li>"
    if style == "signed":
        return f"{body}<p class={inner}>Posted by: {name} | {day}</p>"
    if style == "article":
        header = f"<header><strong>{name}</strong> <time>{day}</time></header>"
        return f"<article class={outer}>{header}{body}<footer><a href=#r>Reply</a></footer></article>"
    if style == "says":
        said = f"<p><a href=http://{inner}.example>{name}</a> says:</p><p><a href=#c>{day}</a></p>"
        return f"<div class={outer}>{said}{body}</div>"
    if style == "likes":
        likes = f"<div>{source.randint(0, 40)} likes</div>"
        return f"<div class={outer}><div class={head}>{name}</div><div>{body}</div>{likes}</div>"
    return (
        f"<div class={outer}><div class={head}><span>{name}</span><span>{ago}</span></div>{body}<button>Reply</button></div>"
    )


_HEADINGS = {"untitled": "", "conversation": "<h3>Join the conversation</h3>", "likes": "<h2>Reader comments</h2>"}


def _comments(style: str, source: random.Random, material: Material) -> tuple[str, list[str]]:
    classes = [_class(source) for _ in range(4)]
    posts = source.sample(material.posts, 10)
    body = "".join(_comment(style, name, text, source, classes) for name, text in posts)
    body = f"<ol>{body}</ol>" if style == "list" else body
    lines = [line for _, text in posts for line in text.split("\n") if len(_words(line)) > 5]
    return f"<div class={classes[3]}>{_HEADINGS.get(style, '<h2>10 Comments</h2>')}{body}</div>", lines


# --- boxes ----------------------------------------------------------------------------------------

BOXES = {
    "newsletter": (
        "<h3>The Morning Brief</h3><p>{}</p><form><input type=email><button>Sign up</button></form><p>{}</p>",
        "Get our best stories and analysis delivered to your inbox every weekday morning.",
        "By signing up, you agree to our terms of service and acknowledge that you have read our privacy policy.",
    ),
    "biography": (
        "<img src=/a.jpg><div><h4><a href=/author/anna>Anna Miller</a></h4><p>{}</p></div>",
        "Anna Miller is a senior reporter who covers local politics. She joined us in 2019 and lives with two dogs.",
    ),
    "donation": (
        "<h3>We need your help</h3><p>{}</p><p>{}</p><a href=/support>Support us</a>",
        "Our newsroom is funded by readers like you, and we have no owner who tells us what to write.",
        "If you value independent reporting, please consider a small contribution today. Every amount helps us.",
    ),
    "disclaimer": (
        "<p>{}</p>",
        "The information provided here is for general purposes only and does not constitute legal or medical advice.",
    ),
    "subscription": (
        "<h3>Subscribe for $1 a week</h3><ul><li>{}</li><li>{}</li></ul><a href=/subscribe>Subscribe now</a>",
        "Unlimited access to all articles on our website and in our apps",
        "Cancel at any time during your trial, and pay nothing",
    ),
    "caption": (
        "<img src=/x.jpg width=800><div>{}</div>",
        "The mayor speaks to reporters in front of the town hall after the vote on Monday evening. Photo: J. Doe",
    ),
    "cookies": (
        "<h2>We value your privacy</h2><p>{}</p><button>I Accept</button><button>Manage</button>",
        "We and our 842 partners store and access personal data, like browsing data or unique identifiers, on your device.",
    ),
}  # fmt: skip


def _box(name: str, source: random.Random, material: Material) -> tuple[str, list[str]]:
    outer, inner = _class(source), _class(source)
    heads = [escape(head) for head in source.sample(material.heads, 6)]
    other = source.choice(material.paragraphs)
    if name in ("teasers", "dated teasers"):
        texts = [" ".join(source.choice(material.paragraphs)[-1].split()[:28]) + "…" for _ in heads]
        cards = zip(heads, texts, strict=True)
        days = [f"<i>By Anna Miller</i> <i>May {source.randint(2, 28)}, 2025</i>" if "dated" in name else "" for _ in heads]
        body = "<h2>Latest stories</h2>" + "".join(
            f"<div class={inner}><h3><a href=/s/{number}>{head}</a></h3>{day}<p>{escape(text)}</p></div>"
            for number, ((head, text), day) in enumerate(zip(cards, days, strict=True))
        )
    elif name == "card":
        texts = [heads[0], " ".join(other[0].split()[:25]) + "…"]
        body = f"<div>Read next</div><a class={inner} href=/r><h4>{heads[0]}</h4><p>{escape(texts[1])}</p></a>"
    elif name == "linked headlines":
        texts = heads[:2]
        body = "<span>Related</span>" + "".join(f"<a href=/{head[:3]}>{head}</a>" for head in texts)
    elif name == "most read":
        texts = heads
        body = "<h3>Most read</h3><ol>" + "".join(f"<li><a href=/m>{head}</a></li>" for head in heads) + "</ol>"
    elif name == "next story":
        texts = list(other[:8])
        body = f"<h1><a href=/s>{heads[0]}</a></h1><div>By Jane Roe</div>" + "".join(
            f"<p>{escape(text)}</p>" for text in texts
        )
    else:
        form, *texts = BOXES[name]
        body = form.format(*texts)
    return f"<div class={outer}>{body}</div>", texts


_COMMENTS = ("titled", "untitled", "conversation", "list", "signed", "article", "says", "likes")
_BEHIND = (
    "teasers",
    "newsletter",
    "biography",
    "donation",
    "disclaimer",
    "subscription",
    "cookies",
    "most read",
    "next story",
)
_ABOVE = ("teasers", "dated teasers", "most read")
_BETWEEN = ("newsletter", "donation", "caption", "card", "linked headlines")
_Make = Callable[[random.Random, Material], tuple[str, list[str]]]
INSERTIONS: dict[str, tuple[_Make, str]] = {
    **{f"comments, {style}": (partial(_comments, style), "behind") for style in _COMMENTS},
    **{f"{name} behind": (partial(_box, name), "behind") for name in _BEHIND},
    **{f"{name} between": (partial(_box, name), "between") for name in _BETWEEN},
    **{f"{name} {place}": (partial(_box, name), place) for place in ("top", "above h1", "below h1") for name in _ABOVE},
}
"""What makes an insertion, and where it is put."""


def _insert(document: Any, truth: str, made: str, place: str) -> bool:
    """Put an insertion between the paragraphs of a text, behind the element that holds most of it, or above it.

    :returns: False if the page has too few paragraphs, or no headline.
    """
    headline = next(document.iter("h1"), None)
    if place == "top":
        document.body.insert(0, lxml.html.fragment_fromstring(made))
        return True
    if place in ("above h1", "below h1"):
        if headline is not None:
            new = lxml.html.fragment_fromstring(made)
            headline.addprevious(new)
            if place == "below h1":  # lxml moves what stands behind an element along with it
                new.addprevious(headline)
        return headline is not None
    true = _key(truth)
    texts = [p for p in document.iter("p") if len(_key(p.text_content())) > 60 and _key(p.text_content()) in true]
    if len(texts) < 4:
        return False
    new = lxml.html.fragment_fromstring(made)
    if place == "between":
        texts[len(texts) // 2].addnext(new)
        return True
    child, holder = texts[-1], texts[-1].getparent()
    while holder.tag not in ("article", "main", "body") and len(_words(holder.text_content())) < 0.6 * len(_words(truth)):
        child, holder = holder, holder.getparent()
    if holder.tag == "body":
        child, holder = texts[-1], texts[-1].getparent()
    # What holds much more than the text is the page: there the insertion follows the text's last part.
    is_page = len(_words(holder.text_content())) > 1.8 * len(_words(truth))
    (child if is_page or holder.tag == "body" else holder).addnext(new)
    return True


# --- markup ---------------------------------------------------------------------------------------


def _renamed(document: Any, old: Sequence[str], new: str) -> None:
    for element in list(document.iter(*old)):
        element.tag = new


def _without_names(document: Any) -> None:
    for element in document.iter("*"):
        for name in ("class", "id"):
            element.attrib.pop(name, None)


def _with_made_names(document: Any) -> None:
    source, names = random.Random(0), dict[str, str]()
    for element in document.iter("*"):
        for name in ("class", "id"):
            if element.get(name):
                element.set(name, " ".join(names.setdefault(word, _class(source)) for word in element.get(name).split()))


def _without_metadata(document: Any) -> None:
    for element in list(document.iter("script", "meta")):
        element.drop_tree()


MARKUP: dict[str, Callable[[Any], None]] = {
    "unchanged": lambda document: None,
    "paragraphs as div": partial(_renamed, old=["p"], new="div"),
    "headings as div": partial(_renamed, old=["h2", "h3", "h4", "h5"], new="div"),
    "lists as div": partial(_renamed, old=["ul", "ol", "li"], new="div"),
    "no article, main …": partial(
        _renamed, old=["article", "main", "section", "header", "footer", "nav", "aside", "figure", "figcaption"], new="div"
    ),
    "no class, no id": _without_names,
    "made class and id": _with_made_names,
    "no meta, no JSON-LD": _without_metadata,
}


# --- measurement ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """All pages of a measurement."""

    pages: Sequence[TruthPage]
    material: Material
    models: Path | None

    def params(self, page: TruthPage) -> dict[str, str]:
        """The models that do not know the page's site."""
        folder = self.models / f"fold-{page.fold}" if self.models else None
        return {"model": str(folder / "combined.npz"), "kinds": str(folder / "kinds.npz")} if folder else {}

    def measured(self, task: tuple[str, int]) -> tuple[float | None, ...] | None:
        """The share of the insertion that is taken, the word F1 of the text, and whether title, day and authors are right.

        :returns: figures of which some are None where the truth has none; None if the page has no place for the insertion.
        """
        name, number = task
        truth = self.pages[number]
        page = Page(read(truth), truth.url, fetched_at=FETCHED_AT)
        document, lines = lxml.html.document_fromstring(page.text), list[str]()
        if name in MARKUP:
            MARKUP[name](document)
        else:
            make, place = INSERTIONS[name]
            made, lines = make(random.Random(number), self.material)
            if not _insert(document, truth.text or "", made, place):
                return None
        changed = Page.from_text(lxml.html.tostring(document, encoding="unicode"), truth.url)
        article = extract(changed, params=self.params(truth))
        text = _key(article.text)
        taken = sum(_key(line) in text for line in lines) / len(lines) if lines else None
        found, true = Counter(_words(article.text)), Counter(_words(truth.text or ""))
        return (
            taken,
            2 * (found & true).total() / max(1, found.total() + true.total()),
            float(article.title == truth.title) if truth.title else None,
            float((article.date or "")[:10] == truth.date[:10]) if truth.date else None,
            float(set(article.authors) == set(truth.authors)) if truth.authors else None,
        )


def material(pages: Sequence[TruthPage]) -> Material:
    """The posts and articles of a data set."""
    posts: list[tuple[str, str]] = []
    for page in pages:
        if page.kind == "forum" and len(posts) < 300:
            found = extract_posts(Page(read(page), page.url, fetched_at=FETCHED_AT)).posts
            posts += [(post.author or "Anna", post.body) for post in found if 40 < len(post.body) < 600]
    texts = [[line for line in (page.text or "").split("\n") if 80 < len(line) < 500] for page in pages]
    paragraphs = [lines for lines in texts if len(lines) > 3]
    return Material(posts, [" ".join(lines[0].split()[:9]) for lines in paragraphs], paragraphs)


def rows(trial: Trial, names: Sequence[str]) -> Iterator[str]:
    """A line of the table for each name."""
    with get_context("fork").Pool(2) as pool:
        for name in names:
            found = pool.map(trial.measured, [(name, number) for number in range(len(trial.pages))], 4)
            told = [each for each in found if each is not None]
            means = [[value for value in column if value is not None] for column in zip(*told, strict=True)]
            figures = (f"{sum(values) / len(values):9.3f}" if values else f"{'':9}" for values in means)
            yield f"{name:28}{len(told):6}{''.join(figures)}"


def main() -> None:
    every = [*MARKUP, *INSERTIONS]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", metavar="MODERN", nargs="?", type=Path, default=MODERN, help="data set of modern pages")
    parser.add_argument("--models", metavar="DIR", type=Path, help="models of cross_validation --combined --models DIR")
    parser.add_argument("--step", type=int, default=4, help="every n-th article (default: 4)")
    parser.add_argument(
        "--only", metavar="NAME", nargs="+", choices=every, default=every, help="only these lines of the table"
    )
    arguments = parser.parse_args()
    pages = [page for page in datasets.load([arguments.directory]) if page.text and page.fold]
    folds = [
        fold for fold in range(1, 5) if not arguments.models or (arguments.models / f"fold-{fold}/combined.npz").exists()
    ]
    articles = [page for page in pages if page.kind == "article" and page.fold in folds][:: arguments.step]
    trial = Trial(articles, material(pages), arguments.models)
    print(f"{'':28}{'pages':>6}{'taken':>9}{'word F1':>9}{'title':>9}{'day':>9}{'authors':>9}")
    for row in rows(trial, arguments.only):
        print(row, flush=True)


if __name__ == "__main__":
    main()
