"""Measurements of the crawl and of extraction; ``python -m benchmarks.all`` runs them, README.md describes them."""
