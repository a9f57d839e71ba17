"""The date of a post: the best of its ``<time>`` elements, attributes and texts, read by :mod:`newsextract.fields.dates`.

Evidence, strongest first: itemprop, ``<time datetime>``, class names for dates (their attributes before their texts), texts
that say "posted", short texts with a date. Days of joining and of changes are left out, and so are quotations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from newsextract.article import ReportDate
from newsextract.fields.date_patterns import reads_month_first
from newsextract.fields.dates import parse_dates, parse_stamp
from newsextract.fields.parsed_date import ParsedDate
from newsextract.fields.post_places import elements, own_items, properties, words
from newsextract.nodes import Nodes
from newsextract.page import Page
from newsextract.record import Record
from newsextract.record_items.text_kinds import text_kind

_MAX_TEXT = 90
"""Characters of a text that is hardly more than its date."""
_BESIDE_STAMP = 30
"""Characters of a title attribute beside the date that it holds."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    parsed: ParsedDate
    source: str
    rank: float
    """Lower is better."""
    other: bool
    """Whether the page says that it is the day of something else."""


class PostDates:
    """How the dates of a page's records are read.

    :param page: its language and domain decide the order of numbers, its time of fetch what "yesterday" is; where that is
        unknown, relative dates are none.
    """

    def __init__(self, page: Page) -> None:
        tag = (page.metadata.html_lang or page.hints.language or "").lower().replace("_", "-")
        host = (page.url or "").partition("://")[2].partition("/")[0]
        self.language = tag or None
        self.fetched_at = page.time
        self.relative = page.fetched_at is not None
        self.month_first = reads_month_first(tag if "-" in tag else f"{tag or 'en'}-{host.rpartition('.')[2]}")

    def find(self, nodes: Nodes, record: Record, *, others: bool = True) -> ReportDate | None:
        """The date of one record; None when nothing tells it.

        :param others: whether the day of something else (joining, a change) will do where there is no other.
        """
        found = sorted((one for one in self._candidates(nodes, record) if others or not one.other), key=lambda one: one.rank)
        if not found:
            return None
        best = found[0]
        for other in found[1:]:
            # The same day with a time of day tells more.
            if best.parsed.clock is None and other.parsed.clock and other.parsed.calendar_day == best.parsed.calendar_day:
                best = other
                break
        return best.parsed.report(best.source)

    def stamp(self, value: str) -> ParsedDate | None:
        """The date of an attribute's value."""
        return parse_stamp(
            value, language=self.language, fetched_at=self.fetched_at, month_first=self.month_first, relative=self.relative
        )

    def text(self, text: str) -> list[ParsedDate]:
        """The dates of a text."""
        return parse_dates(
            text, language=self.language, fetched_at=self.fetched_at, month_first=self.month_first, relative=self.relative
        )

    def _candidates(self, nodes: Nodes, record: Record) -> Iterator[_Candidate]:
        lists = words()["date"]
        for place, (node, tag, attributes, classes) in enumerate(elements(nodes, record.nodes)):
            late = place / 10_000
            if not properties(attributes).isdisjoint(lists["properties"]):
                rank, source = 1.0, "itemprop"
            elif tag == "time":
                rank, source = 2.0, "time"
            elif not classes.isdisjoint(lists["classes"]):
                rank, source = 3.0, "class"
            elif "title" in attributes and (text_kind(nodes.text(node)[:_MAX_TEXT]) == "date" or self._is_stamp(attributes)):
                rank, source = 3.5, "title"
            else:
                continue
            other = _is_another(nodes, node, record)
            for parsed, later in self._marked(nodes, node):
                yield _Candidate(parsed, source, rank + late + later + (4.0 if other else 0.0), other)
        yield from self._texts(nodes, record)

    def _is_stamp(self, attributes: Mapping[str, str]) -> bool:
        """Whether an element's title is a day and a time of day, whatever is shown ("3 years")."""
        title = attributes["title"]
        if len(title) > _MAX_TEXT or not any(map(str.isdigit, title)):
            return False
        parsed = self.stamp(title)
        return (
            parsed is not None
            and not parsed.relative
            and parsed.clock is not None
            and len(title) - len(parsed.evidence) <= _BESIDE_STAMP
        )

    def _marked(self, nodes: Nodes, node: int) -> Iterator[tuple[ParsedDate, float]]:
        """The date of an element that is marked as one, and how much its rank suffers: of its attributes or those below it,
        else of its text."""
        for inner in range(node, min(int(nodes.ends[node]), node + 6)):
            for name in words()["date"]["attributes"]:
                value = nodes.attributes[inner].get(name)
                if value and (parsed := self.stamp(value)) is not None and parsed.day is not None:
                    yield parsed, 0.0
                    return
        text = nodes.text(node)
        if len(text) <= _MAX_TEXT:
            yield from ((parsed, 0.3) for parsed in self.text(text)[:1])

    def _texts(self, nodes: Nodes, record: Record) -> Iterator[_Candidate]:
        """Dates of short texts, and of any element's title attribute above a date that only counts back."""
        said = words()["date"]["posted"]
        for place, item in enumerate(own_items(nodes, record)):
            if len(item.text) > _MAX_TEXT or item.kind == "image":
                continue
            text = item.text.lower()
            for parsed in self.text(item.text)[:1]:
                rank = 4.0 if item.label == "date" or any(word in text for word in said) else 5.0
                # A sentence with a day in it is no date line.
                rank += 2.0 if len(item.text) - len(parsed.evidence) > 40 else 0.0
                other = bool(item.nodes) and _is_another(nodes, item.nodes[0], record)
                rank += (4.0 if other else 0.0) + (0.5 if parsed.day is None else 0.0)
                yield _Candidate(parsed, "text", rank + place / 1_000, other)


def _is_another(nodes: Nodes, node: int, record: Record) -> bool:
    """Whether what stands in or just before a date says that it is of something else."""
    others = words()["date"]["others"]
    root = max((r for r in record.nodes if r <= node), default=node)
    shown = nodes.text_nodes(root)
    before = [nodes.texts[i] for i in shown if i < node][-1:]
    within = [nodes.texts[i][:60] for i in nodes.text_nodes(node)[:3]]
    # A text with a date of its own says nothing of the next one.
    labels = [text[-40:] for text in before if not any(map(str.isdigit, text))]
    text = " ".join(labels + within)
    return any(word in text.lower() for word in others)
