"""Scrapy commands of this project; ``crawl`` takes the place of Scrapy's own."""
