"""What Java and pyspark raise → one line, with what can be done about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from newsextract.errors import DataError, NewsextractError

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
        if not of_spark(error):
            raise
        raise DataError(f"{what}: {first_line(error)}") from error


def of_spark(error: BaseException) -> bool:
    """Whether it comes from Java, from pyspark, or from the connection to Java."""
    return isinstance(error, ConnectionError) or type(error).__module__.partition(".")[0] in ("py4j", "pyspark")


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
