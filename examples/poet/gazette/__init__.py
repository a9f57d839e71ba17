"""A Scrapy project with page objects that uses newsextract."""
