"""``OUTPUT/_work``: what a run has done so far, so that the next one goes on after ``kill -9`` at any moment.

``job.json`` (what was asked for, and the splits), ``map-NNNN.json`` (the splits of one attempt at Map, in the order of its
tasks) and ``map-NNNN/part-…`` (one file a split, moved there by Hadoop's committer in one step), ``records-RUN`` and
``rejected-RUN`` (Reduce). Names in ``.new`` were being written. What is complete has ``summary.json``, and is not touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from newsextract.errors import DataError, UsageError
from newsextract.spark.storage import Storage

_ATTEMPT = re.compile(r"map-(\d+)")
_PART = re.compile(r"part-(\d+)")
_BEGINNINGS = re.compile(r"(job|driver)\.json(\.new)?|driver\.beat")
"""What stands in ``_work`` before ``job.json`` does."""
RESULTS = ("records", "rejected")


def check_complete(folder: Path, shown: str) -> None:
    """Whether a local output is complete, before Spark is started for nothing.

    :raises UsageError: it is, and nothing is left to be tidied up.
    """
    if (folder / "summary.json").is_file() and not any(folder.glob("_work*")):
        raise _complete(shown)


def _complete(shown: str) -> UsageError:
    return UsageError(f"{shown}: is complete already; name another output, or delete it")


class Work:
    """The state of a run, on the disk.

    :param output: the address of the output.
    :param shown: what the user calls it.
    """

    def __init__(self, storage: Storage, output: str, shown: str) -> None:
        self._storage = storage
        self._output = output
        self._shown = shown
        self.place = f"{output}/_work"

    def finished(self, job: Mapping[str, Any]) -> dict[str, Any] | None:
        """The summary, if a run of this job was killed when nothing but its state was left to be deleted.

        :raises UsageError: the output is complete, or holds something else.
        """
        names = self._storage.names(self._output)
        if "summary.json" in names:
            left = [name for name in names if name.startswith("_work")]
            for name in left:
                self._storage.delete(f"{self._output}/{name}")
            summary = dict(self._storage.read(f"{self._output}/summary.json"))
            if left and all(summary.get(name) == value for name, value in job.items() if name != "input"):
                return summary
            raise _complete(self._shown)
        inside = self._storage.names(self.place) if "_work" in names else []
        if "job.json" in inside or (names in ([], ["_work"]) and all(map(_BEGINNINGS.fullmatch, inside))):
            return None
        raise UsageError(f"{self._shown}: is there and holds something else; name another output")

    def begin(self, job: Mapping[str, Any]) -> None:
        """Begin, or go on with what a run before has begun.

        :raises UsageError: that was another one.
        """
        if not self._storage.exists(f"{self.place}/job.json"):
            self._storage.write(f"{self.place}/job.json", job)
            return
        begun = self._storage.read(f"{self.place}/job.json")
        if other := [name for name, value in job.items() if begun.get(name) != value]:
            raise UsageError(
                f"{self._shown}: a run with another {', '.join(other)} was begun here; "
                "give it the same, or name another output"
            )

    def attempt(self, splits: Sequence[int]) -> str:
        """The place for the parts of an attempt at Map.

        :param splits: their numbers, in the order of the parts.
        """
        numbers = [int(found[1]) for name in self._storage.names(self.place) if (found := _ATTEMPT.match(name))]
        place = f"{self.place}/map-{max(numbers, default=-1) + 1:04}"
        self._storage.write(f"{place}.json", list(splits))
        return place

    def committed(self) -> dict[int, str]:
        """The part of each split that is done."""
        found: dict[int, str] = {}
        names = self._storage.names(self.place)
        for name in names:
            if not _ATTEMPT.fullmatch(name) or f"{name}.json" not in names:
                continue
            numbers = self._storage.read(f"{self.place}/{name}.json")
            for part in self._storage.names(f"{self.place}/{name}"):
                if match := _PART.fullmatch(part):
                    found[numbers[int(match[1])]] = f"{self.place}/{name}/{part}"
        return dict(sorted(found.items()))

    def publish(self, run: str, summary: Mapping[str, Any]) -> None:
        """Put the results in their places; the summary last, since it says that they are whole.

        :param run: whose results.
        :raises DataError: another driver was faster.
        """
        if self._storage.exists(f"{self._output}/summary.json"):
            raise DataError(f"{self._shown}: another driver has completed it meanwhile; its records stay as they are")
        for name in RESULTS:
            self._storage.delete(f"{self._output}/{name}")  # of a run that was killed here: there is no summary
            self._storage.rename(f"{self.place}/{name}-{run}", f"{self._output}/{name}")
        self._storage.write(f"{self._output}/summary.json", summary)

    def delete(self, run: str) -> None:
        """Only what is complete may go; what is moved away first cannot be taken for a run's state when it is half gone."""
        if not self._storage.exists(self.place):
            return  # reason: the next driver has seen the summary, and done it
        away = f"{self._output}/_work-{run}"
        self._storage.rename(self.place, away)
        self._storage.delete(away)
