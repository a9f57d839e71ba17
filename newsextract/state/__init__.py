"""What a crawl knows, on disk: which records are written, which pages are rejected, what texts look like.

The state is derived from the feed. :class:`~newsextract.state.store.CrawlState` reads new lines when a crawl starts, and
every three seconds in a thread. It stores how far it has read each file, so a start takes the same time for any feed. A
state that is lost, damaged, or of another feed is rebuilt.

Needs SQLAlchemy (the extra ``crawl``). Cost: 0.1 ms a record, mostly for reading the line.
"""
