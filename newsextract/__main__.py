"""``python -m newsextract``: the command line."""

import sys

from newsextract.cli import main

if __name__ == "__main__":
    sys.exit(main())
