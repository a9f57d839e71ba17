"""Hostile pages, one by one and each in a process of its own: what comes out, how long, how much memory, how much text.

    python -m benchmarks.hostile [--only NAME ...] [--inputs PART] [--json]

About a hundred inputs are made here. Most hold the same short story among what makes a parser, a scanner or an algorithm
work without end; *text* is the share of its sentences that came out. A process has 20 seconds of CPU time and 4 GiB of
memory; *bounded* is what ended by itself within them, be it with an error. Our algorithms get no worker's limits here (30 s,
1.5 GB), so that what is measured is the library alone. Peers that are not installed are named and left out.

Target: all inputs bounded for every algorithm, and for `combined` at least 95 % of the text.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from newsextract import extract, extract_records
from newsextract.lab import runner
from newsextract.page.page import Page
from newsextract.results import Record
from tests.made_snapshots import made_snapshot

CPU_SECONDS = 20
WALL_SECONDS = 600
"""A process that hangs without working ends, too; a busy machine needs long for 20 seconds of work."""
MEMORY = 4 << 30
"""Bytes of address space, beside what the process had."""
LEAST_TEXT = 0.95
ADDRESS = "https://www.example.org/story"

SENTENCES = [
    f"On the {number}th day the keeper of the {place} wrote that nobody had come to ask for the {thing}."
    for number, place, thing in zip(
        range(4, 16),
        "lighthouse harbour mill bridge market museum orchard quay station tower library canal".split(),
        "lamp ferry flour toll scales clock apples ropes tickets bell books lock".split(),
        strict=True,
    )
]
STORY = "".join(f"<p>{' '.join(SENTENCES[k : k + 3])}</p>" for k in range(0, 12, 3))


def page(before: str = "", after: str = "", head: str = "", story: str = STORY) -> bytes:
    """A page with the story, and what stands around it."""
    title = "<title>The keeper's diary</title>"
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8>{title}{head}</head><body>{before}"
        f"<article><h1>The keeper's diary</h1>{story}</article>{after}</body></html>"
    ).encode()


def nested(tag: str, count: int) -> bytes:
    """The story below so many elements of one name."""
    return page(before=f"<{tag}>" * count)


def inputs() -> Iterator[tuple[str, bytes, bool]]:
    """Name, bytes, and whether the story should come out."""
    for tag in "div|span|b|a href=x|table><tr><td|ul><li|font|blockquote|form|svg|x-y|button".split("|"):
        yield f"deep {tag}", nested(tag, 20_000), True
    for tag in "div b p li td script style title textarea noscript template select svg math".split():
        yield f"unclosed {tag} behind", page(after=f"<{tag}>" * 100_000), True
    for tag in ("/div", "/p", "/b", "/x"):
        yield f"end tags {tag}", page(before=f"<{tag}>" * 200_000), True
    yield "misnested", page(before="<b><i><p></b></i>" * 30_000), True
    yield "formatting", page(before="<p><b><i><u><a>" * 10_000), True
    yield "wide", page(after="<b></b>" * 500_000), True
    yield "paragraphs", page(after="<p>x" * 200_000), True
    yield "tag names", page(after="".join(f"<x{k}>b" for k in range(60_000))), True
    yield "attribute names", page(after="<p " + " ".join(f"a{k}=1" for k in range(60_000)) + ">x</p>"), True
    yield "attributes apart", page(after="".join(f"<p a{k}=1>x" for k in range(60_000))), True
    yield "one long attribute", page(after=f"<p title='{'x' * 5_000_000}'>x</p>"), True
    yield "one long tag", page(after=f"<a {'x' * 5_000_000}>"), True
    yield "one long word", page(after=f"<p>{'x' * 3_000_000}</p>"), True
    yield "one long line", page(after=f"<p>{'word and ' * 500_000}</p>"), True
    yield "blanks", page(after=f"<p>{' ' * 5_000_000}</p>"), True
    yield "line ends", page(after="\n" * 3_000_000), True
    yield "angle brackets", page(after="<" * 2_000_000), True
    yield "quotes", page(after="<a href='" * 200_000), True
    yield "comments open", page(after="<!--" * 300_000), True
    yield "comments", page(after="<!-- > -- -->" * 100_000), True
    yield "declarations", page(after="<!x" * 300_000), True
    yield "instructions", page(after="<?x " * 300_000), True
    yield "CDATA", page(after="<![CDATA[" * 200_000), True
    yield "ampersands", page(after="<p>" + "&" * 1_000_000), True
    yield "entities", page(after="<p>" + "&#x10FFFF;" * 200_000), True
    yield "long entity", page(after="<p>&" + "a" * 2_000_000), True
    yield "entity declarations", b'<!DOCTYPE html [<!ENTITY a "b">' + b'<!ENTITY c "&a;&a;">' * 1_000 + b"]>" + page(), True
    yield "digits", page(after="<p>" + "2025-01-" * 200_000), True
    yield "dates", page(after="<p>Posted on 1 May 2025 by</p>" * 50_000), True
    yield "bylines", page(before="<p class=byline>By By By" * 30_000), True
    yield "links", page(after="".join(f"<a href=/x/{k}>A headline of link {k}</a>" for k in range(60_000))), True
    yield "links to itself", page(after="<a href='?page=2'>2</a>" * 60_000), True
    yield "long links", page(after=f"<a href='/{'a/' * 50_000}'>x</a>" * 20), True
    yield "images", page(after="<img src=x.png alt='y'>" * 100_000), True
    yield "tables", page(after="<table><tr><td>" * 20_000), True
    yield "cells", page(after=f"<table>{'<tr>' + '<td>x' * 300}" * 300), True
    yield "colspans", page(after="<table><tr>" + "<td colspan=100000 rowspan=65000>x" * 20_000), True
    yield "meta", page(head="<meta name=author content='A B'>" * 60_000), True
    yield "titles", page(head="<title>x</title>" * 60_000), True
    yield "refreshes", page(head="<meta http-equiv=refresh content='0'>" * 60_000), True
    yield "base", page(head="<base href='//'>" * 60_000), True
    yield "headings", page(after="<h1>x</h1>" * 60_000), True
    yield "times", page(after="<time datetime=2025-01-01>x</time>" * 60_000), True
    yield "json-ld deep", page(head='<script type="application/ld+json">' + '{"a":[' * 200_000 + "</script>"), True
    yield "json-ld many", page(head='<script type="application/ld+json">{"@type":"Article"}</script>' * 20_000), True
    yield "json-ld open", page(head='<script type="application/ld+json">{"@type' * 20_000 + "</script>"), True
    yield "json-ld long", page(head=f'<script type="application/ld+json">{{"headline":"{"x" * 4_000_000}"}}</script>'), True
    yield "json-ld wrapped", page(head=f'<script type="application/ld+json">{{}}{";" * 900_000}x</script>'), True
    yield "json-ld in comments", page(head=f'<script type="application/ld+json">{{}}{"-->" * 300_000}x</script>'), True
    yield "full stops", page(after=f"<p>{'.' * 3_000_000}x</p>"), True
    yield "scripts", page(head="<script>if (a < b) { c = '</div>' }</script>" * 40_000), True
    yield "styles", page(head="<style>p > b { color: red }</style>" * 40_000), True
    yield "nul", page(after="<p>a\0b\0" * 100_000), True
    yield "utf-16", page(after="<p>x" * 1_000).decode().encode("utf-16"), True
    yield "utf-16 cut", page().decode().encode("utf-16")[:-1], True
    yield "surrogates", page(after="<p>") + b"\xed\xa0\x80" * 100_000, True
    yield "broken utf-8", page(after="<p>") + b"\xc3\x28\xff" * 200_000, True
    yield "many charsets", page(head="<meta charset=utf-7><meta charset=x-none>" * 1_000), True
    yield "right to left", page(after="<p>" + "\u202e\u2066" * 300_000), True
    yield "combining", page(after="<p>a" + "\u0301" * 500_000), True
    yield "escapes", page(after="<p>\x1b]52;c;AAAA\x07" * 50_000), True
    yield "repeated story", page(after=f"<div>{STORY}</div>" * 300), True
    yield (
        "teasers",
        page(
            after="".join(
                f"<div class=teaser><h2><a href=/{k}>T {k}</a></h2><p>In short {k}.</p></div>" for k in range(20_000)
            )
        ),
        True,
    )
    yield (
        "comments of readers",
        page(after="".join(f"<div class=comment><b>u{k}</b><p>I think that {k}.</p></div>" for k in range(20_000))),
        True,
    )
    yield "hidden", page(after="<div hidden style='display:none'><p>x</p></div>" * 50_000), True
    yield "frames", page(after="<iframe src=x></iframe><frame><frameset>" * 30_000), True
    yield "shadow", page(after="<template shadowrootmode=open><p>x</p></template>" * 30_000), True
    yield "random bytes", random.Random(1).randbytes(1_000_000), False
    yield "random bytes with a tag", b"<p>" + random.Random(2).randbytes(1_000_000), False
    yield "gzip", zlib.compress(page(), 9), False
    yield "pdf", b"%PDF-1.7\n" + b"x" * 100_000, False
    yield "empty", b"", False
    yield "blank", b" \n" * 500_000, False
    yield "over the cap", page(after="<p>x" * 4_000_000), False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of an input."""

    contender: str
    name: str
    outcome: str
    """``text``, ``none`` (no text), ``error``, ``CPU``, ``memory`` or ``died``."""
    detail: str
    seconds: float
    """CPU time."""
    megabytes: float
    """Resident memory, more than before."""
    kept: float | None
    """Share of the story's sentences; None where there is none."""

    @property
    def is_bounded(self) -> bool:
        """Whether it ended by itself."""
        return self.outcome in ("text", "none", "error")


def reader(contender: runner.Contender, kind: str) -> Callable[[bytes], str]:
    """From bytes to text."""
    if contender.origin == "peer":
        peer = runner.PEERS[contender.key]

        def other(body: bytes) -> str:
            with runner.undisturbed():
                return peer.extract(body, ADDRESS, "articles").text or ""

        return other
    if kind == "article":
        return lambda body: extract(body, ADDRESS, contender.key, contender.params).text
    return lambda body: _joined(extract_records(body, ADDRESS, contender.key, contender.params))


WRAPPER = """{<body>#</body>, root, get()}
{<article>#</article>, story, root}
{<p>#</p>, paragraph, story}
"""
"""A wrapper of the story's page."""


@contextmanager
def further() -> Iterator[dict[str, Callable[[bytes], str]]]:
    """Our record algorithms in the ways that need more than a page: with a wrapper, and with a snapshot."""
    with tempfile.TemporaryDirectory() as folder:
        wrapper = Path(folder) / "story.oem"
        wrapper.write_text(WRAPPER)

        def wrapped(body: bytes) -> str:
            return _joined(extract_records(body, ADDRESS, "oem", {"wrapper": str(wrapper)}))

        def drawn(body: bytes) -> str:
            page = Page.from_snapshot(made_snapshot(Page(body, ADDRESS).text, ADDRESS))
            return _joined(extract_records(page, algorithm="visual_blocks"))

        yield {"oem, wrapper": wrapped, "visual_blocks, snapshot": drawn}


def _joined(found: Iterable[Record]) -> str:
    return "\n".join(record.text for record in found)


def isolated(read: Callable[[bytes], str], contender: str, name: str, body: bytes, has_story: bool) -> Outcome:
    """Read one input in a child process with limits."""
    back, forth = os.pipe()
    began = monotonic()
    child = os.fork()
    if not child:
        os.close(back)
        os._exit(_child(read, body, has_story, forth))
    os.close(forth)
    with os.fdopen(back, "rb") as pipe:
        told = pipe.read()
    _, status, used = os.wait4(child, 0)
    mine = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds, megabytes = used.ru_utime + used.ru_stime, max(0, used.ru_maxrss - mine) / 1024
    if told:
        outcome, detail, kept = json.loads(told)
    else:
        late = monotonic() - began >= WALL_SECONDS
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        outcome = "CPU" if number == signal.SIGXCPU or late or seconds >= CPU_SECONDS else "died"
        detail = signal.Signals(number).name if number else f"exit {os.WEXITSTATUS(status)}"
        kept = 0.0 if has_story else None
    return Outcome(contender, name, outcome, detail, seconds, megabytes, kept)


def _child(read: Callable[[bytes], str], body: bytes, has_story: bool, forth: int) -> int:
    """What the child does; its exit code."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    with open("/proc/self/statm") as file:
        limit = int(file.read().split()[0]) * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.alarm(WALL_SECONDS)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        text = read(body)
        flat = " ".join(text.split())
        kept = sum(sentence in flat for sentence in SENTENCES) / len(SENTENCES) if has_story else None
        told: list[Any] = ["text" if flat else "none", f"{len(text)} characters", kept]
    except MemoryError:
        told = ["memory", "MemoryError", 0.0 if has_story else None]
    except BaseException as error:  # noqa: BLE001  # reason: what an extractor raises is what is measured
        told = ["error", type(error).__name__, 0.0 if has_story else None]
    os.write(forth, json.dumps(told).encode())
    return 0


def measure(only: Sequence[str] = (), part: str = "") -> Iterator[Outcome]:
    """All contenders on all inputs.

    :param only: names of contenders; none: our algorithms in their default presets, the installed peers, and ``oem`` with a
        wrapper and ``visual_blocks`` with a snapshot.
    :param part: of the names of inputs.
    """
    chosen = [(one, "article") for one in runner.all_algorithms()[0] if ":" not in one.name]
    chosen += [(one, "records") for one in runner.all_algorithms("records")[0] if ":" not in one.name]
    peers, skipped = runner.all_peers()
    chosen += [(one, "article") for one in peers]
    for line in runner.told(skipped):
        print(line, file=sys.stderr)
    with further() as more:
        readers = [(contender.name, partial(reader, contender, kind)) for contender, kind in chosen]
        readers += [(name, partial(lambda read: read, read)) for name, read in more.items()]
        yield from _each(readers, only, part)


def _each(
    readers: Iterable[tuple[str, Callable[[], Callable[[bytes], str]]]], only: Sequence[str], part: str
) -> Iterator[Outcome]:
    for contender, load in readers:
        if only and contender not in only:
            continue
        read = load()
        try:
            read(page())  # imports and models, before the fork
        except Exception as error:  # noqa: BLE001  # reason: a contender that does not work must not stop the others
            print(f"left out: {contender}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        for name, body, has_story in inputs():
            if part in name:
                yield isolated(read, contender, name, body, has_story)


def table(found: Sequence[Outcome]) -> Iterator[str]:
    """A line for each contender, and the inputs that were not bounded, slow, or lost text."""
    yield f"{'':22s}{'bounded':>10s}{'errors':>8s}{'text kept':>11s}{'median s':>10s}{'worst s':>9s}{'worst MB':>10s}"
    for name in dict.fromkeys(one.contender for one in found):
        mine = [one for one in found if one.contender == name]
        kept = [one.kept for one in mine if one.kept is not None]
        seconds = sorted(one.seconds for one in mine)
        yield (
            f"{name:22s}{sum(one.is_bounded for one in mine):>6d}/{len(mine)}"
            f"{sum(one.outcome == 'error' for one in mine):>8d}"
            f"{sum(kept) / max(1, len(kept)):>11.1%}{seconds[len(seconds) // 2]:>10.2f}{seconds[-1]:>9.2f}"
            f"{max(one.megabytes for one in mine):>10.0f}"
        )
    for name in dict.fromkeys(one.contender for one in found if one.contender in ("combined", *_OURS)):
        for one in found:
            lost = one.kept is not None and one.kept < 1
            if one.contender == name and (not one.is_bounded or one.seconds > 5 or (lost and name == "combined")):
                kept = "" if one.kept is None else f", {one.kept:.0%} of the text"
                cost = f"{one.seconds:.1f} s, {one.megabytes:.0f} MB"
                yield f"  {name}: {one.name}: {one.outcome} ({one.detail}), {cost}{kept}"


_OURS = (
    "block_statistics", "page_segmentation", "visual_blocks", "node_attributes", "naive_bayes", "text_density", "mdr", "oem",
    "oem, wrapper", "visual_blocks, snapshot",
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=(), help="names of contenders")
    parser.add_argument("--inputs", default="", help="inputs with this in their names")
    parser.add_argument("--json", action="store_true", help="every outcome as a line of JSON")
    options = parser.parse_args(arguments)
    found = []
    for one in measure(options.only, options.inputs):
        found.append(one)
        if options.json:
            print(json.dumps(asdict(one)), flush=True)
        elif sys.stderr.isatty():
            print(f"\r{len(found)} {one.contender}: {one.name:40.40s}", end="", file=sys.stderr)
    if not options.json:
        print("\n".join(table(found)))
    ours = [one for one in found if one.contender in ("combined", *_OURS)]
    kept = [one.kept for one in found if one.contender == "combined" and one.kept is not None]
    is_met = all(one.is_bounded for one in ours) and (not kept or sum(kept) / len(kept) >= LEAST_TEXT)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
