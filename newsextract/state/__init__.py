"""What a crawl knows, on disk: which records are written, which pages are rejected, what texts look like.

The feed is the output and stays the proof. The state is derived from it: :class:`~newsextract.state.store.CrawlState` reads
the lines that it does not know yet, at the start of a crawl and, while it runs, every three seconds in a thread of its own.
It remembers up to which byte it agrees with each file, so a start costs the same whatever the size of the feed. A state that
is lost, damaged, or of another feed is rebuilt.

Needs SQLAlchemy (the extra ``crawl``). Cost: 0.1 ms a record, most of it to read the line again.
"""
