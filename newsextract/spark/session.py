"""A Spark session, or one line that says why there is none: no pyspark, no Java, a wrong address, nobody listens there."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from newsextract.errors import DataError, MissingExtra, UsageError
from newsextract.spark import java_process
from newsextract.spark.java_errors import told

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

LEAST_JAVA = 17
"""That pyspark 4 runs on."""
_MASTER = re.compile(
    r"local(\[(\d+|\*)(,\d+)?\])?|spark://[^\s/:,]+:\d+(,[^\s/:,]+:\d+)*|yarn|k8s://\S+|local-cluster\[.*\]"
)
_FAILURES = 4
"""How often a task may fail; as on a cluster. ``local[2]`` would end at the first time."""
_CONNECT = 5.0
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Java only hands lines on here: what it would spend on compiling itself well is not won back (``docs/spark.md``)."""
_UTF8 = "C.UTF-8"
_SETTINGS = {
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.ui.enabled": "false",  # a server that nobody asked for
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.LC_ALL": _UTF8,
}


def check_environment() -> None:
    """Whether Spark can be started at all.

    :raises MissingExtra: pyspark is not installed.
    :raises UsageError: there is no Java, or an old one.
    """
    if importlib.util.find_spec("pyspark") is None:
        raise MissingExtra("pyspark", "spark", "extraction with Spark")
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(str(Path(home) / "bin" / "java") if home else "java")
    how = f"Spark needs Java {LEAST_JAVA} or later; Debian: apt-get install default-jre-headless"
    if java is None:
        raise UsageError(f"{'JAVA_HOME=' + home if home else 'PATH'}: no java there; {how}")
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(?:1\.)?(\d+)', told.stderr + told.stdout)
    if version is not None and int(version[1]) < LEAST_JAVA:
        raise UsageError(f"{java}: Java {version[1]}; {how}, or set JAVA_HOME to one")


def check_master(master: str) -> None:
    """Whether a master's address is one, and where it is a standalone master, whether somebody listens there.

    :raises UsageError: no.
    """
    if not _MASTER.fullmatch(master):
        raise UsageError(f"--master {master}: expected local[N], local[*], spark://HOST:PORT, yarn or k8s://…")
    if master == "yarn" and not os.environ.get("HADOOP_CONF_DIR") and not os.environ.get("YARN_CONF_DIR"):
        raise UsageError("--master yarn: set HADOOP_CONF_DIR to the folder of the cluster's yarn-site.xml and core-site.xml")
    if not master.startswith("spark://"):
        return
    errors = []
    for place in master.removeprefix("spark://").split(","):
        host, _, port = place.rpartition(":")
        try:
            socket.create_connection((host, int(port)), _CONNECT).close()
        except (OSError, OverflowError) as error:
            errors.append(f"{place}: {getattr(error, 'strerror', None) or error}")
        else:
            return
    raise UsageError(f"--master {master}: no master answers ({'; '.join(errors)}); start one, see docs/spark.md")


def open_session(master: str | None, settings: Mapping[str, str], *, verbose: bool = False) -> SparkSession:
    """Start Spark, or take the session that ``spark-submit`` has prepared.

    :param master: None: what ``spark-submit`` was told.
    :param settings: of Spark, by name.
    :param verbose: Spark tells what it warns of, and Java's stacks; else what goes wrong is told in a line by who asked, and
        Java is not heard (unless ``spark.log.level`` is set).
    :raises UsageError: Spark does not start.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master is not None:
        if master.startswith(("local", "spark://127.", "spark://localhost")):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        if match := re.fullmatch(r"local(?:\[(\d+|\*)\])?", master):
            master = f"local[{match[1] or 1},{_FAILURES}]"
        if "UTF" not in _locale().upper():
            os.environ["LC_ALL"] = _UTF8  # of Java, which cannot name files else; Python has read its own already
    heard = verbose or "spark.log.level" in settings
    own = _SETTINGS | {"spark.log.level": "WARN" if verbose else "OFF"}
    try:
        with told("Spark does not start"):
            return _session(master, own, settings, heard=heard)
    except OSError as error:
        raise UsageError(f"Spark does not start: {error}") from error


def _session(master: str | None, own: Mapping[str, str], settings: Mapping[str, str], *, heard: bool) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("newsextract")
    if master is None:
        SparkContext._ensure_initialized()  # else what spark-submit was told is not known
        submitted = SparkConf()
        own = {name: value for name, value in own.items() if not submitted.contains(name)}
    else:
        builder = builder.master(master)
    every = {**own, **settings}
    for name, value in every.items():
        builder = builder.config(name, value)
    if master is not None and not heard:
        java_process.start({"spark.master": master, **every})
    session: SparkSession = java_process.opened(builder)
    return session


def close_session(session: SparkSession) -> None:
    """Stop Spark; nothing to do if its Java process has died."""
    with suppress(DataError), told("stopping Spark"):  # reason: what it has died of was told where it was noticed
        session.stop()
    java_process.release_interrupts()


def attempts(context: SparkContext) -> int:
    """How often a task is tried."""
    if found := re.fullmatch(r"local(?:\[[^,]*(?:,(\d+))?\])?", context.master):
        return int(found[1] or 1)
    return int(str(context.getConf().get("spark.task.maxFailures", "4")))


def _locale() -> str:
    return next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(name))), "")
