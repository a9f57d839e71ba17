"""``newsextract spark``: the records of massive collections, through Apache Spark.

The file is also the program for ``spark-submit``, which sets master and configuration itself:

    spark-submit --master spark://host:7077 $(python -c 'import newsextract.commands.spark as m; print(m.__file__)') \\
        extract crawl/*.warc.gz out
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from newsextract.archives.entries import KINDS, extractor_of
from newsextract.cli import CommandParser
from newsextract.commands import ALGORITHMS, MEMORY, add_archive_options, add_param, check_timeout, given_params
from newsextract.control_characters import plural
from newsextract.errors import NewsextractError, UsageError
from newsextract.spark import check_environment, check_master
from newsextract.spark.job import MapTask, Options, run


def add_parser(parser: argparse.ArgumentParser) -> None:
    """Extract the records of large collections with Apache Spark (docs/spark.md).

    examples:
      newsextract spark extract crawl/*.warc.gz out --master 'local[4]'
      newsextract spark extract pages.parquet saved-pages/ more.jsonl out --format parquet
      newsextract spark extract crawl/ out --master spark://10.0.0.1:7077 --conf spark.executor.memory=4g
      newsextract spark extract crawl/ threads --as posts
      newsextract spark extract hdfs://name/crawl/ hdfs://name/records --master yarn

    An output is complete or does not exist. If a run was killed, run the same command again: it starts from the beginning.
    """
    actions = parser.add_subparsers(title="action", metavar="ACTION", required=True)
    action = actions.add_parser(
        "extract",
        help="archives, folders, JSON Lines or Parquet of pages → records",
        description="Extract the records of many pages into a folder: records/, rejected/ and summary.json.",
        epilog=parser.epilog,
    )
    action.add_argument(
        "inputs", metavar="INPUT", nargs="+", help="WARC, WACZ, .jsonl or .parquet files, folders, or URLs for Spark"
    )
    action.add_argument("output", metavar="OUTPUT", help="a new folder, or a URL for Spark")
    action.add_argument("--algorithm", metavar="NAME", help=ALGORITHMS)
    add_param(action)
    action.add_argument("--master", metavar="URL", help="local[N], spark://HOST:PORT, yarn, …; default: local[*]")
    action.add_argument("--format", choices=("jsonl", "parquet"), default="jsonl", help="default: jsonl")
    action.add_argument("--partitions", metavar="N", type=int, help="number of output files; default: the number of cores")
    add_archive_options(action)
    action.add_argument("--no-duplicates", action="store_true", help="leave duplicate_of empty")
    action.add_argument(
        "--memory", metavar="MB", type=int, default=MEMORY, help=f"memory of an extracting process; default: {MEMORY}"
    )
    action.add_argument(
        "--conf", metavar="KEY=VALUE", action="append", default=[], help="a setting of Spark; may be repeated"
    )
    action.add_argument("--verbose", action="store_true", help="also print Spark's own messages, with Java's stack traces")
    action.set_defaults(run=_extract)


def submitted(arguments: Sequence[str]) -> int:
    """The command line behind ``spark-submit … spark.py``."""
    parser = CommandParser(prog="spark-submit … spark.py")
    parser.declare(add_parser)
    given = parser.parse_args(arguments)
    try:
        if given.master is not None:
            raise UsageError("--master belongs to spark-submit, before the name of main.py")
        return _run(given, None)
    except NewsextractError as error:
        sys.stderr.write(f"newsextract: {error}\n")
        return 2


def _extract(arguments: argparse.Namespace) -> int:
    """Exit code 1 if there is no record."""
    return _run(arguments, arguments.master or "local[*]")


def _run(arguments: argparse.Namespace, master: str | None) -> int:
    params = given_params(arguments)
    check_timeout(arguments.timeout)
    task = _task(arguments, params)
    if arguments.memory < 200:
        raise UsageError(f"--memory {arguments.memory}: expected megabytes, at least 200, for example --memory {MEMORY}")
    if arguments.partitions is not None and not 1 <= arguments.partitions <= 100_000:
        raise UsageError(f"--partitions {arguments.partitions}: expected 1 to 100000, for example --partitions 8")
    settings = dict(_setting(given) for given in arguments.conf)
    check_environment()
    if master is not None:
        check_master(master)
    options = Options(
        arguments.inputs, arguments.output, task, master, arguments.format, arguments.partitions,
        not arguments.no_duplicates, settings, verbose=arguments.verbose,
    )  # fmt: skip
    try:
        summary = run(options)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; run the same command again to start from the beginning\n")
        return 130
    sys.stderr.write(told(summary, arguments.output))
    return int(summary["records"] == 0)


def _task(arguments: argparse.Namespace, params: dict[str, Any]) -> MapTask:
    """:raises UsageError: the algorithm or a parameter is unknown."""
    function, choice = extractor_of(arguments.kind, arguments.algorithm, params)
    return MapTask(choice, arguments.every_page, arguments.timeout, arguments.memory, function, kind=arguments.kind)


def told(summary: dict[str, Any], output: str) -> str:
    """A run's summary in words, lines."""
    why = ", ".join(f"{status} {count}" for status, count in summary["rejected"].items())
    seconds = max(summary["seconds"], 0.001)
    pages = summary["pages"]
    lines = [
        f"{plural(summary['records'], 'record')}; {sum(summary['rejected'].values())} rejected{f' ({why})' if why else ''}; "
        f"{summary['passed_over']} skipped (twice in the input); {plural(pages, 'page')} in {seconds:.1f} s "
        f"({pages / seconds:.1f} pages/s), {plural(summary['splits'], 'split')}",
        f"records: {output}/records   rejected: {output}/rejected   summary: {output}/summary.json",
    ]
    if missing := summary["missing_files"]:
        lines.append(
            f"WARNING: {plural(len(missing), 'file')} could not be read, so pages are missing from the output: "
            f"{', '.join(missing[:5])}{' …' if missing[5:] else ''}; see {output}/rejected, and process them again"
        )
    if summary["left_out"]:
        lines.append(
            f"note: left out: {plural(summary['left_out'], 'page')} of other kinds; to read these: --as {'|'.join(KINDS)}"
        )
    return "\n".join(lines) + "\n"


def _setting(given: str) -> tuple[str, str]:
    name, sign, value = given.partition("=")
    if not sign or not name.startswith("spark."):
        raise UsageError(f"--conf {given}: expected spark.NAME=VALUE, for example spark.executor.memory=4g")
    return name, value


if __name__ == "__main__":
    sys.exit(submitted(sys.argv[1:]))
