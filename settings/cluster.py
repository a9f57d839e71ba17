"""A crawl that several processes share: one frontier in Redis, one feed a worker. See ``docs/cluster.md``.

Every process is the same command, ``SCRAPY_PROJECT=cluster scrapy crawl news``, with the server's address in the environment
(``CLUSTER_URL``, so that a password stands in no list of processes). ``-a cluster=redis://…`` with any settings is the same.
"""

import os

from settings.base import *  # noqa: F403  # reason: a settings module is its names

CLUSTER_URL = os.environ.get("CLUSTER_URL") or "redis://127.0.0.1:6379/0"
