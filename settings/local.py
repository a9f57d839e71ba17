"""Settings for a developer's machine: quiet log, live progress."""

from settings.base import *  # noqa: F403  # reason: a settings module is its names
