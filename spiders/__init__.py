"""Spiders: what is fetched, and in which order. They yield fetched pages; pipelines make records of them."""
