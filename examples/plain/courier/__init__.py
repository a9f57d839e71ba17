"""A plain Scrapy project that uses newsextract."""
