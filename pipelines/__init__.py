"""Item pipelines, in the order in which a page passes through them.

``FetchedPage`` → :mod:`~pipelines.extraction` → ``NewsRecord`` → :mod:`~pipelines.checks` (consistency, quality, duplicates)
→ feed. A rejected page becomes a ``Rejection`` and goes to a feed of its own.
Pages of threads and results arrive as many records and a ``ReadPage`` that lists them (:mod:`~newsextract.record_pages`).
"""
