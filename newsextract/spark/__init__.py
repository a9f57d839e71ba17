"""Massive collections through Apache Spark: ``newsextract spark extract`` and ``spark-submit``.

After H.-Y. Wang, P. Cao, "Information extraction from massive Web pages based on node property and text content" (Journal
on Communications 37(10), 2016), section 3.1: Map extracts each page completely, Sort and Partition order the answers by
key, Reduce merges them and writes one file for each range of keys.

The parts: ``inputs`` (what is read, in which splits), ``job`` (a split → rows → records, and all of a run), and
here the session, or one line that says why there is none: no pyspark, no Java, a wrong address, nobody listens there.
Retries, speculation and the commit of what tasks write are Spark's own. pyspark and pyarrow are imported where they are
used only.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from newsextract.errors import DataError, MissingExtra, NewsextractError, UsageError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

# --- java process ---------------------------------------------------------------------------------
# Spark's Java process: started without what it says of itself, and not disturbed by Ctrl-C.

_KEPT = 200
"""Lines of what Java says: enough for why it does not start."""
_LAST_WORDS = 2.0
"""Seconds for reading what a process that has ended has left in the pipe."""
_AGAIN = 0.02
"""Seconds until Ctrl-C is looked at again."""


def start(settings: Mapping[str, str]) -> None:
    """Start Java for Spark; what it says goes nowhere, but its end says why it did not start.

    Nothing to do where it runs already.

    :raises DataError: it does not start.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.errors import PySparkRuntimeError
    from pyspark.java_gateway import launch_gateway

    if SparkContext._gateway is not None:  # no public way: pyspark starts Java with our own standard error
        return
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    said: deque[str] = deque(maxlen=_KEPT)
    end, other_end = os.pipe()
    listener = threading.Thread(target=_listen, args=(end, said), daemon=True)
    listener.start()
    try:
        try:
            gateway = launch_gateway(conf, {"stdout": other_end, "stderr": other_end})
        finally:
            os.close(other_end)  # Java has its own: the listener ends with Java
    except PySparkRuntimeError as error:
        listener.join(_LAST_WORDS)
        raise DataError(f"Spark does not start: {reason(list(said))}") from error
    SparkContext._ensure_initialized(gateway=gateway)


def _listen(end: int, said: deque[str]) -> None:
    with open(end, encoding="utf-8", errors="replace") as lines:
        said.extend(line.rstrip() for line in lines)


def reason(said: list[str]) -> str:
    """Why Java did not start, in a line, of what it has said."""
    lines = [line.strip() for line in said if line.strip() and not line.lstrip().startswith("at ")]
    at = next((at for at, line in enumerate(lines) if "Error" in line or "Exception" in line), max(0, len(lines) - 2))
    return "; ".join(lines[at : at + 2])[:300] or "its Java process has ended without a word"


def opened(builder: Any) -> Any:
    """A session; after that Ctrl-C is a ``KeyboardInterrupt`` as ever, but never in the midst of a call of Java.

    pyspark's own handler, which it sets in the main thread only, calls Java, and that fails where Ctrl-C comes in the midst
    of another call. And a call that is broken off leaves its answer to the next one, so ours waits for its end.
    """
    with ThreadPoolExecutor(1) as pool:
        session = pool.submit(builder.getOrCreate).result()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, _interrupted)
    return session


def release_interrupts() -> None:
    """Ctrl-C as Python has it."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGINT) is _interrupted:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupted(number: int, frame: FrameType | None) -> None:
    inner = frame
    while inner is not None:
        if str(inner.f_globals.get("__name__")).partition(".")[0] == "py4j":
            again = threading.Timer(_AGAIN, os.kill, (os.getpid(), number))
            again.daemon = True
            again.start()
            return
        inner = inner.f_back
    signal.default_int_handler(number, frame)


# --- java errors ----------------------------------------------------------------------------------
# What Java and pyspark raise → one line, with what can be done about it.

_CLASS = re.compile(r"[\w.$]+(Error|Exception): ")
_HINTS = {
    "S3AFileSystem": "S3 needs hadoop-aws: --conf spark.jars.packages=org.apache.hadoop:hadoop-aws:VERSION (of Hadoop)",
    'No FileSystem for scheme "s3"': "write s3a:// for s3://",
    "UnknownHostException": "set HADOOP_CONF_DIR to the folder of core-site.xml where the cluster's names are told",
    "Connection refused": "nobody listens there; is the service up, and the port right?",
    "Incomplete HDFS URI": "write hdfs://HOST:PORT/…, or set HADOOP_CONF_DIR",
}
"""A part of the message, and what it mostly means."""


@contextmanager
def told(what: str) -> Iterator[None]:
    """Around calls of Java.

    :param what: what the line begins with: the place, or what was being done.
    :raises DataError: Java or pyspark has raised something, or Java has died.
    """
    try:
        yield
    except NewsextractError:
        raise
    except Exception as error:
        # From Java, from pyspark, or from the connection to Java.
        if not isinstance(error, ConnectionError) and type(error).__module__.partition(".")[0] not in ("py4j", "pyspark"):
            raise
        raise DataError(f"{what}: {first_line(error)}") from error


def first_line(error: BaseException) -> str:
    """What went wrong, without Java's stack; behind it what can be done, where that is known."""
    if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
        return "Spark's Java process has died; --verbose shows what it says"
    java = getattr(error, "java_exception", None)
    while java is not None and java.getCause() is not None:
        java = java.getCause()
    text = str(java.toString() if java is not None else error).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found = next((line for line in reversed(lines) if _CLASS.match(line)), None)
    line = (found or (lines[0] if lines else type(error).__name__))[:300]
    hint = next((hint for part, hint in _HINTS.items() if part in text), None)
    return f"{line} ({hint})" if hint else line


# --- session --------------------------------------------------------------------------------------

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
        locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := os.environ.get(name))), "")
        if "UTF" not in locale.upper():
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
        start({"spark.master": master, **every})
    session: SparkSession = opened(builder)
    return session


def close_session(session: SparkSession) -> None:
    """Stop Spark; nothing to do if its Java process has died."""
    with suppress(DataError), told("stopping Spark"):  # reason: what it has died of was told where it was noticed
        session.stop()
    release_interrupts()


def attempts(context: SparkContext) -> int:
    """How often a task is tried."""
    if found := re.fullmatch(r"local(?:\[[^,]*(?:,(\d+))?\])?", context.master):
        return int(found[1] or 1)
    return int(str(context.getConf().get("spark.task.maxFailures", "4")))
