"""A driver of its own, which a test can kill; its pages are extracted by :func:`tests.spark.running.slow`."""

from __future__ import annotations

import sys

from newsextract.spark.job import Options, run
from tests.spark.running import ROOT, slow, task

if __name__ == "__main__":
    given, output, master, log = sys.argv[1:]
    settings = {"spark.executorEnv.SLOW_LOG": log, "spark.executorEnv.PYTHONPATH": str(ROOT)}
    run(Options([given], output, task(slow), master, settings=settings))
