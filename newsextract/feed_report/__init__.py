"""Reports on a feed: its index, an HTML file, a local server for large feeds, the history of a URL.

:mod:`.index` reads a feed and its rejections into SQLite; :mod:`.views` makes HTML of its answers; :mod:`.report` writes one
file, or serves page by page. The history of one URL is in :mod:`.views`, too.
"""
