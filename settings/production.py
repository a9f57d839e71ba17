"""Settings for a server: log everything, watch memory."""

from settings.base import *  # noqa: F403  # reason: a settings module is its names

LOG_LEVEL = "INFO"
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MEMUSAGE_ENABLED = True
MEMUSAGE_LIMIT_MB = 2_000
