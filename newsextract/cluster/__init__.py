"""A crawl that several processes share: what they keep in Redis, without a word of Scrapy.

:mod:`~newsextract.cluster.connection` reaches the server, :mod:`~newsextract.cluster.keys` says what is kept there and
:mod:`~newsextract.cluster.scripts` what is changed in one step, :mod:`~newsextract.cluster.frontier` is the frontier as one
process sees it, :mod:`~newsextract.cluster.status` tells a person how a crawl is doing. The crawler's side is
``spiders/cluster``.
"""
