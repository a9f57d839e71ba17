"""Item pipelines, in the order in which a page passes through them.

``FetchedPage`` → :mod:`~pipelines.extraction` → ``NewsRecord`` → :mod:`~pipelines.checks` (consistency, quality, duplicates)
→ feed. A rejected page becomes a ``Rejection`` and goes to a feed of its own.
A page of a thread or of results becomes many records, and a ``ReadPage`` that names them, before it comes here
(:mod:`~newsextract.record_pages`).
"""
