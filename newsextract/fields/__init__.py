"""Title, report date, authors, language and further fields of an article page, shared by every algorithm.

They are read by regular expression from the source text (no tree): once over head, JSON-LD, ``<time>`` and
microdata (:mod:`newsextract.page.metadata`), then from the texts around the main text that the algorithm
hands over (:class:`newsextract.results.Surroundings`).
"""
