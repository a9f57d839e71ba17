"""Messages that a page shows as they were sent: header lines ("From: …", "Date: …"), an empty line, the text (RFC 5322).

Archives of mailing lists (public-inbox, plain dumps) print a message as one preformatted text, so its head and its body are
no elements of their own. Here the lines of ``<pre>`` elements are read: header lines, one of which names the sender, are a
head, which must name a day, too; the text runs to the end of the element, without the lines at its end that only hold links.

Such a text may also be quoted in an article or a post. So messages count only if they hold much of the page's text, or if
the page is named after the subject of its only one.

Cost: nothing on a page without preformatted text; else one pass over its lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from newsextract.fields.post_elements import link_around, words
from newsextract.fields.post_fields import PostDates, clean_name, post_dates
from newsextract.fields.post_quotes import Line, PostText, told_apart
from newsextract.page.nodes import Nodes
from newsextract.page.page import Page
from newsextract.records.leaves import has_word
from newsextract.results import ReportDate

_HEADER = re.compile(r"\s{0,4}([^\W\d_][\w -]{0,24}): ?(.*)")
_MAX_HEAD = 40
"""Lines of a head, those that continue another one counted."""
_MAX_MESSAGES = 2_000
_MOST = 0.4
"""Least share of the page's text that is messages: the overview of a thread below a short message may be longer."""
_BESIDE = re.compile(r"\([^()]*\)")
SUBJECTS = frozenset("subject betreff objet asunto oggetto onderwerp тема 主题 主題 标题 標題 主旨 件名 제목".split())
_REPLY = "in-reply-to"
_REPLY_LINK = re.compile(r"mailto:[^?]+\?(?:[^#]*&)?(?:subject|in-reply-to)=", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MailMessage:
    """One message."""

    author: str
    date: ReportDate
    text: PostText
    links: tuple[tuple[str, str], ...]
    """Words and ``href`` of the links in its head, in order."""
    reply_to: str | None
    """``href`` of the link to the message that it answers."""


@dataclass(frozen=True, slots=True)
class _WrittenLine:
    text: str
    is_linked: bool
    """Whether it has words and all of them are the text of links."""
    links: tuple[tuple[str, str], ...]


def mail_messages(page: Page, nodes: Nodes) -> tuple[MailMessage, ...]:
    """The messages of a page, in order; none where something else holds most of its text."""
    found: list[tuple[MailMessage, str]] = []
    size = 0
    dates = post_dates(page)
    end = 0
    for node in nodes.by_tag["pre"]:
        if node < end:
            continue
        end = int(nodes.ends[node])
        lines = _lines(nodes, node)
        for start, stop in _heads(lines):
            if len(found) >= _MAX_MESSAGES:
                break
            message, subject = _message(lines, start, stop, dates)
            if message is not None:
                found.append((message, subject))
                size += sum(len(line.text) for line in lines)
                break  # one begins in each element
    if not found:
        return ()
    whole, subject = sum(len(nodes.texts[node]) for node in nodes.shown), found[0][1].lower()
    is_title = len(found) == 1 and bool(subject) and subject in (page.metadata.title or "").lower()
    return tuple(message for message, _ in found) if is_title or size >= _MOST * whole else ()


def reads_as_mail(page: Page) -> bool:
    """Whether a page shows mail messages, also if the head is markup above the text, with a link to reply (pipermail)."""
    nodes = page.nodes
    roots = nodes.by_tag["pre"]
    if not roots or mail_messages(page, nodes):
        return bool(roots)
    texts = {node for root in roots for node in nodes.text_nodes(root)}
    size = sum(len(nodes.texts[node]) for node in texts)
    if size < _MOST * sum(len(nodes.texts[node]) for node in nodes.shown):
        return False
    return any(_REPLY_LINK.match(attributes.get("href", "")) for attributes in nodes.attributes)


def _lines(nodes: Nodes, root: int) -> list[_WrittenLine]:
    """The lines of a preformatted text."""
    lines: list[tuple[list[tuple[str, bool]], list[tuple[str, str]]]] = [([], [])]
    seen = -1
    for node in nodes.text_nodes(root):
        link = link_around(nodes, node, root)
        written = nodes.preformatted.get(node, nodes.texts[node])
        for number, text in enumerate(written.split("\n")):
            if number:
                lines.append(([], []))
            lines[-1][0].append((text, link >= 0))
            if link >= 0 and link != seen:
                lines[-1][1].append((nodes.text(link), nodes.attributes[link].get("href", "")))
                seen = link
    return [
        _WrittenLine(
            "".join(text for text, _ in parts).rstrip(),
            any(is_linked for _, is_linked in parts) and all(is_linked or not has_word(text) for text, is_linked in parts),
            tuple(links),
        )
        for parts, links in lines
    ]


def _heads(lines: Sequence[_WrittenLine]) -> list[tuple[int, int]]:
    """Where heads begin, and where their texts do: runs of header lines, one of which names a sender."""
    senders = words()["labels"]["author"]
    found: list[tuple[int, int]] = []
    number = 0
    while number < len(lines):
        start = number
        is_named = False
        while number < min(len(lines), start + _MAX_HEAD) and (text := lines[number].text).strip():
            match = _HEADER.fullmatch(text)
            if match is None and (number == start or text[0] not in " \t"):
                break
            is_named = is_named or (match is not None and match[1].lower() in senders)
            number += 1
        if is_named and number - start >= 2 and (number == len(lines) or not lines[number].text.strip()):
            found.append((start, number))
        number = max(number, start + 1)
    return found


def _message(lines: Sequence[_WrittenLine], start: int, stop: int, dates: PostDates) -> tuple[MailMessage | None, str]:
    """The message whose head is the lines from ``start`` to ``stop``, and its subject."""
    dated, named = words()["labels"]["date"], words()["labels"]["author"]
    author: str | None = None
    date: ReportDate | None = None
    reply: str | None = None
    subject = ""
    for line in lines[start:stop]:
        match = _HEADER.fullmatch(line.text)
        if match is None:
            continue
        label, value = match[1].lower(), match[2]
        is_name = label in named and author is None
        if is_name or (label in dated and date is None):
            value = _BESIDE.sub("", value) if is_name else value
            day = next((parsed for parsed in dates.text(value) if parsed.day is not None), None)
            date = date or (day.report("text") if day is not None else None)
            if is_name:
                author = clean_name(value.partition(day.evidence)[0].rstrip(" @,|") if day is not None else value)
        elif label in SUBJECTS:
            subject = subject or value.strip()
        elif label == _REPLY and line.links:
            reply = line.links[0][1]
    if author is None or date is None:
        return None, ""
    body = list(lines[stop:])
    while body and (body[-1].is_linked or not has_word(body[-1].text)):
        body.pop()
    text = told_apart([Line(" ".join(line.text.split()), preformatted=True) for line in body], {})
    if not (text.own or text.quotes):
        return None, ""
    links = tuple(link for line in lines[start:stop] for link in line.links)
    return MailMessage(author, date, text, links, reply), subject
