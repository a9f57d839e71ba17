"""``scrapy bench`` without this project's delays; it may reach its server on this machine."""

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
    """Measure how fast Scrapy follows links on this machine."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Override the project's settings; a command's default_settings would not."""
        assert self.settings is not None  # Scrapy has set them
        self.settings.update(_SETTINGS, priority="cmdline")
        super().process_options(args, opts)
