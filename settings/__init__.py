"""Scrapy settings, one module per place where the crawler runs; ``scrapy.cfg`` names them."""
