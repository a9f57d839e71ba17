"""Links to archives (tags, authors, months): asked for last, and no more once they lead to nothing new.

A blog's archives list the same articles over and over: on stock blogs the tags, authors and months can be twice as many
pages as the articles. So they wait until nothing else is left to fetch. Then a few of each group are asked for, in the order
of their URLs; when these name no article that the run has not met, the rest of the group is left out. All of a round are
read before the next one is chosen, so that what is fetched does not depend on which answer came first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from newsextract import Hints

BARREN = 2
"""Pages of a group in a row without anything new after which it is left out."""


@dataclass(frozen=True, slots=True)
class Lead:
    """A link to a page of an archive."""

    group: str
    url: str
    depth: int
    role: str
    hints: Hints | None = None


@dataclass(slots=True)
class _Group:
    waiting: dict[str, Lead] = field(default_factory=dict)
    """By URL."""
    asked: int = 0
    """Pages of this round; of these :attr:`read` have come, and named :attr:`gained` new ones."""
    read: int = 0
    gained: int = 0
    barren: int = 0


class ArchiveLeads:
    """The links of all groups of one site."""

    def __init__(self) -> None:
        self._groups: dict[str, _Group] = {}
        self._held: set[str] = set()
        self.left_out = 0
        """Links that were not followed."""

    def hold(self, lead: Lead) -> bool:
        """Keep a link until its turn comes.

        :returns: whether it is new.
        """
        if lead.url in self._held:
            return False
        self._held.add(lead.url)
        self._groups.setdefault(lead.group, _Group()).waiting[lead.url] = lead
        return True

    def known(self, lead: Lead) -> None:
        """A link whose turn has come need not be followed: its page has been asked for. Another one takes its place."""
        self._groups[lead.group].asked -= 1

    def read(self, group: str, gained: int) -> None:
        """A page of a group has been read.

        :param gained: links to pages that the run had not met.
        """
        found = self._groups.get(group)
        if found is not None and found.asked:  # what came before the first round may have come in any order
            found.read += 1
            found.gained += gained

    def due(self) -> Iterator[Lead]:
        """Links whose turn has come: a new round, of each group that has led to something new."""
        for group in self._groups.values():
            group.barren = 0 if group.gained else group.barren + group.read  # pages that failed say nothing
            group.asked = group.read = group.gained = 0
        for group in self._groups.values():
            if group.barren >= BARREN:
                self.left_out += len(group.waiting)
                group.waiting.clear()
            for url in sorted(group.waiting):
                if group.asked + group.barren >= BARREN:
                    break
                group.asked += 1
                yield group.waiting.pop(url)
