"""``newsextract init DIR``: a small project of the user's own, that crawls with the installed package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from newsextract.commands.common import write_text
from newsextract.errors import DataError

_FILES = {
    "scrapy.cfg": """\
[settings]
default = crawl_settings
""",
    "crawl_settings.py": '''\
"""Settings of this project: those of the installed newsextract, and below them yours."""

import sys
from pathlib import Path

from newsextract.crawling import project_folder

sys.path.insert(0, str(project_folder()))  # spiders, pipelines and settings that come with newsextract

from settings.local import *  # noqa: E402, F403

SITES_FILE = str(Path(__file__).with_name("sites.toml"))
# USER_AGENT = "yourproject/1.0 (+https://your.site/contact)"  # say who crawls, and where to reach you
''',
    "sites.toml": """\
# The target sites: one [[site]] table each. `newsextract try URL --write` adds one; `newsextract sites check` checks them.
""",
    ".gitignore": "out/\n__pycache__/\n",
    "README.md": """\
# Crawls with newsextract

    newsextract try https://www.example.org/ --write   # look at a site and add its table to sites.toml
    newsextract sites list                             # the sites of sites.toml
    scrapy crawl news                                  # crawl the news sites: out/news.jsonl
    scrapy crawl forum                                 # the forums: out/forum.jsonl

`crawl_settings.py` has the settings, `sites.toml` the sites. Run the same command again to fetch only what is new.
""",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Describe the command."""
    parser = subparsers.add_parser(
        "init",
        help="create a small project with its own sites and settings",
        description=f"Create a project that crawls with the installed package: a folder with {', '.join(_FILES)}.",
        epilog="examples:\n  newsextract init crawls\n  cd crawls\n  newsextract try https://www.example.org/ --write\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder; created if it does not exist")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the files, unless one exists."""
    from newsextract.crawling import check_project  # late: it knows all algorithms, and --help starts at once

    check_project("newsextract init")
    folder: Path = arguments.folder
    existing = [name for name in _FILES if (folder / name).exists()]
    if existing:
        raise DataError(f"{folder}: has {', '.join(existing)} already; nothing was written, name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from error
    for name, text in _FILES.items():
        write_text(folder / name, text, f"{name} of the project")
    sys.stdout.write(f"{folder}: made. Go on with:\n  cd {folder}\n  newsextract try https://www.example.org/ --write\n")
    return 0
