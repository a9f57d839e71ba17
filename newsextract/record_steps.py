"""Steps: what an element is told by on other pages of its site, as text: its tag and the words of its class and id.

Words are those by which candidate sets tell elements (:mod:`.algorithms.visual_blocks.candidates`): without numbers, places
and states (odd, last, active). ``<li class="hit odd" id="hit-12">`` is ``li hit #hit``.

Cost: about 2 µs an element that is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from newsextract.algorithms.visual_blocks.candidates import class_words
from newsextract.nodes import Nodes

UNTOLD = frozenset(("html", "body"))
"""Elements whose classes tell the page, not the region."""
WRAPPERS = frozenset(("div", "span", "center"))
"""Steps that say nothing of a path: pages of one site differ in them."""
_USUAL = 0.5
"""Share of a kind's records that have a word in a step, at least."""
_ALIKE = 0.5
"""Least share of the words of two steps that both have."""
_LEVELS = 3
"""Levels below a record's roots that its parts are looked for on."""
_MAX_NODES = 400
"""Nodes of a record in which parts are looked for."""
_LEAST_WORD = 3
"""Letters of an id's word: shorter ones are mostly left of random names."""


class Steps:
    """Steps of a page's nodes."""

    def __init__(self, nodes: Nodes) -> None:
        self.nodes = nodes
        self._known: dict[int, str] = {}

    def __getitem__(self, node: int) -> str:
        step = self._known.get(node)
        if step is None:
            step = self._known[node] = _step(self.nodes, node)
        return step

    def path(self, node: int) -> list[str]:
        """The steps from the page's root to the parent of a node, without bare wrappers."""
        found = []
        parent = int(self.nodes.parents[node])
        while parent >= 0:
            found.append(self[parent])
            parent = int(self.nodes.parents[parent])
        return [step for step in reversed(found) if step not in WRAPPERS]

    def parts(self, roots: Sequence[int]) -> set[str]:
        """What a record holds."""
        nodes = self.nodes
        found: set[str] = set()
        for number, root in enumerate(roots):
            names = {root: "+" + self[root] if number else ""}
            if number:
                found.add(names[root])
            deepest = int(nodes.depths[root]) + _LEVELS
            for node in range(root + 1, min(int(nodes.ends[root]), root + _MAX_NODES)):
                if nodes.tags[node] and nodes.depths[node] <= deepest:
                    names[node] = f"{names[int(nodes.parents[node])]}/{self[node]}"
                    found.add(names[node])
        return found


def _step(nodes: Nodes, node: int) -> str:
    tag, attributes = nodes.tags[node], nodes.attributes[node]
    if not attributes or tag in UNTOLD:
        return tag
    names = (f"#{word}" for word in class_words(attributes.get("id", "")) if len(word) >= _LEAST_WORD)
    return " ".join((tag, *class_words(attributes.get("class", "")), *names))


def alike(one: str, other: str) -> bool:
    """Whether two steps tell the same kind of element."""
    if one == other:
        return True
    (tag, *words), (other_tag, *other_words) = one.split(" "), other.split(" ")
    return tag == other_tag and len({*words} & {*other_words}) >= _ALIKE * len({*words, *other_words})


def usual(steps: Sequence[str]) -> str:
    """The step of several elements of a tag: the words that most of them have."""
    if len(set(steps)) == 1:
        return steps[0]
    counts = Counter(word for step in steps for word in dict.fromkeys(step.split(" ")[1:]))
    words = [word for word, count in counts.items() if count >= _USUAL * len(steps)]
    return " ".join((steps[0].split(" ")[0], *words))
