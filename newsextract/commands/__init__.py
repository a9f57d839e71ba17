"""The commands of the command line; each module has ``add_parser`` and ``run``."""
