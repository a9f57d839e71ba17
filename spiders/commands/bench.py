"""``scrapy bench`` without this project's delays; its server on this machine is allowed."""

from __future__ import annotations

import argparse

from scrapy.commands.bench import Command as BenchCommand

_SETTINGS = {
    "PRIVATE_SERVERS": ["http://localhost:8998"],
    "DOWNLOAD_DELAY": 0,
    "AUTOTHROTTLE_ENABLED": False,
    "LOG_LEVEL": "INFO",
}


class Command(BenchCommand):
    """Measure how fast Scrapy follows links here."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set what differs from a crawl; a command's default_settings would not replace the project's settings."""
        assert self.settings is not None  # Scrapy sets them before it calls this
        self.settings.update(_SETTINGS, priority="cmdline")
        super().process_options(args, opts)
