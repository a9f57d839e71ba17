"""What a crawl brought, to look at: the index of a feed, an HTML file, a local server for large feeds, the way of a URL.

:mod:`.index` reads a feed and its rejections into SQLite; :mod:`.views` makes HTML of what it answers; :mod:`.page` puts the
whole into one file; :mod:`.server` answers page by page; :mod:`.way` tells what happened to one URL.
"""
