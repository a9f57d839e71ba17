"""For ``spark-submit``: the same command without ``newsextract`` before it; master and settings are spark-submit's.

    spark-submit --master spark://host:7077 $(python -c 'import newsextract.spark.main as m; print(m.__file__)') \\
        extract crawl/*.warc.gz out
"""

from __future__ import annotations

import sys

from newsextract.commands.spark import submitted

if __name__ == "__main__":
    sys.exit(submitted(sys.argv[1:]))
