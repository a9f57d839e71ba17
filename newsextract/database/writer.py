"""A crawl's thread that keeps the database up with the feeds, so that the reactor never waits for a database.

It wakes every second, and writes until nothing waits: batches are as large as what a second brings, at most ``LINES``. Its
memory is that of a batch; what waits, waits in the feeds on disk, so a slow database slows nothing down, and one that has
gone away is asked again after 0.5, 1, 2 … 30 seconds.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from pathlib import Path
from time import monotonic

from sqlalchemy.exc import SQLAlchemyError

from newsextract.database.address import Address
from newsextract.database.bringing_in import Importer
from newsextract.database.connection import explain, open_engine
from newsextract.database.feed_reader import OtherReader
from newsextract.database.pace import Pace

_FIRST, _LONGEST = 0.5, 30.0
_AT_THE_END = 2.0
"""Longest pause between two tries when the crawl has ended."""
logger = logging.getLogger(__name__)


class DatabaseWriter:
    """Follows some feeds; see the module. A crawl has one."""

    def __init__(
        self,
        address: Address,
        paths: Iterable[Path],
        *,
        lines: int = Pace.lines,
        seconds: float = Pace.seconds,
        patience: float = Pace.patience,
    ) -> None:
        self.address = address
        self.importer = Importer(open_engine(address), paths, lines)
        self.seconds = seconds
        self.patience = patience
        self.trouble: str | None = None
        """Why the database could not be written when it was last tried; None: it could."""
        self._failing_since: float | None = None
        self._finishing_since = 0.0
        self._finishing = threading.Event()
        self._given_up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="database", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def finish(self) -> None:
        """All lines have been written to the feeds: bring in what waits, then end."""
        if not self._finishing.is_set():
            self._finishing_since = monotonic()
            self._finishing.set()

    def give_up(self, why: str | None = None) -> None:
        """End after the batch that is being written; the rest is for the next start. A thread that waits for a server which
        hangs cannot be ended; it ends with the process.

        :param why: to be told, if there is no other trouble.
        """
        self.trouble = self.trouble or why
        self._given_up.set()
        self.finish()

    def join(self, seconds: float) -> bool:
        """Wait for the thread; False if it has not ended by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    @property
    def is_running(self) -> bool:
        """Whether the thread has not ended yet."""
        return self._thread.is_alive()

    @property
    def is_overdue(self) -> bool:
        """Whether the end of the crawl has waited long enough: nothing has been written for all the seconds of patience."""
        since = max(self._finishing_since, self.importer.worked_at)
        return self._finishing.is_set() and monotonic() - since > self.patience

    def summary(self) -> list[str]:
        """What is to be told at the end of the crawl; a warning if something has not been written."""
        written, waiting = self.importer.written, self.importer.pending
        lines = [f"database {self.address.shown}: {written}"]
        if waiting or self.trouble:
            why = f" ({self.trouble})" if self.trouble else ""
            lines.append(
                f"WARNING: {waiting} line{'s'[: waiting != 1]} of the feeds {'are' if waiting != 1 else 'is'} not in the "
                f"database {self.address.shown}{why}; nothing is lost: the next crawl with this feed and this database "
                "brings them in, or newsextract database import"
            )
        if written.refused:
            lines.append(
                f"WARNING: the database has refused {written.refused} line{'s'[: written.refused != 1]} of the feeds; "
                "its table unwritten says which and why"
            )
        return lines

    @property
    def is_complete(self) -> bool:
        """Whether all that stands in the feeds is in the database."""
        return self.trouble is None and not self.importer.pending and not self.importer.written.refused

    def _run(self) -> None:
        try:
            self._follow()
        except Exception as error:  # told in the log, in the summary and by the exit code
            logger.exception("database %s: a defect stops the writing", self.address.shown)
            self.trouble = f"a defect: {type(error).__name__}: {error}"
        finally:
            self.importer.engine.dispose()

    def _follow(self) -> None:
        pause = _FIRST
        while not self._given_up.is_set():
            finishing = self._finishing.is_set()  # asked for before reading: the feeds do not grow any more then
            try:
                more = self.importer.step()
            except OtherReader:
                logger.info("another process brings the same feed into %s", self.address.shown)
                self.importer.look_again()
                self._finishing.wait(0.1)
                continue
            except (SQLAlchemyError, OSError) as error:
                self._failed(error)
                if finishing and self.is_overdue:
                    return
                pause = self._rest(pause, finishing)
                continue
            self._worked()
            pause = _FIRST
            if not more:
                if finishing:
                    return
                self._finishing.wait(self.seconds)

    def _rest(self, pause: float, finishing: bool) -> float:
        """Wait after a failure; gives the next pause."""
        if finishing:
            self._given_up.wait(min(pause, _AT_THE_END))
        else:
            self._finishing.wait(pause)
        return min(2 * pause, _LONGEST)

    def _failed(self, error: SQLAlchemyError | OSError) -> None:
        self.importer.forget()
        self.trouble = explain(error) if isinstance(error, SQLAlchemyError) else str(error)
        if self._failing_since is None:
            self._failing_since = monotonic()
            logger.warning(
                "database %s cannot be written: %s. The crawl goes on; what it finds waits in the feed.",
                self.address.shown,
                self.trouble,
            )

    def _worked(self) -> None:
        self.trouble = None
        if self._failing_since is not None:
            logger.warning(
                "database %s can be written again, after %.0f s", self.address.shown, monotonic() - self._failing_since
            )
            self._failing_since = None
