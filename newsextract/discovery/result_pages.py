"""Where the hits of a search go on: a link, a picture or a button of a form that leads to the next result page.

:mod:`newsextract.discovery.pagination` knows counters by the names of their parameters. Engines count by any name
(``whence=20``, ``TOPDOC=10``), add parameters of their own, show pictures instead of words, or have a form whose buttons
name the pages. What tells their next page is the query: its URL still asks for it. Among the URLs that do, evidence is,
strongest first: a label that says "next" where a number of the URL goes up; a label with the number of the next page; a
label that says "next" on a button.

Cost: one pass over the page's nodes; only controls with a short label are resolved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote_plus, urlencode

from newsextract.discovery.addresses import registered_domain
from newsextract.discovery.pagination import page_number, says_next, written_next_page
from newsextract.discovery.references import References, host_of
from newsextract.nodes import Nodes
from newsextract.page import Page

MAX_LABEL = 40
"""Characters of a label that may be a pager's."""
MAX_CONTROLS = 300
"""Controls of one form that are read."""
MAX_CANDIDATES = 500
_NUMBER = re.compile(r"\d{1,7}")
_STEPS = re.compile(r"[/&;?#]|(?<=\w)[._-](?=\d)")
_NEXT_CLASS = re.compile(r"(?:^|[\s_-])next(?:$|[\s_-])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Control:
    """A link or button that may lead to another result page."""

    url: str
    says_next: bool
    number: int | None
    is_button: bool


def next_results(page: Page, query: str, number: int) -> str | None:
    """URL of the following result page as the page writes it, or None.

    :param query: that was asked for.
    :param number: of this result page, 1 for the first.
    """
    references = References.of(page, written=True)
    folded = " ".join(query.split()).casefold()
    # What this page was asked for may be more than the query: "site:example.org tide tables".
    wanted = {folded, *(value for value in _said(references.here) if folded and folded in value)}
    controls = []
    for control in _controls(page.nodes, references):
        if not wanted.isdisjoint(_said(control.url)) and control.url != references.here:
            controls.append(control)
            if len(controls) == MAX_CANDIDATES:
                break
    following = [control.url for control in controls if control.says_next]
    rising = next((url for url in following if _rises(references.here, url)), None)
    if rising is not None:
        return rising
    numbered = next((control.url for control in controls if control.number == number + 1), None)
    if numbered is not None and not _falls(references.here, numbered):
        return numbered
    button = next((c.url for c in controls if c.says_next and c.is_button and not _falls(references.here, c.url)), None)
    if button is not None:
        return button
    other = written_next_page(page)
    return None if other is None or _falls(references.here, other) else other


def _said(url: str) -> set[str]:
    """The values of a URL's parameters and the parts of its path, decoded and folded."""
    path, _, parameters = url.partition("?")
    values = [part.partition("=")[2] for part in re.split("[&;]", parameters)]
    return {" ".join(unquote_plus(value).split()).casefold() for value in (*values, *path.split("/")[3:])}


def _counted(here: str, there: str) -> tuple[list[int], list[int]]:
    """Numbers of two URLs where they differ: (this page's, the other's) of the same parameter or place in the path."""
    mine, other = _values(here), _values(there)
    before, after = [], []
    for name, value in other.items():
        if _NUMBER.fullmatch(value) and mine.get(name) != value:
            known = mine.get(name, "")
            before.append(int(known) if _NUMBER.fullmatch(known) else -1)
            after.append(int(value))
    return before, after


def _values(url: str) -> dict[str, str]:
    """The parameters of a URL, and the parts of its path by their place."""
    path, _, parameters = url.partition("?")
    values = {f"/{place}": part for place, part in enumerate(_STEPS.split(path))}
    for part in re.split("[&;]", parameters):
        name, _, value = part.partition("=")
        values[name] = value
    return values


def _rises(here: str, there: str) -> bool:
    """Whether a number of a URL goes up and none goes down. A number that this page's URL does not have goes up from the
    first page's 0 or 1."""
    before, after = _counted(here, there)
    return any(b < a and a > 1 for b, a in zip(before, after, strict=True)) and not _falls(here, there)


def _falls(here: str, there: str) -> bool:
    before, after = _counted(here, there)
    return any(b > a for b, a in zip(before, after, strict=True))


def _controls(nodes: Nodes, references: References) -> Iterator[_Control]:
    """Links and buttons with a label of a pager that lead to the same site, in document order."""
    site = references.site()
    for node, tag in enumerate(nodes.tags):
        if tag == "a" and "href" in nodes.attributes[node]:
            labels = _labels(nodes, node)
            told = _told(nodes, node, labels)
            url = references.resolve(nodes.attributes[node]["href"].strip()) if told else None
            if told and url is not None and registered_domain(host_of(url)) == site:
                yield _Control(url, *told, is_button=False)
        elif tag == "form" and nodes.attributes[node].get("method", "get").strip().lower() != "post":
            yield from _buttons(nodes, node, references, site)


def _told(nodes: Nodes, node: int, labels: list[str]) -> tuple[bool, int | None] | None:
    """(whether a control says "next", its page number); None where it says neither."""
    number = next((found for label in labels if (found := page_number(label)) is not None), None)
    is_next = any(map(says_next, labels)) or "next" in nodes.attributes[node].get("rel", "").lower().split()
    if not labels and not is_next:  # an icon: only its class says what it is
        inside = range(node, min(int(nodes.ends[node]), node + 4))
        is_next = any(_NEXT_CLASS.search(nodes.attributes[n].get("class", "")) for n in inside)
    return (is_next, number) if is_next or number is not None else None


def _labels(nodes: Nodes, node: int) -> list[str]:
    """What a link or button says: its text, else its pictures' words, and its titles."""
    inside = range(node, min(int(nodes.ends[node]), node + 20))
    texts = [nodes.texts[n] for n in inside if nodes.texts[n]]
    words = [" ".join(texts)]
    if not texts:
        words += [nodes.attributes[n].get(name, "") for n in inside if nodes.tags[n] == "img" for name in ("alt", "title")]
    words += [nodes.attributes[node].get(name, "") for name in ("title", "aria-label")]
    return [word.strip() for word in words if word.strip() and len(word) <= MAX_LABEL]


def _buttons(nodes: Nodes, form: int, references: References, site: str) -> Iterator[_Control]:
    """The buttons of a form, each with the URL that it asks for: the action and all that the form would send."""
    action = nodes.attributes[form].get("action", "").strip() or references.here
    target = references.resolve(action)
    if target is None or registered_domain(host_of(target)) != site:
        return
    sent: list[tuple[str, str]] = []
    buttons: list[tuple[int, str, str]] = []
    inside = (n for n in range(form, int(nodes.ends[form])) if nodes.tags[n] in ("input", "button", "select", "textarea"))
    for control, _ in zip(inside, range(MAX_CONTROLS), strict=False):
        attributes, tag = nodes.attributes[control], nodes.tags[control]
        kind = attributes.get("type", "submit" if tag == "button" else "text").lower()
        name, value = attributes.get("name", ""), attributes.get("value", "")
        if "disabled" in attributes:
            continue
        if kind in ("submit", "image") and tag in ("input", "button"):
            buttons.append((control, name, value))
        elif name and kind not in ("button", "reset", "file", "password"):
            if kind in ("checkbox", "radio") and "checked" not in attributes:
                continue
            sent.append((name, _chosen(nodes, control) if tag == "select" else _value(nodes, control)))
    for control, name, value in buttons:
        alternative = nodes.attributes[control].get("alt", "")
        labels = [label.strip() for label in (value, alternative, name) if label.strip() and len(label) <= MAX_LABEL]
        told = _told(nodes, control, [*_labels(nodes, control), *labels])
        if told:
            image = nodes.attributes[control].get("type", "").lower() == "image"
            own = [(f"{name}.x", "1"), (f"{name}.y", "1")] if image and name else [(name, value)] if name else []
            yield _Control(f"{target.partition('?')[0]}?{urlencode([*sent, *own])}", *told, is_button=True)


def _value(nodes: Nodes, control: int) -> str:
    if nodes.tags[control] == "textarea":
        return nodes.text(control)
    value = nodes.attributes[control].get("value")
    return (
        "on" if value is None and nodes.attributes[control].get("type", "").lower() in ("checkbox", "radio") else value or ""
    )


def _chosen(nodes: Nodes, select: int) -> str:
    """The value of the chosen option, else of the first."""
    options = [n for n in range(select, int(nodes.ends[select])) if nodes.tags[n] == "option"]
    chosen = next((n for n in options if "selected" in nodes.attributes[n]), options[0] if options else -1)
    if chosen < 0:
        return ""
    own = nodes.attributes[chosen].get("value")
    return nodes.text(chosen) if own is None else own
