"""Item pipelines that check articles: consistency with other records of the site, quality, duplicates."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DropItem

from newsextract.discovery import PROBABLE_BESIDE_OTHERS
from newsextract.feed.record_lines import KEPT, WITHDRAWN, NewsRecord, judge, turned_away
from newsextract.results import Found
from pipelines.items import Item
from pipelines.plain_spiders import Component
from pipelines.site_memory import AMONG_DATED, WATCHED, Sighted, SiteRecords, Titled, list_of, paragraph_keys, watch

if TYPE_CHECKING:
    from spiders.site_spider import SiteSpider

# --- consistency ----------------------------------------------------------------------------------
# Compares a record with the other records of its site: static pages, lists that look like articles, titles of the site.
#
# Four errors become visible only when many pages of a site are known (:mod:`pipelines.site_memory`):
#
# * *A static page* ("about us", an imprint) has no date, although the site's articles do. A record without a date to which
#   neither a headline nor a feed leads waits until nothing else is left to fetch. If nearly all records of its site have a
#   date, it is rejected, unless most of them are in the same folder as the page.
# * *A short article* looks like many a page. It waits, too, and is taken if it has a date, like the other articles of its
#   site, and stands where most of them are.
# * *A list* starts with the beginning of another record, and contains the beginnings of further records. A record that may
#   be one waits, because articles made of standard sentences look alike until most of them are known. If its record is
#   already in the feed, it is withdrawn: a rejection and a revision of the record, both with the status ``withdrawn``.
# * *A title* of several different articles is the title of the site. Each page gets its next best title; records that are
#   already in the feed get a revision.
#
# So the same pages give the same records in any order, unless related pages are too far apart. At most :data:`MAX_HELD`
# records of a site wait.

MAX_HELD = 200
"""Maximum number of waiting records per site; if there are more, the oldest is decided with what is known then."""


class ConsistencyPipeline(Component):
    """Holds, rejects, corrects and withdraws records, by comparison with others of their site."""

    def __init__(self, spider: SiteSpider) -> None:
        super().__init__(spider)
        spider.consistency = self  # the spider calls it when it is idle
        self._decided: set[int] = set()
        """Records that pass the pipelines again and are decided now."""
        self._corrected: set[int] = set()
        """Revisions that are not yet in the feed."""
        self._late: dict[int, dict[str, Any]] = {}
        """Changes of records that were not yet in the feed when the change was found."""
        self._is_releasing = False
        self._is_restored = False

    async def process_item(self, item: Item) -> Item:
        """See the module."""
        if not isinstance(item, NewsRecord) or item.status not in KEPT or not item.text:
            return item
        number, known = int(item.id, 16), self.spider.ledger.site(item.site)
        if number in self._corrected:
            self._corrected.discard(number)
            return item
        if number in self._decided:
            self._decided.discard(number)
            return await self._judged(known, item)
        found = Sighted(item.url, item.site, item.title, item.fetched_at)
        watch(known, number, item.text, found)
        if len(known.unsaid) > WATCHED:
            await self._withdraw(known, next(iter(known.unsaid)))
        is_article = list_of(known, number) is None
        if is_article:
            await self._entitle(known, item)
        if number in self.spider.ledger.revisit and is_article:
            return item  # already counted
        is_likely = number not in self.spider.unlikely and (item.date or number not in self.spider.unvouched)
        if is_article and is_likely:
            known.count(item.url, item.date)
            return item
        known.held.append(item)
        if len(known.held) > MAX_HELD:
            return await self._judged(known, known.held.popleft())
        raise DropItem("waits for the other records of its site", log_level="DEBUG")

    @property
    def is_waiting(self) -> bool:
        """Whether records are waiting."""
        ledger = self.spider.ledger
        if not self._is_restored and ledger.state is not None and ledger.state.was_interrupted:
            self._is_restored = True
            for name in self.spider.plan.sites:  # the last run may have found lists without withdrawing them
                ledger.site(name)
        sites = ledger.sites.values()
        return self._is_releasing or bool(self._late) or any(known.held or known.unsaid for known in sites)

    async def release(self) -> None:
        """When nothing is left to fetch, send waiting records through the pipelines again, and write the postponed
        changes."""
        if self._is_releasing:
            return
        self._is_releasing = True
        try:
            sites = self.spider.ledger.sites.values()
            held = [record for known in sites for record in known.held]
            late, self._late = self._late, {}
            self._decided.update(int(record.id, 16) for record in held)
            for known in sites:
                known.held.clear()
            for record in held:
                await self._send(record)
            for known in sites:
                for number in list(known.unsaid):
                    await self._withdraw(known, number)
            for number, changes in late.items():
                await self._revise(number, changes, is_last=True)
        finally:
            self._is_releasing = False

    async def _judged(self, known: SiteRecords, item: NewsRecord) -> Item:
        """Decide a waiting record."""
        number = int(item.id, 16)
        if (others := list_of(known, number)) is not None:
            known.unsaid.pop(number, None)
            return turned_away(item, ("listing", others))
        await self._entitle(known, item)  # without effect if it was not suspected
        if number in self.spider.ledger.revisit:
            return item
        unlikely = self.spider.unlikely.pop(number, None)
        is_vouched = number not in self.spider.unvouched
        needs_headline = unlikely is not None and (unlikely.article < PROBABLE_BESIDE_OTHERS or unlikely.leads_on)
        is_headed = number in self.spider.headed
        is_left_out = needs_headline and not is_headed
        at_root = is_vouched or is_headed
        is_among = item.date and known.has_dates() and known.is_among_articles(item.url, at_root=at_root, share=AMONG_DATED)
        if unlikely and (is_left_out or not is_among):
            return turned_away(item, ("listing" if unlikely.leads_on else "not_article", unlikely.told))
        is_undated = not (item.date or is_vouched)
        if is_undated and known.has_dates() and not known.is_among_articles(item.url):
            dated = f"{known.dated} of {known.dated + known.undated} articles of the site have one"
            reason = f"it has no date, {dated}, and only a menu or sitemap names it"
            return turned_away(item, ("not_article", reason))
        known.count(item.url, item.date)
        return item

    async def _withdraw(self, known: SiteRecords, number: int) -> None:
        """Decide a suspected record that is written: withdraw it if it is a list."""
        reason = list_of(known, number)
        del known.unsaid[number]
        if reason is None or any(held.id == f"{number:016x}" for held in known.held):
            return
        await self._revise(number, {"status": WITHDRAWN, "reason": f"its record is taken back: {reason}"})

    async def _entitle(self, known: SiteRecords, item: NewsRecord) -> None:
        """Correct the titles of this and earlier records that are the site's title."""
        number = int(item.id, 16)
        others = self.spider.other_titles.pop(number, ())
        if item.title:
            titled = Titled(number, frozenset(paragraph_keys(item.text)) or frozenset((hash(item.text),)), others)
            for earlier, title in known.titles.corrected(item.title, titled).items():
                await self._retitle(known, earlier, title, item)

    async def _retitle(self, known: SiteRecords, number: int, title: Found, item: NewsRecord) -> None:
        """Give the next best title to the current record, to a waiting one, or to one in the feed."""
        here = next((one for one in (item, *known.held) if one.id == f"{number:016x}"), None)
        if here is not None:
            here.title, here.title_source = title.value, title.source
        else:
            await self._revise(number, {"title": title.value, "title_source": title.source})

    async def _revise(self, number: int, changes: dict[str, Any], *, is_last: bool = False) -> None:
        """Write a revision of a record. If the record is not in the feed yet, try again when nothing is left to fetch; a
        rejected record never gets there."""
        revision = self.spider.ledger.revision(number, **changes)
        if revision is not None:
            self._corrected.add(number)
            await self._send(revision)
            self._corrected.discard(number)  # withdrawn records are not checked again
            if revision.status == WITHDRAWN:
                await self._send(turned_away(revision, (WITHDRAWN, changes["reason"])))
        elif not is_last:
            self._late[number] = self._late.get(number, {}) | changes

    async def _send(self, item: Item) -> None:
        await self.spider.crawler.engine.scraper.start_itemproc_async(item, response=None)


# --- quality --------------------------------------------------------------------------------------
# Rejects articles that failed, are empty, too short, or outside the date window.
#
# Posts, hits and teasers pass: they may be short, and those outside the window are dropped when their page is read.


class QualityPipeline(Component):
    """Checks each record against its site's definition."""

    def process_item(self, item: Item) -> Item:
        """See the module."""
        if not isinstance(item, NewsRecord):
            return item
        verdict = judge(item, self.spider.plan.sites[item.site])
        if verdict is None:
            return item
        return turned_away(item, verdict, self.spider.ledger.attempts.get(int(item.id, 16), 0) + 1)


# --- duplicates -----------------------------------------------------------------------------------
# Drops a page that is already recorded; keeps and marks near-duplicate texts.
#
# The URL is the identity (:func:`newsextract.discovery.record_id`). Near-duplicates among earlier records are looked up
# here, in a thread. ``duplicate_of`` is set when the line is written (:mod:`pipelines.feeds`), because other lines may be
# written meanwhile.


class DuplicatesPipeline(Component):
    """Drops a record whose id the ledger knows; passes a changed text as a revision."""

    async def process_item(self, item: Item) -> Item:
        """See the module."""
        ledger = self.spider.ledger
        answer = ledger.admit(item)
        if answer is None:
            raise DropItem("the same line stands in the ledger", log_level="DEBUG")
        if isinstance(answer, NewsRecord) and ledger.path is not None:
            ledger.older[answer.id] = await asyncio.to_thread(ledger.older_near, answer)
        return answer
